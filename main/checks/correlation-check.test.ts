import { afterEach, beforeEach, expect, test } from 'vitest';
import { Conversation } from '#fixtures/trace/conversation.ts';

let said: Conversation;
beforeEach(async () => {
  said = await Conversation.begin();
});
afterEach(() => said.close());

const rested = () => said.findings.map(({ rule, rows }) => [rule, rows]);

test('a call and its answer break nothing', () => {
  said.client({ id: 1, method: 'ping' });
  said.server({ id: 1, result: {} });
  expect(said.findings).toEqual([]);
});

test('an answer to nothing', () => {
  const row = said.server({ id: 99, result: {} });
  expect(rested()).toEqual([['jsonrpc/unknown-response-id', [row]]]);
});

test('a second answer names the request that has one', () => {
  const request = said.client({ id: 1, method: 'ping' });
  said.server({ id: 1, result: {} });
  const second = said.server({ id: 1, error: { code: -32603, message: 'again' } });
  expect(rested()).toEqual([['jsonrpc/duplicate-response', [second, request]]]);
  expect(said.recording.trace.index.columns.finding(request)).toBe('error');
});

test('of a flood of second answers to many requests the last are known as such', () => {
  for (let id = 0; id < 1500; id++) {
    said.client({ id, method: 'ping' });
    said.server({ id, result: {} });
  }
  said.server({ id: 1499, result: {} });
  said.server({ id: 0, result: {} });
  expect(said.rules).toEqual(['jsonrpc/duplicate-response', 'jsonrpc/unknown-response-id']);
});

test.each([
  [7, '7'],
  ['7', 7],
])('an id sent as %j and answered as %j', (sent, answered) => {
  const request = said.client({ id: sent, method: 'ping' });
  const answer = said.server({ id: answered, result: {} });
  expect(rested()).toEqual([['jsonrpc/response-id-type-changed', [answer, request]]]);
});

test('an id that is used again while its request is open', () => {
  const first = said.server({ id: 'a', method: 'ping' });
  const second = said.server({ id: 'a', method: 'ping' });
  expect(rested()).toEqual([['jsonrpc/id-reused', [second, first]]]);
});

test('ids of both sides are apart', () => {
  said.client({ id: 1, method: 'ping' });
  said.server({ id: 1, method: 'ping' });
  expect(said.findings).toEqual([]);
});

test('an integer id beyond 2^53', () => {
  said.server('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}');
  expect(said.findings).toMatchObject([{ rule: 'jsonrpc/id-too-large', severity: 'info', pointer: '/id' }]);
});

test('a notification with an id, and nothing said of it twice', () => {
  said.initialize();
  said.server({ id: 1, method: 'notifications/tools/list_changed' });
  expect(said.rules).toEqual(['jsonrpc/notification-with-id']);
});

test('an answer after its request was cancelled', () => {
  const request = said.client({ id: 1, method: 'ping' });
  said.client({ method: 'notifications/cancelled', params: { requestId: 1 } });
  const answer = said.server({ id: 1, result: {} });
  expect(said.findings).toMatchObject([{ rule: 'jsonrpc/late-response', severity: 'info' }]);
  expect(rested()).toEqual([['jsonrpc/late-response', [answer, request]]]);
});

test.each([
  [-32700, []],
  [-32600, []],
  [-32601, ['jsonrpc/error-without-id']],
])(
  'an error %i without an id on stdio answers nobody knows what, so it is no answer to a notification',
  (code, rules) => {
    said.initialize();
    said.server({ error: { code, message: 'no' } });
    said.server({ id: null, error: { code, message: 'no' } });
    expect(said.rules).toEqual([...rules, ...rules]);
  },
);

test('a result that is no object is told once', () => {
  said.initialize();
  said.client({ id: 1, method: 'tools/list' });
  said.server({ id: 1, result: [] });
  expect(said.rules).toEqual(['jsonrpc/result-not-object']);
});
