import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/**
 * The file a command names, looked up as the system would: a path from the working folder, a bare name along
 * `PATH`. Null when there is none that can be run.
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
  // An empty place among others is the working folder (POSIX.1-2024, Environment Variables, PATH).
  const along = path === '' ? [] : path.split(delimiter).filter((folder) => folder !== '' || !isWindows);
  // Windows looks in the working folder before all others.
  const folders = isPath ? [cwd] : [...(isWindows ? [cwd] : []), ...along];
  for (const folder of folders) {
    for (const ending of isWindows ? endings(command, environment) : ['']) {
      const file = resolve(cwd, folder, command + ending);
      if (await isRunnable(file)) return file;
    }
  }
  return null;
}

/** Names of variables have no case on Windows, and `PATH` is often written otherwise there. */
const valueOf = (environment: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(environment).find(([written]) => written.toUpperCase() === name)?.[1];

/** A name without an ending is never that very file: `npx` stands beside `npx.cmd` and is for another shell. */
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
