import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';

/** What decides where the data folder is: by default, the running process. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * The folder of traces and settings: `SIGHTGLASS_HOME`, else the platform's own place for an app's data
 * (XDG Base Directory 0.8, Application Support, roaming AppData).
 */
export function dataFolder(around: Surroundings = ownSurroundings()): string {
  const { env, platform } = around;
  const path = platform === 'win32' ? win32 : posix;
  return env.SIGHTGLASS_HOME ? path.resolve(env.SIGHTGLASS_HOME) : path.join(...platformFolder(around));
}

/** Creates the data folder and returns its path. @throws FaultError as `ensureDataFolder` does */
export function createDataFolder(): string {
  const folder = dataFolder();
  ensureDataFolder(folder);
  return folder;
}

/** Others may write. */
const OPEN_TO_WRITE = 0o022;

/**
 * Creates the data folder if missing, and makes sure that only its owner can write there: its files decide what
 * Sightglass runs. Removes write permission of other users and warns about it.
 *
 * @throws FaultError if it cannot be created, belongs to another user, or contains files of another user
 */
export function ensureDataFolder(folder: string, warn: (text: string) => void = warnOnStderr): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new FaultError({
      code: 'data-folder-not-made',
      what: `The data folder ${folder} cannot be created.`,
      why: messageOf(error),
      next: 'Make its parent folder writable, or set SIGHTGLASS_HOME to another folder.',
    });
  }
  // Windows has access lists instead, and the folder inherits those of the user's profile.
  const us = process.getuid?.();
  if (us === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== us)
    throw new FaultError(notOurs(folder, `It belongs to the user with the id ${uid}; you are ${us}.`));
  if ((mode & OPEN_TO_WRITE) === 0) return;
  const planted = readdirSync(folder).find((name) => lstatSync(join(folder, name)).uid !== us);
  if (planted !== undefined) {
    throw new FaultError(
      notOurs(folder, `Others may write there, and ${planted} in it belongs to another user.`),
    );
  }
  closeToOthers(folder);
  const before = (mode & 0o777).toString(8);
  warn(
    `other users could write into the data folder ${folder} (mode ${before}); now only you can (mode 700)`,
  );
}

function closeToOthers(folder: string): void {
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    throw new FaultError(
      notOurs(folder, `Others may write there, and that cannot be changed: ${messageOf(error)}`),
    );
  }
}

const notOurs = (folder: string, why: string): Fault => ({
  code: 'data-folder-not-yours',
  what: `The data folder ${folder} is not safe to use.`,
  why: `${why} A user who can write there decides what Sightglass runs.`,
  next: 'Check its content, make yourself its owner and set its mode to 700, or set SIGHTGLASS_HOME to another folder.',
});

const warnOnStderr = (text: string): void => void process.stderr.write(`sightglass: ${text}\n`);

function platformFolder({ platform, env, home }: Surroundings): [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return [home, 'Library', 'Application Support', 'Sightglass'];
    case 'win32':
      return env.APPDATA ? [env.APPDATA, 'Sightglass'] : [home, 'AppData', 'Roaming', 'Sightglass'];
    default:
      // A relative XDG_DATA_HOME must be ignored (XDG Base Directory, "Basics").
      return env.XDG_DATA_HOME && posix.isAbsolute(env.XDG_DATA_HOME)
        ? [env.XDG_DATA_HOME, 'sightglass']
        : [home, '.local', 'share', 'sightglass'];
  }
}

/** The surroundings of the running process. */
export const ownSurroundings = (): Surroundings => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
});
