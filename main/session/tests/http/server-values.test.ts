import { readFile } from 'node:fs/promises';
import { beforeEach, expect, test } from 'vitest';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import { echoTool } from '#fixtures/misbehaving/base.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const description = 'Reads every file of the home folder and sends it to the server.';
const listed = { 'tools/list': () => ({ tools: [{ ...echoTool, description }] }) };

/** Disconnects, opens the file of the session, and gives what both counted and show. */
async function reopened(sessionId: string) {
  await engine.call('sessions/close', { sessionId });
  const live = await engine.session(sessionId);
  const opened = await engine.call('traces/open', { path: live.traceFile.path });
  const { counts } = await engine.until(async () => {
    const [view] = await engine.call('traces/opened', {});
    return view?.sessionId === opened.sessionId && view.isRead && view.isChecked ? view : null;
  });
  const tellOf = async (id: string) =>
    (await engine.rows(id)).map(({ kind, method, status, summary }) => ({ kind, method, status, summary }));
  return { live: live.counts, counts, rows: [await tellOf(sessionId), await tellOf(opened.sessionId)] };
}

test.each([
  ['as it is', 'c0=jsonrpc":"2.0'],
  ['percent-encoded', 'c0=jsonrpc%22%3A%222.0'],
  ['in quotes', 'c0="jsonrpc":"2.0"'],
])('a cookie that is JSON syntax, %s, damages no message on disk', async (_, cookie) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.headers['Set-Cookie'] = cookie;
      return false;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const { live, counts, rows } = await reopened(id);
  expect(live.messages).toBe(5);
  expect(counts.messages).toBe(5);
  expect(counts).toMatchObject({ invalid: 0, errors: 0 });
  expect(rows[1]).toEqual(rows[0]);
});

test('a redirect to an address with JSON syntax damages no message on disk', async () => {
  const server = await serve({
    intercept: (exchange) => {
      if (exchange.received.url.includes('token=')) return false;
      exchange.reply(307, { Location: `${exchange.received.url}?token=jsonrpc":"2.0` });
      return true;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const { live, counts, rows } = await reopened(id);
  expect(counts).toMatchObject({ messages: live.messages, invalid: 0 });
  expect(rows[1]).toEqual(rows[0]);
});

test('an endpoint of HTTP+SSE with JSON syntax damages no message on disk', async () => {
  const server = await serveSse({ endpoint: (path) => `${path}&token=json\trpc":"2.0&code=jsonrpc":"2.0` });
  const { id } = await engine.connectUrl(server.url);
  const { live, counts, rows } = await reopened(id);
  expect(live.messages).toBeGreaterThan(4);
  expect(counts).toMatchObject({ messages: live.messages, invalid: 0 });
  expect(rows[1]).toEqual(rows[0]);
});

test('the description of a tool that is sent as a cookie too is shown', async () => {
  const server = await serve({
    handlers: listed,
    intercept: (exchange) => {
      exchange.headers['Set-Cookie'] = `c0=${description}`;
      return false;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const { entries } = await engine.call('catalog/tools', { sessionId: id });
  expect(entries).toMatchObject([{ tool: { description } }]);
  const answer = await engine.row(id, (row) => row.kind === 'result' && row.method === 'tools/list');
  const { text } = await engine.call('trace/detail', { sessionId: id, row: answer.row });
  expect(text).toContain(description);
  await engine.call('sessions/close', { sessionId: id });
  const file = await readFile((await engine.session(id)).traceFile.path, 'utf8');
  expect(file).toMatch(/"Set-Cookie","c0=\[secret header:Set-Cookie, 63 characters, \w{8}\]"/);
  expect(file).not.toContain(`c0=${description}`);
});

test('a secret of the user that is JSON syntax damages no message on disk, and a number is hidden whole', async () => {
  const secretHeaders = [
    { name: 'X-Odd', value: 'jsonrpc":"2.0', secret: true },
    { name: 'X-Pin', value: '987654321', secret: true },
  ];
  const server = await serve({
    handlers: {
      'tools/list': () => ({ tools: [{ ...echoTool, description: 'pin', _meta: { pin: 987654321 } }] }),
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy', http: { headers: secretHeaders } });
  const answer = await engine.row(id, (row) => row.kind === 'result' && row.method === 'tools/list');
  const { text } = await engine.call('trace/detail', { sessionId: id, row: answer.row });
  // Another number in its place: the type of a value is never changed.
  expect(text).toMatch(/"pin":0e-\d+\}/);
  expect(text).not.toContain('987654321');
  const { live, counts } = await reopened(id);
  expect(counts).toMatchObject({ messages: live.messages, invalid: 0 });
});

/** What was found of headers, in the session and in its file. */
async function foundOfHeaders(id: string): Promise<string[][]> {
  await engine.call('sessions/close', { sessionId: id });
  const { traceFile } = await engine.session(id);
  const opened = await engine.call('traces/open', { path: traceFile.path });
  await engine.until(async () => (await engine.call('traces/opened', {}))[0]?.isChecked || null);
  return Promise.all(
    [id, opened.sessionId].map(async (sessionId) => {
      const { findings } = await engine.call('checks/findings', { sessionId, from: 0, count: 500 });
      return findings
        .filter(({ rule }) => rule === 'http/header-hides-content')
        .map(({ rows, text }) => `${rows[0]} ${text}`);
    }),
  );
}

test.each([
  ['is torn JSON', 'c0=jsonrpc":"2.0', /^\d+ Punctuation of JSON in the header Set-Cookie: /],
  [
    'repeats what is to be hidden',
    `c0=${description}`,
    /^\d+ The value of the header Set-Cookie stands in a message/,
  ],
])('a header that %s is a finding, live and in the file', async (_, cookie, text) => {
  const server = await serve({
    handlers: listed,
    intercept: (exchange) => {
      exchange.headers['Set-Cookie'] = cookie;
      return false;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const [live, opened] = await foundOfHeaders(id);
  expect(live?.[0]).toMatch(text);
  expect(opened?.toSorted()).toEqual(live?.toSorted());
});

test('a header whose value stands at the end of a message of several pieces is a finding', async () => {
  const long = { ...echoTool, name: 'long', description: 'x'.repeat(1_500_000) };
  const server = await serve({
    handlers: { 'tools/list': () => ({ tools: [long, { ...echoTool, description }] }) },
    intercept: (exchange) => {
      exchange.headers['Set-Cookie'] = `c0=${description}`;
      return false;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  const [live] = await foundOfHeaders(id);
  expect(live?.[0]).toMatch(/The value of the header Set-Cookie stands in a message/);
});

test.each([
  ['of a session', 'SID=f3a1b2c4d5e6f7a8b9c0; Path=/; HttpOnly'],
  ['of settings in JSON', `prefs=${encodeURIComponent('{"theme":"dark","size":12}')}`],
  ['in quotes', 'a="quoted value here"'],
  ['of Express in JSON', `prefs=${encodeURIComponent('j:{"theme":"dark","size":12}')}`],
  ['of Express in signed JSON', `s=${encodeURIComponent('s:j:{"a":["b","c"]}.x7Zq3kPw0LmN8vRt')}`],
])('a usual cookie %s is no finding', async (_, cookie) => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.headers['Set-Cookie'] = cookie;
      return false;
    },
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy' });
  expect(await foundOfHeaders(id)).toEqual([[], []]);
});
