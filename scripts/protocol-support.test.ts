import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { methodFiles } from './protocol-support/cells.ts';
import { supportPage } from './protocol-support/page.ts';
import { supportFile } from './protocol-support.ts';
import { projectRoot } from './step.ts';

const read = (path: string): Promise<string> => readFile(join(projectRoot, path), 'utf8');

test('the page is what its tables make of it', async () => {
  expect(await readFile(supportFile, 'utf8')).toBe(supportPage().text);
});

test('every test that it names is there', async () => {
  const ofMethods: ReadonlySet<string> = new Set(Object.values(methodFiles));
  const missing: string[] = [];
  for (const { file, test: name } of supportPage().links) {
    if (ofMethods.has(file)) continue;
    const text = await read(file);
    if (!text.includes(`'${name}'`) && !text.includes(`"${name}"`)) missing.push(`${file}: ${name}`);
  }
  expect(missing).toEqual([]);
});

test('tests of single methods are made of the same tables as the page', async () => {
  for (const file of [methodFiles.fixture, 'fixtures/protocol/real-methods.ts']) {
    const text = await read(file);
    expect(text).toContain("'$revision over $transport'");
    expect(text).toContain('support.scenarios.map((scenario) => ({ title: titleOf(scenario), scenario }))');
  }
  expect(await read(methodFiles.everything)).toContain("testMethodsOf('server-everything')");
  expect(await read(methodFiles.SDK)).toContain("testMethodsOf('the official SDK')");
});
