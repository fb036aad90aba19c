import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './step.ts';

const executables: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The Electron program that is on this machine already, or null. Never downloads one. */
export function findElectron(
  env: NodeJS.ProcessEnv = process.env,
  root: string = projectRoot,
): string | null {
  const executable = executables[process.platform] ?? 'electron';
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH ?? join(root, 'node_modules/electron/dist');
  const path = join(folder, executable);
  return existsSync(path) ? path : null;
}

/** Why Electron cannot open a window here, or null when it can. */
export function whyNoWindow(env: NodeJS.ProcessEnv = process.env): string | null {
  if (process.platform !== 'linux') return null;
  return env.DISPLAY || env.WAYLAND_DISPLAY ? null : 'there is no display; try xvfb-run npm test';
}
