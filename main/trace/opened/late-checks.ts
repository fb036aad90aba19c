import type { TraceRecord } from '#shared/trace/record.ts';
import { MAX_IN_BATCH, channelKinds, type RowKind } from '#shared/trace/row.ts';
import type { LinePlace } from '#trace/trace-writer.ts';
import type { Findings } from '#trace/findings.ts';
import type { Checker, Found, MakeChecker } from '#trace/findings.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { EventFields, RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { recordedEvent } from '#trace/rows/row-index.ts';
import { readUnit, type ReadPieces, UnitReader } from '#trace/units/read-unit.ts';
import { slicesBy } from '#trace/view/row-reader.ts';
import { bytesOfRecord } from './lines.ts';
import { recordOf } from './record-shapes.ts';

type UnitRecord = Extract<TraceRecord, { kind: 'unit' }>;

/** What a row is about that stands further down in the file than its own record. */
type Later =
  | { readonly what: 'pieces'; readonly row: number }
  | { readonly what: 'response' | 'end'; readonly row: number; readonly exchange: number };

/** Something to check, and the line to read for it. */
interface Looked extends LinePlace {
  readonly what: 'row' | Later['what'];
  readonly row: number;
}

/** The place in the file of what has not come yet. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * Checks the messages and exchanges of a trace whose rows are derived already, in the order in which they became
 * complete, so that the findings are the same as in a live session. Rows do not change after that, except for requests,
 * which have no response yet.
 */
export class LateChecks {
  readonly #trace: ReadableTrace;
  readonly #checker: Checker;
  readonly #findings: Findings;
  readonly #onChange: (changedFrom: number) => void;
  /** Rows before this one were looked at, apart from what of them stands further down in the file. */
  #next: number;
  #later: Later[] = [];
  /** The first place in the file of what is later: before it none of that need be looked for. */
  #laterFrom = UNKNOWN;
  #running: Promise<void> | undefined;
  #isEnded = false;

  /** @param lookedAt how many rows at the beginning were checked before, if their findings are known */
  constructor(
    trace: ReadableTrace,
    makeChecker: MakeChecker,
    onChange: (changedFrom: number) => void,
    lookedAt = 0,
  ) {
    this.#next = lookedAt;
    this.#trace = trace;
    this.#checker = makeChecker(trace.index.columns);
    this.#findings = trace.findings;
    this.#onChange = onChange;
  }

  /** Whether everything was checked. */
  get isDone(): boolean {
    return (
      this.#next === this.#trace.index.columns.count &&
      this.#later.every((one) => this.#offsetOf(one) === UNKNOWN)
    );
  }

  /** Checks new rows in slices. @throws FaultError if the file cannot be read */
  catchUp(): Promise<void> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Stops checking. */
  end(): void {
    this.#isEnded = true;
  }

