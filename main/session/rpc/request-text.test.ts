import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestText, withMember, withMetaOverrides } from './request.ts';

describe('the text of a request', () => {
  test.each([
    [null, {}, '{"jsonrpc":"2.0","id":7,"method":"a/b"}'],
    ['{"big":12345678901234567890, "a":1, "a":2}', {}, '{"big":12345678901234567890, "a":1, "a":2}'],
    [null, { progressToken: 7 }, '{"_meta":{"progressToken":7}}'],
    ['{ }', { progressToken: 7 }, '{"_meta":{"progressToken":7}}'],
    ['{"a":1}', { progressToken: 7 }, '{"a":1,"_meta":{"progressToken":7}}'],
    ['{"_meta":{}}', { progressToken: 7 }, '{"_meta":{"progressToken":7}}'],
    ['{"_meta": {"own":1.0}, "a":1}', { x: true }, '{"_meta": {"x":true,"own":1.0}, "a":1}'],
    ['{"_meta":{"progressToken":"mine"}}', { progressToken: 7 }, '{"_meta":{"progressToken":"mine"}}'],
    ['{"_meta":"none"}', { progressToken: 7 }, '{"_meta":"none"}'],
    ['{"text":"_meta"}', { x: 1 }, '{"text":"_meta","_meta":{"x":1}}'],
  ])('of %s with %j', (params, meta, expected) => {
    const text = requestText(7, 'a/b', params, meta);
    expect(text).toBe(
      params === null && Object.keys(meta).length === 0
        ? expected
        : `{"jsonrpc":"2.0","id":7,"method":"a/b","params":${expected}}`,
    );
  });

  test('holds every member of both, and those of the caller win', () => {
    const member = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(member, member, member, (params, own, meta) => {
        fc.pre(!('__proto__' in own) && !('__proto__' in meta));
        const text = requestText(1, 'm', JSON.stringify({ ...params, _meta: own }), meta);
        expect(JSON.parse(text).params._meta).toEqual(JSON.parse(JSON.stringify({ ...meta, ...own })));
      }),
    );
  });
});

test.each([
  ['{}', '{"k":1}'],
  [' { } ', '{"k":1}'],
  ['{"a": 1}', '{"a": 1,"k":1}'],
])('one more member in %s', (object, expected) => {
  expect(withMember(object, 'k', '1')).toBe(expected);
});

test.each([
  ['{"a": 1}', '{"a": 1,"_meta":{"k": 1.0}}'],
  ['{"_meta": {}, "a": 1}', '{"_meta": {"k":1.0}, "a": 1}'],
  ['{"_meta":{"big":12345678901234567890,"k":2}}', '{"_meta":{"big":12345678901234567890,"k":1.0}}'],
  ['{"_meta":5}', '{"_meta":{"k":1.0}}'],
  ['{"b":{"_meta":{}}}', '{"b":{"_meta":{}},"_meta":{"k": 1.0}}'],
])('what is requested for `_meta` of %s is in the one that stands there', (params, expected) => {
  expect(withMetaOverrides(params, '{"k": 1.0}')).toBe(expected);
});
