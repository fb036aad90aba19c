import { useEffect } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Server } from '#shared/contract/servers.ts';
import type { OpenedTrace, TraceFileView } from '#shared/contract/traces.ts';
import { formatCount, formatQuantity } from '#shared/format.ts';
import type { Excerpt, Rebuilt } from '#shared/trace/record.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { faultOf } from './faults.ts';
import { followList } from './follow.ts';
import { selectOpened, selectServer, selectTraceRow, useSelection } from './selection.ts';
import { serverNamed, useServers } from './servers.ts';
import { latestSession, type SessionStatus, statusOf, useRecordedSessions, useSessions } from './sessions.ts';
import { useQuery } from './use-query.ts';

interface TraceFiles {
  /** Where the app keeps traces; empty until the list is loaded. */
  readonly folder: string;
  /** Newest first; null until the list is loaded. */
  readonly files: readonly TraceFileView[] | null;
  /** Why the files cannot be listed. */
  readonly fault: Fault | null;
  /** Traces opened from files, by session id. */
  readonly opened: Readonly<Record<string, OpenedTrace>>;
}

/** The recorded trace files, and the traces that are open. */
export const useTraces = create<TraceFiles>()(() => ({
  folder: '',
  files: null,
  fault: null,
  opened: {},
}));

/**
 * The file of a session's trace, or of an opened one; undefined for a session that the app has forgotten. What is kept of a
 * trace is kept by it, because a session has a new id after a restart, or none.
 */
export const tracePathOf = (sessionId: string): string | undefined =>
  useSessions.getState().sessions[sessionId]?.traceFile.path ?? useTraces.getState().opened[sessionId]?.path;

/** The session id of the trace opened from a file; undefined if it is not open. */
export const openedFrom = (path: string): string | undefined =>
  Object.values(useTraces.getState().opened).find((trace) => trace.path === path)?.sessionId;

/** The session id of the trace opened from a file, or else of the session of this run that is recorded to it. */
export const sessionOfPath = (path: string): string | undefined =>
  openedFrom(path) ??
  Object.values(useSessions.getState().sessions).find(({ traceFile }) => traceFile.path === path)?.id;

const putOpened = (opened: readonly OpenedTrace[]) =>
  useTraces.setState((now) => ({
    opened: { ...now.opened, ...Object.fromEntries(opened.map((trace) => [trace.sessionId, trace])) },
  }));

/** Reads the list of trace files again. Never rejects: a failure is kept as the list's fault. */
async function refreshTraceFiles(): Promise<void> {
  try {
    useTraces.setState({ ...(await call('traces/list', {})), fault: null });
  } catch (error) {
    useTraces.setState({ fault: faultOf(error) });
  }
}

/** Follows the opened traces and the list of files. Rejects when the engine cannot be reached. */
export async function followTraces(): Promise<void> {
  on('traces/show', ({ sessionId }) => selectOpened(sessionId));
  on('traces/changed', () => void refreshTraceFiles());
  const { loaded } = followList<OpenedTrace>({
    list: () => call('traces/opened', {}),
    listen(changed, removed) {
      const stops = [
        on('traces/opened-changed', changed),
        on('traces/closed', ({ sessionId }) => removed(sessionId)),
      ];
      return () => stops.forEach((stop) => stop());
    },
    idOf: ({ sessionId }) => sessionId,
    put: putOpened,
    remove: forgetOpened,
  });
  await Promise.all([loaded, refreshTraceFiles()]);
}

/** Opens a trace file and shows it. Rejects when it cannot be opened. */
export async function openTrace(path: string, show = selectOpened): Promise<string> {
  const opened = await call('traces/open', { path });
  // An event that came before this answer may be newer.
  if (!(opened.sessionId in useTraces.getState().opened)) putOpened([opened]);
  show(opened.sessionId);
  return opened.sessionId;
}

/** Shows a row of a session in the trace. Opens the trace file of a session that is not on screen; rejects if that fails. */
export async function showRowOfSession(sessionId: string, row: number): Promise<void> {
  const { openedId, serverId } = useSelection.getState();
  const { sessions } = useSessions.getState();
  if (sessionId === (openedId ?? latestSession(sessions, serverId)?.id))
    return selectTraceRow(sessionId, row);
  const path = tracePathOf(sessionId);
  if (path === undefined) throw new FaultError(forgotten(row));
  selectTraceRow(await openTrace(path), row);
}

const forgotten = (row: number): Fault => ({
  code: 'session-forgotten',
  what: `Row ${rowNumber(row)} is in the trace of an earlier session, which the app no longer has in memory.`,
  next: 'Open its file in the list of recorded traces.',
});

