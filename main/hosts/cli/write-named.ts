import { constants, existsSync } from 'node:fs';
import { copyFile, link, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/**
 * Writes to exactly this name. The engine, which a page may ask too, writes only to new files with the ending of their
 * format; what it wrote beside the file is then given the name.
 *
 * @param write writes to the path that it gets
 * @param overwrites whether to replace an existing file
 * @throws FaultError
 */
export async function writeNamed<T>(
  path: string,
  ending: string,
  write: (own: string) => Promise<T>,
  overwrites = false,
): Promise<T & { readonly path: string }> {
  if (!overwrites && existsSync(path)) throw new FaultError(existsAlready(path));
  const folder = await mkdtemp(join(dirname(path), '.sightglass-export-')).catch((error: unknown) => {
    throw new FaultError(notWritten(path, error));
  });
  try {
    const own = join(folder, `export.${ending}`);
    const written = await write(own);
    if (overwrites) await replace(own, path);
    else await giveName(own, path);
    return { ...written, path };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function replace(own: string, path: string): Promise<void> {
  try {
    await rename(own, path);
  } catch (error) {
    throw new FaultError(notWritten(path, error));
  }
}

/** Gives the file its name by a link or a copy: unlike a rename, neither overwrites a file that was created in the meantime. */
async function giveName(own: string, path: string): Promise<void> {
  try {
    // Not every file system supports links.
    await link(own, path).catch(() => copyFile(own, path, constants.COPYFILE_EXCL));
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') throw new FaultError(existsAlready(path));
    throw new FaultError(notWritten(path, error));
  }
}

const notWritten = (path: string, error: unknown): Fault => ({
  code: 'export-not-written',
  what: 'The file of the export cannot be made.',
  why: messageOf(error),
  next: `Check that you may write to ${dirname(path)}.`,
  evidence: path,
});

const existsAlready = (path: string): Fault => ({
  code: 'export-exists',
  what: `There is already a file ${path}, and an export never overwrites one.`,
  next: 'Choose another name, or move that file away.',
});
