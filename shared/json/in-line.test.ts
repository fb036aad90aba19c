import { expect, test } from 'vitest';
import { argumentsInLine, paramsInLine as ofParams, previewOfParams } from './in-line.ts';
import { memberStarts } from './members.ts';

const request = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

/** Of the params of a message, or of its start. */
const paramsInLine = (message: string, subject: string | undefined) =>
  ofParams(memberStarts(message).get('params') ?? '', subject);

test.each([
  ['tools/call', '{"name":"echo","arguments":{"message":"a-17"}}', 'name', 'message: "a-17"'],
  [
    'tools/call',
    '{"name":"greet", "arguments": {"name": "Ada", "n": 12345678901234567890, "list": [1, {"a": 2}]}}',
    'name',
    'name: "Ada", n: 12345678901234567890, list: [1,{"a":2}]',
  ],
  ['tools/call', '{"name":"echo","arguments":{},"_meta":{"progressToken":1}}', 'name', ''],
  ['tools/call', '{"name":"echo"}', 'name', ''],
  ['tools/call', '{"name":5,"arguments":[1, 2]}', undefined, 'name: 5, arguments: [1,2]'],
  [
    'tools/call',
    '{"name":"long","task":{"ttl":60000},"arguments":{"a":1}}',
    'name',
    'task: {"ttl":60000}, a: 1',
  ],
  ['resources/read', '{"uri":"file:///a"}', 'uri', ''],
  ['prompts/get', '{"name":"greet","arguments":{"style":"formal"}}', 'name', 'style: "formal"'],
  [
    'completion/complete',
    '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"style","value":"fo"}}',
    undefined,
    'ref: {"type":"ref/prompt","name":"greet"}, argument: {"name":"style","value":"fo"}',
  ],
  ['custom/odd', '{"two words":"a\\nb"}', undefined, '"two words": "a\\nb"'],
  ['custom/list', '[1, 2]', undefined, ''],
])('of %s with %s the line without %s is %s', (method, params, subject, line) => {
  expect(paramsInLine(request(method, params), subject)).toBe(line);
});

test('arguments are all shown, whatever their names', () => {
  expect(argumentsInLine('{ "article": "a-17",\n "amount": 1.0 }')).toBe('article: "a-17", amount: 1.0');
  expect(argumentsInLine('{"_meta":1,"name":"x","arguments":{"a":1}}')).toBe(
    '_meta: 1, name: "x", arguments: {"a":1}',
  );
  expect(argumentsInLine('{}')).toBe('');
});

test('a message without params has none', () => {
  expect(paramsInLine('{"jsonrpc":"2.0","id":1,"method":"ping"}', undefined)).toBe('');
});

test('of the start of a message it is what the start has', () => {
  const whole = request('tools/call', '{"name":"put","arguments":{"path":"/a","text":"once upon a time"}}');
  const line = 'path: "/a", text: "once upon a time"';
  for (let length = 0; length <= whole.length; length++) {
    const shown = paramsInLine(whole.slice(0, length), 'name');
    // A cut key or value is left out, or shown up to where it is cut.
    expect(line.startsWith(shown.replace(/(, )?\w+: $/, '')), shown).toBe(true);
  }
  expect(paramsInLine(whole.slice(0, whole.indexOf(' upon')), 'name')).toBe('path: "/a", text: "once');
});

test('it is bounded, however much was sent', () => {
  const long = request(
    'tools/call',
    JSON.stringify({ name: 'put', arguments: { text: 'x'.repeat(50_000) } }),
  );
  const many = request(
    'x/y',
    JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n]))),
  );
  const deep = request('x/y', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
  for (const message of [long, many, deep]) expect(paramsInLine(message, undefined)).toHaveLength(1000);
});

test('a preview is cut after its secrets are replaced', () => {
  const secret = 'hunter22x'.repeat(30);
  const params = JSON.stringify({ name: 'put', key: secret, note: 'y'.repeat(200) });
  const preview = previewOfParams(params, 'name', (line) => line.replace(secret, '[secret]'));
  expect(preview).toMatch(/^key: "\[secret\]", note: "y+…$/);
  expect(preview).toHaveLength(120);
});
