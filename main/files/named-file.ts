import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { formatBytes } from '#shared/format.ts';
import { decodeText, isText } from '#shared/text-encoding.ts';
import { notFound, requireFile, statOf } from './file-kinds.ts';

/** The code of the fault for a file without a byte. */
export const EMPTY_FILE = 'empty-file';

const MB = 1_000_000;

/** The kinds of files that a user names and that are read as a whole, each with its limit of bytes. */
const kinds = {
  'test file': { noun: 'a test file', limit: 16 * MB },
  snapshot: { noun: 'a snapshot', limit: 16 * MB },
  'lock file': { noun: 'a lock file', limit: 64 * MB },
  configuration: { noun: 'a configuration', limit: 5 * MB },
  'file of faults': { noun: 'a file of faults', limit: MB },
  'file of another tool': { noun: 'a file of another tool', limit: 64 * MB },
  'JSON object': { noun: 'a file with a JSON object', limit: 16 * MB },
  value: { noun: 'a file with a value', limit: MB },
  PEM: { noun: 'a PEM file', limit: 16 * MB },
} as const;
export type NamedKind = keyof typeof kinds;

/** A pipe without a writer must not hold us up when it is opened. Windows has no such flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The text of a file, without its byte order mark. @throws FaultError that says what the file is and what to do */
export const readNamedText = async (path: string, kind: NamedKind, flags = 0): Promise<string> =>
  textOf(path, await readNamedBytes(path, kind, flags), kind);

/** As `readNamedText`, for a command that reads its options. Takes pipes of the shell, too: `@<(command)`. @throws FaultError */
export const readNamedTextSync = (path: string, kind: NamedKind): string =>
  textOf(path, readNamedBytesSync(path, kind), kind);

/** The bytes of a file, unpacked if it is packed with gzip. @param flags further ones of `open` @throws FaultError */
export async function readNamedBytes(path: string, kind: NamedKind, flags = 0): Promise<Buffer> {
  const { noun } = kinds[kind];
  let file: FileHandle | undefined;
  try {
    requireUsable(path, await stat(path), kind);
    file = await open(path, FLAGS | flags);
    // Another one may have taken its place.
    requireUsable(path, await file.stat(), kind);
    const bytes = new Bytes(path, kind);
    for (;;) {
      const piece = bytes.next();
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) break;
      bytes.add(piece.subarray(0, bytesRead));
    }
    const all = bytes.whole();
    return await unpacked(path, all, kind);
  } catch (error) {
    throw error instanceof FaultError ? error : new FaultError(notFound(path, error, noun));
  } finally {
    await file?.close();
  }
}

