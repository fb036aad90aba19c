import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { endianness } from 'node:os';
import { z } from 'zod';
import { readerFile } from '#trace/opened/reader-protocol.ts';
import { canBeKept, type IndexState, type Section, sectionsOf, stateOf } from './index-state.ts';
import { writtenColumnSchema } from './number-codec.ts';
import { nextTurn } from '#transports/async.ts';

/**
 * The index of a trace, in a file beside it: everything derived from its records, so that it need not be derived each
 * time the trace is opened. It is not trusted: it is valid only for exactly the bytes that it was made from, and each
 * of its numbers is checked against what it counts or points to. If anything is wrong with it, it is ignored; it can be
 * deleted at any time.
 *
 * Format: a line of JSON, spaces up to a multiple of 8 bytes, then the sections listed in that line.
 */
const FORMAT = 'mcptrace-index';
const VERSION = 4;
const MAX_HEADER = 64 * 1024;
const ALIGNED = 8;
const EXTENSION = '.index';
const DRAFT = '.draft';
// Windows has neither flag.
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Bytes of a trace from which on an index is kept; smaller traces are read quickly. */
export const WORTH_KEEPING = 4 * 1024 * 1024;
/** Limit of bytes of an index per byte of its trace. */
const LARGEST = 2;
/** Bytes of a trace to hash at once, and how many such blocks in parallel. */
const BLOCK = 4 * 1024 * 1024;
const AT_ONCE = 3;

/** The path of the index of a trace. */
export const indexPathOf = (tracePath: string): string => tracePath + EXTENSION;

/** The trace of an index file, complete or not; null for any other file. */
export function traceOfIndex(name: string): string | null {
  const end = name.endsWith(DRAFT) ? name.lastIndexOf(`${EXTENSION}.`) : name.length - EXTENSION.length;
  return end > 0 && name.startsWith(EXTENSION, end) ? name.slice(0, end) : null;
}

const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The build that wrote it: another build may derive other rows or findings. */
  derivedBy: z.string(),
  /** The bytes at the beginning of the trace that it covers. */
  trace: z.object({ length: z.number().int().positive(), hash: z.string() }),
  /** The hash of all sections. */
  sha256: z.string(),
  sections: z.array(
    z.object({
      name: z.string(),
      column: writtenColumnSchema.nullable(),
      length: z.number().int().nonnegative(),
    }),
  ),
});
type Header = z.infer<typeof headerSchema>;

/** The part of the trace that the index covers. */
export interface IndexedTrace {
  readonly path: string;
  readonly length: number;
  /** Fills the buffer from a position on; returns the number of bytes. */
  fill(buffer: Buffer, from: number): Promise<number>;
}

/** Writes an index beside its trace, unless a later one was started. Returns whether it was written. */
export async function keepIndex(
  trace: IndexedTrace,
  state: IndexState,
  isWanted = () => true,
): Promise<boolean> {
  // It may be too large, or a file may be missing. The trace works without an index.
  const pieces = await indexOf(trace, state, isWanted).catch(() => null);
  return pieces !== null && replaceFile(indexPathOf(trace.path), pieces, isWanted);
}

/** The content of an index file, in pieces; null if it cannot be written, or was cancelled. */
async function indexOf(
  trace: IndexedTrace,
  state: IndexState,
  isWanted: () => boolean,
): Promise<Uint8Array[] | null> {
  const { length } = trace;
  if (!canBeKept(state.rows.rows.columns.seq.length, length) || endianness() !== 'LE') return null;
  const sections: Section[] = [];
  const sum = createHash('sha256');
  for (const section of sectionsOf(state)) {
    sections.push(section);
    sum.update(section.bytes).update(paddingFor(section.bytes.length));
    await nextTurn();
    if (!isWanted()) return null;
  }
  const hash = await hashStart(trace, length, isWanted);
  if (hash === null) return null;
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    derivedBy: await ownDerivation(),
    trace: { length, hash },
    sha256: sum.digest('hex'),
    sections: sections.map(({ name, column, bytes }) => ({ name, column, length: bytes.length })),
  };
  const line = Buffer.from(JSON.stringify(header));
  const bodyLength = sections.reduce((all, { bytes }) => all + aligned(bytes.length), 0);
  if (line.length >= MAX_HEADER || bodyLength > length * LARGEST) return null;
  const head = Buffer.concat([line, Buffer.alloc(aligned(line.length + 1) - line.length - 1, ' '), NEWLINE]);
  return [head, ...sections.flatMap(({ bytes }) => [bytes, paddingFor(bytes.length)])];
}

