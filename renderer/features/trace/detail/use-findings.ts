import { useEffect, useState } from 'react';
import { call } from '#bridge';
import type { Finding } from '#shared/contract/checks.ts';
import type { RowDetail } from '#shared/contract/trace.ts';

export interface FindingsOfRow {
  /** Empty until they have come, and when there are none. */
  readonly findings: readonly Finding[];
  /** Why they could not be read. */
  readonly failure: unknown;
}

const none: FindingsOfRow = { findings: [], failure: null };

/** The findings that rest on a row; read again with its detail, because a later message may add one. */
export function useFindings(sessionId: string, detail: RowDetail): FindingsOfRow {
  const [found, setFound] = useState(none);
  useEffect(() => {
    if (detail.row.finding === null) return;
    let isCurrent = true;
    const take = (answer: FindingsOfRow) => {
      if (isCurrent) setFound(answer);
    };
    call('checks/of-row', { sessionId, row: detail.row.row }).then(
      (findings) => take({ findings, failure: null }),
      (failure: unknown) => take({ findings: [], failure }),
    );
    return () => {
      isCurrent = false;
    };
  }, [sessionId, detail]);
  return found;
}
