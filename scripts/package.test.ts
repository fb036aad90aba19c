import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './step.ts';

test('without an Electron nothing is packaged, and it says so with the exit code of a temporary failure', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'sightglass-package-'));
  try {
    const child = spawn(process.execPath, [join(projectRoot, 'scripts/package.ts')], {
      env: { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: empty, SIGHTGLASS_PACKAGE_OUT: join(empty, 'out') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [code] = await once(child, 'close');
    expect({ code, printed }).toEqual({
      code: 75,
      printed:
        `Nothing was packaged: there is no Electron in ${empty}.\n` +
        '"npx install-electron" downloads it; ELECTRON_OVERRIDE_DIST_PATH names a folder that has it unpacked.\n',
    });
    expect(await readdir(empty)).toEqual([]);
  } finally {
    await rm(empty, { recursive: true });
  }
});
