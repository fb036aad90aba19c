import { describe, expect, test } from 'vitest';
import { stepsOf } from '#fixtures/counted-steps.ts';
import { matchesPath, parsePattern, type PathStep, pathText } from './path-pattern.ts';

const matches = (pattern: string, path: readonly PathStep[]): boolean => {
  const parsed = parsePattern(pattern);
  if (parsed === null) throw new Error(`${pattern} is no pattern`);
  return matchesPath(parsed, path);
};

describe('a path pattern', () => {
  test.each([
    ['$', []],
    ['$.content[0].text', ['content', 0, 'text']],
    ['$.content[*].text', ['content', 7, 'text']],
    ['$.*', ['content']],
    ['$..id', ['id']],
    ['$..id', ['items', 3, 'id']],
    ['$.items..at', ['items', 0, 'times', 'at']],
    ["$['a b'].c", ['a b', 'c']],
    ['$["say \\"x\\""]', ['say "x"']],
  ])('%s matches %j', (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
  });

  test.each([
    ['$', ['content']],
    ['$.content', []],
    ['$.content', ['content', 0]],
    ['$.content[1]', ['content', 0]],
    ['$..id', ['items', 3, 'ids']],
    ['$.items..at', ['at']],
  ])('%s does not match %j', (pattern, path) => {
    expect(matches(pattern, path)).toBe(false);
  });

  test.each(['', 'content', '$.', '$.a b', '$[', '$[-1]', '$[?(@.a)]', '$..'])('%s is not one', (text) => {
    expect(parsePattern(text)).toBeNull();
  });

  test('is written as it is read', () => {
    const path = ['content', 0, 'a b', 'say "x"', 'text'];
    expect(pathText(path)).toBe('$.content[0]["a b"]["say \\"x\\""].text');
    expect(matches(pathText(path), path)).toBe(true);
  });
});

test('a pattern of many ".." tries no path more than once from each place', () => {
  const path = Array<string>(40).fill('a');
  expect(stepsOf(() => matches(`$${'..a'.repeat(12)}.b`, path), 100_000)).toBeLessThan(1000);
});
