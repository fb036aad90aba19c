import type { ReadableTrace } from '#trace/readable-trace.ts';
import { Patterns } from './redact/patterns.ts';
import { prepare, RecordRedaction } from './redact/record-redaction.ts';
import { Redaction } from './redact/redaction.ts';
import { recordLines, Turns } from './record-lines.ts';
import type { Redaction as RedactionWishes } from '#shared/contract/exports.ts';

/** What is secret anywhere in a trace, learned by looking through all of it; a trace that grew is looked through further. */
export class SecretScan {
  readonly redaction: Redaction;
  readonly #trace: ReadableTrace;
  readonly #records: RecordRedaction;
  readonly #wishes: RedactionWishes;
  #seen = 0;
  #looking: Promise<void> = Promise.resolve();

  /** @throws FaultError when a pattern is no regular expression */
  constructor(trace: ReadableTrace, wishes: RedactionWishes) {
    this.#trace = trace;
    this.#wishes = wishes;
    this.redaction = Redaction.toLearn(wishes.isOn, new Patterns(wishes.patterns));
    this.#records = new RecordRedaction(this.redaction, trace.index);
  }

  /** Whether it is about what is wished for here. */
  isFor({ isOn, patterns }: RedactionWishes): boolean {
    return this.#wishes.isOn === isOn && JSON.stringify(this.#wishes.patterns) === JSON.stringify(patterns);
  }

  /** Looks through what it has not seen. @throws FaultError when the trace cannot be read or a pattern is too slow */
  catchUp(check: () => void): Promise<void> {
    const looking = this.#looking.catch(() => undefined).then(() => this.#look(check));
    this.#looking = looking;
    return looking;
  }

  async #look(check: () => void): Promise<void> {
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
        this.redaction.keyLines.look(record);
        this.#records.redact(record);
        this.#seen = next;
        // To learn a value takes about a millisecond, and each line may hold one.
        await turns.pass();
      }
    }
  }
}
