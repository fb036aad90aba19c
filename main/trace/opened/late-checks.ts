import type { TraceRecord } from '#shared/trace/record.ts';
import { MAX_IN_BATCH, channelKinds, type RowKind } from '#shared/trace/row.ts';
import type { LineSpan } from '#trace/trace-writer.ts';
import type { Findings } from '#trace/findings.ts';
import type { Checker, NewFinding, MakeChecker } from '#trace/findings.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { EventFields, RecordedMessage } from '#trace/recorded-message.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { recordedEvent } from '#trace/rows/indexed-message.ts';
import { readUnit, type ReadPieces, UnitReader } from '#trace/units/read-unit.ts';
import { slicesBy } from '#trace/view/row-reader.ts';
import { bytesOfRecord } from './lines.ts';
import { recordOf } from './record-shapes.ts';

type UnitRecord = Extract<TraceRecord, { kind: 'unit' }>;

/** Something that belongs to a row and is later in the file than its record. */
type Later =
  | { readonly what: 'pieces'; readonly row: number }
  | { readonly what: 'response' | 'end'; readonly row: number; readonly exchange: number };

/** Something to check, and the line to read for it. */
interface PendingLine extends LineSpan {
  readonly what: 'row' | Later['what'];
  readonly row: number;
}

/** The file position of something that is not in the file yet. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * Checks the messages and exchanges of a trace after its rows were derived, in the order in which they became
 * complete, so that the findings are the same as in a live session. A request is checked as
 * it was then: still without its response.
 */
export class LateChecks {
  readonly #trace: ReadableTrace;
  readonly #checker: Checker;
  readonly #findings: Findings;
  readonly #onChange: (changedFrom: number) => void;
  /** Rows before this one were processed, except for deferred ones. */
  #next: number;
  #later: Later[] = [];
  /** The lowest file position of a deferred item. */
  #laterFrom = UNKNOWN;
  #running: Promise<void> | undefined;
  #isEnded = false;

