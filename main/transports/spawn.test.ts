import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawnFault, serverEnvironment } from './spawn.ts';

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

describe('a file that cannot be run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightglass-spawn-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function script(content: string, mode: number): Promise<string> {
    const path = join(folder, 'server.py');
    await writeFile(path, content);
    await chmod(path, mode);
    return path;
  }

  test('for want of permission is named with its bits and with the command that helps', async () => {
    const path = await script('', 0o644);
    const fault = await explain(path, 'EACCES');
    expect(fault.why).toBe(`${path} has no execute permission for you (rw-r--r--, 644).`);
    expect(fault.next).toContain(`chmod +x ${path}`);
    expect(fault.next).toContain(`python3 ${path}`);
  });

  test('is not "not found" if it is on PATH', async () => {
    const path = await script('', 0o644);
    const target = { command: 'server.py', cwd: tmpdir(), environment: { PATH: folder } };
    const fault = await spawnFault('ENOENT', 'spawn server.py ENOENT', target);
    expect(fault).toMatchObject({ code: 'command-not-executable', why: expect.stringContaining(path) });
  });

  test('because it is a folder says so', async () => {
    expect((await explain(folder, 'EACCES')).why).toBe(`${folder} is a folder.`);
  });

  test.each([
    ['#!/no/such/python\n', /interpreter its first line names does not: \/no\/such\/python$/],
    ['#!/bin/sh\r\n', /first line ends with a carriage return/],
  ])('for want of its interpreter names that: %j', async (content, why) => {
    const fault = await explain(await script(content, 0o755));
    expect(fault).toMatchObject({ code: 'command-not-found', why: expect.stringMatching(why) });
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
