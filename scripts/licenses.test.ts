import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { projectRoot } from './step.ts';

const dist = join(projectRoot, 'dist');

/** The packages whose code is in the bundles below a folder, by their source maps. */
async function bundledPackages(folder: string): Promise<string[]> {
  const names = new Set<string>();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.map')) continue;
    const { sources } = z
      .object({ sources: z.array(z.string().nullable()) })
      .parse(JSON.parse(await readFile(join(folder, file), 'utf8')));
    for (const source of sources) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source ?? '')?.[1];
      if (name !== undefined) names.add(name);
    }
  }
  return [...names].sort();
}

test.each(['main', 'renderer'])(
  'every package bundled in dist/%s has its license beside it',
  async (part) => {
    const folder = join(dist, part);
    const packages = await bundledPackages(folder);
    expect(packages).toContain('zod');
    const notices = await readFile(join(folder, 'licenses/packages.md'), 'utf8');
    const noticed = [...notices.matchAll(/^## (\S+) - /gm)].map(([, name]) => name);
    expect(packages.filter((name) => !noticed.includes(name))).toEqual([]);
  },
);

test.each([
  ['inter', /SIL OPEN FONT LICENSE Version 1\.1/],
  ['jetbrains-mono', /SIL OPEN FONT LICENSE Version 1\.1/],
  ['tailwindcss', /MIT License/],
  ['monaco-editor', /incorporates components from the projects listed below/],
])('so has what vite does not see: %s', async (name, text) => {
  expect(await readFile(join(dist, 'renderer/licenses', `${name}.txt`), 'utf8')).toMatch(text);
});
