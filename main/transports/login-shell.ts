import { spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { withTimeout } from './async.ts';
import { signalTree, spawned, trackTree } from './processes.ts';

/** Milliseconds for the shell to start and read its profile. */
const TIME_LIMIT = 2000;
/** Bytes read of what the profile and the command print. */
const MAX_OUTPUT = 64 * 1024;
const MARK = '__SIGHTGLASS_PATH__';

/**
 * The PATH of the user's login shell, which an app started from a desktop does not inherit. Null if it cannot be found
 * out in time, and on Windows, where all programs share one.
 *
 * @param shell the shell to ask; by default that of the user
 */
export async function loginShellPath(shell = usersShell()): Promise<string | null> {
  if (process.platform === 'win32' || shell === null) return null;
  // In a session of its own: an interactive shell would take over the terminal of this process.
  const child = spawn(shell, ['-ilc', `printf '${MARK}%s${MARK}' "$PATH"`], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await spawned(child);
  } catch {
    // Without a shell there is nobody to ask.
    return null;
  }
  const { pid } = child;
  if (pid === undefined) return null;
  const untrack = trackTree(pid);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < MAX_OUTPUT) output += text;
  });
  await withTimeout(TIME_LIMIT, new Promise((resolve) => child.once('close', resolve)));
  // Ends a shell that hangs, and what its profile left running.
  await signalTree(pid, 'SIGKILL');
  child.stdout.destroy();
  untrack();
  return output.split(MARK)[1] ?? null;
}

function usersShell(): string | null {
  try {
    return process.env.SHELL ?? userInfo().shell;
  } catch {
    // A user without an entry in the list of accounts.
    return null;
  }
}
