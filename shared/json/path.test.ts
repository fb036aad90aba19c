import { describe, expect, test } from 'vitest';
import { parsePath, textAtPath } from './path.ts';
import { isSameJson } from './same-json.ts';

const json = '{"content": [{"text": "a"}, {"text": 9007199254740993}], "a b": {"it\'s": null}}';

describe('a path names one value', () => {
  test.each([
    ['$', json],
    ['$.content[0].text', '"a"'],
    ['$.content[-1].text', '9007199254740993'],
    [`$["a b"]['it\\'s']`, 'null'],
    ['$.content[2]', null],
    ['$.content.text', null],
    ['$.none.at.all', null],
  ])('%s', (path, expected) => {
    const steps = parsePath(path);
    if (steps === null) throw new Error('not a path');
    expect(textAtPath(json, steps)).toBe(expected);
  });

  test.each(['', 'content', '$content', '$.', '$..a', '$.a[*]', '$[01]', '$[a]', '$.a b'])(
    '%s is none',
    (path) => {
      expect(parsePath(path)).toBeNull();
    },
  );
});

test.each<[one: string, other: string, isSame: boolean]>([
  ['{"a":1,"b":[true,null]}', '{ "b": [true, null], "a": 1 }', true],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['[1,2]', '[2,1]', false],
  ['[1]', '[1,2]', false],
  ['9007199254740993', '9007199254740992', false],
  ['1.0', '1', true],
  ['"\\u0061"', '"a"', true],
  ['"1"', '1', false],
  ['{}', '[]', false],
  ['null', '{}', false],
])('%s and %s', (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
});
