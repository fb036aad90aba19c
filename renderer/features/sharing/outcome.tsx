import { CircleCheck } from 'lucide-react';
import { isOnDesktop, showInFolder } from '#model/desktop.ts';
import type { ExportFormat } from '#shared/contract/exports.ts';
import type { Result } from '#shared/contract/index.ts';
import { formatBytes, formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { reportFailure } from '#ui/toaster.tsx';
import { formatWords } from './formats.ts';

/** An export that was written. */
export interface Written {
  readonly format: ExportFormat;
  readonly result: Result<'exports/write'>;
}

/** Where an export was written and what it holds. */
export function Outcome({
  written: { format, result },
  onOpen,
}: {
  readonly written: Written;
  readonly onOpen: () => void;
}) {
  const { path, entries, bytes, removed } = result;
  const facts = [
    formatQuantity(entries, ...formatWords[format].entry),
    formatBytes(bytes),
    removed === 0 ? 'nothing left out' : `${formatQuantity(removed, 'value')} left out`,
  ];
  return (
    <section
      role="status"
      aria-label="Exported"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-ui border border-line border-l-2 border-l-in bg-panel px-3 py-2"
    >
      <CircleCheck aria-hidden className="size-3.5 shrink-0 text-in" />
      <span className="font-medium">Exported</span>
      <PlainText text={path} inline className="mono min-w-0" />
      <span className="text-mute">{facts.join(' · ')}</span>
      <span className="ml-auto flex flex-wrap gap-2">
        <CopyButton text={path} label="Copy path" withWord />
        {isOnDesktop() && (
          <Button size="small" onClick={() => reportFailure(showInFolder(path))}>
            Show in folder
          </Button>
        )}
        {format === 'mcptrace' && (
          <Button size="small" onClick={onOpen}>
            Open it
          </Button>
        )}
      </span>
    </section>
  );
}
