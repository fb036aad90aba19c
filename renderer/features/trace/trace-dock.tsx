import { Suspense } from 'react';
import { isOpen } from '#model/sessions.ts';
import { useLiveSession, useSelection } from '#model/selection.ts';
import { connect, useIsApprovalShown } from '#model/connection.ts';
import { useCurrentTrace } from '#model/traces.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { preloadable } from '#ui/preloadable.tsx';

/** The trace view: by far the largest part of the page, and not needed before there is a trace. */
const { Component: LateTrace, load } = preloadable(
  async () => (await import('./session-trace.tsx')).SessionTrace,
);

export const loadTrace = load;

/**
 * The trace of the current session, or the one opened from a file: every recorded row, and the detail of one.
 */
export function TraceDock() {
  const serverId = useSelection((selection) => selection.serverId);
  const session = useLiveSession();
  const opened = useCurrentTrace();
  const shown = opened
    ? { sessionId: opened.sessionId, server: opened.header.server.name, isOpen: opened.isGrowing }
    : session && { sessionId: session.id, server: session.serverName, isOpen: isOpen(session) };
  return (
    <section aria-label="Trace" className="flex h-full min-h-0 min-w-0 flex-col bg-panel">
      {shown ? (
        <Suspense fallback={<div role="group" aria-busy aria-label="The trace is loading" />}>
          <LateTrace key={shown.sessionId} {...shown} />
        </Suspense>
      ) : (
        <>
          <div className="flex h-[34px] shrink-0 items-center border-b border-line px-2.5">
            <h2 className="font-semibold">Trace</h2>
          </div>
          <NoSession serverId={serverId} />
        </>
      )}
    </section>
  );
}

function NoSession({ serverId }: { readonly serverId: string | null }) {
  if (serverId !== null) return <NothingRecorded serverId={serverId} />;
  return (
    <EmptyState title="No server selected">
      Select or add a server on the left. Its traffic with Sightglass is listed here.
    </EmptyState>
  );
}

function NothingRecorded({ serverId }: { readonly serverId: string }) {
  const isApprovalShown = useIsApprovalShown(serverId);
  return (
    <EmptyState
      title="Nothing recorded yet"
      actions={!isApprovalShown && <Button onClick={() => void connect(serverId)}>Connect</Button>}
    >
      Every message, HTTP exchange, line of stderr and process event is listed here from the first byte on.
    </EmptyState>
  );
}
