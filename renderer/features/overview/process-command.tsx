import { ChevronRight } from 'lucide-react';
import { call } from '#bridge';
import { useQuery } from '#model/use-query.ts';
import type { RunningCommand } from '#shared/contract/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { LaunchFacts } from '#ui/launch-facts.tsx';
import { PlainText } from '#ui/plain-text.tsx';

/** The command line of a session, the file that was found for it, its folder and its whole environment. */
export function ProcessCommand({ sessionId }: { readonly sessionId: string }) {
  const { latest } = useQuery(sessionId, () => call('sessions/command', { sessionId }));
  if (latest === null) return null;
  return (
    <section aria-label="Command">
      <h3 className="caption mb-1">Command</h3>
      <LaunchFacts launch={latest} />
      <Inherited variables={latest.inherited} />
    </section>
  );
}

function Inherited({ variables }: { readonly variables: RunningCommand['inherited'] }) {
  return (
    <details className="group">
      <summary className="flex min-h-row list-none items-center gap-1 rounded-sm text-mute hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3 text-faint transition-transform group-open:rotate-90" />
        {formatQuantity(variables.length, 'inherited variable')}
      </summary>
      <ul aria-label="Inherited variables" className="ml-4 flex flex-col gap-0.5">
        {variables.map(({ name, value }) => (
          <li key={name} className="mono [overflow-wrap:anywhere]">
            <PlainText inline text={name} />=
            {value === null ? (
              <span className="font-sans text-mute">not shown, may be a secret</span>
            ) : (
              <PlainText inline text={value} />
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
