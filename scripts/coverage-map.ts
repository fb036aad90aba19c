// Checks docs/coverage.md and docs/security.md against the tests that ran last, and prints how much of them is shown.
// With --without-e2e the end-to-end tests it names need only be written, not have run.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CoverageMap, type CoverageRow, parseCoverageMap } from './coverage/parse.ts';
import { findFaults, type Written } from './coverage/verify.ts';
import { projectRoot } from './step.ts';
import { type RanTest, type RunName, readRun } from './tally.ts';

const withoutE2e = process.argv.includes('--without-e2e');
const requirements = await readMap('docs/coverage.md');
const threats = await readMap('docs/security.md');
const kinds: readonly RunName[] = withoutE2e ? ['unit'] : ['unit', 'web', 'electron'];
const ran: RanTest[] = [];
let hasElectron = false;
for (const kind of kinds) {
  const tests = await readRun(kind);
  // Electron is not to be had everywhere: of the specs that run on it alone, the tests need only be written then.
  if (!tests && kind !== 'electron') throw new Error(`No results of the ${kind} tests: run npm test first`);
  if (kind === 'electron') hasElectron = tests !== null;
  ran.push(...(tests ?? []));
}

const faults: string[] = [];
for (const map of [requirements, threats]) {
  faults.push(...findFaults(map, ran, await readSpecs(map)));
}
const coveredOf = (rows: readonly CoverageRow[]) => rows.filter((row) => row.tests.length > 0).length;
for (const group of [...requirements.groups, ...threats.groups]) {
  console.log(`${String(coveredOf(group.rows)).padStart(4)} of ${group.rows.length}  ${group.title}`);
}
const rowsOf = ({ groups }: CoverageMap) => groups.flatMap((group) => group.rows);
const partial = rowsOf(requirements).filter((row) => row.tests.length > 0 && row.reason !== null).length;
console.log(
  `${coveredOf(rowsOf(requirements))} of ${rowsOf(requirements).length} requirements are shown by a test, ${partial} of them in part`,
);
const unfinished = rowsOf(requirements).filter((row) => row.reason !== null);
for (const reason of new Set(unfinished.map((row) => row.reason))) {
  const rows = unfinished.filter((row) => row.reason === reason);
  const covered = coveredOf(rows);
  console.log(
    `${String(rows.length).padStart(4)} ${reason}: ${covered} in part, ${rows.length - covered} not at all`,
  );
}
const undefended = rowsOf(threats).filter((row) => row.tests.length === 0 || row.reason !== null);
faults.push(...undefended.map(({ id }) => `${id}: no test shows the defence against this threat`));
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;

async function readMap(path: string): Promise<CoverageMap> {
  return parseCoverageMap(await readFile(join(projectRoot, path), 'utf8'));
}

/** The text of every end-to-end spec that the map names and that did not run, as none was to, or Electron is missing. */
async function readSpecs({ groups }: CoverageMap): Promise<Written> {
  const haveRun = new Set(ran.map(({ file }) => file));
  const files = new Set(
    groups.flatMap(({ rows }) => rows.flatMap(({ tests }) => tests.map((test) => test.file))),
  );
  const specs = [...files].filter((file) => file.startsWith('e2e/') && !haveRun.has(file));
  const texts = await Promise.all(
    specs.map(
      async (file): Promise<[string, string]> => [file, await readFile(join(projectRoot, file), 'utf8')],
    ),
  );
  return new Map(texts.filter(([, text]) => withoutE2e || (!hasElectron && text.includes('only.electron'))));
}
