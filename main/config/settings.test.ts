import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';
import { memorySecrets } from './secrets.ts';
import { SettingsStore } from './settings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-settings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('settings are as they come until something is set', async () => {
  expect(await new SettingsStore(folder, memorySecrets(), () => undefined).read()).toEqual(defaultSettings);
});

test('what is set stays set, and what is not given stays as it was', async () => {
  const reported: Settings[] = [];
  const store = new SettingsStore(folder, memorySecrets(), (settings) => reported.push(settings));
  await store.write({ retention: { days: 30, bytes: null } });
  await store.write({ traceTimes: 'relative' });
  const expected = { ...defaultSettings, retention: { days: 30, bytes: null }, traceTimes: 'relative' };
  expect(reported.at(-1)).toEqual(expected);
  expect(await new SettingsStore(folder, memorySecrets(), () => undefined).read()).toEqual(expected);
  expect(JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))).toMatchObject({ version: 1 });
});
