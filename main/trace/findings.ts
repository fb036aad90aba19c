import { type Finding, MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { FindingSeverity } from '#shared/trace/row.ts';
import type { Found, Problem } from './inspector.ts';
import type { RowColumns } from './rows/row-columns.ts';

const NONE = -1;
const FIRST_CAPACITY = 64;
/** Limit of distinct problems to keep; a server that varies its mistakes must not fill our memory. */
const MOST_PROBLEMS = 10_000;
/** Characters of a text or pointer. */
const LONGEST = 500;

/** All findings as plain values, to be stored in a file. */
export interface FindingsState {
  readonly problems: readonly Problem[];
  /** Per finding: the index of its problem, the row that shows it, and the other row it refers to or -1. */
  readonly problem: Int32Array<ArrayBuffer>;
  readonly row: Int32Array<ArrayBuffer>;
  readonly other: Int32Array<ArrayBuffer>;
}

/**
 * The findings of a trace, in order. Each distinct problem is kept once, so that a finding takes 12 bytes.
 */
export class Findings {
  readonly counts: Record<FindingSeverity, number> = { error: 0, warning: 0, info: 0 };
  readonly #columns: RowColumns;
  readonly #redacted: (text: string) => string;
  readonly #problems: Problem[] = [];
  readonly #places = new Map<string, number>();
  #count = 0;
  /** Per finding: the index of its problem, the row that shows it, and the other row it refers to. */
  #problem = new Int32Array(FIRST_CAPACITY);
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
    const [problem, row, other] = [this.#problem, this.#row, this.#other];
    return {
      problems: this.#problems,
      problem: problem.subarray(0, count),
      row: row.subarray(0, count),
      other: other.subarray(0, count),
    };
  }

  /** Takes over the findings of a trace whose rows know them already. This must be empty, and none can be added later. */
  restore({ problems, problem, row, other }: FindingsState): void {
    this.#problems.push(...problems);
    for (const place of problem) {
      const found = problems[place];
      if (found !== undefined) this.counts[found.severity]++;
    }
    if (problem.length === 0) return;
    this.#count = problem.length;
    this.#problem = problem;
    this.#row = row;
    this.#other = other;
  }

  /** Adds a finding; returns the earliest changed row. */
  add({ problem, row, other }: Found): number {
    if (this.#count === this.#problem.length) this.#grow();
    const id = this.#count++;
    this.#problem[id] = this.#intern(problem);
    this.#row[id] = row;
    this.#other[id] = other ?? NONE;
    this.counts[problem.severity]++;
    this.#columns.noteFinding(row, problem.severity);
    if (other === null) return row;
    this.#columns.noteFinding(other, problem.severity);
    return Math.min(row, other);
  }

  /** The findings from the `from`th on. */
  page(from: number, count: number): Finding[] {
    const end = Math.min(this.#count, from + count);
    return Array.from({ length: Math.max(0, end - from) }, (_, place) => this.#at(from + place));
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
    const problem = this.#problems[this.#problem[id] ?? 0];
    if (problem === undefined) throw new Error(`finding ${id} has no problem`);
    const other = this.#other[id] ?? NONE;
    const row = this.#row[id] ?? 0;
    return { id, ...problem, rows: other === NONE ? [row] : [row, other] };
  }

  #intern(found: Problem): number {
    const isLong = found.text.length > LONGEST || (found.pointer ?? '').length > LONGEST;
    const problem = isLong ? this.#told(found) : found;
    const { rule, text, pointer, revision } = problem;
    const key = `${rule}\n${revision ?? ''}\n${pointer ?? ''}\n${text}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    if (this.#places.size >= MOST_PROBLEMS && text !== UNTOLD) {
      return this.#intern({ ...problem, text: UNTOLD, pointer: null });
    }
    const place = this.#problems.push(this.#told(problem)) - 1;
    this.#places.set(key, place);
    return place;
  }

  /** Secrets first, so that none is cut in two. */
  #told(problem: Problem): Problem {
    const told = (text: string) => cut(this.#redacted(text));
    return { ...problem, text: told(problem.text), pointer: problem.pointer && told(problem.pointer) };
  }

  #grow(): void {
    const capacity = this.#problem.length * 2;
    this.#problem = grown(this.#problem, capacity);
    this.#row = grown(this.#row, capacity);
    this.#other = grown(this.#other, capacity);
  }
}

const UNTOLD = `Like others of this rule. Only the first ${MOST_PROBLEMS} different problems of a session are kept word for word; the message shows what is wrong with it.`;

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

function grown(from: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(capacity);
  to.set(from);
  return to;
}
