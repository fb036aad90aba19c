import { create } from 'zustand';
import type { Server } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import type { RowChoice } from '#shared/contract/trace.ts';
import type { PaneName } from './pane-names.ts';
import { useServers } from './servers.ts';
import { latestSession, type SessionStatus, statusOf, useRecordedSessions, useSessions } from './sessions.ts';

/** An open settings form, and the section to show. */
export interface OpenEditor {
  readonly serverId: string | null;
  readonly part?: 'client' | 'certificate';
}

/** An open export form: its trace, and the rows selected initially. */
export interface OpenExport {
  readonly sessionId: string;
  readonly rows: RowChoice;
  /** A filter of another pane, offered instead of that of the trace, and how many rows matched it. */
  readonly filter?: { readonly filterId: string; readonly matches: number };
}

/** The open form that imports servers, or exports one. */
export type OpenTransfer =
  | {
      readonly kind: 'import';
      /** A file that was dropped on the window, or a pasted text, with an id of its own. */
      readonly file?: DroppedText & { readonly id: number };
    }
  | { readonly kind: 'export'; readonly serverId: string };

/** The text of a file, and its path, or its name where a page knows no more; null for a pasted text. */
export interface DroppedText {
  readonly path: string | null;
  readonly text: string;
}

interface Selection {
  readonly serverId: string | null;
  /** The opened trace file on screen; it replaces the server. */
  readonly openedId: string | null;
  readonly pane: PaneName;
  /** The pane of the opened trace on screen. */
  readonly openedPane: PaneName;
  /** The server that was just connected: its tools are shown when they are listed, unless a pane is selected before. */
  readonly awaitsTools: string | null;
  /** Whether the focus moves into the pane on screen. */
  readonly focusesPane: boolean;
  /** Whether the focus moves into the trace on screen. */
  readonly focusesTrace: boolean;
  /** Whether the filter of the tools takes the focus when it is shown. */
  readonly focusesTools: boolean;
  /** The pane (`top`) or the trace (`bottom`) when it takes the room of both; null if neither does. */
  readonly maximized: 'top' | 'bottom' | null;
  /** The same while a form replaces the pane. Closing the form leaves the pane and the trace as they were. */
  readonly maximizedForm: Selection['maximized'];
  /** The open settings form, which replaces the pane; a null server id means a new server. */
  readonly editor: OpenEditor | null;
  /** The open export form, which replaces the pane. */
  readonly exporting: OpenExport | null;
  /** The open import or export form of servers, which replaces the pane. */
  readonly transfer: OpenTransfer | null;
  /** Whether the settings are shown in place of the pane. */
  readonly isInSettings: boolean;
  /** Whether the list of keyboard shortcuts is open. */
  readonly hasShortcuts: boolean;
  /** The shown resource, by server. It need not be listed: a template or a link may lead to it. */
  readonly resourceUri: Readonly<Record<string, string>>;
  /** The row shown in the trace's detail, by session. */
  readonly traceRow: Readonly<Record<string, number | null>>;
  /** A filter for the trace of a session, until the trace has taken it. */
  readonly filterRequest: { readonly sessionId: string; readonly filter: string } | null;
}

/** No form replaces the pane. */
const noForm = { editor: null, exporting: null, transfer: null, isInSettings: false } as const;

/** What is on screen. */
export const useSelection = create<Selection>()(() => ({
  serverId: null,
  openedId: null,
  pane: 'overview',
  openedPane: 'overview',
  awaitsTools: null,
  focusesPane: false,
  focusesTrace: false,
  focusesTools: false,
  maximized: null,
  maximizedForm: null,
  ...noForm,
  hasShortcuts: false,
  resourceUri: {},
  traceRow: {},
  filterRequest: null,
}));

export const selectServer = (serverId: string | null): void =>
  useSelection.setState({ serverId, openedId: null, ...noForm });

/** Shows an opened trace file, another one with its Overview. */
export const selectOpened = (openedId: string): void =>
  useSelection.setState((now) => ({
    openedId,
    openedPane: now.openedId === openedId ? now.openedPane : 'overview',
    ...noForm,
  }));

/** Moves the focus into the pane on screen, to its main control: keys work where the focus is. */
export const focusPane = (): void => useSelection.setState({ focusesPane: true });

/** Moves the focus into the trace on screen. */
export const focusTrace = (): void => useSelection.setState({ focusesTrace: true });

/** Shows a pane, with the focus in it. */
export function selectPane(pane: PaneName): void {
  selectTab(pane);
  focusPane();
}

/** Shows a pane whose tab has the focus; it gets its room back from a maximized trace. */
export const selectTab = (pane: PaneName): void =>
  useSelection.setState(({ maximized, openedId }) => ({
    ...(openedId === null ? { pane } : { openedPane: pane }),
    awaitsTools: null,
    focusesTools: false,
    maximized: maximized === 'bottom' ? null : maximized,
    ...noForm,
  }));

/** Shows the tools of a server that is being connected once they are listed, if the user is in its Overview. */
export const awaitTools = (serverId: string): void =>
  useSelection.setState(({ pane }) => ({ awaitsTools: pane === 'overview' ? serverId : null }));

/** Leaves the Overview on screen, because the user has begun to use it. */
export const stopAwaitingTools = (): void => useSelection.setState({ awaitsTools: null });

/** Shows the tools that were awaited, with the focus in their filter. */
export const showAwaitedTools = (): void =>
  useSelection.setState({ pane: 'tools', awaitsTools: null, focusesTools: true });

/** Whether the filter of the tools takes the focus now: once, and only from a button or from nothing. */
export function takesToolFocus(): boolean {
  const { focusesTools } = useSelection.getState();
  if (focusesTools) useSelection.setState({ focusesTools: false });
  return focusesTools && isFocusFree();
}

