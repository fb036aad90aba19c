import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HttpEndRecord } from '#shared/trace/record.ts';
import { Conversation, modernMeta } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const SSE = 'text/event-stream';
const JSON_TYPE = 'application/json';
const text = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
const event = (message: object, fields = '') => `${fields}data: ${text(message)}\n\n`;

const ping = { id: 1, method: 'ping' };
const modernCall = { id: 1, method: 'tools/call', params: { name: 'x', _meta: modernMeta() } };
const done = { id: 1, result: {} };
const log = { method: 'notifications/message', params: { level: 'info', data: 1 } };

/** A POST with this body, and its response. */
function post(body: object | object[], status = 200, contentType: string | null = SSE): number {
  const { recording } = said;
  const exchange = recording.request({
    body: Array.isArray(body) ? `[${body.map(text).join(',')}]` : text(body),
  });
  const headers: [string, string][] = contentType === null ? [] : [['Content-Type', contentType]];
  recording.response(exchange, status, { headers });
  return exchange;
}

const end = (exchange: number, how: HttpEndRecord['how'] = 'complete', size = 0) =>
  said.recording.end(exchange, how, { size });

/** The rules that were broken, and the rows of each. */
const found = () => said.findings.map(({ rule, rows }) => `${rule} ${rows.join(' ')}`);

describe('202 Accepted', () => {
  test('is no answer to a request', () => {
    end(post(ping, 202, null));
    expect(found()).toEqual(['http/202-for-request 0 1']);
    expect(said.findings[0]).toMatchObject({ severity: 'error', source: 'envelope' });
  });

  test('is no answer to a batch with a request in it', () => {
    said.initialize('2025-03-26');
    end(post([{ method: 'notifications/initialized' }, ping], 202, null));
    expect(said.rules).toEqual(['http/202-for-request']);
  });

  test.each([
    ['a notification', { method: 'notifications/initialized' }],
    ['a response', { id: 's', result: {} }],
  ])('is how %s is taken', (_what, message) => {
    said.server({ id: 's', method: 'ping' });
    end(post(message, 202, null));
    expect(said.findings).toEqual([]);
  });

  test('is how HTTP+SSE takes a request, whose answer comes by the stream', () => {
    const { recording } = said;
    const stream = recording.request({ method: 'GET', headers: [['Accept', SSE]] });
    recording.response(stream, 200, { headers: [['Content-Type', SSE]] });
    recording.stream(stream, 'event: endpoint\ndata: /messages\n\n');
    end(post(ping, 202, 'text/plain'));
    recording.stream(stream, event(done, 'event: message\n'));
    expect(said.findings).toEqual([]);
  });
});

describe('the Content-Type of the response to a request', () => {
  test.each(['text/plain', 'text/html; charset=utf-8', 'application/json-rpc', ''])(
    'may not be %j',
    (type) => {
      post(ping, 200, type);
      expect(found()).toEqual(['http/wrong-content-type 0 1']);
    },
  );

  test('may not be missing', () => {
    end(post(ping, 200, null), 'complete', 40);
    expect(found()).toEqual(['http/wrong-content-type 0 1']);
    expect(said.findings[0]?.text).toBe(
      'The response to a request has no Content-Type: it must be application/json or text/event-stream',
    );
  });

  test.each([
    ['Application/JSON; charset=utf-8', 200],
    ['text/event-stream;charset=utf-8', 200],
    ['text/html', 404],
    ['text/html', 502],
    ['text/plain', 307],
  ])('may be %s with status %i', (type, status) => {
    post(ping, status, type);
    expect(said.findings).toEqual([]);
  });

  test('does not matter where nothing is to be answered', () => {
    end(post({ method: 'notifications/initialized' }, 200, 'text/plain'), 'complete', 2);
    const elsewhere = said.recording.request({ method: 'GET', url: 'http://127.0.0.1/.well-known/x' });
    said.recording.response(elsewhere, 200, { headers: [['Content-Type', 'application/xml']] });
    expect(said.findings).toEqual([]);
  });

  test.each([
    [200, 'text/html', ['http/wrong-content-type']],
    [200, SSE, []],
    [405, 'text/html', []],
  ])('a GET for a stream is answered with %i and %s', (status, type, rules) => {
    const { recording } = said;
    const exchange = recording.request({ method: 'GET', headers: [['accept', 'text/event-stream']] });
    recording.response(exchange, status, { headers: [['content-type', type]] });
    expect(said.rules).toEqual(rules);
  });
});

