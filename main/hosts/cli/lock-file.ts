import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { writeFileAtomically } from '#config/json-file.ts';
import { FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/** Whether a file is given as a lock file: a trace is not JSON, whatever its name is. */
export const isLockName = (path: string): boolean => /\.json$/i.test(path);

/** The text of a lock file. @throws FaultError */
export function readLockFile(path: string): string {
  const text = lockFileText(path);
  if (text !== null) return text;
  throw new FaultError({
    code: 'bad-lock-file',
    what: `There is no lock file ${path}.`,
    next: 'Write it with sightglass lock, and the server after --.',
  });
}

/** The text of a lock file; null if it does not exist. @throws FaultError */
export function lockFileText(path: string): string | null {
  try {
    return readFileSync(resolve(path), 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new FaultError({
      code: 'lock-file-not-accessed',
      what: `The lock file ${path} cannot be read.`,
      why: messageOf(error),
      next: 'Check that it is a file that you may read.',
    });
  }
}

/** @throws FaultError */
export async function writeLockFile(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomically(resolve(path), text);
  } catch (error) {
    throw new FaultError({
      code: 'lock-file-not-accessed',
      what: `The lock file ${path} cannot be written.`,
      why: messageOf(error),
      next: 'Check that its folder exists and that you may write to it.',
    });
  }
}
