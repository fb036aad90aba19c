import { expect, test } from 'vitest';
import { readPastedCallback } from './pasted-callback.ts';

const redirect = 'http://127.0.0.1:4711/callback';
const asked = `https://login.example/authorize?response_type=code&state=s-1&redirect_uri=${encodeURIComponent(redirect)}`;

test.each([
  ['the whole address', `${redirect}?code=c&state=s-1`, `${redirect}?code=c&state=s-1`],
  [
    'an address between spaces and quotation marks',
    `  "${redirect}?code=c&state=s-1" `,
    `${redirect}?code=c&state=s-1`,
  ],
  ['an address in angle brackets', `<${redirect}?code=c&state=s-1>`, `${redirect}?code=c&state=s-1`],
  [
    'an address without its scheme',
    '127.0.0.1:4711/callback?code=c&state=s-1',
    `${redirect}?code=c&state=s-1`,
  ],
  ['a query', '?code=c&state=s-1', `${redirect}?code=c&state=s-1`],
  [
    'a query without ?',
    'code=c&state=s-1&iss=https%3A%2F%2Fa',
    `${redirect}?code=c&state=s-1&iss=https%3A%2F%2Fa`,
  ],
  ['the state first', 'state=s-1&code=a?b', `${redirect}?state=s-1&code=a?b`],
  ['an error', 'error=access_denied&state=s-1', `${redirect}?error=access_denied&state=s-1`],
  ['what stands behind a #', '#code=c&state=s-1', `${redirect}#code=c&state=s-1`],
  [
    'an address elsewhere, which the flow checks',
    'https://tunnel.example/x?code=c&state=s-1',
    'https://tunnel.example/x?code=c&state=s-1',
  ],
])('%s is taken', (_, text, url) => {
  expect(readPastedCallback(text, asked)).toEqual({ url });
});

test.each([
  ['a code alone', 'planted-code', 'A code alone'],
  ['words', 'it says access denied', 'neither an address nor the query'],
  ['an address that cannot be read', 'https://[planted-code', 'neither an address nor the query'],
  ['an address without an answer', `${redirect}?state=s-1&x=planted-code`, 'neither a code nor an error'],
  ['the address of the request', `${asked}&login_hint=planted-code`, 'the authorization request'],
  ['no state', 'code=planted-code', 'no state'],
  ['another state', 'code=planted-code&state=s-2', 'another request'],
  ['an empty state', 'code=planted-code&state=', 'another request'],
])('%s is not, and nothing of it is repeated', (_, text, why) => {
  const read = readPastedCallback(text, asked);
  expect(read).toEqual({ why: expect.stringContaining(why) });
  expect(JSON.stringify(read)).not.toContain('planted-code');
});

test('without redirect_uri in the request, a query is taken for the usual address', () => {
  const without = 'https://login.example/authorize?response_type=code&state=s-1';
  expect(readPastedCallback('code=c&state=s-1', without)).toEqual({
    url: 'http://127.0.0.1/callback?code=c&state=s-1',
  });
});
