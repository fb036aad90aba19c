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
  [
    'values below a secret name',
    '{"otp": ["12", {"a": 34}], "b": "12"}',
    '{"otp": ["", {"a": null}], "b": "12"}',
  ],
  ['a pair of name and value', '[{"name": "pin", "value": "4711"}]', '[{"name": "pin", "value": ""}]'],
  ['a pair in another order', '[{"value": "4711", "name": "pin"}]', '[{"value": "", "name": "pin"}]'],
  ['JSON in a string', '{"text": "{\\"pin\\": \\"4711\\"}"}', '{"text": ""}'],
  ['a name with escapes', '{"p\\u0069n": "4711"}', '{"p\\u0069n": ""}'],
  ['a switch with a secret name', '{"pin": true, "key": null}', '{"pin": true, "key": null}'],
  ['a program', '{"code": "print(1, 2)"}', '{"code": "print(1, 2)"}'],
  ['a code', '{"code": "481-516"}', '{"code": ""}'],
  [
    'a schema with secret names',
    '{"properties": {"pin": {"type": "string"}}}',
    '{"properties": {"pin": {"type": "string"}}}',
  ],
  ['a header line with a secret name', 'X-Mode: text\nX-Pin: 4711', ''],
  ['header lines without', 'X-Mode: text\nX-Trace: 4711', 'X-Mode: text\nX-Trace: 4711'],
])('of %s', (_, text, kept) => {
  expect(withoutSecretValues(text, known, [String.raw`E-\d+`])).toBe(kept);
});

test.each([
  'pass',
  'passwd',
  'passphrase',
  'otp',
  'pin',
  'key',
  'code',
  'cvv',
  'secret',
  'token',
  'credential',
  'auth',
  'userPin',
  'user_pin',
  'USER-PIN',
  'PIN1',
  'clientAPIKey',
  'otpCode',
  'smtp_pass',
  'dbPassword',
  'password_confirm',
  'verificationCode',
  'basicAuth',
  'accesstoken',
  'cardCvc',
  'encryption-key',
  'totp',
  'apikey',
  'x_api_key',
])('of a field %s that a form asks for', (name) => {
  expect(withoutSecretValues(JSON.stringify({ [name]: '4711' }), known)).toBe(JSON.stringify({ [name]: '' }));
});

test.each([
  'keyboard',
  'monkey',
  'author',
  'passenger',
  'spin',
  'primaryKey',
  'primary_key',
  'sortKey',
  'publicKey',
  'countryCode',
  'status_code',
  'zipCode',
  'compass',
  'bypass',
  'pinned',
  'opinion',
  'authority',
  'codec',
  'pass_rate',
  'nextPageToken',
  'progressToken',
  'tokenizer',
  'maxTokens',
  'keywords',
  'key_count',
  'boarding-pass',
  'passage',
])('keeps a field %s', (name) => {
  const text = JSON.stringify({ [name]: '4711' });
  expect(withoutSecretValues(text, known)).toBe(text);
});
