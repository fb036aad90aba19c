import { type ChildProcess, spawn } from 'node:child_process';
import { onCtrlC } from './ctrl-c.ts';

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started at all. */
  readonly failure: string | null;
  /** We were asked to end meanwhile and passed it on. */
  readonly wasInterrupted: boolean;
}

export interface ChildSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: 'inherit' | 'ignore';
}

/** How long a window may take to end in order: longer than its engine takes to end every server. */
const END_WITHIN = 20_000;

/** Runs a program with a window until it ends. When we are asked to end, it is asked too, and killed if it will not. */
export async function runChild({ command, args, env, stdio }: ChildSettings): Promise<Ended> {
  const child = spawn(command, args, { env, stdio });
  let wasInterrupted = false;
  let timer: NodeJS.Timeout | undefined;
  const stopListening = onCtrlC((signal) => {
    wasInterrupted = true;
    // Ctrl-C in a terminal has reached the child already, as one of the same group.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill('SIGTERM');
    timer ??= setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  });
  // Asked a second time, we exit at once, and nobody would be there to end it.
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  try {
    return { ...(await endOf(child)), wasInterrupted };
  } finally {
    clearTimeout(timer);
    stopListening();
    process.off('exit', killChild);
  }
}

function endOf(child: ChildProcess): Promise<Omit<Ended, 'wasInterrupted'>> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ exitCode: null, signal: null, failure: error.message }));
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, failure: null }));
  });
}
