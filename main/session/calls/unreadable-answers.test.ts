import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A server that answers a call with this line. `id` is the id of the call. */
const answering = (line: string) =>
  scriptedServer(`'tools/call'({ id, params }) {
    if (params.name === 'well') return answer({ id }, { content: [] });
    process.stdout.write(Buffer.concat([Buffer.from(${line}), Buffer.from('\\n')]));
  },`);

const damaged: readonly (readonly [what: string, line: string, reason: RegExp, quote: RegExp])[] = [
  [
    'NaN',
    '`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":NaN}}`',
    /NaN is no JSON value/,
    /"x":NaN/,
  ],
  [
    '-Infinity, its id last',
    '`{"result":{"content":[],"x":-Infinity},"jsonrpc":"2.0","id":${id}}`',
    /-Infinity is no JSON value/,
    /-Infinity/,
  ],
  ['None', '`{"jsonrpc":"2.0","id":${id},"result":None}`', /None is no JSON value/, /None/],
  [
    'a raw tab',
    '`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a\\tb"}]}}`',
    /a raw tab \(U\+0009\) is in a string, where JSON has \\t/,
    /a\tb/,
  ],
  [
    'a raw line break',
    '`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a\\nb"}]}}`',
    /ends inside a string/,
    /"text":"a$/,
  ],
  [
    'a quote that is not escaped',
    '`{"result":{"content":[{"type":"text","text":"say "hi" {"}]},"jsonrpc":"2.0","id":${id}}`',
    /./,
    /say "hi"/,
  ],
  [
    'a comma too many',
    '`{"jsonrpc":"2.0","id":${id},"result":{"content":[],}}`',
    /a comma has no value/,
    /\[\],\}/,
  ],
  [
    'an unknown escape',
    '`{"jsonrpc":"2.0","id":${id},"result":{"a":"\\\\x41"}}`',
    /escape that JSON/,
    /\\x41/,
  ],
  [
    'bytes that are not UTF-8',
    'Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"caf\\xe9"}]}}`, "latin1")',
    /byte 0xE9 at offset \d+ is not UTF-8/,
    /caf\\xE9"/,
  ],
  [
    'UTF-16',
    'Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`, "utf16le")',
    /UTF-16/,
    /^\{"jsonrpc":"2\.0","id":/,
  ],
  [
    'a second message on its line',
    '`{"jsonrpc":"2.0","method":"notifications/message"}{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`',
    /several JSON values/,
    /\}\{/,
  ],
  ['id: null', '`{"jsonrpc":"2.0","id":null,"result":{"content":[]}}`', /"id" is neither/, /"id":null/],
  ['no id', '`{"jsonrpc":"2.0","result":{"content":[]}}`', /"id" is neither/, /"result"/],
  [
    'an id that is no id',
    '`{"jsonrpc":"2.0","id":[${id}],"result":{"content":[]}}`',
    /"id" is neither/,
    /"id":\[/,
  ],
  ['no id and NaN', '`{"jsonrpc":"2.0","result":{"content":[],"x":NaN}}`', /NaN is no JSON value/, /"x":NaN/],
];

describe('a call whose answer cannot be read', () => {
  test.each(damaged)('because of %s ends at once with its text', async (_what, line, reason, quote) => {
    const { id } = await engine.connect(answering(line));
    const call = await engine.callTool(id, 'odd');
    expect(call).toMatchObject({ state: 'protocol-error', fault: { code: 'invalid-answer' } });
    expect(call.fault?.what).toMatch(reason);
    expect(call.fault?.quote).toMatch(quote);
    // The row of the answer is that of the bytes, and the session goes on.
    const rows = await engine.rows(id);
    expect(rows[call.requestRow]).toMatchObject({ status: 'invalid', pair: call.responseRow });
    expect(rows[call.responseRow ?? -1]).toMatchObject({ status: 'invalid', pair: call.requestRow });
    expect((await engine.callTool(id, 'well')).state).toBe('ok');
  });

  test('because its id has another type ends at once with its text', async () => {
    const { id } = await engine.connect(
      answering('`{"jsonrpc":"2.0","id":"${id}","result":{"content":[]}}`'),
    );
    const { fault, requestId } = await engine.callTool(id, 'odd');
    expect(fault).toMatchObject({
      code: 'invalid-answer',
      what: expect.stringContaining(
        `its id is the text "${requestId}", and that of the request is the number`,
      ),
      quote: `{"jsonrpc":"2.0","id":"${requestId}","result":{"content":[]}}`,
    });
  });

  test('is the same call in the file', async () => {
    const { id } = await engine.connect(answering('`{"jsonrpc":"2.0","id":${id},"result":{"x":NaN}}`'));
    const call = await engine.callTool(id, 'odd');
    const { traceFile } = await engine.session(id);
    await engine.call('sessions/close', { sessionId: id });
    const { sessionId } = await engine.call('traces/open', { path: traceFile.path });
    const opened = await engine.until(
      async () => (await engine.call('calls/list', { sessionId }))[0] ?? null,
    );
    expect(opened).toMatchObject({ state: 'protocol-error', fault: { what: call.fault?.what } });
    const rows = await engine.rows(sessionId);
    expect(rows[call.requestRow]).toMatchObject({ status: 'invalid', pair: call.responseRow });
  });

  test('ends with the error whose id is null', async () => {
    const { id } = await engine.connect(
      answering('`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`'),
    );
    const call = await engine.callTool(id, 'odd');
    expect(call).toMatchObject({ state: 'protocol-error', error: { code: -32700, message: 'Parse error' } });
  });

  test('does not quote a secret', async () => {
    const value = 'hush-0123456789-abcdef';
    const server = answering(
      '`{"jsonrpc":"2.0","id":${id},"result":{"x":NaN,"key":"${process.env.API_KEY}"}}`',
    );
    const env = [{ name: 'API_KEY', value, secret: true }];
    const { id } = await engine.connect(server, { env });
    const { fault } = await engine.callTool(id, 'odd');
    expect(fault?.quote).toMatch(/"key":"\[secret /);
    expect(JSON.stringify(fault)).not.toContain(value);
  });
});

describe('what is no answer ends no call', () => {
  test.each([
    ['a log line', 'console.log("id 5 NaN")'],
    ['an object of a log', 'console.log({ jsonrpc: "2.0", id: request.id, result: {} })'],
    ['a damaged notification', `process.stdout.write('{"jsonrpc":"2.0","method":"x","params":NaN}\\n')`],
    ['half an object without a result', `process.stdout.write('{"jsonrpc":"2.0", oops\\n')`],
    ['a damaged answer to another id', `process.stdout.write('{"jsonrpc":"2.0","id":999,"result":NaN}\\n')`],
  ])('%s', async (_what, print) => {
    const { id } = await engine.connect(
      scriptedServer(`'tools/call'(request) { ${print}; answer(request, { content: [] }); },`),
    );
    expect((await engine.callTool(id, 'odd')).state).toBe('ok');
  });

  test('an answer without an id, if two calls wait', async () => {
    const { id } = await engine.connect(
      scriptedServer(`
        calls: [],
        'tools/call'(request) {
          this.calls.push(request);
          if (this.calls.length < 2) return;
          write({ id: null, result: {} });
          for (const call of this.calls) answer(call, { content: [] });
        },
      `),
    );
    const calls = await Promise.all([engine.callTool(id, 'a'), engine.callTool(id, 'b')]);
    expect(calls.map(({ state }) => state)).toEqual(['ok', 'ok']);
  });

  test('an answer without an id to the notification before the call', async () => {
    const { id } = await engine.connect(
      scriptedServer(`
        'notifications/initialized'() { write({ id: null, result: {} }); write({ id: null, error: { code: -32601, message: 'no' } }); },
      `),
    );
    expect((await engine.call('catalog/tools', { sessionId: id })).state).toBe('ready');
  });
});

test.each([
  [
    'over several lines',
    `process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: {} }, null, 2) + '\\n')`,
    '{\n  "jsonrpc": "2.0",\n  "id": ',
  ],
  [
    'with a length before it',
    `process.stdout.write('Content-Length: 2\\r\\n\\r\\n{}')`,
    'Content-Length: 2\n{}',
  ],
  ['of another runtime', `console.log({ jsonrpc: '2.0', result: {} })`, "{ jsonrpc: '2.0', result: {} }"],
])('a call without an answer quotes what came in its time: an object %s', async (_what, print, quote) => {
  const { id } = await engine.connect(scriptedServer(`'tools/call'(request) { ${print}; },`));
  const { fault } = await engine.callTool(id, 'odd', {}, 500);
  expect(fault).toMatchObject({ code: 'timed-out', why: 'What it sent in that time is not a message.' });
  expect(fault?.quote?.startsWith(quote)).toBe(true);
});

test('a handshake that cannot be read fails at once with its text', async () => {
  const { phase, fault } = await engine.connect(
    scriptedServer(`
      'server/discover'({ id }) { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"error":NaN}\\n'); },
      initialize({ id }) { process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":NaN}\\n'); },
    `),
  );
  expect(phase).toBe('failed');
  expect(fault).toMatchObject({
    code: 'invalid-answer',
    what: expect.stringContaining('NaN is no JSON value'),
    quote: expect.stringContaining('"result":NaN'),
  });
});

test.each([
  ['', ''],
  ['Server started\\n', 'Content-Type: application/vscode-jsonrpc; charset=utf-8\\r\\n'],
])('a server that frames its messages with Content-Length is told so at once', async (log, header) => {
  const { fault } = await engine.connect({
    command: process.execPath,
    args: [
      '-e',
      `process.stdout.write('${log}');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id } = JSON.parse(line);
        const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
        process.stdout.write('Content-Length: ' + text.length + '\\r\\n${header}\\r\\n' + text);
      });`,
    ],
  });
  expect(fault).toMatchObject({
    code: 'framed-output',
    what: expect.stringContaining('Content-Length headers'),
    quote: expect.stringMatching(/Content-Length: \d+\n[^]*\{"jsonrpc":"2\.0","id":/),
    next: expect.stringContaining('one line of JSON'),
  });
});

test('a server that writes UTF-16 is told so at once', async () => {
  const { fault } = await engine.connect({
    command: process.execPath,
    args: [
      '-e',
      `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id } = JSON.parse(line);
        const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
        process.stdout.write(Buffer.from(text + '\\n', 'utf16le'));
      });`,
    ],
  });
  expect(fault).toMatchObject({
    what: expect.stringContaining('UTF-16'),
    quote: expect.stringContaining('{"jsonrpc":"2.0","id":'),
    next: expect.stringContaining('UTF-8'),
  });
});

test('the terminal prints the text of an answer that cannot be read', async () => {
  const { command, args } = answering('`{"jsonrpc":"2.0","id":${id},"result":{"x":NaN}}`');
  const cli = await Cli.open();
  try {
    const { exitCode, stderr } = await cli.runBare(['call', 'odd', '--', command, ...args]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(
      /NaN is no JSON value\.\n {2}it said:\n {4}\{"jsonrpc":"2\.0","id":\d+,"result":\{"x":NaN\}\}/,
    );
  } finally {
    await cli.close();
  }
});
