import { expect, test } from 'vitest';
import { textEdits } from './text-edits.ts';

test.each([
  ['the part that differs', '{"id":9,"a":1}', '{"id":10,"a":1}', [{ start: 6, end: 7, text: '10' }]],
  [
    'one part in each line',
    '{\n"id":6,\n"a":1,\n"progressToken":6\n}',
    '{\n"id":7,\n"a":1,\n"progressToken":7\n}',
    [
      { start: 7, end: 8, text: '7' },
      { start: 33, end: 34, text: '7' },
    ],
  ],
  ['what is repeated at the border', '{"id":11}', '{"id":111}', [{ start: 8, end: 8, text: '1' }]],
  ['a text with other lines', 'a\nb\nc', 'a\nc', [{ start: 2, end: 4, text: '' }]],
  ['nothing', 'a\nb', 'a\nb', []],
])('the edits are %s', (_, before, after, edits) => {
  expect(textEdits(before, after)).toEqual(edits);
  const edited = textEdits(before, after).reduceRight(
    (text, { start, end, text: part }) => text.slice(0, start) + part + text.slice(end),
    before,
  );
  expect(edited).toBe(after);
});
