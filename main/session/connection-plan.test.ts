import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let folder: string;
let engine: EngineFixture;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-login-'));
  // A login shell whose profile adds this folder to PATH.
  await executable('shell', `#!/bin/sh\nPATH=${folder}:$PATH\nshift; eval "$1"\n`);
  await executable('only-in-login-shell', '#!/usr/bin/env beside-it\n');
  await executable('beside-it', '#!/bin/sh\necho "found: $PATH" >&2; exit 3\n');
  vi.stubEnv('SHELL', join(folder, 'shell'));
  engine = await EngineFixture.open();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function executable(name: string, content: string): Promise<void> {
  await writeFile(join(folder, name), content);
  await chmod(join(folder, name), 0o755);
}

const command = { command: 'only-in-login-shell', args: [] };

test('a command that only the login shell finds is run from there, with the PATH of that shell', async () => {
  const { fault, diagnosis } = await engine.connect(command);
  expect(fault?.evidence).toContain(`found: ${folder}:`);
  expect(diagnosis?.steps[0]).toMatchObject({ state: 'ok', measured: join(folder, 'only-in-login-shell') });
});

test('a PATH that the user set is kept', async () => {
  const env = [{ name: 'PATH', value: '/bin', secret: false }];
  const { fault } = await engine.connect(command, { env });
  expect(fault).toMatchObject({ code: 'command-not-found', evidence: expect.stringContaining('PATH=/bin') });
});

test('the command that runs has its file, its folder and its whole environment, without secrets', async () => {
  vi.stubEnv('OTHER_PROGRAMS_KEY', 'hush-0123456789');
  const env = [
    { name: 'TOKEN', value: 'hush-token-0123456789', secret: true },
    { name: 'LEVEL', value: 'debug', secret: false },
  ];
  const transport = {
    kind: 'stdio' as const,
    ...misbehavingServer(),
    args: [...misbehavingServer().args],
    cwd: folder,
    env,
    inherit: 'all' as const,
  };
  const { id: sessionId } = await engine.connect(misbehavingServer(), { transport });
  const running = await engine.call('sessions/command', { sessionId });
  expect(running).toMatchObject({ cwd: folder, inherit: 'all', resolved: process.execPath });
  expect(running?.env).toEqual([
    { name: 'TOKEN', value: null },
    { name: 'LEVEL', value: 'debug' },
  ]);
  const inherited = new Map(running?.inherited.map(({ name, value }) => [name, value]));
  expect(inherited.get('PATH')).toBe(process.env.PATH);
  expect(inherited.get('OTHER_PROGRAMS_KEY')).toBeNull();
  expect(inherited.has('LEVEL')).toBe(false);
  expect(JSON.stringify(running)).not.toContain('hush');
});
