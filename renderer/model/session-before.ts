import type { TraceFileView } from '#shared/contract/traces.ts';
import { useSessions } from './sessions.ts';
import { beginOf, tracePathOf, useTraces } from './traces.ts';

/** The trace file of the session before this one, of the same server; null if there is none. */
export const useSessionBefore = (sessionId: string | null): string | null =>
  useTraces(({ files }) => (sessionId === null ? null : sessionBefore(sessionId, files ?? [])));

/** Finds that file among these. The session is one of this run or an opened trace. */
function sessionBefore(sessionId: string, files: readonly TraceFileView[]): string | null {
  const own = tracePathOf(sessionId);
  // The file and its copies begin a moment before the session is listed.
  const begin = files.find(({ path }) => path === own)?.createdAt ?? beginOf(sessionId)?.at;
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
  const [before] = files
    .filter((file) => file.fault === null && file.path !== own && file.createdAt < begin)
    .filter((file) => file.server === server || ofServer.has(file.path))
    // An excerpt may lack the calls and lists to compare with.
    .toSorted((a, b) => Number(a.isExcerpt) - Number(b.isExcerpt) || b.createdAt - a.createdAt);
  return before?.path ?? null;
}
