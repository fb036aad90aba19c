import { type Fault, messageOf, systemCodeOf } from '#shared/contract/fault.ts';

/** Errors of a system that has no room for more. */
const noRoom = new Map([
  ['ENOSPC', 'The disk is full'],
  ['EDQUOT', 'Your share of the disk is used up'],
  ['EFBIG', 'The file may grow no further'],
]);

/**
 * Why a trace is not written, and what becomes of it.
 *
 * @param isTriedAgain it will be tried by itself, as soon as there may be room
 */
export function notWritten(error: unknown, path: string, isTriedAgain: boolean): Fault {
  const words = wordsForNoRoom(error);
  const meanwhile = isTriedAgain
    ? 'What comes meanwhile is kept in memory, and written as soon as that can be;'
    : 'What is not in the file is kept in memory until you quit;';
  return {
    code: words === null ? 'trace-not-written' : 'disk-full',
    what: words === null ? 'The trace cannot be written.' : `${words}: the trace is not written.`,
    why: messageOf(error),
    next: `${words === null ? '' : 'Make room. '}${meanwhile} what was written before is safe.`,
    evidence: path,
  };
}

/** What a full disk is called; null when it is something else that fails. */
export const wordsForNoRoom = (error: unknown): string | null =>
  noRoom.get(systemCodeOf(error) ?? '') ?? null;
