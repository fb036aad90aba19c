import type { PlaceEntry } from '#shared/contract/place.ts';
import { chooseExport, type KeptExport, openExport } from './exports.ts';
import { type PaneName, paneNames } from './pane-names.ts';
import { choice, entryOf, keepEntry, keepInPlace, keptEntry } from './place.ts';
import { selectOpened, useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';
import { openTrace, sessionOfPath, tracePathOf, useTraces } from './traces.ts';

/** What was on screen. */
interface KeptView {
  readonly serverId: string | null;
  /** The opened trace file that replaced the server. */
  readonly openedPath: string | null;
}

/**
 * Restores the panes, the selected rows and resources, and keeps them from now on, with the server or trace on screen. Call it
 * once the place, the servers, the sessions and the traces are read.
 *
 * @returns what was on screen, which the caller shows again; null if nothing was kept
 */
export function keepSelection(): KeptView | null {
  const entry = keptEntry('view');
  if (entry !== undefined) {
    const { pane, openedPane, maximized, maximizedForm } = entry.chosen;
    useSelection.setState({
      pane: paneOf(pane),
      openedPane: paneOf(openedPane),
      maximized: maximizedPart(maximized),
      maximizedForm: maximizedPart(maximizedForm),
    });
  }
  keepInPlace(useSelection, {
    prefix: 'resource ',
    get: ({ resourceUri }) => resourceUri,
    set: (resourceUri) => ({ resourceUri }),
    // A URI may hold a token.
    toEntry: (uri: string, serverId) => entryOf(serverId, { chosen: {}, typed: { uri } }),
    fromEntry: ({ typed: { uri } }) => uri || undefined,
  });
  keepRows();
  useSelection.subscribe((now, last) => {
    const { serverId, openedId, pane, openedPane, maximized, maximizedForm } = now;
    const isSame =
      serverId === last.serverId &&
      openedId === last.openedId &&
      pane === last.pane &&
      openedPane === last.openedPane &&
      maximized === last.maximized &&
      maximizedForm === last.maximizedForm;
    if (isSame) return;
    const openedPath = openedId === null ? null : (useTraces.getState().opened[openedId]?.path ?? null);
    keepEntry('view', choice({ serverId, openedPath, pane, openedPane, maximized, maximizedForm }));
  });
  return entry === undefined ? null : viewOf(entry);
}

const paneOf = (kept: unknown): PaneName => paneNames.find((name) => name === kept) ?? 'overview';

const maximizedPart = (kept: unknown): 'top' | 'bottom' | null =>
  kept === 'top' || kept === 'bottom' ? kept : null;

function viewOf({ chosen: { serverId, openedPath } }: PlaceEntry): KeptView {
  return {
    serverId: typeof serverId === 'string' ? serverId : null,
    openedPath: typeof openedPath === 'string' ? openedPath : null,
  };
}

/**
 * Shows the trace and the export form that were on screen, unless the user has gone elsewhere by then. Ignores files that no
 * longer exist.
 */
export async function reopen(tracePath: string | null, form: KeptExport | null): Promise<void> {
  let last = useSelection.getState();
  const show = async (path: string, run: (sessionId: string) => void) => {
    const sessionId = sessionOfPath(path) ?? (await openedNow(path));
    if (sessionId === null) return;
    const now = useSelection.getState();
    if (shownParts.some((part) => now[part] !== last[part])) return;
    run(sessionId);
    last = useSelection.getState();
  };
  const { openedPane } = last;
  if (tracePath !== null) {
    await show(tracePath, (sessionId) => {
      selectOpened(sessionId);
      useSelection.setState({ openedPane });
    });
  }
  if (form !== null && wasOnScreen(form, tracePath)) {
    await show(form.tracePath, (sessionId) => {
      openExport(sessionId, form.rows);
      chooseExport(form.choices);
    });
  }
}

/** The session id of a trace file that it opens; null if it cannot be opened, for example because it was deleted. */
const openedNow = (path: string): Promise<string | null> =>
  openTrace(path, () => undefined).catch(() => null);

/** Whether the form is of the trace that was on screen, or of a session of this run. */
function wasOnScreen(form: KeptExport, openedPath: string | null): boolean {
  if (form.tracePath === openedPath) return true;
  const isOfServer = form.serverId !== null && form.serverId === useSelection.getState().serverId;
  return (
    (openedPath === null && isOfServer) ||
    Object.values(useSessions.getState().sessions).some(({ traceFile }) => traceFile.path === form.tracePath)
  );
}

/** Parts of the selection that reopening changes. */
const shownParts = [
  'serverId',
  'openedId',
  'pane',
  'editor',
  'exporting',
  'transfer',
  'isInSettings',
] as const;

/** Keeps the selected row of each trace by the path of its file. */
function keepRows(): void {
  const rowName = (path: string) => `row ${path}`;
  const restore = () => {
    const { traceRow } = useSelection.getState();
    const restored: Record<string, number> = {};
    const ids = [
      ...Object.keys(useSessions.getState().sessions),
      ...Object.keys(useTraces.getState().opened),
    ];
    for (const sessionId of ids) {
      const path = sessionId in traceRow ? undefined : tracePathOf(sessionId);
      const row = path === undefined ? undefined : keptEntry(rowName(path))?.chosen.row;
      if (typeof row === 'number') restored[sessionId] = row;
    }
    if (Object.keys(restored).length === 0) return;
    useSelection.setState({ traceRow: { ...traceRow, ...restored } });
  };
  restore();
  useTraces.subscribe((now, before) => {
    if (now.opened !== before.opened) restore();
  });
  useSelection.subscribe(({ traceRow }, { traceRow: last }) => {
    if (traceRow === last) return;
    for (const [sessionId, row] of Object.entries(traceRow)) {
      const path = row === last[sessionId] ? undefined : tracePathOf(sessionId);
      if (path !== undefined) keepEntry(rowName(path), row === null ? null : choice({ row }));
    }
  });
}

/** Keeps the sizes of panels by the names that the splits give them. */
export const keptSizes = {
  getItem(name: string): string | null {
    const sizes = keptEntry(`sizes ${name}`)?.chosen.sizes;
    return typeof sizes === 'string' ? sizes : null;
  },
  setItem: (name: string, sizes: string): void => keepEntry(`sizes ${name}`, choice({ sizes })),
};