  async #catchUp(): Promise<void> {
    // Missing records may have arrived since.
    this.#laterFrom = this.#firstOf(this.#later);
    while (!this.isDone && !this.#isEnded) {
      const { looked, end, stillDeferred, newlyDeferred } = await this.#takeSlice();
      for (const slice of slicesBy(looked, ({ length }) => length)) await this.#look(slice);
      // Only now: it is not done before, and never if the file cannot be read.
      this.#next = end;
      this.#laterFrom = Math.min(
        stillDeferred.length === 0 ? UNKNOWN : this.#laterFrom,
        this.#firstOf(newlyDeferred),
      );
      for (const one of newlyDeferred) stillDeferred.push(one);
      this.#later = stillDeferred;
    }
  }

  #firstOf(later: readonly Later[]): number {
    return later.reduce((first, one) => Math.min(first, this.#offsetOf(one)), UNKNOWN);
  }

  /**
   * The next rows, and deferred ones that come before the rows after these in the file, in the order of the file.
   *
   * @returns `stillDeferred` was deferred already, `newlyDeferred` is deferred now
   */
  async #takeSlice(): Promise<{
    looked: Looked[];
    end: number;
    stillDeferred: Later[];
    newlyDeferred: Later[];
  }> {
    const { columns } = this.#trace.index;
    const from = this.#next;
    const end = Math.min(columns.count, from + SLICE);
    const looked: Looked[] = [];
    const added: Later[] = [];
    for (let row = from; row < end; row++) {
      if (!this.#isLookedAt(row)) continue;
      if (this.#comesInPieces(row)) added.push({ what: 'pieces', row });
      else looked.push({ what: 'row', row, offset: columns.offset(row), length: columns.length(row) });
      if (columns.kind(row) === 'http') added.push(...(await this.#stepsOf(row)));
    }
    // Further messages of a large batch stand among later rows, and have the offset of their first.
    let after = end;
    while (after < columns.count && columns.position(after) > 0) after++;
    const until = after < columns.count ? columns.offset(after) : UNKNOWN;
    const isDue = until === UNKNOWN || this.#laterFrom < until;
    const newlyDeferred: Later[] = [];
    for (const one of isDue ? [...this.#later, ...added] : added) {
      const offset = this.#offsetOf(one);
      // Pieces are read one by one.
      const length = one.what === 'pieces' ? 0 : (this.#placeOf(one)?.length ?? 0);
      if (offset < until) looked.push({ ...one, offset, length });
      else if (!this.#isGone(one)) newlyDeferred.push(one);
    }
    return {
      looked: looked.sort((a, b) => a.offset - b.offset),
      end,
      stillDeferred: isDue ? [] : this.#later,
      newlyDeferred,
    };
  }

  /** Units that are read as messages, by the first of their rows; exchanges; and what streams carry beside messages. */
  #isLookedAt(row: number): boolean {
    const { columns } = this.#trace.index;
    return columns.position(row) === 0 && checkedKinds.has(columns.kind(row));
  }

  #comesInPieces(row: number): boolean {
    const { columns, chunksOf } = this.#trace.index;
    const isUnit = columns.channel(row) !== null;
    return isUnit && (columns.status(row) === 'receiving' || chunksOf(row).length > 0);
  }

  /** The response and the end of an exchange have no rows of their own. */
  async #stepsOf(row: number): Promise<Later[]> {
    const { exchanges } = this.#trace.index;
    const exchange = exchanges.idOf(row) ?? (await this.#exchangeOf(row));
    if (exchange === null || exchanges.row(exchange) !== row) return [];
    return [
      { what: 'response', row, exchange },
      { what: 'end', row, exchange },
    ];
  }

  async #exchangeOf(row: number): Promise<number | null> {
    const { columns } = this.#trace.index;
    const [record] = await this.#recordsAt([{ offset: columns.offset(row), length: columns.length(row) }]);
    return record?.kind === 'http-request' ? record.exchange : null;
  }

  #placeOf(later: Later): LinePlace | null {
    const { exchanges } = this.#trace.index;
    return later.what === 'pieces' ? null : exchanges.record(later.exchange, later.what);
  }

  /** An ended exchange gets no response any more. */
  #isGone(later: Later): boolean {
    if (later.what !== 'response' || this.#placeOf(later) !== null) return false;
    return this.#trace.index.exchanges.record(later.exchange, 'end') !== null;
  }

  /** Where the record stands that makes it whole; unknown as long as that has not come. */
  #offsetOf(later: Later): number {
    if (later.what !== 'pieces') return this.#placeOf(later)?.offset ?? UNKNOWN;
    const { columns, chunksOf } = this.#trace.index;
    const { row } = later;
    if (columns.status(row) === 'receiving') return UNKNOWN;
    return chunksOf(row).at(-1)?.offset ?? columns.offset(row);
  }

  async #look(slice: readonly Looked[]): Promise<void> {
    const { columns } = this.#trace.index;
    const records = await this.#recordsAt(slice.filter(({ what }) => what !== 'pieces'));
    let read = 0;
    for (const { what, row } of slice) {
      if (what === 'pieces') {
        await this.#joined(row);
        continue;
      }
      const record = records[read++];
      switch (record?.kind) {
        case 'unit': {
          const bytes = bytesOfRecord(record);
          this.#event(row, record.exchange, record.sse);
          if (columns.kind(row) === 'sse') break;
          this.#check(row, record, () => ({ reading: readUnit(bytes), bytes }), record.cut === true);
          break;
        }
        case 'sse':
          this.#event(row, record.exchange, record);
          break;
        case 'http-request':
        case 'http-response':
        case 'http-end':
          this.#keep(this.#checker.step({ row, record }));
          break;
        default:
          break;
      }
    }
  }

  async #recordsAt(places: readonly LinePlace[]): Promise<(TraceRecord | null)[]> {
    const lines = await this.#trace.file.read(places);
    return lines.map((line) => recordOf(JSON.parse(line)));
  }

  #event(row: number, exchange: number | undefined, fields: EventFields | undefined): void {
    const event = recordedEvent(row, exchange, fields);
    if (event !== undefined) this.#keep(this.#checker.event(event));
  }

  async #joined(row: number): Promise<void> {
    const { index } = this.#trace;
    const { columns } = index;
    const own = { offset: columns.offset(row), length: columns.length(row) };
    let first: UnitRecord | null = null;
    let sse: EventFields | undefined;
    let isCut = false;
    const reader = new UnitReader();
    for (const place of [own, ...index.chunksOf(row)]) {
      const [record] = await this.#recordsAt([place]);
      if (record?.kind === 'unit') first = record;
      if (record?.kind !== 'unit' && record?.kind !== 'chunk') continue;
      sse ??= record.sse;
      if (record.cut) isCut = true;
      // What is too large to be read is noise, whose bytes nobody asks for.
      if (columns.kind(row) !== 'noise') reader.push(bytesOfRecord(record));
    }
    if (first === null) return;
    this.#event(row, first.exchange, sse);
    if (channelKinds.has(columns.kind(row))) this.#check(row, first, () => reader.end(), isCut);
  }

  #check(row: number, record: UnitRecord, read: () => ReadPieces, isCut: boolean): void {
    const { columns } = this.#trace.index;
    const reason = columns.noise(row);
    const { direction, channel } = record;
    const found =
      reason === null
        ? this.#checker.messages(seenIn(columns, row, { record, isCut }, read()))
        : this.#checker.noise({ row, direction, channel, reason, isCut });
    this.#keep(found);
  }

  #keep(found: readonly Found[]): void {
    for (const one of found) this.#onChange(this.#findings.add(one));
  }
}

