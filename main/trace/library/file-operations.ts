import type { Stats } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { UNCHANGED_AFTER } from '#trace/file-clock.ts';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { replaceHidden } from '#shared/hidden-characters.ts';
import { cannotOpen } from '#trace/opened/faults.ts';
import { MAX_HEADER, type ReadHeader, readHeader } from '#trace/opened/header.ts';

export const EXTENSION = '.mcptrace';

/** Limit of bytes of a name without extension; file systems allow 255 in total, and a number may be appended. */
const MAX_NAME = 200;

/** The displayed name of a file. */
export const nameOf = (path: string): string => basename(path, EXTENSION);

/**
 * A safe file name for a requested one: no path, no characters that file systems refuse, not hidden, and no option of
 * terminal commands. Empty if nothing is left.
 */
export function safeName(requested: string): string {
  const trimmed = requested.trim();
  const bare = trimmed.toLowerCase().endsWith(EXTENSION) ? trimmed.slice(0, -EXTENSION.length) : trimmed;
  const clean = replaceHidden(bare, () => '/')
    .replaceAll(/[/\\:*?"<>|]+/g, '-')
    .replace(/^[\s.-]+/u, '');
  const name = withinBytes(clean, MAX_NAME).replace(/[\s.]{1,255}$/u, '');
  // Windows treats these as devices, with any extension.
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu.test(name) ? `_${name}` : name;
}

/**
 * A trace file of the folder by its path, which a page gave.
 *
 * @throws FaultError if it is missing, not directly in the folder, or a link
 */
export async function ownFile(folder: string, path: string): Promise<{ path: string; stats: Stats }> {
  const full = resolve(path);
  if (dirname(full) !== resolve(folder) || !full.endsWith(EXTENSION)) {
    throw new FaultError(notOurs(path, `Only traces of ${folder} are kept by Sightglass.`));
  }
  let stats: Stats;
  try {
    stats = await lstat(full);
  } catch (error) {
    throw new FaultError(systemCodeOf(error) === 'ENOENT' ? gone(full) : notOurs(path, messageOf(error)));
  }
  if (!stats.isFile()) throw new FaultError(notOurs(path, 'It is a link or a folder, not a file.'));
  return { path: full, stats };
}

function withinBytes(text: string, bytes: number): string {
  let kept = '';
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}

const notOurs = (path: string, why: string): Fault => ({
  code: 'not-our-trace',
  what: 'This is not a trace of the data folder, so it was left as it is.',
  why,
  next: 'Use the file manager of your system for files elsewhere.',
  evidence: path,
});

const gone = (path: string): Fault => ({
  code: 'no-such-trace',
  what: 'The trace is not there any more.',
  why: 'It was moved or deleted meanwhile, by hand or by another Sightglass.',
  next: 'Look at the list again.',
  evidence: path,
});

/** Bytes that nearly every header fits in. */
const USUAL_HEADER = 4096;
const NEWLINE = 0x0a;

/** Reads the header of a trace and nothing else. @throws FaultError if the file is not a trace */
export async function readHeaderLine(path: string): Promise<ReadHeader> {
  let start: Buffer;
  try {
    start = await readStart(path);
  } catch (error) {
    throw new FaultError(cannotOpen(path, error));
  }
  return readHeader(path, start);
}

/** The file up to the end of its first line, if that is within bounds. */
async function readStart(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    let bytes = Buffer.alloc(USUAL_HEADER);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, filled);
      filled += bytesRead;
      const isWhole = bytes.subarray(filled - bytesRead, filled).includes(NEWLINE);
      if (isWhole || bytesRead === 0 || filled === MAX_HEADER) return bytes.subarray(0, filled);
      if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(MAX_HEADER, filled * 8));
    }
  } finally {
    await file.close();
  }
}

/**
 * Renames a file unless the new path exists; returns false then. An empty file reserves the new name first, so that no
 * file of another process is replaced, even on file systems without hard links.
 */
export async function moveToFree(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, 'wx', 0o600)).close();
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
    if (!(await isSame(from, to))) return false;
    // On case-insensitive file systems, a name that differs in case is the same file.
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

/** Bytes to read from the end. */
const TAIL = 64 * 1024;

const lineSchema = z.object({ kind: z.string(), phase: z.string().optional() });

/** Whether another process seems to be writing a trace: it changed recently, and its session has not ended. */
export async function isWrittenElsewhere(path: string, stats: Stats): Promise<boolean> {
  if (Date.now() - stats.mtimeMs > UNCHANGED_AFTER) return false;
  const tail = await readTail(path, stats.size).catch(() => '');
  for (const text of tail.split('\n').toReversed()) {
    const line = lineOf(text);
    // Marks may follow the end of a session.
    if (line === null || line.kind === 'mark') continue;
    return !(line.kind === 'phase' && (line.phase === 'closed' || line.phase === 'failed'));
  }
  return true;
}

async function readTail(path: string, size: number): Promise<string> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(Math.min(TAIL, size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function lineOf(text: string): z.infer<typeof lineSchema> | null {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
