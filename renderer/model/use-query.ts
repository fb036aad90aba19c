import { useEffect, useRef, useState } from 'react';
import type { Fault } from '#shared/contract/fault.ts';
import { faultOf } from './faults.ts';

interface Query<R> {
  /** Null until the engine has answered. */
  readonly result: R | null;
  /** The last answer, which stays while the next one is loading. */
  readonly latest: R | null;
  readonly fault: Fault | null;
  readonly isLoading: boolean;
}

/**
 * Asks the engine and holds its answer. Asks again when the key changes; a late answer to an older key is dropped.
 * With a null key it asks nothing.
 */
export function useQuery<R>(key: string | null, ask: () => Promise<R>): Query<R> {
  const [settled, setSettled] = useState<{
    readonly key: string;
    readonly result: R | null;
    readonly fault: Fault | null;
  } | null>(null);
  const latestAsk = useRef(ask);
  useEffect(() => {
    latestAsk.current = ask;
  });
  useEffect(() => {
    if (key === null) return;
    let isCurrent = true;
    latestAsk.current().then(
      (result) => isCurrent && setSettled({ key, result, fault: null }),
      (error: unknown) => isCurrent && setSettled({ key, result: null, fault: faultOf(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  const current = settled !== null && settled.key === key ? settled : null;
  return {
    result: current?.result ?? null,
    latest: settled?.result ?? null,
    fault: current?.fault ?? null,
    isLoading: key !== null && current === null,
  };
}

interface Action {
  readonly isRunning: boolean;
  /** Why the last run failed; null while it runs again. */
  readonly fault: Fault | null;
  readonly clearFault: () => void;
}

/** Something the user starts, such as saving a form: whether it runs, and why it failed. Never rejects. */
export function useAction<A extends readonly unknown[]>(
  perform: (...args: A) => Promise<void>,
): Action & { readonly run: (...args: A) => Promise<void> } {
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);
  const run = async (...args: A) => {
    setRunning(true);
    setFault(null);
    try {
      await perform(...args);
    } catch (error) {
      setFault(faultOf(error));
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, fault, clearFault: () => setFault(null), run };
}
