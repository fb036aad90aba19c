import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import type { Fault } from '#shared/contract/fault.ts';
import type { PhaseName, ProcessChange, TraceHeader, TraceRecord } from '#shared/trace/record.ts';
import { bothClocks, now } from '#wire/clock.ts';
import type { Piece, WireEvent } from '#wire/transport.ts';
import { DurationSample } from './duration-sample.ts';
import { PieceRedactor, type Redactor } from './redaction.ts';
import { RowIndex, type Seen } from './row-index.ts';
import { TraceFile } from './trace-file.ts';

/** Milliseconds between two ties of the monotonic clock to the wall clock. */
const ANCHOR_EVERY = 60_000;
/** Lines of stderr kept at hand to explain why a server failed. */
const RECENT_STDERR = 20;

export interface TraceOptions {
  readonly path: string;
  readonly header: TraceHeader;
  readonly redactor: Redactor;
  /** Called when rows were added or changed; must only take note and return. */
  readonly onChange: (changedFrom: number) => void;
  /** The disk cannot keep up (true), or can again (false). */
  readonly onCongested: (isCongested: boolean) => void;
}

/**
 * The record of one session, from its first byte. What a transport saw is stamped, redacted, appended to the
 * file and related to what came before, in this order and at once; only then does anybody act on it.
 */
export class Trace {
  readonly index = new RowIndex();
  readonly durations = new DurationSample();
  readonly header: TraceHeader;
  readonly file: TraceFile;
  readonly #options: TraceOptions;
  readonly #anchors: NodeJS.Timeout;
  /** `seq` of the record that a unit of the transport began with, while more of it is to come. */
  readonly #begun = new Map<number, number>();
  readonly #pieces: PieceRedactor;
  #seq = 0;
  #fault: Fault | null = null;
  #recentStderr: string[] = [];

  private constructor(file: TraceFile, options: TraceOptions) {
    this.file = file;
    this.header = options.header;
    this.#options = options;
    this.#pieces = new PieceRedactor(options.redactor);
    file.listen({ congested: options.onCongested, failed: (fault) => this.#fail(fault) });
    this.#anchors = setInterval(() => this.#anchor(), ANCHOR_EVERY).unref();
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

  /** The last lines the server printed to its standard error. */
  get recentStderr(): readonly string[] {
    return this.#recentStderr;
  }

  /** Records what a transport saw; returns the messages that were completed by it. */
  record(event: WireEvent): Seen[] {
    switch (event.kind) {
      case 'message-bytes': {
        const { direction, channel, origin, at, bytes } = event;
        if (!event.first) return this.#chunk(event);
        const seq = this.#begin(event);
        const noted = { seq, at, kind: 'unit' as const, direction, channel, ...(origin && { origin }) };
        return this.#append({ ...noted, ...this.#bytes(event) }, bytes);
      }
      case 'stderr-bytes': {
        if (!event.first) return this.#chunk(event);
        this.#recentStderr = [
          ...this.#recentStderr.slice(1 - RECENT_STDERR),
          event.bytes.toString('utf8', 0, 1000),
        ];
        const seq = this.#begin(event);
        return this.#append({ seq, at: event.at, kind: 'stderr', ...this.#bytes(event) }, event.bytes);
      }
      case 'process':
        return this.#append({
          seq: this.#seq++,
          at: event.at,
          kind: 'process',
          change: this.#redactChange(event.change),
        });
    }
  }

  /** Records that the session entered a phase. */
  phase(phase: PhaseName, reason: string | null): void {
    const record = { seq: this.#seq++, at: now(), kind: 'phase' as const, phase };
    this.#append(reason === null ? record : { ...record, reason: this.#options.redactor.redact(reason) });
  }

  /** Writes everything and lets the file go; the trace stays readable. */
  async close(): Promise<void> {
    clearInterval(this.#anchors);
    await this.file.close();
  }

  #fail(fault: Fault): void {
    this.#fault = fault;
    this.#options.onChange(this.index.columns.count);
  }

  #begin(piece: Piece): number {
    const seq = this.#seq++;
    if (piece.more) this.#begun.set(piece.unit, seq);
    return seq;
  }

  #chunk(piece: Piece): Seen[] {
    const of = this.#begun.get(piece.unit);
    if (of === undefined) throw new Error('a piece of a unit that never began');
    if (!piece.more) this.#begun.delete(piece.unit);
    const record = { seq: this.#seq++, at: piece.at, kind: 'chunk' as const, of, ...this.#bytes(piece) };
    return this.#append(record, piece.bytes);
  }

  #bytes({ unit, bytes, more, cut }: Piece) {
    const written = this.#pieces.redact(unit, bytes, more);
    return {
      ...(isUtf8(written) ? { text: written.toString('utf8') } : { base64: written.toString('base64') }),
      size: bytes.length,
      ...(more && { more: true as const }),
      ...(cut && { cut: true as const }),
    };
  }

  #redactChange(change: ProcessChange): ProcessChange {
    const { redactor } = this.#options;
    const redact = (text: string) => redactor.redact(text);
    switch (change.what) {
      case 'spawn':
        return { ...change, command: redact(change.command), args: change.args.map(redact) };
      case 'spawn-failed': {
        const { command, args, message } = change;
        return { ...change, command: redact(command), args: args.map(redact), message: redact(message) };
      }
      case 'stdin-failed':
        return { ...change, message: redact(change.message) };
      case 'stdout-closed':
      case 'shutdown':
      case 'exit':
        return change;
    }
  }

  #append(record: TraceRecord, bytes: Buffer = EMPTY): Seen[] {
    const place = this.file.append(JSON.stringify(record));
    const { seen, changedFrom } = this.index.add(record, place, bytes);
    for (const { duration } of seen) if (duration !== null) this.durations.add(duration);
    this.#options.onChange(changedFrom);
    return seen;
  }

  #anchor(): void {
    const { at, wall } = bothClocks();
    this.#append({ seq: this.#seq++, at, kind: 'anchor', wall });
  }
}

const EMPTY = Buffer.alloc(0);
