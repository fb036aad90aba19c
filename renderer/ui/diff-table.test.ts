import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffLine, diffLines, differingPart, stretchesOf } from './diff-table.tsx';

const shown = (lines: readonly DiffLine[] | null) =>
  lines?.map(({ kind, left, right }) => `${kind} ${left ?? '-'} ${right ?? '-'}`);

test('a line that replaced another is beside it', async () => {
  expect(shown(await diffLines(['{', 'a', '}'], ['{', 'b', 'c', '}']))).toEqual([
    'same 0 0',
    'changed 1 1',
    'added - 2',
    'same 2 3',
  ]);
});

test('every line of both sides is shown once and in order, and same lines are the same', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, text, async (left, right) => {
      const lines = (await diffLines(left, right)) ?? [];
      expect(lines.flatMap((line) => line.left ?? [])).toEqual(left.map((_, place) => place));
      expect(lines.flatMap((line) => line.right ?? [])).toEqual(right.map((_, place) => place));
      for (const line of lines) {
        if (line.kind === 'same') expect(left[line.left ?? -1]).toBe(right[line.right ?? -1]);
      }
    }),
  );
});

test('equal lines far from a difference are left out until they are opened', async () => {
  const left = Array.from({ length: 40 }, (_, place) => `line ${place}`);
  const right = left.with(20, 'another');
  const lines = (await diffLines(left, right)) ?? [];
  const stretches = stretchesOf(lines, new Set());
  expect(stretches.flatMap((one) => (one.of === 'equal' ? [one.count] : []))).toEqual([17, 16]);
  const opened = stretchesOf(lines, new Set([0]));
  expect(opened.flatMap((one) => (one.of === 'equal' ? [one.count] : []))).toEqual([16]);
});

test('the part between the common ends of two lines is what differs', () => {
  expect(differingPart('"count": 10,', '"count": 12,')).toEqual({ start: 10, tail: 1 });
  expect(differingPart('aa', 'aaa')).toEqual({ start: 2, tail: 0 });
});