/** Rows to check per turn of the event loop. */
const SLICE = 500;

const checkedKinds: ReadonlySet<RowKind> = new Set([...channelKinds, 'http', 'sse'] as const);

const EMPTY = Buffer.alloc(0);

/** The messages of a unit as they were when it came. */
function seenIn(
  columns: RowColumns,
  first: number,
  { record, isCut }: { readonly record: UnitRecord; readonly isCut: boolean },
  { reading, bytes }: ReadPieces,
): RecordedMessage[] {
  if (reading.type === 'noise') return [];
  const rows = rowsOfUnit(columns, first);
  return reading.envelopes.flatMap((envelope, position) => {
    const row = rows[position];
    if (row === undefined) return [];
    const isRequest = columns.kind(row) === 'request';
    return {
      row,
      at: columns.at(row),
      direction: record.direction,
      exchange: record.exchange ?? null,
      size: columns.size(row),
      envelope,
      pair: isRequest ? null : columns.pair(row),
      status: isRequest ? 'pending' : columns.status(row),
      duration: isRequest ? null : columns.duration(row),
      bytes: bytes ?? EMPTY,
      ...(bytes === null && { isTruncated: true }),
      position,
      ...(isCut && { isCut: true as const }),
    };
  });
}

/** The rows of a unit, which are several when it is a batch; that it came in pieces may have put others in between. */
function rowsOfUnit(columns: RowColumns, first: number): number[] {
  const rows = [first];
  const batch = Math.min(columns.batch(first), MAX_IN_BATCH);
  for (let row = first + 1; rows.length < batch && row < columns.count; row++) {
    if (columns.offset(row) === columns.offset(first) && columns.position(row) === rows.length)
      rows.push(row);
  }
  return rows;
}
