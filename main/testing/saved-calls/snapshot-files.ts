import { constants } from 'node:fs';
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NO_SUCH_FILE } from '#files/file-kinds.ts';
import { EMPTY_FILE, readNamedText } from '#files/named-file.ts';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/** Where a snapshot belongs, for what is said about it: beside the test file. */
export const snapshotPath = (path: string, name: string): string =>
  join(dirname(path), '__snapshots__', name);

/** The text of a snapshot; null if it does not exist. @throws FaultError if it is not a file beside the test file */
export async function readSnapshot(path: string, name: string): Promise<string | null> {
  if ((await snapshotFolder(path)) === null) return null;
  // Windows has no such flag.
  return textOrNull(await ownPath(path, name), 'snapshot', constants.O_NOFOLLOW ?? 0);
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

/** The text of a test file; null if it does not exist. @throws FaultError */
export const textOfFile = (path: string): Promise<string | null> => textOrNull(path, 'test file');

async function textOrNull(path: string, kind: 'test file' | 'snapshot', flags = 0): Promise<string | null> {
  try {
    return await readNamedText(path, kind, flags);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // What reads the text says where something is missing.
    if (error.fault.code === EMPTY_FILE) return '';
    if (error.fault.code === NO_SUCH_FILE) return null;
    throw error;
  }
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
