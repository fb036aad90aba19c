import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findCommand } from './find-command.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-commands-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes a file that can be run, or cannot. */
async function file(path: string, mode = 0o755): Promise<string> {
  const whole = join(folder, path);
  await mkdir(join(whole, '..'), { recursive: true });
  await writeFile(whole, '');
  await chmod(whole, mode);
  return whole;
}

describe('a command', () => {
  test('by its bare name is the first along PATH that can be run', async () => {
    await file('first/server', 0o644);
    await mkdir(join(folder, 'second/server'), { recursive: true });
    const wanted = await file('third/server');
    await file('fourth/server');
    const path = ['first', 'second', 'third', 'fourth'].map((name) => join(folder, name)).join(delimiter);
    expect(await findCommand('server', tmpdir(), { PATH: path })).toBe(wanted);
  });

  test('with a slash is a path from the working folder, whatever PATH says', async () => {
    const wanted = await file('here/server');
    await file('there/server');
    expect(await findCommand('./server', join(folder, 'here'), { PATH: join(folder, 'there') })).toBe(wanted);
    expect(await findCommand(wanted, tmpdir(), {})).toBe(wanted);
  });

  test('is looked for from the working folder when PATH names a folder without saying where', async () => {
    const wanted = await file('project/bin/server');
    expect(await findCommand('server', join(folder, 'project'), { PATH: 'bin' })).toBe(wanted);
  });

  test('that is nowhere is not found', async () => {
    expect(await findCommand('server', folder, { PATH: folder })).toBeNull();
    expect(await findCommand('server', folder, {})).toBeNull();
    expect(await findCommand(join(folder, 'server'), folder, { PATH: folder })).toBeNull();
  });
});

describe('on Windows, a command', () => {
  const environment = () => ({ Path: folder, PATHEXT: '.EXE;.CMD' });

  test('without an ending is the file with one, not the shell script beside it', async () => {
    await file('npx');
    const wanted = await file('npx.CMD');
    expect(await findCommand('npx', tmpdir(), environment(), 'win32')).toBe(wanted);
  });

  test('with an ending is that file', async () => {
    const wanted = await file('server.bat');
    expect(await findCommand('server.bat', tmpdir(), environment(), 'win32')).toBe(wanted);
  });
});
