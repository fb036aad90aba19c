import { describe, expect, test } from 'vitest';
import { readDamagedAnswer, readNamedAnswer } from './damaged-answer.ts';

const why = (text: string | Buffer) => readDamagedAnswer(text)?.why ?? null;
const id = (text: string | Buffer) => readDamagedAnswer(text)?.id;

describe('the id of an answer that is not JSON', () => {
  test.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}', 7],
    ['{ "id" : "a-1" , "result":undefined}', 'a-1'],
    ['\ufeff{"result":{"id":5,"x":NaN},"id":6}', 6],
    ['{"result":{"text":"say "hi" {"},"jsonrpc":"2.0","id":8}', 8],
    ['{"result":{"text":"say "hi" {"},"id":9,"jsonrpc":"2.0"}', 9],
    ['{"jsonrpc":"2.0","id":9007199254740993,"result":NaN}', 9007199254740993n],
    ['{"jsonrpc":"2.0","id":3,"resu', 3],
    ['{"jsonrpc":"2.0","id":null,"result":NaN}', null],
    ['{"jsonrpc":"2.0","result":{"id":4,"x":NaN}}', null],
    [Buffer.from('\ufeff{"id":2,"result":{}}', 'utf16le'), 2],
    [Buffer.from('{"id":2,"result":{}}\n', 'utf16le').subarray(0, -1), 2],
    [Buffer.concat([Buffer.of(0), Buffer.from('{"id":2,"result":{}}', 'utf16le')]), 2],
    [Buffer.from('{"id":2,"result":{}}', 'utf16le').swap16(), 2],
  ])('in %j is read', (text, expected) => {
    expect(id(text)).toBe(expected);
  });
});

test.each([
  '',
  '{',
  'NaN',
  '{ jsonrpc: "2.0", id: 1, result: {} }',
  "{'jsonrpc': '2.0', 'id': 2, 'result': {}}",
  '{"level":30,"time":1,"msg":"x",}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":NaN}',
  '[{"jsonrpc":"2.0","id":1,"result":NaN}]',
  '{"jsonrpc":"2.0", oops',
  '{"id":1,"name":NaN}',
  Buffer.from([0, 1, 2, 3, 0, 0]),
])('%j is no answer', (text) => {
  expect(readDamagedAnswer(text)).toBeNull();
});

test.each([
  ['{"id":1,"result":{"x":undefined}}', 'undefined is no JSON value'],
  ['{"id":1,"result":{"x":+1}}', 'it holds a value that is not JSON'],
  [
    '{"id":1,"result":{"x":"a\u0001"}}',
    'a raw control character (U+0001) is in a string, where JSON has \\u…',
  ],
  ['{"id":1,"result":{"x":"\\x"}}', 'a string has an escape that JSON does not know'],
  ['{"id":1,"result":{"x":1}', 'it ends before it is closed'],
  ['{"id":1,"result":[1,]}', 'a comma has no value after it'],
  ['{"id":1,"result":{}} trailing', 'trailing is no JSON value'],
])('%s is damaged because %s', (text, expected) => {
  expect(why(text)).toBe(expected);
});

test('an event of another name is an answer only if it holds one', () => {
  expect(readNamedAnswer('response', '{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({ id: 1 });
  expect(readNamedAnswer('endpoint', '{"jsonrpc":"2.0","id":1,"result":{}}')).toBeNull();
  expect(readNamedAnswer('log', '{"result":1}')).toBeNull();
  expect(readNamedAnswer('log', '{"jsonrpc":"2.0","id":1,"method":"x"}')).toBeNull();
});

test('reads a large unit in no time', () => {
  const began = performance.now();
  for (const part of ['{"id":', '{"a":"', '{"result":[', '{"id":1}', '{"result":"\\', '\u0000{', '{"id":"']) {
    readDamagedAnswer(part.repeat(2_000_000 / part.length));
    readDamagedAnswer(`{"id":1,"result":${part.repeat(2_000_000 / part.length)}`);
  }
  expect(performance.now() - began).toBeLessThan(5000);
});
