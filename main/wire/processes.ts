import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#shared/contract/fault.ts';

/** How a process ended: one of the two is null. */
interface Exit {
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

/**
 * Signals to a server's process and everything it started. On POSIX a server leads its own process group, so
 * that what `npx` started goes with it; Windows has `taskkill` for the tree.
 */
export async function signalTree(pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (process.platform === 'win32') {
    const force = signal === 'SIGKILL' ? ['/F'] : [];
    const killer = spawn('taskkill', ['/PID', String(pid), '/T', ...force], { stdio: 'ignore' });
    await exited(killer);
    return;
  }
  signalGroup(pid, signal);
}

/** Whether any process of the group is left. */
const isTreeAlive = (pid: number): boolean => process.platform !== 'win32' && signalGroup(pid, 0);

/** Milliseconds for the system to end a killed process, which takes longest on a busy machine. */
const KILL_TIME = 2000;

/** Ends what a server left behind when it exited: asks, waits up to `grace` milliseconds, then kills. */
export async function sweepTree(pid: number, grace: number): Promise<void> {
  if (!isTreeAlive(pid)) return;
  signalGroup(pid, 'SIGTERM');
  if (await isGoneWithin(pid, grace)) return;
  signalGroup(pid, 'SIGKILL');
  await isGoneWithin(pid, KILL_TIME);
}

async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (isTreeAlive(pid)) {
    if (performance.now() >= end) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal to the group; false when it has no process any more, or none that may be signalled. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

// The last net: if this process exits while servers run (a crash, an exit call), their groups are killed.
const running = new Set<number>();
let isNetHung = false;

/** Notes a process to be killed with this one; the function returned is to be called once it has ended. */
export function trackTree(pid: number): () => void {
  if (!isNetHung && process.platform !== 'win32') {
    isNetHung = true;
    process.on('exit', () => {
      for (const leader of running) signalGroup(leader, 'SIGKILL');
    });
  }
  running.add(pid);
  return () => running.delete(pid);
}
