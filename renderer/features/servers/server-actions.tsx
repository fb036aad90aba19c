import { Pencil, Play, RotateCw, Square, Trash2 } from 'lucide-react';
import { connect, disconnect } from '#model/connection.ts';
import { openEditor, selectServer } from '#model/selection.ts';
import { isOpen } from '#model/sessions.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { MenuEntries } from '#ui/menu.tsx';
import { askRemoval } from './editor-state.ts';

/** What can be done with a server right now, for its menu. */
export function serverActions(server: Server, session: SessionView | null): MenuEntries {
  const isConnected = session !== null && isOpen(session);
  return [
    {
      label: session ? 'Reconnect' : 'Connect',
      icon: session ? <RotateCw /> : <Play />,
      onSelect: () => {
        selectServer(server.id);
        void connect(server.id);
      },
    },
    ...(isConnected
      ? [{ label: 'Disconnect', icon: <Square />, onSelect: () => void disconnect(session) }]
      : []),
    null,
    { label: 'Edit…', icon: <Pencil />, onSelect: () => openEditor(server.id) },
    { label: 'Remove…', icon: <Trash2 />, tone: 'danger' as const, onSelect: () => askRemoval(server.id) },
  ];
}
