import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { Budget, type BudgetLimit, OverBudget } from '#shared/budget.ts';
import { type Fault, FaultError, faultSchema, messageOf } from '#shared/contract/fault.ts';
import { formatDuration } from '#shared/format.ts';
import { type InputOf, type LongTaskName, longTasks, type OutputOf } from './long-tasks.ts';

/** What the engine does itself: it takes some tens of milliseconds, less than it takes to start a thread. */
const BRIEF: BudgetLimit & { readonly size: number } = {
  size: 96 * 1024,
  steps: 50_000,
  characters: 5_000_000,
};
/** What a thread may do. Parts of it have limits of their own, and say in the result what was left out. */
export const THOROUGH: BudgetLimit = { steps: 20_000_000, characters: 2_000_000_000 };
/** Milliseconds and megabytes of a thread: a last limit, for what no budget counts. */
const TIME_LIMIT = 60_000;
const MEMORY_LIMIT = 2048;

/** The request to a thread, and its only answer. */
export interface LongTaskRequest {
  readonly name: LongTaskName;
  readonly input: unknown;
}
export const longTaskAnswerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  z.object({ ok: z.literal(false), fault: faultSchema.nullable(), message: z.string() }),
]);
export type LongTaskAnswer = z.infer<typeof longTaskAnswerSchema>;

/**
 * Runs the tasks of `long-tasks.ts` so that the engine answers meanwhile: a brief one at once, any other in a thread of its own,
 * which ends with it.
 */
export class LongWork {
  readonly #threads = new Set<Worker>();
  #isClosed = false;

  /** @throws FaultError if the task fails with one, or takes too long */
  async run<N extends LongTaskName>(name: N, input: InputOf<N>): Promise<OutputOf<N>> {
    return (await this.#brief(name, input)) ?? (await this.#thorough(name, input));
  }

  /** Ends all threads and starts no more; their callers get a fault. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  /** Null if the task is not brief. */
  async #brief<N extends LongTaskName>(name: N, input: InputOf<N>): Promise<OutputOf<N> | null> {
    const task = taskOf(name);
    if (task.size(input) > BRIEF.size) return null;
    const budget = new Budget(BRIEF);
    try {
      const output = await task.run(input, { budget, isBrief: true });
      return budget.isSpent ? null : output;
    } catch (error) {
      if (error instanceof OverBudget) return null;
      throw error;
    }
  }

  async #thorough<N extends LongTaskName>(name: N, input: InputOf<N>): Promise<OutputOf<N>> {
    if (this.#isClosed) throw new FaultError(stopped(name, null));
    const request: LongTaskRequest = { name, input };
    const thread = new Worker(threadFile(), {
      workerData: request,
      name,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT },
    });
    this.#threads.add(thread);
    const late = setTimeout(() => void thread.terminate(), TIME_LIMIT);
    try {
      const answer = longTaskAnswerSchema.parse(
        await new Promise<unknown>((resolve, reject) => {
          thread.once('message', resolve);
          thread.once('error', (error) => reject(new FaultError(stopped(name, messageOf(error)))));
          thread.once('exit', () => reject(new FaultError(stopped(name, null))));
        }),
      );
      if (!answer.ok) throw answer.fault === null ? new Error(answer.message) : new FaultError(answer.fault);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the task of this very name made it
      return answer.output as OutputOf<N>;
    } finally {
      clearTimeout(late);
      this.#threads.delete(thread);
      await thread.terminate();
    }
  }
}

/** The task of a name, as a function of what the table says it takes. */
export const taskOf = <N extends LongTaskName>(
  name: N,
): {
  readonly label: string;
  readonly size: (input: InputOf<N>) => number;
  readonly run: (
    input: InputOf<N>,
    effort: { budget: Budget; isBrief: boolean },
  ) => OutputOf<N> | Promise<OutputOf<N>>;
} =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not relate the union to its row
  longTasks[name] as never;

/** The file of a thread: the source when running from sources, otherwise the built file beside the entries. */
function threadFile(own: string = import.meta.url): URL {
  if (own.endsWith('.ts')) return new URL('./long-work-thread.ts', own);
  return new URL(own.includes('/chunks/') ? '../long-work-thread.js' : './long-work-thread.js', own);
}

const stopped = (name: LongTaskName, why: string | null): Fault => ({
  code: 'over-budget',
  what: `${taskOf(name).label} was stopped.`,
  why: why ?? `It took longer than ${formatDuration(TIME_LIMIT * 1000)}, or Sightglass was closed.`,
  next: 'Nothing was changed. Use a smaller file, or a recording with fewer entries and calls.',
});
