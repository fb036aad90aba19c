import { MAX_BYTES_PER_READ, MAX_ROWS_PER_PAGE } from '#shared/contract/trace.ts';
import { onOneLine } from '#shared/json/tokens.ts';
import { memberText } from '#shared/json/members.ts';
import { formatClock } from '#shared/format.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import type { HeadlessSession } from './headless-session.ts';
import { visibleText } from './output.ts';
import type { Clock } from './row-follower.ts';

/** A notification of the server as written, on one line. */
interface Notice {
  readonly row: TraceRow;
  readonly text: string;
}

/** Follows the notifications of the server. */
export interface NoticeFollower {
  /** Passes on the notifications since the last call, up to one that is still arriving or to the end row. */
  takeNew(isEnd?: (row: TraceRow) => boolean): Promise<void>;
}

/**
 * Follows the notifications of the server in order.
 *
 * @param method only those of this method; null for all
 * @param from the first row to look at
 */
export function followNotices(
  session: HeadlessSession,
  { method, from }: { readonly method: string | null; readonly from: number },
  take: (notice: Notice) => Promise<void>,
): NoticeFollower {
  let next = from;
  const isWanted = (row: TraceRow) =>
    row.kind === 'notification' && row.direction === 'in' && (method === null || row.method === method);
  return {
    async takeNew(isEnd = () => false) {
      for (;;) {
        const page = { filterId: null, from: next, count: MAX_ROWS_PER_PAGE };
        const { rows, total } = await session.request('trace/rows', page);
        for (const row of rows) {
          // An exchange stays open as long as its stream, and a line of stderr may stay incomplete for long.
          const isOpen = row.status === 'receiving' && row.kind !== 'http' && row.kind !== 'stderr';
          if (isOpen || isEnd(row)) return;
          next++;
          if (isWanted(row)) await take({ row, text: await messageText(session, row) });
        }
        if (rows.length === 0 || next >= total) return;
      }
    },
  };
}

/** A notification as one line: when, what, and its params as they were written. */
export function noticeLine({ row, text }: Notice, clock: Clock): string {
  const time = formatClock(clock.wall + (row.at - clock.at) / 1000);
  return visibleText([time, row.method ?? row.kind, memberText(text, ['params']) ?? ''].join(' ').trimEnd());
}

/** A log message of the server as one line (MCP logging). */
export function logLine({ text }: Notice): string {
  const [level = 'without a level', logger, data] = ['level', 'logger', 'data'].map((key) => {
    const written = memberText(text, ['params', key]);
    return written?.startsWith('"') ? String(JSON.parse(written)) : written;
  });
  return visibleText(`log ${level}${logger === undefined ? '' : ` (${logger})`}: ${data ?? ''}`);
}

async function messageText(session: HeadlessSession, { row, batch }: TraceRow): Promise<string> {
  const { text, truncated } = await session.request('trace/detail', { row });
  const whole = truncated && batch <= 1 ? await allBytes(session, row) : (text ?? '');
  return onOneLine(whole.trim());
}

async function allBytes(session: HeadlessSession, row: number): Promise<string> {
  const pieces: Buffer[] = [];
  for (let from = 0; ; ) {
    const { base64, total } = await session.request('trace/bytes', { row, from, count: MAX_BYTES_PER_READ });
    const piece = Buffer.from(base64, 'base64');
    pieces.push(piece);
    from += piece.length;
    if (piece.length === 0 || from >= total) return Buffer.concat(pieces).toString('utf8');
  }
}
