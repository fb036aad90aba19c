import { formatCount } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { useSignal } from './frame-signal.ts';
import type { TraceView } from './trace-view.ts';

/** What stands in the table while it has no rows. */
export function Emptiness({ view }: { readonly view: TraceView }) {
  useSignal(view.signal);
  if (view.window.total > 0 || view.clock === null) return null;
  return (
    <div className="absolute inset-x-0 top-row bottom-0">
      <EmptinessText view={view} />
    </div>
  );
}

function EmptinessText({ view }: { readonly view: TraceView }) {
  const { filterProgress, filterText, total } = view;
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
  return (
    <EmptyState
      title={filterText === '' ? 'No call yet' : 'No row matches this filter'}
      actions={<Button onClick={showAll}>Show all {formatCount(total)} rows</Button>}
    >
      <code className="mono break-all">{filterText}</code>
    </EmptyState>
  );
}
