import { expect, test } from 'vitest';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { searchLines, catalogLines } from './catalog.ts';

const entries: ToolEntry[] = [
  {
    usable: true,
    tool: { name: 'echo', title: 'Echo', description: 'Says it back', inputSchema: {} },
    duplicate: true,
    raw: '{}',
  },
  {
    usable: true,
    tool: { name: 'echo', annotations: { title: 'Second' }, inputSchema: {} },
    duplicate: true,
    raw: '{}',
  },
  { usable: false, name: null, error: 'not an object', raw: '5' },
];

test('every entry is a line with a key of its own', () => {
  const lines = catalogLines(entries);
  expect(lines.map(({ title }) => title)).toEqual(['Echo', 'Second', 'Unnamed entry']);
  expect(new Set(lines.map(({ key }) => key)).size).toBe(3);
});

test('a key does not depend on what else is in the list', () => {
  expect(catalogLines(entries.slice(2))[0]?.key).toBe(catalogLines(entries)[2]?.key);
});

test('search looks for every word in title, name and description', () => {
  const lines = catalogLines(entries);
  expect(searchLines(lines, ' ')).toHaveLength(3);
  expect(searchLines(lines, 'BACK echo').map(({ title }) => title)).toEqual(['Echo']);
  expect(searchLines(lines, 'echo second').map(({ title }) => title)).toEqual(['Second']);
  expect(searchLines(lines, 'not an').map(({ name }) => name)).toEqual([null]);
  expect(searchLines(lines, 'nothing')).toEqual([]);
});
