import { X } from 'lucide-react';
import { openExport } from '#model/exports.ts';
import { proposeReplay } from '#model/replay.ts';
import { formatCount } from '#shared/format.ts';
import { Button, IconButton } from '#ui/button.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { useSignal } from '#ui/frame-signal.ts';
import { bookmarkRows } from './marks.tsx';
import type { TraceView } from '../trace-view.ts';

/** The size of the multi-selection and its actions; nothing for a single row. */
export function SelectionBar({
  view,
  onCopy,
  onCompare,
}: {
  readonly view: TraceView;
  readonly onCopy: () => void;
  readonly onCompare: () => void;
}) {
  useSignal(view.signal);
  const { sessionId, selection } = view;
  const { count, hasMore, rows } = selection.picks;
  if (count === 0) return null;
  const actions: readonly (readonly [label: string, run: () => void])[] = [
    ['Copy as JSON lines', onCopy],
    ...(count === 2 ? [['Compare', onCompare] as const] : []),
    ['Sequence', () => view.setPanel({ of: 'sequence', rows })],
    ['Statistics', () => view.setPanel({ of: 'statistics', rows })],
    ['Replay…', () => proposeReplay(sessionId, { of: 'rows', rows: [...rows] })],
    ['Bookmark', () => reportFault(bookmarkRows(sessionId, rows))],
    ['Export…', () => openExport(sessionId, { of: 'rows', rows: [...rows] })],
  ];
  return (
    <div
      role="toolbar"
      aria-label="Selected rows"
      className="flex min-h-[34px] shrink-0 items-center gap-2 border-t border-line bg-raise py-1 pr-1 pl-2.5"
    >
      <p role="status" className="shrink-0 whitespace-nowrap">
        <span className="mono">{formatCount(count)}</span> rows selected
        {hasMore && <span className="text-mute">, the maximum</span>}
      </p>
      <span className="flex min-w-0 flex-1 flex-wrap">
        {actions.map(([label, run]) => (
          <Button key={label} size="small" variant="quiet" onClick={run}>
            {label}
          </Button>
        ))}
      </span>
      <IconButton
        size="small"
        label="Clear multi-selection"
        shortcut="Escape"
        onClick={() => selection.clearPicks()}
      >
        <X aria-hidden className="size-3.5" />
      </IconButton>
    </div>
  );
}
