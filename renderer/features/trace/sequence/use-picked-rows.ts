import { useEffect, useState } from 'react';
import { call } from '#bridge';
import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';

interface Picked {
  /** Null until they were read. */
  readonly picked: readonly TraceRow[] | null;
  readonly failure: unknown;
}

/** These rows of a trace, the first page of them in its order. */
export function usePickedRows(sessionId: string, rows: readonly number[]): Picked {
  const [read, setRead] = useState<Picked & { readonly key: string }>({
    key: '',
    picked: null,
    failure: null,
  });
  const wanted = rows.toSorted((a, b) => a - b).slice(0, MAX_ROWS_PER_PAGE);
  const key = JSON.stringify([sessionId, wanted]);
  useEffect(() => {
    let isCurrent = true;
    const keep = (picked: readonly TraceRow[] | null, failure: unknown) => {
      if (isCurrent) setRead({ key, picked, failure });
    };
    call('trace/pick', { sessionId, rows: wanted }).then(
      (picked) => keep(picked, null),
      (failure: unknown) => keep(null, failure),
    );
    return () => {
      isCurrent = false;
    };
    // The key stands for the rows, which are a new array each time.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  return read.key === key ? read : { picked: null, failure: null };
}
