import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partsOfBody } from './body-secrets.ts';

const masked = (text: string, isOurs = false) =>
  partsOfBody(text, isOurs)
    .map((part) => (typeof part === 'string' ? part : part.needsQuotes ? '"§"' : '§'))
    .join('');
const values = (text: string, isOurs = false) =>
  partsOfBody(text, isOurs).flatMap((part) => (typeof part === 'string' ? [] : [[part.name, part.value]]));

test.each([
  [
    'grant_type=authorization_code&code=c&code_verifier=v&resource=https%3A%2F%2Fx',
    'grant_type=authorization_code&code=§&code_verifier=§&resource=https%3A%2F%2Fx',
  ],
  ['client_id=me&client_secret=a%2Bb', 'client_id=me&client_secret=§'],
  ['token=t&token_type_hint=access_token', 'token=§&token_type_hint=access_token'],
  [
    'assertion=a.b.c&client_assertion=x&client_assertion_type=y',
    'assertion=§&client_assertion=§&client_assertion_type=y',
  ],
  [
    'subject_token=s&subject_token_type=t&actor_token=u&refresh_token=r',
    'subject_token=§&subject_token_type=t&actor_token=§&refresh_token=§',
  ],
  ['acc%65ss_token=t&code=&lone&=x&code=1&code=2', 'acc%65ss_token=§&code=&lone&=x&code=§&code=§'],
  ['access_token=t&token_type=bearer', 'access_token=§&token_type=bearer'],
])('the credentials of the form %s', (form, expected) => {
  expect(masked(form)).toBe(expected);
});

test.each([
  [
    '{"access_token":"a","token_type":"Bearer","expires_in":1}',
    '{"access_token":"§","token_type":"Bearer","expires_in":1}',
  ],
  [
    '{"refresh_token" : "a\\"b" , "id_token":"x.y.z", "scope":"read"}',
    '{"refresh_token" : "§" , "id_token":"§", "scope":"read"}',
  ],
  [
    '{"client_id":"c","client_secret":"s","registration_access_token":"t"}',
    '{"client_id":"c","client_secret":"§","registration_access_token":"§"}',
  ],
  ['{"\\u0061ccess_token":"a"}', '{"\\u0061ccess_token":"§"}'],
  [
    '{"accessToken":12345,"client_secret":null,"refresh_token":""}',
    '{"accessToken":"§","client_secret":null,"refresh_token":""}',
  ],
  [
    '[{"access_token":"a"},{"b":["c",{"id_token":"d"}]}]',
    '[{"access_token":"§"},{"b":["c",{"id_token":"§"}]}]',
  ],
  ['{"access_token":"cut o', '{"access_token":"§'],
  [
    '{"error":"invalid_grant","code":"E1","token":"t","key":"k"}',
    '{"error":"invalid_grant","code":"E1","token":"t","key":"k"}',
  ],
  ['{"a":"access_token","b":"x"}', '{"a":"access_token","b":"x"}'],
  ['["access_token","x"]', '["access_token","x"]'],
])('the credentials of the response %s', (text, expected) => {
  expect(masked(text)).toBe(expected);
});

test('the JSON of a request has the same credentials as a form', () => {
  expect(masked('{"code":"c","token":"t","client_name":"n"}', true)).toBe(
    '{"code":"§","token":"§","client_name":"n"}',
  );
});

test.each(['', '<html>access_token=abc</html>', 'Not found', 'a b=c', 'null', '"access_token"'])(
  'the text %j has none',
  (text) => {
    expect(partsOfBody(text, true)).toEqual([text]);
  },
);

test('the values are those that were meant', () => {
  expect(values('client_secret=a%2Bb+c%zz&code=%C3%A4')).toEqual([
    ['client_secret', 'a%2Bb+c%zz'],
    ['code', 'ä'],
  ]);
  expect(values('{"access_token":"a\\u002fb\\n"}')).toEqual([['access_token', 'a/b\n']]);
});

test('no text is lost, and no secret of a valid body remains', () => {
  const secret = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(secret, fc.string(), (value, other) => {
      const planted = `planted${value}`;
      for (const text of [
        new URLSearchParams([
          ['a', other],
          ['code', planted],
          ['b', other],
        ]).toString(),
        JSON.stringify({ [`x${other}`]: other, access_token: planted, b: [other, { id_token: planted }] }),
      ]) {
        const parts = partsOfBody(text, true);
        expect(parts.map((part) => (typeof part === 'string' ? part : part.written)).join('')).toBe(text);
        expect(parts.filter((part) => typeof part !== 'string').every((part) => part.value === planted)).toBe(
          true,
        );
        expect(masked(text, true)).not.toContain('planted');
      }
    }),
  );
});
