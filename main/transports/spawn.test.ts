import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test, afterEach, beforeEach, describe } from 'vitest';
import { spawnFault, findCommand, serverEnvironment } from './spawn.ts';

const explain = (command: string, code = 'ENOENT', cwd = tmpdir()) =>
  spawnFault(code, `spawn ${command} ${code}`, { command, cwd, environment: { PATH: '/usr/bin:/bin' } });

test('a bare name that is not found is explained by the PATH', async () => {
  const { why, next, evidence } = await explain('no-such-command');
  expect(why).toContain('PATH');
  expect(next).toContain('no-such-command');
  expect(evidence).toContain('PATH=/usr/bin:/bin');
});

test('a path that is not found is explained by the file, and by the folder it is looked for from', async () => {
  for (const code of ['ENOENT', 'ENOTDIR']) {
    const { why, next } = await explain('./build/server', code);
    expect(why).not.toContain('PATH');
    expect(next).toContain(tmpdir());
  }
});

test.each(['EACCES', 'E2BIG', 'ENOMEM', 'unknown'])('%s says what to do', async (code) => {
  expect(await explain('server', code)).toMatchObject({ next: expect.any(String) });
});

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

const own = { PATH: '/bin', HOME: '/home/me', API_KEY: 'secret', SHELL: '() { evil; }' };

test('a server inherits only what every program needs by default', () => {
  expect(serverEnvironment('safe', {}, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/home/me' });
  expect(serverEnvironment('all', {}, own, 'linux')).toEqual(own);
});

test('variables set by the user override inherited ones', () => {
  expect(serverEnvironment('safe', { PATH: '/opt', TOKEN: 't' }, own, 'linux')).toEqual({
    PATH: '/opt',
    HOME: '/home/me',
    TOKEN: 't',
  });
});

test('names are compared without case on Windows', () => {
  expect(
    serverEnvironment('safe', {}, { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Foo: 'x' }, 'win32'),
  ).toEqual({
    Path: 'C:\\bin',
    SystemRoot: 'C:\\Windows',
  });
});

test('on Windows, where names ignore case, variables set by the user replace inherited ones', () => {
  const inherited = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' };
  expect(serverEnvironment('safe', { path: 'D:\\tools' }, inherited, 'win32')).toEqual({
    SystemRoot: 'C:\\Windows',
    path: 'D:\\tools',
  });
});
