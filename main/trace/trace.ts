import { basename } from 'node:path';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { PhaseName, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import type { WireEvent } from '#wire/transport.ts';
import { DurationSample } from './times.ts';
import { Findings } from './findings.ts';
import type { Found, Inspector, MakeInspector, RecordedMessage } from './inspector.ts';
import { keepIndex, WORTH_KEEPING } from './kept-index/index-file.ts';
import { FileClock } from './times.ts';
import { noSuchRow, type ReadableTrace } from './readable-trace.ts';
import { Recorder } from './recorder/recorder.ts';
import { redactTexts } from './recorder/credentials.ts';
import type { Redactor } from './recorder/redaction.ts';
import { type Added, RowIndex } from './rows/row-index.ts';
import { TraceFile } from './trace-file.ts';

/** Milliseconds between two ties of the monotonic clock to the wall clock. */
const ANCHOR_EVERY = 60_000;
/** Lines of stderr kept at hand to explain why a server failed, and characters of each. */
const RECENT_STDERR = 20;
const LONGEST_LINE = 1000;

export interface TraceOptions {
  readonly path: string;
  readonly header: TraceHeader;
  readonly redactor: Redactor;
  /** What looks at each message; nothing does when left out. */
  readonly inspect?: MakeInspector | undefined;
  /** Keeps its index beside its file once it ends. */
  readonly keepsIndex?: boolean;
  /** Called when rows were added or changed; must only take note and return. */
  readonly onChange: (changedFrom: number) => void;
  /** The disk cannot keep up (true), or can again (false). */
  readonly onCongested: (isCongested: boolean) => void;
}

/**
 * The record of one session, from its first byte. What a transport saw is stamped, redacted, appended to the
 * file, related to what came before and looked at for faults, in this order and at once; only then does anybody
 * act on it.
 */
export class Trace implements ReadableTrace {
  readonly index = new RowIndex();
  readonly durations = new DurationSample();
  readonly findings = new Findings(this.index.columns, (text) => this.redacted(text));
  readonly header: TraceHeader;
  readonly file: TraceFile;
  readonly #options: TraceOptions;
  readonly #anchors: NodeJS.Timeout;
  readonly #recorder: Recorder;
  readonly #inspector: Inspector | undefined;
  readonly #clock: FileClock;
  /** Lines of the file; the header is the first. */
  #lines = 1;
  #fault: Fault | null = null;
  #recentStderr: string[] = [];

  private constructor(file: TraceFile, options: TraceOptions) {
    this.file = file;
    this.header = options.header;
    this.#options = options;
    this.#recorder = new Recorder(options.redactor);
    this.#clock = new FileClock(options.header);
    this.#inspector = options.inspect?.(this.index.columns);
    file.listen({ congested: options.onCongested, failed: (fault) => this.#fail(fault) });
    this.#anchors = setInterval(() => this.#append(this.#recorder.anchor()), ANCHOR_EVERY).unref();
  }

  static async create(options: TraceOptions): Promise<Trace> {
    return new Trace(await TraceFile.create(options.path, options.header), options);
  }

  get name(): string {
    return basename(this.file.path);
  }

  /** Why the trace is no longer written, if it is not. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** The last lines the server printed to its standard error, as they are on record. */
  get recentStderr(): readonly string[] {
    return this.#recentStderr;
  }

  /** Records what a transport saw; returns the messages that were completed by it. */
  record(event: WireEvent): RecordedMessage[] {
    const record = this.#recorder.wireEvent(event);
    if (event.kind === 'stderr-bytes') this.#noteStderr(record, event.first);
    return this.#append(record, 'bytes' in event ? event.bytes : EMPTY);
  }

  /** What is to be told of the session, with secrets replaced as on the record. */
  redacted<T>(value: T): T {
    return redactTexts(this.#options.redactor, value);
  }

  /** Records that the session entered a phase. */
  phase(phase: PhaseName, reason: string | null): void {
    this.#append(this.#recorder.phase(phase, reason));
  }

  /** Records that the user marked a row, or took its mark away. @throws FaultError when there is no such row */
  mark(row: number, note: string | null): void {
    const { columns } = this.index;
    if (row < 0 || row >= columns.count) throw new FaultError(noSuchRow(row));
    this.#append(this.#recorder.mark(columns.seq(row), columns.position(row), note));
  }

  /** Records which client switches make us a bad client from here on; none when the list is empty. */
  switches(on: readonly string[]): void {
    this.#append(this.#recorder.switches(on));
  }

  /** Its file was given another path. */
  moved(path: string): void {
    this.file.moved(path);
    this.#options.onChange(this.index.columns.count);
  }

  /** Writes everything and lets the file go; the trace stays readable. */
  async close(): Promise<void> {
    clearInterval(this.#anchors);
    if (this.#options.keepsIndex && this.file.isOpen) await this.#keepIndex();
    await this.file.close();
  }

  /** What is known of the trace is what reading its file would tell, unless secrets were replaced in the file. */
  async #keepIndex(): Promise<void> {
    await this.file.flush();
    const { path, size: length } = this.file;
    if (length < WORTH_KEEPING || this.#fault !== null || this.#recorder.hasReplaced) return;
    const state = {
      rows: this.index.state,
      findings: this.findings.state,
      durations: this.durations.state,
      clock: this.#clock.state,
      lines: this.#lines,
    };
    const fill = async (buffer: Buffer, from: number) =>
      (await this.file.readSpan(from, Math.min(length, from + buffer.length))).copy(buffer);
    await keepIndex({ path, length, fill }, state);
  }

  #noteStderr(record: TraceRecord, isNew: boolean): void {
    if (record.kind !== 'stderr' && record.kind !== 'chunk') return;
    const text = record.text ?? Buffer.from(record.base64 ?? '', 'base64').toString();
    // A line that came in pieces is one all the same.
    const before = isNew ? '' : (this.#recentStderr.at(-1) ?? '');
    const others = isNew ? this.#recentStderr.slice(1 - RECENT_STDERR) : this.#recentStderr.slice(0, -1);
    this.#recentStderr = [...others, `${before}${text}`.slice(0, LONGEST_LINE)];
  }

  #fail(fault: Fault | null): void {
    this.#fault = fault;
    this.#options.onChange(this.index.columns.count);
  }

  #append(record: TraceRecord, bytes: Buffer = EMPTY): RecordedMessage[] {
    const place = this.file.append(JSON.stringify(record));
    this.#clock.see(record);
    this.#lines++;
    const added = this.index.add(record, place, bytes);
    for (const { duration } of added.recorded) if (duration !== null) this.durations.add(duration);
    this.#options.onChange(Math.min(added.changedFrom, this.#inspect(added)));
    return added.recorded;
  }

  /** Has what a record turned out to carry looked at; returns the earliest row that changed by it. */
  #inspect({ recorded, noise, step, event }: Added): number {
    let earliest = this.index.columns.count;
    const inspector = this.#inspector;
    if (inspector === undefined) return earliest;
    const keep = (found: readonly Found[]): void => {
      for (const one of found) earliest = Math.min(earliest, this.findings.add(one));
    };
    if (step) keep(inspector.step(step));
    if (event) keep(inspector.event(event));
    if (noise) keep(inspector.noise(noise));
    else if (recorded.length > 0) keep(inspector.messages(recorded));
    return earliest;
  }
}

const EMPTY = Buffer.alloc(0);
