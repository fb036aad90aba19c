import { expect, test } from 'vitest';
import { JsonLines } from './json-lines.ts';

const read = (raw: string, isCut = false): JsonLines => {
  const lines = new JsonLines(raw, isCut);
  lines.read();
  return lines;
};

test('lines know what they stand in, which child they are, and where that ends', () => {
  const raw = '{"a":[1,{"b":2}],"a":{}, "c":"x"}';
  const lines = read(raw);
  const seen = Array.from({ length: lines.count }, (_, line) => {
    const { kind, keyFrom, keyEnd } = lines.line(line);
    return [
      kind,
      keyFrom < 0 ? '' : raw.slice(keyFrom, keyEnd),
      lines.parent(line),
      lines.place(line),
      lines.mate(line),
    ];
  });
  expect(seen).toEqual([
    ['open-object', '', null, 0, 9],
    ['open-array', '"a"', 0, 0, 6],
    ['number', '', 1, 0, 2],
    ['open-object', '', 1, 1, 5],
    ['number', '"b"', 3, 0, 4],
    ['close-object', '', 1, 1, 3],
    ['close-array', '', 0, 0, 1],
    ['empty-object', '"a"', 0, 1, 7],
    ['string', '"c"', 0, 2, 8],
    ['close-object', '', null, 0, 0],
  ]);
  expect(lines.next(1)).toBe(7);
  expect([0, 1, 3].map(lines.childCount)).toEqual([3, 2, 1]);
});

test('a place in the text is found on its line', () => {
  const raw = '{"key": [10, "text"]}';
  const lines = read(raw);
  const lineOf = (text: string) => lines.lineAt(raw.indexOf(text));
  expect(['{', 'ey', '[', '10', 'ext', ']', '}'].map(lineOf)).toEqual([0, 1, 1, 2, 3, 4, 5]);
});

test('reading in slices of time gives the same result as reading at once', () => {
  const raw = JSON.stringify(
    Array.from({ length: 20_000 }, (_, place) => ({ place, text: 'é'.repeat(place % 7) })),
  );
  const sliced = new JsonLines(raw);
  let slices = 0;
  while (!sliced.isDone) {
    sliced.read(0);
    slices++;
  }
  expect(slices).toBeGreaterThan(10);
  const whole = read(raw);
  expect(sliced.count).toBe(whole.count);
  for (let line = 0; line < whole.count; line += 997) expect(sliced.line(line)).toEqual(whole.line(line));
});

test('what is cut off ends with the text', () => {
  const lines = read('{"a":[1,{"b', true);
  expect(lines.isJson).toBe(true);
  expect(lines.next(1)).toBe(lines.count);
  expect(lines.line(lines.count - 1)).toMatchObject({ kind: 'none', hasColon: false });
});

test.each([
  ['{"key":"text ~"}', true],
  ['{"k\u00e9y":1}', false],
  ['{"key":"a\u202eb"}', false],
  ['{"key":"a\u007fb"}', false],
  ['{"key":"\\u202e"}', true],
])('whether %j holds nothing but printable ASCII is known', (raw, isPlain) => {
  expect(read(raw).line(1).isPlain).toBe(isPlain);
});
