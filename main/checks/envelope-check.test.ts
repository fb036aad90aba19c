import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Conversation } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
  said.initialize();
});
afterEach(() => said.close());

describe('what is no message', () => {
  test.each([
    ['[]', 'jsonrpc/batch-empty', null],
    ['17', 'jsonrpc/invalid-envelope', null],
    ['{"jsonrpc":"1.0","method":"m"}', 'jsonrpc/version', '/jsonrpc'],
    ['{"method":"m"}', 'jsonrpc/version', '/jsonrpc'],
    ['{"jsonrpc":"2.0","id":1.5,"method":"m"}', 'jsonrpc/id-type', '/id'],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', 'jsonrpc/id-null', '/id'],
    ['{"jsonrpc":"2.0","result":{}}', 'jsonrpc/id-type', null],
    ['{"jsonrpc":"2.0","method":7}', 'jsonrpc/invalid-envelope', '/method'],
    ['{"jsonrpc":"2.0","method":"m","params":[1]}', 'jsonrpc/params-not-object', '/params'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', 'jsonrpc/result-and-error', null],
    ['{"jsonrpc":"2.0","id":1}', 'jsonrpc/neither-result-nor-error', null],
    ['{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}', 'jsonrpc/error-missing-code', '/error'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 'jsonrpc/error-missing-message', '/error/message'],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"x"}}',
      'jsonrpc/error-code-not-integer',
      '/error/code',
    ],
    ['{"jsonrpc":"2.0","id":1,"error":"broken"}', 'jsonrpc/invalid-envelope', '/error'],
  ])('%s', (text, rule, pointer) => {
    said.client({ id: 1, method: 'ping' });
    const row = said.server(text);
    expect(said.findings).toMatchObject([{ id: 0, rule, severity: 'error', source: 'envelope', pointer }]);
    expect(said.findings[0]?.rows).toEqual([row]);
    expect(said.recording.trace.index.columns.finding(row)).toBe('error');
  });

  test('says that it was us who sent it', () => {
    said.client('{"jsonrpc":"2.0"}');
    expect(said.findings[0]?.text).toMatch(/^Sent by us: /);
  });

  test('is judged one by one in a batch', () => {
    said.server('[{"jsonrpc":"2.0","id":null,"method":"m"},{"jsonrpc":"2.0","id":1.5,"method":"m"},3]');
    expect(said.broken.slice(1)).toEqual([
      '3 jsonrpc/id-null',
      '4 jsonrpc/id-type',
      '5 jsonrpc/invalid-envelope',
    ]);
  });
});

describe('members that JSON-RPC does not define', () => {
  test.each([
    ['a request', { id: 's', method: 'ping', 'x/y': 1 }, '/x~1y'],
    ['a request with a result', { id: 's', method: 'ping', result: {} }, '/result'],
    ['a notification', { method: 'notifications/tools/list_changed', meta: 1 }, '/meta'],
    ['a result', { id: 1, result: {}, timestamp: 1 }, '/timestamp'],
    ['an error', { id: 1, error: { code: 1, message: 'no' }, method_: 1 }, '/method_'],
  ])('are told of %s', (_what, message, pointer) => {
    said.client({ id: 1, method: 'ping' });
    const row = said.server(message);
    expect(said.findings).toMatchObject([
      { rule: 'jsonrpc/extra-member', severity: 'info', pointer, rows: [row] },
    ]);
  });

  test('are told once a message, the first of them by name', () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, place) => [`member-${place}`, place]));
    said.server({ method: 'notifications/tools/list_changed', ['x'.repeat(9000)]: 1, ...many });
    expect(said.rules).toEqual(['jsonrpc/extra-member']);
    expect(said.findings[0]?.text).toContain('"member-3" and maybe more');
    expect(said.findings[0]?.text.length).toBeLessThan(300);
  });

  test('are told of each message of a batch, and in one too large to be read a second time', async () => {
    const other = await Conversation.begin();
    other.initialize('2025-03-26');
    const note = { method: 'notifications/tools/list_changed' };
    const row = other.server([note, { ...note, extra: 1 }]);
    other.server({ ...note, params: { data: 'x'.repeat(300_000) }, extra: 1 });
    expect(other.broken).toEqual([`${row + 1} jsonrpc/extra-member`, `${row + 2} jsonrpc/extra-member`]);
    await other.close();
  });
});

