import { chmod, chown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { createDataFolder, dataFolder, ensureDataFolder } from './data-folder.ts';

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

/** A folder of ours with these rights. */
async function folderWith(mode: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-data-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, mode);
  return folder;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** Only root may give a file to another user; elsewhere the process says that it is another one. */
async function giveAway(path: string): Promise<void> {
  if (process.getuid?.() === 0) return chown(path, 12_345, 12_345);
  const { uid } = await stat(path);
  vi.spyOn(process, 'getuid').mockReturnValue(uid + 1);
  onTestFinished(() => void vi.restoreAllMocks());
}

describe.skipIf(process.platform === 'win32')('the data folder', () => {
  test.each([0o777, 0o770, 0o722])(
    'with mode %i is closed to others, and the user is notified',
    async (mode) => {
      const folder = await folderWith(mode);
      const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      onTestFinished(() => void vi.restoreAllMocks());
      const engine = await EngineFixture.open({ dataFolder: folder });
      expect(await modeOf(folder)).toBe(0o700);
      expect(errors.mock.calls.flat().join()).toContain(`data folder ${folder} (mode ${mode.toString(8)})`);
      await engine.close();
    },
  );

  test('that others may only read stays as it is', async () => {
    const folder = await folderWith(0o755);
    const said: string[] = [];
    ensureDataFolder(folder, (text) => said.push(text));
    expect(await modeOf(folder)).toBe(0o755);
    expect(said).toEqual([]);
  });

  test('of another user is refused, and nothing is written there', async () => {
    const folder = await folderWith(0o777);
    await giveAway(folder);
    const opening = EngineFixture.open({ dataFolder: folder });
    await expect(opening).rejects.toThrow(`The data folder ${folder} is not safe to use.`);
    const fault = await opening.catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(FaultError);
    expect(fault).toMatchObject({
      fault: { code: 'data-folder-not-yours', why: expect.stringContaining('belongs to the user') },
    });
    expect(await modeOf(folder)).toBe(0o777);
    expect(await readdir(folder)).toEqual([]);
  });

  // Without root no file can be given to another user.
  test.runIf(process.getuid?.() === 0)('that others could write, and did, is refused', async () => {
    const folder = await folderWith(0o777);
    await writeFile(join(folder, 'approvals.json'), '{}');
    await giveAway(join(folder, 'approvals.json'));
    expect(() => ensureDataFolder(folder)).toThrow('not safe to use');
  });
});
