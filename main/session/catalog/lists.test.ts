import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { everythingOverStdio, type StartedServer, startEverything } from '#fixtures/http/start-server.ts';
import type { CatalogListName } from '#shared/contract/catalog.ts';

let engine: EngineFixture;
let server: StartedServer | undefined;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await server?.close();
  server = undefined;
});

async function overHttp() {
  server = await startEverything('streamableHttp');
  return engine.connectUrl(server.url);
}

/** Every list, and how it goes over the wire. */
const wire = {
  tools: ['tools/list', 'tools'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
  prompts: ['prompts/list', 'prompts'],
} as const;
const lists = ['tools', 'resources', 'templates', 'prompts'] as const;

/** A server that offers everything, and lists what the handlers say, else nothing. */
const serverWith = (handlers: string) =>
  scriptedServer(`
    initialize: (request) => answer(request, {
      protocolVersion: request.params.protocolVersion,
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      serverInfo: { name: 'scripted', version: '1.0.0' },
    }),
    'resources/list': (request) => answer(request, { resources: [] }),
    'resources/templates/list': (request) => answer(request, { resourceTemplates: [] }),
    'prompts/list': (request) => answer(request, { prompts: [] }),
    ${handlers}
  `);

/** A list once it was read to its end. */
const read = (sessionId: string, list: CatalogListName) =>
  engine.until(async () => {
    const now = await engine.call(`catalog/${list}`, { sessionId });
    return now.state === 'ready' || now.state === 'failed' ? now : null;
  });

/** A session with a server whose only entries of this list are these. */
async function listed(list: CatalogListName, entries: readonly unknown[]) {
  const [method, member] = wire[list];
  const result = JSON.stringify({ [member]: entries });
  const { id } = await engine.connect(serverWith(`'${method}': (request) => answer(request, ${result}),`));
  return read(id, list);
}

const requestsOf = async (sessionId: string, method: string) =>
  (await engine.rows(sessionId)).filter((row) => row.method === method && row.kind === 'request');

test.each([
  ['stdio', () => engine.connect(everythingOverStdio)],
  ['Streamable HTTP', () => overHttp()],
])('everything that a real server offers is listed, over %s', async (_, connect) => {
  const { id, toolCount } = await connect();
  for (const list of lists) expect(await read(id, list)).toMatchObject({ state: 'ready', fault: null });
  const { entries: resources } = await engine.call('catalog/resources', { sessionId: id });
  expect(resources[0]).toMatchObject({
    usable: true,
    resource: { uri: expect.stringMatching(/^demo:/), mimeType: 'text/markdown' },
    duplicate: false,
  });
  const { entries: templates } = await engine.call('catalog/templates', { sessionId: id });
  expect(templates.map((entry) => entry.usable && entry.template.uriTemplate)).toContain(
    'demo://resource/dynamic/text/{resourceId}',
  );
  const { entries: prompts } = await engine.call('catalog/prompts', { sessionId: id });
  expect(
    prompts.find((entry) => entry.usable && entry.prompt.arguments?.some(({ required }) => required)),
  ).toBeTruthy();
  expect([resources, templates, prompts].flat().every(({ usable }) => usable)).toBe(true);
  expect(toolCount).toBe((await read(id, 'tools')).entries.length);
});

describe('a bad entry is shown as bad, with why, and hides no other', () => {
  test.each<[list: CatalogListName, bad: unknown, name: string | null, error: string]>([
    ['resources', { name: 'nowhere' }, 'nowhere', 'uri: '],
    ['resources', { name: 'a', uri: 'README.md' }, 'README.md', 'no scheme'],
    ['resources', { name: 'a', uri: 'x:a', size: '12' }, 'x:a', 'size: '],
    ['resources', { uri: 'x:a' }, 'x:a', 'name: '],
    ['resources', null, null, 'entry: '],
    ['templates', { name: 'a', uriTemplate: 'x:/{a' }, 'x:/{a', 'no URI template (RFC 6570): a lone {'],
    ['templates', { name: 'a', uriTemplate: 5 }, 'a', 'uriTemplate: '],
    ['templates', { name: 'a', uriTemplate: 'x:/{a}', mimeType: 1 }, 'x:/{a}', 'mimeType: '],
    ['templates', [], null, 'entry: '],
    ['prompts', { title: 'no name' }, null, 'name: '],
    ['prompts', { name: 'p', arguments: { a: 1 } }, 'p', 'arguments: '],
    ['prompts', { name: 'p', arguments: [{ name: 'a', required: 'yes' }] }, 'p', 'arguments.0.required: '],
    ['prompts', 'text', null, 'entry: '],
    ['tools', { name: 't', inputSchema: { type: 'array' } }, 't', 'must be "object", it is "array"'],
    ['tools', { name: 't', inputSchema: { type: 'object' }, title: 1 }, 't', 'title: '],
  ])('%s: %j', async (list, bad, name, why) => {
    const good = { name: 'good', uri: 'x:good', uriTemplate: 'x:/{good}', inputSchema: { type: 'object' } };
    const { state, entries } = await listed(list, [good, bad, { ...good, description: 'again' }]);
    expect(state).toBe('ready');
    expect(entries).toMatchObject([
      { usable: true, duplicate: false, raw: JSON.stringify(good) },
      { usable: false, name, error: expect.stringContaining(why), raw: JSON.stringify(bad) },
      { usable: true, duplicate: true },
    ]);
  });
});

test('entries are the same by what identifies them, not by their name', async () => {
  const same = { name: 'same' };
  const { entries } = await listed('resources', [
    { ...same, uri: 'x:1' },
    { ...same, uri: 'x:2' },
    { name: 'other', uri: 'x:1' },
  ]);
  expect(entries.map((entry) => entry.usable && entry.duplicate)).toEqual([false, false, true]);
});

test('numbers and keys stay as they were written', async () => {
  const resource = '{"uri":"x:a","name":"a","size":12345678901234567890,"z":1.0,"_meta":{"b":1e2,"a":0}}';
  const { id } = await engine.connect(
    serverWith(`'resources/list': ({ id }) =>
      console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"resources":[' + ${JSON.stringify(resource)} + ']}}'),`),
  );
  expect((await read(id, 'resources')).entries).toMatchObject([{ usable: true, raw: resource }]);
});

describe.each([['resources'], ['templates'], ['prompts']] as const)('paging of %s', (list) => {
  const [method, member] = wire[list];
  const paged = (next: string) =>
    serverWith(`'${method}': (request) => {
      const cursor = request.params?.cursor;
      const entry = { name: 'after ' + cursor, uri: 'x:' + cursor, uriTemplate: 'x:' + cursor };
      answer(request, { ${member}: [entry], ...(${next}) });
    },`);

  test('goes to the end', async () => {
    const { id } = await engine.connect(paged(`cursor !== '2' && { nextCursor: cursor ? '2' : '1' }`));
    expect(await read(id, list)).toMatchObject({
      state: 'ready',
      pages: 3,
      fault: null,
      entries: { length: 3 },
    });
    expect(await requestsOf(id, method)).toHaveLength(3);
  });

  test.each([
    [`{ nextCursor: 'again' }`, 'cursor-loop', 2],
    [`{ nextCursor: String(Number(cursor ?? 0) + 1) }`, 'too-many-pages', 1000],
    [`{ nextCursor: null }`, 'empty-cursor', 1],
    [`{ nextCursor: '' }`, 'empty-cursor', 1],
    [`{ nextCursor: 2 }`, 'cursor-not-a-string', 1],
  ])('stops for %s and says why', async (next, code, pages) => {
    const { id } = await engine.connect(paged(next));
    expect(await read(id, list)).toMatchObject({
      state: 'ready',
      pages,
      fault: { code },
      entries: { length: pages },
    });
  });

  test('that fails leaves the pages that came, and the session up', async () => {
    const { id, phase } = await engine.connect(paged(`cursor ? { ${member}: 'none' } : { nextCursor: '1' }`));
    expect(await read(id, list)).toMatchObject({
      state: 'failed',
      pages: 1,
      fault: { code: 'list-missing', what: expect.stringContaining(`"${member}"`) },
      entries: { length: 1 },
    });
    expect(phase).toBe('ready');
  });
});

describe('how long a list may be kept', () => {
  const hinted = (hints: string) =>
    serverWith(`'prompts/list': (request) =>
      answer(request, { prompts: [], ...(${hints}) }),`);

  test('is what its last page says', async () => {
    const { id } = await engine.connect(
      hinted(`request.params?.cursor
        ? { ttlMs: 60000, cacheScope: 'private' }
        : { ttlMs: 1, cacheScope: 'public', nextCursor: '2' }`),
    );
    const { cache } = await read(id, 'prompts');
    expect(cache).toEqual({ ttl: 60_000, scope: 'private', readAt: expect.any(Number) });
    expect(Math.abs(Date.now() - (cache?.readAt ?? 0))).toBeLessThan(60_000);
    expect((await read(id, 'resources')).cache).toBeNull();
  });

  test.each([
    [`{ ttlMs: '60000', cacheScope: 'private' }`],
    [`{ ttlMs: 60000 }`],
    [`{ cacheScope: 'private' }`],
    [`{ ttlMs: null, cacheScope: {} }`],
  ])('is not known from %s', async (hints) => {
    const { id } = await engine.connect(hinted(hints));
    expect(await read(id, 'prompts')).toMatchObject({ state: 'ready', cache: null, fault: null });
  });
});

describe('a list that the server did not announce', () => {
  test('is not asked for, unless the user asks', async () => {
    const { id } = await engine.connect(
      scriptedServer(`'prompts/list': (request) => answer(request, { prompts: [{ name: 'hidden' }] }),`),
    );
    expect(await engine.call('catalog/prompts', { sessionId: id })).toMatchObject({ state: 'not-declared' });
    await engine.call('catalog/refresh', { sessionId: id, list: 'prompts' });
    expect(await engine.call('catalog/prompts', { sessionId: id })).toMatchObject({
      state: 'ready',
      entries: [{ usable: true, prompt: { name: 'hidden' } }],
    });
    expect((await requestsOf(id, 'prompts/list')).map(({ automatic }) => automatic)).toEqual([false]);
  });
});

describe('a notification that a list changed', () => {
  const noted = async (list: CatalogListName, isOffered = true) => {
    const what = list === 'templates' ? 'resources' : list;
    const handlers = `ping(request) {
      answer(request, {});
      write({ method: 'notifications/${what}/list_changed' });
    },`;
    const { id } = await engine.connect(isOffered ? serverWith(handlers) : scriptedServer(handlers));
    if (isOffered) for (const one of lists) await read(id, one);
    await engine.call('sessions/ping', { sessionId: id });
    return id;
  };

  test.each([['prompts'], ['resources'], ['templates']] as const)('has %s read again', async (list) => {
    const id = await noted(list);
    const requests = await engine.until(async () => {
      const all = await requestsOf(id, wire[list][0]);
      return all.length > 1 ? all : null;
    });
    expect(requests.every(({ automatic }) => automatic)).toBe(true);
    expect(await read(id, list)).toMatchObject({ state: 'ready' });
    // Another list was not asked for again.
    expect(await requestsOf(id, 'tools/list')).toHaveLength(1);
  });

  test('of resources does not read templates that nobody asked for', async () => {
    const id = await noted('resources', false);
    // Without an answer, because this server knows no resources.
    await engine.row(id, (row) => row.method === 'resources/list');
    await engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
    expect(await requestsOf(id, 'resources/templates/list')).toEqual([]);
  });
});

test('a change is reported with the name of its list', async () => {
  const reported: unknown[] = [];
  engine.engine.onEvent(({ event, payload }) => {
    if (event === 'catalog/changed') reported.push(payload);
  });
  const { id } = await engine.connect(serverWith(''));
  await read(id, 'prompts');
  for (const list of lists) expect(reported).toContainEqual({ sessionId: id, list });
});

test('a list that is asked for again while it is read is read once more', async () => {
  const { id } = await engine.connect(serverWith(''));
  await read(id, 'prompts');
  const refresh = () => engine.call('catalog/refresh', { sessionId: id, list: 'prompts' });
  await Promise.all([refresh(), refresh(), refresh()]);
  expect(await requestsOf(id, 'prompts/list')).toHaveLength(3);
});

test('a server of resources that does not know templates has none, and that is no failure', async () => {
  const { id } = await engine.connect(
    serverWith(
      `'resources/templates/list': ({ id }) => write({ id, error: { code: -32601, message: 'unknown' } }),`,
    ),
  );
  const list = await engine.until(async () => {
    const { state, fault, entries } = await engine.call('catalog/templates', { sessionId: id });
    return state === 'loading' || state === 'not-declared' ? null : { state, fault, entries };
  });
  expect(list).toEqual({ state: 'ready', fault: null, entries: [] });
});
