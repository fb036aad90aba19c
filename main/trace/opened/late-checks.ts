import { MOST_IN_BATCH } from '#shared/trace/row.ts';
import type { Findings } from '#trace/findings.ts';
import type { Found, Inspector, MakeInspector } from '#trace/inspector.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import type { Seen } from '#trace/rows/row-index.ts';
import { readUnit } from '#trace/units/read-unit.ts';
import { type ReadPieces, UnitReader } from '#trace/units/unit-reader.ts';
import { slices } from '#trace/view/slices.ts';
import { bytesOfRecord } from './read-line.ts';
import { recordOf } from './record-shapes.ts';

type UnitRecord = Extract<NonNullable<ReturnType<typeof recordOf>>, { kind: 'unit' }>;

/**
 * Has the messages of a trace looked at whose rows are derived already, in the order in which they became whole: what is
 * found is the same as when each is looked at as it comes. All that a row is at that time, it stays, but for requests:
 * they have no answer yet.
 */
export class LateChecks {
  readonly #trace: ReadableTrace;
  readonly #inspector: Inspector;
  readonly #findings: Findings;
  readonly #onChange: (changedFrom: number) => void;
  /** Rows before this one were looked at, apart from those whose unit came in pieces. */
  #next = 0;
  #inPieces: number[] = [];
  #running: Promise<void> | undefined;
  #isEnded = false;

  constructor(trace: ReadableTrace, inspect: MakeInspector, onChange: (changedFrom: number) => void) {
    this.#trace = trace;
    this.#inspector = inspect(trace.index.columns);
    this.#findings = trace.findings;
    this.#onChange = onChange;
  }

  /** Every row there is was looked at. */
  get isDone(): boolean {
    return this.#next === this.#trace.index.columns.count;
  }

  /** Looks at the rows that came since, a slice after the other. @throws FaultError when the file cannot be read */
  catchUp(): Promise<void> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Looks at no more rows. */
  end(): void {
    this.#isEnded = true;
  }

  async #catchUp(): Promise<void> {
    const { columns } = this.#trace.index;
    while (!this.isDone && !this.#isEnded) {
      const end = Math.min(columns.count, this.#next + SLICE);
      const rows: number[] = [];
      for (let row = this.#next; row < end; row++) if (this.#isLookedAt(row)) rows.push(row);
      for (const slice of slices(columns, rows)) await this.#look(slice);
      this.#next = end;
    }
    await this.#lookAtPieces(Number.POSITIVE_INFINITY);
  }

  /** The first row of each unit that is read as a message. */
  #isLookedAt(row: number): boolean {
    const { columns } = this.#trace.index;
    return columns.position(row) === 0 && inspectedKinds.has(columns.kind(row));
  }

  async #look(rows: readonly number[]): Promise<void> {
    const { index, file } = this.#trace;
    const { columns } = index;
    const lines = await file.read(
      rows.map((row) => ({ offset: columns.offset(row), length: columns.length(row) })),
    );
    for (const [order, row] of rows.entries()) {
      if (this.#inPieces.length > 0) await this.#lookAtPieces(columns.offset(row));
      if (columns.status(row) === 'receiving' || index.chunksOf(row).length > 0) this.#inPieces.push(row);
      else {
        const record = recordOf(JSON.parse(lines[order] ?? ''));
        if (record?.kind !== 'unit') continue;
        const bytes = bytesOfRecord(record);
        this.#inspect(row, record, () => ({ reading: readUnit(bytes), bytes }), record.cut === true);
      }
    }
  }

  /** Looks at units in pieces whose last piece stands before a place in the file. */
  async #lookAtPieces(before: number): Promise<void> {
    const { columns, chunksOf } = this.#trace.index;
    const completeAt = (row: number): number =>
      columns.status(row) === 'receiving'
        ? Number.POSITIVE_INFINITY
        : (chunksOf(row).at(-1)?.offset ?? columns.offset(row));
    const whole = this.#inPieces.filter((row) => completeAt(row) < before);
    if (whole.length === 0) return;
    this.#inPieces = this.#inPieces.filter((row) => !whole.includes(row));
    for (const row of whole.toSorted((a, b) => completeAt(a) - completeAt(b))) {
      // What turned out to be no message is not looked at.
      if (this.#isLookedAt(row)) await this.#joined(row);
    }
  }

  async #joined(row: number): Promise<void> {
    const { index, file } = this.#trace;
    const { columns } = index;
    const own = { offset: columns.offset(row), length: columns.length(row) };
    let first: UnitRecord | null = null;
    let isCut = false;
    const reader = new UnitReader();
    for (const place of [own, ...index.chunksOf(row)]) {
      const [line] = await file.read([place]);
      const record = recordOf(JSON.parse(line ?? ''));
      if (record?.kind === 'unit') first = record;
      if (record?.kind !== 'unit' && record?.kind !== 'chunk') continue;
      if (record.cut) isCut = true;
      // What is too large to be read is noise, whose bytes nobody asks for.
      if (columns.kind(row) !== 'noise') reader.push(bytesOfRecord(record));
    }
    if (first !== null) this.#inspect(row, first, () => reader.end(), isCut);
  }

  #inspect(row: number, record: UnitRecord, read: () => ReadPieces, isCut: boolean): void {
    const { columns } = this.#trace.index;
    const reason = columns.noise(row);
    const { direction, channel } = record;
    const found =
      reason === null
        ? this.#inspector.messages(seenIn(columns, row, record, read()))
        : this.#inspector.noise({ row, direction, channel, reason, isCut });
    this.#keep(found);
  }

  #keep(found: readonly Found[]): void {
    for (const one of found) this.#onChange(this.#findings.add(one));
  }
}

/** Rows looked at before others have their turn. */
const SLICE = 500;

const inspectedKinds: ReadonlySet<string> = new Set([
  'request',
  'notification',
  'result',
  'error',
  'invalid',
  'noise',
]);

const EMPTY = Buffer.alloc(0);

/** The messages of a unit as they were when it came. */
function seenIn(
  columns: RowColumns,
  first: number,
  record: UnitRecord,
  { reading, bytes }: ReadPieces,
): Seen[] {
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
      ...(bytes === null && { isInPart: true }),
      position,
    };
  });
}

/** The rows of a unit, which are several when it is a batch; that it came in pieces may have put others in between. */
function rowsOfUnit(columns: RowColumns, first: number): number[] {
  const rows = [first];
  const batch = Math.min(columns.batch(first), MOST_IN_BATCH);
  for (let row = first + 1; rows.length < batch && row < columns.count; row++) {
    if (columns.offset(row) === columns.offset(first) && columns.position(row) === rows.length)
      rows.push(row);
  }
  return rows;
}
