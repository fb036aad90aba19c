import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { MAX_CHILDREN } from '#shared/contract/trace.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { RowIndex } from './row-index.ts';

let http: HttpRecording;
beforeEach(async () => {
  http = await HttpRecording.begin();
});
afterEach(() => http.close());

const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } });
const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } });

describe('an exchange', () => {
  test('is one row, and what it carried are rows of their own', async () => {
    const exchange = http.request({ url: 'http://127.0.0.1:3000/mcp?a=1', body: call });
    const [pending] = await http.rows();
    expect(pending).toMatchObject({
      kind: 'http',
      direction: 'out',
      method: 'POST',
      summary: '/mcp?a=1',
      status: 'pending',
      code: null,
      duration: null,
      exchange: 0,
      automatic: false,
    });
    http.connected(exchange);
    http.response(exchange, 200);
    expect((await http.rows())[0]).toMatchObject({ status: 'receiving', code: 200 });
    http.body(exchange, answer);
    http.end(exchange, 'complete', { size: answer.length });
    const rows = await http.rows();
    expect(rows.map(({ kind, exchange: own }) => [kind, own])).toEqual([
      ['http', 0],
      ['request', 0],
      ['result', 0],
    ]);
    const { at } = (await http.records()).findLast((record) => record.kind === 'http-end') ?? { at: 0 };
    const ended = { status: 'ok', code: 200, size: answer.length, duration: at - (rows[0]?.at ?? 0) };
    expect(rows[0]).toMatchObject(ended);
    expect(http.recorded.map((one) => one.exchange)).toEqual([exchange, exchange]);
    expect(http.trace.index).toMatchObject({ messages: 2, errors: 0, invalid: 0 });
  });

  test.each([
    [204, 'complete', 'ok'],
    [399, 'complete', 'ok'],
    [400, 'complete', 'error'],
    [503, 'complete', 'error'],
    [200, 'dropped', 'cancelled'],
    [200, 'cut', 'failed'],
    [500, 'cut', 'failed'],
    [null, 'failed', 'failed'],
    [null, 'dropped', 'cancelled'],
  ] as const)(
    'with status %s that ends %s is %s, and counts as an error if it failed and carried no call',
    async (status, how, reported) => {
      const exchange = http.request({ method: 'GET', origin: 'automatic' });
      if (status !== null) http.response(exchange, status);
      http.end(exchange, how);
      expect(await http.rows()).toMatchObject([{ status: reported, code: status, automatic: true }]);
      expect(http.trace.index).toMatchObject({
        messages: 0,
        errors: reported === 'error' || reported === 'failed' ? 1 : 0,
        invalid: 0,
      });
    },
  );

  test('is not answered by an informational response, and keeps all of them', async () => {
    const exchange = http.request();
    http.response(exchange, 103, { interim: true, headers: [['Link', '</style.css>']] });
    http.response(exchange, 100, { interim: true });
    expect((await http.rows())[0]).toMatchObject({ status: 'pending', code: null });
    http.response(exchange, 202);
    const { exchange: detail } = await http.detail(0);
    expect(detail?.responses.map(({ status }) => status)).toEqual([103, 100, 202]);
  });

  test.each(['closed', 'failed'] as const)(
    'is unanswered once the session has %s, until it ends',
    async (phase) => {
      const [waiting, receiving, ended] = [http.request(), http.request(), http.request()];
      http.response(receiving, 200);
      http.end(ended, 'dropped');
      http.trace.phase(phase, null);
      expect((await http.rows()).slice(0, 3).map(({ status }) => status)).toEqual([
        'unanswered',
        'unanswered',
        'cancelled',
      ]);
      http.end(waiting, 'dropped');
      expect((await http.rows())[0]).toMatchObject({ status: 'cancelled' });
    },
  );

  test('that belongs to no request is recorded and does no harm', async () => {
    http.response(7, 200);
    http.end(7);
    http.body(7, answer);
    expect(await http.rows()).toMatchObject([{ kind: 'result', status: 'orphan', exchange: null }]);
    expect((await http.detail(0)).exchange).toBeNull();
  });
});

