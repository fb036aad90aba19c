import { useEffect, useRef, useState } from 'react';

interface Answer<A> {
  /** Null until it has come. */
  readonly answer: A | null;
  readonly failure: unknown;
  readonly isAwaited: boolean;
}

/**
 * What the engine answers to a question. Asked when the question is another one, which its key tells, and once more with
 * each attempt; what comes to an older question does not count.
 */
export function useAnswer<A>(key: string, ask: () => Promise<A>, attempt = 0): Answer<A> {
  const [come, setCome] = useState<{
    readonly key: string;
    readonly attempt: number;
    readonly answer: A | null;
    readonly failure: unknown;
  } | null>(null);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    let isCurrent = true;
    const keep = (answer: A | null, failure: unknown) => {
      if (isCurrent) setCome({ key, attempt, answer, failure });
    };
    latest.current().then(
      (answer) => keep(answer, null),
      (failure: unknown) => keep(null, failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, attempt]);
  const known = come?.key === key ? come : null;
  return {
    answer: known?.answer ?? null,
    failure: known?.failure ?? null,
    isAwaited: known?.attempt !== attempt,
  };
}