/** As `readNamedBytes`, for a command that reads its options. @throws FaultError */
function readNamedBytesSync(path: string, kind: NamedKind): Buffer {
  const { noun } = kinds[kind];
  const stats = statOf(path, noun);
  const isOfShell = stats.isFIFO() && inherited.test(path);
  if (!isOfShell) requireUsable(path, stats, kind);
  let file: number | undefined;
  try {
    file = openSync(path, FLAGS);
    if (!isOfShell) requireUsable(path, fstatSync(file), kind);
    const bytes = new Bytes(path, kind);
    for (const until = Date.now() + LONGEST_WAIT; ; ) {
      const piece = bytes.next();
      const count = readReady(file, piece);
      if (count === 0) break;
      if (count !== null) bytes.add(piece.subarray(0, count));
      else if (Date.now() < until) sleep(LOOK_EVERY);
      else throw new FaultError(neverEnds(path));
    }
    const all = bytes.whole();
    if (!isPacked(all)) return all;
    const options = { maxOutputLength: kinds[kind].limit };
    try {
      return gunzipSync(all, options);
    } catch (error) {
      throw new FaultError(notUnpacked(path, error, kind));
    }
  } catch (error) {
    throw error instanceof FaultError ? error : new FaultError(notFound(path, error, noun));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Bytes as a text, without its byte order mark. @throws FaultError if they are none */
export function textOf(path: string, bytes: Uint8Array, kind: NamedKind): string {
  const decoded = decodeText(bytes);
  if (isText(decoded)) return decoded.text.replace(/^\ufeff/, '');
  throw new FaultError({
    code: 'file-not-read',
    what: `${path} is not ${kinds[kind].noun}. ${decoded.what}`,
    next: 'Name a file with text in UTF-8 or UTF-16.',
  });
}

/** Standard input from a stream, up to the limit of its kind. @throws FaultError */
export async function readStream(
  name: string,
  stream: AsyncIterable<Uint8Array>,
  kind: NamedKind,
): Promise<Buffer> {
  const bytes = new Bytes(name, kind);
  for await (const piece of stream) bytes.add(Buffer.from(piece));
  const all = bytes.whole();
  return unpacked(name, all, kind);
}

/** Bytes to read at once. */
const PIECE = 256 * 1024;

/** Collects the bytes of a file up to the limit of its kind, also if it grows while it is read. */
class Bytes {
  readonly #path: string;
  readonly #kind: NamedKind;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(path: string, kind: NamedKind) {
    this.#path = path;
    this.#kind = kind;
  }

  /** Room for the next bytes, at most one more than the limit. */
  next(): Buffer {
    return Buffer.allocUnsafe(Math.min(PIECE, kinds[this.#kind].limit - this.#size + 1));
  }

  /** @throws FaultError if that is too much */
  add(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > kinds[this.#kind].limit)
      throw new FaultError(tooLarge(this.#path, this.#kind, 'has more than that'));
    this.#pieces.push(piece);
  }

  /** @throws FaultError if there are none */
  whole(): Buffer {
    if (this.#size > 0) return Buffer.concat(this.#pieces);
    throw new FaultError({
      code: EMPTY_FILE,
      what: `${this.#path} is empty.`,
      next: 'Check that it is the file you meant, and that what wrote it has ended without an error.',
    });
  }
}

/** @throws FaultError unless it is a regular file of at most the limit */
function requireUsable(path: string, stats: Stats, kind: NamedKind): void {
  const { noun, limit } = kinds[kind];
  requireFile(path, stats, noun);
  if (stats.size > limit) throw new FaultError(tooLarge(path, kind, `has ${formatBytes(stats.size)}`));
}

const tooLarge = (path: string, kind: NamedKind, has: string): Fault => ({
  code: 'file-not-read',
  what: `${path} is too large: ${kinds[kind].noun} may have ${formatBytes(kinds[kind].limit)}, and it ${has}.`,
  next: 'Check that it is the file you meant.',
});

/** A pipe that the shell opened for us, such as `<(command)` makes one. */
const inherited = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Milliseconds that such a pipe may stay silent or open. */
const LONGEST_WAIT = 10_000;
const LOOK_EVERY = 10;

const sleep = (milliseconds: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** Reads what there is; null if a pipe has nothing yet. */
function readReady(file: number, into: Buffer): number | null {
  try {
    return readSync(file, into, 0, into.length, null);
  } catch (error) {
    if (systemCodeOf(error) === 'EAGAIN') return null;
    throw error;
  }
}

const neverEnds = (path: string): Fault => ({
  code: 'file-not-read',
  what: `The pipe ${path} did not end within ${LONGEST_WAIT / 1000} s.`,
  next: 'Write what it carries to a file, and name that file.',
});

const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** The bytes themselves unless they are packed with gzip. @throws FaultError */
async function unpacked(path: string, bytes: Buffer, kind: NamedKind): Promise<Buffer> {
  if (!isPacked(bytes)) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: kinds[kind].limit });
  } catch (error) {
    throw new FaultError(notUnpacked(path, error, kind));
  }
}

const notUnpacked = (path: string, error: unknown, kind: NamedKind): Fault =>
  systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE'
    ? tooLarge(path, kind, 'holds more than that, packed with gzip')
    : {
        code: 'file-not-read',
        what: `${path} is packed with gzip, and cannot be unpacked.`,
        why: messageOf(error),
        next: 'Pack it again, or name the file itself.',
      };
