import { MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { HeadlessSession } from './headless-session.ts';
import { print, printJson } from './print.ts';
import { exchangeEndLine, rowLine } from './row-line.ts';

export interface RowFollower {
  /** Prints the rows that came since the last time, up to one that is still arriving. */
  showNew(): Promise<void>;
  /** Prints all that is left. */
  showRest(): Promise<void>;
}

/**
 * Prints every row of a session in their order, and an HTTP exchange once more when it has ended: a stream may be open
 * for as long as the session, and what it carries is not to wait for that.
 */
export async function rowFollower(session: HeadlessSession, json: boolean): Promise<RowFollower> {
  const { clock } = await session.request('trace/summary', {});
  const open = new Set<number>();
  let next = 0;

  const page = (from: number, count: number) =>
    session.request('trace/rows', { filterId: null, from, count });

  async function show(isWanted: (row: TraceRow) => boolean): Promise<void> {
    for (;;) {
      const { rows: all, total } = await page(next, MAX_ROWS_PER_PAGE);
      const stop = all.findIndex((row) => !isWanted(row));
      const rows = stop === -1 ? all : all.slice(0, stop);
      next += rows.length;
      for (const { kind, row } of rows) if (kind === 'http') open.add(row);
      const lines = rows.map(beginOf);
      for (const end of await takeEnded()) {
        const later = lines.findIndex(({ at }) => at > end.at);
        lines.splice(later === -1 ? lines.length : later, 0, end);
      }
      if (json) for (const { row } of lines) await printJson(JSON.stringify(row));
      else if (lines.length > 0) await print(lines.map(({ text }) => text).join('\n'));
      if (stop !== -1 || next >= total) return;
    }
  }

  const beginOf = (row: TraceRow) => ({ row, at: row.at, text: rowLine(row, clock) });

  /** The exchanges that have ended since the last time. */
  async function takeEnded(): Promise<ReturnType<typeof beginOf>[]> {
    const ended = [];
    for (const place of open) {
      const [row] = (await page(place, 1)).rows;
      if (row === undefined || isOpen(row)) continue;
      open.delete(place);
      ended.push({ row, at: row.at + (row.duration ?? 0), text: exchangeEndLine(row, clock) });
    }
    return ended;
  }

  return {
    showNew: () => show((row) => row.kind === 'http' || row.status !== 'receiving'),
    showRest: () => show(() => true),
  };
}

const isOpen = ({ status }: TraceRow): boolean => status === 'pending' || status === 'receiving';
