import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import { formatQuantity } from '#shared/format.ts';

/** A file that was run. */
export interface TestedFile {
  /** Relative to the current folder, if it is below. */
  readonly path: string;
  readonly outcomes: readonly CallOutcome[];
}

/** How often a flaky call failed. */
export function attemptsText({ attempts }: Pick<CallOutcome, 'attempts'>): string {
  const failed = attempts.filter(({ state }) => state === 'failed').length;
  return `${failed} of ${formatQuantity(attempts.length, 'attempt')} failed`;
}

/** The outcomes in the order of a summary, each with its number. */
export const outcomeStates = ['passed', 'failed', 'flaky', 'skipped'] as const;

export function summaryText(files: readonly TestedFile[]): string {
  const all = files.flatMap(({ outcomes }) => outcomes);
  const count = (state: CallOutcome['state']) => all.filter((outcome) => outcome.state === state).length;
  const words = outcomeStates.map((state) => ({ state, number: count(state) }));
  const updated = all.filter(({ updated: changes }) => changes.length > 0).length;
  const notUpdated = all.filter((one) => one.notUpdated !== null).length;
  return [
    words
      // A run without repeats has no flaky calls.
      .filter(({ state, number }) => state !== 'flaky' || number > 0)
      .map(({ state, number }) => `${number} ${state}`)
      .join(', '),
    ...(updated === 0 ? [] : [`${formatQuantity(updated, 'call')} updated in the file`]),
    ...(notUpdated === 0 ? [] : [`${formatQuantity(notUpdated, 'call')} not updated`]),
  ].join('; ');
}
