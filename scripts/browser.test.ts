import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from './browser.ts';
import { findElectron } from './electron-binary.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-browser-'));
  for (const name of ['chromium', 'google-chrome', 'electron']) {
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux')('finding a browser', () => {
  it('takes the first on PATH', () => {
    expect(findBrowser({ PATH: `/nowhere:${folder}` })).toBe(join(folder, 'chromium'));
  });

  it('takes the one the user names, and no other when that is missing', () => {
    const named = join(folder, 'google-chrome');
    expect(findBrowser({ PATH: folder, CHROMIUM: named })).toBe(named);
    expect(findBrowser({ PATH: folder, CHROMIUM: join(folder, 'missing') })).toBeNull();
  });

  it('finds Electron at the given path, and does not invent one', () => {
    expect(findElectron({ ELECTRON_OVERRIDE_DIST_PATH: folder })).toBe(join(folder, 'electron'));
    expect(findElectron({ ELECTRON_OVERRIDE_DIST_PATH: '/nowhere' })).toBeNull();
    expect(findElectron({}, folder)).toBeNull();
  });
});
