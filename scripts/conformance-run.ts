import { outcomeOf, type Outcome, type Pair } from './conformance-report.ts';

/** What one run of a scenario left. */
export interface ScenarioRun {
  readonly exitCode: number;
  /** What the suite printed. */
  readonly output: string;
  /** What `checks.json` holds; null when the suite left none. */
  readonly checks: unknown;
  /** The folder with all of it. */
  readonly results: string;
}

/** Runs one scenario. @param isAgain whether it ran before; its results go to another folder then */
export type RunScenario = (pair: Pair, isAgain: boolean) => Promise<ScenarioRun>;

/** Whether the suite ended the client because its own time was over. */
const isTimedOut = ({ output }: ScenarioRun): boolean => /^Client timed out after \d+ms$/m.test(output);

/**
 * Runs scenarios one after the other, as some measure time. One that failed and was ended by the suite's own time-out is run once more
 * when all others are done, so that nothing else takes its time; then that run counts, and says so.
 */
export async function runScenarios(pairs: readonly Pair[], run: RunScenario): Promise<Map<Pair, Outcome>> {
  const outcomes = new Map<Pair, Outcome>();
  const timedOut: Pair[] = [];
  for (const pair of pairs) {
    const first = await run(pair, false);
    const outcome = outcomeIn(first);
    outcomes.set(pair, outcome);
    if (outcome.state === 'failed' && isTimedOut(first)) timedOut.push(pair);
  }
  for (const pair of timedOut) outcomes.set(pair, { ...outcomeIn(await run(pair, true)), ranAgain: true });
  return outcomes;
}

function outcomeIn({ checks, exitCode, results }: ScenarioRun): Outcome {
  const outcome = outcomeOf(checks, exitCode);
  if (outcome.state === 'passed') return outcome;
  return { ...outcome, problems: [...outcome.problems, `more is in ${results}`] };
}
