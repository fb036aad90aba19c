import { type Fault, messageOf } from '#shared/contract/fault.ts';

/** Operations on a file, for faults. */
export type Change = 'renamed' | 'deleted';

export const writtenHere = (change: Change, path: string): Fault => ({
  code: 'trace-in-use',
  what: `The trace cannot be ${change} while its session writes it.`,
  next: 'Disconnect first.',
  evidence: path,
});

export const writtenElsewhere = (change: Change, path: string): Fault => ({
  code: 'trace-in-use',
  what: `The trace cannot be ${change}: another Sightglass seems to be writing it.`,
  why: 'It changed within the last two minutes, and the session in it has not ended.',
  next: 'Disconnect there, or wait two minutes when that Sightglass does not run any more.',
  evidence: path,
});

export const noName = (requested: string): Fault => ({
  code: 'bad-name',
  what: 'This cannot be the name of a file.',
  why: 'Nothing is left of it without dots, blanks and what file systems refuse.',
  next: 'Choose another name.',
  evidence: requested,
});

export const nameTaken = (name: string): Fault => ({
  code: 'name-taken',
  what: `There is already a trace called "${name}".`,
  next: 'Choose another name, or delete that one first. A trace is never overwritten.',
});

export const notChanged = (change: Change, path: string, error: unknown): Fault => ({
  code: 'trace-not-changed',
  what: `The trace could not be ${change}.`,
  why: messageOf(error),
  next: 'Check that its folder may be written to by you, and that no other program has it open.',
  evidence: path,
});

export const goneMeanwhile = (path: string): Fault => ({
  code: 'no-such-trace',
  what: 'The trace was moved or deleted by somebody else just now.',
  next: 'Look at the list again.',
  evidence: path,
});

export const folderUnreadable = (folder: string, why: string): Fault => ({
  code: 'traces-unreadable',
  what: `The folder of traces ${folder} cannot be read.`,
  why,
  next: 'Check that it may be read by you, or set SIGHTGLASS_HOME to another folder.',
});
