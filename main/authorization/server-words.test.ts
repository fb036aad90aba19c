import { expect, test } from 'vitest';
import { challengeWords, oauthError, wordsOfBody } from './server-words.ts';

const json = (value: unknown) => JSON.stringify(value);

test.each<[string, string, string, string | null, string | null]>([
  [
    'an OAuth error',
    'application/json',
    json({ error: 'invalid_grant', error_description: 'Used' }),
    'invalid_grant',
    'invalid_grant: Used',
  ],
  [
    'a link',
    'application/json',
    json({ error: 'e', error_uri: 'https://a.example/e' }),
    'e',
    'e: https://a.example/e',
  ],
  [
    'a form, as GitHub sends it',
    'application/x-www-form-urlencoded',
    'error=bad_verification_code&error_description=The+code+is+wrong&error_uri=https%3A%2F%2Fdocs.example',
    'bad_verification_code',
    'bad_verification_code: The code is wrong: https://docs.example',
  ],
  [
    'a form as text',
    'text/plain; charset=utf-8',
    'error=invalid_client&error_description=gone',
    'invalid_client',
    'invalid_client: gone',
  ],
  [
    'problem details',
    'application/problem+json',
    json({ type: 'about:blank', title: 'Forbidden', status: 403, detail: 'No such tenant' }),
    'Forbidden',
    'Forbidden: No such tenant',
  ],
  [
    'Spring',
    'application/json',
    json({
      timestamp: 1,
      status: 401,
      error: 'Unauthorized',
      message: 'Full authentication is required',
      path: '/x',
    }),
    'Unauthorized',
    'Unauthorized: Full authentication is required',
  ],
  [
    'a nested error',
    'application/json',
    json({ error: { code: 401, message: 'Key is wrong', status: 'UNAUTHENTICATED' } }),
    'UNAUTHENTICATED',
    'Key is wrong',
  ],
  [
    'a list of errors',
    'application/json',
    json({ errors: [{ message: 'Too many clients' }] }),
    null,
    'Too many clients',
  ],
  [
    'Okta',
    'application/json',
    json({ errorCode: 'E0000022', errorSummary: 'Not enabled' }),
    'E0000022',
    'E0000022: Not enabled',
  ],
  [
    'a message alone',
    'application/json',
    json({ message: 'Missing Authentication Token' }),
    null,
    'Missing Authentication Token',
  ],
  ['JSON without words', 'application/json', json({ ok: false }), null, '{"ok":false}'],
  ['a JSON string', 'application/json', json('nope'), null, 'nope'],
  ['text', 'text/plain', 'Forbidden', null, 'Forbidden'],
  [
    'a page',
    'text/html',
    '<!doctype html><html><head><title>Bad request</title><style>p{}</style></head><body><script>x()</script><h1>Unknown client_id</h1><!-- a --> <p>Ask &lt;admin&gt;</p></body></html>',
    null,
    'Bad request: Unknown client_id Ask <admin>',
  ],
  ['a page without a title', 'text/html; charset=utf-8', '<h1>Nope', null, 'Nope'],
  ['a page without its type', '', '<!DOCTYPE html><title>Sign in</title>', null, 'Sign in'],
  ['a broken page', 'text/html', '<title', null, null],
  ['nothing', 'application/json', '', null, null],
  ['too deep JSON', 'application/json', '['.repeat(500), null, '['.repeat(500)],
])('reads what a server says: %s', (_, type, body, error, quote) => {
  expect(wordsOfBody(body, type)).toEqual({ error, quote });
});

test('a long text is cut, and line breaks are spaces', () => {
  expect(wordsOfBody(`a\n\tb ${'x'.repeat(2000)}`, 'text/plain').quote).toHaveLength(500);
  expect(wordsOfBody('a\r\n\tb', 'text/plain').quote).toBe('a b');
});

test.each([
  ['Bearer error="invalid_token", error_description="expired"', 'invalid_token: expired'],
  ['Bearer realm="x"', null],
  [
    'Basic realm="x", Bearer error="invalid_token", error_uri="https://a.example"',
    'invalid_token: https://a.example',
  ],
  ['Bearer error_description="scope mcp:admin is required"', 'scope mcp:admin is required'],
])('reads what the challenge %s says', (value, quote) => {
  expect(challengeWords([['www-authenticate', value]]).quote).toBe(quote);
});

test('a response without a body says what its challenge says, else its status', () => {
  const shown = { headers: [], text: '', hide: (text: string) => text };
  expect(oauthError({ status: 401, shown }).quote).toBe('HTTP status 401');
  const headers = [['WWW-Authenticate', 'Basic error="invalid_client"']] as const;
  expect(oauthError({ status: 401, shown: { ...shown, headers } })).toEqual({
    error: 'invalid_client',
    quote: 'invalid_client',
  });
});
