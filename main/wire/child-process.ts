import type { ChildProcess } from 'node:child_process';

/** How a process ended: one of the two is null. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Settles when the process runs; rejects when it could not be started. */
export function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', reject);
  });
}

/**
 * Settles when a process that was started has ended. On Windows a command that is not there ends the shell it
 * runs in, and cross-spawn reports an error in place of that exit.
 */
export function exited(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: child.exitCode, signal: child.signalCode }));
  });
}

export const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;
