import { ChevronRight, Lock } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { create } from 'zustand';
import { Chip } from '#ui/chip.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { cx } from '#ui/cx.ts';
import { MaskedText } from '#ui/masked-text.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { visibleLine } from '#ui/visible.ts';

/** Titles of folded sections; the same from row to row. */
const useFolded = create<Readonly<Record<string, boolean>>>()(() => ({}));

/** A foldable section of the exchange. */
export function Section({
  title,
  summary,
  trailing,
  children,
}: {
  readonly title: string;
  /** Beside the title, visible when folded. */
  readonly summary?: ReactNode;
  readonly trailing?: ReactNode;
  readonly children: ReactNode;
}) {
  const isFolded = useFolded((folded) => folded[title] ?? false);
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line last:border-b-0">
      <div className="sticky top-0 z-1 flex h-7 items-center gap-1 bg-panel pr-1.5 pl-1.5">
        <h3 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={() => useFolded.setState({ [title]: !isFolded })}
            className="flex h-6 w-full min-w-0 items-center gap-1 text-left hover:text-text"
          >
            <ChevronRight
              aria-hidden
              className={cx('size-3 shrink-0 text-faint', !isFolded && 'rotate-90')}
            />
            <span id={id} className="caption shrink-0">
              {title}
            </span>
            {summary !== undefined && (
              <span className="min-w-0 truncate pl-1 text-xs text-mute">{summary}</span>
            )}
          </button>
        </h3>
        {trailing}
      </div>
      {!isFolded && <div className="pb-1.5">{children}</div>}
    </section>
  );
}

export interface ValueLine {
  /** Untrusted text. */
  readonly name: string;
  /** Untrusted text; what is copied. */
  readonly value: string;
  /** Shown after the value, or instead of an empty one. */
  readonly note?: ReactNode;
  /** Set for a credential, which is shown only on click. */
  readonly isMasked?: boolean;
}

const nameClasses = { wire: 'text-key', ours: 'font-sans text-base leading-[19px] text-mute' } as const;

/** Names and values; each value has a copy button. */
export function ValueTable({
  names,
  lines,
}: {
  /** Names from the wire, or our own labels. */
  readonly names: 'wire' | 'ours';
  readonly lines: readonly ValueLine[];
}) {
  return (
    <dl className="mono grid grid-cols-[fit-content(42%)_minmax(0,1fr)]">
      {lines.map(({ name, value, note, isMasked = false }, place) => (
        <div
          // Lines may be equal, and their order is fixed.
          key={place}
          className="group relative col-span-2 grid min-h-row grid-cols-subgrid items-baseline gap-x-3 px-3 py-[2.5px] leading-[19px] hover:bg-hover"
        >
          <dt className={cx('[overflow-wrap:anywhere]', nameClasses[names])}>
            <VisibleText isName text={visibleLine(name)} />
          </dt>
          <dd className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {value === '' && note === undefined ? (
              <span className="text-faint">empty</span>
            ) : isMasked ? (
              <MaskedText name={visibleLine(name)} text={value} />
            ) : (
              <RedactedText text={value} />
            )}
            {note !== undefined && (
              <span className="font-sans text-base leading-[19px] text-mute">
                {value !== '' && ' '}
                {note}
              </span>
            )}
            {value !== '' && !isMasked && (
              <span className="absolute top-0 right-1.5 rounded-ui bg-hover opacity-0 group-hover:opacity-100 focus-within:opacity-100">
                <CopyButton text={value} label={`Copy ${visibleLine(name)}`} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The recorder's placeholder of a secret, such as `[secret header:Authorization, 40 characters, 1a2b3c4d]`. */
const placeholder = /\[secret (.{1,200}?), (\d{1,12}) characters, ([0-9a-f]{8})\]/g;

/** Untrusted text; placeholders of secrets are shown as chips. */
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
  /** Equal secrets have the same mark. */
  readonly mark: string;
}

function SecretChip({ kind, length, mark }: SecretChipProps) {
  return (
    <span
      title={`${visibleLine(kind)} is secret and was not recorded. Equal secrets have the same mark: ${mark}`}
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
