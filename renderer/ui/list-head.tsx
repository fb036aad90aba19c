import { RefreshCw } from 'lucide-react';
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import type { Fault } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';
import type { ListChanges } from '#shared/contract/definitions.ts';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';
import { FaultCard } from './fault-card.tsx';
import { ListNotice } from './list-notice.tsx';
import { SearchField } from './search-field.tsx';

/** The head of a list of the server: search, reload, what changed, why it could not be read. */
export function ListHead({
  of,
  search,
  onSearch,
  onKeyDown,
  fieldRef,
  isLoading,
  isConnected,
  onReload,
  changes,
  onDismissChanges,
  fault,
  children,
}: {
  /** What the list has, such as `tool`. */
  readonly of: string;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly onKeyDown: (press: KeyboardEvent<HTMLInputElement>) => void;
  readonly fieldRef: Ref<HTMLInputElement>;
  readonly isLoading: boolean;
  readonly isConnected: boolean;
  readonly onReload: () => void;
  /** Null if nothing changed since the user last looked. */
  readonly changes: ListChanges | null;
  readonly onDismissChanges: () => void;
  readonly fault: Fault | null;
  /** More buttons beside the search field. */
  readonly children?: ReactNode;
}) {
  return (
    <>
      <div className="flex items-center gap-1 p-2">
        <SearchField
          ref={fieldRef}
          label={`Find a ${of}`}
          value={search}
          onChange={onSearch}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1"
        />
        {children}
        <IconButton
          label={`Reload the ${of}s`}
          size="small"
          disabled={!isConnected || isLoading}
          onClick={onReload}
        >
          <RefreshCw
            aria-hidden
            className={cx('size-3.5', isLoading && 'animate-spin motion-reduce:animate-none')}
          />
        </IconButton>
      </div>
      {changes !== null && <ListNotice of={of} changes={changes} onDismiss={onDismissChanges} />}
      {fault !== null && <FaultCard fault={fault} className="mx-2 mb-2" />}
    </>
  );
}

/** The state of a list in a few words: `12 tools · 1 bad · 2 pages`, or `2 pages so far`. */
export function listStatus(
  of: string,
  {
    state,
    pages,
    nextCursor,
    entries,
  }: {
    readonly state: 'not-declared' | 'waiting' | 'loading' | 'ready' | 'failed';
    readonly pages: number;
    readonly nextCursor: string | null;
    readonly entries: readonly { readonly usable: boolean }[];
  },
  shown: number,
): string {
  if (state === 'waiting') return 'waits until connected';
  if (state === 'loading') return pages > 0 ? `loading page ${pages + 1}…` : 'loading…';
  if (entries.length === 0) return state === 'failed' ? '' : `The server lists no ${of}s.`;
  if (shown === 0) return 'Nothing matches.';
  if (shown < entries.length) return `${shown} of ${entries.length}`;
  const bad = entries.filter(({ usable }) => !usable).length;
  const all = formatQuantity(entries.length - bad, of);
  const read =
    nextCursor !== null ? `${formatQuantity(pages, 'page')} so far` : pages > 1 ? `${pages} pages` : '';
  return [all, bad > 0 ? `${bad} bad` : '', read].filter(Boolean).join(' · ');
}
