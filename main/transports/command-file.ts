import { constants, type Stats } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename, delimiter, resolve } from 'node:path';

/** A command, and where it is looked up. */
export interface CommandTarget {
  readonly command: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A file that a command names. */
export interface CommandFile {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
  /** Whether we may run it: a file with execute permission. */
  readonly isRunnable: boolean;
  /** The type and permission bits of `stat`. */
  readonly mode: number;
  /** The owner; 0 on Windows. */
  readonly uid: number;
  /** The size in bytes. */
  readonly size: number;
  /** Null for a file that names no interpreter. */
  readonly script: Script | null;
}

/** The first line of a script, which names its interpreter. */
interface Script {
  /** Without its newline; a carriage return is kept. */
  readonly line: string;
  /** The interpreter as the line names it; after `env`, the name that is looked up on PATH. */
  readonly interpreter: string;
  /** The file of the interpreter; null if there is none that can be run. */
  readonly found: string | null;
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
  for (const file of candidates({ command, cwd, environment }, platform)) {
    if (await isRunnable(file)) return file;
  }
  return null;
}

/** Looks at the file of a command. If none can be run, at the first that has its name; null if there is none either. */
export async function inspectCommand(target: CommandTarget): Promise<CommandFile | null> {
  const { command, cwd, environment } = target;
  const runnable = await findCommand(command, cwd, environment);
  const paths = runnable === null ? candidates(target, process.platform) : [runnable];
  for (const path of paths) {
    const stats = await statOf(path);
    // Along PATH, a folder of the same name is not meant.
    if (stats === null || (!stats.isFile() && !/[/\\]/.test(command))) continue;
    const { mode, uid, size } = stats;
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
    const script = kind === 'file' ? await readScript(path, target) : null;
    return { path, kind, isRunnable: path === runnable, mode, uid, size, script };
  }
  return null;
}

/** Whether the first line of a script has a Windows line end, which the system takes as part of it. */
export const hasCarriageReturn = ({ line }: Script): boolean => line.endsWith('\r');

/** Permission bits as `ls` and as `chmod` write them: `rwxr-xr-x, 755`. */
export function formatMode(mode: number): string {
  const letters = [...'rwxrwxrwx'].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-'));
  return `${letters.join('')}, ${(mode & 0o777).toString(8).padStart(3, '0')}`;
}

/** The paths at which a command is looked for, in order. */
function* candidates(
  { command, cwd, environment }: CommandTarget,
  platform: NodeJS.Platform,
): Generator<string> {
  const isWindows = platform === 'win32';
  const isPath = command.includes('/') || (isWindows && command.includes('\\'));
  const path = valueOf(environment, 'PATH') ?? '';
  // An empty entry is the working folder (POSIX.1-2024, Environment Variables, PATH).
  const along = path === '' ? [] : path.split(delimiter).filter((folder) => folder !== '' || !isWindows);
  // Windows searches the working folder first.
  const folders = isPath ? [cwd] : [...(isWindows ? [cwd] : []), ...along];
  for (const folder of folders) {
    for (const ending of isWindows ? endings(command, environment) : ['']) {
      yield resolve(cwd, folder, command + ending);
    }
  }
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

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch {
    // Not there, or not visible to us.
    return null;
  }
}

/** Bytes of the first line that Linux reads (execve(2)). */
const MAX_LINE = 255;

async function readScript(path: string, { cwd, environment }: CommandTarget): Promise<Script | null> {
  const line = await readFirstLine(path);
  if (!line.startsWith('#!')) return null;
  const [program = '', ...words] = line
    .slice(2)
    .replace(/^[ \t]+/, '')
    .split(/[ \t]+/);
  const isEnv = basename(program) === 'env';
  // env takes options and variables before the name.
  const named = isEnv ? words.find((word) => !word.startsWith('-') && !word.includes('=')) : program;
  const interpreter = named ?? program;
  return { line, interpreter, found: await findCommand(interpreter, cwd, environment) };
}

async function readFirstLine(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LINE), 0, MAX_LINE, 0);
      return buffer.toString('utf8', 0, bytesRead).split('\n', 1)[0] ?? '';
    } finally {
      await file.close();
    }
  } catch {
    // A program need not be readable to be run.
    return '';
  }
}
