import { readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { kindOf } from '#files/file-kinds.ts';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { quoted } from '#hosts/cli/option-values.ts';

/** The files of a run, each once: those named, and all test files of the folders named, in the order of their names. @throws UsageError or FaultError */
export const testPathsOf = (given: readonly string[]): string[] => [...new Set(given.flatMap(pathsOf))];

function pathsOf(given: string): string[] {
  const path = resolve(given);
  if (kindOf(path, 'a test file') === 'file') return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith(TEST_FILE_END) && !name.split(sep).includes('node_modules'),
  );
  if (names.length === 0) throw new UsageError(`there is no ${TEST_FILE_END} file in ${quoted(path)}`);
  return names.toSorted().map((name) => join(path, name));
}

/** A path as a report shows it: relative, if the file is below the current folder. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
