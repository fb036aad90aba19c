import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The folder that holds `package.json` and `dist/`: the project, or `app.asar` in the packaged app. */
export const appRoot: string = findAppRoot(import.meta.dirname);

export const pageFolder: string = join(appRoot, 'dist', 'renderer');

export const preloadScript: string = join(appRoot, 'dist', 'preload', 'index.cjs');

export const demoServerScript = join(appRoot, 'dist', 'main', 'demo-server.js');

export const appVersion: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8'))).version;

/** How to start the demo server with the Node that runs this; no other one can be assumed. Electron starts it otherwise. */
export const demoServer = { command: process.execPath, args: [demoServerScript], env: {} };

// Sources, bundles and their chunks lie at different depths; the manifest is above all of them.
function findAppRoot(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('Sightglass is incomplete: no package.json above its own files.');
  return findAppRoot(parent);
}

/** Reports errors that no caller handles. */
export function reportError(where: string, error: unknown): void {
  console.error(`sightglass: ${where}:`, error);
}
