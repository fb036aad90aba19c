import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, extname, isAbsolute, join, parse, resolve } from 'node:path';
import { z } from 'zod';
import { readNamedText } from '#files/named-file.ts';
import type { WatchedPath } from '#shared/contract/rebuild.ts';
import type { Server, StdioSettings } from '#shared/contract/servers.ts';

type CommandLine = Pick<StdioSettings, 'command' | 'args' | 'cwd'>;

/**
 * What is watched of a server: the paths of its settings, otherwise what its command runs.
 *
 * @param commandLine with the values of its placeholders; null over HTTP
 */
export async function watchedPaths(
  { rebuild, transport }: Server,
  commandLine: CommandLine | null,
): Promise<WatchedPath[]> {
  const cwd = commandLine?.cwd ?? (transport.kind === 'stdio' ? transport.cwd : null) ?? homedir();
  const given = rebuild?.paths ?? [];
  if (given.length > 0) {
    return given.map((path) => ({
      path: path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(cwd, path),
      from: 'your settings',
      onlyCode: false,
    }));
  }
  return commandLine === null ? [] : pathsOfCommand(commandLine, cwd);
}

async function pathsOfCommand({ command, args }: CommandLine, cwd: string): Promise<WatchedPath[]> {
  const program = basename(command, extname(command)).toLowerCase();
  if (packageManagers.has(program)) return pathsOfPackage(cwd);
  const isInterpreter = interpreter.test(program);
  // The arguments of a program, or of what npx fetches, are its data.
  if (!isInterpreter) return /[/\\]/.test(command) ? pathsOfScript(await existing(cwd, command)) : [];
  const module = moduleOf(program, args);
  const words = module === null ? args.filter((word) => !word.startsWith('-')) : [module];
  for (const [index, word] of words.entries()) {
    const found = await existing(cwd, word.replace(/^file:\/\//, ''));
    // `node .` and `python -m package` run a folder; further folders are arguments of the script.
    if (found !== null && (!found.isFolder || index === 0)) return pathsOfScript(found);
  }
  return [];
}

const packageManagers: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn']);

/** Programs that run a script. */
const interpreter =
  /^(?:node(?:js)?|deno|bun|tsx|ts-node|electron|python[\d.]*|py|uv|poetry|pipenv|ruby|php|perl|java|dotnet|go|cargo|sh|bash)$/;

interface Script {
  readonly path: string;
  readonly isFolder: boolean;
}

const pathsOfScript = (script: Script | null): WatchedPath[] => {
  if (script === null) return [];
  return script.isFolder ? [folderPath(script.path, 'the folder of the command')] : around(script.path);
};

/** The file or folder of `python -m package.module`, as a path below the working folder. */
function moduleOf(program: string, args: readonly string[]): string | null {
  if (!/^(?:python[\d.]*|py|uv|poetry|pipenv)$/.test(program)) return null;
  const name = args[args.indexOf('-m') + 1];
  return args.includes('-m') && name !== undefined ? (name.split('.')[0] ?? null) : null;
}

/** The script, and the code around it: a change of a module that it imports counts as well. */
function around(script: string): WatchedPath[] {
  const file: WatchedPath = { path: script, from: 'the script of the command', onlyCode: false };
  const folder = dirname(script);
  // A script in the home folder or at the root has nothing to do with what else is there; a program has no code beside it.
  const isAlone = folder === homedir() || folder === parse(folder).root || !/\.\w+$/.test(script);
  return isAlone ? [file] : [file, folderPath(folder, 'the folder of the script')];
}

const folderPath = (path: string, from: string): WatchedPath => ({ path, from, onlyCode: true });

const packageSchema = z.object({
  main: z.string().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

/** What the `package.json` of a folder says is built: the folder of `bin` or `main`, with the file itself. */
async function pathsOfPackage(cwd: string): Promise<WatchedPath[]> {
  const path = join(cwd, 'package.json');
  let text: string;
  try {
    text = await readNamedText(path, 'configuration');
  } catch {
    return [];
  }
  const file: WatchedPath = { path, from: 'the package of the command', onlyCode: false };
  const read = packageSchema.safeParse(jsonOf(text));
  const { bin, main } = read.data ?? {};
  const [entry] = [...(typeof bin === 'string' ? [bin] : Object.values(bin ?? {})), ...(main ? [main] : [])];
  if (entry === undefined) return [file, folderPath(cwd, 'the folder of the package')];
  const folder = dirname(resolve(cwd, entry));
  return [
    file,
    folderPath(folder, folder === cwd ? 'the folder of the package' : 'the build output of the package'),
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Half written; the next change is read again.
    return null;
  }
}

/** The file or folder that a word names, also without the ending of a Python module; null if there is none. */
async function existing(cwd: string, word: string): Promise<Script | null> {
  const path = isAbsolute(word) ? word : resolve(cwd, word);
  for (const candidate of [path, `${path}.py`]) {
    try {
      return { path: candidate, isFolder: (await stat(candidate)).isDirectory() };
    } catch {
      // Not a path.
    }
  }
  return null;
}
