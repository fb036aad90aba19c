import { expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import type { Exchange } from '#fixtures/http/exchange.ts';
import type { Script } from '#fixtures/http/scripted-app.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import { answer, textResult } from '#fixtures/misbehaving/base.ts';

const bench = benchForEachTest();

/** Answers a call in this way, `id` is that of the call. */
const onCall = (respond: (exchange: Exchange, id: unknown) => void): Script => ({
  intercept: (exchange) => {
    const call = exchange.received.messages.find(({ method }) => method === 'tools/call');
    if (call !== undefined) respond(exchange, call.id);
    return call !== undefined;
  },
});

const json = (text: (id: unknown) => string | Buffer) => onCall((exchange, id) => exchange.json(text(id)));
/** A stream that stays open after these events. */
const stream = (text: (id: unknown) => string | Buffer) =>
  onCall((exchange, id) => exchange.stream().raw(text(id)));

test.each<[string, Script, RegExp, RegExp]>([
  [
    'NaN in a body',
    json((id) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"x":NaN}}`),
    /NaN is no JSON value/,
    /"x":NaN/,
  ],
  [
    'NaN in an event',
    stream((id) => `data: {"jsonrpc":"2.0","id":${String(id)},"result":{"x":NaN}}\n\n`),
    /NaN is no JSON value/,
    /^\{"jsonrpc".*NaN/,
  ],
  [
    'a raw line break in a body',
    json((id) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"x":"a\nb"}}`),
    /a raw line feed \(U\+000A\)/,
    /"x":"a\nb"/,
  ],
  [
    'bytes that are not UTF-8 in an event',
    stream((id) =>
      Buffer.from(`data: {"jsonrpc":"2.0","id":${String(id)},"result":{"x":"caf\u00e9"}}\n\n`, 'latin1'),
    ),
    /byte 0xE9 at offset \d+ is not UTF-8/,
    /caf\\xE9"/,
  ],
  [
    'UTF-16 in a body',
    json((id) => Buffer.from(`\ufeff{"jsonrpc":"2.0","id":${String(id)},"result":{"x":1}}`, 'utf16le')),
    /UTF-16/,
    /^\{"jsonrpc":"2\.0"/,
  ],
  [
    'id: null in an event',
    stream(() => 'data: {"jsonrpc":"2.0","id":null,"result":{"x":1}}\n\n'),
    /"id" is neither/,
    /"id":null/,
  ],
  [
    'the name of its event',
    stream((id) => `event: response\ndata: {"jsonrpc":"2.0","id":${String(id)},"result":{"x":1}}\n\n`),
    /an event named "response", and only events without a name, or named "message", carry messages/,
    /^event: response\ndata: \{"jsonrpc"/,
  ],
])(
  'an answer that cannot be read because of %s ends its call at once',
  async (_what, script, reason, quote) => {
    const server = await bench.serve(script);
    const { id } = await bench.engine.connectUrl(server.url);
    const call = await bench.engine.callTool(id, 'echo', {});
    expect(call).toMatchObject({ state: 'protocol-error', fault: { code: 'invalid-answer' } });
    expect(call.fault?.what).toMatch(reason);
    expect(call.fault?.quote).toMatch(quote);
    const rows = await bench.engine.rows(id);
    expect(rows[call.requestRow]).toMatchObject({ status: 'invalid', pair: call.responseRow });
  },
);

test('an answer in an event of another name is the same in the file', async () => {
  const server = await bench.serve(
    stream((id) => `event: result\ndata: {"jsonrpc":"2.0","id":${String(id)},"result":{"x":1}}\n\n`),
  );
  const { id } = await bench.engine.connectUrl(server.url);
  const call = await bench.engine.callTool(id, 'echo', {});
  expect(call.state).toBe('protocol-error');
  const { traceFile } = await bench.engine.session(id);
  await bench.engine.call('sessions/close', { sessionId: id });
  const { sessionId } = await bench.engine.call('traces/open', { path: traceFile.path });
  const opened = await bench.engine.until(
    async () => (await bench.engine.call('calls/list', { sessionId }))[0] ?? null,
  );
  expect(opened.state).toBe('protocol-error');
  const rows = await bench.engine.rows(sessionId);
  expect(rows[call.requestRow]).toMatchObject({ status: 'invalid', pair: call.responseRow });
  expect(rows[call.responseRow ?? -1]).toMatchObject({
    kind: 'sse',
    summary: expect.stringMatching(/^event result: /),
  });
});

test('an event of another name that is no answer ends no call', async () => {
  const server = await bench.serve(
    onCall((exchange, id) => {
      const out = exchange.stream();
      out.raw('event: log\ndata: {"jsonrpc":"2.0","method":"x"}\n\nevent: ping\ndata: {"result":1}\n\n');
      out.send(answer({ id }, textResult('Done.')));
      out.end();
    }),
  );
  const { id } = await bench.engine.connectUrl(server.url);
  expect((await bench.engine.callTool(id, 'echo', {})).state).toBe('ok');
});

test('over HTTP+SSE, an answer that cannot be read ends its call at once', async () => {
  const server = await bench.serveSse({
    handlers: {
      'tools/call': ({ id }, { stream: out }) => {
        out.raw(`event: message\ndata: {"jsonrpc":"2.0","id":${String(id)},"result":{"x":NaN}}\n\n`);
        return undefined;
      },
    },
  });
  const { id } = await bench.engine.connectUrl(server.url);
  const call = await bench.engine.callTool(id, 'echo', {});
  expect(call).toMatchObject({ state: 'protocol-error' });
  expect(call.fault?.what).toContain('NaN is no JSON value');
});

test.each<[string, Script, object]>([
  [
    'a stream that ends without the answer',
    onCall((exchange) => {
      const out = exchange.stream();
      out.raw('event: status\ndata: out of memory\n\n');
      out.end();
    }),
    { code: 'stream-ended', quote: 'event: status\ndata: out of memory' },
  ],
  ['a body that is no answer', json(() => 'It works!'), { code: 'no-answer', quote: 'It works!' }],
  [
    'a body with another id',
    json(() => JSON.stringify({ jsonrpc: '2.0', id: 'other', result: {} })),
    { code: 'no-answer', quote: '{"jsonrpc":"2.0","id":"other","result":{}}' },
  ],
  [
    'a body that breaks off',
    onCall((exchange) =>
      exchange.raw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"half":'),
    ),
    { code: 'http-body', quote: '{"half":' },
  ],
  [
    'what is not HTTP',
    onCall((exchange) => exchange.raw('SSH-2.0-OpenSSH_9.6\r\n')),
    { code: 'http-response', quote: 'SSH-2.0-OpenSSH_9.6' },
  ],
  [
    'half a head',
    onCall((exchange) => exchange.raw('HTTP/1.1 200 OK\r\nContent-Type: appl')),
    { code: 'http-response', quote: 'HTTP/1.1 200 OK\nContent-Type: appl' },
  ],
])('the fault of %s quotes it', async (_what, script, expected) => {
  const server = await bench.serve(script);
  const { id } = await bench.engine.connectUrl(server.url);
  const { fault } = await bench.engine.callTool(id, 'echo', {});
  expect(fault).toMatchObject(expected);
});

test('the terminal quotes what came', async () => {
  const server = await bench.serve(
    json((id) => `{"jsonrpc":"2.0","id":${String(id)},"result":{"x":"a\tb"}}`),
  );
  const cli = await Cli.open();
  try {
    const { stderr } = await cli.runBare(['call', 'echo', '--url', server.url]);
    expect(stderr).toMatch(/a raw tab \(U\+0009\).*\n {2}it said:\n {4}\{"jsonrpc"/);
  } finally {
    await cli.close();
  }
});
