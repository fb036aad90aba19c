import type { Fault } from '#shared/contract/fault.ts';
import { formatQuantity } from '#shared/format.ts';

/** @param isOurs whether Sightglass starts the server */
export const hasEnded = (times: number, reason: string | null, isOurs: boolean): Fault => ({
  code: isOurs ? 'server-ended' : 'connection-lost',
  what: `${isOurs ? 'The server ended' : 'The connection was lost'}${inARow(times)}. ${
    isOurs ? 'It is started again.' : 'Sightglass connects again.'
  }`,
  ...(reason !== null && { why: reason }),
});

const inARow = (times: number): string => (times > 1 ? ` ${times} times in a row` : '');

export const endedTooOften = (times: number, reason: string | null, isOurs: boolean): Fault => ({
  code: isOurs ? 'crash-loop' : 'connection-lost',
  what: isOurs
    ? `The server ended ${times} times in a row, so it is not started again.`
    : `There was no connection ${times} times in a row, so Sightglass does not try again.`,
  ...(reason !== null && { why: reason }),
  next: isOurs
    ? 'Correct it: the next change of a watched file starts it again.'
    : 'Start the server: Sightglass does not run it. The next change of a watched file connects again.',
});

export const changesItself = (files: readonly string[]): Fault => ({
  code: 'changes-itself',
  what: `Watched files change after each start, so the restart waits: ${files.slice(0, 3).join(', ')}${
    files.length > 3 ? ` and ${formatQuantity(files.length - 3, 'more file')}` : ''
  }.`,
  why: 'The server, or a program that it starts, seems to write them.',
  next: 'Name the paths to watch without them.',
});

export const mustBeApproved = (what: 'approval-needed' | 'variables-approval-needed'): Fault =>
  what === 'approval-needed'
    ? {
        code: what,
        what: 'The server was not restarted, because its command line was not approved.',
        next: 'Connect, and allow the command to run.',
      }
    : {
        code: what,
        what: 'The server was not connected to again, because the variables in its settings were not approved for its host.',
        next: 'Connect, and allow the variables to be sent.',
      };
