import { formatCount } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { problemOf } from './filter/filter-text.tsx';
import { useSignal } from './frame-signal.ts';
import type { TraceView } from './trace-view.ts';

/** What stands in the table while it has no rows. */
export function EmptyTrace({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.window.total > 0 || view.clock === null) return null;
  return (
    <div className="absolute inset-x-0 top-row bottom-0">
      <EmptyTraceText view={view} />
    </div>
  );
}

function EmptyTraceText({ view }: { readonly view: TraceView }) {
  const { filterProgress, filterText, shownFilterText, total } = view;
  if (filterProgress === null || total === 0) {
    return (
      <EmptyState title="Nothing yet">
        Rows appear here as soon as the server’s process is started or the first request is sent.
      </EmptyState>
    );
  }
  if (!filterProgress.isDone) return <EmptyState title="Searching…" />;
  const showAll = () => {
    view.setFilter('');
    view.setViewName('frames');
  };
  // A filter that cannot be read finds nothing and rules nothing out: the rows are still those of the one before.
  const isStale = problemOf(filterText) !== null;
  const title = isStale ? 'No row matches the previous filter' : 'No row matches this filter';
  return (
    <EmptyState
      title={shownFilterText === '' ? 'No call yet' : title}
      actions={<Button onClick={showAll}>Show all {formatCount(total)} rows</Button>}
    >
      <code className="mono break-all">{shownFilterText}</code>
      {isStale && (
        <span className="mt-1.5 block">
          The text you typed is not a valid filter yet, so it is not applied.
        </span>
      )}
    </EmptyState>
  );
}
