import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The Electron binary to run the app with, or null. Only files are looked at: importing the `electron`
 * package would start its download.
 */
export function findElectron(): string | null {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH || packageDist();
  if (folder === null) return null;
  const binary = join(folder, electronBinaryName());
  return existsSync(binary) ? binary : null;
}

/** The folder that the `electron` package unpacks its binary to, whether or not it is there. */
function packageDist(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('electron/package.json');
    return join(dirname(manifest), 'dist');
  } catch {
    return null; // The package is not installed.
  }
}

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
