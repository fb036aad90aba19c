import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/** Limit of bytes of a test file, and of a snapshot. */
const MAX_FILE_SIZE = 16 * 1024 * 1024;

/** How to open a file that may be anything: a pipe without a writer must not hold us up. Windows has neither flag. */
const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/** Where a snapshot belongs, for what is said about it: beside the test file. */
export const snapshotPath = (path: string, name: string): string =>
  join(dirname(path), '__snapshots__', name);

/** The text of a snapshot; null if it does not exist. @throws FaultError if it is not a file beside the test file */
export async function readSnapshot(path: string, name: string): Promise<string | null> {
  if ((await snapshotFolder(path)) === null) return null;
  return textOfFile(await ownPath(path, name), O_NOFOLLOW);
}

/**
 * Writes a snapshot beside its test file: a file that somebody handed over decides the name, so no link may lead elsewhere.
 *
 * @param write writes a text to a path, as a whole
 * @throws FaultError if it would be written elsewhere, or cannot be written
 */
export async function writeSnapshot(
  path: string,
  { name, text }: { readonly name: string; readonly text: string },
  write: (path: string, text: string) => Promise<void>,
): Promise<void> {
  if ((await snapshotFolder(path)) === null)
    await mkdir(dirname(snapshotPath(path, name))).catch((error: unknown) => {
      throw new FaultError(notWritten(snapshotPath(path, name), error));
    });
  await write(await ownPath(path, name), text);
}

/** The folder of the snapshots of a test file; null if there is none. @throws FaultError if it is a link or not a folder */
async function snapshotFolder(path: string): Promise<string | null> {
  const folder = join(await realpath(dirname(path)), '__snapshots__');
  const found = await lstat(folder).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new FaultError(notRead(folder, messageOf(error)));
  });
  if (found === null) return null;
  if (found.isDirectory() && (await realpath(folder)) === folder) return folder;
  throw new FaultError(elsewhere(folder));
}

/** The real path of a snapshot. @throws FaultError unless it is a name of a file in that folder that is no link */
async function ownPath(path: string, name: string): Promise<string> {
  const folder = await snapshotFolder(path);
  const own = folder === null ? null : join(folder, name);
  if (own === null || dirname(own) !== folder || !snapshotName.test(name))
    throw new FaultError(elsewhere(snapshotPath(path, name)));
  const found = await lstat(own).catch(() => null);
  if (found !== null && !found.isFile()) throw new FaultError(elsewhere(own));
  return own;
}

/** The name of a JSON file, on every system: Windows keeps some names for devices, in every folder and with any ending. */
export const snapshotName =
  /^(?!(?:[Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|(?:[Cc][Oo][Mm]|[Ll][Pp][Tt])[0-9¹²³])[ .])[\p{L}\p{N}_-][\p{L}\p{N} ._-]*\.json$/u;

/** The text of a file; null if it does not exist. @param flags further ones of `open` @throws FaultError */
export async function textOfFile(path: string, flags = 0): Promise<string | null> {
  try {
    const file = await open(path, O_RDONLY | O_NONBLOCK | flags);
    try {
      // Devices and pipes may have no end.
      if (!(await file.stat()).isFile()) throw new FaultError(notRead(path, 'It is not a regular file.'));
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of file.createReadStream({ autoClose: false, end: MAX_FILE_SIZE })) {
        const bytes = Buffer.from(part);
        size += bytes.length;
        parts.push(bytes);
      }
      if (size <= MAX_FILE_SIZE) return Buffer.concat(parts).toString('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FaultError) throw error;
    if (systemCodeOf(error) === 'ENOENT') return null;
    throw new FaultError(notRead(path, messageOf(error)));
  }
  throw new FaultError({ code: 'test-file-not-read', what: `The file ${path} is larger than 16 MB.` });
}

const notRead = (path: string, why: string): Fault => ({
  code: 'test-file-not-read',
  what: `The file ${path} cannot be read.`,
  why,
});

const elsewhere = (path: string): Fault => ({
  code: 'snapshot-elsewhere',
  what: `The snapshot ${path} is not a file beside the test file, so it is neither read nor written.`,
  why: 'It or its folder is a link, a device or another kind of file, so it may lead anywhere.',
  next: 'Remove the link, and run the test with --update.',
});

export const notWritten = (path: string, error: unknown): Fault => ({
  code: 'test-file-not-written',
  what: `The file ${path} cannot be written.`,
  why: messageOf(error),
  next: 'Choose another file.',
});
