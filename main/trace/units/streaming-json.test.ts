import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StreamingJson } from './streaming-json.ts';

/** Reads a text in pieces that end at these places. */
function streamed(text: string, ends: readonly number[] = []) {
  const json = new StreamingJson();
  let from = 0;
  for (const end of [...ends.map((place) => place % (text.length + 1)).sort((a, b) => a - b), text.length]) {
    json.push(text.slice(from, end));
    from = end;
  }
  return { ...json.end(), exactIds: json.exactIds };
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });

test('any JSON, in whatever pieces it comes, has the value that parsing it has', () => {
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 6, noUnicodeString: false }),
      cuts,
      fc.boolean(),
      (json, ends, isSpaced) => {
        const text = isSpaced ? JSON.stringify(JSON.parse(json), null, 2) : json;
        expect(streamed(text, ends)).toMatchObject({
          type: 'value',
          value: JSON.parse(text),
          isWhole: true,
        });
      },
    ),
    { numRuns: 2000 },
  );
});

test('a text is refused when parsing it fails, and only then', () => {
  const damaged = fc.tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom(...'{}[],:"\\0-1e.tn \n\u0001x'),
  );
  fc.assert(
    fc.property(damaged, cuts, fc.boolean(), ([json, at, char], ends, isReplaced) => {
      const place = at % (json.length + 1);
      const text = json.slice(0, place) + char + json.slice(place + (isReplaced ? 1 : 0));
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        expect(streamed(text, ends).type).toBe('noise');
        return;
      }
      expect(streamed(text, ends)).toMatchObject({ type: 'value', value });
    }),
    { numRuns: 5000 },
  );
});

describe('invalid JSON is recognized', () => {
  test.each([
    ['', 'blank'],
    [' \r\n', 'blank'],
    ['<html>', 'not-json'],
    ['tru', 'not-json'],
    ['"abc', 'not-json'],
    ['{"a":1,}', 'not-json'],
    ['{"a":[1,2', 'half-json'],
    ['{"a":"b', 'half-json'],
    ['{"a":1}{"b":2}', 'several-values'],
    ['{"a":1} x', 'not-json'],
  ] as const)('%j is %s', (text, reason) => {
    expect(streamed(text, [1, 3])).toMatchObject({ type: 'noise', reason });
  });
});

test('a byte order mark hides nothing', () => {
  expect(streamed('\ufeff{"a":1}')).toMatchObject({ type: 'value', value: { a: 1 } });
});

test('the beginning of long texts and the top of very many values are kept', () => {
  const many = Array.from({ length: 200_000 }, (_, place) => [place]);
  const long = 'é'.repeat(100_000);
  const message = { jsonrpc: '2.0', result: { content: many, long, isError: true }, id: 7 };
  const read = streamed(JSON.stringify(message), [1000, 500_000]);
  expect(read).toMatchObject({
    isWhole: false,
    value: { jsonrpc: '2.0', id: 7, result: { isError: true, long: expect.stringMatching(/^é{16384}…/) } },
  });
  expect(JSON.stringify(read).length).toBeLessThan(2_500_000);
});

test('ids beyond 2^53 are known exactly', () => {
  expect(streamed('{"id":9007199254740993,"a":{"id":9007199254740995}}', [9]).exactIds).toEqual(
    new Map([[0, 9007199254740993n]]),
  );
  expect(streamed('[{"id":1},{"id":-9007199254740993}]').exactIds).toEqual(
    new Map([[1, -9007199254740993n]]),
  );
});
