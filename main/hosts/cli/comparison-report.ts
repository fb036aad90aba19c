import { z } from 'zod';
import {
  callClasses,
  type CallComparison,
  type CatalogChange,
  type Comparison,
  type ComparisonRule,
  countClasses,
  failsGate,
  type Gate,
  gates,
  latencyStepLabels,
  reportFormats,
  type SteppedComparison,
} from '#shared/contract/comparison.ts';
import type { ReplayRun } from '#shared/contract/replay.ts';
import { formatCount, formatDuration, formatQuantity, truncate } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { reportOf, uncomparedText, valuesText } from '#shared/comparison-report.ts';
import type { CliOption } from './command.ts';
import { print, printJson, say } from './output.ts';

const ruleKinds = ['exact', 'type', 'unordered'] as const;

const compareForm = 'wants a way to compare and a JSON path, such as unordered:$.structuredContent.items';

/** How much slower the other side may be, such as `p95:+20%`. */
const latencyLimit = z
  .string()
  .regex(/^(?:p50|p95|max):\+\d+(?:\.\d+)?%$/, 'wants p50, p95 or max and a limit, such as p95:+20%')
  .transform((text) => {
    const [name = '', percent = ''] = text.split(':');
    const percentile = (['p50', 'p95', 'max'] as const).find((one) => one === name) ?? 'max';
    return { percentile, percent: Number.parseFloat(percent) };
  });
type LatencyLimit = z.output<typeof latencyLimit>;

/** The options of every command that compares. */
export const comparisonOptionsSchema = z.object({
  ignore: z.array(z.string()).default([]),
  compare: z
    .array(
      z.string().regex(/^(?:exact|type|unordered|tolerance:\d+(?:\.\d+)?|subset|regex:.+):\$/, compareForm),
    )
    .default([]),
  failOn: z.enum(gates).default('any'),
  latency: latencyLimit.optional(),
  reporter: z.enum(['text', ...reportFormats]).default('text'),
  json: z.boolean().default(false),
});

export const comparisonOptions: readonly CliOption[] = [
  ['--ignore <path>', 'ignore what differs at this JSON path, such as $..requestId', 'repeatable'],
  [
    '--compare <how:path>',
    'compare there by "type", "unordered", "exact" (noise counts too), "subset" (more members are fine), "tolerance:N" or "regex:PATTERN"',
    'repeatable',
  ],
  [
    '--fail-on <what>',
    'exit with 1 on "breaking" changes, on changes of "behavior" too, or on "any" difference (default)',
  ],
  [
    '--latency <limit>',
    'exit with 1 also if calls take longer than in the recording by more than this, such as p95:+20% (or p50, max)',
  ],
  [
    '--reporter <format>',
    'how the comparison is printed: "text" (default), "json", "junit" or "sarif", where differences that --fail-on names are failures',
  ],
];

export function comparisonRules({
  ignore,
  compare,
}: z.infer<typeof comparisonOptionsSchema>): ComparisonRule[] {
  return [
    ...compare.map((text): ComparisonRule => {
      const end = text.startsWith('regex:') ? text.lastIndexOf(':$') : text.indexOf(':$');
      const [how, path] = [text.slice(0, end), text.slice(end + 1)];
      if (how.startsWith('regex:')) return { path, compare: 'regex', pattern: how.slice('regex:'.length) };
      if (how === 'subset') return { path, compare: 'exact', subset: true };
      const kind = ruleKinds.find((one) => one === how);
      if (kind !== undefined) return { path, compare: kind };
      return { path, compare: 'tolerance', tolerance: Number(how.slice('tolerance:'.length)) };
    }),
    ...ignore.map((path): ComparisonRule => ({ path, compare: 'ignore' })),
  ];
}

/** Whether a difference counts by the gate, or the other side did not read a list that the recorded side has. */
export const isFailed = ({ calls, catalog, lostLists }: Comparison, gate: Gate): boolean =>
  lostLists.length > 0 ||
  calls.some((call) => failsGate(gate, 'calls', call.class)) ||
  catalog.some((change) => failsGate(gate, 'catalog', change.class));

/** Whether the calls of the other side take longer than the limit allows, or none can be compared; says so. */
export function isTooSlow({ latency }: Comparison, limit: LatencyLimit | undefined): boolean {
  if (limit === undefined) return false;
  if (latency === null) {
    say('--latency: both sides have no call in common whose latency is known');
    return true;
  }
  const { percentile, percent } = limit;
  const [was, is] = [latency.recorded[percentile], latency.other[percentile]];
  if (is <= was * (1 + percent / 100)) return false;
  say(
    `--latency: ${percentile} is ${formatDuration(is)}, more than ${percent} % above ${formatDuration(was)}`,
  );
  return true;
}

/**
 * Prints a comparison in the format that was asked for.
 *
 * @param name of what was compared, for JUnit and SARIF
 * @param more what a replay adds to the text and to the JSON
 */
