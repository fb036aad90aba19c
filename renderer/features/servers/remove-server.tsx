import type { ReactNode } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import { selectServer, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { isOpen } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { RemovalConfirmation } from '#ui/removal-confirmation.tsx';
import { visibleLine } from '#ui/visible.ts';

/** The server whose removal awaits confirmation. */
export const useRemoval = create<{ serverId: string | null }>()(() => ({ serverId: null }));

export const requestRemoval = (serverId: string | null): void => useRemoval.setState({ serverId });

/** Asks for confirmation beside the server's row. */
export function ServerRemoval({
  server,
  session,
  open,
  anchor,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
  readonly open: boolean;
  readonly anchor: ReactNode;
}) {
  const { run, fault, clearFault } = useAction(async () => {
    const neighbour = neighbourOf(server.id);
    await call('servers/remove', { id: server.id });
    if (useSelection.getState().serverId === server.id) selectServer(neighbour);
    requestRemoval(null);
  });
  return (
    <RemovalConfirmation
      label={`Remove ${server.name}`}
      question={`Remove “${visibleLine(server.name)}”?`}
      verb="Remove"
      open={open}
      fault={fault}
      onRemove={() => void run()}
      onKeep={() => {
        clearFault();
        requestRemoval(null);
      }}
      side="right"
      anchor={anchor}
    >
      Its settings and secrets are deleted{session && isOpen(session) ? ' and its session is ended' : ''}. You
      can undo it for 10 minutes, or until Sightglass quits. Recorded traces stay on disk.
    </RemovalConfirmation>
  );
}

/** The server to select after a removal: the next in the list, else the previous one. */
function neighbourOf(serverId: string): string | null {
  const { servers } = useServers.getState();
  const index = servers.findIndex(({ id }) => id === serverId);
  return (servers[index + 1] ?? servers[index - 1])?.id ?? null;
}