describe('the rows that an exchange carries', () => {
  test.each([
    ['an HTML page', '<html>no</html>'],
    ['JSON of its own', '{"error":"invalid_token"}'],
    ['half a JSON', '{"jsonrpc":'],
  ])('%s under an error status is a body and nothing invalid', async (_, text) => {
    const exchange = http.request({ body: call });
    http.response(exchange, 401);
    http.body(exchange, text);
    const row = (await http.rows()).at(-1);
    expect(row).toMatchObject({ kind: 'body', status: 'none', noise: null, summary: text, direction: 'in' });
    expect(http.trace.index.invalid).toBe(0);
    expect(await http.detail(row?.row ?? -1)).toMatchObject({ text, error: null });
  });

  test('an error of JSON-RPC under an error status is a message', async () => {
    const exchange = http.request({ body: call });
    http.response(exchange, 404);
    http.body(exchange, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}');
    expect((await http.rows()).at(-1)).toMatchObject({
      kind: 'error',
      status: 'error',
      code: -32601,
      pair: 1,
    });
  });

  test.each([
    ['<html>hello</html>', 'not-json', /body must be one message, and no page of HTML/],
    [' ', 'blank', /blank body/],
    ['{"a":', 'half-json', /body ends before it is closed/],
    ['{}{}', 'several-values', /in one body/],
  ])('%j under a good status is noise', async (text, noise, problem) => {
    const exchange = http.request({ body: call });
    http.response(exchange, 200);
    http.body(exchange, text);
    const row = (await http.rows()).at(-1);
    expect(row).toMatchObject({ kind: 'noise', status: 'invalid', noise });
    expect((await http.detail(row?.row ?? -1)).error).toMatch(problem);
    expect(http.trace.index.invalid).toBe(1);
  });

  test('a body that is no message is a row, large ones too', async () => {
    const exchange = http.request();
    http.response(exchange, 302);
    http.body(exchange, 'moved', 'body');
    http.body(exchange, 'x'.repeat(PIECE_BYTES + 1), 'body');
    expect((await http.rows()).slice(1)).toMatchObject([
      { kind: 'body', status: 'none', summary: 'moved', size: 5, exchange: 0 },
      { kind: 'body', status: 'none', size: PIECE_BYTES + 1 },
    ]);
    expect((await http.detail(2)).text).toHaveLength(PIECE_BYTES);
    expect(http.trace.index).toMatchObject({ messages: 0, invalid: 0 });
  });
});

describe('an event stream', () => {
  test.each([
    ['a comment', ': keep-alive\n\n', ': keep-alive'],
    ['an id and a time to wait', 'id: 7\nretry: 500\n\n', 'id: 7 · retry: 500'],
    ['a blank line', '\n', 'blank line'],
    [
      'an event of another name',
      'event: endpoint\ndata: /messages?session=1\n\n',
      'event endpoint: /messages?session=1',
    ],
    ['an event that only primes', 'id: 7\nretry: 500\ndata:\n\n', 'id: 7 · retry: 500'],
    ['an event of another name that is JSON', `event: other\ndata: ${answer}\n\n`, `event other: ${answer}`],
  ])('%s is a row and no message', async (_, lines, summary) => {
    const exchange = http.request();
    http.response(exchange, 200);
    http.stream(exchange, lines);
    const expected = { kind: 'sse', status: 'none', direction: 'in', summary, exchange: 0, noise: null };
    expect((await http.rows()).slice(1)).toMatchObject([expected]);
    expect(http.trace.index).toMatchObject({ messages: 0, invalid: 0 });
    expect(http.recorded).toEqual([]);
  });

  test.each([
    ['without a name', ''],
    ['named message', 'event: message\n'],
    ['whose name is empty', 'event:\n'],
    ['with an id', 'id: 3\n'],
  ])('an event %s carries a message, and its lines are told', async (_, field) => {
    const exchange = http.request({ body: call });
    http.response(exchange, 200);
    http.stream(exchange, `${field}data: ${answer}\n\n`);
    const row = (await http.rows()).at(-1);
    expect(row).toMatchObject({ kind: 'result', status: 'ok', pair: 1, exchange: 0 });
    expect((await http.detail(row?.row ?? -1)).sse?.frame).toEqual([`${field}data: `, '\n\n']);
  });

  test.each([
    ['data:\n\n', 'blank', /blank data/],
    ['data: hello\n\n', 'not-json', /data of an event/],
    ['data: {"a":\n\n', 'half-json', /event ends before/],
    ['data: {}\ndata: {}\n\n', 'several-values', /in one event/],
  ])('%j is noise', async (lines, noise, problem) => {
    const exchange = http.request();
    http.response(exchange, 200);
    http.stream(exchange, lines);
    expect((await http.rows())[1]).toMatchObject({ kind: 'noise', status: 'invalid', noise });
    expect((await http.detail(1)).error).toMatch(problem);
  });

  test('an event over 1 MiB tells its name, and how it was written, with its last piece', async () => {
    const exchange = http.request();
    http.response(exchange, 200);
    const params = { data: 'x'.repeat(PIECE_BYTES) };
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params });
    http.stream(exchange, `data: ${text}\nid: 9\n\ndata: ${text}\nevent: other\n\n`);
    const [, message, other] = await http.rows();
    expect(message).toMatchObject({ kind: 'notification', size: text.length, exchange: 0 });
    expect(other).toMatchObject({ kind: 'sse', status: 'none', size: text.length, exchange: 0 });
    expect(other?.summary).toMatch(/^event other: \{"jsonrpc/);
    expect((await http.detail(1)).sse).toEqual({ id: '9', frame: ['data: ', '\nid: 9\n\n'] });
    expect((await http.detail(2)).sse).toMatchObject({ name: 'other' });
  });
});

