import { open } from 'node:fs/promises';
import { FaultError } from '#shared/contract/fault.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import type { MarkRecord, TraceHeader } from '#shared/trace/record.ts';
import { DurationSample } from '#trace/duration-sample.ts';
import { Findings } from '#trace/findings.ts';
import { keepIndex, readKeptIndex, WORTH_KEEPING } from '#trace/kept-index/index-file.ts';
import { noSuchRow, type ReadableTrace } from '#trace/readable-trace.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import * as faults from './faults.ts';
import { Damage } from './faults.ts';
import { FileClock } from '#trace/file-clock.ts';
import { FileSource } from './file-source.ts';
import { MAX_HEADER, type ReadHeader, readHeader } from './header.ts';
import { type CutLine, LineCutter, contentOf, readLine } from './lines.ts';

/** Bytes to read per turn of the event loop: some thousand records. */
const PIECE = 1024 * 1024;
/** Milliseconds without a change after which an incomplete line counts as torn, not as being written. */
const SETTLED = 1000;
/** Limit of bytes of marks after the part that an index covers. */
const MAX_MARKS = 1024 * 1024;

/** A trace read from a file: rows are derived from the records, which stay in the file. */
export class TraceFromFile implements ReadableTrace {
  readonly index = new RowIndex();
  readonly durations = new DurationSample();
  readonly findings = new Findings(this.index.columns);
  readonly header: TraceHeader;
  readonly file: FileSource;
  readonly #upgrade: ReadHeader['upgrade'];
  readonly #onChange: (changedFrom: number) => void;
  readonly #damage = new Damage();
  readonly #clock: FileClock;
  #cutter: LineCutter;
  /** Bytes read so far, and complete lines in them, including the header. */
  #read: number;
  #lines = 1;
  /** Bytes of the last line that were added as a record before its newline arrived. */
  #tookEarly = 0;
  #isRead = false;
  #isGrowing = false;
  #isClosed = false;
  /** Rows from the index kept beside the file. The intermediate state is not kept, so only marks can follow. */
  #keptRows = 0;
  #hasOutgrownIndex = false;
  /** Serializes operations on the file. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(
    file: FileSource,
    { header, upgrade, end }: ReadHeader,
    onChange: (changedFrom: number) => void,
  ) {
    this.file = file;
    this.header = header;
    this.#upgrade = upgrade;
    this.#onChange = onChange;
    this.#clock = new FileClock(header);
    this.#cutter = new LineCutter(end);
    this.#read = end;
    file.upgradeBy(upgrade);
  }

  /**
   * Opens a trace and reads only its header.
   *
   * @param onChange called when rows were added or changed; must return at once
   * @throws FaultError if that fails
   */
  static async open(path: string, onChange: (changedFrom: number) => void): Promise<TraceFromFile> {
    const file = await FileSource.open(path);
    try {
      const start = Buffer.alloc(Math.min(MAX_HEADER, file.size));
      const count = await file.fill(start, 0);
      return new TraceFromFile(file, readHeader(path, start.subarray(0, count)), onChange);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Secrets were never written to the file. */
  redacted<T>(value: T): T {
    return value;
  }

  /** Restores all rows and findings from a valid index beside the file; call it before reading. */
  restore(): Promise<void> {
    return this.#inTurn(() => this.#restore());
  }

  /** Rows that need no check, because their findings were restored too. */
  get keptRows(): number {
    return this.#keptRows;
  }

  /** Whether records followed that the restored index cannot relate: the file must be read from the beginning. */
  get hasOutgrownIndex(): boolean {
    return this.#hasOutgrownIndex;
  }

  /**
   * Writes an index beside the file once all of it was read and checked, unless it is small, damaged or still growing.
   */
  keepIndex(): Promise<void> {
    return this.#inTurn(() => this.#keepIndex());
  }

  /** Reads up to the current end of the file. */
  readAll(): Promise<void> {
    return this.#inTurn(() => this.#readOn());
  }

  /** Checks for changes by other processes; reads on if the file has grown. */
  follow(): Promise<void> {
    return this.#inTurn(() => this.#follow());
  }

  /** Appends a mark to the file. @throws FaultError if that fails, and the file is as before */
  mark(row: number, note: string | null): Promise<void> {
    return this.#inTurn(() => this.#mark(row, note));
  }

  /** The view of the file. */
  view(): Omit<OpenedTrace, 'sessionId' | 'isChecked'> {
    const { index, findings, file } = this;
    return {
      path: file.path,
      name: file.name,
      header: this.header,
      size: Math.max(file.size, this.#read),
      read: this.#read,
      unfinished: this.#cutter.pending - this.#tookEarly,
      isRead: this.#isRead,
      isGrowing: this.#isGrowing,
      counts: {
        rows: index.columns.count,
        messages: index.messages,
        errors: index.errors,
        invalid: index.invalid,
      },
      findings: { ...findings.counts },
      medianDuration: this.durations.median(),
      faults: this.#damage.faults(file.path),
    };
  }

  /** Closes the file; pending reads are abandoned. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#inTurn(() => this.file.close());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    // The caller gets the error; the queue continues.
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #restore(): Promise<void> {
    const { path, size } = this.file;
    if (size < WORTH_KEEPING || this.#upgrade !== null) return;
    const kept = await readKeptIndex({ path, length: size, fill: this.#fill });
    if (kept === null || !(await this.#areMarks(kept.length, size))) return;
    const { rows, findings, durations, clock, lines } = kept.state;
    this.index.restore(rows);
    this.findings.restore(findings);
    this.durations.restore(durations);
    this.#clock.restore(clock);
    this.#lines = lines;
    this.#read = kept.length;
    this.#cutter = new LineCutter(kept.length);
    this.#keptRows = this.index.columns.count;
    this.#onChange(0);
  }

  /** Whether a range of the file contains only marks. */
  async #areMarks(from: number, end: number): Promise<boolean> {
    if (end - from > MAX_MARKS) return false;
    let areMarks = true;
    const cutter = new LineCutter(from);
    cutter.push(await this.file.readSpan(from, end), (line) => {
      const reading = readLine(line, null);
      areMarks &&= reading === null || ('record' in reading && reading.record.kind === 'mark');
    });
    return areMarks && cutter.pending === 0;
  }

  async #keepIndex(): Promise<void> {
    const { path, size } = this.file;
    const isAllRead = this.#isRead && size === this.#read && this.#cutter.pending === 0;
    const isFit = size >= WORTH_KEEPING && this.#upgrade === null && this.#keptRows === 0;
    if (!isAllRead || !isFit || this.#isGrowing || this.#damage.faults(path).length > 0) return;
    // The file was moved or replaced, so the index would not be beside it.
    if ((await this.file.changed()) !== 'none') return;
    const state = {
      rows: this.index.state,
      findings: this.findings.state,
      durations: this.durations.state,
      clock: this.#clock.state,
      lines: this.#lines,
    };
    await keepIndex({ path, length: this.#read, fill: this.#fill }, state, () => !this.#isClosed);
  }

  readonly #fill = (buffer: Buffer, from: number): Promise<number> => this.file.fill(buffer, from);

  async #follow(): Promise<void> {
    if (this.#isClosed) return;
    const damage = this.#damage;
    const changedAt = await this.file.update();
    // A truncated file cannot be trusted any more, even if it grows again.
    if (damage.change === 'truncated') return;
    damage.change = this.file.size < this.#read ? 'truncated' : await this.file.changed();
    if (this.file.size > this.#read) {
      this.#clock.grew();
      await this.#readOn();
    } else this.#updateGrowth(changedAt);
  }

  async #mark(row: number, note: string | null): Promise<void> {
    const { columns } = this.index;
    if (row < 0 || row >= columns.count) throw new FaultError(noSuchRow(row));
    await this.#follow();
    const { path } = this.file;
    const [fault] = this.#damage.changeFaults(path);
    if (fault !== undefined) throw new FaultError(fault);
    if (this.#isGrowing) throw new FaultError(faults.beingWritten(path));
    const position = columns.position(row);
    const record: MarkRecord = {
      seq: this.#clock.seq + 1,
      // The session in the file used another clock.
      at: this.#clock.at,
      kind: 'mark',
      of: columns.seq(row),
      ...(position > 0 && { position }),
      note,
    };
    await this.#append(JSON.stringify(record));
    await this.#readOn();
  }

  async #readOn(): Promise<void> {
    try {
      await this.#readPieces();
      this.#damage.unread = null;
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      this.#damage.unread = error.fault;
    }
    if (this.#isClosed) return;
    this.#takeEarly();
    this.#isRead = true;
    this.#updateGrowth(await this.file.update());
  }

  /** Reads the next piece while one is parsed. */
  async #readPieces(): Promise<void> {
    let piece = Buffer.allocUnsafe(PIECE);
    let spare = Buffer.allocUnsafe(PIECE);
    for (let count = await this.file.fill(piece, this.#read); count > 0 && !this.#isClosed; ) {
      this.#read += count;
      this.#damage.torn = null;
      const next = this.file.fill(spare, this.#read);
      this.#take(piece.subarray(0, count));
      count = await next;
      [piece, spare] = [spare, piece];
    }
  }

  #take(piece: Buffer): void {
    let changedFrom = Number.POSITIVE_INFINITY;
    this.#cutter.push(piece, (line) => {
      this.#lines++;
      changedFrom = Math.min(changedFrom, this.#takeLine(this.#withoutEarly(line)));
    });
    this.#notifyChange(changedFrom);
  }

  /** Returns the earliest changed row. */
  #takeLine(line: CutLine): number {
    const reading = readLine(line, this.#upgrade);
    if (reading === null) return Number.POSITIVE_INFINITY;
    if ('why' in reading) {
      this.#damage.badLine({ line: this.#lines, offset: line.offset, why: reading.why });
      return Number.POSITIVE_INFINITY;
    }
    const { record, offset, length } = reading;
    if (this.#keptRows > 0 && record.kind !== 'mark') {
      this.#hasOutgrownIndex = true;
      return Number.POSITIVE_INFINITY;
    }
    this.#clock.add(record);
    const { recorded, changedFrom } = this.index.add(record, { offset, length }, contentOf(record));
    for (const { duration } of recorded) if (duration !== null) this.durations.add(duration);
    return changedFrom;
  }

  /** A file may end with a complete record without a newline. */
  #takeEarly(): void {
    const bytes = this.#tookEarly === 0 ? this.#cutter.rest : EMPTY;
    const { offset } = this.#cutter;
    const line = { bytes, from: 0, to: bytes.length, offset, length: bytes.length };
    const reading = readLine(line, this.#upgrade);
    if (reading === null || 'why' in reading) return;
    this.#tookEarly = bytes.length;
    this.#notifyChange(this.#takeLine(line));
  }

  #withoutEarly(line: CutLine): CutLine {
    const early = this.#tookEarly;
    if (early === 0) return line;
    this.#tookEarly = 0;
    return {
      ...line,
      from: Math.min(line.to, line.from + early),
      offset: line.offset + early,
      length: line.length - early,
    };
  }

  #notifyChange(changedFrom: number): void {
    if (changedFrom !== Number.POSITIVE_INFINITY) this.#onChange(changedFrom);
  }

  /** An invalid end of the file counts as torn, unless the file changed recently. */
  #updateGrowth(changedAt: number): void {
    const { offset, pending } = this.#cutter;
    const isTorn = pending > this.#tookEarly && Date.now() - changedAt > SETTLED;
    this.#damage.torn = isTorn ? { offset, bytes: pending } : null;
    // An excerpt is written in one go.
    this.#isGrowing = this.header.excerpt === undefined && this.#clock.isBeingWritten(changedAt);
  }

  /** @throws FaultError if it cannot be written completely */
  async #append(line: string): Promise<void> {
    // Ends an incomplete last line first, so that nothing of it is lost.
    const bytes = Buffer.from(`${this.#cutter.pending > 0 ? '\n' : ''}${line}\n`);
    try {
      const handle = await open(this.file.path, 'a');
      try {
        const { bytesWritten } = await handle.write(bytes, 0, bytes.length);
        if (bytesWritten < bytes.length) throw new Error('only a part of the mark could be written');
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw new FaultError(faults.cannotMark(this.file.path, error));
    }
  }
}

const EMPTY = Buffer.alloc(0);
