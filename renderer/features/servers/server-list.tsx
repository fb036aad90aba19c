import { Plus } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useCommands } from '#model/commands.ts';
import { openEditor, selectServer, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { latestSession, useSessions } from '#model/sessions.ts';
import { askRemoval, useRemoval } from './editor-state.ts';
import { rowOf, useFocusAfterForm } from './focus-after-form.ts';
import { serverActions } from './server-actions.tsx';
import { ServerRow } from './server-row.tsx';

const steps: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowDown: (from, last) => Math.min(from + 1, last),
  ArrowUp: (from) => Math.max(from - 1, 0),
  Home: () => 0,
  End: (_from, last) => last,
};

/** The servers the user knows: arrow keys choose one, the menu key or a right click says what can be done. */
export function ServerList() {
  const servers = useServers((known) => known.servers);
  const sessions = useSessions((known) => known.sessions);
  // A trace opened from a file stands in place of the server.
  const selected = useSelection(({ serverId, openedId }) => (openedId === null ? serverId : null));
  const isAdding = useSelection(({ editor }) => editor !== null && editor.serverId === null);
  const removal = useRemoval(({ serverId }) => serverId);
  const list = useRef<HTMLUListElement>(null);
  useFocusAfterForm(list);

  const current = servers.find(({ id }) => id === selected) ?? null;
  useCommands(
    useMemo(
      () =>
        current === null
          ? []
          : [
              {
                id: 'server.edit',
                title: `Edit ${current.name}…`,
                group: 'Servers' as const,
                shortcut: 'Alt+E',
                keywords: ['settings', 'change', 'environment'],
                run: () => openEditor(current.id),
              },
              {
                id: 'server.remove',
                title: `Remove ${current.name}…`,
                group: 'Servers' as const,
                keywords: ['delete'],
                run: () => askRemoval(current.id),
              },
            ],
      [current],
    ),
  );

  const move = (key: string): boolean => {
    const step = steps[key];
    if (!step || servers.length === 0) return false;
    const from = servers.findIndex(({ id }) => id === selected);
    const next = servers[step(from, servers.length - 1)];
    if (!next) return false;
    selectServer(next.id);
    rowOf(list, next.id)?.focus();
    return true;
  };

  return (
    <nav aria-label="Servers" className="flex flex-col">
      <h2 className="caption px-3.5 pt-4 pb-1">Servers</h2>
      <ul
        ref={list}
        onKeyDown={(press) => {
          const isOnRow = press.target instanceof HTMLElement && press.target.dataset.server !== undefined;
          if (!isOnRow) return;
          if (press.key === 'Delete' && selected !== null) askRemoval(selected);
          else if (!move(press.key)) return;
          press.preventDefault();
        }}
      >
        {servers.map((server, place) => {
          const session = latestSession(sessions, server.id);
          return (
            <ServerRow
              key={server.id}
              server={server}
              session={session}
              isSelected={server.id === selected && !isAdding}
              isTabStop={current === null ? place === 0 : server.id === selected}
              isRemoving={server.id === removal}
              actions={serverActions(server, session)}
            />
          );
        })}
      </ul>
      <button
        type="button"
        aria-current={isAdding || undefined}
        onClick={() => openEditor(null)}
        className="flex h-7 shrink-0 items-center gap-2 px-3.5 text-faint hover:bg-hover hover:text-text aria-[current]:bg-hover aria-[current]:text-text"
      >
        <Plus aria-hidden className="-ml-px size-3" />
        Add server
      </button>
    </nav>
  );
}
