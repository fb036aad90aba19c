import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { truncate } from '#shared/format.ts';

/** The code of the fault for a path that names nothing. */
export const NO_SUCH_FILE = 'no-such-file';

/** What a path that the user named leads to. Links are followed. @param noun such as "a lock file" @throws FaultError */
export function kindOf(path: string, noun: string): 'file' | 'folder' {
  const stats = statOf(path, noun);
  if (stats.isDirectory()) return 'folder';
  requireFile(path, stats, noun);
  return 'file';
}

/** @throws FaultError if nothing can be found there */
export function statOf(path: string, noun: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new FaultError(notFound(path, error, noun));
  }
}

/** Says what else than a regular file is there. A pipe may never end, and a device may have no end. @throws FaultError */
export function requireFile(path: string, stats: Stats, noun: string): void {
  const found = otherKind(stats);
  if (found === null) return;
  const { kind, next } = found;
  throw new FaultError({ code: 'file-not-read', what: `${shown(path)} is ${kind}, not ${noun}.`, next });
}

/** What else than a regular file it is; null for one. */
export const otherKind = (stats: Stats): Pick<OtherKind, 'kind' | 'next'> | null =>
  stats.isFile() ? null : (otherKinds.find(({ is }) => is(stats)) ?? unknownKind);

interface OtherKind {
  readonly is: (stats: Stats) => boolean;
  readonly kind: string;
  readonly next: string;
}

const unknownKind = { kind: 'no regular file', next: 'Name a regular file.' };

const otherKinds: readonly OtherKind[] = [
  { is: (stats) => stats.isDirectory(), kind: 'a folder', next: 'Name a file in it.' },
  {
    is: (stats) => stats.isFIFO(),
    kind: 'a pipe (FIFO), which may never end',
    next: 'Write what it carries to a file, and name that file.',
  },
  { is: (stats) => stats.isSocket(), kind: 'a socket', next: 'Name a regular file.' },
  {
    is: (stats) => stats.isCharacterDevice() || stats.isBlockDevice(),
    kind: 'a device, which may have no end',
    next: 'Write what it gives to a file, and name that file.',
  },
];

/** The fault for a path that cannot be followed or opened. */
export function notFound(path: string, error: unknown, noun: string): Fault {
  const code = systemCodeOf(error) ?? '';
  const target = code === 'ENOENT' ? linkTarget(path) : null;
  if (target !== null)
    return {
      code: NO_SUCH_FILE,
      what: `${shown(path)} is a link to ${shown(target)}, which does not exist.`,
      next: 'Restore that file, or name another one.',
    };
  const known = byCode[code];
  if (known !== undefined) return { code: known.code ?? 'file-not-read', ...known.say(shown(path), noun) };
  return {
    code: 'file-not-read',
    what: `${shown(path)} cannot be read.`,
    why: messageOf(error),
    next: 'Check that its disk works, and try again.',
  };
}

interface KnownCode {
  readonly code?: string;
  readonly say: (path: string, noun: string) => Omit<Fault, 'code'>;
}

const missing: KnownCode = {
  code: NO_SUCH_FILE,
  say: (path) => ({
    what: `There is no file ${path}.`,
    next: 'Check its name; it may have been moved, renamed or deleted.',
  }),
};

const notPermitted: KnownCode = {
  say: (path) => ({
    what: `You do not have permission to read ${path}.`,
    next: 'Change its permissions and those of its folders, or ask its owner.',
  }),
};

const byCode: Readonly<Record<string, KnownCode>> = {
  ENOENT: missing,
  ENOTDIR: {
    code: NO_SUCH_FILE,
    say: (path) => ({
      what: `There is no file ${path}.`,
      why: 'A part of its path is a file, not a folder.',
      next: 'Check the path.',
    }),
  },
  EACCES: notPermitted,
  EPERM: notPermitted,
  ELOOP: {
    say: (path) => ({
      what: `${path} is a link that leads back to itself.`,
      next: 'Remove the link, and name the file itself.',
    }),
  },
  ENAMETOOLONG: {
    say: (path) => ({
      what: `The name ${path} is longer than this system allows.`,
      next: 'Check the name of the file.',
    }),
  },
  // What Node says of a NUL character.
  ERR_INVALID_ARG_VALUE: {
    say: (path) => ({
      what: `The name ${path} has a NUL character, which no name of a file may have.`,
      next: 'Check the name of the file.',
    }),
  },
  ENXIO: {
    say: (path, noun) => ({
      what: `${path} is a socket or a device, not ${noun}.`,
      next: 'Name a regular file.',
    }),
  },
};

/** Limit of characters of a path in a message. */
const MAX_SHOWN = 200;

function shown(path: string): string {
  const whole = path.replaceAll('\0', '\\0');
  return whole.length > MAX_SHOWN ? `${truncate(whole, MAX_SHOWN)} (${whole.length} characters)` : whole;
}

/** Where a link leads; null for anything else. */
function linkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    // The path itself names nothing.
    return null;
  }
}
