import { expect, test } from 'vitest';
import { ShortLivedMap } from './short-lived-map.ts';

test('holds what was added last under each key, in the order in which the keys were added', () => {
  const map = new ShortLivedMap<string, number>();
  map.set('one', 1);
  map.set('two', 2);
  map.set('three', 3);
  map.set('two', 22);
  expect(map.get('two')).toBe(22);
  expect(map.delete('one')).toBe(1);
  expect(map.delete('one')).toBeUndefined();
  map.set('four', 4);
  map.set('one', 11);
  expect([...map.keys()]).toEqual(['two', 'three', 'four', 'one']);
  expect([...map.values()]).toEqual([22, 3, 4, 11]);
  expect(map.size).toBe(4);
  for (const key of map.keys()) map.delete(key);
  expect([map.size, [...map.values()], map.get('two')]).toEqual([0, [], undefined]);
});
