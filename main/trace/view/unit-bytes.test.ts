import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementTexts } from '#shared/json/members.ts';
import { BatchElement } from './unit-bytes.ts';

/** The element as it is found in bytes that come in pieces of this size. */
function found(text: string, position: number, pieceSize: number, enough = 1e6) {
  const element = new BatchElement(position, enough);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length && !element.isDone; from += pieceSize) {
    element.push(bytes.subarray(from, from + pieceSize));
  }
  return element.found && { text: element.found.bytes.toString(), isWhole: element.found.isWhole };
}

test('each element of an array is found, wherever the pieces are cut', () => {
  const spaced = fc.tuple(
    fc.array(fc.jsonValue(), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', ' ', '\n\t'),
  );
  fc.assert(
    fc.property(spaced, fc.integer({ min: 1, max: 40 }), ([values, space], pieceSize) => {
      const text = `${space}[${values.map((value) => `${space}${JSON.stringify(value)}${space}`).join(',')}]`;
      for (const [position, expected] of elementTexts(text).entries()) {
        expect(found(text, position, pieceSize)).toEqual({ text: expected, isWhole: true });
      }
      expect(found(text, values.length, pieceSize)).toBeNull();
    }),
  );
});

test('only the requested part of a large element is kept, and later elements are not read', () => {
  const text = `[1,${JSON.stringify('x'.repeat(10_000))},2]`;
  const part = found(text, 1, 1000, 2000);
  expect(part?.isWhole).toBe(false);
  expect(part?.text.length).toBeLessThan(3000);
  expect(part?.text.startsWith('"xxx')).toBe(true);
});

test('brackets, commas and quotes in strings end nothing', () => {
  expect(found('[{"a":"],\\"[{"},"b"]', 0, 3)).toEqual({ text: '{"a":"],\\"[{"}', isWhole: true });
  expect(found('[{"a":"],\\"[{"},"b"]', 1, 3)).toEqual({ text: '"b"', isWhole: true });
});
