import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Call } from '#shared/contract/calls.ts';
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

/** Whether a call still waits for its response. */
export const isRunning = ({ state }: Call): boolean => state === 'running';
