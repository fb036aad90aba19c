import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App, Host, HostName, Opened } from './app.ts';
import { ElectronHost } from './electron.ts';
import { WebHost } from './web.ts';

export const hosts: Readonly<Record<HostName, () => Host>> = {
  web: () => new WebHost(),
  electron: () => new ElectronHost(),
};

/**
 * Starts the app in a data folder of its own, uses it, and ends it.
 *
 * @param prepare puts into the folder what is to be there at the start
 */
export async function withApp<T>(
  host: Host,
  opened: Opened,
  use: (app: App) => Promise<T>,
  prepare: (home: string) => Promise<void> = async () => {},
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'sightglass-bench-'));
  try {
    // Every message is listed, which is the most that the table can have.
    await writeFile(join(home, 'settings.json'), JSON.stringify({ version: 1, traceView: 'messages' }));
    await prepare(home);
    const app = await host.start(opened, home);
    try {
      return await use(app);
    } finally {
      await app.close();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