describe('noise on standard output', () => {
  test.each([
    ['DEBUG ready', 'stdio/non-mcp-stdout', 'error'],
    ['{', 'stdio/embedded-newline', 'error'],
    ['{}{}', 'stdio/several-on-a-line', 'error'],
    ['', 'stdio/blank-line', 'info'],
    [Buffer.from([0x7b, 0xff]), 'transport/invalid-utf8', 'error'],
  ])('%s', (text, rule, severity) => {
    const row = said.server(text);
    expect(said.findings).toMatchObject([{ rule, severity, rows: [row] }]);
  });

  test('tells a last line that was broken off from a message over several lines', () => {
    said.server('{"jsonrpc":"2.0","me', { cut: true });
    expect(said.rules).toEqual(['stdio/unterminated-last-line']);
  });

  test('of our own is told as ours', () => {
    said.client('not JSON');
    expect(said.findings).toMatchObject(
      [{ rule: 'jsonrpc/invalid-envelope', text: /^Sent by us: / }].map(asText),
    );
  });
});

const asText = ({ rule, text }: { rule: string; text: RegExp }) => ({
  rule,
  text: expect.stringMatching(text),
});

describe('noise over HTTP', () => {
  test.each([
    ['body', 'http/json-reply-not-object'],
    ['event', 'sse/data-not-json'],
  ])('in a %s', (where, rule) => {
    const { recording } = said;
    const exchange = recording.request();
    recording.response(exchange, 200);
    if (where === 'body') recording.body(exchange, 'hello');
    else recording.stream(exchange, 'data: hello\n\n');
    expect(said.rules).toEqual([rule]);
  });

  test('is none where an error is explained', () => {
    const { recording } = said;
    const exchange = recording.request();
    recording.response(exchange, 502);
    recording.body(exchange, '<h1>Bad gateway</h1>');
    expect(said.findings).toEqual([]);
  });

  test('a body that breaks off', () => {
    const { recording } = said;
    const exchange = recording.request();
    recording.response(exchange, 200);
    recording.body(exchange, '{"jsonrpc":', 'message', true);
    expect(said.rules).toEqual(['transport/cut']);
  });
});

describe('the unit of a message', () => {
  test('a byte order mark', () => {
    said.server('\ufeff{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    expect(said.rules).toEqual(['transport/bom']);
  });

  test('keys that stand twice, wherever they are', () => {
    const row = said.server(
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":[{"a/b":1,"a\\u002fb":2}],"level":"debug"}}',
    );
    expect(said.findings.map(({ rule, severity, pointer, rows }) => [rule, severity, pointer, rows])).toEqual(
      [
        ['jsonrpc/duplicate-key', 'info', '/params/data/0/a~1b', [row]],
        ['jsonrpc/duplicate-key', 'info', '/params/level', [row]],
      ],
    );
  });

  test('keys that stand twice in a message of a batch', () => {
    const note = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
    said.server(`[${note},{"jsonrpc":"2.0","jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`);
    expect(said.broken).toContain('4 jsonrpc/duplicate-key');
    expect(said.findings.find(({ rule }) => rule.endsWith('key'))?.pointer).toBe('/jsonrpc');
  });

  test('one too large to be read a second time is judged by what is known of it', () => {
    const text = 'x'.repeat(256 * 1024);
    const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":1,"level":2,"data":"${text}"}}`;
    said.server(note);
    expect(said.rules).toEqual(['schema/invalid']);
    said.server(`{"jsonrpc":"2.0","id":null,"method":"${text}"}`);
    expect(said.findings.at(-1)).toMatchObject({ rule: 'jsonrpc/id-type', pointer: '/id' });
  });

  test('says when it does not tell all', () => {
    const twice = Array.from({ length: 30 }, (_, key) => `"k${key}":1,"k${key}":2`).join(',');
    said.server(`{"jsonrpc":"2.0","method":"notifications/x","params":{${twice}}}`);
    expect(said.findings.length).toBe(21);
    expect(said.findings.at(-1)?.text).toContain('there may be more');
  });

  test.each([
    ['2024-11-05', 'jsonrpc/batch-in-2024-11-05', 'warning'],
    ['2025-03-26', null, null],
    ['2025-06-18', 'jsonrpc/batch-in-unsupported-revision', 'error'],
  ])('a batch in %s', async (revision, rule, severity) => {
    const other = await Conversation.begin();
    other.initialize(revision);
    const row = other.server([{ method: 'notifications/tools/list_changed' }]);
    const expected = rule === null ? [] : [{ rule, severity, revision, rows: [row] }];
    expect(other.findings).toMatchObject(expected);
    await other.close();
  });
});
