import { selectPane } from '#model/selection.ts';
import type { PaneName } from '#model/pane-names.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { formatQuantity } from '#shared/format.ts';

interface Offer {
  readonly pane: PaneName;
  readonly label: string;
}

/** How much the server lists, each with the way to its pane. Nothing before its lists are read. */
export function Offers({ session }: { readonly session: SessionStatus }) {
  const offers = offersOf(session);
  if (offers.length === 0) return null;
  return (
    <section aria-label="What it offers" className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
      {offers.map(({ pane, label }) => (
        <button
          key={label}
          type="button"
          onClick={() => selectPane(pane)}
          className="rounded-ui border border-line bg-raise px-2 py-0.5 font-medium outline-offset-1 hover:border-accent hover:bg-hover"
        >
          {label}
        </button>
      ))}
    </section>
  );
}

function offersOf(session: SessionStatus): Offer[] {
  const { toolCount, resourceCount, promptCount, taskCount, waiting } = session;
  const counts: readonly (Offer | null)[] = [
    toolCount === null ? null : { pane: 'tools', label: formatQuantity(toolCount, 'tool') },
    resourceCount === null ? null : { pane: 'resources', label: formatQuantity(resourceCount, 'resource') },
    promptCount === null ? null : { pane: 'prompts', label: formatQuantity(promptCount, 'prompt') },
    taskCount === 0 ? null : { pane: 'tasks', label: formatQuantity(taskCount, 'task') },
    waiting === 0
      ? null
      : { pane: 'inbox', label: formatQuantity(waiting, 'question waiting', 'questions waiting') },
  ];
  return counts.filter((one) => one !== null);
}
