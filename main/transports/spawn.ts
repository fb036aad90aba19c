import { constants } from 'node:fs';
import { stat, access } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import type { Fault } from '#shared/contract/fault.ts';

/** What could not be started. */
interface SpawnTarget {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The fault for a process that could not be started. `code` is the system's, such as `ENOENT`. */
export async function spawnFault(code: string, message: string, target: SpawnTarget): Promise<Fault> {
  const { command, cwd } = target;
  if (!(await isFolder(cwd))) {
    return {
      code: 'working-folder-missing',
      what: `The working folder ${cwd} does not exist, or is no folder.`,
      next: 'Edit the server and choose a folder that exists.',
      evidence: message,
    };
  }
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound(message, target);
    case 'EACCES':
      return {
        code: 'command-not-executable',
        what: `The file "${command}" may not be run.`,
        why: 'It is a folder, or it has no execute permission.',
        next: 'Make it executable, or start it through its interpreter, for example: node server.js',
        evidence: message,
      };
    case 'E2BIG':
      return {
        code: 'command-line-too-long',
        what: `The command line of "${command}" is too long for this system.`,
        why: 'An argument, or the arguments and the environment together, exceed what a process may be given.',
        next: 'Hand long values over in a file, and its path as the argument.',
        evidence: message,
      };
    default:
      return {
        code: 'spawn-failed',
        what: `The command "${command}" could not be started.`,
        why: message,
        next: 'Check the command, its arguments and its environment, and run it once in a terminal.',
      };
  }
}

async function notFound(message: string, target: SpawnTarget): Promise<Fault> {
  const { command, environment } = target;
  return {
    code: 'command-not-found',
    what: `The command "${command}" was not found.`,
    ...(await notFoundReason(target)),
    evidence: `${message}\nPATH=${environment.PATH ?? environment.Path ?? ''}`,
  };
}

async function notFoundReason({
  command,
  cwd,
  environment,
}: SpawnTarget): Promise<Pick<Fault, 'why' | 'next'>> {
  const found = await findCommand(command, cwd, environment);
  if (found !== null) {
    return {
      why: `${found} exists, but the interpreter its first line names does not.`,
      next: 'Install that interpreter, or start the file through one, for example: node server.js',
    };
  }
  if (/[/\\]/.test(command)) {
    return {
      why: 'There is no file at this path.',
      next: `Check the path. It is looked for from the working folder ${cwd}.`,
    };
  }
  return {
    why: 'It is not installed, or not on the PATH that this app sees; programs started from a desktop often see a shorter PATH than a terminal.',
    next: `Give its full path: in a terminal, "${process.platform === 'win32' ? 'where' : 'which'} ${command}" prints it.`,
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Whatever the reason, no process can start there.
    return false;
  }
}

/**
 * The file that the system would run for a command: a path is relative to the working folder, a bare name is looked up
 * along `PATH`. Null if no executable file is found.
 */
export async function findCommand(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Promise<string | null> {
  const isWindows = platform === 'win32';
  const isPath = command.includes('/') || (isWindows && command.includes('\\'));
  const path = valueOf(environment, 'PATH') ?? '';
  // An empty entry is the working folder (POSIX.1-2024, Environment Variables, PATH).
  const along = path === '' ? [] : path.split(delimiter).filter((folder) => folder !== '' || !isWindows);
  // Windows searches the working folder first.
  const folders = isPath ? [cwd] : [...(isWindows ? [cwd] : []), ...along];
  for (const folder of folders) {
    for (const ending of isWindows ? endings(command, environment) : ['']) {
      const file = resolve(cwd, folder, command + ending);
      if (await isRunnable(file)) return file;
    }
  }
  return null;
}

/** Variable names are case-insensitive on Windows, where `PATH` is often written `Path`. */
const valueOf = (environment: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(environment).find(([written]) => written.toUpperCase() === name)?.[1];

/** A name without an extension never matches a file without one: `npx` beside `npx.cmd` is for another shell. */
function endings(command: string, environment: Readonly<Record<string, string>>): string[] {
  const known = (valueOf(environment, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';');
  return command.includes('.') ? ['', ...known] : known;
}

async function isRunnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Whatever the reason, this file cannot be run.
    return false;
  }
}

/** Variables that programs need and that hold no secrets (MCP debugging guide, environment variables). */
const safeNames: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
};

/**
 * The environment of a server's process: inherited variables, overridden by those the user set.
 *
 * @param inherit `safe` passes on only the variables that programs need, `all` every variable of this app
 */
export function serverEnvironment(
  inherit: 'safe' | 'all',
  set: Readonly<Record<string, string>>,
  own: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  // Windows ignores case: of two names that differ only in case, either one counts.
  const known = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const safe = safeNames[platform === 'win32' ? 'win32' : 'posix'];
  const isSet = new Set(Object.keys(set).map(known));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || isSet.has(known(name))) continue;
    const isSafe = safe.includes(known(name));
    // Such a value is a shell function exported by bash, which would be run.
    if (inherit === 'all' || (isSafe && !value.startsWith('()'))) environment[name] = value;
  }
  return { ...environment, ...set };
}
