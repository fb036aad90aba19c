import { basename } from 'node:path';
import type { DefinitionChanges } from '#shared/contract/definitions.ts';
import type { AuthorizationFlow, AuthorizationStep } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Evidence } from '#shared/contract/sessions.ts';
import type { BodyKind } from '#shared/body-secrets.ts';
import type { HeaderLines, PhaseName, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import type { WireEvent } from '#transports/transport.ts';
import { DurationSample } from './duration-sample.ts';
import { Findings } from './findings.ts';
import type { NewFinding, Checker, MakeChecker } from './findings.ts';
import type { RecordedMessage } from './recorded-message.ts';
import { keepIndex, WORTH_KEEPING } from './kept-index/index-file.ts';
import { FileClock } from './file-clock.ts';
import { noSuchRow, type ReadableTrace } from './readable-trace.ts';
import { Recorder } from './recorder/recorder.ts';
import { redactTexts } from './recorder/credentials.ts';
import { bodyText, headerCopy } from './recorder/response-copy.ts';
import type { Redactor } from './recorder/redaction.ts';
import type { Content } from './rows/indexed-message.ts';
import { type Added, RowIndex } from './rows/row-index.ts';
import { rowsToSeqs } from './authorization-record.ts';
import { TraceWriter } from './trace-writer.ts';

/** Milliseconds between two records that tie the monotonic clock to the wall clock. */
const ANCHOR_EVERY = 60_000;
/** Lines of stderr kept to explain why a server failed, and characters of each. */
const RECENT_STDERR = 20;
const MAX_LINE = 1000;

export interface TraceOptions {
  readonly path: string;
  readonly header: TraceHeader;
  readonly redactor: Redactor;
  /** Creates the checker of each message; without it nothing is checked. */
  readonly makeChecker?: MakeChecker | undefined;
  /** Whether the index is saved beside the file once the trace is closed. */
  readonly keepsIndex?: boolean;
  /** Called when rows were added or changed; must return at once. */
  readonly onChange: (changedFrom: number) => void;
  /** Called with true when the disk cannot keep up, and with false when it can again. */
  readonly onCongested: (isCongested: boolean) => void;
}

/**
 * The record of one session, from its first byte. Each event of the transport is numbered, redacted, queued for the file
 * (which has it within milliseconds), related to earlier rows and checked, in this order and synchronously. Only after
 * that does the session act on it.
 */
export class Trace implements ReadableTrace {
  readonly index = new RowIndex();
  readonly durations = new DurationSample();
  readonly findings = new Findings(this.index.columns, (text) => this.redacted(text));
  readonly header: TraceHeader;
  readonly file: TraceWriter;
  readonly #options: TraceOptions;
  readonly #anchors: NodeJS.Timeout;
  readonly #recorder: Recorder;
  readonly #checker: Checker | undefined;
  readonly #clock: FileClock;
  /** Lines of the file; the header is the first. */
  #lines = 1;
  #fault: Fault | null = null;
  #recentStderr: string[] = [];

  private constructor(file: TraceWriter, options: TraceOptions) {
    this.file = file;
    this.header = options.header;
    this.#options = options;
    this.#recorder = new Recorder(options.redactor);
    this.#clock = new FileClock(options.header);
    this.#checker = options.makeChecker?.(this.index.columns);
    file.listen({ congested: options.onCongested, failed: (fault) => this.#fail(fault) });
    this.#anchors = setInterval(() => this.#append(this.#recorder.anchor()), ANCHOR_EVERY).unref();
  }

  static async create(options: TraceOptions): Promise<Trace> {
    return new Trace(await TraceWriter.create(options.path, options.header), options);
  }

  get name(): string {
    return basename(this.file.path);
  }

  /** Why the trace cannot be written; null if it can. */
  get fault(): Fault | null {
    return this.#fault;
  }

  /** The last recorded lines of the standard error of the server's last process. */
  get recentStderr(): readonly string[] {
    return this.#recentStderr;
  }

  /** Records an event of the transport; returns the messages it completed. */
  record(event: WireEvent): RecordedMessage[] {
    const record = this.#recorder.wireEvent(event);
    if (event.kind === 'stderr-bytes') this.#noteStderr(record, event.first);
    if (event.kind === 'process' && event.change.what === 'spawn') this.#recentStderr = [];
    return this.#append(record, 'bytes' in event ? this.#contentOf(record, event.bytes) : EMPTY);
  }

  /** The content of a record as it was on the wire: as text if the record has it, so that it is not decoded again. */
  #contentOf(record: TraceRecord, bytes: Buffer): Content {
    const isWhole = record.kind === 'unit' && !record.more;
    return (isWhole && !this.#recorder.hasReplacedLast ? record.text : undefined) ?? bytes;
  }

  /**
   * Treats one more value as secret from now on. It is replaced where `kind` says it belongs, and everywhere else if it is
   * long enough not to match ordinary text.
   *
   * @param kind what the value is, such as `header:X-Api-Key`
   */
  markSecret(kind: string, value: string): void {
    this.#options.redactor.mark(kind, value);
  }

  /** Treats one more value as secret from now on, wherever it occurs, because the user says that it is one. */
  hideSecret(kind: string, value: string): void {
    this.#options.redactor.learn(kind, value);
  }

  /** Replaces secrets in a value, as in the record. */
  redacted<T>(value: T): T {
    return redactTexts(this.#options.redactor, value);
  }

  /** The copy of a response of an authorization server that may be quoted and shown: the one that is in the record. */
  responseCopy(
    { headers, body }: { readonly headers: HeaderLines; readonly body: Buffer },
    kind: BodyKind,
  ): { readonly headers: HeaderLines; readonly text: string; readonly hide: (text: string) => string } {
    const { redactor } = this.#options;
    return {
      headers: headerCopy(redactor, headers, kind),
      ...bodyText(redactor, body, { kind, headers }),
    };
  }

  /** Replaces secrets in JSON text, as in the record: it stays valid JSON. */
  redactedJson(text: string): string {
    return this.#options.redactor.redactUnit(Buffer.from(text)).toString();
  }

  /** Records that the session entered a phase, and the evidence found since the previous one. */
  phase(phase: PhaseName, reason: string | null, evidence: readonly Evidence[] = []): void {
    const steps = evidence.map(({ text, row }) => ({
      text,
      ...(row !== null && { of: this.index.columns.seq(row) }),
    }));
    this.#append(this.#recorder.phase(phase, reason, steps));
  }

  /** Records a mark of the user on a row, or its removal. @throws FaultError if there is no such row */
  mark(row: number, note: string | null): void {
    const { columns } = this.index;
    if (row < 0 || row >= columns.count) throw new FaultError(noSuchRow(row));
    this.#append(this.#recorder.mark(columns.seq(row), columns.position(row), note));
  }

  /** Records what the server defines differently from its last connection. */
  definitions(changes: DefinitionChanges): void {
    this.#append(this.#recorder.definitions(changes));
  }

  /** Records which client switches are on from now. */
  recordSwitches(on: readonly string[]): void {
    this.#append(this.#recorder.switches(on));
  }

  /**
   * Records that a step of an authorization flow has ended, or the flow itself.
   *
   * @param what the change in one line
   * @param steps the steps that changed since the last record of this flow
   */
  authorization(
    what: string,
    { steps: _, ...flow }: AuthorizationFlow,
    steps: readonly AuthorizationStep[],
  ): void {
    const { columns } = this.index;
    const change = {
      what,
      flow: rowsToSeqs(flow, columns),
      steps: steps.map((step) => rowsToSeqs(step, columns)),
    };
    this.#append(this.#recorder.authorization(change));
  }

  /** Notes that the file was renamed. */
  moved(path: string): void {
    this.file.moved(path);
    this.#options.onChange(this.index.columns.count);
  }

  /** Writes everything and closes the file; the trace stays readable. */
  async close(): Promise<void> {
    clearInterval(this.#anchors);
    if (this.#options.keepsIndex && this.file.isOpen) await this.#keepIndex();
    await this.file.close();
  }

  /** Saves the index, unless reading the file would derive another one because secrets were replaced in messages. */
  async #keepIndex(): Promise<void> {
    await this.file.flush();
    const { path, size: length } = this.file;
    if (length < WORTH_KEEPING || this.#fault !== null || this.#recorder.hasReplacedContent) return;
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
    // A further piece of a line is joined to the piece before.
    const before = isNew ? '' : (this.#recentStderr.at(-1) ?? '');
    const others = isNew ? this.#recentStderr.slice(1 - RECENT_STDERR) : this.#recentStderr.slice(0, -1);
    this.#recentStderr = [...others, `${before}${text}`.slice(0, MAX_LINE)];
  }

  #fail(fault: Fault | null): void {
    this.#fault = fault;
    this.#options.onChange(this.index.columns.count);
  }

  #append(record: TraceRecord, content: Content = EMPTY): RecordedMessage[] {
    const span = this.file.append(JSON.stringify(record));
    this.#clock.add(record);
    this.#lines++;
    const added = this.index.add(record, span, content);
    for (const { duration } of added.recorded) if (duration !== null) this.durations.add(duration);
    this.#options.onChange(Math.min(added.changedFrom, this.#check(added)));
    return added.recorded;
  }

  /** Checks what a record carried; returns the earliest changed row. */
  #check({ recorded, noise, step, event }: Added): number {
    let earliest = this.index.columns.count;
    const checker = this.#checker;
    if (checker === undefined) return earliest;
    const keep = (found: readonly NewFinding[]): void => {
      for (const one of found) earliest = Math.min(earliest, this.findings.add(one));
    };
    if (step) keep(checker.exchangeStep(step));
    if (event) keep(checker.sseEvent(event));
    if (noise) keep(checker.noise(noise));
    else if (recorded.length > 0) keep(checker.messages(recorded));
    return earliest;
  }
}

const EMPTY = Buffer.alloc(0);
