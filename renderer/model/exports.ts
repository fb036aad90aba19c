import type { RowChoice } from '#shared/contract/trace.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { type OpenExport, selectOpened, selectServer, useSelection } from './selection.ts';
import { latestSession, useSessions } from './sessions.ts';
import { useTraces } from './traces.ts';

/** Shows a trace with the form for its export in place of the pane. */
export function openExport(sessionId: string, rows: RowChoice = { of: 'all' }): void {
  const { sessions } = useSessions.getState();
  const session = sessions[sessionId];
  if (useTraces.getState().opened[sessionId] !== undefined) selectOpened(sessionId);
  else if (session !== undefined && latestSession(sessions, session.serverId) === session) {
    selectServer(session.serverId);
  }
  useSelection.setState({ exporting: { sessionId, rows }, editor: null });
}

export const closeExport = (): void => useSelection.setState({ exporting: null });

/** The open form; null when there is none. */
export const useOpenExport = (): OpenExport | null => useSelection(({ exporting }) => exporting);

/** The trace that an export is made of. */
export interface ExportSubject {
  /** The server that was talked to. */
  readonly name: string;
  readonly transport: OpenedTrace['header']['server']['transport'];
  readonly rows: number;
}

/** What there is to export under this id; null when it is gone. */
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
