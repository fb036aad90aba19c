import { resolve } from 'node:path';
import { z } from 'zod';
import { type Comparison, countClasses } from '#shared/contract/comparison.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import {
  comparisonOptions,
  comparisonOptionsSchema,
  comparisonRules,
  isFailed,
  printComparison,
} from '#hosts/cli/comparison-report.ts';
import { exitCodeOf, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { Interrupted } from '#hosts/cli/headless-session.ts';
import { OpenedFile } from '#hosts/cli/opened-file.ts';
import { faultText, say } from '#hosts/cli/output.ts';

const optionsSchema = comparisonOptionsSchema.extend({
  catalog: z.boolean().default(false),
});
const argsSchema = z.tuple([z.string(), z.string()]);

/** Compares two traces. */
export const diffCommand: CliCommand = {
  usage: 'diff <recorded> <other>',
  summary: 'compare two trace files: the responses to their calls, and what both servers list',
  options: [
    ['--catalog', 'compare only what the servers declare and list'],
    ...comparisonOptions,
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
      return await OpenedFile.useBoth([resolve(recorded), resolve(other)], async ([left, right], opened) => {
        const [first] = opened;
        for (const fault of opened.flatMap(({ faults }) => faults)) say(faultText(fault));
        const comparison = await left.request('comparison/compare', {
          recorded: left.sessionId,
          other: right.sessionId,
          rules: comparisonRules(parsed),
          replay: null,
        });
        const shown = parsed.catalog ? withoutCalls(comparison) : comparison;
        await printComparison(shown, parsed, first.header.server.name);
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

const withoutCalls = (comparison: Comparison): Comparison => ({
  ...comparison,
  calls: [],
  counts: countClasses([]),
  latency: null,
});