/** Whether the focus can be moved without a loss: it is on a button or on nothing. */
function isFocusFree(): boolean {
  // A dialog or menu that the user has opened in the meantime would close.
  const isFree = document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') === null;
  return isFree && (document.activeElement?.matches('body, button') ?? true);
}

/** Shows the authorization that a server being connected waits for; its tools are still awaited. */
export const showAwaitedAuthorization = (): void =>
  useSelection.setState({ pane: 'authorization', focusesPane: isFocusFree() });

/** Whether a form replaces the pane. */
const hasForm = ({ editor, exporting, transfer, isInSettings }: Selection): boolean =>
  editor !== null || exporting !== null || transfer !== null || isInSettings;

/** What takes the room of both on screen: the pane, or the form in its place, or the trace. */
export const maximizedOf = (selection: Selection): Selection['maximized'] =>
  hasForm(selection) ? selection.maximizedForm : selection.maximized;

/** Whether the Overview of a server is on screen, not hidden by a form, an opened trace or a maximized one. */
export const isOverviewShown = (selection: Selection): boolean =>
  selection.pane === 'overview' &&
  selection.openedId === null &&
  !hasForm(selection) &&
  selection.maximized !== 'bottom';

/** Whether a pane of a server or an opened trace is selected, and no form replaces it. */
export const isPaneShown = (selection: Selection, id: string, pane: PaneName): boolean =>
  !hasForm(selection) &&
  (selection.openedId === null
    ? selection.serverId === id && selection.pane === pane
    : selection.openedId === id && selection.openedPane === pane);

/** Gives all the room to the pane, or the form in its place, or to the trace; null shares it again. */
export const maximize = (part: Selection['maximized']): void =>
  useSelection.setState((now) => (hasForm(now) ? { maximizedForm: part } : { maximized: part }));

/** Shows a form in place of the pane; it gets its room back from a maximized trace. */
export const openForm = (form: Partial<Selection>): void =>
  useSelection.setState(({ maximizedForm }) => ({
    ...noForm,
    ...form,
    maximizedForm: maximizedForm === 'bottom' ? null : maximizedForm,
  }));

/** Shows a resource in its pane. It is not read by that. */
export const showResource = (serverId: string, uri: string): void =>
  useSelection.setState((now) => ({ resourceUri: { ...now.resourceUri, [serverId]: uri } }));

/** Opens the settings of a server, or of a new one, optionally at one section. */
export const openEditor = (serverId: string | null, part?: OpenEditor['part']): void =>
  openForm({
    editor: { serverId, ...(part !== undefined && { part }) },
    ...(serverId !== null && { serverId }),
    openedId: null,
  });

let lastFile = 0;

/** Opens the form that imports servers, with the text of a file if one was dropped. */
export const openImport = (file?: DroppedText): void =>
  openForm({
    transfer: { kind: 'import', ...(file !== undefined && { file: { ...file, id: ++lastFile } }) },
    openedId: null,
  });

/** Opens the form that exports a server. */
export const openServerExport = (serverId: string): void =>
  openForm({ transfer: { kind: 'export', serverId }, serverId, openedId: null });

/** Opens the settings of the app. */
export const openSettings = (): void => openForm({ isInSettings: true });

export const closeSettings = (): void => useSelection.setState({ isInSettings: false });

export const openShortcuts = (hasShortcuts: boolean): void => useSelection.setState({ hasShortcuts });

export const closeTransfer = (): void => useSelection.setState({ transfer: null });

export const closeEditor = (): void => useSelection.setState({ editor: null });

/** Selects a row of the trace; the table scrolls to it. A trace that had given its room to the pane gets it back. */
export const selectTraceRow = (sessionId: string, row: number | null): void =>
  useSelection.setState((now) => ({
    traceRow: { ...now.traceRow, [sessionId]: row },
    ...(row !== null && roomForTrace(now)),
  }));

/** Shows only the rows of the trace that match a filter. A trace that had given its room to the pane gets it back. */
export const filterTrace = (sessionId: string, filter: string): void =>
  useSelection.setState((now) => ({ filterRequest: { sessionId, filter }, ...roomForTrace(now) }));

const roomForTrace = (now: Selection): Partial<Selection> =>
  maximizedOf(now) !== 'top' ? {} : hasForm(now) ? { maximizedForm: null } : { maximized: null };

/** The newest session of the selected server; null if it was never connected. */
export function useLiveSession(): SessionView | null {
  const serverId = useSelection((selection) => selection.serverId);
  return useSessions(({ sessions }) => latestSession(sessions, serverId));
}

/**
 * The session on screen, live or that of an opened trace, without the figures that change with every message; null if there
 * is none.
 */
export function useShownSession(): SessionStatus | null {
  const serverId = useSelection((selection) => selection.serverId);
  const openedId = useSelection((selection) => selection.openedId);
  const recorded = useRecordedSessions((sessions) => {
    const session = openedId === null ? undefined : sessions[openedId];
    return session === undefined ? null : statusOf(session);
  });
  const live = useSessions(({ sessions }) => {
    const session = latestSession(sessions, serverId);
    return session && statusOf(session);
  });
  return openedId === null ? live : recorded;
}

/** Why nothing can be sent to the session on screen. @param task what to connect for, such as `run this tool` */
export const useNotConnectedReason = (task: string): string =>
  useSelection(({ openedId }) => (openedId === null ? `Not connected. Connect to ${task}.` : RECORDED));

const RECORDED = 'This session was recorded, so nothing can be sent.';

/** The selected server; null if none is selected. */
export function useCurrentServer(): Server | null {
  const serverId = useSelection((selection) => selection.serverId);
  return useServers(({ servers }) => servers.find(({ id }) => id === serverId) ?? null);
}
