import { type Fault, FaultError } from './contract/fault.ts';
import { formatQuantity } from './format.ts';

/** How much work something may take: a step is a value, a name or a pair that is looked at; characters are those that are read. */
export interface BudgetLimit {
  readonly steps: number;
  readonly characters: number;
}

/**
 * Limits work on what others wrote: a server, or a file. Small texts can stand for any amount of work (references that fork,
 * aliases of aliases, each with each), so the work itself is counted, and never the time: the same input always ends the same way.
 */
export class Budget {
  readonly #limit: BudgetLimit;
  readonly #whole: Budget | null;
  #steps = 0;
  #characters = 0;

  /** @param whole the budget that this one is a part of */
  constructor(limit: BudgetLimit, whole: Budget | null = null) {
    this.#limit = limit;
    this.#whole = whole;
  }

  /** The budget of one part of the work, which counts for the whole too. */
  part(limit: BudgetLimit): Budget {
    return new Budget(limit, this);
  }

  /** Whether nothing more can be done. */
  get isSpent(): boolean {
    return (
      this.#steps > this.#limit.steps ||
      this.#characters > this.#limit.characters ||
      this.#whole?.isSpent === true
    );
  }

  /** Ends the work: what is taken from now on is too much. */
  exhaust(): void {
    this.#steps = Number.POSITIVE_INFINITY;
  }

  /** Counts work before it is done. @throws OverBudget if it is more than is left */
  take(steps: number, characters = 0): void {
    this.#steps += steps;
    this.#characters += characters;
    if (this.#steps > this.#limit.steps) throw new OverBudget(formatQuantity(this.#limit.steps, 'step'));
    if (this.#characters > this.#limit.characters)
      throw new OverBudget(formatQuantity(this.#limit.characters, 'character'));
    this.#whole?.take(steps, characters);
  }
}

/** Work needs more than its budget. Where a part of it can be left out, the result says "not compared" in its place. */
export class OverBudget extends FaultError {
  /** The limit in words. */
  readonly limit: string;

  /** @param what what was not done */
  constructor(limit: string, what = 'This takes too much work, so it was stopped.') {
    super(overBudget(limit, what));
    this.name = 'OverBudget';
    this.limit = limit;
  }
}

const overBudget = (limit: string, what: string): Fault => ({
  code: 'over-budget',
  what,
  why: `It takes more than ${limit}. A small text can stand for very many values, by references, aliases or long lists.`,
  next: 'Use a smaller part of it, such as fewer entries in a file, or write what is referred to only once.',
});

/** The result of work, or that it needs more than its budget. Any other error goes on. */
export function withinBudget<T>(work: () => T): T | OverBudget {
  try {
    return work();
  } catch (error) {
    if (error instanceof OverBudget) return error;
    throw error;
  }
}

/** How thoroughly to do some work. */
export interface Effort {
  /** Of all of it. */
  readonly budget: Budget;
  /** Whether to give up at the first value that takes long to validate or to match, and to do it all again elsewhere. */
  readonly isBrief: boolean;
}
