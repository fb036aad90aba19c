import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonLines } from '#ui/json-lines.ts';
import { lineAtPointer, pointerTo } from './line-pointers.ts';

function linesOf(raw: string, isCut = false): JsonLines {
  const lines = new JsonLines(raw, isCut);
  lines.read();
  return lines;
}

test.each([
  ['', '{"a":[1,{"b/c~":2}]}', 0],
  ['/a', '{"a":[1,{"b/c~":2}]}', 1],
  ['/a/0', '{"a":[1,{"b/c~":2}]}', 2],
  ['/a/1/b~1c~0', '{"a":[1,{"b/c~":2}]}', 4],
  ['/', '{"":1}', 1],
  ['/é', '{"\\u00e9":1}', 1],
])('%j leads to its line and back', (pointer, raw, line) => {
  const lines = linesOf(raw);
  expect(lineAtPointer(lines, pointer)).toBe(line);
  expect(pointerTo(lines, line)).toBe(pointer);
});

test('the last of duplicate keys counts; a missing member leads to its parent', () => {
  const lines = linesOf('{"a":1,"a":2,"b":{"c":1}}');
  expect(lineAtPointer(lines, '/a')).toBe(2);
  expect(lineAtPointer(lines, '/b/missing')).toBe(3);
  expect(lineAtPointer(lines, '/nothing/at/all')).toBe(0);
  expect(lineAtPointer(lines, '/a/deeper')).toBe(2);
});

test('the line that closes has the pointer of what it closes', () => {
  expect(pointerTo(linesOf('{"a":[1]}'), 3)).toBe('/a');
});

test('every line of any JSON is found again by its pointer', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const lines = linesOf(JSON.stringify(json));
      for (let line = 0; line < lines.count; line++) {
        if (!lines.isClose(line)) expect(lineAtPointer(lines, pointerTo(lines, line))).toBe(line);
      }
    }),
    { numRuns: 50 },
  );
});
