import { brotliCompressSync, createGzip, constants, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import type { Exchange } from '#fixtures/http/exchange.ts';
import type { Script } from '#fixtures/http/scripted-app.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import { answer, rejection, textResult } from '#fixtures/misbehaving/base.ts';
import { acceptedCodings } from '#transports/content-coding.ts';

const bench = benchForEachTest();

const encoders: Readonly<Record<string, (plain: string) => Buffer>> = {
  gzip: (plain) => gzipSync(plain),
  br: (plain) => brotliCompressSync(plain),
  deflate: (plain) => deflateSync(plain),
};

/** Answers each request with an encoded body, JSON or a stream. */
const encoded = (
  coding: string,
  type: 'json' | 'sse',
  result: (method: string) => object | null,
): Script => ({
  intercept: ({ received, response, headers }) => {
    const [request] = received.messages;
    const outcome = request?.id === undefined ? null : result(request.method ?? '');
    if (request === undefined || outcome === null) return false;
    const message = JSON.stringify(answer(request, outcome));
    response.writeHead(200, {
      ...headers,
      'Content-Type': type === 'json' ? 'application/json' : 'text/event-stream',
      'Content-Encoding': coding,
    });
    const body = type === 'json' ? message : `event: message\ndata: ${message}\n\n`;
    response.end(encoders[coding]?.(body) ?? body);
    return true;
  },
});

const tools = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const results = (method: string): object | null =>
  method === 'tools/list' ? tools : method === 'tools/call' ? textResult('Grüße') : null;

test.each(
  (['json', 'sse'] as const).flatMap((type) =>
    Object.keys(encoders).map((coding) => [type, coding] as const),
  ),
)('%s that is encoded with %s is read, and recorded as what it holds', async (type, coding) => {
  const server = await bench.serve(encoded(coding, type, results));
  const { id } = await bench.engine.connectUrl(server.url);
  const call = await bench.engine.callTool(id, 'echo', {});
  expect(call.state).toBe('ok');
  const { text, exchange } = await bench.engine.call('trace/detail', {
    sessionId: id,
    row: call.responseRow ?? -1,
  });
  expect(text).toContain('"Grüße"');
  expect(exchange?.responses.at(-1)?.headers).toContainEqual(['Content-Encoding', coding]);
  expect(exchange?.request.headers).toContainEqual(['Accept-Encoding', acceptedCodings]);
  expect(exchange?.end).toMatchObject({ how: 'complete' });
});

test('a header that the user sets for it replaces ours, and what it asks for is decoded', async () => {
  const server = await bench.serve(encoded('gzip', 'json', results));
  const headers = [{ name: 'accept-encoding', value: 'gzip', secret: false }];
  const { id } = await bench.engine.connectUrl(server.url, { http: { headers } });
  expect((await bench.engine.callTool(id, 'echo', {})).state).toBe('ok');
  const sent = server.requests.at(-1)?.headers ?? [];
  expect(sent.filter(([name]) => name.toLowerCase() === 'accept-encoding')).toEqual([
    ['accept-encoding', 'gzip'],
  ]);
});

test('each event of an encoded stream is there as soon as it was sent', async () => {
  const server = await bench.serve({
    handlers: {
      'tools/call': (request, { response }) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' });
        const stream = createGzip();
        stream.pipe(response);
        stream.write(`data: ${JSON.stringify(answer(request, textResult('now')))}\n\n`);
        // The stream stays open.
        stream.flush(constants.Z_SYNC_FLUSH);
        return undefined;
      },
    },
  });
  const { id } = await bench.engine.connectUrl(server.url);
  expect((await bench.engine.callTool(id, 'echo', {})).state).toBe('ok');
});

/** Answers a call in another way. */
const onCall = (respond: (exchange: Exchange) => void): Script => ({
  intercept: (exchange) => {
    const isCall = exchange.received.messages.some(({ method }) => method === 'tools/call');
    if (isCall) respond(exchange);
    return isCall;
  },
});

test.each<[string, (exchange: Exchange) => void, object]>([
  [
    'damaged',
    (exchange) => {
      const body = gzipSync('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
      body.fill(0xff, body.length - 8);
      exchange.reply(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' }, body);
    },
    {
      code: 'http-body',
      what: expect.stringContaining('cannot be decoded'),
      why: expect.stringMatching(/Content-Encoding.*gzip of the body is damaged/),
      quote: expect.stringMatching(/^\\x1F\\x8B/),
    },
  ],
  [
    'of an encoding that nobody asked for',
    (exchange) =>
      exchange.reply(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'compress' }, 'LZW'),
    {
      code: 'no-answer',
      why: expect.stringMatching(/Content-Encoding: compress\), which was not asked for/),
      quote: 'LZW',
    },
  ],
  [
    'no answer after it was decoded',
    (exchange) =>
      exchange.reply(
        200,
        { 'Content-Type': 'application/json', 'Content-Encoding': 'br' },
        brotliCompressSync('[1'),
      ),
    { code: 'no-answer', why: expect.stringContaining('Content-Encoding: br'), quote: '[1' },
  ],
  [
    'compressed without a header that says so',
    (exchange) => exchange.reply(200, { 'Content-Type': 'application/json' }, gzipSync('{}')),
    {
      code: 'no-answer',
      why: expect.stringMatching(/begins as gzip does\), and no Content-Encoding header/),
      quote: expect.stringMatching(/^\\x1F\\x8B/),
    },
  ],
])('a response that is %s is a fault that says so and quotes its bytes', async (_what, respond, expected) => {
  const server = await bench.serve(onCall(respond));
  const { id } = await bench.engine.connectUrl(server.url);
  const { fault } = await bench.engine.callTool(id, 'echo', {});
  expect(fault).toMatchObject(expected);
});

test('a secret in an encoded body is replaced in the quote and in the trace', async () => {
  const value = 'hush-0123456789-abcdef';
  const server = await bench.serve(
    onCall((exchange) => {
      const body = gzipSync(`You sent ${exchange.received.header('x-api-key')}`);
      exchange.reply(500, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }, body);
    }),
  );
  const headers = [{ name: 'X-Api-Key', value, secret: true }];
  const { id } = await bench.engine.connectUrl(server.url, { http: { headers } });
  const { fault, requestRow } = await bench.engine.callTool(id, 'echo', {});
  expect(fault?.quote).toMatch(/^You sent \[secret /);
  const { exchange } = await bench.engine.call('trace/detail', { sessionId: id, row: requestRow });
  const body = exchange?.carried.find(({ kind }) => kind === 'body');
  expect(body?.summary).toMatch(/^You sent \[secret /);
});

test('the terminal names the encoding of an error that came encoded', async () => {
  const server = await bench.serve({
    intercept: ({ received, response }) => {
      const [request] = received.messages;
      if (request?.method !== 'tools/list') return false;
      const body = `data: ${JSON.stringify(rejection(request, -32601, 'no'))}\n\n`;
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(body));
      return true;
    },
  });
  const cli = await Cli.open();
  try {
    const { stderr } = await cli.runBare(['list', 'tools', '--url', server.url]);
    expect(stderr).toMatch(
      /error -32601: no\n {2}why: The response came encoded \(Content-Encoding: gzip\) and was decoded\./,
    );
  } finally {
    await cli.close();
  }
});
