import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import { call, on } from '#bridge';
import { type Call, isUnderWay, type TimeLeft } from '#shared/contract/calls.ts';
import type { Params } from '#shared/contract/index.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { formatUptime } from '#shared/format.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { PROMPTS_GET } from '#shared/protocol/methods.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';

/** Calls by session, then by id. */
const useCallStore = create<Readonly<Record<string, Readonly<Record<string, Call>>>>>()(() => ({}));

interface Calls {
  readonly calls: readonly Call[];
  /** Why they cannot be read. */
  readonly fault: Fault | null;
}

/** The calls of a session as they change; empty without a session. */
export const useCalls = (sessionId: string | null): Calls =>
  useCallsOf(useMemo(() => (sessionId === null ? none : [sessionId]), [sessionId]));

const none: readonly string[] = [];

/** The calls of several sessions as they change, in the order of the sessions. The list must stay the same object. */
export function useCallsOf(sessionIds: readonly string[]): Calls {
  useEffect(() => {
    const stops = sessionIds.map(followCalls);
    return () => stops.forEach((stop) => stop());
  }, [sessionIds]);
  const known = useCallStore(useShallow((store) => sessionIds.map((id) => store[id])));
  const calls = useMemo(() => known.flatMap((byId) => Object.values(byId ?? {})), [known]);
  const [newest] = sessionIds;
  return { calls, fault: useFault(newest === undefined ? null : faultKey(newest)) };
}

/** The calls of a session that are known at the moment. */
export const knownCalls = (sessionId: string): readonly Call[] =>
  Object.values(useCallStore.getState()[sessionId] ?? {});

/** Follows the calls of a session until the returned function is called. */
function followCalls(sessionId: string): () => void {
  const { loaded, stop } = followList<Call>({
    list: () => call('calls/list', { sessionId }),
    listen: (changed) =>
      on('calls/changed', (one) => {
        if (one.sessionId === sessionId) changed(one);
      }),
    idOf: ({ id }) => id,
    put: (calls) => putCalls(sessionId, calls),
  });
  loaded.then(
    () => setFault(faultKey(sessionId), null),
    (error: unknown) => setFault(faultKey(sessionId), faultOf(error)),
  );
  return stop;
}

const faultKey = (sessionId: string): string => `calls of ${sessionId}`;

const putCalls = (sessionId: string, calls: readonly Call[]) =>
  useCallStore.setState(({ [sessionId]: known }) => ({
    [sessionId]: { ...known, ...Object.fromEntries(calls.map((one) => [one.id, one])) },
  }));

/** Adds a call that was just started, unless a newer state of it was already reported. */
export function addStartedCall(started: Call): void {
  if (useCallStore.getState()[started.sessionId]?.[started.id] === undefined)
    putCalls(started.sessionId, [started]);
}

/** Adds calls that were read from the trace, unless what is known of them is newer. */
export function addRecordedCalls(sessionId: string, calls: readonly Call[]): void {
  const known = useCallStore.getState()[sessionId] ?? {};
  const isNews = (one: Call): boolean => {
    const before = known[one.id];
    return before === undefined || (isUnderWay(before) && !isUnderWay(one));
  };
  putCalls(sessionId, calls.filter(isNews));
}

/** Calls that are read from the trace at a time. */
const PAGE = 50;

/** Which calls of a tool were read: all from the oldest to the newest row. */
interface HistoryState {
  readonly oldest: number | null;
  readonly newest: number | null;
  /** Whether there is none before the oldest. */
  readonly isWhole: boolean;
}

const useHistories = create<Readonly<Record<string, HistoryState>>>()(() => ({}));

const historyKey = (sessionId: string, tool: string): string => JSON.stringify([sessionId, tool]);

/** Reads a page of the calls of a tool from the trace into the calls of its session. Never rejects. */
async function readHistory(sessionId: string, tool: string, before: number | null): Promise<void> {
  const key = historyKey(sessionId, tool);
  try {
    const calls = await call('calls/history', { sessionId, tool, before, count: PAGE });
    addRecordedCalls(sessionId, calls);
    const known = useHistories.getState()[key];
    const isWhole = calls.length < PAGE;
    const oldest = calls.at(-1)?.requestRow ?? before;
    const newest = before === null ? (calls[0]?.requestRow ?? null) : (known?.newest ?? null);
    // The newest calls are read each time the tool is shown. Mostly they go on where those read before end.
    const goesOn = before === null && !isWhole && oldest !== null && oldest <= (known?.newest ?? -1);
    const now = goesOn && known !== undefined ? { ...known, newest } : { oldest, newest, isWhole };
    useHistories.setState({ [key]: now });
  } catch (error) {
    setFault(faultKey(sessionId), faultOf(error));
  }
}

/** Reads the newest calls of a tool from the traces of these sessions, into the calls of each. */
export function useRecordedCalls(sessionIds: readonly string[], tool: string | null): void {
  useEffect(() => {
    if (tool !== null) for (const sessionId of sessionIds) void readHistory(sessionId, tool, null);
  }, [sessionIds, tool]);
}

