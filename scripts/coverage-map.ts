// Checks docs/coverage.md against the tests that ran last, and prints how much of it is covered.
// With --without-e2e the end-to-end tests it names need only be written, not have run.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CoverageMap, type CoverageRow, parseCoverageMap } from './coverage/parse.ts';
import { findFaults, type Written } from './coverage/verify.ts';
import { projectRoot } from './step.ts';
import { type RanTest, type RunName, readRun } from './tally.ts';

const withoutE2e = process.argv.includes('--without-e2e');
const map = parseCoverageMap(await readFile(join(projectRoot, 'docs/coverage.md'), 'utf8'));
const kinds: readonly RunName[] = withoutE2e ? ['unit'] : ['unit', 'web', 'electron'];
const ran: RanTest[] = [];
for (const kind of kinds) {
  const tests = await readRun(kind);
  // Electron is not to be had everywhere; its specs are the web's, so what only it shows may be missing.
  if (!tests && kind !== 'electron') throw new Error(`No results of the ${kind} tests: run npm test first`);
  ran.push(...(tests ?? []));
}

const faults = findFaults(map, ran, withoutE2e ? await readSpecs(map) : null);
for (const fault of faults) console.log(fault);
const coveredOf = (rows: readonly CoverageRow[]) => rows.filter((row) => row.tests.length > 0).length;
for (const group of map.groups) {
  console.log(`${String(coveredOf(group.rows)).padStart(4)} of ${group.rows.length}  ${group.title}`);
}
const allRows = map.groups.flatMap((group) => group.rows);
const partial = allRows.filter((row) => row.isPartial).length;
console.log(
  `${coveredOf(allRows)} of ${allRows.length} requirements are shown by a test, ${partial} of them in part`,
);
if (faults.length > 0) process.exitCode = 1;

/** The text of every end-to-end spec that the map names. */
async function readSpecs({ groups }: CoverageMap): Promise<Written> {
  const files = new Set(
    groups.flatMap(({ rows }) => rows.flatMap(({ tests }) => tests.map((test) => test.file))),
  );
  const specs = [...files].filter((file) => file.startsWith('e2e/'));
  const texts = await Promise.all(
    specs.map(
      async (file): Promise<[string, string]> => [file, await readFile(join(projectRoot, file), 'utf8')],
    ),
  );
  return new Map(texts);
}
