import { beforeEach, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
/** All that the engine told its screen without being asked. */
const reported: string[] = [];
beforeEach(() => {
  engine = bench.engine;
  reported.length = 0;
  engine.engine.onEvent(({ event, payload }) => {
    // The settings as the user edits them.
    if (event !== 'servers/changed') reported.push(JSON.stringify([event, payload]));
  });
});

const SECRET = 'hush-0123456789';
const header = { name: 'X-Api-Key', value: SECRET, secret: true };

async function expectNothingBetrayed(): Promise<void> {
  reported.push(JSON.stringify(await engine.call('sessions/list', {})));
  expect(reported.filter((text) => text.includes(SECRET) || text.includes('0123456789'))).toEqual([]);
}

test('a header that the server repeats in its error is not in the fault', async () => {
  const server = await serve({
    intercept: (exchange) => {
      const message = `bad key ${exchange.received.header('x-api-key')}`;
      exchange.json({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }, 401);
      return true;
    },
  });
  const { fault } = await engine.connectUrl(server.url, { http: { headers: [header] } });
  expect(fault?.evidence).toContain('bad key [secret header:X-Api-Key');
  await expectNothingBetrayed();
});

test('a header that the server repeats in its name, instructions, session id, event ids or call errors is not shown', async () => {
  const server = await serve({
    handlers: {
      initialize: (_, exchange) => {
        exchange.headers['Mcp-Session-Id'] = 'session';
        return {
          protocolVersion: '2025-11-25',
          capabilities: { experimental: { [`x-${SECRET}`]: {} }, tools: {} },
          serverInfo: { name: SECRET, version: '1' },
          instructions: `use ${SECRET}`,
        };
      },
    },
    sessions: false,
    onStanding: (stream) => stream.raw(`id: ${SECRET}\ndata:\n\n`),
  });
  const { id } = await engine.connectUrl(server.url, { era: 'legacy', http: { headers: [header] } });
  await engine.until(async () => ((await engine.session(id)).http?.streams[0]?.lastEventId ? true : null));
  expect((await engine.callTool(id, SECRET, {})).state).toBe('protocol-error');
  const calls = JSON.stringify(await engine.call('calls/list', { sessionId: id }));
  expect(calls).toContain('Unknown tool: [secret');
  // What the user wrote belongs to the user.
  for (const [place, text] of reported.entries()) if (text.startsWith('["calls/')) reported[place] = '';
  await expectNothingBetrayed();
});

test('a user name and a password in the URL are not shown', async () => {
  const server = await serve({ sessions: false });
  const url = server.url.replace('//', `//me:${SECRET}@`);
  const { http, phase } = await engine.connectUrl(`${url}?token=${SECRET}`);
  expect(phase).toBe('ready');
  expect(http?.url).toContain('//••••@');
  expect(server.requests[0]?.header('authorization')).toContain('Basic');
  await expectNothingBetrayed();
});

test('a secret in the endpoint of HTTP+SSE is not shown', async () => {
  const server = await serveSse({ endpoint: (path) => `${path}&token=${SECRET}` });
  const { http, phase } = await engine.connectUrl(server.url);
  expect(phase).toBe('ready');
  expect(http?.endpoint).toContain('token=••••');
  await expectNothingBetrayed();
});

test('a secret in a redirect of the server is not shown', async () => {
  const server = await serve({
    intercept: (exchange) => {
      exchange.reply(302, { Location: `https://login.example/?code=${SECRET}` });
      return true;
    },
  });
  const { fault } = await engine.connectUrl(server.url);
  expect(fault?.what).toContain('https://login.example/');
  await expectNothingBetrayed();
});

test('a secret that a process printed before it ended is not shown', async () => {
  const env = [{ name: 'API_KEY', value: SECRET, secret: true }];
  const target = scriptedServer(
    'initialize() { console.error(`cannot log in with ${process.env.API_KEY}`); process.exit(3); },',
  );
  const { fault } = await engine.connect(target, { env });
  expect(fault?.evidence).toContain('cannot log in with [secret env:API_KEY');
  await expectNothingBetrayed();
});

test('a secret that a server on stdio repeats in lists, questions, methods or ids is not shown', async () => {
  const env = [{ name: 'API_KEY', value: SECRET, secret: true }];
  const server = scriptedServer(`
    'tools/list'(request) {
      const said = 'uses ' + process.env.API_KEY;
      const inputSchema = { type: 'object', properties: { key: { type: 'string', default: said } } };
      answer(request, { tools: [{ name: 'ask', title: said, description: said, inputSchema }, { name: said }] });
    },
    'tools/call'() {
      write({ method: 'notifications/' + process.env.API_KEY });
      write({ id: process.env.API_KEY, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, systemPrompt: process.env.API_KEY } });
    },
  `);
  const { id } = await engine.connect(server, { env });
  await engine.startTool(id, 'ask');
  const [question] = await engine.until(async () => {
    const entries = await engine.call('inbox/list', { sessionId: id });
    return entries.length > 0 ? entries : null;
  });
  const shown = {
    tools: await engine.call('catalog/tools', { sessionId: id }),
    question,
    rows: await engine.rows(id),
    findings: await engine.call('checks/findings', { sessionId: id, from: 0, count: 100 }),
  };
  expect(shown.tools.entries).toMatchObject([{ usable: true, tool: { name: 'ask' } }, { usable: false }]);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  const { tools, rows } = shown;
  for (const part of [tools, question, rows]) expect(JSON.stringify(part)).toContain('[secret env:API_KEY');
});

test('what a server writes teaches no secret, so that ordinary words stay', async () => {
  const server = scriptedServer(`
    'tools/call'({ id }) {
      write({ id, error: { code: 1, message: 'see http://x.invalid/?token=tools/listing' } });
    },
  `);
  const { id } = await engine.connect(server);
  const { error } = await engine.callTool(id, 'ask');
  expect(error?.message).toContain('token=[secret');
  const again = await engine.callTool(id, 'tools/listing');
  const { text } = await engine.call('trace/detail', { sessionId: id, row: again.requestRow });
  expect(text).toContain('tools/listing');
});
