import { resolve } from 'node:path';
import { z } from 'zod';
import type { Comparison } from '#shared/contract/comparison.ts';
import type { CatalogSide } from '#shared/contract/lock.ts';
import { type CliCommand, parseOptions } from '#hosts/cli/command.ts';
import {
  catalogsAsComparison,
  comparisonOptions,
  comparisonOptionsSchema,
  comparisonRules,
  isFailed,
  isTooSlow,
  printComparison,
} from '#hosts/cli/comparison-report.ts';
import { type ExitCode, exitCodes, UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { isLockName, readLockFile } from '#hosts/cli/lock-file.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import { endOfFault, OpenedFile } from '#hosts/cli/opened-file.ts';
import { faultText, say } from '#hosts/cli/output.ts';

const optionsSchema = comparisonOptionsSchema.extend({
  catalog: z.boolean().default(false),
});
type Options = z.infer<typeof optionsSchema>;

const argsSchema = z.tuple([z.string(), z.string()]);

/** Compares two traces, or the catalogs of traces and lock files. */
export const diffCommand: CliCommand = {
  usage: 'diff <recorded> <other>',
  summary: 'compare two trace files: the responses to their calls, and what both servers list',
  options: [
    ['--catalog', 'compare only what the servers declare and list; a file may be a lock file (.json) then'],
    ...comparisonOptions,
    ['--json', 'print the whole comparison as one JSON object'],
  ],
  notes: `Calls are matched by method, tool (prompt, URI) and params, in their order. Ids, times and cursors that differ are ignored,
counted and listed. A string that holds JSON is compared as JSON.

Examples: sightglass diff before.mcptrace after.mcptrace
          sightglass diff before.mcptrace after.mcptrace --catalog --fail-on breaking
          sightglass diff mcp.lock.json after.mcptrace --catalog
          sightglass diff before.mcptrace after.mcptrace --ignore '$..build' --compare 'unordered:$.structuredContent.items'`,
  ends: {
    0: 'no difference that --fail-on names',
    1: 'they differ, or one has a list that was not read whole',
    2: 'wrong usage, or a file is no trace or lock file',
  },
  async run({ args, options, commandLine }) {
    if (commandLine !== null) throw new UsageError('diff wants two trace files, and no server');
    const [recorded, other] = argsSchema.parse(args);
    const parsed = parseOptions(optionsSchema, options);
    const names = [recorded, other];
    const lock = names.find(isLockName);
    if (lock !== undefined && !parsed.catalog)
      throw new UsageError(`${quoted(lock)} is a lock file, which has no calls to compare: add --catalog`);
    if (parsed.catalog && parsed.latency !== undefined)
      throw new UsageError('--latency is about calls, which --catalog leaves out: give one of them');
    try {
      if (parsed.catalog) return await report(await catalogComparison(names), parsed, recorded);
      return await OpenedFile.useBoth([resolve(recorded), resolve(other)], async ([left, right], opened) => {
        const [first] = opened;
        for (const fault of opened.flatMap(({ faults }) => faults)) say(faultText(fault));
        const comparison = await left.request('comparison/compare', {
          recorded: left.sessionId,
          other: right.sessionId,
          rules: comparisonRules(parsed),
          replay: null,
        });
        return report(comparison, parsed, first.header.server.name);
      });
    } catch (error) {
      return endOfFault(error);
    }
  },
};

async function report(comparison: Comparison, options: Options, name: string): Promise<ExitCode> {
  await printComparison(comparison, options, name);
  const isSlow = isTooSlow(comparison, options.latency);
  return isSlow || isFailed(comparison, options.failOn) ? exitCodes.findings : exitCodes.fine;
}

/** Compares what two servers declare and list, from traces and lock files. */
function catalogComparison(paths: readonly string[]): Promise<Comparison> {
  return OpenedFile.inEngine(async (engine, interruption) => {
    const sideOf = async (path: string): Promise<CatalogSide> => {
      if (isLockName(path)) return { name: path, lock: readLockFile(path) };
      const { file, opened } = await OpenedFile.openIn(engine, resolve(path), interruption);
      for (const fault of opened.faults) say(faultText(fault));
      return { sessionId: file.sessionId };
    };
    const [recorded, other] = await Promise.all(paths.map(sideOf));
    return catalogsAsComparison(await request(engine, 'lock/compare', { recorded, other }));
  });
}
