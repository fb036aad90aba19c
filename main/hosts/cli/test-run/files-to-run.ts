import { createEngine } from '#main/engine.ts';
import type { Engine, NamedServer } from '#main/platform.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type FileTarget, type TestFile, testFileFault } from '#shared/contract/saved-calls.ts';
import { cliPlatform } from '#hosts/cli/cli-platform.ts';
import { UsageError } from '#hosts/cli/exit.ts';
import { request } from '#hosts/cli/headless-session.ts';
import { canAsk } from '#hosts/cli/terminal-questions.ts';
import { quoted } from '#hosts/cli/option-values.ts';
import type { LastFailed } from './last-failed.ts';
import type { FileToRun } from './run-files.ts';
import { shortPath } from './test-paths.ts';

interface Choice {
  /** The server of the command line, for all files; null if each names its own. */
  readonly target: NamedServer | null;
  /** Whether to use the server that a file names without asking. */
  readonly allowTarget: boolean;
  /** Whether the variables in the settings of a saved server are sent without asking. */
  readonly allowVariables: boolean;
  /** Which names to run; null for all. */
  readonly pattern: RegExp | null;
  /** Set to run only what failed when it ran last. */
  readonly lastFailed: LastFailed | null;
}

/** Files that have errors: nothing is run. */
export class BadTestFiles extends FaultError {
  override readonly name = 'BadTestFiles';
  readonly files: readonly Pick<TestFile, 'path' | 'errors'>[];
  constructor(files: readonly Pick<TestFile, 'path' | 'errors'>[]) {
    const [first] = files;
    super(testFileFault(shortPath(first?.path ?? ''), first?.errors ?? []));
    this.files = files;
  }
}

/** Reads all files before any server is started, and chooses what to run of them. @throws UsageError or FaultError */
export async function filesToRun(paths: readonly string[], choice: Choice): Promise<FileToRun[]> {
  const engine = await createEngine(cliPlatform());
  try {
    const files = await Promise.all(paths.map((path) => readFile(engine, path)));
    const bad = files.filter(({ errors }) => errors.length > 0);
    if (bad.length > 0) throw new BadTestFiles(bad);
    const failed = await failedCalls(paths, choice.lastFailed);
    return files.flatMap((file) => {
      const names = failed === null ? null : (failed.get(file.path) ?? []);
      const chosen = file.calls
        .map(({ name }) => name)
        .filter((name) => names?.includes(name) !== false && choice.pattern?.test(name) !== false);
      // A file of which nothing is run needs no server.
      if (chosen.length === 0) return [];
      return [{ file, chosen: new Set(chosen), target: choice.target ?? targetOf(file, choice) }];
    });
  } finally {
    await engine.close();
  }
}

/** The names of the calls that failed last, by file; null to run all. */
async function failedCalls(
  paths: readonly string[],
  lastFailed: LastFailed | null,
): Promise<ReadonlyMap<string, readonly string[]> | null> {
  if (lastFailed === null) return null;
  const failed = new Map<string, readonly string[]>();
  for (const path of paths) failed.set(path, await lastFailed.of(path));
  return [...failed.values()].every((names) => names.length === 0) ? null : failed;
}

async function readFile(engine: Engine, path: string): Promise<TestFile> {
  const file = await request(engine, 'saved-calls/read', { path });
  if (!file.exists) throw new UsageError(`there is no file ${quoted(path)}`);
  return file;
}

/**
 * The server that a file names. It is not the user's own choice, so it is asked about: a saved server, too, which has
 * credentials of the user. @throws UsageError
 */
function targetOf({ path, target }: TestFile, { allowTarget, allowVariables }: Choice): NamedServer {
  if (target === null) {
    throw new UsageError(
      `${quoted(shortPath(path))} names no server ("target"), and the command line does not either; name one, such as: -- node server.js`,
    );
  }
  const named: NamedServer =
    target.kind === 'saved' && allowVariables ? { ...target, allowVariables } : { ...target };
  if (allowTarget) return named;
  if (!canAsk()) {
    throw new UsageError(
      `${quoted(shortPath(path))} names a server, ${describe(target)}, and there is no terminal to ask whether to use it; --allow-target does`,
    );
  }
  return { ...named, confirm: true };
}

function describe(target: FileTarget): string {
  switch (target.kind) {
    case 'saved':
      return `the saved server ${quoted(target.name)}`;
    case 'http':
      return quoted(target.url);
    case 'stdio':
      return quoted([target.command, ...target.args].join(' '));
  }
}
