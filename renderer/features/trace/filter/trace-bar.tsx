import { FileDown } from 'lucide-react';
import type { RefObject } from 'react';
import { openExport } from '#model/exports.ts';
import { formatCount } from '#shared/format.ts';
import { IconButton } from '#ui/button.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { WordSwitch } from '#ui/word-switch.tsx';
import { useSignal, useSignalled } from '#ui/frame-signal.ts';
import type { TraceView } from '../trace-view.ts';
import { FilterField } from './filter-field.tsx';
import { FilterChips, FilterMenu } from './filter-menu.tsx';
import { filterErrorOf } from './filter-text.tsx';

/** The bar above the table: filter, counts, and whether the table follows the end. */
export function TraceBar({
  view,
  isOpen,
  filterRef,
  onLeaveFilter,
}: {
  readonly view: TraceView;
  /** Whether the session is still running, so that rows may arrive. */
  readonly isOpen: boolean;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  /** The user moves on from the filter to the rows. */
  readonly onLeaveFilter: () => void;
}) {
  const text = useSignalled(view.signal, () => view.filterText);
  const error = filterErrorOf(text);
  const setFilter = (changed: string) => view.setFilter(changed);
  return (
    <>
      <FilterField
        ref={filterRef}
        sessionId={view.sessionId}
        text={text}
        error={error}
        onChange={setFilter}
        onLeave={onLeaveFilter}
      />
      <FilterChips view={view} text={text} onChange={setFilter} />
      <FilterMenu view={view} text={text} onChange={setFilter} />
      <ViewSwitch view={view} />
      <Counts view={view} />
      <IconButton size="small" label="Export the rows of the list…" onClick={() => exportRows(view)}>
        <FileDown aria-hidden className="size-3.5" />
      </IconButton>
      {isOpen && <LiveToggle view={view} />}
    </>
  );
}

/** Opens the export of what the filter shows, which can be changed there. */
function exportRows({ sessionId, filterId, shownFilterText }: TraceView): void {
  const isFiltered = filterId !== null && shownFilterText !== '';
  openExport(sessionId, isFiltered ? { of: 'filter', filterId } : { of: 'all' });
}

function Counts({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  const { total, filterProgress } = view;
  if (filterProgress === null) {
    return (
      <span data-filter="" title={`${formatCount(total)} rows`} className="mono truncate text-mute">
        {formatCount(total)} rows
      </span>
    );
  }
  const { matches, scanned, isDone } = filterProgress;
  const counts = `${formatCount(matches)} of ${formatCount(total)}`;
  return (
    <span
      role="status"
      aria-busy={!isDone}
      data-filter={view.shownFilterText}
      title={counts}
      className="mono truncate text-mute"
    >
      {!isDone && total > 0 && (
        <span className="text-faint">
          {scanned < total || !view.isSorted
            ? `${Math.floor((100 * scanned) / total)} % searched`
            : 'sorting'}{' '}
          ·{' '}
        </span>
      )}
      {counts}
    </span>
  );
}

function LiveToggle({ view }: { readonly view: TraceView }) {
  const isLive = useSignalled(view.signal, () => view.position.isLive);
  const isSorted = useSignalled(view.signal, () => view.sort !== null);
  const follows = isSorted
    ? 'List the rows in the order of the trace, and follow the newest'
    : 'Go to the newest row and follow (End)';
  return (
    <Tooltip text={isLive ? 'New rows scroll into view. Click to stay here.' : follows}>
      <button
        type="button"
        aria-pressed={isLive}
        onClick={() => (isLive ? view.position.setLive(false) : view.goLive())}
        className={`flex h-6 w-[72px] shrink-0 items-center justify-center gap-1.5 rounded-ui hover:bg-hover ${isLive ? 'text-in' : 'text-mute'}`}
      >
        <span
          aria-hidden
          className={`size-2 rounded-full ${isLive ? 'bg-in' : 'border-[1.5px] border-current'}`}
        />
        {isLive ? 'live' : 'paused'}
        <span className="sr-only">: follow the newest row</span>
      </button>
    </Tooltip>
  );
}

/** Switches between every row and one row per call. */
function ViewSwitch({ view }: { readonly view: TraceView }) {
  const shown = useSignalled(view.signal, () => view.viewName);
  return (
    <WordSwitch
      label="Rows"
      value={shown}
      onChange={(viewName) => view.setViewName(viewName)}
      options={[
        { id: 'messages', label: 'Messages', hint: 'Every row, in the order of the wire' },
        { id: 'calls', label: 'Calls', hint: 'Responses folded into their requests' },
      ]}
    />
  );
}
