import { type Finding, MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { Excerpt, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import { channelKinds } from '#shared/trace/row.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import type { ChosenRows } from '#trace/trace-feed.ts';
import type { LineSpan, LineSource } from '#trace/trace-writer.ts';
import { parseRecord } from '#trace/view/row-reader.ts';
import type { Additions } from './output.ts';
import { prepare, RecordRedaction } from './redact/record-redaction.ts';
import type { Redaction } from './redact/redaction.ts';
import { Removals } from './redact/spans.ts';
import { Turns } from '#transports/async.ts';

/** Max records to read at once, in number and in bytes. */
const MAX_RECORDS = 200;
const MAX_BYTES = 256 * 1024;
/** Rows between two checks whether to yield. */
const SOME = 1024;

/** How much of a trace is exported. A live session continues, and its later records were not scanned for secrets. */
export interface Extent {
  /** Bytes of the file. */
  readonly size: number;
  /** Rows of the index. */
  readonly rows: number;
  /** Whether all of them were chosen. */
  readonly isAll: boolean;
}

/** A redacted record and its chosen rows. */
interface RowRecord {
  readonly rows: readonly number[];
  readonly record: TraceRecord;
}

/** The records to export: those of the chosen rows, with secrets replaced, a few at a time. */
export class Source {
  readonly trace: ReadableTrace;
  readonly rows: ChosenRows;
  readonly removals: Removals;
  readonly turns = new Turns();
  readonly extent: Extent;
  readonly #learned: Redaction;
  readonly #records: RecordRedaction;
  readonly #check: () => void;

  /**
   * @param check throws if the export was cancelled
   */
  constructor(
    trace: ReadableTrace,
    rows: ChosenRows,
    extent: Extent,
    learned: Redaction,
    check: () => void,
    removals = new Removals(),
  ) {
    this.trace = trace;
    this.rows = rows;
    this.extent = extent;
    this.removals = removals;
    this.#learned = learned;
    this.#check = check;
    this.#records = new RecordRedaction(learned.toReplace(removals), trace.index);
  }

  /** A copy of this source for a second pass, which does not count replacements. */
  again(): Source {
    return new Source(this.trace, this.rows, this.extent, this.#learned, this.#check);
  }

  /** The same source with other rows. */
  ofRows(rows: ChosenRows): Source {
    return new Source(this.trace, rows, this.extent, this.#learned, this.#check, this.removals);
  }

  /** A text about the trace, with secrets replaced. */
  text(text: string): string {
    return this.#learned.isNeeded ? this.#learned.toReplace(this.removals).text(text, 0) : text;
  }

  /** Counts the rows of a file that were not chosen. @param isInFile whether the file has this row */
  async additions(isInFile: (row: number) => boolean): Promise<Additions> {
    const { columns } = this.trace.index;
    const chosen = new Uint8Array(this.extent.rows);
    for (const row of eachOf(this.rows)) chosen[row] = 1;
    let added = 0;
    let addedMessages = 0;
    let addedStderr = 0;
    for (let row = 0; row < chosen.length; row++) {
      if (row % SOME === 0) await this.turns.pass();
      if (chosen[row] === 1 || !isInFile(row)) continue;
      added++;
      if (channelKinds.has(columns.kind(row))) addedMessages++;
      if (columns.kind(row) === 'stderr') addedStderr++;
    }
    return { added, addedMessages, addedStderr };
  }

  /** Waits for the next turn if this one has lasted long enough. @throws if the export was cancelled */
  async pass(): Promise<void> {
    this.#check();
    await this.turns.pass();
  }

  /** The header with secrets replaced. */
  get header(): TraceHeader {
    return this.#records.header(this.trace.header);
  }

  /** The same for a file with only some rows, or after all with every row. */
  headerOf(excerpt: Excerpt | undefined): TraceHeader {
    const { excerpt: _, ...header } = this.trace.header;
    return this.#records.header({ ...header, ...(excerpt && { excerpt }) });
  }

  /** The lines of all wanted records, in order. */
  async *lines(isWanted: (record: TraceRecord, row: number | null) => boolean): AsyncGenerator<string[]> {
    for await (const lines of recordLines(this.trace.file, 0, this.extent.size, this.turns)) {
      this.#check();
      const wanted = lines.filter(({ record }) => isWanted(record, this.#records.rowOf(record)));
      this.#prepare(wanted.map(({ record }) => record));
      const written: string[] = [];
      for (const line of wanted) {
        written.push(this.#written(line));
        await this.turns.pass();
      }
      yield written;
    }
  }

  /** The records of the rows, in order. A record with several rows occurs once. */
  async *records(rows: Iterable<number>): AsyncGenerator<RowRecord> {
    for (const some of this.#together(rows)) {
      const records = await this.#read(some.map(([first = 0]) => this.#spanOf(first)));
      this.#prepare(records);
      for (const [index, record] of records.entries()) {
        yield { rows: some[index] ?? [], record: this.#records.redact(record) };
        await this.turns.pass();
      }
      this.#check();
    }
  }

  /** The further pieces of a row's unit. Must be read whenever the first piece was. */
  async *pieces(row: number): AsyncGenerator<TraceRecord> {
    for (const span of this.trace.index.chunksOf(row)) {
      for (const record of await this.#read([span])) yield this.#records.redact(record);
      await this.turns.pass();
      this.#check();
    }
  }

  /** The records in these lines of the file. */
  async at(spans: readonly (LineSpan | null)[]): Promise<TraceRecord[]> {
    const records = await this.#read(spans.filter((span) => span !== null));
    return records.map((record) => this.#records.redact(record));
  }

  /** The findings of the chosen rows: their number, and the first ones. Replacements here are not counted. */
  findings(): { findings: Finding[]; findingCount: number } {
    const { findings: all, index } = this.trace;
    const chosen = new Set<number>();
    for (const row of eachOf(this.rows)) if (index.columns.finding(row) !== null) chosen.add(row);
    const redaction = this.#learned.toReplace(new Removals());
    const findings: Finding[] = [];
    let findingCount = 0;
    for (let from = 0; from < all.count; from += MAX_FINDINGS_PER_PAGE) {
      for (const finding of all.page(from, MAX_FINDINGS_PER_PAGE)) {
        const row = finding.rows.find((one) => chosen.has(one));
        if (row === undefined || ++findingCount > MAX_FINDINGS_PER_PAGE) continue;
        const redacted = (text: string) => (redaction.isNeeded ? redaction.text(text, row) : text);
        const { text, pointer } = finding;
        findings.push({ ...finding, text: redacted(text), pointer: pointer && redacted(pointer) });
      }
    }
    return { findings, findingCount };
  }

  async #read(spans: readonly LineSpan[]): Promise<TraceRecord[]> {
    const exported = spans.filter(({ offset }) => offset < this.extent.size);
    return (await this.trace.file.read(exported)).map(parseRecord);
  }

  #prepare(records: readonly TraceRecord[]): void {
    prepare(this.#learned, this.trace, records);
  }

  #written({ line, record }: RecordLine): string {
    if (!this.#learned.isNeeded) return line;
    const before = this.removals.count;
    const redacted = this.#records.redact(record);
    const isPiece = record.kind === 'chunk' || 'more' in record;
    // Text may have moved from one piece to the next.
    return isPiece || this.removals.count > before ? JSON.stringify(redacted) : line;
  }

  #spanOf(row: number): LineSpan {
    const { columns } = this.trace.index;
    return { offset: columns.offset(row), length: columns.length(row) };
  }

  /** Groups rows by record, in batches to read at once. */
  *#together(rows: Iterable<number>): Generator<number[][]> {
    const { columns } = this.trace.index;
    let some: number[][] = [];
    let bytes = 0;
    let seq = -1;
    for (const row of rows) {
      if (row >= this.extent.rows) continue;
      if (columns.seq(row) === seq) {
        some.at(-1)?.push(row);
        continue;
      }
      if (some.length === MAX_RECORDS || bytes > MAX_BYTES) {
        yield some;
        some = [];
        bytes = 0;
      }
      seq = columns.seq(row);
      some.push([row]);
      bytes += columns.length(row);
    }
    if (some.length > 0) yield some;
  }
}

/** The chosen rows one after the other. */
export function* eachOf(rows: ChosenRows): Generator<number> {
  for (let index = 0; index < rows.count; index++) yield rows.at(index);
}

/** A record and its line. */
interface RecordLine {
  readonly line: string;
  readonly record: TraceRecord;
  /** Where the next line begins. */
  readonly next: number;
}

const SPAN = 512 * 1024;
const NEWLINE = 0x0a;

/**
 * The records in a range of a trace file, in order and a few at a time. Lines that are not records are skipped, as when
 * the file is opened.
 *
 * @param from where the header or a record begins
 */
export async function* recordLines(
  file: LineSource,
  from: number,
  end: number,
  turns: Turns,
): AsyncGenerator<RecordLine[]> {
  let rest: Buffer[] = [];
  for (let offset = from; offset < end; ) {
    const to = Math.min(end, offset + SPAN);
    const span = await file.readSpan(offset, to);
    // The file has become shorter than it was.
    if (span.length === 0) return;
    offset += span.length;
    const last = span.lastIndexOf(NEWLINE);
    if (last === -1) {
      rest.push(span);
      continue;
    }
    const whole = Buffer.concat([...rest, span.subarray(0, last)]);
    rest = [span.subarray(last + 1)];
    yield* parsed(whole, offset - span.length + last - whole.length, turns);
  }
  // An unfinished last line may still be complete.
  const whole = Buffer.concat(rest);
  yield* parsed(whole, end - whole.length, turns);
}

/** Max records in memory at a time, in number and in bytes. */
const MAX_LINES = 200;
const MAX_LINE_BYTES = 128 * 1024;

/** @param offset where these whole lines begin in the file */
async function* parsed(whole: Buffer, offset: number, turns: Turns): AsyncGenerator<RecordLine[]> {
  let lines: RecordLine[] = [];
  let bytes = 0;
  for (let from = 0; from < whole.length; ) {
    const newline = whole.indexOf(NEWLINE, from);
    const end = newline === -1 ? whole.length : newline;
    const line = whole.toString('utf8', from, end);
    const record = readRecordLine(line);
    if (record !== null) lines.push({ line, record, next: offset + end + 1 });
    bytes += end - from;
    from = end + 1;
    if (lines.length < MAX_LINES && bytes < MAX_LINE_BYTES && !turns.isOver) continue;
    if (lines.length > 0) yield lines;
    lines = [];
    bytes = 0;
    await turns.pass();
  }
  if (lines.length > 0) yield lines;
}

/** Null for the header, and for invalid records. */
function readRecordLine(line: string): TraceRecord | null {
  try {
    return parseRecord(line);
  } catch {
    // Opening the file has reported its faults.
    return null;
  }
}
