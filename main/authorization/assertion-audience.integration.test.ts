import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonAnswer, type Override } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { sendDraft, stepTo } from '#fixtures/authorization/edited-steps.ts';
import { beginFlow, settledFlow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { AuthorizationFlow, AuthorizationSettings } from '#shared/contract/authorization.ts';
import { decodeJwt } from './jwt.ts';

const opened = closeAfterEachTest();

/** Answers so to an assertion that is not for the token endpoint, before anything else is looked at. */
const onlyForEndpoint =
  (answers: object, server: () => ProtectedServer | null): Override =>
  (answer, request) => {
    const form = new URLSearchParams(request.body.toString());
    const { aud } = decodeJwt(form.get('client_assertion') ?? '')?.claims ?? {};
    if (String(aud).endsWith('/token')) return answer;
    for (const code of server()?.authorization.codes ?? []) code.isUsed = false;
    return jsonAnswer(answers, { status: 401 });
  };

const namesAudience = {
  error: 'invalid_client',
  error_description: 'The audience claim for client_assertion must be the endpoint invoked for the request.',
};

interface Options {
  readonly settings?: Partial<AuthorizationSettings>;
  readonly rejection?: object;
  readonly server?: ProtectedServerOptions;
}

async function open({ settings = {}, rejection, server: options = {} }: Options = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key 1' }] };
  let opening: ProtectedServer | null = null;
  const override = rejection && onlyForEndpoint(rejection, () => opening);
  const server = opened(
    await ProtectedServer.open({
      ...options,
      authorization: {
        clients: [{ clientId: 'app', redirectUris: [], authMethod: 'private_key_jwt', jwks }],
        ...(override && { overrides: { token: override, refresh: override } }),
        ...options.authorization,
      },
    }),
  );
  opening = server;
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const all: Partial<AuthorizationSettings> = {
    grant: 'client-credentials',
    clientId: 'app',
    authMethod: 'private_key_jwt',
    privateKey: { isSet: true, value: await exportPKCS8(privateKey) },
    ...settings,
  };
  const run = (mode: AuthorizationFlow['mode']) => beginFlow(engine, server.url, { mode, settings: all });
  const assertions = () =>
    server.authorization
      .requestsTo('token')
      .map(({ body }) => decodeJwt(new URLSearchParams(body.toString()).get('client_assertion') ?? ''));
  const { issuer } = server.authorization;
  return { server, engine, run, assertions, issuer, endpoint: `${issuer}/token` };
}

const tokenSteps = ({ steps }: AuthorizationFlow) =>
  steps.filter(({ name }) => name === 'token').map(({ label, state }) => [label, state]);

describe('the audience of a client assertion', () => {
  test.each([
    ['auto', 'issuer'],
    ['issuer', 'issuer'],
    ['token-endpoint', 'endpoint'],
  ] as const)('with the setting %s is the %s', async (assertionAudience, expected) => {
    const under = await open({ settings: { assertionAudience } });
    expect(await under.run('automatic')).toMatchObject({ state: 'done', fault: null });
    expect(under.assertions().map((jwt) => jwt?.claims['aud'])).toEqual([under[expected]]);
  });

  test.each([
    namesAudience,
    { error: 'invalid_request', error_description: "AADSTS700023: 'aud' is not the realm issuer" },
    { error: 'unauthorized_client', error_description: 'Wrong audiences' },
  ])('is the token endpoint once the server has rejected its issuer with $error', async (rejection) => {
    const under = await open({ rejection });
    const done = await under.run('automatic');
    expect(done).toMatchObject({ state: 'done', fault: null });
    expect(under.assertions().map((jwt) => jwt?.claims['aud'])).toEqual([under.issuer, under.endpoint]);
    expect(tokenSteps(done)).toEqual([
      ['', 'done'],
      ['for the token endpoint as audience', 'done'],
    ]);
  });

  test.each([
    ['another error', { error: 'invalid_grant', error_description: 'audience' }],
    ['no text about it', { error: 'invalid_client', error_description: 'Who are you?' }],
    ['a word that has it in it', { error: 'invalid_client', error_description: 'An auditor must allow it.' }],
  ])('is not tried again after %s', async (_, rejection) => {
    const under = await open({ rejection });
    expect((await under.run('automatic')).state).toBe('failed');
    expect(under.assertions()).toHaveLength(1);
  });

  test('is sent once more only once, and the fault says what to choose', async () => {
    const under = await open({
      server: { authorization: { overrides: { token: () => jsonAnswer(namesAudience, { status: 401 }) } } },
    });
    // Its clients are those of the server.
    const failed = await under.run('automatic');
    expect(under.assertions()).toHaveLength(2);
    expect(failed.fault?.next).toContain(
      'If the authorization server demands its issuer there (RFC 7523bis)',
    );
  });

  test('that was chosen is not tried otherwise, and the fault advises the token endpoint', async () => {
    const under = await open({ settings: { assertionAudience: 'issuer' }, rejection: namesAudience });
    const failed = await under.run('automatic');
    expect(under.assertions()).toHaveLength(1);
    expect(failed.fault).toMatchObject({
      quote: expect.stringContaining('The audience claim'),
      next: expect.stringMatching(/is for http.* demands its token endpoint there, as Okta and Entra do/),
    });
  });

  test('that a stepped flow changed is a test of the server, not to be corrected', async () => {
    const under = await open({ rejection: namesAudience });
    const token = await stepTo(under.engine, await under.run('stepped'), 'token');
    const assertion = { audience: 'https://wrong.example', keyId: null };
    expect((await sendDraft(under.engine, token, { assertion })).state).toBe('failed');
    expect(under.assertions()).toHaveLength(1);
  });

  test('a stepped flow stops before it is sent once more', async () => {
    const under = await open({ rejection: namesAudience });
    const token = await stepTo(under.engine, await under.run('stepped'), 'token');
    const again = await sendDraft(under.engine, token, {});
    expect(again).toMatchObject({ state: 'stopped' });
    expect(await stepThrough(under.engine, again)).toMatchObject({ state: 'done', fault: null });
  });

  test('is remembered for every refresh, after a restart too', async () => {
    const under = await open({ rejection: namesAudience, settings: { grant: 'authorization-code' } });
    const done = await under.run('automatic');
    expect(done).toMatchObject({ state: 'done', fault: null });
    const { engine } = under;
    await engine.call('sessions/close', { sessionId: done.sessionId });
    const { id: sessionId } = await engine.reconnect(done.serverId);
    const [credentials] = await engine.call('authorization/credentials', { serverId: done.serverId });
    const begun = await engine.call('authorization/refresh', {
      credentialsId: credentials?.id ?? '',
      sessionId,
    });
    expect(await settledFlow(engine, begun)).toMatchObject({ state: 'done', fault: null });
    expect(under.assertions().map((jwt) => jwt?.claims['aud'])).toEqual([
      under.issuer,
      under.endpoint,
      under.endpoint,
    ]);
  });
});

test('the key ID of the settings is in each assertion, and in the metadata document', async () => {
  const under = await open({ settings: { keyId: 'key 1' } });
  const done = await under.run('automatic');
  expect(done).toMatchObject({ state: 'done', fault: null });
  expect(under.assertions().map((jwt) => jwt?.header['kid'])).toEqual(['key 1']);
  const servers = await under.engine.call('servers/list', {});
  const transport = servers.find(({ id }) => id === done.serverId)?.transport;
  if (transport?.kind !== 'http' || transport.authorization == null) throw new Error('it has an URL');
  const { text } = await under.engine.call('authorization/write-document', {
    serverId: done.serverId,
    settings: { ...transport.authorization, metadataDocument: 'https://app.example/client.json' },
  });
  const { jwks } = z
    .object({ jwks: z.object({ keys: z.array(z.object({ kid: z.string() })) }) })
    .parse(JSON.parse(text));
  expect(jwks.keys.map(({ kid }) => kid)).toEqual(['key 1']);
});
