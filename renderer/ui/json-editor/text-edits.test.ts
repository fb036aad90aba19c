import fc from 'fast-check';
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
  expect(edited(before, after)).toBe(after);
});

test('no edit begins or ends inside a surrogate pair', () => {
  // 😀 and 😁 have the first half in common, 😀 and 𝈀 the second.
  const text = fc
    .array(fc.constantFrom('😀', '😁', '𝈀', 'a', '\n'), { maxLength: 8 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      for (const edit of textEdits(before, after)) {
        const parts = [
          before.slice(0, edit.start),
          before.slice(edit.start, edit.end),
          edit.text,
          before.slice(edit.end),
        ];
        expect(parts.filter((part) => /\p{Surrogate}/u.test(part))).toEqual([]);
      }
      expect(edited(before, after)).toBe(after);
    }),
  );
  expect(textEdits('{"a":"😀"}', '{"a":"😁"}')).toEqual([{ start: 6, end: 8, text: '😁' }]);
  expect(textEdits('😀', '𝈀')).toEqual([{ start: 0, end: 2, text: '𝈀' }]);
});

const edited = (before: string, after: string): string =>
  textEdits(before, after).reduceRight(
    (text, { start, end, text: part }) => text.slice(0, start) + part + text.slice(end),
    before,
  );
