import { CANCELLED } from '#shared/protocol/methods.ts';
import type { Direction, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import { methodsWithNestedRequests, opposite, seeksCall } from '#trace/rows/relate.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { RowIndex } from '#trace/rows/row-index.ts';
import { type Counts, noAdditions, type Output, type TraceFileOptions } from './output.ts';
import { eachOf, type Source } from './source.ts';
import { addStderr, isEndOfSession } from './stderr-of-calls.ts';
import type { Turns } from '#transports/async.ts';

/** Writes a trace file of the chosen rows that has the same rows when opened. */
export async function writeTrace(
  source: Source,
  output: Output,
  { hasStderr, filter }: TraceFileOptions,
): Promise<Counts> {
  const { index } = source.trace;
  const kept = isWhole(source) ? null : await keptRows(source);
  if (kept !== null && hasStderr) await addStderr(source, kept);
  const additions = kept === null ? noAdditions : await source.additions((row) => isKept(index, kept, row));
  const header =
    kept === null ? source.header : headerOf(source, source.rows.count + additions.added, filter);
  await output.write(`${JSON.stringify(header)}\n`);
  let entries = 0;
  const isWanted = (record: TraceRecord, row: number | null): boolean =>
    kept === null || record.kind === 'anchor' || (row !== null && kept[row] === 1);
  for await (const lines of source.lines(isWanted)) {
    entries += lines.length;
    if (lines.length > 0) await output.write(`${lines.join('\n')}\n`);
  }
  return { entries, leftOut: 0, additions };
}

/** Whether every row is exported: of a session that continues, those that it had at the start of the export. */
const isWhole = ({ extent, rows }: Source): boolean => extent.isAll || rows.count === extent.rows;

/** The header of a file with so many rows. An excerpt of an excerpt is one of the same recording. */
function headerOf(source: Source, rows: number, filter: string | null): TraceHeader {
  // A file may say that its recording had fewer rows than it has itself.
  const of = Math.max(source.trace.header.excerpt?.of ?? 0, source.extent.rows);
  if (rows >= of) return source.headerOf(undefined);
  return source.headerOf({ rows, of, ...(filter !== null && filter.trim() !== '' && { filter }) });
}

/** Whether the record of a row is kept; those of a batch share the one of the first. */
const isKept = ({ columns }: RowIndex, kept: Uint8Array, row: number): boolean =>
  kept[columns.position(row) === 0 ? row : (columns.rowOf(columns.seq(row)) ?? row)] === 1;

/**
 * The rows to keep: the selected ones, and those that give them their meaning, such as the
 * request of an answer, or its HTTP exchange. A row of 1 is kept.
 */
async function keptRows({ trace: { index }, rows: chosen, extent, turns }: Source): Promise<Uint8Array> {
  const { columns } = index;
  const kept = new Uint8Array(extent.rows);
  const waiting: number[] = [];
  const keep = (row: number | null) => {
    if (row === null || row >= kept.length || kept[row] === 1) return;
    kept[row] = 1;
    waiting.push(row);
  };
  for (const row of eachOf(chosen)) keep(row);
  const more = await relativesOf(index, extent.rows, turns);
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    if (row % SOME === 0) await turns.pass();
    // The messages of a batch share one record, whose row is the first.
    keep(columns.rowOf(columns.seq(row)));
    keep(columns.pair(row));
    keep(columns.parent(row));
    keep(columns.exchangeRow(row));
    for (const other of more(row)) keep(other);
  }
  return kept;
}

/** Rows between two checks whether to yield. */
const SOME = 1024;
const NONE: readonly number[] = [];
/** Calls that are kept for a message that may belong to any of them: a hostile file has many for each of many. */
const MAX_RIVALS = 64;

/** Rows that give others their meaning, found in one scan of all rows. */
async function relativesOf(
  index: RowIndex,
  count: number,
  turns: Turns,
): Promise<(row: number) => readonly number[]> {
  const { columns } = index;
  const cancellations = new Map<number, number[]>();
  const carried = new Map<number, number[]>();
  /** The further messages of each batch by the number of its record. */
  const batches = new Map<number, number[]>();
  const rivals = new Map<number, readonly number[]>();
  const openCalls = new OpenCalls(columns);
  const endings: number[] = [];
  const endpoints: number[] = [];
  for (const row of asCompleted(index, count)) {
    if (row % SOME === 0) await turns.pass();
    if (columns.position(row) > 0) add(batches, columns.seq(row), row);
    const kind = columns.kind(row);
    const parent = columns.parent(row);
    const exchange = columns.exchangeRow(row);
    if (parent !== null && columns.method(row) === CANCELLED) add(cancellations, parent, row);
    // An event shows that another stream may still carry the response.
    if (exchange !== null && columns.channel(row) === 'sse') add(carried, exchange, row);
    else if (exchange !== null && kind === 'sse') add(carried, exchange, row);
    if (openCalls.mayBelongToAny(row)) rivals.set(row, openCalls.rivals(row));
    openCalls.add(row);
    if (kind === 'phase' || kind === 'process') endings.push(row);
    if (kind === 'sse' && columns.subject(row) === 'endpoint') endpoints.push(row);
  }
  // What many rows have in common is returned once.
  return (row) => {
    const batch = columns.position(row) === 0 ? taken(batches, columns.seq(row)) : NONE;
    const relatives = [...batch, ...(cancellations.get(row) ?? NONE), ...(rivals.get(row) ?? NONE)];
    const exchange = columns.exchangeRow(row);
    if (needsEnding(columns, row)) return [...relatives, ...endings.splice(0)];
    if (exchange === null || columns.kind(row) !== 'request') return relatives;
    const pair = columns.pair(row);
    const isElsewhere = pair === null || columns.exchangeRow(pair) !== exchange;
    return isElsewhere ? [...relatives, ...endpoints.splice(0), ...taken(carried, exchange)] : relatives;
  };
}