export async function printComparison(
  comparison: Comparison & Partial<SteppedComparison>,
  { reporter, json, failOn }: Pick<z.infer<typeof comparisonOptionsSchema>, 'reporter' | 'json' | 'failOn'>,
  name: string,
  more: { readonly lines: readonly string[]; readonly replay: ReplayRun } | null = null,
): Promise<void> {
  const format = json ? 'json' : reporter;
  if (format === 'text') await print([comparisonText(comparison), ...(more?.lines ?? [])].join('\n'));
  else if (format === 'json')
    await printJson(JSON.stringify(more === null ? comparison : { replay: more.replay, comparison }));
  else await print(reportOf(comparison, { format, gate: failOn, name }));
}

/** A comparison without calls, to report it like any other. */
export const catalogsAsComparison = (
  catalogs: Pick<Comparison, 'catalog' | 'uncomparedLists' | 'lostLists'>,
): Comparison => ({ ...catalogs, calls: [], counts: countClasses([]), latency: null });

/** Calls of these classes are only counted. */
const quiet: readonly CallComparison['class'][] = ['skipped', 'noise', 'same'];

/** A comparison as lines for a person. */
export function comparisonText({
  calls,
  counts,
  catalog,
  uncomparedLists,
  latency,
  steps = [],
}: Comparison & Partial<SteppedComparison>): string {
  const differing = calls.filter((call) => !quiet.includes(call.class));
  const lines = [
    ...catalog.map(changeLine),
    ...uncomparedLists.map(uncomparedText),
    ...differing.flatMap(callLines),
  ];
  const counted = callClasses
    .filter((name) => counts[name] > 0)
    .map((name) => `${formatCount(counts[name])} ${name}`);
  const changeCount = formatQuantity(catalog.length, 'catalog change');
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    ...ignoredLines(calls),
    ...(latency === null ? [] : [latencyLine(latency)]),
    ...steps.flatMap(stepLine),
    `${[formatQuantity(calls.length, 'call'), ...(counted.length > 0 ? [counted.join(', ')] : [])].join(': ')}; ${changeCount}`,
  ].join('\n');
}

/** Ignored paths that are listed; --json has all. */
const MAX_IGNORED = 12;
/** Characters of each of their values. */
const MAX_IGNORED_VALUE = 60;

/** A line for each path that was ignored, with the values of the first call that has it. */
function ignoredLines(calls: readonly CallComparison[]): string[] {
  const lines = new Map<string, string>();
  for (const { path, why, recorded, other } of calls.flatMap((call) => call.ignored)) {
    const what = `${path} (${why})`;
    if (lines.has(what)) continue;
    const [was = null, is = null] = [recorded, other].map((value) =>
      value === null ? null : truncate(value, MAX_IGNORED_VALUE),
    );
    lines.set(what, `ignored: ${what}: ${valuesText({ recorded: was, other: is })}`);
  }
  const left = lines.size - MAX_IGNORED;
  return [
    ...[...lines.values()].slice(0, MAX_IGNORED),
    ...(left > 0 ? [`ignored: ${formatQuantity(left, 'more path')}, which --json lists`] : []),
  ];
}

function changeLine({ class: changeClass, of, name, text, calls }: CatalogChange): string {
  const proof =
    calls.count === 0
      ? ''
      : ` (${calls.broken} of ${formatQuantity(calls.count, 'recorded call')} would break)`;
  return `${changeClass.padEnd(10)} ${of} ${name}: ${text}${changeClass === 'compatible' ? '' : proof}`;
}

function callLines({
  class: callClass,
  method,
  target,
  recorded,
  other,
  summary,
  differences,
}: CallComparison): string[] {
  const row = (call: CallComparison['recorded']) => (call === null ? '-' : rowNumber(call.row));
  return [
    `${callClass.padEnd(10)} ${method}${target === null ? '' : ` ${target}`} ${row(recorded)} -> ${row(other)}: ${summary}`,
    ...differences.slice(0, MAX_DIFFERENCES).map((one) => `             ${one.path}: ${valuesText(one)}`),
  ];
}

/** Differences of a call that are listed; --json has all. */
const MAX_DIFFERENCES = 5;

function latencyLine({ recorded, other, calls }: NonNullable<Comparison['latency']>): string {
  return (
    `latency of ${formatQuantity(calls, 'call')}: median ${formatDuration(recorded.p50)} -> ${formatDuration(other.p50)}, ` +
    `p95 ${formatDuration(recorded.p95)} -> ${formatDuration(other.p95)}${changeText(recorded.p95, other.p95)}`
  );
}

/** The latency of one step; none of the end, which the line before has. */
function stepLine({ step, recorded, other }: SteppedComparison['steps'][number]): string[] {
  if (step === 'end') return [];
  const time = (duration: number | null): string => (duration === null ? '-' : formatDuration(duration));
  const change = recorded === null || other === null ? '' : changeText(recorded, other);
  return [`  ${latencyStepLabels[step].toLowerCase()}: p95 ${time(recorded)} -> ${time(other)}${change}`];
}

const changeText = (recorded: number, other: number): string =>
  recorded === 0 ? '' : ` (${signed((other / recorded - 1) * 100)} %)`;

const signed = (share: number): string => `${share >= 0 ? '+' : '-'}${Math.abs(Math.round(share))}`;
