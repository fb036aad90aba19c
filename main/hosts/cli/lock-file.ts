import { resolve } from 'node:path';
import { writeFileAtomically } from '#config/json-file.ts';
import { NO_SUCH_FILE } from '#files/file-kinds.ts';
import { EMPTY_FILE, readNamedTextSync } from '#files/named-file.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';

/** Whether a file is given as a lock file: a trace is not JSON, whatever its name is. */
export const isLockName = (path: string): boolean => /\.json(?:\.gz)?$/i.test(path);

/** The text of a lock file. @throws FaultError */
export function readLockFile(path: string): string {
  try {
    return readNamedTextSync(resolve(path), 'lock file');
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code !== NO_SUCH_FILE) throw error;
    const next = 'Write it with sightglass lock, and the server after --.';
    throw new FaultError({ ...error.fault, code: 'bad-lock-file', next });
  }
}

/** The text of a lock file that is to be written; null if it does not exist or is empty. @throws FaultError */
export function lockFileText(path: string): string | null {
  try {
    return readNamedTextSync(resolve(path), 'lock file');
  } catch (error) {
    if (error instanceof FaultError && [NO_SUCH_FILE, EMPTY_FILE].includes(error.fault.code)) return null;
    throw error;
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
