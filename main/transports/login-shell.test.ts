import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loginShellPath } from './login-shell.ts';

/** A shell whose profile does this before it runs the command. */
async function shell(profile: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-shell-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'shell');
  await writeFile(path, `#!/bin/sh\n${profile}\nshift; eval "$1"\n`);
  await chmod(path, 0o755);
  return path;
}

test('is what the profile sets, whatever the profile prints', async () => {
  const path = await shell('echo "Welcome!"; PATH=/opt/tools/bin:/bin');
  expect(await loginShellPath(path)).toBe('/opt/tools/bin:/bin');
});

test('is unknown without a shell, or if the profile ends it', async () => {
  expect(await loginShellPath('/no/such/shell')).toBeNull();
  expect(await loginShellPath(await shell('exit 1'))).toBeNull();
});

test('is not waited for longer than the time limit, and the shell is ended', async () => {
  const began = performance.now();
  expect(await loginShellPath(await shell('sleep 600'))).toBeNull();
  expect(performance.now() - began).toBeLessThan(8000);
});
