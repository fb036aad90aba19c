import { expect, test } from 'vitest';
import type { IgnoredPath } from '#shared/contract/comparison.ts';
import { shownResponse } from './response-texts.ts';

const json =
  '{"content":[{"type":"text","text":"{\\"at\\":\\"12:00:00\\"}"}],"n":12345678901234567890,"_meta":{"a b":"x","id":"1"}}';

const ignored: IgnoredPath[] = [
  { path: '$.content[0].text.at', why: 'time', recorded: '1', other: '2' },
  { path: '$._meta["a b"]', why: 'meta', recorded: '1', other: '2' },
  { path: '$._meta["a b"]', why: 'rule', recorded: '1', other: '2' },
  { path: '$.params.arguments.id', why: 'replaced', recorded: '1', other: '2' },
];

test('a response is shown with its numbers as sent, and its ignored paths at their lines', () => {
  const { text, ignored: notes, lineOf } = shownResponse(json, { ignored, isTruncated: false });
  const lines = text.split('\n');
  expect(lines[7]).toBe('  "n": 12345678901234567890,');
  // A path inside of a string that holds JSON leads to the string; what was sent is not in a response.
  expect(notes).toEqual([
    { line: 5, note: 'ignored: time' },
    { line: 10, note: 'ignored: _meta, by you' },
  ]);
  expect(lines[4]).toContain('"text"');
  expect(lines[9]).toContain('"a b"');
  expect(lineOf('$.n')).toBe(8);
  expect(lineOf('$..n')).toBeNull();
});

test('what is no JSON is shown as it is', () => {
  expect(shownResponse('no', { ignored, isTruncated: false })).toMatchObject({ text: 'no', ignored: [] });
});
