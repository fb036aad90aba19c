import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The Electron binary to run the app with, or null. Only files are looked at: importing the `electron`
 * package would start its download.
 */
export function findElectron(packageFolder: string | null = electronPackage()): string | null {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (named) return existing(join(named, electronBinaryName()));
  return packageFolder !== null && isComplete(packageFolder) ? binaryOf(packageFolder) : null;
}

/** The folder of the `electron` package, whether or not its binary is there; null when it is not installed. */
export function electronPackage(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  } catch {
    return null;
  }
}

/** Whether the binary of the package was unpacked to its end: the installer writes `path.txt` last. */
export const isComplete = (packageFolder: string): boolean =>
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
