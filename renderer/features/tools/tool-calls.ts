import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { call } from '#bridge';
import { addStartedCall, byNewest, useCallsOf, useRecordedCalls } from '#model/calls.ts';
import { faultOf, setFault, useFault } from '#model/faults.ts';
import { type SessionStatus, useSessions, useSessionsOfServer } from '#model/sessions.ts';
import { useTraces } from '#model/traces.ts';
import {
  type Call,
  type MustConfirmCode,
  mustConfirmCodes,
  rowOfRecordedCall,
} from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { RUN_VARIABLE } from '#shared/contract/load.ts';
import type { TraceFileView } from '#shared/contract/traces.ts';
import { withVariables } from '#shared/json/variables.ts';
import { callKey, type ParallelRun, type SentOptions, setParallelRun } from './drafts.ts';

interface ToolCalls {
  /** The calls of one tool, those of the newest session first, each newest first. */
  readonly calls: readonly Call[];
  /** Why the last call could not be made or cancelled. */
  readonly fault: Fault | null;
}

/** The calls of a tool in the sessions of a server, as they change. @param sessionIds the newest first */
export function useToolCalls(sessionIds: readonly string[], tool: string | null): ToolCalls {
  const { calls: all, fault: listFault } = useCallsOf(sessionIds);
  const [newest] = sessionIds;
  useRecordedCalls(sessionIds, tool);
  const fault = useFault(tool === null || newest === undefined ? null : faultKey(newest, tool));
  const calls = useMemo(
    () =>
      sessionIds.flatMap((sessionId) =>
        withoutForgotten(all.filter((one) => one.sessionId === sessionId && one.tool === tool)).sort(
          byNewest,
        ),
      ),
    [all, tool, sessionIds],
  );
  return { calls, fault: fault ?? listFault };
}

/** Leaves out calls that were read from the trace again, because the session holds them no longer. */
function withoutForgotten(calls: readonly Call[]): Call[] {
  const recorded = new Set(calls.map(({ id }) => rowOfRecordedCall(id)).filter((row) => row !== null));
  return calls.filter(
    ({ id, requestRow }) =>
      rowOfRecordedCall(id) !== null || requestRow === null || !recorded.has(requestRow),
  );
}

/**
 * Whose calls the Tools pane lists: the sessions of the server in this run, the current one first, then opened recordings of
 * it. And the newest recording that is not open; null if there is none. A session in an opened trace has its own calls only.
 */
export function useSessionsWithCalls(session: SessionStatus): {
  readonly sessionIds: readonly string[];
  readonly earlier: TraceFileView | null;
} {
  const own = useSessionsOfServer(session);
  const paths = useSessions(
    useShallow(({ sessions }) => Object.values(sessions).map(({ traceFile }) => traceFile.path)),
  );
  const isLive = useSessions(({ sessions }) => session.id in sessions);
  const { serverName, openedAt } = session;
  const transport = session.transport === 'stdio' ? 'stdio' : 'http';
  // An opened trace is another object with every part of it that is read. The calls are read again only for other sessions.
  const recordings = useTraces(({ opened }) => {
    const ofServer = Object.values(opened).filter(
      ({ path, isRead, header: { server } }) =>
        isRead && server.name === serverName && server.transport === transport && !paths.includes(path),
    );
    return ofServer
      .sort((a, b) => Date.parse(b.header.createdAt) - Date.parse(a.header.createdAt))
      .map(({ sessionId }) => sessionId)
      .join(' ');
  });
  const earlier = useTraces(({ files, opened }) => {
    const known = new Set([...paths, ...Object.values(opened).map(({ path }) => path)]);
    return files?.find(
      (file) =>
        file.server === serverName &&
        file.transport === transport &&
        file.fault === null &&
        file.createdAt < openedAt &&
        !known.has(file.path),
    );
  });
  const sessionIds = useMemo(
    () => (isLive && recordings !== '' ? [...own, ...recordings.split(' ')] : own),
    [own, isLive, recordings],
  );
  return { sessionIds, earlier: isLive ? (earlier ?? null) : null };
}

const faultKey = (sessionId: string, tool: string) => JSON.stringify(['call', sessionId, tool]);

interface CallRequest extends SentOptions {
  readonly sessionId: string;
  readonly tool: string;
  readonly arguments: string;
  /** Whether the user has confirmed the call. */
  readonly isConfirmed: boolean;
}

/** The result of starting a call. If the call could not be made, `useToolCalls` returns the fault. */
type Start =
  | { readonly type: 'started'; readonly call: Call }
  | { readonly type: 'must-confirm'; readonly code: MustConfirmCode }
  | { readonly type: 'failed' };

/** Calls a tool. Never rejects. */
export async function startCall(request: CallRequest): Promise<Start> {
  const key = faultKey(request.sessionId, request.tool);
  setFault(key, null);
  try {
    const started = await call('calls/start', request);
    addStartedCall(started);
    return { type: 'started', call: started };
  } catch (error) {
    const fault = faultOf(error);
    const code = mustConfirmCodes.find((one) => one === fault.code);
    if (code !== undefined) return { type: 'must-confirm', code };
    setFault(key, fault);
    return { type: 'failed' };
  }
}

/** The arguments of the call with this number. */
const numbered = (args: string, number: number): string =>
  withVariables(args, new Map([[RUN_VARIABLE, String(number)]]));

/** Whether the arguments differ from call to call. */
export const refersToRun = (args: string): boolean => numbered(args, 1) !== numbered(args, 2);

/**
 * Makes the same call several times, without waiting for one before the next. In the arguments `RUN_VARIABLE` is the number of
 * the call, as in a load. Never rejects.
 */
export async function startParallel(key: string, count: number, request: CallRequest): Promise<Start> {
  let run: ParallelRun = { arguments: request.arguments, count, calls: [] };
  const start = async (_: unknown, index: number) => {
    const outcome = await startCall({ ...request, arguments: numbered(request.arguments, index + 1) });
    if (outcome.type !== 'started') return outcome;
    run = { ...run, calls: [...run.calls, callKey(outcome.call)] };
    setParallelRun(key, run);
    return outcome;
  };
  // If the calls need a confirmation, the engine rejects each of them with the same code.
  const [first] = await Promise.all(Array.from({ length: count }, start));
  return first ?? { type: 'failed' };
}

/** Asks the server to cancel a call. Never rejects. */
export async function cancelCall({ sessionId, id, method, tool }: Call): Promise<void> {
  try {
    await call('calls/cancel', { sessionId, callId: id });
  } catch (error) {
    setFault(faultKey(sessionId, tool ?? method), faultOf(error));
  }
}
