import { create } from 'zustand';
import { type ExportFormat, exportFormats } from '#shared/contract/exports.ts';
import type { PlaceEntry } from '#shared/contract/place.ts';
import { MAX_SELECTED_ROWS, type RowChoice } from '#shared/contract/trace.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { keepEntry, keptEntry } from './place.ts';
import { openForm, type OpenExport, selectOpened, selectServer, useSelection } from './selection.ts';
import { latestSession, useSessions } from './sessions.ts';
import { tracePathOf, useTraces } from './traces.ts';

/** What the user chose in the open form. The patterns are in the settings. */
export interface ExportChoices {
  readonly of: RowChoice['of'];
  readonly format: ExportFormat;
  /** Whether secrets are replaced. */
  readonly redacts: boolean;
  /** Whether chosen rows come with the standard error during their calls; null to decide by whether one failed. */
  readonly stderr: boolean | null;
  /** The path as typed; null for the suggested one. */
  readonly path: string | null;
}

const firstChoices: ExportChoices = {
  of: 'all',
  format: 'mcptrace',
  redacts: true,
  stderr: null,
  path: null,
};

export const useExportChoices = create<ExportChoices>()(() => firstChoices);

export const chooseExport = (change: Partial<ExportChoices>): void => useExportChoices.setState(change);

/** Opens the export form of a trace. @param filter the filter of a pane whose rows are to be exported */
export function openExport(
  sessionId: string,
  rows: RowChoice = { of: 'all' },
  filter?: OpenExport['filter'],
): void {
  // Opened again with other rows, the form stays as it is otherwise.
  const isOpen = useSelection.getState().exporting?.sessionId === sessionId;
  chooseExport({ ...(!isOpen && firstChoices), of: rows.of });
  const { sessions } = useSessions.getState();
  const session = sessions[sessionId];
  if (useTraces.getState().opened[sessionId] !== undefined) selectOpened(sessionId);
  else if (session !== undefined && latestSession(sessions, session.serverId) === session) {
    selectServer(session.serverId);
  }
  openForm({ exporting: { sessionId, rows, ...(filter && { filter }) } });
}

export const closeExport = (): void => useSelection.setState({ exporting: null });

/** The open form; null if none is open. */
export const useOpenExport = (): OpenExport | null => useSelection(({ exporting }) => exporting);

/** The trace to export. */
export interface ExportSubject {
  /** The name of the server. */
  readonly name: string;
  readonly transport: OpenedTrace['header']['server']['transport'];
  readonly rows: number;
}

/** The trace with this session id; null if it was closed. */
export function useExportSubject(sessionId: string): ExportSubject | null {
  const session = useSessions(({ sessions }) => sessions[sessionId]);
  const opened = useTraces((traces) => traces.opened[sessionId]);
  if (opened) {
    const { name, transport } = opened.header.server;
    return { name, transport, rows: opened.counts.rows };
  }
  if (!session) return null;
  return {
    name: session.serverName,
    transport: session.transport === 'stdio' ? 'stdio' : 'http',
    rows: session.counts.rows,
  };
}

/** An export form that was open. */
export interface KeptExport {
  /** The server of the session; null for a recording. */
  readonly serverId: string | null;
  readonly tracePath: string;
  readonly rows: RowChoice;
  readonly choices: ExportChoices;
}

const ENTRY = 'export';

/**
 * Keeps the open form from now on. Call it once the place is read.
 *
 * @returns the form that was open then, which is forgotten unless it is opened again; null if none was
 */
export function keepExport(): KeptExport | null {
  const kept = keptEntry(ENTRY);
  keepEntry(ENTRY, null);
  const keep = () => keepEntry(ENTRY, exportEntry());
  useSelection.subscribe((now, before) => {
    if (now.exporting !== before.exporting) keep();
  });
  useExportChoices.subscribe(keep);
  return kept === undefined ? null : keptExportFrom(kept);
}

function exportEntry(): PlaceEntry | null {
  const { exporting } = useSelection.getState();
  // The filter of another pane ends with the page.
  if (exporting === null || exporting.filter !== undefined) return null;
  const { sessionId, rows } = exporting;
  const trace = tracePathOf(sessionId);
  if (trace === undefined) return null;
  const { path, stderr, ...chosen } = useExportChoices.getState();
  return {
    serverId: useSessions.getState().sessions[sessionId]?.serverId ?? null,
    chosen: {
      trace,
      ...chosen,
      ...(stderr !== null && { stderr }),
      ...(rows.of === 'rows' && { rows: rows.rows.join(' ') }),
    },
    typed: path === null ? {} : { path },
  };
}

function keptExportFrom({
  serverId,
  chosen: { trace, of, format, redacts, stderr, rows },
  typed,
}: PlaceEntry): KeptExport | null {
  if (typeof trace !== 'string') return null;
  const numbers = typeof rows === 'string' ? rows.split(' ').map(Number) : [];
  const hasRows =
    numbers.length > 0 &&
    numbers.length <= MAX_SELECTED_ROWS &&
    numbers.every((row) => Number.isSafeInteger(row) && row >= 0);
  return {
    serverId,
    tracePath: trace,
    rows: hasRows ? { of: 'rows', rows: numbers } : { of: 'all' },
    choices: {
      of: of === 'filter' || (of === 'rows' && hasRows) ? of : 'all',
      format: exportFormats.find((name) => name === format) ?? firstChoices.format,
      redacts: redacts !== false,
      stderr: typeof stderr === 'boolean' ? stderr : null,
      path: typed.path || null,
    },
  };
}
