import { Copy, FileInput, FileOutput, Plus, Pencil, Play, RotateCw, Square, Trash2 } from 'lucide-react';
import { useMemo, useRef, type RefObject, useEffect } from 'react';
import { useCommands } from '#model/commands.ts';
import { connect, disconnect } from '#model/connection.ts';
import { restartMock, stopMock, useMocks } from '#model/mocks.ts';
import { phaseLabel, useLatestStatuses, isOpen, type SessionStatus } from '#model/sessions.ts';
import { openEditor, openImport, openServerExport, selectServer, useSelection } from '#model/selection.ts';
import { useServers, describeTarget } from '#model/servers.ts';
import type { ServedMock } from '#shared/contract/mocks.ts';
import type { Server } from '#shared/contract/servers.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import { Badge } from '#ui/chip.tsx';
import { copyText } from '#ui/clipboard.ts';
import { cx } from '#ui/cx.ts';
import { ContextMenu, RowMenu, type MenuEntries } from '#ui/menu.tsx';
import { StatusDot } from '#ui/status-dot.tsx';
import { reportFault } from '#ui/toaster.tsx';
import { visibleLine } from '#ui/visible.ts';
import { requestRemoval, ServerRemoval, useRemoval } from './remove-server.tsx';

/** The configured servers. Arrow keys select one; a right click or the menu key opens its menu. */
export function ServerList() {
  const servers = useServers((known) => known.servers);
  const statuses = useLatestStatuses();
  const mocks = useMocks();
  // An opened trace file replaces the server.
  const selected = useSelection(({ serverId, openedId }) => (openedId === null ? serverId : null));
  const isAdding = useSelection(({ editor }) => editor !== null && editor.serverId === null);
  const isImporting = useSelection(({ transfer }) => transfer?.kind === 'import');
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
                id: 'server.export',
                title: `Export ${current.name}…`,
                group: 'Servers' as const,
                keywords: ['claude', 'vscode', 'cursor', 'mcp.json', 'configuration'],
                run: () => openServerExport(current.id),
              },
              {
                id: 'server.remove',
                title: `Remove ${current.name}…`,
                group: 'Servers' as const,
                keywords: ['delete'],
                isDestructive: true as const,
                run: () => requestRemoval(current.id),
              },
            ],
      [current],
    ),
  );

  useCommands(
    useMemo(
      () => [
        {
          id: 'servers.import',
          title: 'Import servers…',
          group: 'Servers' as const,
          keywords: ['claude', 'vscode', 'cursor', 'mcp.json', 'configuration'],
          run: () => openImport(),
        },
        {
          id: 'servers.logs',
          title: 'Logs of other clients…',
          group: 'Servers' as const,
          keywords: ['claude', 'mcp.log', 'stderr'],
          run: () => openImport(),
        },
      ],
      [],
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
          if (press.key === 'Delete' && selected !== null) requestRemoval(selected);
          else if (!move(press.key)) return;
          press.preventDefault();
        }}
      >
        {servers.map((server, index) => {
          const session = statuses[server.id] ?? null;
          const mock = mocks[server.id] ?? null;
          return (
            <ServerRow
              key={server.id}
              server={server}
              session={session}
              mock={mock}
              isSelected={server.id === selected && !isAdding && !isImporting}
              isTabStop={current === null ? index === 0 : server.id === selected}
              isRemoving={server.id === removal}
              actions={serverActions(server, session, mock)}
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
      <button
        type="button"
        aria-current={isImporting || undefined}
        onClick={() => openImport()}
        className="flex h-7 shrink-0 items-center gap-2 px-3.5 text-faint hover:bg-hover hover:text-text aria-[current]:bg-hover aria-[current]:text-text"
      >
        <FileInput aria-hidden className="-ml-px size-3" />
        Import…
      </button>
    </nav>
  );
}

const steps: Readonly<Record<string, (from: number, last: number) => number>> = {
  ArrowDown: (from, last) => Math.min(from + 1, last),
  ArrowUp: (from) => Math.max(from - 1, 0),
  Home: () => 0,
  End: (_from, last) => last,
};

/** One server: its status, its name in full, and its transport; below the name where there is no room beside it. */
function ServerRow({
  server,
  session,
  mock,
  isSelected,
  isTabStop,
  isRemoving,
  actions,
}: {
  readonly server: Server;
  readonly session: SessionStatus | null;
  /** Of a mock: how it is served. */
  readonly mock: ServedMock | null;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly isRemoving: boolean;
  readonly actions: MenuEntries;
}) {
  const { tone, label } = phaseLabel(session);
  const isConnected = session !== null && isOpen(session);
  const waiting = session?.waiting ?? 0;
  const served = mock === null ? null : mock.isRunning ? 'serving' : 'stopped';
  const lead = served !== null && !isConnected ? served : session ? label : null;
  return (
    <ContextMenu entries={actions}>
      <li className="group relative">
        <ServerRemoval
          server={server}
          session={session}
          open={isRemoving}
          anchor={
            <button
              type="button"
              data-server={server.id}
              tabIndex={isTabStop ? 0 : -1}
              aria-current={isSelected || undefined}
              title={[visibleLine(describeTarget(server)), offerOf(session)].filter(Boolean).join('\n')}
              onClick={() => selectServer(server.id)}
              onDoubleClick={() => {
                if (!isConnected) void connect(server.id);
              }}
              className={cx(
                'flex min-h-7 w-full items-start gap-2 px-3.5 py-1 text-left focus-visible:rounded-none',
                isSelected ? 'bg-hover shadow-[inset_2px_0_var(--accent)]' : 'hover:bg-hover',
              )}
            >
              <span className="flex h-[19px] shrink-0 items-center">
                <StatusDot tone={tone} />
              </span>
              <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
                <span className="min-w-0 wrap-anywhere">{visibleLine(server.name)}</span>
                {waiting > 0 && (
                  <span className="shrink-0">
                    <Badge>{formatCount(waiting)}</Badge>
                    <span className="sr-only">
                      {waiting === 1 ? ' question waiting' : ' questions waiting'}
                    </span>
                  </span>
                )}
                <span className="ml-auto flex shrink-0 text-xs whitespace-pre text-faint group-focus-within:invisible group-hover:invisible">
                  {lead !== null && <span className={cx(tone === 'error' && 'text-err')}>{lead}</span>}
                  {/* A waiting request takes this space. */}
                  {waiting === 0 && (
                    <span className="shrink-0">
                      {lead !== null && ' · '}
                      {server.source === 'mock' ? 'mock' : server.transport.kind}
                    </span>
                  )}
                </span>
              </span>
            </button>
          }
        />
        <RowMenu label={`Actions for ${server.name}`} entries={actions} isTabStop={isTabStop} />
      </li>
    </ContextMenu>
  );
}

/** What a connected server offers, such as `19 tools, 7 resources, 4 prompts`; null before it is known. */
function offerOf(session: SessionStatus | null): string | null {
  if (session === null || !isOpen(session)) return null;
  const { toolCount, resourceCount, promptCount } = session;
  const counts = [
    toolCount !== null && formatQuantity(toolCount, 'tool'),
    resourceCount !== null && formatQuantity(resourceCount, 'resource'),
    promptCount !== null && formatQuantity(promptCount, 'prompt'),
  ];
  return counts.filter(Boolean).join(', ') || null;
}

/** The menu of a server. */
function serverActions(server: Server, session: SessionStatus | null, mock: ServedMock | null): MenuEntries {
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
    ...(mock === null ? [] : mockActions(mock)),
    { label: 'Edit…', icon: <Pencil />, onSelect: () => openEditor(server.id) },
    { label: 'Export…', icon: <FileOutput />, onSelect: () => openServerExport(server.id) },
    {
      label: 'Remove…',
      icon: <Trash2 />,
      tone: 'danger' as const,
      onSelect: () => requestRemoval(server.id),
    },
  ];
}

/** What a mock has in its menu besides. */
const mockActions = ({ serverId, url, isRunning }: ServedMock): MenuEntries => [
  { label: 'Copy the URL', icon: <Copy />, onSelect: () => void copyText(url) },
  ...(isRunning
    ? [
        {
          label: 'Stop the mock',
          icon: <Square />,
          onSelect: () => reportFault(stopMock(serverId)),
        },
      ]
    : []),
  {
    label: 'Start the mock again',
    icon: <RotateCw />,
    onSelect: () => reportFault(restartMock(serverId)),
  },
  null,
];

/** Moves the focus to the server in the list when the settings form closes. */
function useFocusAfterForm(list: RefObject<HTMLElement | null>): void {
  const isFormOpen = useSelection(({ editor }) => editor !== null);
  const selected = useSelection(({ serverId }) => serverId);
  // A new server may be listed only after its form has closed.
  const servers = useServers((known) => known.servers);
  const isOwed = useRef(false);
  useEffect(() => {
    if (isFormOpen) isOwed.current = true;
    if (isFormOpen || !isOwed.current) return;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const row = rowOf(list, selected);
    if (isLost && row === null) return;
    isOwed.current = false;
    if (isLost) row?.focus();
  }, [isFormOpen, selected, servers, list]);
}

/** The button of a server in the list. */
const rowOf = (list: RefObject<HTMLElement | null>, serverId: string | null): HTMLElement | null =>
  serverId === null
    ? null
    : (list.current?.querySelector<HTMLElement>(`[data-server="${CSS.escape(serverId)}"]`) ?? null);
