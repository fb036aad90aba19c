import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
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
  for (const { error, raw } of bad) {
    expect(error).not.toBe('');
    expect(raw).not.toBe('');
  }
  expect(bad.find(({ name }) => name === 'schema_is_a_string')?.error).toContain('inputSchema.type');
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

test('so it is when the server never announced that it would say so', async () => {
  const { id } = await engine.connect(
    scriptedServer(
      `'notifications/initialized'() { write({ method: 'notifications/tools/list_changed' }); },`,
    ),
  );
  const answers = await engine.until(async () => {
    const rows = await engine.rows(id);
    const lists = rows.filter((row) => row.method === 'tools/list' && row.kind === 'result');
    return lists.length > 1 ? lists : null;
  });
  expect(answers).toHaveLength(2);
});

test('a cursor goes back exactly as it was written, and not to the next session', async () => {
  const cursor = String.raw`"p\u00e4ge\/2 \ud83d\ude00"`;
  const { id, serverId } = await engine.connect(
    scriptedServer(
      String.raw`'tools/list'({ id, params }) {
        const next = params.cursor ? '' : ',"nextCursor":' + ${JSON.stringify(cursor)};
        console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"tools":[]' + next + '}}');
      },`,
    ),
  );
  const asked = async (sessionId: string) => {
    const rows = await engine.rows(sessionId);
    const requests = rows.filter((row) => row.method === 'tools/list' && row.direction === 'out');
    const details = requests.map(({ row }) => engine.call('trace/detail', { sessionId, row }));
    return (await Promise.all(details)).map(({ text }) => text);
  };
  const requests = [
    '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":2}}}',
    `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":${cursor},"_meta":{"progressToken":3}}}`,
  ];
  expect(await asked(id)).toEqual(requests);
  expect(await asked((await engine.reconnect(serverId)).id)).toEqual(requests);
});

test.each(['null', '""'])('a nextCursor of %s is taken for the end, and that is said', async (cursor) => {
  const { id } = await engine.connect(
    scriptedServer(`'tools/list'(request) { answer(request, { tools: [], nextCursor: ${cursor} }); },`),
  );
  const list = await engine.call('catalog/tools', { sessionId: id });
  expect(list).toMatchObject({ state: 'ready', pages: 1, fault: { code: 'empty-cursor' } });
});

test('what no schema knows is kept as it was written: _meta, icons, keys of the server’s own', async () => {
  const tool =
    '{"name":"x","inputSchema":{"type":"object"},"_meta":{"a.b/c": 1.0},"icons":[{"src":"https://e.example/i.png"}],"z":1e2}';
  const result = `{"tools":[${tool}],"_meta":{"io.example/count":12345678901234567890},"extra":null}`;
  const { id } = await engine.connect(
    scriptedServer(`'tools/list'(request) {
      console.log('{"jsonrpc":"2.0","id":' + request.id + ',"result":' + ${JSON.stringify(result)} + '}');
    },`),
  );
  const { entries } = await engine.call('catalog/tools', { sessionId: id });
  expect(entries).toMatchObject([{ usable: true, raw: tool }]);
  const answer = await engine.row(id, (row) => row.method === 'tools/list' && row.kind === 'result');
  expect((await engine.call('trace/detail', { sessionId: id, row: answer.row })).text).toBe(
    `{"jsonrpc":"2.0","id":2,"result":${result}}`,
  );
});

test('the list is read again although the server never stops saying that it changed', async () => {
  const { id } = await engine.connect(misbehavingServer('list-always-changed'));
  await engine.until(async () => {
    const lists = (await engine.rows(id)).filter(
      (row) => row.method === 'tools/list' && row.kind === 'request',
    );
    return lists.length > 2 ? true : null;
  });
});

test('what the user asks for again is not marked as automatic', async () => {
  const { id } = await engine.connect(misbehavingServer());
  await engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
  const asked = (await engine.rows(id)).filter(
    (row) => row.method === 'tools/list' && row.kind === 'request',
  );
  expect(asked.map((row) => row.automatic)).toEqual([true, false]);
});