test('switches that make us a bad client are rows', async () => {
  http.trace.recordSwitches(['omit-session-id', 'drop-stream']);
  http.trace.recordSwitches([]);
  expect(await http.rows()).toMatchObject([
    { kind: 'switches', summary: 'client switches: omit-session-id, drop-stream', exchange: null },
    { kind: 'switches', summary: 'client switches off' },
  ]);
});

describe('the detail of an exchange', () => {
  test('has every record of it and what it carried, from whichever row it is asked', async () => {
    const first = http.request({
      body: call,
      headers: [
        ['ACCEPT', '*/*'],
        ['accept', 'text/plain'],
      ],
    });
    const second = http.request({ method: 'GET' });
    http.connected(first);
    http.response(first, 200, {
      headers: [
        ['X-One', 'a'],
        ['x-one', 'b'],
      ],
    });
    http.response(second, 200);
    http.stream(second, ': hi\n\n');
    http.stream(first, `data: ${answer}\n\n`);
    http.end(first, 'complete', { size: 9, trailers: [['Digest', 'x']] });
    http.stream(second, ': there\n\n');
    const row = await http.row(({ kind }) => kind === 'result');
    const { exchange } = await http.detail(row.row);
    expect(exchange).toMatchObject({
      row: 0,
      request: {
        method: 'POST',
        headers: [
          ['ACCEPT', '*/*'],
          ['accept', 'text/plain'],
        ],
      },
      connected: { remote: '127.0.0.1:3000' },
      responses: [
        {
          status: 200,
          headers: [
            ['X-One', 'a'],
            ['x-one', 'b'],
          ],
        },
      ],
      end: { how: 'complete', size: 9, trailers: [['Digest', 'x']] },
    });
    expect(exchange?.carried.map(({ kind }) => kind)).toEqual(['request', 'result']);
    expect((await http.detail(0)).exchange).toEqual(exchange);
    const other = await http.detail(2);
    expect(other).toMatchObject({
      text: null,
      error: null,
      exchange: { row: 2, connected: null, end: null },
    });
    expect(other.exchange?.carried.map(({ summary }) => summary)).toEqual([': hi', ': there']);
  });

  test('lists the first rows of very many', async () => {
    const exchange = http.request();
    http.stream(exchange, ':\n\n'.repeat(MAX_CHILDREN + 50));
    const { exchange: detail } = await http.detail(0);
    expect(detail?.carried.map(({ row }) => row)).toEqual(
      Array.from({ length: MAX_CHILDREN }, (_, place) => place + 1),
    );
  });

  test('is found for the last of many exchanges, and for ids that somebody else counted', async () => {
    for (let count = 0; count < 1000; count++) {
      const exchange = http.request({ url: `http://127.0.0.1/${count}` });
      http.response(exchange, 200 + (count % 50));
      http.end(exchange);
    }
    const { exchange: last } = await http.detail(999);
    expect(last).toMatchObject({
      request: { exchange: 1000 },
      responses: [{ status: 249 }],
      end: { exchange: 1000 },
    });
    for (const exchange of [2 ** 40, 5000, 1001]) {
      http.request({ exchange, url: `http://127.0.0.1/far/${exchange}` });
      http.response(exchange, 418);
    }
    const far = (await http.rows()).slice(1000);
    expect(far.map(({ code }) => code)).toEqual([418, 418, 418]);
    expect((await http.detail(1000)).exchange?.responses).toMatchObject([{ exchange: 2 ** 40 }]);
  });
});

