import { expect, test } from 'vitest';
import type { ToolEntry } from './contract/catalog.ts';
import { listChanges } from './list-changes.ts';

const entry = (
  tool: { name: string; description?: string; inputSchema?: object },
  raw = tool,
): ToolEntry => ({
  usable: true,
  tool: { inputSchema: {}, ...tool } as never,
  duplicate: false,
  raw: JSON.stringify(raw),
});

test('says what came, what went and what differs, by name', () => {
  const before = [entry({ name: 'a', description: 'old' }), entry({ name: 'b' }), entry({ name: 'c' })];
  const after = [entry({ name: 'd' }), entry({ name: 'c' }), entry({ name: 'a', description: 'new' })];
  expect(listChanges(before, after)).toMatchObject({
    added: ['d'],
    removed: ['b'],
    changed: [{ name: 'a', members: ['description'], before: expect.stringContaining('old') }],
  });
});

test('another order of keys or entries is no change', () => {
  const before = [
    entry({ name: 'a', inputSchema: { type: 'object', properties: { x: {}, y: {} } } }),
    entry({ name: 'b' }),
  ];
  const after = [
    entry({ name: 'b' }),
    entry({ inputSchema: { properties: { y: {}, x: {} }, type: 'object' }, name: 'a' }),
  ];
  expect(listChanges(before, after)).toBeNull();
});

test('a tool that became unusable counts as changed', () => {
  const bad: ToolEntry = { usable: false, name: 'a', error: 'no inputSchema', raw: '{"name":"a"}' };
  const before = [entry({ name: 'a', inputSchema: {} })];
  expect(listChanges(before, [bad])?.changed).toMatchObject([{ name: 'a', members: ['inputSchema'] }]);
});

test('entries without a name are left out', () => {
  expect(listChanges([], [{ usable: false, name: null, error: 'not an object', raw: '5' }])).toBeNull();
});
