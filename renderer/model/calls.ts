import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Call } from '#shared/contract/calls.ts';
import type { Params } from '#shared/contract/index.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';

/** Calls by session, then by id. */
const useCallStore = create<Readonly<Record<string, Readonly<Record<string, Call>>>>>()(() => ({}));

/** The calls of a session as they change, and why they cannot be read; empty without a session. */
export function useCalls(sessionId: string | null): {
  readonly calls: readonly Call[];
  readonly fault: Fault | null;
} {
  useEffect(() => {
    if (sessionId === null) return;
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
  }, [sessionId]);
  const byId = useCallStore((known) => (sessionId === null ? undefined : known[sessionId]));
  const calls = useMemo(() => Object.values(byId ?? {}), [byId]);
  return { calls, fault: useFault(sessionId === null ? null : faultKey(sessionId)) };
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

/** A request whose call has ended. */
export interface EndedRequest {
  /** Null if it could not be sent. */
  readonly call: Call | null;
  /** The `result` as JSON text; null if there is none. */
  readonly text: string | null;
  /** The text is only the beginning of a long result. */
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
  // The event of its end may arrive before the response of the command.
  const endedEarly = new Map<string, Call>();
  let settle: ((ended: Call) => void) | null = null;
  let id: string | null = null;
  const stop = on('calls/changed', (one) => {
    if (one.sessionId !== request.sessionId || isRunning(one)) return;
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
        (isRunning(started)
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

/** Asks the server to cancel a call. Never rejects. */
export async function cancelCall({ sessionId, id }: Call): Promise<void> {
  await call('calls/cancel', { sessionId, callId: id }).catch((error: unknown) =>
    setFault(faultKey(sessionId), faultOf(error)),
  );
}

/** Whether a call still waits for its response. */
export const isRunning = ({ state }: Call): boolean => state === 'running';