/** Reads the index beside a trace; null if there is no valid one. */
export async function readKeptIndex(
  trace: IndexedTrace,
): Promise<{ state: IndexState; length: number } | null> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe would wait for a writer, and a link leads to a file elsewhere.
    file = await open(indexPathOf(trace.path), READ_ONLY);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_HEADER + trace.length * LARGEST || endianness() !== 'LE')
      return null;
    const bytes = new Uint8Array(new ArrayBuffer(stats.size));
    if (!(await isFilled(file, bytes))) return null;
    const newline = bytes.subarray(0, MAX_HEADER).indexOf(NEWLINE_BYTE);
    if (newline === -1) return null;
    const text = Buffer.from(bytes.buffer, 0, newline).toString();
    const header = headerSchema.safeParse(JSON.parse(text)).data;
    if (header === undefined || header.trace.length > trace.length) return null;
    if (header.derivedBy !== (await ownDerivation())) return null;
    const hash = hashStart(trace, header.trace.length);
    const sections = sectionsIn(header, bytes, newline + 1);
    const state = sections === null ? null : stateOf(sections, header.trace.length);
    // The hash is awaited even if the index is invalid, so that nothing reads the file afterwards.
    if ((await hash) !== header.trace.hash || state === null) return null;
    return { state, length: header.trace.length };
  } catch {
    // Without a valid index, the trace is read.
    return null;
  } finally {
    await file?.close();
  }
}

/** Deletes the index of a trace. */
export const removeIndex = (tracePath: string): Promise<void> => rm(indexPathOf(tracePath), { force: true });

/** Renames the index of a renamed trace. If that fails, it is written again later. */
export async function moveIndex(from: string, to: string): Promise<void> {
  await removeIndex(to).catch(() => undefined);
  await rename(indexPathOf(from), indexPathOf(to)).catch(() => undefined);
}

function sectionsIn(
  { sections, sha256 }: Header,
  bytes: Uint8Array<ArrayBuffer>,
  begin: number,
): Map<string, Section> | null {
  if (begin % ALIGNED !== 0) return null;
  if (createHash('sha256').update(bytes.subarray(begin)).digest('hex') !== sha256) return null;
  const found = new Map<string, Section>();
  let from = begin;
  for (const { name, column, length } of sections) {
    if (from + length > bytes.length) return null;
    found.set(name, { name, column, bytes: bytes.subarray(from, from + length) });
    from += aligned(length);
  }
  return found;
}

const aligned = (length: number): number => Math.ceil(length / ALIGNED) * ALIGNED;
const paddingFor = (length: number): Uint8Array => new Uint8Array(aligned(length) - length);
const NEWLINE_BYTE = 0x0a;
const NEWLINE = Buffer.from([NEWLINE_BYTE]);

async function isFilled(file: FileHandle, bytes: Uint8Array): Promise<boolean> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

/** Replaces a file atomically, readable by its owner only; returns whether that worked. */
async function replaceFile(
  path: string,
  pieces: readonly Uint8Array[],
  isWanted: () => boolean,
): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}${DRAFT}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      for (const piece of pieces) {
        if (!isWanted()) throw new Error('not wanted any more');
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    await rename(draft, path);
    return true;
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
    return false;
  }
}

let derivation: Promise<string> | undefined;
/**
 * Identifies the code that derives rows and findings: the code of the reader thread. A build names its chunks
 * by their content.
 */
function ownDerivation(): Promise<string> {
  derivation ??= readFile(readerFile()).then((code) => createHash('sha256').update(code).digest('hex'));
  return derivation;
}

/**
 * SHA-256 over the SHA-256 of each block of the first bytes of a file, as hex; null if there are fewer, or if it was
 * cancelled. Threads of the runtime hash several blocks at once, without blocking this thread.
 */
async function hashStart(trace: IndexedTrace, length: number, isWanted = () => true): Promise<string | null> {
  const whole = createHash('sha256');
  const spare: Buffer<ArrayBuffer>[] = [];
  const running: Promise<Buffer | null>[] = [];
  const one = async (from: number): Promise<Buffer | null> => {
    const memory = spare.pop() ?? Buffer.alloc(Math.min(BLOCK, length));
    const block = memory.subarray(0, Math.min(BLOCK, length - from));
    for (let done = 0; done < block.length; ) {
      const count = await trace.fill(block.subarray(done), from + done);
      if (count === 0) return null;
      done += count;
    }
    const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', block));
    spare.push(memory);
    return digest;
  };
  try {
    for (let from = 0; from < length || running.length > 0; ) {
      while (from < length && running.length < AT_ONCE) {
        running.push(one(from));
        from += BLOCK;
      }
      const digest = await running.shift();
      if (digest === undefined || digest === null || !isWanted()) return null;
      whole.update(digest);
    }
    return whole.digest('hex');
  } finally {
    // Wait for all blocks, so that nothing reads the file afterwards.
    await Promise.allSettled(running);
  }
}
