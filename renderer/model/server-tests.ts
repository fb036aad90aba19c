import { useEffect } from 'react';
import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import type { ServerTests } from '#shared/contract/server-tests.ts';
import { faultOf, setFault, useFault } from './faults.ts';
import { followList } from './follow.ts';

/** The tests of a server's authorization, by session; null for one that does not authorize. */
const useTestStore = create<Readonly<Record<string, ServerTests | null>>>()(() => ({}));

/** Takes the tests that a command returned; those of a run come with events. */
export const takeServerTests = (tests: ServerTests): void =>
  useTestStore.setState({ [tests.sessionId]: tests });

/** The last run, or what a run would send. @param sessionId null for none */
export function useServerTests(sessionId: string | null): {
  /** Undefined until they are loaded, null for a session that does not authorize. */
  readonly tests: ServerTests | null | undefined;
  readonly fault: Fault | null;
} {
  useEffect(() => {
    if (sessionId === null) return;
    const { loaded, stop } = followList<ServerTests>({
      list: async () => {
        const tests = await call('server-tests/get', { sessionId });
        return tests === null ? [] : [tests];
      },
      listen: (changed) =>
        on('server-tests/changed', (tests) => {
          if (tests.sessionId === sessionId) changed(tests);
        }),
      idOf: () => sessionId,
      put: ([tests]) => {
        useTestStore.setState(({ [sessionId]: known }) => ({ [sessionId]: tests ?? known ?? null }));
      },
    });
    loaded.then(
      () => setFault(faultKey(sessionId), null),
      (error: unknown) => setFault(faultKey(sessionId), faultOf(error)),
    );
    return stop;
  }, [sessionId]);
  const tests = useTestStore((bySession) => (sessionId === null ? null : bySession[sessionId]));
  const fault = useFault(sessionId === null ? null : faultKey(sessionId));
  return { tests, fault };
}

const faultKey = (sessionId: string): string => `server tests of ${sessionId}`;
