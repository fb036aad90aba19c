import { ChevronRight } from 'lucide-react';
import { call } from '#bridge';
import { useAction, useQuery } from '#model/use-query.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { RunningCommand } from '#shared/contract/sessions.ts';
import { formatQuantity } from '#shared/format.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { LaunchFacts } from '#ui/launch-facts.tsx';
import { PlainText } from '#ui/plain-text.tsx';

/** The command line of a session, the file that was found for it, its folder and its whole environment. */
export function ProcessCommand({
  sessionId,
  server,
}: {
  readonly sessionId: string;
  readonly server: Server;
}) {
  const { latest } = useQuery(sessionId, () => call('sessions/command', { sessionId }));
  if (latest === null) return null;
  return (
    <section aria-label="Command">
      <h3 className="caption mb-1">Command</h3>
      <LaunchFacts launch={latest} />
      <PinnedPath server={server} resolved={latest.resolved} />
      <Inherited variables={latest.inherited} />
    </section>
  );
}

/** Puts the path of the file that was found in place of the command, so that no other file is found later. */
function PinnedPath({ server, resolved }: { readonly server: Server; readonly resolved: string | null }) {
  const { transport } = server;
  const pinning = useAction(async (command: string) => {
    if (transport.kind !== 'stdio') return;
    await call('servers/save', {
      id: server.id,
      settings: { ...server, transport: { ...transport, command } },
    });
  });
  if (server.source !== 'user' || transport.kind !== 'stdio' || resolved === null) return null;
  if (transport.command === resolved) {
    return <p className="mt-1 text-sm text-mute">The command is pinned to this file.</p>;
  }
  return (
    <div className="mt-1">
      <Button size="small" disabled={pinning.isRunning} onClick={() => void pinning.run(resolved)}>
        Pin the command to this file
      </Button>
      {pinning.fault && <FaultCard fault={pinning.fault} className="mt-2" />}
    </div>
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
