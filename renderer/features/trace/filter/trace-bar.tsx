import type { KeyboardEvent, Ref } from 'react';
import { formatCount } from '#shared/format.ts';
import { SearchField } from '#ui/search-field.tsx';
import { Tooltip } from '#ui/tooltip.tsx';
import { useSignal } from '../frame-signal.ts';
import type { TraceView } from '../trace-view.ts';

/** The bar over the table: filter, counts, and whether the table follows the end. */
export function TraceBar({
  view,
  isOpen,
  filterRef,
  onLeaveFilter,
}: {
  readonly view: TraceView;
  /** The session still runs, so rows may come. */
  readonly isOpen: boolean;
  readonly filterRef: Ref<HTMLInputElement>;
  /** The user goes on from the filter to the rows. */
  readonly onLeaveFilter: () => void;
}) {
  useSignal(view.signal);
  const onKeyDown = (press: KeyboardEvent) => {
    const goesOn = press.key === 'ArrowDown' || press.key === 'Enter';
    if (!goesOn && (press.key !== 'Escape' || view.filterText !== '')) return;
    press.preventDefault();
    onLeaveFilter();
  };
  return (
    <>
      <SearchField
        ref={filterRef}
        label="Filter the trace"
        placeholder="Show only rows that contain a text: method, name, id or anything in the message"
        value={view.filterText}
        onChange={(text) => view.setFilter(text)}
        onKeyDown={onKeyDown}
        mono
        className="min-w-0 flex-1"
      />
      <Counts view={view} />
      {isOpen && <LiveToggle view={view} />}
    </>
  );
}

function Counts({ view: { total, filterProgress } }: { readonly view: TraceView }) {
  if (filterProgress === null) {
    return <span className="mono shrink-0 text-mute">{formatCount(total)} rows</span>;
  }
  const { matches, scanned, isDone } = filterProgress;
  return (
    <span role="status" aria-busy={!isDone} className="mono shrink-0 text-mute">
      {!isDone && total > 0 && (
        <span className="text-faint">{Math.floor((100 * scanned) / total)} % searched · </span>
      )}
      {formatCount(matches)} of {formatCount(total)}
    </span>
  );
}

function LiveToggle({ view }: { readonly view: TraceView }) {
  const { isLive } = view;
  return (
    <Tooltip
      text={
        isLive ? 'New rows scroll into view. Click to stay here.' : 'Go to the newest row and follow (End)'
      }
    >
      <button
        type="button"
        aria-pressed={isLive}
        onClick={() => view.setLive(!isLive)}
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
