import type { CallOutcome } from '#shared/contract/saved-calls.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { TestedSession } from '#testing/tested-session.ts';
import type { RunPlace } from './raw-and-wait.ts';
import type { ReadCall } from './read-test-file.ts';
import type { Updated } from './update-test-file.ts';
import { type Attempt, type AttemptOptions, runSavedCall } from './run-saved-call.ts';

export interface RoundsOptions extends Omit<AttemptOptions, 'variables' | 'expectedResult' | 'place'> {
  readonly path: string;
  /** Indexes of the calls to run; null for all. */
  readonly indexes: readonly number[] | null;
  readonly repeat: number;
  readonly retries: number;
  readonly bail: boolean;
  /** Whether to keep the answers of all attempts, not only of the last one. */
  readonly keepsAnswers: boolean;
  /** The variables that each round begins with. */
  readonly variables: ReadonlyMap<string, string>;
  readonly expectedResult: (call: ReadCall) => Promise<string | null>;
  readonly onRan: (outcome: Redacted<CallOutcome>) => void;
}

/** A call that was run, with all its attempts. */
export interface RanCall {
  readonly index: number;
  readonly call: ReadCall;
  readonly attempts: readonly RoundAttempt[];
}

export type RoundAttempt = Attempt & {
  readonly round: number;
  /** When it ended: milliseconds since the Unix epoch. */
  readonly at: number;
};

/** The calls that were run, and the variables after the last round. */
export interface Rounds {
  readonly ran: readonly RanCall[];
  readonly variables: ReadonlyMap<string, string>;
}

/** Runs calls in their order, round after round; a call that failed is tried again before the next one. */
export async function runRounds(
  session: TestedSession,
  calls: readonly ReadCall[],
  options: RoundsOptions,
): Promise<Rounds> {
  const chosen = [...calls.entries()].filter(([index]) => options.indexes?.includes(index) !== false);
  const attempts = new Map<number, RoundAttempt[]>(chosen.map(([index]) => [index, []]));
  let variables = new Map(options.variables);
  const ran = (): RanCall[] =>
    chosen.flatMap(([index, call]) => {
      const made = attempts.get(index) ?? [];
      return made.length === 0 ? [] : [{ index, call, attempts: made }];
    });
  for (let round = 0; round < options.repeat; round++) {
    variables = new Map(options.variables);
    const place: RunPlace = { row: await options.wire.nextRow() };
    for (const [index, call] of chosen) {
      const made = attempts.get(index) ?? [];
      const expectedResult = await options.expectedResult(call);
      for (let retry = 0; retry <= options.retries; retry++) {
        const attempt = await runSavedCall(session, call, { ...options, variables, place, expectedResult });
        const before = made.pop();
        if (before !== undefined) made.push(options.keepsAnswers ? before : withoutResult(before));
        made.push({ ...sharingResult(attempt, before), round, at: Date.now() });
        if (attempt.state !== 'failed') break;
      }
      options.onRan(outcomeOf({ index, call, attempts: made }, session, options));
      if (options.bail && made.at(-1)?.state === 'failed') return { ran: ran(), variables };
    }
  }
  return { ran: ran(), variables };
}

/** Equal results of many rounds are kept once. */
const sharingResult = (attempt: Attempt, before: Attempt | undefined): Attempt =>
  attempt.answered === null || attempt.answered.result !== before?.answered?.result
    ? attempt
    : { ...attempt, answered: { ...attempt.answered, result: before.answered.result } };

const withoutResult = (attempt: RoundAttempt): RoundAttempt => ({
  ...attempt,
  answered: attempt.answered && { ...attempt.answered, result: null, variables: new Map() },
});

/** What all attempts of a call together mean. */
export function outcomeOf(
  { index, call, attempts }: RanCall,
  session: TestedSession,
  { path, sessionId }: Pick<RoundsOptions, 'path' | 'sessionId'>,
  { changes, notUpdated }: Updated = { changes: [], notUpdated: null },
): Redacted<CallOutcome> {
  const sent = attempts.filter(({ state }) => state !== 'skipped');
  const failed = sent.find(({ state }) => state === 'failed');
  const shown = failed ?? attempts.at(-1);
  const answered = shown?.answered?.call ?? null;
  const last = attempts.at(-1);
  return session.redacted({
    path,
    index,
    name: call.name,
    sessionId,
    state: stateOf(attempts),
    attempts: sent.map(({ round, state, answered: one }) => ({
      round,
      state: state === 'passed' ? 'passed' : 'failed',
      duration: one?.call.duration ?? null,
    })),
    failures: [...(failed?.failures ?? [])],
    warnings: [...(shown?.warnings ?? [])],
    reason: sent.length === 0 ? (attempts[0]?.reason ?? null) : null,
    ignored: [...(shown?.ignored ?? [])],
    updated: [...changes],
    notUpdated,
    canAccept: last?.state === 'failed' && last.answered !== null,
    duration: answered?.duration ?? null,
    requestRow: answered?.requestRow ?? null,
    responseRow: answered?.responseRow ?? null,
    at: last?.at ?? Date.now(),
  });
}

function stateOf(attempts: readonly Attempt[]): CallOutcome['state'] {
  const has = (state: Attempt['state']) => attempts.some((attempt) => attempt.state === state);
  if (has('failed')) return has('passed') ? 'flaky' : 'failed';
  return has('passed') ? 'passed' : 'skipped';
}
