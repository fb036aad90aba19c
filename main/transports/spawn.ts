import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { Fault } from '#shared/contract/fault.ts';
import {
  type CommandFile,
  type CommandTarget,
  formatMode,
  hasCarriageReturn,
  inspectCommand,
} from './command-file.ts';

/** The fault for a process that could not be started. `code` is the system's, such as `ENOENT`. */
export async function spawnFault(code: string, message: string, target: CommandTarget): Promise<Fault> {
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
    case 'EACCES':
      return notRunnable(code, message, target);
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

async function notRunnable(code: string, message: string, target: CommandTarget): Promise<Fault> {
  const { command, environment } = target;
  const file = await inspectCommand(target);
  if (code === 'EACCES' || (file !== null && !file.isRunnable)) {
    return {
      code: 'command-not-executable',
      what: `The file "${command}" may not be run.`,
      ...notExecutableReason(file),
      evidence: message,
    };
  }
  return {
    code: 'command-not-found',
    what: `The command "${command}" was not found.`,
    ...(file === null ? notFoundReason(target) : noInterpreterReason(file)),
    evidence: `${message}\nPATH=${environment.PATH ?? environment.Path ?? ''}`,
  };
}

type Reason = Pick<Fault, 'why' | 'next'>;

function notExecutableReason(file: CommandFile | null): Reason {
  if (file?.kind === 'folder') {
    return {
      why: `${file.path} is a folder.`,
      next: 'Name the program inside it, or start the server through its interpreter, for example: node server.js',
    };
  }
  if (file === null || file.isRunnable) {
    return {
      why: 'It is in a folder that you may not enter, or its interpreter may not be run.',
      next: 'Check the permissions of its folders, or start it through its interpreter, for example: node server.js',
    };
  }
  return {
    why: `${file.path} has no execute permission for you (${formatMode(file.mode)}).`,
    next: `Make it executable with "chmod +x ${file.path}", or start it through its interpreter, for example: ${interpreterOf(file)} ${file.path}`,
  };
}

/** The interpreter of a script, by its first line or its extension. */
function interpreterOf({ path, script }: CommandFile): string {
  return script === null ? (interpreters[extname(path)] ?? 'node') : basename(script.interpreter);
}

const interpreters: Readonly<Record<string, string>> = { '.py': 'python3', '.sh': 'sh', '.rb': 'ruby' };

function noInterpreterReason({ path, script }: CommandFile): Reason {
  const next = `Install that interpreter, or start the file through one, for example: node ${path}`;
  if (script === null) {
    return { why: `${path} exists, but the interpreter its first line names does not.`, next };
  }
  if (hasCarriageReturn(script)) {
    return {
      why: `${path} exists, but its first line ends with a carriage return, which the system takes as part of the interpreter's name.`,
      next: `Save the file with Unix line ends (LF), or start it through its interpreter, for example: node ${path}`,
    };
  }
  return {
    why: `${path} exists, but the interpreter its first line names does not: ${script.interpreter}`,
    next,
  };
}

function notFoundReason({ command, cwd }: CommandTarget): Reason {
  if (/[/\\]/.test(command)) {
    return {
      why: 'There is no file at this path.',
      next: `Check the path. It is looked for from the working folder ${cwd}.`,
    };
  }
  return {
    why: 'It is not installed, or its folder is neither on the PATH that this app sees nor on that of your login shell.',
    next: `Install it, or give its full path: in a terminal, "${process.platform === 'win32' ? 'where' : 'which'} ${command}" prints it.`,
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
  inherited: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  // Windows ignores case: of two names that differ only in case, either one counts.
  const known = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const safe = safeNames[platform === 'win32' ? 'win32' : 'posix'];
  const isSet = new Set(Object.keys(set).map(known));
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined || isSet.has(known(name))) continue;
    const isSafe = safe.includes(known(name));
    // Such a value is a shell function exported by bash, which would be run.
    if (inherit === 'all' || (isSafe && !value.startsWith('()'))) environment[name] = value;
  }
  return { ...environment, ...set };
}

/**
 * The variables of a process that the user did not set, sorted by name. The values of those that programs need are
 * known to hold no secret; the others are null.
 */
export function inheritedVariables(
  environment: Readonly<Record<string, string>>,
  set: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): { name: string; value: string | null }[] {
  const known = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const safe = safeNames[platform === 'win32' ? 'win32' : 'posix'];
  return Object.entries(environment)
    .filter(([name]) => !Object.hasOwn(set, name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value: safe.includes(known(name)) ? value : null }));
}
