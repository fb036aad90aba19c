import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Override } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(() => engine.close());

async function connect(options: ProtectedServerOptions) {
  const server = opened(await ProtectedServer.open({ challengeScope: 'files:read', ...options }));
  const { id } = await engine.connectUrl(server.url);
  const scopes = () =>
    server.authorization
      .requestsTo('authorize')
      .map(({ url }) => new URL(url, server.origin).searchParams.get('scope')?.split(' ').sort());
  return { server, id, scopes, write: () => engine.callTool(id, 'write') };
}

const demand = (status: number, challenge: string): Override => ({
  status,
  headers: [['WWW-Authenticate', challenge]],
});

const asks = 'error="insufficient_scope", error_description="You may not write"';

test.each([
  ['a 403 with insufficient_scope', demand(403, `Bearer ${asks}, scope="files:write"`)],
  ['a 403 with the scope only', demand(403, 'Bearer scope="files:write"')],
  ['a 401 with insufficient_scope', demand(401, `Bearer ${asks}, scope="files:write"`)],
  ['a 401 with the scope only', demand(401, 'Bearer scope="files:write"')],
])('%s asks for the scopes of before and those of the challenge', async (_, answer) => {
  const { write, scopes } = await connect({
    toolScopes: { write: 'files:write' },
    overrides: { 'insufficient-scope': answer },
  });
  expect((await write()).state).toBe('ok');
  expect(scopes().at(-1)).toEqual(['files:read', 'files:write', 'offline_access']);
});

describe('the same scopes are not asked for a second time', () => {
  test.each<[string, ProtectedServerOptions, RegExp, number]>([
    [
      'when they were not granted',
      { authorization: { grantedScope: () => 'files:read' } },
      /asked for and not granted: files:write is missing/,
      2,
    ],
    [
      'when they were granted, and the server does not look at them',
      { overrides: {}, toolScopes: { write: 'never' } },
      /which the token has/,
      2,
    ],
    [
      'when the first authorization was granted them',
      { challengeScope: 'files:read files:write', toolScopes: { write: 'never' } },
      /which the token has/,
      1,
    ],
  ])('%s', async (_, options, what, authorizations) => {
    const { write, scopes } = await connect({
      toolScopes: { write: 'files:write' },
      ...options,
      overrides: { 'insufficient-scope': demand(403, `Bearer ${asks}, scope="files:write"`) },
    });
    for (let calls = 0; calls < 2; calls++) {
      const { fault } = await write();
      expect(fault).toMatchObject({
        code: 'scope-refused',
        what: expect.stringMatching(what),
        quote: 'insufficient_scope: You may not write',
      });
    }
    expect(scopes()).toHaveLength(authorizations);
  });

  test('when the authorization server refused them', async () => {
    const { server, write, scopes } = await connect({ toolScopes: { write: 'files:write' } });
    server.authorization.options = { ...server.authorization.options, consent: 'denied' };
    expect((await write()).fault).toMatchObject({ code: 'authorization-error' });
    expect((await write()).fault).toMatchObject({
      code: 'scope-refused',
      quote: 'The request failed: access_denied',
    });
    expect(scopes()).toHaveLength(2);
  });
});

test('a 403 that names no scope says that another authorization does not help', async () => {
  const { write, scopes } = await connect({
    toolScopes: { write: 'files:write' },
    overrides: { 'insufficient-scope': { headers: [], body: { message: 'Not on your plan' } } },
  });
  const { fault } = await write();
  expect(fault).toMatchObject({
    code: 'http-status-403',
    quote: expect.stringContaining('Not on your plan'),
  });
  expect(fault?.next).toContain('Grant the user or the client');
  expect(scopes()).toHaveLength(1);
});

test.each(['The token is not yet valid (nbf)', 'client is not allowed'])(
  'a fresh token that is rejected is explained by the server: %s',
  async (description) => {
    const challenge = `Bearer error="invalid_token", error_description="${description}"`;
    const server = opened(
      await ProtectedServer.open({
        accepts: () => false,
        overrides: {
          challenge: (answer, request) =>
            request.header('Authorization') === undefined
              ? answer
              : { ...answer, headers: [['WWW-Authenticate', challenge]] },
        },
      }),
    );
    const { fault } = await engine.connectUrl(server.url);
    expect(fault).toMatchObject({ code: 'fresh-token-rejected', quote: `invalid_token: ${description}` });
    expect(fault?.why).toBeUndefined();
  },
);

test('the words of a server are shown without the token in them', async () => {
  const server = opened(
    await ProtectedServer.open({
      accepts: () => false,
      overrides: {
        challenge: (answer, request) => {
          const token = request.header('Authorization')?.replace('Bearer ', '');
          const challenge = `Bearer error="invalid_token", error_description="${token} is bad"`;
          return token === undefined ? answer : { ...answer, headers: [['WWW-Authenticate', challenge]] };
        },
      },
    }),
  );
  const { fault } = await engine.connectUrl(server.url);
  expect(fault?.quote).toContain('is bad');
  for (const { value } of server.authorization.tokens.all) expect(JSON.stringify(fault)).not.toContain(value);
});
