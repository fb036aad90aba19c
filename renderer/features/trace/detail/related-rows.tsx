import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import { selectTraceRow } from '#model/selection.ts';
import { type RowDetail, MAX_CHILDREN } from '#shared/contract/trace.ts';
import { formatQuantity, formatCount, formatDuration } from '#shared/format.ts';
import { rowNumber, type TraceRow } from '#shared/trace/row.ts';
import { Button } from '#ui/button.tsx';
import { cx } from '#ui/cx.ts';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { toneClasses, methodLabel } from '../table/row-labels.ts';
import { DirectionArrow } from '#ui/direction-arrow.tsx';

/** Whether the list is open; stays the same from row to row. */
const useIsOpen = create<{ readonly isOpen: boolean }>()(() => ({ isOpen: false }));

/** The parent of the row and its children, in a collapsible list. */
export function Relations({ sessionId, detail }: { readonly sessionId: string; readonly detail: RowDetail }) {
  const isOpen = useIsOpen((state) => state.isOpen);
  const { row, parent, children, childCount } = detail;
  if (parent === null && childCount === 0) return null;
  return (
    <section aria-label="Related rows" className="border-b border-line">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => useIsOpen.setState({ isOpen: !isOpen })}
        className="flex h-row w-full items-center gap-1 px-1.5 text-left text-mute hover:bg-hover hover:text-text"
      >
        <ChevronRight aria-hidden className={cx('size-3 shrink-0 text-faint', isOpen && 'rotate-90')} />
        {summaryOf(detail)}
      </button>
      {isOpen && (
        <div className="max-h-60 overflow-y-auto pb-1">
          {parent && (
            <div role="group" aria-label="Parent row">
              <RowButton sessionId={sessionId} row={parent} isShown={false} since={row.at} />
            </div>
          )}
          {childCount > 0 && (
            <RowList
              key={row.row}
              sessionId={sessionId}
              label="Child rows"
              of={row.row}
              by="parent"
              rows={children}
              total={childCount}
              shown={row.row}
              since={row.at}
            />
          )}
        </div>
      )}
    </section>
  );
}

function summaryOf({ row, parent, childCount }: RowDetail): string {
  // The children of an exchange are its redirects.
  const isExchange = row.kind === 'http';
  const parts = [
    parent && `${isExchange ? 'redirected from' : 'related:'} ${rowNumber(parent.row)}`,
    childCount === 0
      ? null
      : isExchange
        ? `redirected to ${formatQuantity(childCount, 'row')}`
        : formatQuantity(childCount, 'child row'),
  ];
  const text = parts.filter((part) => part !== null).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface RowListProps {
  readonly sessionId: string;
  /** The label for screen readers. */
  readonly label: string;
  /** The row they belong to, as its children or carried by it. */
  readonly of: number;
  readonly by: 'parent' | 'exchange';
  /** The first rows, and the total number. */
  readonly rows: readonly TraceRow[];
  readonly total: number;
  /** The row whose detail is open. */
  readonly shown: number;
  /** Their times are relative to this instant; microseconds of the trace. */
  readonly since: number;
}

/** Rows that belong to another one, with their times; a click selects one. More are read on demand. */
export function RowList({ sessionId, label, of, by, rows, total, shown, since }: RowListProps) {
  const [more, setMore] = useState<readonly TraceRow[]>([]);
  const all = [...rows, ...more];
  const readMore = async () => {
    const { rows: next } = await call('trace/relatives', {
      sessionId,
      row: of,
      by,
      from: all.length,
      count: MAX_CHILDREN,
    });
    setMore([...more, ...next]);
  };
  return (
    <>
      <ul aria-label={label}>
        {all.map((row) => (
          <li key={row.row}>
            <RowButton sessionId={sessionId} row={row} isShown={row.row === shown} since={since} />
          </li>
        ))}
      </ul>
      {all.length < total && (
        <Button size="small" className="mx-3 mt-1" onClick={() => reportFault(readMore())}>
          Show more ({formatCount(total - all.length)})
        </Button>
      )}
    </>
  );
}

/** Omitted to save room. */
const NOTIFICATION = /^notifications\//;

/** One row in a line: number, direction, label, summary, time. */
function RowButton({
  sessionId,
  row,
  isShown,
  since,
}: {
  readonly sessionId: string;
  readonly row: TraceRow;
  readonly isShown: boolean;
  readonly since: number;
}) {
  const { text, tone } = methodLabel(row);
  return (
    <button
      type="button"
      aria-current={isShown ? 'true' : undefined}
      onClick={() => selectTraceRow(sessionId, row.row)}
      className="mono grid h-row w-full grid-cols-[max-content_14px_fit-content(50%)_minmax(0,1fr)_max-content] items-center gap-x-2 px-3 text-left hover:bg-hover aria-[current]:bg-sel"
    >
      <span className="text-key">{rowNumber(row.row)}</span>
      {row.direction ? <DirectionArrow direction={row.direction} /> : <span />}
      <span title={visibleLine(text)} className={`truncate ${toneClasses[tone]}`}>
        {visibleLine(text.replace(NOTIFICATION, ''))}
      </span>
      <span className="truncate text-mute">{visibleLine(row.summary)}</span>
      <span className="text-mute">{timeFrom(since, row.at)}</span>
    </button>
  );
}

/** `+1.2 ms`, `−3.4 ms`: how long after another instant or before it. */
const timeFrom = (since: number, at: number): string =>
  at < since ? `−${formatDuration(since - at)}` : `+${formatDuration(at - since)}`;
