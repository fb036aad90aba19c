import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { explainSpawn } from './spawn-fault.ts';

const explain = (command: string, code = 'ENOENT', cwd = tmpdir()) =>
  explainSpawn(code, `spawn ${command} ${code}`, { command, cwd, environment: { PATH: '/usr/bin:/bin' } });

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
