import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test('a malformed tool is listed as bad, with why, and hides no other', async () => {
  const { id } = await engine.connect(misbehavingServer('malformed-tools'));
  const { state, entries } = await engine.call('catalog/tools', { sessionId: id });
  expect(state).toBe('ready');
  const usable = entries.flatMap((entry) => (entry.usable ? [entry.tool.name] : []));
  const bad = entries.flatMap((entry) => (entry.usable ? [] : [entry]));
  expect(usable).toContain('echo');
  expect(bad.length).toBeGreaterThan(2);
  for (const { why, raw } of bad) {
    expect(why).not.toBe('');
    expect(raw).not.toBe('');
  }
  expect(bad.find(({ name }) => name === 'schema_is_a_string')?.why).toContain('inputSchema.type');
});

test('all pages are read', async () => {
  const { id } = await engine.connect(misbehavingServer('paged-tools'));
  const list = await engine.call('catalog/tools', { sessionId: id });
  expect(list.pages).toBeGreaterThan(1);
  expect(list.fault).toBeNull();
  const asked = (await engine.rows(id)).filter(
    (row) => row.method === 'tools/list' && row.direction === 'out',
  );
  expect(asked.length).toBe(list.pages);
});

test.each([
  ['cursor-loop', 'cursor-loop'],
  ['endless-cursor', 'too-many-pages'],
] as const)('reading stops for %s and says why', async (scenario, code) => {
  const { id } = await engine.connect(misbehavingServer(scenario));
  const list = await engine.call('catalog/tools', { sessionId: id });
  expect(list).toMatchObject({ state: 'ready', fault: { code } });
  expect(list.entries.length).toBeGreaterThan(0);
});

test('an answer that is no list is a failure that leaves the session up', async () => {
  const session = await engine.connect(misbehavingServer('tools-not-a-list'));
  expect(session.phase).toBe('ready');
  const list = await engine.call('catalog/tools', { sessionId: session.id });
  expect(list).toMatchObject({ state: 'failed', fault: { code: 'list-missing' } });
});

test('the list is read again when the server says that it changed', async () => {
  const { id } = await engine.connect(misbehavingServer('list-changed'));
  await engine.row(id, (row) => row.method === 'notifications/tools/list_changed');
  const asked = await engine.until(async () => {
    const rows = await engine.rows(id);
    const requests = rows.filter((row) => row.method === 'tools/list' && row.direction === 'out');
    return requests.length > 1 ? requests : null;
  });
  expect(asked.every((row) => row.automatic)).toBe(true);
});
