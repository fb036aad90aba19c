import { open } from 'node:fs/promises';
import { FaultError } from '#shared/contract/fault.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import type { MarkRecord, TraceHeader } from '#shared/trace/record.ts';
import { DurationSample } from '#trace/times.ts';
import { Findings } from '#trace/findings.ts';
import { keepIndex, readKeptIndex, WORTH_KEEPING } from '#trace/kept-index/index-file.ts';
import { noSuchRow, type ReadableTrace } from '#trace/readable-trace.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import * as faults from './faults.ts';
import { Damage } from './faults.ts';
import { FileClock } from '#trace/times.ts';
import { FileSource } from './file-source.ts';
import { LONGEST_HEADER, type ReadHeader, readHeader } from './header.ts';
import { type CutLine, LineCutter, contentOf, readLine } from './lines.ts';

/** Bytes read at a time: some thousand records, after which commands have their turn. */
const PIECE = 1024 * 1024;
/** Milliseconds without a change after which a line that has no end is torn, and not just being written. */
const SETTLED = 1000;
/** Bytes of marks behind what an index is of. */
const MOST_MARKS = 1024 * 1024;

/** A trace read from a file: its rows are derived from the records alone, and the records stay in the file. */
export class FileTrace implements ReadableTrace {
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
  /** Bytes that were read, and lines that ended in them; the header is the first. */
  #read: number;
  #lines = 1;
  /** Bytes of the last line that were taken as a record before its newline came. */
  #tookEarly = 0;
  #isRead = false;
  #isGrowing = false;
  #isClosed = false;
  /** Rows that came from an index kept beside the file. What else led to them is unknown, so only marks can follow. */
  #keptRows = 0;
  #hasOutgrownIndex = false;
  /** What is done to the file is done in turn. */
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
   * Opens a trace and reads its header, no more.
   *
   * @param onChange called when rows were added or changed; must only take note and return
   * @throws FaultError when that cannot be
   */
  static async open(path: string, onChange: (changedFrom: number) => void): Promise<FileTrace> {
    const file = await FileSource.open(path);
    try {
      const start = Buffer.alloc(Math.min(LONGEST_HEADER, file.size));
      const count = await file.fill(start, 0);
      return new FileTrace(file, readHeader(path, start.subarray(0, count)), onChange);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Secrets never reached the file. */
  redacted<T>(value: T): T {
    return value;
  }

  /** Takes all rows and findings from the index beside the file, when there is one that holds; before anything is read. */
  restore(): Promise<void> {
    return this.#inTurn(() => this.#restore());
  }

  /** Rows that need not be looked at any more, because what was found in them was kept too. */
  get keptRows(): number {
    return this.#keptRows;
  }

  /** Records came that its index does not say what to make of: it has to be read from the beginning. */
  get hasOutgrownIndex(): boolean {
    return this.#hasOutgrownIndex;
  }

  /** Keeps an index beside the file, once all of it was read and looked at, unless it is small, damaged or still written. */
  keepIndex(): Promise<void> {
    return this.#inTurn(() => this.#keepIndex());
  }

  /** Reads up to where the file ends now. */
  readAll(): Promise<void> {
    return this.#inTurn(() => this.#readOn());
  }

  /** Looks whether others changed the file; reads on when it has grown. */
  follow(): Promise<void> {
    return this.#inTurn(() => this.#follow());
  }

  /** Appends a mark to the file. @throws FaultError when that cannot be, and the file is as before */
  mark(row: number, note: string | null): Promise<void> {
    return this.#inTurn(() => this.#mark(row, note));
  }

  /** What is to be told of it, apart from what is not its own. */
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

  /** Lets the file go; what is being read of it is left. */
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

  /** Whether there are but marks from one place of the file to another. */
  async #areMarks(from: number, end: number): Promise<boolean> {
    if (end - from > MOST_MARKS) return false;
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
    // It would lie beside another file, or none.
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
    const changedAt = await this.file.look();
    // What was cut off once cannot be trusted any more, even when it has grown again.
    if (damage.change === 'truncated') return;
    damage.change = this.file.size < this.#read ? 'truncated' : await this.file.changed();
    if (this.file.size > this.#read) {
      this.#clock.grew();
      await this.#readOn();
    } else this.#judge(changedAt);
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
      // The clock of its session is not ours.
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
    this.#judge(await this.file.look());
  }

  /** The next piece is read while one is looked at. */
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
    this.#tell(changedFrom);
  }

  /** Returns the earliest row that changed. */
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
    this.#clock.see(record);
    const { recorded, changedFrom } = this.index.add(record, { offset, length }, contentOf(record));
    for (const { duration } of recorded) if (duration !== null) this.durations.add(duration);
    return changedFrom;
  }

  /** A file may end with a whole record that only lacks its newline. */
  #takeEarly(): void {
    const bytes = this.#tookEarly === 0 ? this.#cutter.rest : EMPTY;
    const { offset } = this.#cutter;
    const line = { bytes, from: 0, to: bytes.length, offset, length: bytes.length };
    const reading = readLine(line, this.#upgrade);
    if (reading === null || 'why' in reading) return;
    this.#tookEarly = bytes.length;
    this.#tell(this.#takeLine(line));
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

  #tell(changedFrom: number): void {
    if (changedFrom !== Number.POSITIVE_INFINITY) this.#onChange(changedFrom);
  }

  /** What stands at the end without being a record is torn, unless it was changed just now. */
  #judge(changedAt: number): void {
    const { offset, pending } = this.#cutter;
    const isTorn = pending > this.#tookEarly && Date.now() - changedAt > SETTLED;
    this.#damage.torn = isTorn ? { offset, bytes: pending } : null;
    this.#isGrowing = this.#clock.isBeingWritten(changedAt);
  }

  /** @throws FaultError when it cannot be written as a whole */
  async #append(line: string): Promise<void> {
    // A torn line, or one that lacks its newline, is ended first, so that nothing is lost of it.
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
