import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fileFormats } from '#shared/client-formats/table.ts';
import { connectingPage, formatTable, withTable } from './client-formats.ts';

test('connecting.md lists every client whose files are read, as their descriptors say (node scripts/client-formats.ts writes it)', async () => {
  const page = await readFile(connectingPage, 'utf8');
  expect(page).toContain(formatTable());
  expect(withTable(page)).toBe(page);
});

test('no two clients have the same name or the same file of the user', () => {
  const all = (values: readonly string[]) => values.filter((one, index) => values.indexOf(one) < index);
  expect(all(fileFormats.map(({ id }) => id))).toEqual([]);
  expect(all(fileFormats.map(({ label }) => label))).toEqual([]);
  expect(
    all(fileFormats.flatMap(({ userFiles }) => userFiles.map(({ in: base, path }) => `${base}/${path}`))),
  ).toEqual([]);
});