  /** @param checkedBefore how many rows at the beginning were checked before; 0 if their findings are unknown */
  constructor(
    trace: ReadableTrace,
    makeChecker: MakeChecker,
    onChange: (changedFrom: number) => void,
    checkedBefore = 0,
  ) {
    this.#next = checkedBefore;
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
    // Records that were missing may have arrived since the last call.
    this.#laterFrom = this.#firstOf(this.#later);
    while (!this.isDone && !this.#isEnded) {
      const { pending, end, unexamined, deferred } = await this.#takeSlice();
      for (const slice of slicesBy(pending, ({ length }) => length)) await this.#checkSlice(slice);
      // Set only now, so that rows do not count as checked if the file cannot be read.
      this.#next = end;
      this.#laterFrom = Math.min(
        unexamined.length === 0 ? UNKNOWN : this.#laterFrom,
        this.#firstOf(deferred),
      );
      for (const one of deferred) unexamined.push(one);
      this.#later = unexamined;
    }
  }

  #firstOf(later: readonly Later[]): number {
    return later.reduce((first, one) => Math.min(first, this.#offsetOf(one)), UNKNOWN);
  }

  /**
   * The next rows, and deferred ones that precede the rows after these, in file order.
   *
   * @returns `unexamined` was deferred before and was not looked at, because none of it is due; `deferred` was looked at and is
   *   not due yet
   */
  async #takeSlice(): Promise<{
    pending: PendingLine[];
    end: number;
    unexamined: Later[];
    deferred: Later[];
  }> {
    const { columns } = this.#trace.index;
    const from = this.#next;
    const end = Math.min(columns.count, from + SLICE);
    const pending: PendingLine[] = [];
    const added: Later[] = [];
    for (let row = from; row < end; row++) {
      if (!this.#needsCheck(row)) continue;
      if (this.#comesInPieces(row)) added.push({ what: 'pieces', row });
      else pending.push({ what: 'row', row, offset: columns.offset(row), length: columns.length(row) });
      if (columns.kind(row) === 'http') added.push(...(await this.#stepsOf(row)));
    }
    // Further messages of a large batch are among later rows, with the offset of their first.
    let after = end;
    while (after < columns.count && columns.position(after) > 0) after++;
    const until = after < columns.count ? columns.offset(after) : UNKNOWN;
    const isDue = until === UNKNOWN || this.#laterFrom < until;
    const deferred: Later[] = [];
    for (const one of isDue ? [...this.#later, ...added] : added) {
      const offset = this.#offsetOf(one);
      // Pieces are read one by one.
      const length = one.what === 'pieces' ? 0 : (this.#spanOf(one)?.length ?? 0);
      if (offset < until) pending.push({ ...one, offset, length });
      else if (!this.#isGone(one)) deferred.push(one);
    }
    return {
      pending: pending.sort((a, b) => a.offset - b.offset),
      end,
      unexamined: isDue ? [] : this.#later,
      deferred,
    };
  }

  /** Whether a row is to be checked: the first row of a unit, an exchange, or an event without a message. */
  #needsCheck(row: number): boolean {
    const { columns } = this.#trace.index;
    return columns.position(row) === 0 && checkedKinds.has(columns.kind(row));
  }

  #comesInPieces(row: number): boolean {
    const { columns, chunksOf } = this.#trace.index;
    const isUnit = columns.channel(row) !== null;
    return isUnit && (columns.status(row) === 'receiving' || chunksOf(row).length > 0);
  }

  /** The response and the end of an exchange, which are checked although they have no rows of their own. */
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

  #spanOf(later: Later): LineSpan | null {
    const { exchanges } = this.#trace.index;
    return later.what === 'pieces' ? null : exchanges.record(later.exchange, later.what);
  }

  /** Whether a deferred response cannot come any more, because its exchange has ended. */
  #isGone(later: Later): boolean {
    if (later.what !== 'response' || this.#spanOf(later) !== null) return false;
    return this.#trace.index.exchanges.record(later.exchange, 'end') !== null;
  }

  /** The file position of the record that completes a deferred item; `UNKNOWN` until that record is read. */
  #offsetOf(later: Later): number {
    if (later.what !== 'pieces') return this.#spanOf(later)?.offset ?? UNKNOWN;
    const { columns, chunksOf } = this.#trace.index;
    const { row } = later;
    if (columns.status(row) === 'receiving') return UNKNOWN;
    return chunksOf(row).at(-1)?.offset ?? columns.offset(row);
  }

  async #checkSlice(slice: readonly PendingLine[]): Promise<void> {
    const { columns } = this.#trace.index;
    const records = await this.#recordsAt(slice.filter(({ what }) => what !== 'pieces'));
    let read = 0;
    for (const { what, row } of slice) {
      if (what === 'pieces') {
        await this.#checkPieces(row);
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
          this.#keep(this.#checker.exchangeStep({ row, record }));
          break;
        default:
          break;
      }
    }
  }

  async #recordsAt(spans: readonly LineSpan[]): Promise<(TraceRecord | null)[]> {
    const lines = await this.#trace.file.read(spans);
    return lines.map((line) => recordOf(JSON.parse(line)));
  }

  #event(row: number, exchange: number | undefined, fields: EventFields | undefined): void {
    const event = recordedEvent(row, exchange, fields);
    if (event !== undefined) this.#keep(this.#checker.sseEvent(event));
  }

  async #checkPieces(row: number): Promise<void> {
    const { index } = this.#trace;
    const { columns } = index;
    const own = { offset: columns.offset(row), length: columns.length(row) };
    let first: UnitRecord | null = null;
    let sse: EventFields | undefined;
    let isCut = false;
    const reader = new UnitReader();
    for (const span of [own, ...index.chunksOf(row)]) {
      const [record] = await this.#recordsAt([span]);
      if (record?.kind === 'unit') first = record;
      if (record?.kind !== 'unit' && record?.kind !== 'chunk') continue;
      sse ??= record.sse;
      if (record.cut) isCut = true;
      // A unit that is too large to be parsed is noise, whose bytes are not needed.
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

  #keep(found: readonly NewFinding[]): void {
    for (const one of found) this.#onChange(this.#findings.add(one));
  }
}

/** Rows to check per turn of the event loop. */
const SLICE = 500;

const checkedKinds: ReadonlySet<RowKind> = new Set([...channelKinds, 'http', 'sse'] as const);

/** The messages of a unit as they were in the live session. */
function seenIn(
  columns: RowColumns,
  first: number,
  { record, isCut }: { readonly record: UnitRecord; readonly isCut: boolean },
  { reading, bytes }: ReadPieces,
): RecordedMessage[] {
  if (reading.type === 'noise') return [];
  const rows = rowsOfUnit(columns, first);
  const unit = { text: bytes?.toString() ?? '' };
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
      unit,
      ...(bytes === null && { isTruncated: true }),
      position,
      ...(isCut && { isCut: true as const }),
    };
  });
}

/** The rows of a unit: several for a batch, possibly with other rows in between. */
function rowsOfUnit(columns: RowColumns, first: number): number[] {
  const rows = [first];
  const batch = Math.min(columns.batch(first), MAX_IN_BATCH);
  for (let row = first + 1; rows.length < batch && row < columns.count; row++) {
    if (columns.offset(row) === columns.offset(first) && columns.position(row) === rows.length)
      rows.push(row);
  }
  return rows;
}
