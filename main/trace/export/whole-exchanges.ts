import { listMethods } from '#shared/contract/catalog.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { ChosenRows } from '#trace/trace-feed.ts';
import type { Turns } from '#transports/async.ts';
import { eachOf } from './source.ts';

/** What a trace needs to be read as a session, whatever is chosen of it. */
const sessionMethods: ReadonlySet<string | null> = new Set([
  'initialize',
  'notifications/initialized',
  'server/discover',
  ...Object.values(listMethods),
]);

/** Rows between two checks whether to yield. */
const SOME = 1024;

/**
 * The chosen rows with the rest of their exchanges (the call of a notification, its progress, its rounds, what the server
 * asked during it), and with the handshake, the lists, and how the session and its process went.
 *
 * @param count rows of the trace that are exported
 */
export async function wholeExchanges(
  columns: RowColumns,
  chosen: ChosenRows,
  count: number,
  turns: Turns,
): Promise<ChosenRows> {
  const kept = new Uint8Array(count);
  for (const row of eachOf(chosen)) {
    await turns.pass();
    let call: number | null = row;
    while (call !== null && call < count && kept[call] !== 1) {
      kept[call] = 1;
      call = columns.parent(call) ?? earlierOf(columns, call);
    }
  }
  // Parents precede what belongs to them.
  let lastResponse = -1;
  const rows: number[] = [];
  for (let row = 0; row < count; row++) {
    if (row % SOME === 0) await turns.pass();
    const parent = columns.parent(row);
    const belongs = parent !== null && kept[parent] === 1;
    if (belongs || isOfSession(columns, row) || (isQuestion(columns, row) && row < lastResponse))
      kept[row] = 1;
    if (kept[row] !== 1) continue;
    rows.push(row);
    if (columns.kind(row) === 'request' && columns.direction(row) === 'out')
      lastResponse = Math.max(lastResponse, columns.pair(row) ?? -1);
  }
  return { count: rows.length, at: (index) => rows[index] ?? 0 };
}

/** The request of a response. */
function earlierOf(columns: RowColumns, row: number): number | null {
  const pair = columns.pair(row);
  return pair !== null && pair < row ? pair : null;
}

const isQuestion = (columns: RowColumns, row: number): boolean =>
  columns.kind(row) === 'request' && columns.direction(row) === 'in';

function isOfSession(columns: RowColumns, row: number): boolean {
  const kind = columns.kind(row);
  if (kind === 'phase' || kind === 'process') return true;
  return (kind === 'request' || kind === 'notification') && sessionMethods.has(columns.method(row));
}
