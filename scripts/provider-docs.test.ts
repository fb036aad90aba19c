import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './step.ts';
import { providerPages, providersFolder } from './provider-docs.ts';

test('docs/providers/ has the pages of the table, and no others (node scripts/provider-docs.ts writes them)', async () => {
  const pages = providerPages();
  expect((await readdir(providersFolder)).toSorted()).toEqual([...pages.keys()].toSorted());
  for (const [name, text] of pages)
    expect(await readFile(join(providersFolder, name), 'utf8'), name).toBe(text);
});

test('docs/authorization.md links to them', async () => {
  const page = await readFile(join(projectRoot, 'docs/authorization.md'), 'utf8');
  expect(page).toContain('(providers/README.md)');
});