describe('a response that ends without the answer', () => {
  test('is a stream that was closed', () => {
    const exchange = post(ping);
    said.recording.stream(exchange, event(log));
    end(exchange);
    expect(found().slice(-1)).toEqual(['sse/closed-without-response 0 1']);
  });

  test('is an empty body', () => {
    end(post(ping, 200, JSON_TYPE));
    end(post({ id: 2, method: 'ping' }, 204, null));
    expect(found()).toEqual(['http/empty-response-to-request 0 1', 'http/empty-response-to-request 2 3']);
  });

  test.each(['cut', 'dropped', 'failed'] as const)('is not the fault of the server when it is %s', (how) => {
    end(post(ping), how);
    expect(said.findings).toEqual([]);
  });

  test('is legal when an event id says where to go on', () => {
    said.initialize('2025-11-25');
    const exchange = post({ ...ping, id: 7 });
    said.recording.stream(exchange, 'id: 1\nretry: 10\ndata: \n\n');
    end(exchange);
    expect(said.findings).toEqual([]);
  });

  test('is not made legal by an event id in the modern era', () => {
    const exchange = post(modernCall);
    said.recording.stream(exchange, 'id: 1\ndata: \n\n');
    end(exchange);
    expect(said.rules).toEqual(['sse/event-id', 'sse/closed-without-response']);
  });

  test('is legal once the request was cancelled', () => {
    const exchange = post(ping);
    said.client({ method: 'notifications/cancelled', params: { requestId: 1 } });
    end(exchange);
    expect(said.findings).toEqual([]);
  });

  test('is legal for a listen stream that the server ended', () => {
    const listen = {
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: {}, _meta: modernMeta() },
    };
    const exchange = post(listen);
    said.recording.stream(exchange, event({ method: 'notifications/cancelled', params: { requestId: 1 } }));
    end(exchange);
    expect(said.findings).toEqual([]);
  });

  test('is told by the rule for ids when the answer has another one', () => {
    const exchange = post(ping);
    said.recording.stream(exchange, event({ id: 99, result: {} }));
    end(exchange);
    expect(said.rules).toEqual(['jsonrpc/unknown-response-id']);
  });

  test('is looked for where a redirect led', () => {
    const { recording } = said;
    const first = post(ping, 307, null);
    end(first);
    const second = recording.request({ redirectOf: first });
    recording.response(second, 200, { headers: [['Content-Type', SSE]] });
    end(second);
    expect(found()).toEqual(['sse/closed-without-response 2 1']);
  });

  test('had the answer on another stream before', () => {
    const { recording } = said;
    const exchange = post(ping);
    const standing = recording.request({ method: 'GET' });
    recording.response(standing, 200);
    recording.stream(standing, event(done));
    end(exchange);
    expect(said.findings).toEqual([]);
  });
});

describe('what stands beside the data of an event', () => {
  const odd = [
    'retry: 10\n\n',
    event(done, 'id: 1\nevent: message\n'),
    event(log, 'id: 2\n'),
    'event: time\ndata: x\n\n',
    ': keep-alive\n\n',
  ].join('');

  test('is a finding in the modern era: ids and retry once a stream, each event of another name', () => {
    const exchange = post(modernCall);
    said.recording.stream(exchange, odd);
    said.recording.stream(exchange, 'event: time\ndata: y\n\n');
    const about = said.findings.filter(({ rule }) => rule.startsWith('sse/'));
    expect(about.map(({ rule, severity, revision, rows }) => [rule, severity, revision, rows])).toEqual([
      ['sse/retry', 'info', '2026-07-28', [2, 0]],
      ['sse/event-id', 'info', '2026-07-28', [3, 0]],
      ['sse/unknown-event-type', 'warning', '2026-07-28', [5, 0]],
      ['sse/unknown-event-type', 'warning', '2026-07-28', [7, 0]],
    ]);
  });

  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('is legal in %s', (revision) => {
    said.initialize(revision);
    const exchange = post(ping);
    said.recording.stream(exchange, odd);
    expect(said.findings).toEqual([]);
  });

  test('is legal in the answer of a legacy server to our probe', () => {
    const { recording } = said;
    const exchange = recording.request();
    const probe = { id: 1, method: 'server/discover', params: { _meta: modernMeta() } };
    recording.piece({ direction: 'out', exchange, origin: 'probe' }, text(probe));
    recording.response(exchange, 200, { headers: [['Content-Type', SSE]] });
    const refused = { id: 1, error: { code: -32601, message: 'Method not found' } };
    recording.stream(exchange, `id: 0\nretry: 10\ndata: \n\n${event(refused, 'id: 1\n')}`);
    expect(said.findings).toEqual([]);
  });
});

describe('an error without an id', () => {
  const refused = text({ error: { code: -32601, message: 'no' } });
  const notice = { method: 'notifications/initialized' };

  test.each([
    [200, ['jsonrpc/response-to-notification']],
    [400, []],
  ])('that answers the POST of a notification with status %i', (status, rules) => {
    const exchange = post(notice, status, JSON_TYPE);
    said.recording.body(exchange, refused);
    expect(said.rules).toEqual(rules);
  });

  test('answers the request of its POST', () => {
    const exchange = post(ping, 400, JSON_TYPE);
    said.recording.body(exchange, refused);
    expect(said.findings).toEqual([]);
  });
});

test('the last of more exchanges than are remembered is looked at', () => {
  for (let id = 0; id < 10_050; id++) said.recording.request();
  end(post(ping));
  expect(said.rules).toEqual(['sse/closed-without-response']);
});
