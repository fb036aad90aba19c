import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test, afterEach, beforeEach, describe } from 'vitest';
import { findCommand, formatMode, inspectCommand } from './command-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-commands-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes a file that can be run, or cannot. */
async function file(path: string, mode = 0o755, content = ''): Promise<string> {
  const whole = join(folder, path);
  await mkdir(join(whole, '..'), { recursive: true });
  await writeFile(whole, content);
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

describe('the file of a command', () => {
  const inspect = (command: string, environment: Record<string, string> = { PATH: folder }) =>
    inspectCommand({ command, cwd: folder, environment });

  test('that can be run is shown with its permissions', async () => {
    const path = await file('server', 0o755, 'x');
    expect(await inspect('server')).toMatchObject({
      path,
      kind: 'file',
      isRunnable: true,
      size: 1,
      script: null,
    });
    expect(formatMode((await inspect('server'))?.mode ?? 0)).toBe('rwxr-xr-x, 755');
  });

  test('is the first of that name if none can be run', async () => {
    const path = await file('server', 0o640);
    const found = await inspect('server');
    expect(found).toMatchObject({ path, isRunnable: false });
    expect(formatMode(found?.mode ?? 0)).toBe('rw-r-----, 640');
  });

  test('is a folder only if a path names it', async () => {
    await mkdir(join(folder, 'server'));
    expect(await inspect('server')).toBeNull();
    expect(await inspect('./server')).toMatchObject({ kind: 'folder', isRunnable: false });
  });

  test.each([
    ['#!/no/such/interpreter', '/no/such/interpreter', null],
    ['#!/usr/bin/env -S node --test', 'node', null],
    ['#! /bin/sh -e', '/bin/sh', '/bin/sh'],
    ['#!/bin/sh\r', '/bin/sh\r', null],
  ])('names its interpreter: %j', async (line, interpreter, found) => {
    await file('server', 0o755, `${line}\nrest`);
    expect((await inspect('server'))?.script).toEqual({ line, interpreter, found });
  });

  test('finds the interpreter that env looks up', async () => {
    await file('server', 0o755, '#!/usr/bin/env tool\n');
    const tool = await file('tool');
    expect((await inspect('server'))?.script?.found).toBe(tool);
  });
});
