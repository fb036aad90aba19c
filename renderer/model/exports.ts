import type { RowChoice } from '#shared/contract/trace.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { openForm, type OpenExport, selectOpened, selectServer, useSelection } from './selection.ts';
import { latestSession, useSessions } from './sessions.ts';
import { useTraces } from './traces.ts';

/** Opens the export form of a trace. @param filter the filter of a pane whose rows are to be exported */
export function openExport(
  sessionId: string,
  rows: RowChoice = { of: 'all' },
  filter?: OpenExport['filter'],
): void {
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
