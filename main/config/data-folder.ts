import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** What decides where the data folder is; of the running process unless a test says otherwise. */
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
  const { resolve, join } = platform === 'win32' ? win32 : posix;
  return env.SIGHTGLASS_HOME ? resolve(env.SIGHTGLASS_HOME) : join(...placeOf(around));
}

/** The data folder, created when missing so that only its owner can enter it. */
export function createDataFolder(): string {
  const folder = dataFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function placeOf({ platform, env, home }: Surroundings): [string, ...string[]] {
  switch (platform) {
    case 'darwin':
      return [home, 'Library', 'Application Support', 'Sightglass'];
    case 'win32':
      return env.APPDATA ? [env.APPDATA, 'Sightglass'] : [home, 'AppData', 'Roaming', 'Sightglass'];
    default:
      // A relative XDG_DATA_HOME is to be ignored (XDG Base Directory, "Basics").
      return env.XDG_DATA_HOME && posix.isAbsolute(env.XDG_DATA_HOME)
        ? [env.XDG_DATA_HOME, 'sightglass']
        : [home, '.local', 'share', 'sightglass'];
  }
}

const ownSurroundings = (): Surroundings => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
});
