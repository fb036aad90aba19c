import type { TraceFileView } from '#shared/contract/traces.ts';
import { useSessions } from './sessions.ts';
import { beginOf, tracePathOf, useTraces } from './traces.ts';

/** The trace file of the session before this one, of the same server; null if there is none. */
export const useSessionBefore = (sessionId: string | null): string | null =>
  useTraces(({ files }) => (sessionId === null ? null : sessionBefore(sessionId, files ?? [])));

/** The same, among these files. The session is one of this run or an opened trace. */
function sessionBefore(sessionId: string, files: readonly TraceFileView[]): string | null {
  const begin = beginOf(sessionId);
  if (begin === undefined) return null;
  const { sessions } = useSessions.getState();
  const session = sessions[sessionId];
  const server = session?.serverName ?? useTraces.getState().opened[sessionId]?.header.server.name;
  // A server that was renamed since is the same.
  const ofServer = new Set(
    Object.values(sessions)
      .filter(({ serverId }) => serverId === session?.serverId)
      .map(({ traceFile }) => traceFile.path),
  );
  const own = tracePathOf(sessionId);
  const [before] = files
    .filter((file) => file.fault === null && file.path !== own && file.createdAt < begin)
    .filter((file) => file.server === server || ofServer.has(file.path))
    .toSorted((a, b) => b.createdAt - a.createdAt);
  return before?.path ?? null;
}
