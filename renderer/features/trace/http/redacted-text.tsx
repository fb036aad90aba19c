import { Lock } from 'lucide-react';
import { Chip } from '#ui/chip.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** What the recorder writes for a secret, such as `[secret header:Authorization, 40 characters, 1a2b3c4d]`. */
const placeholder = /\[secret (.{1,200}?), (\d+) characters, ([0-9a-f]{8})\]/g;

/** Untrusted text; what stands for a secret is a chip. */
export function RedactedText({ text }: { readonly text: string }) {
  const parts = [];
  let from = 0;
  for (const { 0: written, 1: kind = '', 2: length = '', 3: mark = '', index } of text.matchAll(
    placeholder,
  )) {
    if (index > from) parts.push(<VisibleText key={from} text={text.slice(from, index)} />);
    parts.push(<SecretChip key={index} kind={kind} length={length} mark={mark} />);
    from = index + written.length;
  }
  if (from < text.length) parts.push(<VisibleText key={from} text={text.slice(from)} />);
  return parts;
}

interface SecretChipProps {
  readonly kind: string;
  readonly length: string;
  /** Equal secrets have equal marks. */
  readonly mark: string;
}

function SecretChip({ kind, length, mark }: SecretChipProps) {
  return (
    <span
      title={`${visibleLine(kind)} is secret and not on record. Equal secrets have the same mark: ${mark}`}
      className="inline-flex max-w-full align-text-bottom font-sans whitespace-nowrap select-all"
    >
      <Chip className="min-w-0 bg-raise">
        <Lock role="img" aria-label="secret" className="size-2.5 shrink-0" />
        <span className="truncate">
          {length} chars · <span className="font-mono">{mark}</span>
        </span>
      </Chip>
    </span>
  );
}
