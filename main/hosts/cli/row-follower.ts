import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { HeadlessSession } from './headless-session.ts';
import { print, printJson } from './print.ts';
import { rowLine } from './row-line.ts';

export interface RowFollower {
  /** Prints the rows that came since the last time, up to one that is still arriving. */
  showNew(): Promise<void>;
  /** Prints all that is left. */
  showRest(): Promise<void>;
}

/** Prints every row of a session once, in their order. */
export async function rowFollower(session: HeadlessSession, json: boolean): Promise<RowFollower> {
  const { clock } = await session.request('trace/summary', {});
  let next = 0;

  async function show(isWanted: (row: TraceRow) => boolean): Promise<void> {
    for (;;) {
      const page = await session.request('trace/rows', {
        filterId: null,
        from: next,
        count: MAX_ROWS_PER_PAGE,
      });
      const stop = page.rows.findIndex((row) => !isWanted(row));
      const rows = stop === -1 ? page.rows : page.rows.slice(0, stop);
      next += rows.length;
      if (json) for (const row of rows) await printJson(JSON.stringify(row));
      else if (rows.length > 0) await print(rows.map((row) => rowLine(row, clock)).join('\n'));
      if (stop !== -1 || next >= page.total) return;
    }
  }

  return {
    showNew: () => show((row) => row.status !== 'receiving'),
    showRest: () => show(() => true),
  };
}
