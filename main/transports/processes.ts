import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#shared/contract/fault.ts';

/** A process with pipes for its standard streams. */
export interface PipedProcess
  extends Pick<ChildProcess, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'exitCode' | 'signalCode' | 'kill'> {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'spawn' | 'error' | 'close', listener: () => void): unknown;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/** How a process ended: one of the two is null. */
interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Resolves when the process runs; rejects if it could not be started. */
export function spawned(child: PipedProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', reject);
  });
}

/**
 * Resolves when a started process has exited. On Windows a missing command ends the shell that runs it, and
 * cross-spawn reports an error instead of that exit.
 */
export function exited(child: PipedProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: child.exitCode, signal: child.signalCode }));
  });
}

export const hasExited = (child: PipedProcess): boolean =>
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

/** Ends the processes that a server left running: SIGTERM, up to `grace` milliseconds of waiting, then SIGKILL. */
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

/** Sends a signal to the group; false if no process is left that may be signalled. */
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

// Safety net: if this process exits while servers run (a crash, an exit call), their groups are killed.
const running = new Set<number>();
let hasSafetyNet = false;

/** Registers a process to be killed with this one; call the returned function once it has exited. */
export function trackTree(pid: number): () => void {
  if (!hasSafetyNet && process.platform !== 'win32') {
    hasSafetyNet = true;
    process.on('exit', () => {
      for (const leader of running) signalGroup(leader, 'SIGKILL');
    });
  }
  running.add(pid);
  return () => running.delete(pid);
}
