import { expect, test } from 'vitest';
import {
  namedValue,
  parseEnvLines,
  parseHeaderLines,
  bearerHeader,
  headers,
  rowsOf,
  variables,
} from './named-values.ts';

test('pasted lines of a file become variables', () => {
  expect(parseEnvLines('# my keys\nexport A="x y"\r\nB=a=b\n\nC=\n')).toEqual([
    { name: 'A', value: 'x y' },
    { name: 'B', value: 'a=b' },
    { name: 'C', value: '' },
  ]);
  expect(parseEnvLines('JUST_A_NAME')).toBeNull();
  expect(parseEnvLines('A=1\nnonsense')).toBeNull();
});

test('pasted lines of a request become headers', () => {
  expect(parseHeaderLines('Authorization: Bearer a.b.c\r\nX-Empty:\nCookie: a=1; b="2"\n')).toEqual([
    { name: 'Authorization', value: 'Bearer a.b.c' },
    { name: 'X-Empty', value: '' },
    { name: 'Cookie', value: 'a=1; b="2"' },
  ]);
  expect(parseHeaderLines(`-H 'X-API-Key: k' \\\n  --header "Accept-Language: de"`)).toEqual([
    { name: 'X-API-Key', value: 'k' },
    { name: 'Accept-Language', value: 'de' },
  ]);
  for (const text of ['X-API-Key', 'https://example.com/mcp', 'GET / HTTP/1.1\nHost: x', 'a b: c'])
    expect(parseHeaderLines(text), text).toBeNull();
});

test('variables are secret when their name says so, headers always', () => {
  const isSecret = (kind: typeof variables, name: string) => rowsOf(kind, [{ name, value: 'x' }])[0]?.secret;
  for (const name of ['API_KEY', 'github_token', 'DB_PASSWORD', 'DB_PWD', 'AUTH'])
    expect(isSecret(variables, name), name).toBe(true);
  for (const name of ['PATH', 'PWD', 'KEYBOARD', 'AUTHOR', 'MONKEY'])
    expect(isSecret(variables, name), name).toBe(false);
  expect(isSecret(headers, 'X-Tenant')).toBe(true);
});

test.each(['abc', 'Bearer abc', 'Authorization: bearer abc', ' abc\n'])(
  'a token pasted as %j stands behind one "Bearer"',
  (pasted) => {
    expect(headers.pasteValue(bearerHeader(), pasted)).toBe('Bearer abc');
  },
);

test('what is pasted into another value is left to the browser', () => {
  expect(headers.pasteValue(namedValue('Authorization', 'Bearer abc', true), 'Bearer x')).toBeNull();
  expect(headers.pasteValue(namedValue('X-Key', 'Bearer ', true), 'Bearer x')).toBeNull();
});

test('says what one should know of a header', () => {
  expect(headers.noteFor(namedValue('authorization', 'abc'))).toContain('scheme');
  expect(headers.noteFor(namedValue('Authorization', 'Bearer abc'))).toBeNull();
  expect(headers.noteFor(namedValue('Authorization', null, true))).toBeNull();
  expect(headers.noteFor(namedValue('Mcp-Session-Id', 'x'))).toContain('Replaces');
  expect(headers.noteFor(namedValue('X-Key', 'x'))).toBeNull();
});
