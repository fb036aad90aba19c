import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDataFolder, dataFolder } from './data-folder.ts';

const on = (platform: NodeJS.Platform, env: Record<string, string> = {}, home = '/home/ada') =>
  dataFolder({ platform, env, home });

test('each platform keeps data in its own place', () => {
  expect(on('linux')).toBe('/home/ada/.local/share/sightglass');
  expect(on('linux', { XDG_DATA_HOME: '/data' })).toBe('/data/sightglass');
  expect(on('darwin', {}, '/Users/ada')).toBe('/Users/ada/Library/Application Support/Sightglass');
  expect(on('win32', { APPDATA: 'D:\\Roaming' }, 'C:\\Users\\ada')).toBe('D:\\Roaming\\Sightglass');
  expect(on('win32', {}, 'C:\\Users\\ada')).toBe('C:\\Users\\ada\\AppData\\Roaming\\Sightglass');
});

test('a relative XDG_DATA_HOME is ignored', () => {
  expect(on('linux', { XDG_DATA_HOME: 'data' })).toBe('/home/ada/.local/share/sightglass');
});

test.each(['linux', 'darwin'] as const)('SIGHTGLASS_HOME wins on %s and is made absolute', (platform) => {
  expect(on(platform, { SIGHTGLASS_HOME: '/srv/glass', XDG_DATA_HOME: '/data' })).toBe('/srv/glass');
  expect(on(platform, { SIGHTGLASS_HOME: 'glass' })).toBe(join(process.cwd(), 'glass'));
});

test.skipIf(process.platform === 'win32')(
  'a missing data folder is created for its owner alone',
  async () => {
    const parent = await mkdtemp(join(tmpdir(), 'sightglass-data-'));
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(parent, { recursive: true });
    });
    vi.stubEnv('SIGHTGLASS_HOME', join(parent, 'a', 'b'));
    const folder = createDataFolder();
    expect(folder).toBe(join(parent, 'a', 'b'));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    createDataFolder();
  },
);
