import { BellRing } from 'lucide-react';
import { useState } from 'react';
import { call } from '#bridge';
import { useRootState } from '#model/roots.ts';
import { openEditor, selectTraceRow } from '#model/selection.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { ClientProfile, Server } from '#shared/contract/servers.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { Button } from '#ui/button.tsx';
import { VisibleText } from '#ui/plain-text.tsx';
import { RootLine } from '#ui/root-state.tsx';
import { RowLink } from '#ui/row-link.tsx';

type Root = ClientProfile['roots'][number];

/**
 * The folders that the client profile of a server declares, each with what is there, and a button to notify the server.
 * Renders nothing without roots if the server cannot be notified.
 */
export function Roots({
  server,
  session,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
}) {
  const { roots } = server.client;
  const notified = session !== null && mayNotify(session) ? session : null;
  if (roots.length === 0 && notified === null) return null;
  return (
    <section aria-label="Roots">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="caption">
          Roots <span className="font-normal tracking-normal normal-case">declared by Sightglass</span>
        </h3>
        <Button variant="quiet" size="small" onClick={() => openEditor(server.id, 'client')}>
          Change…
        </Button>
      </div>
      {roots.length === 0 ? (
        <p className="text-mute">None.</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {roots.map((root, index) => (
            <DeclaredRoot key={index} {...root} />
          ))}
        </ul>
      )}
      {notified !== null && <Notify key={notified.id} session={notified} />}
    </section>
  );
}

/** Whether a session declared that it notifies of changed roots (MCP 2025-06-18 roots, capabilities). */
function mayNotify({ phase, agreement }: SessionStatus): boolean {
  const roots = agreement?.clientCapabilities.roots;
  return phase === 'ready' && agreement?.era === 'legacy' && isObject(roots) && roots.listChanged === true;
}

function DeclaredRoot(root: Root) {
  return <RootLine {...root} state={useRootState(root.uri)} />;
}

function Notify({ session: { id: sessionId } }: { readonly session: SessionStatus }) {
  const [row, setRow] = useState<number | null>(null);
  const { run, isRunning, fault } = useAction(async () => {
    setRow((await call('sessions/notify-roots', { sessionId })).row);
  });
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2">
      <Button
        size="small"
        icon={<BellRing aria-hidden className="size-3" />}
        disabled={isRunning}
        onClick={() => void run()}
      >
        Notify server
      </Button>
      <span className="text-xs text-faint">
        sends <span className="mono">notifications/roots/list_changed</span>
      </span>
      {row !== null && (
        <span role="status" className="text-xs text-mute">
          sent in row <RowLink row={row} onOpen={() => selectTraceRow(sessionId, row)} />
        </span>
      )}
      {fault !== null && (
        <span role="alert" className="basis-full text-err">
          <VisibleText text={fault.what} />
        </span>
      )}
    </div>
  );
}
