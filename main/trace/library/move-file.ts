import { lstat, open, rename, rm } from 'node:fs/promises';
import { systemCodeOf } from '#shared/contract/fault.ts';

/**
 * Gives a file another path, where none may be; false when there is one. The name is taken first by an empty file of
 * our own, so that nothing another process put there meanwhile is replaced, on file systems without hard links too.
 */
export async function moveToFree(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    if (!(await isSame(from, to))) return false;
    // Where case does not count, a name in other letters is the same file.
    await rename(from, to);
    return true;
  }
  try {
    await rename(from, to);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
  return true;
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([lstat(one, { bigint: true }), lstat(other, { bigint: true })]);
  return a.ino === b.ino && a.dev === b.dev;
}
