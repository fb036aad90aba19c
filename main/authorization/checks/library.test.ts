import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import type { Checked } from './findings.ts';
import { askLibrary, askLibraryAboutCallback, type LibraryQuestion, withLibrary } from './library.ts';
import { checkRegistration } from './registration.ts';
import { checkServerMetadata } from './server-metadata.ts';

const issuer = 'https://login.example';
const token = { kind: 'token', issuer, clientId: 'c' } as const;

test.each<[LibraryQuestion, object, string | RegExp]>([
  [{ kind: 'server-metadata', issuer }, { body: { issuer } }, 'accepted'],
  [{ kind: 'server-metadata', issuer }, { body: { issuer: `${issuer}/` } }, 'accepted'],
  [{ kind: 'server-metadata', issuer }, { body: { issuer: 'https://x.example' } }, /does not match/],
  [{ kind: 'resource-metadata', serverUrl: 'https://m.example' }, { body: {} }, /resource/],
  [{ kind: 'registration' }, { status: 200, body: { client_id: 'c' } }, /./],
  [{ kind: 'registration' }, { status: 201, body: { client_id: 'c' } }, 'accepted'],
  [token, { body: { access_token: 'a', token_type: 'Bearer' } }, 'accepted'],
  [token, { body: { access_token: 'a', token_type: 'Bearer', scope: null } }, /scope/],
  [token, { status: 400, body: { error: 'invalid_grant' } }, 'The response is an error: invalid_grant'],
  [token, { status: 700, body: {} }, /./],
  [{ ...token, kind: 'assertion' }, { body: { access_token: 'a', token_type: 'N_A' } }, 'accepted'],
  [{ ...token, kind: 'refresh' }, { body: { token_type: 'Bearer' } }, /access_token/],
  [{ ...token, kind: 'introspect' }, { body: { active: true } }, 'accepted'],
  [{ kind: 'revoke' }, { body: '' }, 'accepted'],
])('%j of %j', async (question, response, opinion) => {
  const given = received(response);
  const before = structuredClone(given.body.toString());
  const said = await askLibrary(given, question);
  if (typeof opinion === 'string') expect(said).toBe(opinion);
  else {
    expect(said).toMatch(opinion);
    expect(said).not.toBe('accepted');
  }
  expect(given.body.toString()).toBe(before);
});

test('it says what it thinks of a callback', () => {
  const ask = (query: string) =>
    askLibraryAboutCallback(`http://127.0.0.1/callback?${query}`, { issuer, state: 's', promisesIss: true });
  expect(ask(`code=c&state=s&iss=${issuer}`)).toBe('accepted');
  expect(ask('code=c&state=s')).toMatch(/iss/);
  expect(ask(`error=access_denied&state=s&iss=${issuer}`)).toBe('The response is an error: access_denied');
});

test('its opinion is beside ours, also where they differ', async () => {
  const slash = received({ body: { issuer: `${issuer}/` } });
  const context = { revision: '2026-07-28', issuer, usesBrowser: false, needsRegistration: false } as const;
  const compared = await both(
    checkServerMetadata(slash, context),
    { kind: 'server-metadata', issuer },
    slash,
  );
  expect(compared.findings).toContainEqual(
    expect.objectContaining({ rule: 'issuer-slash-differs', library: 'accepted' }),
  );
  expect(compared.stop).toMatchObject({ rule: 'issuer-slash-differs', library: 'accepted' });

  const secret = received({
    status: 201,
    body: { client_id: 'c', client_secret: 's', client_secret_expires_at: '0' },
  });
  const registered = checkRegistration(secret, { sent: {}, now: 0 });
  const { findings } = await both(registered, { kind: 'registration' }, secret);
  expect(findings.map(({ rule }) => rule)).toEqual(['member-of-wrong-type']);
  expect(findings[0]?.library).toMatch(/client_secret_expires_at/);

  const silent = await both(
    { value: null, findings: [], stop: null },
    { kind: 'registration' },
    received({}),
  );
  expect(silent.findings).toMatchObject([{ rule: 'library-rejects', severity: 'info', row: 7 }]);
});

async function both<T>(
  checked: Checked<T>,
  question: LibraryQuestion,
  response: ReturnType<typeof received>,
): Promise<Checked<T>> {
  return withLibrary(checked, { library: await askLibrary(response, question), row: response.row });
}
