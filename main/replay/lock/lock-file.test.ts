import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CatalogEntry } from '#shared/contract/catalog.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { catalogChanges, type Catalog } from '#replay/compare/catalog-changes.ts';
import { lockFileShape, lockText, readLock } from './lock-file.ts';

const entry = (name: string, raw: string): CatalogEntry => ({ usable: false, name, error: '', raw });
const noLists = { tool: null, resource: null, template: null, prompt: null };
const catalog = (tools: readonly CatalogEntry[]): Catalog => ({
  revision: '2025-11-25',
  capabilities: { tools: {}, logging: {} },
  lists: { ...noLists, tool: tools, prompt: [] },
});
const add = entry(
  'add',
  '{"name":"add","inputSchema":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"maximum":9007199254740993}}}}',
);
const zoom = entry('zoom', '{ "inputSchema": {"type": "object"}, "name": "zoom" }');

test('the text is the same whatever the order of the list and of members', () => {
  const text = lockText(catalog([zoom, add]));
  expect(text).toBe(
    lockText(catalog([add, entry('zoom', '{"name":"zoom","inputSchema":{"type":"object"}}')])),
  );
  expect(text).toBe(`{
  "version": 1,
  "revision": "2025-11-25",
  "capabilities": {
    "logging": {},
    "tools": {}
  },
  "tools": [
    {
      "inputSchema": {
        "properties": {
          "n": {
            "maximum": 9007199254740993
          }
        },
        "type": "object"
      },
      "name": "add"
    },
    {
      "inputSchema": {
        "type": "object"
      },
      "name": "zoom"
    }
  ],
  "resources": null,
  "resourceTemplates": null,
  "prompts": []
}
`);
});

test('it is read back as the same catalog', () => {
  const text = lockText(catalog([zoom, add]));
  const read = readLock('mcp.lock.json', text);
  expect(lockText(read)).toBe(text);
  const validate = () => ({ state: 'valid' }) as const;
  expect(catalogChanges(read, catalog([add, zoom]), [], validate)).toEqual([]);
  expect(catalogChanges(read, catalog([zoom]), [], validate)).toMatchObject([
    { rule: 'tool-removed', class: 'breaking', name: 'add' },
  ]);
});

test.each([
  ['{\n  "version": 1,\n  oops', 'mcp.lock.json:3:3: '],
  ['{\n  "version": 1,\n  "revision": 7\n}', 'mcp.lock.json:3:15: revision: '],
  [lockText(catalog([zoom])).replace('"name": "zoom"', '"name": 3'), 'mcp.lock.json:13:15: tools.0.name: '],
  [
    '{"version": 2, "lists": []}',
    'mcp.lock.json has version 2 of the format; this Sightglass reads version 1.',
  ],
  ['', 'mcp.lock.json:1:1: '],
])('a file that is no lock file is refused by name and line', (text, what) => {
  try {
    readLock('mcp.lock.json', text);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(FaultError);
    expect((error as FaultError).fault.what).toContain(what);
    expect((error as FaultError).fault.code).toBe('bad-lock-file');
  }
});

test('the published JSON Schema is that of the format', async () => {
  const file = new URL('../../../docs/mcplock.schema.json', import.meta.url);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    ...z.toJSONSchema(lockFileShape, { io: 'input' }),
    title: 'A lock file of Sightglass (mcp.lock.json)',
  });
});
