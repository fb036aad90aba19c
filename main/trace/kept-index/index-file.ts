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
 * The index of a trace, in a file beside it: all that is derived of its records, so that it need not be derived each
 * time the trace is opened. Nothing in it is believed that the trace does not bear out: it holds for the very bytes that
 * it was made of, and each of its numbers is held against what it counts or points to. Whatever is wrong with it, it can
 * be left aside, and lost without harm.
 *
 * A line of JSON, blanks up to a multiple of 8 bytes, then the sections that the line names.
 */
const FORMAT = 'mcptrace-index';
const VERSION = 1;
const MAX_HEADER = 64 * 1024;
const ALIGNED = 8;
const EXTENSION = '.index';
const DRAFT = '.draft';
// Windows has neither of the two.
const READ_ONLY = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Bytes of a trace from which on keeping its index is worth it: smaller ones are read in a moment. */
export const WORTH_KEEPING = 4 * 1024 * 1024;
/** Bytes of an index that are read at most for each byte of its trace. */
const LARGEST = 2;
/** Bytes of a trace hashed at a time, and how many such blocks are on their way at once. */
const BLOCK = 4 * 1024 * 1024;
const AT_ONCE = 3;

/** Where the index of a trace is kept. */
export const indexPathOf = (tracePath: string): string => tracePath + EXTENSION;

/** The trace that a file is the index of, or would have become; null for what is neither. */
export function traceOfIndex(name: string): string | null {
  const end = name.endsWith(DRAFT) ? name.lastIndexOf(`${EXTENSION}.`) : name.length - EXTENSION.length;
  return end > 0 && name.startsWith(EXTENSION, end) ? name.slice(0, end) : null;
}

const headerSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** What derived it: another build may find other things in the same trace. */
  derivedBy: z.string(),
  /** The bytes of the trace that it is of, from its beginning on. */
  trace: z.object({ length: z.number().int().positive(), hash: z.string() }),
  /** Of all sections together. */
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

/** The trace, as far as its index is of it. */
export interface IndexedTrace {
  readonly path: string;
  readonly length: number;
  /** Fills a buffer from a place on; returns how many bytes there were. */
  fill(buffer: Buffer, from: number): Promise<number>;
}

/** Keeps an index beside its trace; only the latest one counts. Whether that could be done: it need not be. */
export async function keepIndex(
  trace: IndexedTrace,
  state: IndexState,
  isWanted = () => true,
): Promise<boolean> {
  // Its parts may be too large, the trace or our own code gone from the disk: the trace is none the worse for that.
  const pieces = await indexOf(trace, state, isWanted).catch(() => null);
  return pieces !== null && replaceFile(indexPathOf(trace.path), pieces, isWanted);
}

/** What is written of an index, in pieces; null when it cannot be kept, or is not wanted any more. */
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

/** The index beside a trace; null when there is none that holds for it. */
export async function readKeptIndex(
  trace: IndexedTrace,
): Promise<{ state: IndexState; length: number } | null> {
  let file: FileHandle | undefined;
  try {
    // Opening a pipe would wait for somebody to write to it, and a link leads to what is not beside the trace.
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
    // The trace is read meanwhile, and the answer waited for in any case: nothing must go on with its file.
    if ((await hash) !== header.trace.hash || state === null) return null;
    return { state, length: header.trace.length };
  } catch {
    // What is wrong with an index does not matter: without one, the trace is read.
    return null;
  } finally {
    await file?.close();
  }
}

/** The index of a trace goes with it. */
export const removeIndex = (tracePath: string): Promise<void> => rm(indexPathOf(tracePath), { force: true });

/** A trace was given another path. Where its index cannot follow, it is made again. */
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

/** Replaces a file as a whole, its owner's alone; whether that could be done. */
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
 * What derives rows and findings here: the code of the thread that does. What was built names the chunks that it is
 * made of by what is in them.
 */
function ownDerivation(): Promise<string> {
  derivation ??= readFile(readerFile()).then((code) => createHash('sha256').update(code).digest('hex'));
  return derivation;
}

/**
 * SHA-256 over the SHA-256 of each block of the first bytes of a file, as hex; null when there are fewer, or once it is
 * not wanted any more. Blocks are hashed by threads of the runtime, several at once, so that this one goes on.
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
    // Nothing goes on with the file after this, and what else fails is no news.
    await Promise.allSettled(running);
  }
}
