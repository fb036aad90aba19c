import { posix, win32 } from 'node:path';
import type { FileFormat, UserPath } from '#shared/client-formats/format.ts';
import type { Surroundings } from '#config/data-folder.ts';

/** The files of the user that a client may have on this system. */
export const userFiles = ({ userFiles: files }: FileFormat, around: Surroundings): string[] =>
  files.flatMap((file) => pathOf(file, around));

/** The folders of a client's logs about MCP servers on this system. */
export const logFolders = ({ logFolders: folders }: FileFormat, around: Surroundings): string[] =>
  folders.flatMap((folder) => pathOf(folder, around));

function pathOf({ in: base, path, on }: UserPath, around: Surroundings): string[] {
  const { platform, env, home } = around;
  const system = platform === 'darwin' ? 'mac' : platform === 'win32' ? 'windows' : 'linux';
  if (on?.includes(system) === false) return [];
  const parts = path.split('/');
  if (base === 'settings') return [inSettings(around, parts)];
  if (base === 'local-settings')
    return [win32.join(env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local'), ...parts)];
  return [(platform === 'win32' ? win32 : posix).join(home, ...parts)];
}

/** The platform's folder of settings of apps, as Electron's `appData` has it. */
function inSettings({ platform, env, home }: Surroundings, parts: readonly string[]): string {
  switch (platform) {
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support', ...parts);
    case 'win32':
      return win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), ...parts);
    default: {
      const own = env.XDG_CONFIG_HOME;
      // A relative XDG_CONFIG_HOME must be ignored (XDG Base Directory, "Basics").
      return posix.join(own && posix.isAbsolute(own) ? own : posix.join(home, '.config'), ...parts);
    }
  }
}
