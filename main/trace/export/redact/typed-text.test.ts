import { expect, test } from 'vitest';
import { withoutSecretValues } from './typed-text.ts';

const known = (text: string) => text.replaceAll('in-use-1234', '[secret]');

test.each([
  [
    'nothing secret',
    '{ "id": 12345678901234567890, "text": "hello" }',
    '{ "id": 12345678901234567890, "text": "hello" }',
  ],
  [
    'a value with a secret name',
    '{"user": "me", "password": "hunter2 hunter2"}',
    '{"user": "me", "password": ""}',
  ],
  ['a short one', '{"password": "x"}', '{"password": ""}'],
  ['a number', '{"api_key": 48151623}', '{"api_key": null}'],
  ['a nested one', '{"a": [{"accessToken": "zzz"}, 1]}', '{"a": [{"accessToken": ""}, 1]}'],
  ['a value in use elsewhere', '{"text": "as in-use-1234"}', '{"text": ""}'],
  ['a value of a known form', '{"text": "Bearer abcdefgh12345678abcdefgh"}', '{"text": ""}'],
  ['a match of a pattern', '{"text": "employee E-4711"}', '{"text": ""}'],
  ['a text that is no JSON', 'hello', 'hello'],
  ['JSON that is not complete', '{"text": "hel', '{"text": "hel'],
  ['a secret in JSON that is not complete', '{"password": "hun', ''],
  ['a secret in a text that is no JSON', 'X-Api-Key: in-use-1234', ''],
  ['a secret as a key', '{"in-use-1234": 1}', ''],
])('of %s', (_, text, kept) => {
  expect(withoutSecretValues(text, known, [String.raw`E-\d+`])).toBe(kept);
});
