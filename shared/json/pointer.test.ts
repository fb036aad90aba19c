import { expect, test } from 'vitest';
import { pointerOf, pointerPath } from './pointer.ts';

test.each([
  [[], ''],
  [['a', 0], '/a/0'],
  [['a/b', '~1', ''], '/a~1b/~01/'],
])('%j is the pointer %j, and back', (path, pointer) => {
  expect(pointerOf(path)).toBe(pointer);
  expect(pointerPath(pointer)).toEqual(path.map(String));
});
