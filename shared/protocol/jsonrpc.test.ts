import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isId,
  type Message,
  progressTokenOf,
  readEnvelopes,
  subjectOf,
  errorCodeName,
  errorCodes,
} from './jsonrpc.ts';

const read = (value: unknown) => readEnvelopes(value)[0];

describe('a message is', () => {
  test.each<[Message['type'], object, Partial<Message>]>([
    ['request', { id: 1, method: 'ping' }, { id: 1, params: undefined }],
    ['request', { id: '1', method: 'a', params: {} }, { id: '1', params: {} }],
    ['request', { id: 0, method: '' }, { id: 0, method: '' }],
    ['notification', { method: 'a', params: { b: 1 } }, { method: 'a', params: { b: 1 } }],
    ['result', { id: 1, result: {} }, { id: 1, result: {} }],
    ['result', { id: 1, result: null }, { result: null }],
    ['error', { id: 1, error: { code: -1, message: 'no' } }, { id: 1, error: { code: -1, message: 'no' } }],
    ['error', { id: null, error: { code: -32700, message: '' } }, { id: null }],
    ['error', { error: { code: -32700, message: '' } }, { id: null }],
  ])('a %s: %j', (type, members, expected) => {
    expect(read({ jsonrpc: '2.0', ...members })).toEqual({
      message: expect.objectContaining({ type, ...expected }),
    });
  });
});

describe('no message is', () => {
  test.each([
    ['not-object', 7],
    ['not-object', null],
    ['not-object', 'text'],
    ['empty-batch', []],
    ['wrong-version', {}],
    ['wrong-version', { jsonrpc: '1.0', id: 1, result: {} }],
    ['wrong-version', { jsonrpc: 2, method: 'a' }],
    ['bad-method', { jsonrpc: '2.0', id: 1, method: 7 }],
    ['bad-params', { jsonrpc: '2.0', method: 'a', params: [1] }],
    ['bad-params', { jsonrpc: '2.0', method: 'a', params: null }],
    ['bad-id', { jsonrpc: '2.0', id: null, method: 'a' }],
    ['bad-id', { jsonrpc: '2.0', id: 1.5, method: 'a' }],
    ['bad-id', { jsonrpc: '2.0', id: true, result: {} }],
    ['bad-id', { jsonrpc: '2.0', result: {} }],
    ['bad-id', { jsonrpc: '2.0', id: {}, error: { code: 1, message: '' } }],
    ['result-and-error', { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } }],
    ['bad-error', { jsonrpc: '2.0', id: 1, error: { code: 'E', message: '' } }],
    ['bad-error', { jsonrpc: '2.0', id: 1, error: { code: 1 } }],
    ['bad-error', { jsonrpc: '2.0', id: 1, error: 'no' }],
    ['no-method-no-answer', { jsonrpc: '2.0', id: 1 }],
  ] as const)('%s: %j', (defect, value) => {
    expect(read(value)).toMatchObject({ defect });
  });

  test('names what can still be made out', () => {
    expect(read({ jsonrpc: '1.0', id: 7, method: 'ping' })).toMatchObject({
      salvage: { id: 7, method: 'ping', asks: true },
    });
    expect(read({ jsonrpc: '2.0', id: [], method: {} })).toMatchObject({
      salvage: { id: null, method: null, asks: true },
    });
    expect(read({ id: 7, result: {} })).toMatchObject({ salvage: { id: 7, method: null, asks: false } });
  });
});

test('a batch has as many envelopes as entries, each read by itself', () => {
  const batch = [{ jsonrpc: '2.0', method: 'a' }, 7, [], { jsonrpc: '2.0', id: 1, result: {} }];
  expect(
    readEnvelopes(batch).map((envelope) => ('defect' in envelope ? envelope.defect : 'message')),
  ).toEqual(['message', 'not-object', 'not-object', 'message']);
});

test('whatever JSON says, it is read without an exception, and what is a message stays one', () => {
  const member = fc.oneof(fc.jsonValue(), fc.constantFrom('2.0', 1, 'ping', null, {}));
  const value = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error'), member),
  );
  fc.assert(
    fc.property(value, (json) => {
      for (const envelope of readEnvelopes(json)) {
        if ('defect' in envelope) continue;
        const { type, ...members } = envelope.message;
        expect(read({ jsonrpc: '2.0', ...members })).toMatchObject({ message: { type } });
      }
    }),
  );
});

test.each([
  [1, true],
  ['', true],
  ['1', true],
  [-0.5, false],
  [Number.NaN, false],
  [null, false],
  [undefined, false],
  [{}, false],
])('%j as an id: %s', (value, expected) => {
  expect(isId(value)).toBe(expected);
});

test.each([
  ['tools/call', { name: 'echo' }, 'echo'],
  ['resources/read', { uri: 'file:///a' }, 'file:///a'],
  ['tools/call', { name: 7 }, null],
  ['tools/call', undefined, null],
  ['tools/list', { name: 'echo' }, null],
  ['constructor', { name: 'echo' }, null],
  ['__proto__', { '[object Object]': 'echo' }, null],
])('%s of %j is about %j', (method, params, subject) => {
  expect(subjectOf(method, params)).toBe(subject);
});

test.each([
  [{ _meta: { progressToken: 1 } }, 1],
  [{ _meta: { progressToken: 'a' } }, 'a'],
  [{ _meta: { progressToken: 1.5 } }, null],
  [{ _meta: [] }, null],
  [{}, null],
  [undefined, null],
])('the progress token of %j is %j', (params, token) => {
  expect(progressTokenOf(params)).toBe(token);
});

test.each([
  [-32700, 'Parse error'],
  [-32600, 'Invalid request'],
  [-32601, 'Method not found'],
  [-32602, 'Invalid params'],
  [-32603, 'Internal error'],
  [-32002, 'Resource not found'],
  [-1, 'Rejected by the user'],
  [-32099, 'Server error'],
  [-32000, 'Server error'],
  [-32100, 'Reserved by JSON-RPC'],
  [-32768, 'Reserved by JSON-RPC'],
  [-32769, 'Defined by the application'],
  [-31999, 'Defined by the application'],
  [418, 'Defined by the application'],
])('%d is called %s', (code, name) => {
  expect(errorCodeName(code)).toBe(name);
});

test('every code that we send ourselves has a name of its own', () => {
  for (const code of Object.values(errorCodes)) {
    expect(errorCodeName(code)).not.toMatch(/^(Server error|Reserved|Defined)/);
  }
});