test('a file that is read again gives the same rows', async () => {
  const exchange = http.request({ body: call, url: 'https://me:pass-word@host/mcp?token=abcdefgh12' });
  http.connected(exchange);
  http.response(exchange, 100, { interim: true });
  http.response(exchange, 200, { headers: [['Set-Cookie', 'session=0123456789abcdef']] });
  http.stream(
    exchange,
    `: hi\n\nid: 1\ndata:\n\nevent: other\ndata: abcdefgh12\n\ndata: ${answer}\n\ndata: noise\n\n`,
  );
  const data = 'x'.repeat(PIECE_BYTES);
  http.stream(
    exchange,
    `data: {"jsonrpc":"2.0","method":"m","params":{"k":"${data}"}}\n\ndata: ${data}\nevent: e\n\n`,
  );
  http.end(exchange, 'complete', { size: 5 });
  const refused = http.request({ body: call });
  http.response(refused, 401);
  http.body(refused, '<html>session=0123456789abcdef</html>');
  http.body(refused, data.repeat(2), 'body');
  http.end(refused);
  http.trace.recordSwitches(['x']);
  http.end(http.request(), 'cut');
  http.response(http.request(), 200);
  http.request({ body: JSON.stringify([JSON.parse(call), { jsonrpc: '2.0', method: 'n' }]) });
  http.trace.phase('failed', 'lost');
  const live = http.trace.index;
  const again = new RowIndex();
  for (const record of await http.records()) {
    const { base64, text } = { base64: undefined, text: '', ...record };
    again.add(
      record,
      { offset: 0, length: 1 },
      base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64'),
    );
  }
  expect(again.columns.count).toBe(live.columns.count);
  for (let row = 0; row < live.columns.count; row++) expect(factsOf(again, row)).toEqual(factsOf(live, row));
  const kinds = new Set((await http.rows()).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(
    ['body', 'http', 'noise', 'notification', 'phase', 'request', 'result', 'sse', 'switches'].sort(),
  );
});

function factsOf({ columns }: RowIndex, row: number) {
  const {
    kind,
    status,
    method,
    subject,
    pair,
    parent,
    exchangeRow,
    duration,
    size,
    code,
    seq,
    noise,
    batch,
  } = columns;
  const read = {
    kind,
    status,
    method,
    subject,
    pair,
    parent,
    exchangeRow,
    duration,
    size,
    code,
    seq,
    noise,
    batch,
  };
  return Object.fromEntries(Object.entries(read).map(([name, column]) => [name, column(row)]));
}

describe('a stream that is resumed', () => {
  const event = (method: string) => `id: 8\ndata: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`;
  const listen = (headers: [string, string][]) => {
    const exchange = http.request({ method: 'GET', headers });
    http.response(exchange, 200, { headers: [['Content-Type', 'text/event-stream']] });
    return exchange;
  };

  test('marks its messages as replayed, not its comments, nor the messages of other streams', async () => {
    http.stream(listen([['Accept', 'text/event-stream']]), event('notifications/first'));
    http.stream(listen([['LAST-EVENT-ID', '7']]), `: hello\n\n${event('notifications/again')}`);
    const rows = await http.rows();
    expect(rows.filter(({ replayed }) => replayed).map(({ method }) => method)).toEqual([
      'notifications/again',
    ]);
    expect(rows.some(({ kind }) => kind === 'sse')).toBe(true);
  });

  test('may still bring the response; an event recorded before its request says nothing of it', async () => {
    const FIRST = 1;
    http.stream(FIRST, event('notifications/early'));
    expect(http.request({ body: call })).toBe(FIRST);
    http.response(FIRST, 200);
    http.end(FIRST, 'complete');
    const second = http.request({ body: call.replace('"id":1', '"id":2') });
    http.response(second, 200);
    http.stream(second, event('notifications/in-time'));
    http.end(second, 'complete');
    const requests = (await http.rows()).filter(({ kind }) => kind === 'request');
    expect(requests.map(({ status }) => status)).toEqual(['unanswered', 'pending']);
  });

  test('marks each message of a batch, and nothing that we send', async () => {
    const exchange = http.request({ headers: [['Last-Event-ID', '7']], body: call });
    http.stream(exchange, `data: [${answer},${answer}]\n\n`);
    const rows = await http.rows();
    expect(rows.map(({ kind, replayed }) => [kind, replayed])).toEqual([
      ['http', false],
      ['request', false],
      ['result', true],
      ['result', true],
    ]);
  });
});

test.each([
  ['application/json', 'json'],
  ['Application/JSON; charset=utf-8', 'json'],
  ['text/event-stream', 'sse'],
  ['TEXT/event-stream;charset=utf-8', 'sse'],
  ['text/html', null],
  ['', null],
] as const)('a response of type %s is carried as %s', async (type, mode) => {
  const exchange = http.request({ body: call, origin: 'probe' });
  expect((await http.rows())[0]).toMatchObject({ responseMode: null });
  http.response(exchange, 100, { interim: true, headers: [['Content-Type', 'application/json']] });
  http.response(exchange, 200, { headers: [['content-type', type]] });
  const rows = await http.rows();
  expect(rows[0]).toMatchObject({ responseMode: mode, probe: true, automatic: true, replayed: false });
  expect(rows[1]).toMatchObject({ responseMode: null });
});
