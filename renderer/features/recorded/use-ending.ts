import { useEffect, useState } from 'react';
import { call } from '#bridge';
import type { OpenedTrace } from '#shared/contract/traces.ts';

/** How a recorded session came to its end. */
export interface Ending {
  /** Microseconds from the first record to the last row. */
  readonly lasted: number;
  /** Its last phase and the reason; null when none is on record near the end. */
  readonly last: { readonly row: number; readonly phase: string; readonly reason: string | null } | null;
}

/** Rows looked at from the end. */
const NEAR_THE_END = 200;

/** How the session in a file ended; null until the file was read to its end. */
export function useEnding({ sessionId, isRead, counts, header }: OpenedTrace): Ending | null {
  const [ending, setEnding] = useState<Ending | null>(null);
  const { rows } = counts;
  const beganAt = header.clock.at;
  useEffect(() => {
    if (!isRead || rows === 0) return;
    let isWanted = true;
    readEnding(sessionId, rows, beganAt).then(
      (found) => {
        if (isWanted) setEnding(found);
      },
      // A file that cannot be read any more is told as a fault of the trace.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [sessionId, isRead, rows, beganAt]);
  return ending;
}

async function readEnding(sessionId: string, total: number, beganAt: number): Promise<Ending> {
  const from = Math.max(0, total - NEAR_THE_END);
  const { rows } = await call('trace/rows', { sessionId, filterId: null, from, count: NEAR_THE_END });
  const lasted = (rows.at(-1)?.at ?? beganAt) - beganAt;
  const row = rows.findLast(({ kind }) => kind === 'phase')?.row;
  if (row === undefined) return { lasted, last: null };
  const { phase } = await call('trace/detail', { sessionId, row });
  return { lasted, last: phase && { row, ...phase } };
}
