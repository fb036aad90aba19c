import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, delimiter } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { StartupTarget } from '#main/platform.ts';
import { appRoot } from '#hosts/app-root.ts';
import { handOverInEnvironment } from '#hosts/startup-target.ts';
import { type ExitCode, exitCodes, onCtrlC } from './exit.ts';
import { browserEnvironment } from './named-values.ts';

/** Shows an address in a separate browser window with its own profile, until the window is closed. */
export async function showInAppWindow(browser: string, address: string): Promise<Ended> {
  const profile = await mkdtemp(join(profileParent(browser), 'sightglass-window-'));
  try {
    // Every user of the machine can read a command line, so the address with its token goes through a file.
    const door = join(profile, 'door.html');
    await writeFile(door, doorPage(address), { mode: 0o600 });
    return await runChild({
      command: browser,
      args: [
        `--app=${pathToFileURL(door).href}`,
        `--user-data-dir=${profile}`,
        '--no-first-run',
        '--no-default-browser-check',
        '--window-size=1440,900',
        ...sandboxFlags(),
      ],
      env: browserEnvironment(),
      // The browser's output is of no use to the user.
      stdio: 'ignore',
    });
  } finally {
    // Helper processes may still write after the browser has exited.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Chromium as a snap has its own /tmp; it shares this folder with us. */
function profileParent(browser: string): string {
  const shared = join(homedir(), 'snap', 'chromium', 'common');
  return basename(browser).startsWith('chromium') && existsSync(shared) ? shared : tmpdir();
}

const doorPage = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Sightglass</title><meta http-equiv="refresh" content="0;url=${address}">\n`;

/** A failing Electron exits within this time; one that exits later has had its window. */
const FAILS_WITHIN = 10_000;

export type ElectronRun =
  | { readonly hasRun: true; readonly exitCode: ExitCode }
  /** Electron exited before it was usable; `why` is for the user. */
  | { readonly hasRun: false; readonly why: string };

/** Runs the app in Electron until it is closed. */
export async function runElectron(binary: string, target: StartupTarget | null): Promise<ElectronRun> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const started = performance.now();
  const args = [...sandboxFlags(), appRoot];
  const { exitCode, signal, failure, wasInterrupted } = await runChild({
    command: binary,
    args,
    env: { ...env, ...handOverInEnvironment(target) },
    stdio: 'inherit',
  });
  if (wasInterrupted || exitCode === exitCodes.fine) return { hasRun: true, exitCode: exitCodes.fine };
  // Our own exit code for an error that it has already reported.
  if (exitCode === exitCodes.internal) return { hasRun: true, exitCode };
  const why = `Electron ended with ${failure ?? signal ?? `exit code ${exitCode}`}`;
  if (performance.now() - started < FAILS_WITHIN) return { hasRun: false, why };
  throw new Error(why);
}

interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started. */
  readonly failure: string | null;
  /** Whether the user interrupted us, and we passed the signal on. */
  readonly wasInterrupted: boolean;
}

interface ChildSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdio: 'inherit' | 'ignore';
}

/** Milliseconds for a window to close in order: longer than its engine takes to end all servers. */
const END_WITHIN = 20_000;

/**
 * Runs a program with a window until it exits. Passes an interruption on, and kills the program if it does not exit.
 */
async function runChild({ command, args, env, stdio }: ChildSettings): Promise<Ended> {
  const child = spawn(command, args, { env, stdio });
  let wasInterrupted = false;
  let timer: NodeJS.Timeout | undefined;
  const stopListening = onCtrlC((signal) => {
    wasInterrupted = true;
    // Ctrl-C in a terminal has already reached the child, which is in the same process group.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill('SIGTERM');
    timer ??= setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
  });
  // On a second signal we exit at once, so the child must be killed now.
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

/** Why no window can be opened here; null if one can. Only Linux runs without a display. */
export function noWindowReason(): string | null {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || DISPLAY || WAYLAND_DISPLAY ? null : 'there is no display here';
}

/** Chromium, and so Electron, refuses to run as root in its sandbox. */
const sandboxFlags = (): readonly string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : []);

/** Names on the PATH of Linux, the likeliest first. */
const commandNames = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'microsoft-edge-stable',
];

const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

const windowsPaths = [
  ['Google', 'Chrome', 'Application', 'chrome.exe'],
  ['Chromium', 'Application', 'chrome.exe'],
  ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
];

/** A browser of the Chromium family on this machine, which can open a window without an address bar; or null. */
export function findBrowser(): string | null {
  return candidates().find(isExecutable) ?? null;
}

function candidates(): string[] {
  const { env } = process;
  switch (process.platform) {
    case 'darwin':
      return ['/Applications', join(env.HOME ?? '', 'Applications')].flatMap((folder) =>
        macApps.map((app) => join(folder, `${app}.app`, 'Contents', 'MacOS', app)),
      );
    case 'win32':
      return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
        .filter((folder) => folder !== undefined)
        .flatMap((folder) => windowsPaths.map((path) => join(folder, ...path)));
    default: {
      const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
      return commandNames.flatMap((name) => folders.map((folder) => join(folder, name)));
    }
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
