import type { ReactNode } from 'react';
import { create } from 'zustand';
import { call } from '#bridge';
import { selectServer, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { isOpen } from '#model/sessions.ts';
import { useAction } from '#model/use-query.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionStatus } from '#model/sessions.ts';
import { Button } from '#ui/button.tsx';
import { FaultCard } from '#ui/fault-card.tsx';
import { Popover } from '#ui/popover.tsx';
import { visibleLine } from '#ui/visible.ts';
import { dropDraft } from './unsaved-drafts.ts';

/** The server whose removal awaits confirmation. */
export const useRemoval = create<{ serverId: string | null }>()(() => ({ serverId: null }));

export const requestRemoval = (serverId: string | null): void => useRemoval.setState({ serverId });

/** Asks for confirmation beside the server's row. */
export function RemovalConfirmation({
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
    dropDraft(server.id);
    requestRemoval(null);
  });
  return (
    <Popover
      label={`Remove ${server.name}`}
      open={open}
      onOpenChange={(isNowOpen) => {
        if (isNowOpen) return;
        clearFault();
        requestRemoval(null);
      }}
      side="right"
      className="w-[300px]"
      anchor={anchor}
    >
      <p className="font-medium">Remove “{visibleLine(server.name)}”?</p>
      <p className="mt-1 text-mute">
        Its settings are deleted{session && isOpen(session) ? ' and its session is ended' : ''}. Recorded
        traces stay on disk.
      </p>
      {fault && <FaultCard fault={fault} className="mt-2" />}
      <div className="mt-3 flex gap-2">
        <Button variant="danger" onClick={() => void run()}>
          Remove
        </Button>
        <Button onClick={() => requestRemoval(null)}>Keep</Button>
      </div>
    </Popover>
  );
}

/** The server to select after a removal: the next in the list, else the previous one. */
function neighbourOf(serverId: string): string | null {
  const { servers } = useServers.getState();
  const index = servers.findIndex(({ id }) => id === serverId);
  return (servers[index + 1] ?? servers[index - 1])?.id ?? null;
}
