import { ChevronRight } from 'lucide-react';
import { create } from 'zustand';
import type { RowDetail } from '#shared/contract/trace.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { cx } from '#ui/cx.ts';
import { RowButton, RowList } from './row-list.tsx';

/** Whether the rows are listed; kept from row to row. */
const useIsOpen = create<{ readonly isOpen: boolean }>()(() => ({ isOpen: false }));

/** The row that this one belongs to, and those that belong to it, on demand. */
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
        {wordsOf(detail)}
      </button>
      {isOpen && (
        <div className="max-h-60 overflow-y-auto pb-1">
          {parent && (
            <div role="group" aria-label="It belongs to">
              <RowButton sessionId={sessionId} row={parent} isShown={false} since={row.at} />
            </div>
          )}
          {childCount > 0 && (
            <RowList
              key={row.row}
              sessionId={sessionId}
              label="Rows that belong to it"
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

function wordsOf({ row, parent, childCount }: RowDetail): string {
  // What belongs to an exchange is where it was redirected to.
  const isExchange = row.kind === 'http';
  const words = [
    parent && `${isExchange ? 'redirected from' : 'related:'} ${rowNumber(parent.row)}`,
    childCount === 0
      ? null
      : isExchange
        ? `redirected to ${formatQuantity(childCount, 'row')}`
        : formatQuantity(childCount, 'row belongs to it', 'rows belong to it'),
  ];
  const said = words.filter((word) => word !== null).join(', ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
