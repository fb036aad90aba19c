import { notFound } from '#files/file-kinds.ts';
import { type Fault, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import { TRACE_VERSION } from '#shared/trace/record.ts';

/** A change of a file since it was opened. */
export type Change = 'none' | 'gone' | 'replaced' | 'truncated';

/** Limit of invalid lines to report one by one. */
const MAX_REPORTED = 20;

/** Collects what is wrong with a file. The readable part of it is shown anyway. */
export class Damage {
  readonly #first: BadLine[] = [];
  #badLines = 0;
  /** The position and size of the last line, if it is incomplete. */
  torn: { readonly offset: number; readonly bytes: number } | null = null;
  change: Change = 'none';
  /** Why it was not read completely. */
  unread: Fault | null = null;

  badLine(line: BadLine): void {
    this.#badLines++;
    if (this.#first.length < MAX_REPORTED) this.#first.push(line);
  }

  /** The fault for a change by another process, if any. */
  changeFaults(path: string): Fault[] {
    return this.change === 'none' ? [] : [byChange[this.change](path)];
  }

  faults(path: string): Fault[] {
    const found: (Fault | null)[] = [
      this.unread,
      ...this.changeFaults(path),
      this.#badLines === 0 ? null : badLines(this.#badLines, this.#first),
      this.torn === null ? null : tornEnd(this.torn.offset, this.torn.bytes),
    ];
    return found.filter((fault) => fault !== null);
  }
}

const UNTOUCHED = 'Nothing in it was changed.';

/** The fault of a file that cannot be opened. */
export function cannotOpen(path: string, error: unknown): Fault {
  const known = byCode[systemCodeOf(error) ?? ''];
  if (known !== undefined) {
    const [code, what, next] = known;
    return { code, what, why: messageOf(error), next, evidence: path };
  }
  const code = namingCodes.has(systemCodeOf(error) ?? '') ? 'trace-not-found' : 'trace-not-read';
  return { ...notFound(path, error, 'a trace'), code, evidence: path };
}

/** What the system says of a path that can name no file. */
const namingCodes: ReadonlySet<string> = new Set([
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ERR_INVALID_ARG_VALUE',
]);

const byCode: Readonly<Record<string, readonly [code: string, what: string, next: string]>> = {
  ENOENT: [
    'trace-not-found',
    'There is no such file.',
    'Check its name; it may have been moved, renamed or deleted.',
  ],
  EACCES: [
    'trace-not-permitted',
    'You do not have permission to read this file.',
    'Ask its owner, or change its permissions. Traces are made so that only their owner can read them.',
  ],
  EPERM: [
    'trace-not-permitted',
    'You do not have permission to read this file.',
    'Ask its owner, or change its permissions. Traces are made so that only their owner can read them.',
  ],
};

/** @param kind what it is instead of a regular file */
export const noFile = (
  path: string,
  { kind, next }: { readonly kind: string; readonly next: string },
): Fault => ({
  code: 'no-trace',
  what: `This is ${kind}, no trace.`,
  next,
  evidence: path,
});

export const isEmpty = (path: string): Fault => ({
  code: 'no-trace',
  what: 'The file is empty: there is no trace in it.',
  why: 'Whatever made it ended before it wrote anything, or its disk was full.',
  next: 'Delete it. A file that was begun just now has its header in a moment.',
  evidence: path,
});

/** @param kind what it seems to be */
export const foreign = (path: string, kind: string): Fault => ({
  code: 'no-trace',
  what: `This file is no trace. It seems to be ${kind}.`,
  why: 'A trace begins with a line that has "format":"mcptrace".',
  next: `Choose another file. ${UNTOUCHED}`,
  evidence: path,
});

/** @param writer which app wrote it, such as `sightglass 9.1.0` */
export const tooNew = (path: string, version: number, writer: string | null): Fault => ({
  code: 'trace-too-new',
  what: `This trace was written by a newer app${writer === null ? '' : `, ${writer}`}: version ${version} of the format.`,
  why: `This Sightglass reads up to version ${TRACE_VERSION}.`,
  next: `Open it with a newer Sightglass. ${UNTOUCHED}`,
  evidence: path,
});

export const badHeader = (path: string, why: string): Fault => ({
  code: 'trace-header-damaged',
  what: 'This is a trace, but its first line, the header, is damaged.',
  why,
  next: `What was recorded stands in the lines below it: mend the first line of a copy in a text editor. ${UNTOUCHED}`,
  evidence: path,
});

export const tornHeader = (path: string): Fault => ({
  code: 'trace-header-damaged',
  what: 'The file ends inside its first line, the header of a trace.',
  why: 'Whatever wrote it was ended at once, or has just begun.',
  next: 'When its session still runs, open it again in a moment; else there is nothing in it.',
  evidence: path,
});

/** A line that is not a record. */
export interface BadLine {
  /** Counted from 1, the header included. */
  readonly line: number;
  /** Its position in bytes. */
  readonly offset: number;
  readonly why: string;
}

/** @param first the first of `count` lines */
export const badLines = (count: number, first: readonly BadLine[]): Fault => ({
  code: 'trace-damaged',
  what:
    count === 1
      ? 'One line of the file is no record and was left out. Everything else is there.'
      : `${count} lines of the file are no records and were left out. Everything else is there.`,
  why: 'The file was changed by hand or by another program, or was damaged on its way.',
  next: `${UNTOUCHED} The lines can be looked at in a text editor.`,
  evidence: [
    ...first.map(({ line, offset, why }) => `line ${line}, byte ${offset}: ${why}`),
    ...(count > first.length ? [`and ${count - first.length} more`] : []),
  ].join('\n'),
});

export const tornEnd = (offset: number, bytes: number): Fault => ({
  code: 'trace-torn',
  what: 'The last line of the file is torn and was left out. Everything before it is there.',
  why: 'Whatever wrote it was ended in the middle: at most the last moment is missing.',
  next: UNTOUCHED,
  evidence: `${bytes} ${bytes === 1 ? 'byte' : 'bytes'} from byte ${offset} on`,
});

export const gone = (path: string): Fault => ({
  code: 'trace-gone',
  what: 'The file was deleted or moved while it was open.',
  next: 'What it holds can be looked at until you close it; export it to keep it.',
  evidence: path,
});

export const replaced = (path: string): Fault => ({
  code: 'trace-replaced',
  what: 'Another file has taken the place of this one while it was open.',
  next: 'What you see is the earlier one, until you close it. Open the file again to see the new one.',
  evidence: path,
});

export const truncated = (path: string): Fault => ({
  code: 'trace-truncated',
  what: 'The file has become shorter while it was open: lines that were read are gone.',
  why: 'Another program wrote over it.',
  next: 'Close it and open it again to see what it holds now.',
  evidence: path,
});

/** The fault of a line or range that cannot be read any more. */
export const notRead = (path: string, error: unknown): Fault => ({
  code: 'trace-not-read',
  what: 'The trace file cannot be read.',
  why: messageOf(error),
  next: 'Check that its disk works and that no other program changed the file. Close it and open it again.',
  evidence: path,
});

export const beingWritten = (path: string): Fault => ({
  code: 'trace-in-use',
  what: 'This trace cannot be marked: its session still seems to run and to write it.',
  why: 'The file changed just now, and no end of the session is on record.',
  next: 'Mark it where it is recorded, or wait until the session has ended. One that broke off can be marked two minutes later.',
  evidence: path,
});

export function cannotMark(path: string, error: unknown): Fault {
  const isFull = systemCodeOf(error) === 'ENOSPC';
  return {
    code: isFull ? 'disk-full' : 'trace-read-only',
    what: isFull
      ? 'The disk is full: the mark was not kept.'
      : 'This trace cannot be marked: its file cannot be written to.',
    why: messageOf(error),
    next: isFull ? 'Make room and mark it again.' : 'Make the file writable, or mark a copy of it.',
    evidence: path,
  };
}

export const notOpened = (sessionId: string): Fault => ({
  code: 'no-such-session',
  what: `There is no opened trace ${sessionId}.`,
  next: 'Open its file again.',
});

/** The fault of a reader thread that failed by our own error. */
export const readerFailed = (path: string, why: string): Fault => ({
  code: 'trace-reader-failed',
  what: 'What reads this trace has ended, by a fault inside Sightglass. Nothing else is affected.',
  why,
  next: 'Close it and open it again. The file was not changed.',
  evidence: path,
});

export const closing = (): Fault => ({
  code: 'closing',
  what: 'Sightglass is closing, so no trace was opened.',
  next: 'Open Sightglass again.',
});

const byChange: Readonly<Record<Exclude<Change, 'none'>, (path: string) => Fault>> = {
  gone,
  replaced,
  truncated,
};
