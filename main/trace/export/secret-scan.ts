import type { ReadableTrace } from '#trace/readable-trace.ts';
import { Patterns } from './redact/patterns.ts';
import { prepare, RecordRedaction } from './redact/record-redaction.ts';
import { Redaction } from './redact/redaction.ts';
import { recordLines } from './source.ts';
import { Turns } from '#transports/async.ts';
import type { Redaction as RedactionOptions } from '#shared/contract/exports.ts';

/** Learns every secret value of a trace by reading all of it once. If the trace grows, reads only what is new. */
export class SecretScan {
  readonly redaction: Redaction;
  readonly #trace: ReadableTrace;
  readonly #records: RecordRedaction;
  readonly #options: RedactionOptions;
  #seen = 0;
  #scanning: Promise<void> = Promise.resolve();

  /** @throws FaultError if a pattern is not a valid regular expression */
  constructor(trace: ReadableTrace, options: RedactionOptions) {
    this.#trace = trace;
    this.#options = options;
    this.redaction = Redaction.toLearn(options.isOn, new Patterns(options.patterns));
    this.#records = new RecordRedaction(this.redaction, trace.index);
  }

  /** Whether it was made with these options. */
  isFor({ isOn, patterns }: RedactionOptions): boolean {
    return this.#options.isOn === isOn && JSON.stringify(this.#options.patterns) === JSON.stringify(patterns);
  }

  /** Reads the rest of the trace. @throws FaultError if it cannot be read or a pattern is too slow */
  catchUp(check: () => void): Promise<void> {
    const scanning = this.#scanning.catch(() => undefined).then(() => this.#scan(check));
    this.#scanning = scanning;
    return scanning;
  }

  async #scan(check: () => void): Promise<void> {
    if (!this.redaction.isNeeded) return;
    const { file, header } = this.#trace;
    if (this.#seen === 0) this.#records.header(header);
    const turns = new Turns();
    for await (const lines of recordLines(file, this.#seen, file.size, turns)) {
      check();
      prepare(
        this.redaction,
        this.#trace,
        lines.map(({ record }) => record),
      );
      for (const { record, next } of lines) {
        this.redaction.keyLines.add(record);
        this.#records.redact(record);
        this.#seen = next;
        // Learning a value takes about a millisecond, and each line may contain one.
        await turns.pass();
      }
    }
  }
}
