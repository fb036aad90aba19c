import { lstat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

export const EXTENSION = '.mcptrace';

/** Bytes of a name without its extension; file systems take 255 with it, and a number may come behind. */
const LONGEST_NAME = 200;

/** What the user calls a file. */
export const nameOf = (path: string): string => basename(path, EXTENSION);

/**
 * The name of a file for what the user, or another machine, calls it: no path, nothing a file system refuses, not
 * hidden, and no option to a terminal's commands. Empty when nothing is left of it.
 */
export function safeName(requested: string): string {
  const told = requested.trim();
  const bare = told.toLowerCase().endsWith(EXTENSION) ? told.slice(0, -EXTENSION.length) : told;
  const clean = bare.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]+/gu, '-').replace(/^[\s.-]+/u, '');
  const name = withinBytes(clean, LONGEST_NAME).replace(/[\s.]+$/u, '');
  // Windows takes these for devices, whatever comes behind a dot.
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu.test(name) ? `_${name}` : name;
}

/** Where the name can stand: as it is, or with a number when it is taken. */
export function* freeNames(name: string): Generator<string> {
  yield `${name}${EXTENSION}`;
  for (let count = 2; count <= 1000; count++) yield `${name}-${count}${EXTENSION}`;
}

/**
 * A trace file of the folder, by the path a page gives for it.
 *
 * @throws FaultError when it is not there, not in the folder itself, or a link to somewhere else
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
  what: 'This is no trace of the data folder, so it was left as it is.',
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
