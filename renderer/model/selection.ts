import { create } from 'zustand';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import { useServers } from './servers.ts';
import { latestSession, useSessions } from './sessions.ts';

const paneNames = ['overview', 'tools', 'inbox'] as const;

export type PaneName = (typeof paneNames)[number];

/** A settings form, and the part of it that the user was led to. */
export interface OpenEditor {
  readonly serverId: string | null;
  readonly part?: 'client';
}

/** The form for an export: of which trace, and which rows were meant when it was opened. */
export interface OpenExport {
  readonly sessionId: string;
  readonly rows: RowChoice;
}

interface Selection {
  readonly serverId: string | null;
  /** A trace opened from a file stands on screen, in place of the server. */
  readonly openedId: string | null;
  readonly pane: PaneName;
  /** The settings form stands in place of the pane: of a server, or of a new one when the id is null. */
  readonly editor: OpenEditor | null;
  /** The form for an export stands in place of the pane. */
  readonly exporting: OpenExport | null;
  /** The row shown in the trace's detail, by session, so that switching servers loses nothing. */
  readonly traceRow: Readonly<Record<string, number | null>>;
}

/** What the user is looking at. */
export const useSelection = create<Selection>()(() => ({
  serverId: null,
  openedId: null,
  pane: 'overview',
  editor: null,
  exporting: null,
  traceRow: {},
}));

export const selectServer = (serverId: string | null): void =>
  useSelection.setState({ serverId, openedId: null, editor: null, exporting: null });

/** Shows a trace that was opened from a file. */
export const selectOpened = (openedId: string): void =>
  useSelection.setState({ openedId, editor: null, exporting: null });

export const selectPane = (pane: PaneName): void =>
  useSelection.setState({ pane, editor: null, exporting: null });

/** Opens the settings of a server, or of a new one; at one part of them when that is what the user is after. */
export const openEditor = (serverId: string | null, part?: OpenEditor['part']): void =>
  useSelection.setState((now) => ({
    editor: { serverId, ...(part !== undefined && { part }) },
    serverId: serverId ?? now.serverId,
    openedId: null,
    exporting: null,
  }));

export const closeEditor = (): void => useSelection.setState({ editor: null });

/** Shows a row of the trace: selects it, and the table scrolls to it. */
export const selectTraceRow = (sessionId: string, row: number | null): void =>
  useSelection.setState(({ traceRow }) => ({ traceRow: { ...traceRow, [sessionId]: row } }));

/** The session on screen: the newest of the selected server, or null when it was never connected. */
export function useCurrentSession(): SessionView | null {
  const serverId = useSelection((selection) => selection.serverId);
  return useSessions(({ sessions }) => latestSession(sessions, serverId));
}

/** The server on screen, or null when there is none. */
export function useCurrentServer(): Server | null {
  const serverId = useSelection((selection) => selection.serverId);
  return useServers(({ servers }) => servers.find(({ id }) => id === serverId) ?? null);
}

/** What was on screen, as far as it is kept across a reload. */
type Place = Pick<Selection, 'serverId' | 'openedId' | 'pane'>;

/**
 * Keeps the selection in the fragment of the page's address, which outlives a reload and a crash. Returns what was on
 * screen before; null in a new window.
 */
export function keepPlace(): Place | null {
  const before = readPlace(location.hash);
  useSelection.subscribe((now, last) => {
    if (now.serverId === last.serverId && now.openedId === last.openedId && now.pane === last.pane) return;
    history.replaceState(null, '', `#${writePlace(now)}`);
  });
  return before;
}

function writePlace({ serverId, openedId, pane }: Place): string {
  const fragment = new URLSearchParams({ pane });
  if (serverId !== null) fragment.set('server', serverId);
  if (openedId !== null) fragment.set('trace', openedId);
  return fragment.toString();
}

function readPlace(hash: string): Place | null {
  const fragment = new URLSearchParams(hash.slice(1));
  const pane = paneNames.find((name) => name === fragment.get('pane'));
  return pane === undefined
    ? null
    : { serverId: fragment.get('server'), openedId: fragment.get('trace'), pane };
}
