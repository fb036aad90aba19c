import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sandboxFlags } from './display.ts';
import { type Ended, runChild } from './run-child.ts';

/** Shows an address in a browser window of its own, with a profile of its own, until that is closed. */
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
      env: process.env,
      // What a browser says on its way is of no use to our user.
      stdio: 'ignore',
    });
  } finally {
    // The browser's last helpers may still write when it has ended.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Chromium as a snap has a /tmp of its own; what it shares with us is this folder. */
function profileParent(browser: string): string {
  const shared = join(homedir(), 'snap', 'chromium', 'common');
  return basename(browser).startsWith('chromium') && existsSync(shared) ? shared : tmpdir();
}

const doorPage = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Sightglass</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
