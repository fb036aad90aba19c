import { stat } from 'node:fs/promises';
import type { Fault } from '#shared/contract/fault.ts';
import { findCommand } from './find-command.ts';

/** What could not be started. */
export interface SpawnTarget {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Why a process could not be started, for the user. `code` is the system's, such as `ENOENT`. */
export async function explainSpawn(code: string, message: string, target: SpawnTarget): Promise<Fault> {
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
    ...(await whyNotFound(target)),
    evidence: `${message}\nPATH=${environment.PATH ?? environment.Path ?? ''}`,
  };
}

async function whyNotFound({ command, cwd, environment }: SpawnTarget): Promise<Pick<Fault, 'why' | 'next'>> {
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
