import { existsSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
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

/** A path as a report shows it: relative to the workspace of GitHub or to the current folder, if it is below. */
export const shortPath = (path: string): string => inWorkspace(path) ?? below(process.cwd(), path) ?? path;

/** The path of a file relative to its repository, with slashes, as code scanning and annotations want it; absolute without one. */
export function repositoryPath(path: string): string {
  const root = repositoryOf(dirname(path));
  const short = inWorkspace(path) ?? (root === null ? null : below(root, path)) ?? shortPath(path);
  return isAbsolute(short) ? short : short.split(sep).join('/');
}

function inWorkspace(path: string): string | null {
  const workspace = process.env.GITHUB_WORKSPACE ?? '';
  return workspace === '' ? null : below(resolve(workspace), path);
}

function below(folder: string, path: string): string | null {
  const short = relative(folder, path);
  return short.split(sep)[0] === '..' || isAbsolute(short) ? null : short;
}

/** The nearest folder with a repository of git; null without one. */
function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
}
