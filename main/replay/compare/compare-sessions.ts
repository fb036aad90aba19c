import { setImmediate as nextTurn } from 'node:timers/promises';
import { Budget, type Effort } from '#shared/budget.ts';
import {
  type CallComparison,
  type Comparison,
  type ComparisonRule,
  countClasses,
} from '#shared/contract/comparison.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import type { Validation } from '#shared/contract/calls.ts';
import { textsByName } from '#shared/list-changes.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { MatchesPattern } from '#testing/tested-session.ts';
import { memberText } from '#shared/json/members.ts';
import { alignCalls } from './align-calls.ts';
import { type Catalog, catalogChanges, lostLists, uncomparedLists } from './catalog-changes.ts';
import { compareCall } from './compare-calls.ts';
import { ValueComparer } from './value-differences.ts';

/** One side of a comparison. */
export interface ComparedSession {
  readonly calls: readonly TracedCall[];
  readonly catalog: Catalog;
}

/** What the calls of two sessions may take together. */
const CALLS_LIMIT = { steps: 10_000_000, characters: 1_000_000_000 };
/** Values of one schema, and of all, that could not be validated, after which no more are: each takes until its time limit. */
const MAX_UNKNOWN = 3;
const MAX_ALL_UNKNOWN = 30;

/** Calls that are compared before other work gets its turn. */
const CALLS_PER_TURN = 200;

interface SessionComparerOptions extends Partial<Effort> {
  readonly rules: readonly ComparisonRule[];
  readonly replay: ReplayRun | null;
  /** Rows of recorded calls whose response is one that was accepted since. */
  readonly acceptedRows?: ReadonlySet<number>;
  /** Needed for rules with a regular expression. */
  readonly matches?: MatchesPattern;
}

/** Compares two sessions. @param recorded the one to measure the other by */
export async function compareSessions(
  recorded: ComparedSession,
  other: ComparedSession,
  { rules, replay, acceptedRows = new Set(), matches, budget, isBrief = false }: SessionComparerOptions,
  validateEach: (schema: string, value: string) => Validation,
): Promise<Comparison> {
  const whole = budget ?? new Budget(CALLS_LIMIT);
  const effort = { budget: whole, isBrief };
  const validate = withoutHopeless(validateEach, effort);
  const tools = textsByName(recorded.catalog.lists.tool ?? []);
  const options = {
    values: new ValueComparer(rules, {
      values: new Map(replay?.values),
      isAcrossEras: isAcrossEras(recorded.catalog, other.catalog),
      ...effort,
      budget: whole.part(CALLS_LIMIT),
      ...(matches && { matches }),
    }),
    outputSchemaOf: (tool: string) => memberText(tools.get(tool) ?? '', ['outputSchema']),
    validate,
    acceptedRows,
  };
  const calls: CallComparison[] = [];
  const [left, right] =
    replay === null ? [recorded.calls, other.calls] : callsOfRun(recorded.calls, other.calls, replay);
  for (const pair of alignCalls(left, right, replay)) {
    calls.push(compareCall(pair, options));
    if (calls.length % CALLS_PER_TURN === 0) await nextTurn();
  }
  const changes = catalogChanges(recorded.catalog, other.catalog, recorded.calls, validate, whole);
  return {
    calls,
    counts: countClasses(calls),
    // Who replays a recording in a newer revision has chosen so.
    catalog: replay === null ? changes : changes.filter(({ rule }) => rule !== 'revision-raised'),
    uncomparedLists: uncomparedLists(recorded.catalog, other.catalog),
    lostLists: lostLists(recorded.catalog, other.catalog),
    latency: latencyOf(calls),
  };
}

/** Validates no more values by a schema that could not validate a few: there may be thousands of calls. */
export function withoutHopeless(
  validate: (schema: string, value: string) => Validation,
  { budget, isBrief }: Effort,
): (schema: string, value: string) => Validation {
  const unknown = new Map<string, number>();
  let all = 0;
  return (schema, value) => {
    if (all >= (isBrief ? 1 : MAX_ALL_UNKNOWN) || (unknown.get(schema) ?? 0) >= MAX_UNKNOWN)
      return { state: 'unknown', reason: 'Other values could not be validated by this schema.' };
    const validation = validate(schema, value);
    if (validation.state === 'unknown') {
      unknown.set(schema, (unknown.get(schema) ?? 0) + 1);
      all++;
      if (isBrief) budget.exhaust();
    }
    return validation;
  };
}

function isAcrossEras({ revision: one }: Catalog, { revision: other }: Catalog): boolean {
  return one !== null && other !== null && eraOf(one) !== eraOf(other);
}

/**
 * The recorded calls that a replay was about, and those it made. What a server asked belongs to the whole recording only, and on
 * the other side to the time of the run: the session may have made other calls before and after.
 */
function callsOfRun(
  recorded: readonly TracedCall[],
  other: readonly TracedCall[],
  replay: ReplayRun,
): [TracedCall[], TracedCall[]] {
  const rows = new Set(replay.calls.map(({ recordedRow }) => recordedRow));
  const made = new Set(replay.calls.map(({ row }) => row));
  const own = other.filter(({ direction, row }) => direction === 'out' && made.has(row));
  const first = own[0]?.row ?? Number.POSITIVE_INFINITY;
  // The call that was sent last need not end last.
  const last = own.reduce((latest, { row, responseRow }) => Math.max(latest, responseRow ?? row), 0);
  const isWhole = recorded.every(
    ({ direction, method, row }) =>
      direction === 'in' || method.startsWith('tasks/') || rows.has(row) || made.has(row),
  );
  const isAsked = ({ row }: TracedCall): boolean => isWhole && row >= first && row <= last;
  return [
    recorded.filter(({ direction, row }) => (direction === 'in' ? isWhole : rows.has(row))),
    other.filter((call) => (call.direction === 'in' ? isAsked(call) : made.has(call.row))),
  ];
}

function latencyOf(calls: readonly CallComparison[]): Comparison['latency'] {
  const pairs = calls.flatMap(({ recorded, other }) =>
    recorded?.duration != null && other?.duration != null
      ? [[recorded.duration, other.duration] as const]
      : [],
  );
  if (pairs.length === 0) return null;
  return {
    recorded: percentilesOf(pairs.map(([duration]) => duration)),
    other: percentilesOf(pairs.map(([, duration]) => duration)),
    calls: pairs.length,
  };
}

/** The percentiles of the latency of calls, of which there is one at least. */
export function percentilesOf(durations: readonly number[]) {
  const sorted = [...durations].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: sorted.at(-1) ?? 0 };
}
