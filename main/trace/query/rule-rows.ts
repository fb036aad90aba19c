import { setImmediate as nextTurn } from 'node:timers/promises';
import { MAX_FINDINGS_PER_PAGE } from '#shared/contract/checks.ts';
import type { Pattern } from '#shared/trace/filter/filter.ts';
import { patternTest } from '#shared/trace/filter/pattern.ts';
import type { Findings } from '#trace/findings.ts';

/** The rows about which rules of a pattern found something. */
export class RuleRows {
  readonly #findings: Findings;
  readonly #isRule: (rule: string) => boolean;
  readonly #rows = new Set<number>();
  #taken = 0;

  constructor(findings: Findings, pattern: Pattern) {
    this.#findings = findings;
    this.#isRule = patternTest(pattern);
  }

  has(row: number): boolean {
    return this.#rows.has(row);
  }

  /** Takes in the many findings there may be, so that `refresh` has few left. */
  async prepare(): Promise<void> {
    while (this.#findings.count - this.#taken > MAX_FINDINGS_PER_PAGE) {
      this.#take();
      await nextTurn();
    }
  }

  /** Takes in every finding there is. */
  refresh(): void {
    while (this.#taken < this.#findings.count) this.#take();
  }

  #take(): void {
    const page = this.#findings.page(this.#taken, MAX_FINDINGS_PER_PAGE);
    this.#taken += page.length;
    for (const { rule, rows } of page) {
      if (this.#isRule(rule)) for (const row of rows) this.#rows.add(row);
    }
  }
}
