import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { entryName } from '#shared/contract/catalog.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const tools = async (sessionId: string) => {
  const { entries, ...list } = await engine.call('catalog/tools', { sessionId });
  return { ...list, names: entries.map(entryName) };
};
const more = (sessionId: string, pages: 'next' | 'all') =>
  engine.call('catalog/read-more', { sessionId, list: 'tools', pages });
const requests = async (sessionId: string) =>
  (await engine.rows(sessionId)).filter(({ method, kind }) => method === 'tools/list' && kind === 'request');

test('a list read to its end says where each of its pages ends', async () => {
  const { id } = await engine.connect(misbehavingServer('paged-tools:3:4'));
  expect(await tools(id)).toMatchObject({
    state: 'ready',
    pages: 4,
    pageEnds: [3, 6, 9, 12],
    nextCursor: null,
  });
});

test('page by page, one page is read at a time, also in the next session of the server', async () => {
  const { id, serverId } = await engine.connect(misbehavingServer('paged-tools:3:4'));
  await engine.call('catalog/set-page-by-page', { sessionId: id, pageByPage: true });
  expect(await tools(id)).toMatchObject({ pages: 4, pageByPage: true });

  const later = await engine.reconnect(serverId);
  const first = await tools(later.id);
  expect(first).toMatchObject({
    state: 'ready',
    pages: 1,
    pageEnds: [3],
    nextCursor: 'page-2',
    pageByPage: true,
  });
  await more(later.id, 'next');
  expect(await tools(later.id)).toMatchObject({ pages: 2, pageEnds: [3, 6], nextCursor: 'page-3' });
  expect(await requests(later.id)).toHaveLength(2);
  await more(later.id, 'all');
  const whole = await tools(later.id);
  expect(whole).toMatchObject({ state: 'ready', pages: 4, pageEnds: [3, 6, 9, 12], nextCursor: null });
  expect(whole.names).toEqual(Array.from({ length: 12 }, (_, place) => `tool_${place + 1}`));
  await more(later.id, 'next');
  expect((await requests(later.id)).map(({ automatic }) => automatic)).toEqual([true, false, false, false]);

  await engine.call('catalog/set-page-by-page', { sessionId: later.id, pageByPage: false });
  const last = await engine.reconnect(serverId);
  expect(await tools(last.id)).toMatchObject({ pages: 4, pageByPage: false });
});

test('page by page, a list that changed is read as far as before, and from its first page when the user asks', async () => {
  const { id, serverId } = await engine.connect(
    scriptedServer(`
      'tools/list'(request) {
        const page = Number(request.params.cursor ?? 1);
        answer(request, {
          tools: [{ name: 'tool_' + page, inputSchema: { type: 'object' } }],
          ...(page < 5 && { nextCursor: String(page + 1) }),
        });
      },
      ping(request) {
        answer(request, {});
        write({ method: 'notifications/tools/list_changed' });
      },
`),
  );
  await engine.call('catalog/set-page-by-page', { sessionId: id, pageByPage: true });
  const later = await engine.reconnect(serverId);
  await more(later.id, 'next');
  await engine.call('sessions/ping', { sessionId: later.id });
  await engine.until(async () => ((await requests(later.id)).length === 4 ? true : null));
  const again = await engine.until(async () => {
    const list = await tools(later.id);
    return list.state === 'ready' ? list : null;
  });
  expect(again).toMatchObject({ pages: 2, nextCursor: '3' });
  await engine.call('catalog/refresh', { sessionId: later.id, list: 'tools' });
  expect(await tools(later.id)).toMatchObject({ pages: 1, nextCursor: '2' });
});

test('reading all pages is stopped, which keeps what was read, and goes on from there', async () => {
  const { id } = await engine.connect(
    scriptedServer(`
      'tools/list'(request) {
        const page = Number(request.params.cursor ?? 1);
        server.asked = (server.asked ?? 0) + 1;
        // The second reading waits for its third page in vain.
        if (server.asked === 7) return;
        answer(request, {
          tools: [{ name: 'tool_' + page, inputSchema: { type: 'object' } }],
          ...(page < 4 && { nextCursor: String(page + 1) }),
        });
      },`),
  );
  const refreshed = engine.call('catalog/refresh', { sessionId: id, list: 'tools' });
  await engine.until(async () => ((await requests(id)).length === 7 ? true : null));
  expect(await tools(id)).toMatchObject({ state: 'loading', pages: 2, nextCursor: '3' });
  await engine.call('catalog/stop', { sessionId: id, list: 'tools' });
  await refreshed;
  const stopped = await tools(id);
  expect(stopped).toMatchObject({ state: 'ready', fault: null, pages: 2, nextCursor: '3' });
  expect(stopped.names).toEqual(['tool_1', 'tool_2']);
  await engine.row(id, ({ method }) => method === 'notifications/cancelled');
  await more(id, 'all');
  expect(await tools(id)).toMatchObject({
    state: 'ready',
    pages: 4,
    pageEnds: [1, 2, 3, 4],
    nextCursor: null,
  });
});

test('after the limit of pages the rest is read on request', async () => {
  const { id } = await engine.connect(misbehavingServer('endless-cursor'));
  const limit = { pages: 1000, nextCursor: '1000', fault: { code: 'too-many-pages' } };
  expect(await tools(id)).toMatchObject({ state: 'ready', ...limit });
  await more(id, 'next');
  expect(await tools(id)).toMatchObject({ state: 'ready', fault: null, pages: 1001, nextCursor: '1001' });
});

test('a recorded session shows the pages that were read, and the cursor of the next', async () => {
  const { id, serverId } = await engine.connect(misbehavingServer('paged-tools:3:4'));
  await engine.call('catalog/set-page-by-page', { sessionId: id, pageByPage: true });
  const later = await engine.reconnect(serverId);
  await more(later.id, 'next');
  const live = await tools(later.id);
  await engine.call('sessions/close', { sessionId: later.id });
  const ended = await engine.settled(later.id, ['closed', 'failed']);
  const path = join(engine.folder, 'recorded.mcptrace');
  await copyFile(ended.traceFile.path, path);
  const { sessionId } = await engine.call('traces/open', { path });
  await engine.until(async () => {
    const all = await engine.call('traces/opened', {});
    return all.find((one) => one.sessionId === sessionId)?.isRead ? true : null;
  });
  await engine.call('traces/session', { sessionId });
  expect(await tools(sessionId)).toEqual({ ...live, pageByPage: false });
  expect(live).toMatchObject({ state: 'ready', pages: 2, nextCursor: 'page-3' });
});
