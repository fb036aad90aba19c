import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';

/** Files that commit 466c529 wrote, and what it read in them. */
const folder = fileURLToPath(new URL('../../../fixtures/written-by-466c529', import.meta.url));
const expected = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, name), 'utf8'));

test.each(['legacy-stdio', 'legacy-http', 'modern-http', 'misbehaving'])(
  'a trace of an older version shows the same rows: %s',
  async (name) => {
    const files = await OpenedFiles.begin();
    const text = await readFile(join(folder, `${name}.mcptrace`));
    const path = await files.file(text);
    const { sessionId } = await files.read(path);
    const rows = await files.engine.rows(sessionId);
    expect({ rows }).toMatchObject((await expected(`${name}.rows.json`)) as object);
    expect(await readFile(path)).toEqual(text);
    await files.engine.close();
  },
);

test('the servers and settings of an older version are read unchanged', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sightglass-older-'));
  for (const name of ['servers.json', 'settings.json']) await cp(join(folder, name), join(dataFolder, name));
  const engine = await EngineFixture.open({ dataFolder });
  const servers = await engine.call('servers/list', {});
  const settings = await engine.call('settings/read', {});
  expect({ servers, settings }).toMatchObject((await expected('expected-config.json')) as object);
  await engine.close();
});
