import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * The file a command names, looked up as the system would: a path as it stands, a bare name along `PATH`.
 * Null when there is none that can be run.
 */
export async function findCommand(
  command: string,
  cwd: string,
  environment: Readonly<Record<string, string>>,
): Promise<string | null> {
  const isPath = isAbsolute(command) || command.includes('/') || command.includes('\\');
  const folders = isPath ? [''] : (pathOf(environment) ?? '').split(delimiter).filter(Boolean);
  for (const folder of folders) {
    for (const suffix of suffixes(environment)) {
      const file = isPath ? resolve(cwd, command + suffix) : join(folder, command + suffix);
      if (await isRunnable(file)) return file;
    }
  }
  return null;
}

const pathOf = (environment: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1];

const suffixes = (environment: Readonly<Record<string, string>>): string[] =>
  process.platform === 'win32' ? ['', ...(environment.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';')] : [''];

async function isRunnable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    // Whatever the reason, this file cannot be run.
    return false;
  }
}