/** How to read a page of older calls from the trace; null if there are none, or the newest were not read yet. */
export function useOlderCalls(sessionId: string, tool: string | null): (() => Promise<void>) | null {
  const known = useHistories((all) => (tool === null ? undefined : all[historyKey(sessionId, tool)]));
  if (tool === null || known === undefined || known.isWhole) return null;
  return () => readHistory(sessionId, tool, known.oldest);
}

/** A request whose call has ended. */
export interface EndedRequest {
  /** Null if the request could not be sent. */
  readonly call: Call | null;
  /** The `result` as JSON text; null if there is none. */
  readonly text: string | null;
  /** Whether the text is only the beginning of a long result. */
  readonly isCut: boolean;
  /** Why there is no result; a JSON-RPC error is in the call. */
  readonly fault: Fault | null;
}

/**
 * Sends a request of any method. Neither promise rejects: `started` is null, and `ended` has the fault, if it could
 * not be sent.
 */
export function sendRequest(request: Params<'calls/request'>): {
  readonly started: Promise<Call | null>;
  readonly ended: Promise<EndedRequest>;
} {
  // The event that the call has ended may arrive before the response of the command.
  const endedEarly = new Map<string, Call>();
  let settle: ((ended: Call) => void) | null = null;
  let id: string | null = null;
  const stop = on('calls/changed', (one) => {
    if (one.sessionId !== request.sessionId || isUnderWay(one)) return;
    if (id === null) endedEarly.set(one.id, one);
    else if (one.id === id) settle?.(one);
  });
  const start = async (): Promise<{ call: Call | null; fault: Fault | null }> => {
    try {
      const started = await call('calls/request', request);
      addStartedCall(started);
      id = started.id;
      return { call: started, fault: null };
    } catch (error) {
      return { call: null, fault: faultOf(error) };
    }
  };
  const starting = start();
  const end = async (): Promise<EndedRequest> => {
    try {
      const { call: started, fault } = await starting;
      if (started === null) return { call: null, text: null, isCut: false, fault };
      const early = endedEarly.get(started.id);
      const ended =
        early ??
        (isUnderWay(started)
          ? await new Promise<Call>((resolve) => {
              settle = resolve;
            })
          : started);
      return { call: ended, fault: ended.fault, ...(await resultOf(ended)) };
    } catch (error) {
      return { call: null, text: null, isCut: false, fault: faultOf(error) };
    } finally {
      stop();
    }
  };
  return { started: starting.then((one) => one.call), ended: end() };
}

/** The `result` of a call that has ended. Rejects if it cannot be read. */
export async function resultOf({ sessionId, id, state, result }: Call): Promise<{
  readonly text: string | null;
  readonly isCut: boolean;
}> {
  if (state !== 'ok' && state !== 'tool-error') return { text: null, isCut: false };
  if (result !== null) return { text: result, isCut: false };
  const { text, truncated } = await call('calls/result', { sessionId, callId: id });
  return { text, isCut: truncated };
}

/** Milliseconds before the engine is asked for the first time: most requests have their response by then. */
const FIRST_TICK = 250;
const TICK = 1000;

/**
 * How long the request in a row may still take, updated each second; null unless it waits for its response.
 *
 * @param row null for none
 */
export function useTimeLeft(sessionId: string, row: number | null): TimeLeft | null {
  const [answer, setAnswer] = useState<{ readonly row: number; readonly left: TimeLeft | null } | null>(null);
  useEffect(() => {
    if (row === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isCurrent = true;
    const askLater = (delay: number) => {
      timer = setTimeout(() => void ask(), delay);
    };
    const ask = async () => {
      // An opened trace, or a session that was forgotten, waits for nothing.
      const left = await call('calls/time-left', { sessionId, row }).catch(() => null);
      if (!isCurrent) return;
      setAnswer({ row, left });
      if (left !== null) askLater(TICK);
    };
    askLater(FIRST_TICK);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sessionId, row]);
  return answer !== null && answer.row === row ? answer.left : null;
}

/** Such as `times out in 0:17, with progress in 4:30 at most`. */
export function timeLeftLabel({ left, atMost, isPaused }: TimeLeft): string {
  if (left === null) return 'has no timeout';
  const own = formatUptime(Math.ceil(left / 1000) * 1000);
  if (isPaused) return `timeout paused with ${own} left`;
  // Rounding must not make them differ.
  const isFixed = atMost !== null && atMost - left < 1000;
  if (isFixed) return `times out in ${own}`;
  return `times out in ${own}, with progress ${atMost === null ? 'never' : `in ${formatUptime(atMost)} at most`}`;
}

/** The prompt that a call gets; null if it is not a `prompts/get`. */
export function promptOf({ method, arguments: params }: Call): string | null {
  if (method !== PROMPTS_GET) return null;
  const parsed: unknown = JSON.parse(params);
  return isObject(parsed) && typeof parsed.name === 'string' ? parsed.name : null;
}

/** Asks the server to cancel a call. Never rejects. */
export async function cancelCall({ sessionId, id }: Call): Promise<void> {
  await call('calls/cancel', { sessionId, callId: id }).catch((error: unknown) =>
    setFault(faultKey(sessionId), faultOf(error)),
  );
}

/** Sorts calls of one session, the newest first; those that were not sent have no row. */
export const byNewest = (a: Call, b: Call): number =>
  a.requestRow !== null && b.requestRow !== null ? b.requestRow - a.requestRow : b.startedAt - a.startedAt;
