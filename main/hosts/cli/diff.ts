import { resolve } from 'node:path';
import { z } from 'zod';
import {
  callClasses,
  type CallComparison,
  type CatalogChange,
  type Comparison,
  type ComparisonRule,
  countClasses,
} from '#shared/contract/comparison.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { formatDuration, formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { type CliCommand, parseOptions } from './command.ts';
import { exitCodeOf, exitCodes, UsageError } from './exit.ts';
import { Interrupted } from './headless-session.ts';
import { OpenedFile } from './opened-file.ts';
import { faultText, print, printJson, say } from './output.ts';

const gates = ['breaking', 'behavior', 'any'] as const;
const ruleKinds = ['exact', 'type', 'unordered'] as const;

const compareForm = 'wants a way to compare and a JSON path, such as unordered:$.structuredContent.items';

const optionsSchema = z.object({
  catalog: z.boolean().default(false),
  ignore: z.array(z.string()).default([]),
  compare: z
    .array(z.string().regex(/^(?:exact|type|unordered|tolerance:\d+(?:\.\d+)?|subset):\$/, compareForm))
    .default([]),
  failOn: z.enum(gates).default('any'),
  json: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string(), z.string()]);

/** Compares two traces. */
export const diffCommand: CliCommand = {
  usage: 'diff <recorded> <other>',
  summary: 'compare two trace files: the responses to their calls, and what both servers list',
  options: [
    ['--catalog', 'compare only what the servers declare and list'],
    ['--ignore <path>', 'ignore what differs at this JSON path, such as $..requestId', 'repeatable'],
    [
      '--compare <how:path>',
      'compare there by "type", "unordered", "exact" (noise counts too), "subset" (more members are fine) or "tolerance:N"',
      'repeatable',
    ],
    [
      '--fail-on <what>',
      'exit with 1 on "breaking" changes, on changes of "behavior" too, or on "any" difference (default)',
    ],
    ['--json', 'print the whole comparison as one JSON object'],
  ],
  notes: `Calls are matched by method, tool (prompt, URI) and params, in their order. Ids, times and cursors that differ are ignored,
counted and listed. A string that holds JSON is compared as JSON.

Examples: sightglass diff before.mcptrace after.mcptrace
          sightglass diff before.mcptrace after.mcptrace --catalog --fail-on breaking
          sightglass diff before.mcptrace after.mcptrace --ignore '$..build' --compare 'unordered:$.structuredContent.items'`,
  ends: {
    0: 'no difference that --fail-on names',
    1: 'they differ',
    2: 'wrong usage, or a file is no trace',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('diff wants two trace files, and no server');
    const [recorded, other] = argsSchema.parse(args);
    const parsed = parseOptions(optionsSchema, options);
    try {
      return await OpenedFile.use(resolve(recorded), async (file, opened) => {
        const another = await file.openAnother(resolve(other));
        for (const fault of [...opened.faults, ...another.opened.faults]) say(faultText(fault));
        const comparison = await file.request('comparison/compare', {
          recorded: file.sessionId,
          other: another.file.sessionId,
          rules: rulesOf(parsed),
        });
        const shown = parsed.catalog ? withoutCalls(comparison) : comparison;
        if (parsed.json) await printJson(JSON.stringify(shown));
        else await print(textOf(shown));
        return isFailed(shown, parsed.failOn) ? exitCodes.findings : exitCodes.fine;
      });
    } catch (error) {
      if (error instanceof Interrupted) {
        say('interrupted');
        return exitCodes.interrupted;
      }
      if (!(error instanceof FaultError)) throw error;
      say(faultText(error.fault));
      return exitCodeOf(error.fault);
    }
  },
};

function rulesOf({ ignore, compare }: Options): ComparisonRule[] {
  return [
    ...compare.map((text): ComparisonRule => {
      const [how, path] = [text.slice(0, text.indexOf(':$')), text.slice(text.indexOf('$'))];
      if (how === 'subset') return { path, compare: 'exact', subset: true };
      const kind = ruleKinds.find((one) => one === how);
      if (kind !== undefined) return { path, compare: kind };
      return { path, compare: 'tolerance', tolerance: Number(how.slice('tolerance:'.length)) };
    }),
    ...ignore.map((path): ComparisonRule => ({ path, compare: 'ignore' })),
  ];
}

const withoutCalls = (comparison: Comparison): Comparison => ({
  ...comparison,
  calls: [],
  counts: countClasses([]),
  latency: null,
});

/** The classes of differences that a gate lets through. */
const passes = {
  breaking: { calls: ['missing', 'extra', 'behavior', 'noise', 'same'], catalog: ['behavior', 'compatible'] },
  behavior: { calls: ['noise', 'same'], catalog: ['compatible'] },
  any: { calls: ['noise', 'same'], catalog: [] },
} as const satisfies Record<
  (typeof gates)[number],
  { readonly calls: readonly CallComparison['class'][]; readonly catalog: readonly CatalogChange['class'][] }
>;

function isFailed({ calls, catalog }: Comparison, gate: (typeof gates)[number]): boolean {
  const allowed: { readonly calls: readonly string[]; readonly catalog: readonly string[] } = passes[gate];
  return (
    calls.some((call) => !allowed.calls.includes(call.class)) ||
    catalog.some((change) => !allowed.catalog.includes(change.class))
  );
}

/** Calls without a difference are only counted. */
function textOf({ calls, counts, catalog, uncomparedLists, latency }: Comparison): string {
  const differing = calls.filter((call) => call.class !== 'same' && call.class !== 'noise');
  const lines = [
    ...catalog.map(changeLine),
    ...uncomparedLists.map((list) => `not compared: the list of ${list}s, which one side did not read whole`),
    ...differing.flatMap(callLines),
  ];
  const counted = callClasses.filter((name) => counts[name] > 0).map((name) => `${counts[name]} ${name}`);
  const changeCount = formatQuantity(catalog.length, 'catalog change');
  const ignored = new Set(calls.flatMap((call) => call.ignored.map(({ path, why }) => `${path} (${why})`)));
  return [
    ...lines,
    ...(lines.length > 0 ? [''] : []),
    ...(ignored.size > 0 ? [`ignored: ${[...ignored].slice(0, MAX_IGNORED).join(', ')}`] : []),
    ...(latency === null ? [] : [latencyLine(latency)]),
    `${[formatQuantity(calls.length, 'call'), ...(counted.length > 0 ? [counted.join(', ')] : [])].join(': ')}; ${changeCount}`,
  ].join('\n');
}

/** Ignored paths that are listed; --json has all. */
const MAX_IGNORED = 12;

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
    ...differences
      .slice(0, MAX_DIFFERENCES)
      .map(
        ({ path, recorded: was, other: is }) =>
          `             ${path}: ${was ?? 'nothing'} -> ${is ?? 'nothing'}`,
      ),
  ];
}

/** Differences of a call that are listed; --json has all. */
const MAX_DIFFERENCES = 5;

function latencyLine({ recorded, other, calls }: NonNullable<Comparison['latency']>): string {
  const change = recorded.p95 === 0 ? '' : ` (${signed((other.p95 / recorded.p95 - 1) * 100)} %)`;
  return (
    `latency of ${formatQuantity(calls, 'call')}: median ${formatDuration(recorded.p50)} -> ${formatDuration(other.p50)}, ` +
    `p95 ${formatDuration(recorded.p95)} -> ${formatDuration(other.p95)}${change}`
  );
}

const signed = (share: number): string => `${share >= 0 ? '+' : '-'}${Math.abs(Math.round(share))}`;
