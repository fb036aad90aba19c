import { formatQuantity } from '#shared/format.ts';
import { Button } from './button.tsx';
import { Checkbox } from './field.tsx';
import { visibleLine } from './visible.ts';

interface PagedList {
  readonly state: 'not-declared' | 'waiting' | 'loading' | 'ready' | 'failed';
  readonly pages: number;
  readonly pageEnds: readonly number[];
  readonly nextCursor: string | null;
  readonly pageByPage: boolean;
}

/** Where the pages of a list begin: `page 2 · 20 items`, by the index of the first entry; empty if there is one page. */
export function pageBorders({ pageEnds, nextCursor }: PagedList): ReadonlyMap<number, string> {
  const borders = new Map<number, string>();
  if (pageEnds.length < 2 && nextCursor === null) return borders;
  for (const [place, end] of pageEnds.entries()) {
    const start = pageEnds[place - 1] ?? 0;
    const before = borders.get(start);
    const text = `page ${place + 1} · ${formatQuantity(end - start, 'item')}`;
    // An empty page begins where the next one does.
    borders.set(start, before === undefined ? text : `${before}, ${text}`);
  }
  return borders;
}

/** The pages of a list that has several: the cursor of the next one, and how much is read. */
export function PageBar({
  of,
  list,
  isConnected,
  onMore,
  onStop,
  onPageByPage,
}: {
  /** What the list has, such as `tool`. */
  readonly of: string;
  readonly list: PagedList;
  readonly isConnected: boolean;
  readonly onMore: (pages: 'next' | 'all') => void;
  readonly onStop: () => void;
  readonly onPageByPage: (pageByPage: boolean) => void;
}) {
  const { state, pages, nextCursor, pageByPage } = list;
  const isWaiting = state === 'waiting';
  if (pages < 2 && nextCursor === null && !pageByPage && !isWaiting) return null;
  return (
    <div
      role="group"
      aria-label={`Pages of the ${of}s`}
      className="flex shrink-0 flex-wrap items-center gap-x-1.5 gap-y-1 border-t border-line px-3 py-1 text-sm text-mute"
    >
      {nextCursor !== null && (
        <span className="flex w-full min-w-0 gap-1.5" title={visibleLine(nextCursor)}>
          Next cursor
          <span className="mono min-w-0 flex-1 truncate text-text">{visibleLine(nextCursor)}</span>
        </span>
      )}
      {isConnected && (
        <>
          {(state === 'loading' || isWaiting) && (
            <Button size="small" onClick={onStop}>
              Stop
            </Button>
          )}
          {state !== 'loading' && !isWaiting && nextCursor !== null && (
            <>
              <Button size="small" onClick={() => onMore('next')}>
                Next page
              </Button>
              <Button size="small" variant="quiet" onClick={() => onMore('all')}>
                All
              </Button>
            </>
          )}
          <Checkbox label="Page by page" checked={pageByPage} onChange={onPageByPage} className="ml-auto" />
        </>
      )}
    </div>
  );
}
