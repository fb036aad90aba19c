import type { ReactNode } from 'react';
import { CopyButton } from '#ui/copy-button.tsx';
import { PlainText } from '#ui/plain-text.tsx';
import { Popover } from '#ui/popover.tsx';

/** The name of a trace file; a click shows where it lies. */
export function TraceFileName({
  path,
  lead,
}: {
  readonly path: string;
  /** Stands before the name, such as `saved to`. */
  readonly lead?: ReactNode;
}) {
  return (
    <Popover
      label="Trace file"
      side="top"
      align="end"
      className="flex max-w-[560px] items-center gap-2 py-1.5 pr-1.5"
      trigger={
        <button type="button" title={path} className="truncate hover:text-text">
          {lead}
          {path.split(/[\\/]/).at(-1)}
        </button>
      }
    >
      <PlainText text={path} className="mono" />
      <CopyButton text={path} label="Copy the path" />
    </Popover>
  );
}