/** Opens a trace file without showing it, and waits until all of it is read. Rejects when it cannot be opened. */
export async function openInBackground(path: string): Promise<string> {
  const opened = await call('traces/open', { path });
  if (!(opened.sessionId in useTraces.getState().opened)) putOpened([opened]);
  const isRead = () => useTraces.getState().opened[opened.sessionId]?.isRead ?? true;
  await new Promise<void>((resolve) => {
    if (isRead()) return resolve();
    const stop = useTraces.subscribe(() => {
      if (!isRead()) return;
      stop();
      resolve();
    });
  });
  return opened.sessionId;
}

/** Closes an opened trace; the file stays. */
export async function closeTrace(sessionId: string): Promise<void> {
  await call('traces/close', { sessionId });
  forgetOpened(sessionId);
}

/** Renames a file of the data folder. Rejects when it cannot be renamed. */
export async function renameTrace(path: string, name: string): Promise<TraceFileView> {
  const renamed = await call('traces/rename', { path, name });
  // The event may take a moment.
  useTraces.setState(({ files }) => ({
    files: files?.map((file) => (file.path === path ? renamed : file)) ?? null,
  }));
  return renamed;
}

/** Deletes a file of the data folder permanently. Rejects when it cannot be deleted. */
export async function deleteTrace(path: string): Promise<void> {
  await call('traces/delete', { path });
  useTraces.setState(({ files }) => ({ files: files?.filter((file) => file.path !== path) ?? null }));
}

/** Drops an opened trace. If it was on screen, the server shown before comes back. */
function forgetOpened(sessionId: string): void {
  useTraces.setState(({ opened: { [sessionId]: _, ...others } }) => ({ opened: others }));
  const { openedId, serverId } = useSelection.getState();
  if (openedId === sessionId) selectServer(serverId);
}

/** The session in an opened trace, read again when the trace has grown; null until the whole file was read. */
export function useRecordedSession({ sessionId, isRead, read }: OpenedTrace): {
  readonly session: SessionStatus | null;
  readonly fault: Fault | null;
} {
  const key = isRead ? JSON.stringify([sessionId, read]) : null;
  const { latest, fault } = useQuery(key, () => call('traces/session', { sessionId }));
  useEffect(() => {
    if (latest !== null) useRecordedSessions.setState({ [latest.id]: latest });
  }, [latest]);
  const session = useRecordedSessions((sessions) => sessions[sessionId]);
  return { session: session === undefined ? null : statusOf(session), fault };
}

/** Which part of a recording a file has, such as `Excerpt: 2 of 19 rows, filter is:error`. The filter is untrusted text. */
export const excerptInWords = ({ rows, of, filter }: Excerpt): string =>
  `Excerpt: ${formatCount(rows)} of ${formatQuantity(of, 'row')}${filter === undefined ? '' : `, filter ${filter}`}`;

/** What a trace was made of, and what it lacks. Text of the file, which is untrusted. */
export const rebuiltInWords = ({ from, lacks }: Rebuilt): string =>
  `Rebuilt from ${from}; it lacks ${lacks.join('; ')}`;

/** The opened trace on screen; null when a server is. */
export function useCurrentTrace(): OpenedTrace | null {
  const openedId = useSelection((selection) => selection.openedId);
  return useTraces(({ opened }) => (openedId === null ? null : (opened[openedId] ?? null)));
}

/** The configured server that the opened trace on screen was recorded of, by its name; null if there is none. */
export function useServerOfRecording(): Server | null {
  const name = useCurrentTrace()?.header.server.name;
  return useServers(({ servers }) => serverNamed(name, servers));
}

/** When a session of this run was opened, or a recording began, in milliseconds since the Unix epoch. */
interface Begin {
  readonly at: number;
  readonly isRecording: boolean;
}

/** When a session or an opened recording began; null if the app does not have it. */
export const beginOf = (sessionId: string): Begin | null =>
  begin(
    useSessions.getState().sessions[sessionId]?.openedAt,
    useTraces.getState().opened[sessionId]?.header.createdAt,
  );

/** As `beginOf`, and follows it. */
export function useBeginOf(sessionId: string): Begin | null {
  const openedAt = useSessions(({ sessions }) => sessions[sessionId]?.openedAt);
  const createdAt = useTraces(({ opened }) => opened[sessionId]?.header.createdAt);
  return begin(openedAt, createdAt);
}

function begin(openedAt: number | undefined, createdAt: string | undefined): Begin | null {
  if (openedAt !== undefined) return { at: openedAt, isRecording: false };
  return createdAt === undefined ? null : { at: Date.parse(createdAt), isRecording: true };
}
