import { useCallback, useEffect, useState } from 'react';
import { call } from '#bridge';
import type { RowChoice, Statistics } from '#shared/contract/trace.ts';

interface Reading {
  /** The last that was read; those of other rows are not shown. */
  readonly statistics: Statistics | null;
  readonly failure: unknown;
  readonly isReading: boolean;
  /** Counts again. */
  readonly read: () => void;
}

/** The statistics of rows, counted when the rows are other ones and when it is asked for. */
export function useStatistics(sessionId: string, rows: RowChoice): Reading {
  const [count, setCount] = useState(0);
  const [read, setRead] = useState<{ key: string; statistics: Statistics | null; failure: unknown } | null>(
    null,
  );
  const [readCount, setReadCount] = useState(-1);
  const key = JSON.stringify([sessionId, rows]);
  useEffect(() => {
    let isCurrent = true;
    const keep = (statistics: Statistics | null, failure: unknown) => {
      if (!isCurrent) return;
      setRead({ key, statistics, failure });
      setReadCount(count);
    };
    call('trace/statistics', { sessionId, rows }).then(
      (statistics) => keep(statistics, null),
      (failure: unknown) => keep(null, failure),
    );
    return () => {
      isCurrent = false;
    };
    // The key stands for the rows, which are a new object each time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, count]);
  const known = read?.key === key ? read : null;
  return {
    statistics: known?.statistics ?? null,
    failure: known?.failure ?? null,
    isReading: known === null || readCount !== count,
    read: useCallback(() => setCount((before) => before + 1), []),
  };
}
