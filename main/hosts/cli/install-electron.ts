import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, dirname } from 'node:path';
import { messageOf } from '#shared/contract/fault.ts';

/** Milliseconds between two checks of the downloaded size. */
const LOOK_EVERY = 100;
/** Milliseconds without a change while nothing is downloaded: unpacking may write a single large file slowly. */
const UNPACKS_WITHIN = 60_000;

export interface Progress {
  readonly step: 'downloading' | 'unpacking';
  /** Bytes that have been downloaded, or unpacked, so far. */
  readonly bytes: number;
}

export interface InstallSettings {
  /** The folder of the `electron` package. */
  readonly packageFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds without a byte after which the download is given up. */
  readonly silence: number;
  /** Aborted when the user asks us to end. */
  readonly interruption: AbortSignal;
  onProgress(progress: Progress): void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** Why the binary could not be installed; null if it is installed. */
type InstallOutcome = string | null;

/**
 * Runs the installer of the `electron` package, which downloads the binary, checks its checksum and unpacks it.
 *
 * The installer unpacks beside itself, so it runs from a copy. When everything is unpacked, `dist` is renamed to its
 * place: however this ends, nothing incomplete is left. Two installers at the same time do not disturb each other.
 */
export async function installElectron(settings: InstallSettings): Promise<InstallOutcome> {
  const { packageFolder } = settings;
  let copy: string | undefined;
  try {
    await removeAbandoned(packageFolder);
    copy = await mkdtemp(join(packageFolder, `${COPY}${process.pid}-`));
    const why = await runInstaller(await copyInstaller(packageFolder, copy), settings);
    if (why === null) await putInPlace(copy, packageFolder);
    return why;
  } catch (error) {
    return messageOf(error);
  } finally {
    // The killed processes of the installer may still be closing files.
    if (copy !== undefined) await rm(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

const COPY = '.installing-';

/** Removes the copies of processes that were killed. */
async function removeAbandoned(packageFolder: string): Promise<void> {
  for (const name of await readdir(packageFolder)) {
    const pid = name.startsWith(COPY) ? Number.parseInt(name.slice(COPY.length), 10) : Number.NaN;
    if (pid > 0 && !isRunning(pid)) await rm(join(packageFolder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

interface Copy {
  readonly installer: string;
  /** Where the installer keeps what it downloads. */
  readonly temporary: string;
  /** Where it unpacks to. */
  readonly dist: string;
}

async function copyInstaller(packageFolder: string, copy: string): Promise<Copy> {
  for (const entry of await readdir(packageFolder, { withFileTypes: true })) {
    // The types are large, and the installer brings its own.
    const isWanted = entry.isFile() && entry.name !== 'path.txt' && entry.name !== 'electron.d.ts';
    if (isWanted) await copyFile(join(packageFolder, entry.name), join(copy, entry.name));
  }
  const temporary = join(copy, 'temporary');
  await mkdir(temporary);
  return { installer: join(copy, 'install.js'), temporary, dist: join(copy, 'dist') };
}

async function runInstaller(copy: Copy, settings: InstallSettings): Promise<InstallOutcome> {
  const { temporary } = copy;
  const child = spawn(process.execPath, [copy.installer], {
    // The installer reports progress only after half a minute, so ours is measured by growing files.
    env: {
      ...settings.env,
      TMPDIR: temporary,
      TEMP: temporary,
      TMP: temporary,
      ELECTRON_GET_NO_PROGRESS: '1',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 10_000) said += text;
  });
  const ended = endOf(child);
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  try {
    const gaveUp = await watch(copy, settings, ended);
    if (gaveUp !== null) return gaveUp;
    const exitCode = await ended;
    return exitCode === 0 ? null : whyItFailed(said, exitCode);
  } finally {
    killChild();
    await ended;
    process.off('exit', killChild);
  }
}

function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no exit code'));
  });
}

/** Watches the download until the installer has ended; returns why it was aborted, or null. */
async function watch(
  { temporary, dist }: Copy,
  { silence, interruption, onProgress, now = () => performance.now() }: InstallSettings,
  ended: Promise<unknown>,
): Promise<InstallOutcome> {
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  let lastChange = now();
  let last = 0;
  let wasDownloaded = false;
  for (;;) {
    await Promise.race([ended, pause()]);
    if (hasEnded) return null;
    if (interruption.aborted) return 'interrupted';
    const [downloaded, unpacked] = await Promise.all([sizeOf(temporary), sizeOf(dist)]);
    // The installer moves what it has downloaded to its cache before it unpacks it.
    wasDownloaded ||= unpacked > 0 || downloaded < last;
    const bytes = wasDownloaded ? unpacked : downloaded;
    if (bytes !== last) {
      last = bytes;
      lastChange = now();
      onProgress({ step: wasDownloaded ? 'unpacking' : 'downloading', bytes });
    } else if (now() - lastChange >= (wasDownloaded ? Math.max(silence, UNPACKS_WITHIN) : silence)) {
      return wasDownloaded ? 'it was not unpacked' : `no byte came for ${silence / 1000} s`;
    }
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));

/** The size of all files in a folder; 0 if it does not exist. */
async function sizeOf(folder: string): Promise<number> {
  // What it lists may be gone or moved by the time it is looked at.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sizeOf(path);
    return stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The line of a stack that says what happened. */
function whyItFailed(said: string, exitCode: number | string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const line = lines.find((one) => /^\w*Error\b/.test(one)) ?? lines.find((one) => one !== '');
  return line ?? `its installer ended with ${exitCode}`;
}

/** Moves the installed package to its place, unless another start has installed one first. */
async function putInPlace(copy: string, packageFolder: string): Promise<void> {
  if (isComplete(packageFolder)) return;
  const dist = join(packageFolder, 'dist');
  // Half of one, of an installer that was killed.
  await rename(dist, join(copy, 'half')).catch(() => undefined);
  await rename(join(copy, 'dist'), dist);
  // Written last, because it marks the installation as complete.
  await rename(join(copy, 'path.txt'), join(packageFolder, 'path.txt'));
}

/**
 * The Electron binary to run the app with, or null. Only files are looked at: importing the `electron`
 * package would start its download.
 */
export function findElectron(packageFolder: string | null = electronPackage()): string | null {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (named) return existing(join(named, electronBinaryName()));
  return packageFolder !== null && isComplete(packageFolder) ? binaryOf(packageFolder) : null;
}

/** The folder of the `electron` package, with or without its binary; null if it is not installed. */
export function electronPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  } catch {
    return null;
  }
}

/** Whether the binary of the package was unpacked to its end: the installer writes `path.txt` last. */
const isComplete = (packageFolder: string): boolean =>
  existsSync(join(packageFolder, 'path.txt')) && existing(binaryOf(packageFolder)) !== null;

const binaryOf = (packageFolder: string): string => join(packageFolder, 'dist', electronBinaryName());

const existing = (path: string): string | null => (existsSync(path) ? path : null);

function electronBinaryName(): string {
  switch (process.platform) {
    case 'darwin':
      return join('Electron.app', 'Contents', 'MacOS', 'Electron');
    case 'win32':
      return 'electron.exe';
    default:
      return 'electron';
  }
}