/** Takes the rows of a key out of a map. */
function taken(map: Map<number, number[]>, key: number): readonly number[] {
  const rows = map.get(key) ?? NONE;
  map.delete(key);
  return rows;
}

/** So many rows in the order in which their messages were complete: those of a large unit are read with its last piece. */
function* asCompleted({ columns, chunksOf }: RowIndex, count: number): Generator<number> {
  const growing: { readonly row: number; readonly end: number }[] = [];
  for (let row = 0; row < count; row++) {
    const end = chunksOf(row).at(-1)?.offset;
    if (end !== undefined) growing.push({ row, end });
  }
  growing.sort((a, b) => a.end - b.end);
  let place = 0;
  for (let row = 0; row < count; row++) {
    const offset = columns.offset(row);
    for (let next = growing[place]; next !== undefined && next.end < offset; next = growing[++place])
      yield next.row;
    if (chunksOf(row).length === 0) yield row;
  }
  for (const { row } of growing.slice(place)) yield row;
}

/** The calls without a response while the rows of a trace are read in order. */
class OpenCalls {
  readonly #columns: RowColumns;
  /** The rivals of each side while they are the same. */
  readonly #rivals = new Map<Direction, readonly number[]>();
  readonly #open: Readonly<Record<Direction, Set<number>>> = { in: new Set(), out: new Set() };

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Whether a message belongs to no call because several were open: with one of them alone it would belong to that one. */
  mayBelongToAny(row: number): boolean {
    const columns = this.#columns;
    const direction = columns.direction(row);
    if (direction === null || columns.parent(row) !== null || columns.exchangeRow(row) !== null) return false;
    return seeksCall(columns.kind(row), columns.method(row)) && this.#open[opposite(direction)].size > 1;
  }

  /**
   * The oldest open calls of the other side that a message may belong to: as many as it takes for two to be pending,
   * within a limit.
   */
  rivals(row: number): readonly number[] {
    const direction = this.#columns.direction(row);
    if (direction === null) return NONE;
    const caller = opposite(direction);
    const rivals = this.#rivals.get(caller) ?? this.#oldest(caller);
    this.#rivals.set(caller, rivals);
    return rivals;
  }

  #oldest(caller: Direction): readonly number[] {
    const oldest: number[] = [];
    let pending = 0;
    for (const call of this.#open[caller]) {
      oldest.push(call);
      if (this.#isPending(call)) pending++;
      if (pending === 2 || oldest.length === MAX_RIVALS) break;
    }
    return oldest;
  }

  /** Adds the next row. */
  add(row: number): void {
    const columns = this.#columns;
    const method = columns.method(row);
    const direction = columns.direction(row);
    if (isEndOfSession(columns, row)) {
      this.#open.in.clear();
      this.#open.out.clear();
      this.#rivals.clear();
    }
    if (direction === null) return;
    if (columns.kind(row) === 'request') {
      if (method === null || !methodsWithNestedRequests.has(method)) return;
      this.#open[direction].add(row);
      if ((this.#rivals.get(direction)?.length ?? 0) < MAX_RIVALS) this.#rivals.delete(direction);
      return;
    }
    const ended = method === CANCELLED ? columns.parent(row) : columns.pair(row);
    if (ended === null) return;
    for (const caller of ['in', 'out'] as const)
      if (this.#open[caller].delete(ended)) this.#rivals.delete(caller);
  }

  /** Whether an open call surely is pending: its exchange may have ended before, which has no row of its own. */
  #isPending(call: number): boolean {
    const pair = this.#columns.pair(call);
    if (pair !== null) return this.#columns.status(pair) !== 'late';
    return this.#columns.exchangeRow(call) === null || this.#columns.status(call) === 'pending';
  }
}

/** Whether a row depends on how the session or the process ended. */
function needsEnding(columns: RowColumns, row: number): boolean {
  const status = columns.status(row);
  return columns.kind(row) === 'process' || status === 'unanswered' || status === 'late';
}

function add(map: Map<number, number[]>, key: number, row: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [row]);
  else known.push(row);
}
