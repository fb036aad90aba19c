import { grown } from '#shared/typed-arrays.ts';
import { truncate } from '#shared/format.ts';
import { type Finding, MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { FindingSeverity } from '#shared/trace/row.ts';
import type {
  RecordedSseEvent,
  RecordedMessage,
  RecordedNoise,
  RecordedExchangeStep,
} from './recorded-message.ts';
import type { RowColumns } from './rows/row-columns.ts';

/**
 * Checks what each record of a trace carried, in order. An event comes before the messages in its data. Must not throw.
 */
export interface Checker {
  /** Messages that one record completed, already related to those before. */
  messages(recorded: readonly RecordedMessage[]): readonly NewFinding[];
  noise(noise: RecordedNoise): readonly NewFinding[];
  /** The request, the final response or the end of an exchange. */
  exchangeStep(step: RecordedExchangeStep): readonly NewFinding[];
  /** An event with more than data. */
  sseEvent(event: RecordedSseEvent): readonly NewFinding[];
}

/** Creates the checker of a new trace, which may read all rows so far. */
export type MakeChecker = (columns: RowColumns) => Checker;

/** A broken rule, without the row that breaks it. */
export interface Violation {
  /** Stable name of the rule, such as `schema/invalid`. */
  readonly rule: string;
  readonly severity: FindingSeverity;
  /** `schema` for the rules that start with `schema/`; `envelope` for all others, not only those about the envelope. */
  readonly source: 'envelope' | 'schema';
  /** One sentence. May quote untrusted text. */
  readonly text: string;
  /** Where in the message (RFC 6901); null for the whole message. */
  readonly pointer: string | null;
  /** The revision with the rule; null if all revisions have it. */
  readonly revision: string | null;
}

/** A violation, the row that shows it, and a further row that it refers to; null if there is none. */
export interface NewFinding {
  readonly violation: Violation;
  readonly row: number;
  readonly other: number | null;
}

const NONE = -1;
const FIRST_CAPACITY = 64;
/** Limit of distinct violations to keep; a server that varies its mistakes must not fill the memory. */
const MAX_VIOLATIONS = 10_000;
/** Characters of a text or pointer. */
const MAX_TEXT = 500;

/** All findings as plain values, to be stored in a file. */
export interface FindingsState {
  readonly violations: readonly Violation[];
  /** Per finding: the index of its violation, the row that shows it, and the other row it refers to or -1. */
  readonly violation: Int32Array<ArrayBuffer>;
  readonly row: Int32Array<ArrayBuffer>;
  readonly other: Int32Array<ArrayBuffer>;
}

/**
 * The findings of a trace, in order. Each distinct violation is kept once, so that a finding takes 12 bytes.
 */
export class Findings {
  readonly counts: Record<FindingSeverity, number> = { error: 0, warning: 0, info: 0 };
  readonly #columns: RowColumns;
  readonly #redacted: (text: string) => string;
  readonly #violations: Violation[] = [];
  /** The index of each violation in `#violations`, by its content. */
  readonly #indexes = new Map<string, number>();
  #count = 0;
  /** Per finding: the index of its violation, the row that shows it, and the other row it refers to or -1. */
  #violation = new Int32Array(FIRST_CAPACITY);
  #row = new Int32Array(FIRST_CAPACITY);
  #other = new Int32Array(FIRST_CAPACITY);

  /** @param redacted replaces secrets: findings quote messages as they were on the wire */
  constructor(columns: RowColumns, redacted: (text: string) => string = (text) => text) {
    this.#columns = columns;
    this.#redacted = redacted;
  }

  get count(): number {
    return this.#count;
  }

  /** The state as views of these columns. */
  get state(): FindingsState {
    const count = this.#count;
    const [violation, row, other] = [this.#violation, this.#row, this.#other];
    return {
      violations: this.#violations,
      violation: violation.subarray(0, count),
      row: row.subarray(0, count),
      other: other.subarray(0, count),
    };
  }

  /**
   * Takes over the findings that were saved with the rows of a trace. Call it on an empty `Findings`; no finding can be
   * added later.
   */
  restore({ violations, violation, row, other }: FindingsState): void {
    this.#violations.push(...violations);
    for (const index of violation) {
      const found = violations[index];
      if (found !== undefined) this.counts[found.severity]++;
    }
    if (violation.length === 0) return;
    this.#count = violation.length;
    this.#violation = violation;
    this.#row = row;
    this.#other = other;
  }

  /** Adds a finding; returns the earliest changed row. */
  add({ violation, row, other }: NewFinding): number {
    if (this.#count === this.#violation.length) this.#grow();
    const id = this.#count++;
    this.#violation[id] = this.#intern(violation);
    this.#row[id] = row;
    this.#other[id] = other ?? NONE;
    this.counts[violation.severity]++;
    this.#columns.noteFinding(row, violation.severity);
    if (other === null) return row;
    this.#columns.noteFinding(other, violation.severity);
    return Math.min(row, other);
  }

  /** The findings from the `from`th on. */
  page(from: number, count: number): Finding[] {
    const end = Math.min(this.#count, from + count);
    return Array.from({ length: Math.max(0, end - from) }, (_, index) => this.#at(from + index));
  }

  /** The findings of this row, the first `MAX_FINDINGS_PER_PAGE`. */
  ofRow(row: number): Finding[] {
    const found: Finding[] = [];
    if (this.#columns.finding(row) === null) return found;
    for (let id = 0; id < this.#count && found.length < MAX_FINDINGS_PER_PAGE; id++) {
      if (this.#row[id] === row || this.#other[id] === row) found.push(this.#at(id));
    }
    return found;
  }

  #at(id: number): Finding {
    const violation = this.#violations[this.#violation[id] ?? 0];
    if (violation === undefined) throw new Error(`finding ${id} has no violation`);
    const other = this.#other[id] ?? NONE;
    const row = this.#row[id] ?? 0;
    return { id, ...violation, rows: other === NONE ? [row] : [row, other] };
  }

  #intern(found: Violation): number {
    const isLong = found.text.length > MAX_TEXT || (found.pointer ?? '').length > MAX_TEXT;
    const violation = isLong ? this.#redactedAndCut(found) : found;
    const { rule, text, pointer, revision } = violation;
    const key = `${rule}\n${revision ?? ''}\n${pointer ?? ''}\n${text}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    if (this.#indexes.size >= MAX_VIOLATIONS && text !== OTHERS) {
      return this.#intern({ ...violation, text: OTHERS, pointer: null });
    }
    const index = this.#violations.push(this.#redactedAndCut(violation)) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  /** Redacts before it cuts, so that no secret is cut in two and missed. */
  #redactedAndCut(violation: Violation): Violation {
    const short = (text: string) => truncate(this.#redacted(text), MAX_TEXT);
    return {
      ...violation,
      text: short(violation.text),
      pointer: violation.pointer && short(violation.pointer),
    };
  }

  #grow(): void {
    const capacity = this.#violation.length * 2;
    this.#violation = grown(this.#violation, new Int32Array(capacity));
    this.#row = grown(this.#row, new Int32Array(capacity));
    this.#other = grown(this.#other, new Int32Array(capacity));
  }
}

const OTHERS = `Like others of this rule. Only the first ${MAX_VIOLATIONS} different problems of a session are kept word for word; the message shows what is wrong with it.`;
