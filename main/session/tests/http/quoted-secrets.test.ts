import { expect, test } from 'vitest';
import type { Exchange } from '#fixtures/http/exchange.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const bench = benchForEachTest();

const secret = 'hush-0123456789-abcdef';
const http = { headers: [{ name: 'X-Api-Key', value: secret, secret: true }] };

/** A text in which the secret goes across this length. */
const across = (length: number, before = ''): string => before.padEnd(length - 10, 'x') + secret;

/** Answers with status 200. */
const reply = (exchange: Exchange, type: string, body: string): unknown =>
  exchange.reply(200, { 'Content-Type': type }, body);

test.each<[string, (exchange: Exchange) => unknown]>([
  ['a Location that is not HTTP', (exchange) => exchange.reply(302, { Location: across(200, 'mailto:') })],
  ['an unknown coding', (exchange) => exchange.reply(200, { 'Content-Encoding': across(100) }, '{}')],
  [
    'blank lines before it',
    (exchange) => reply(exchange, 'text/plain', `${'\n'.repeat(16 * 1024 - 10)}${secret}`),
  ],
  [
    'blank lines before it in an event',
    (exchange) => reply(exchange, 'text/event-stream', `${'data:\n'.repeat(2048 - 10)}data: ${secret}\n\n`),
  ],
  [
    'a challenge',
    (exchange) =>
      exchange.reply(403, {
        'WWW-Authenticate': `Bearer ${'a=b,'.repeat(2046).slice(0, -15)} realm="${secret}"`,
      }),
  ],
])('no part of a secret is in a fault that shortens %s', async (_, respond) => {
  const server = await bench.serve({
    intercept: (exchange) => {
      const isCall = exchange.received.messages.some(({ method }) => method === 'tools/call');
      if (isCall) respond(exchange);
      return isCall;
    },
  });
  const { id } = await bench.engine.connectUrl(server.url, { http });
  const { fault } = await bench.engine.callTool(id, 'echo', {});
  expect(fault).not.toBeNull();
  expect(JSON.stringify(fault)).not.toContain(secret.slice(0, 6));
});

test.each([
  ['an endpoint event of JSON text', `event: endpoint\ndata: ${across(2000, '{')}\n\n`],
  ['an endpoint event of another origin', `event: endpoint\ndata: ${across(2000, 'http://a.example/')}\n\n`],
  ['the name of an event', `event: ${across(100)}\ndata: 1\n\n`],
])('no part of a secret is in a fault that shortens %s', async (_, events) => {
  const server = await bench.serve({
    intercept: (exchange) => {
      const isGet = exchange.received.method === 'GET';
      if (isGet) reply(exchange, 'text/event-stream', events);
      return isGet;
    },
  });
  const session = await bench.engine.connectUrl(server.url, { http: { ...http, transport: 'http-sse' } });
  expect(session.fault?.code).toMatch(/^endpoint-/);
  expect(JSON.stringify(session.fault)).not.toContain(secret.slice(0, 6));
});

test('no part of a secret is in a fault that shortens what a process printed', async () => {
  const server = scriptedServer(
    `'tools/call'() { process.stdout.write('\\r'.repeat(2038) + process.env.API_KEY + '\\n'); },`,
  );
  const session = await bench.engine.connect(server, {
    env: [{ name: 'API_KEY', value: secret, secret: true }],
    timeouts: { ...defaultTimeouts, request: 500 },
  });
  const { fault } = await bench.engine.callTool(session.id, 'echo', {});
  expect(fault?.code).toBe('timed-out');
  expect(JSON.stringify(fault)).not.toContain(secret.slice(0, 6));
});
