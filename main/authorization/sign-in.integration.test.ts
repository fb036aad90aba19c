import { readFile } from 'node:fs/promises';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Override } from '#fixtures/authorization/answer.ts';
import {
  AuthorizationServer,
  type AuthorizationServerOptions,
} from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import {
  beginFlow,
  browserOfUser,
  flowNow,
  stepThrough,
  transcript,
} from '#fixtures/authorization/flow-runs.ts';
import { startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

const client = { clientId: 'at-the-server', secret: 'a-secret', redirectUris: [] };

/** The identity provider of the test that runs. */
let idp: AuthorizationServer | null = null;

/** An ID token with other claims, signed by the identity provider. */
const replacedIdToken =
  (claims: (now: number) => JWTPayload): Override =>
  async (answer) => {
    const body = z.looseObject({ id_token: z.string().optional() }).parse(answer.body);
    if (idp === null || body.id_token === undefined) return answer;
    const changed = { ...decodeJwt(body.id_token), ...claims(Math.floor(Date.now() / 1000)) };
    return { ...answer, body: { ...body, id_token: await idp.tokens.sign(changed, 'JWT') } };
  };

/** A protected server, the identity provider that its authorization server trusts, and an engine with a browser. */
async function open(provided: AuthorizationServerOptions = {}) {
  const provider = opened(
    await AuthorizationServer.open({
      clients: [{ clientId: 'at-the-provider', redirectUris: [], authMethod: 'none' }],
      metadataForms: ['openid-inserted'],
      ...provided,
    }),
  );
  idp = provider;
  const server = opened(
    await ProtectedServer.open({
      challengeScope: 'files:read',
      toolScopes: { write: 'files:write' },
      authorization: {
        clients: [{ ...client, authMethod: 'client_secret_basic' }],
        trusted: [{ issuer: provider.issuer, tokens: provider.tokens }],
        assertionType: 'oauth-id-jag+jwt',
      },
    }),
  );
  const engine: EngineFixture = opened(
    await EngineFixture.open({ openInBrowser: browserOfUser(() => engine, { button: 'allow' }) }),
  );
  const settings: Partial<AuthorizationSettings> = {
    grant: 'enterprise',
    clientId: client.clientId,
    clientSecret: { isSet: true, value: client.secret },
    identityProvider: { issuer: provider.issuer, clientId: 'at-the-provider' },
  };
  const connect = () =>
    engine.connectUrl(server.url, {
      http: { ...plainHttpSettings(server.url), authorization: { ...defaultAuthorization, ...settings } },
    });
  const flowsOf = (sessionId: string) => engine.call('authorization/flows', { sessionId });
  return { provider, server, engine, settings, connect, flowsOf };
}

/** The keys of the identity provider, each replaced by another one with its ID. */
async function otherKeys(body: unknown): Promise<object> {
  const { keys } = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) }).parse(body);
  const { publicKey } = await generateKeyPair('ES256');
  const other = await exportJWK(publicKey);
  return { keys: keys.map((key) => ({ ...key, ...other })) };
}

const stepsOf = ({ steps }: { steps: readonly { name: string; label: string }[] }) =>
  steps.map(({ name, label }) => (label === '' ? name : `${name}: ${label}`));

const signIn = ['sign-in', 'sign-in: callback', 'sign-in: ID token', 'sign-in: keys'];

describe('enterprise-managed authorization without an identity token', () => {
  test('signs the user in at the identity provider, and exchanges the ID token', async () => {
    const { provider, server, engine, connect, flowsOf } = await open({ consent: 'page' });
    const session = await connect();
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    const [flow, ...others] = await flowsOf(session.id);
    expect(others).toEqual([]);
    expect(flow?.state).toBe('done');
    expect(stepsOf(flow ?? { steps: [] })).toEqual([
      'challenge',
      'resource-metadata: named by the challenge',
      'server-metadata: OAuth 2.0',
      'credentials',
      'registration: pre-registered',
      'server-metadata: identity provider, OpenID, path inserted',
      ...signIn,
      'assertion',
      'token',
      'use-token',
    ]);
    const rules = flow?.steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));
    expect(new Set(rules)).toEqual(new Set(['endpoint-http-on-loopback']));
    const [authorize] = provider.requestsTo('authorize');
    const query = new URL(authorize?.url ?? '', provider.origin).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      client_id: 'at-the-provider',
      scope: 'openid',
      code_challenge_method: 'S256',
    });
    expect(query.has('resource')).toBe(false);
    const [redeemed, exchanged] = provider
      .requestsTo('token')
      .map(({ body }) => new URLSearchParams(body.toString()));
    expect(redeemed?.get('grant_type')).toBe('authorization_code');
    const idToken = exchanged?.get('subject_token') ?? '';
    expect(decodeJwt(idToken)).toMatchObject({ aud: 'at-the-provider', nonce: query.get('nonce') });
    expect(exchanged?.get('audience')).toBe(server.authorization.issuer);
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
  });

  test.each(['automatic', 'stepped'] as const)(
    'does not sign in with an identity token, %s',
    async (mode) => {
      const { provider, server, engine, settings } = await open();
      const now = Math.floor(Date.now() / 1000);
      const claims = { sub: 'u', aud: 'at-the-provider', iat: now, exp: now + 60 };
      const value = await provider.tokens.sign(claims, 'JWT');
      const flow = await beginFlow(engine, server.url, {
        mode,
        settings: { ...settings, identityToken: { isSet: true, value } },
      });
      const done = await stepThrough(engine, flow);
      expect(done.state).toBe('done');
      expect(done.steps.map(({ name }) => name)).not.toContain('sign-in');
      expect(provider.requestsTo('authorize')).toEqual([]);
    },
  );

  test('leaves no secret of the sign-in in the trace', async () => {
    const { provider, engine, connect } = await open();
    const session = await connect();
    const secrets = provider.requests.flatMap(({ body }) => {
      const form = new URLSearchParams(body.toString());
      return ['code', 'code_verifier', 'subject_token'].flatMap((name) => form.get(name) ?? []);
    });
    expect(secrets).toHaveLength(3);
    await engine.call('sessions/close', { sessionId: session.id });
    const text = await readFile(session.traceFile.path, 'utf8');
    for (const secret of [...secrets, ...provider.tokens.all.map(({ value }) => value)])
      expect(text).not.toContain(secret);
  });

  test('asks for a new assertion when a tool demands more scope, with the same sign-in', async () => {
    const { provider, engine, connect, flowsOf } = await open();
    const session = await connect();
    expect((await engine.callTool(session.id, 'write')).state).toBe('ok');
    const [, stepUp] = await flowsOf(session.id);
    expect(stepsOf(stepUp ?? { steps: [] })).toEqual(['step-up', 'assertion', 'token', 'use-token']);
    expect(provider.requestsTo('authorize')).toHaveLength(1);
    const scopes = provider
      .requestsTo('token')
      .flatMap(({ body }) => new URLSearchParams(body.toString()).get('scope')?.split(' ').sort() ?? []);
    expect(scopes).toEqual(['files:read', 'files:read', 'files:write']);
  });

  test('has the same transcript stepped and automatic, and every exchange in it', async () => {
    const { server, engine, settings } = await open({ consent: 'page' });
    const automatic = await beginFlow(engine, server.url, { mode: 'automatic', settings });
    const stepped = await stepThrough(
      engine,
      await beginFlow(engine, server.url, { mode: 'stepped', settings }),
    );
    expect(automatic.state).toBe('done');
    expect(transcript(stepped)).toEqual(transcript(automatic));
    const sent = automatic.steps.filter(({ request }) => request?.sentBy === 'client');
    expect(sent.every(({ row, response }) => row !== null && response !== null)).toBe(true);
  });

  test('can be forked at the sign-in, and signs in again', async () => {
    const { provider, server, engine, settings } = await open();
    const done = await stepThrough(
      engine,
      await beginFlow(engine, server.url, { mode: 'stepped', settings }),
    );
    const step = done.steps.find(({ name }) => name === 'sign-in');
    await engine.call('authorization/fork', { flowId: done.id, stepId: step?.id ?? 0 });
    const forked = await engine.until(async () => {
      const now = await flowNow(engine, done);
      return now?.state === 'stopped' ? now : null;
    });
    const ended = await stepThrough(engine, forked);
    expect(ended.state).toBe('done');
    expect(stepsOf({ steps: ended.steps.filter(({ branch }) => branch === 1) })).toEqual([
      ...signIn,
      'assertion',
      'token',
      'use-token',
    ]);
    expect(new Set(provider.requestsTo('authorize').map(({ url }) => url)).size).toBe(2);
  });
});

describe('a sign-in that must not be used', () => {
  test.each<[string, AuthorizationServerOptions, string]>([
    [
      'an ID token of another issuer',
      { overrides: { token: replacedIdToken(() => ({ iss: 'https://other.example' })) } },
      'id-token-issuer-differs',
    ],
    [
      'an ID token for another client',
      { overrides: { token: replacedIdToken(() => ({ aud: 'another-client' })) } },
      'id-token-audience-differs',
    ],
    [
      'an ID token of another request',
      { overrides: { token: replacedIdToken(() => ({ nonce: 'of-another-request' })) } },
      'id-token-nonce-differs',
    ],
    [
      'an expired ID token',
      { overrides: { token: replacedIdToken((now) => ({ exp: now - 3600 })) } },
      'id-token-expired',
    ],
    [
      'a response without an ID token',
      {
        overrides: {
          token: (answer) => ({
            ...answer,
            body: { access_token: 'a', token_type: 'Bearer', expires_in: 1 },
          }),
        },
      },
      'id-token-missing',
    ],
    [
      'keys that did not sign it',
      { overrides: { jwks: async (answer) => ({ ...answer, body: await otherKeys(answer.body) }) } },
      'id-token-signature-wrong',
    ],
    [
      'a callback with another state',
      {
        callback: (parameters) => {
          parameters.set('state', 'of-another-request');
          return parameters;
        },
      },
      'state-differs',
    ],
    [
      'a callback with another issuer',
      {
        callback: (parameters) => {
          parameters.set('iss', 'https://other.example');
          return parameters;
        },
      },
      'iss-differs',
    ],
  ])('%s stops the flow before the assertion', async (_, provided, rule) => {
    const { provider, connect, flowsOf } = await open(provided);
    const session = await connect();
    const [flow] = await flowsOf(session.id);
    expect(flow).toMatchObject({ state: 'failed', fault: { code: rule } });
    expect(flow?.steps.at(-1)?.findings.map((one) => one.rule)).toContain(rule);
    const exchanges = provider.requestsTo('token').map(({ body }) => String(body));
    expect(exchanges.filter((body) => body.includes('token-exchange'))).toEqual([]);
  });
});

test('the pages of oidc-provider sign the user in; that it exchanges no tokens is said', async () => {
  const { server, settings } = await open();
  const redirect = { host: '127.0.0.1', port: null, path: '/callback' } as const;
  const oidc = opened(
    await startOidcServer({
      demandsResource: false,
      clients: [
        {
          client_id: 'at-oidc',
          redirect_uris: ['http://127.0.0.1/callback'],
          application_type: 'native',
          token_endpoint_auth_method: 'none',
        },
      ],
    }),
  );
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', oidc.url));
  const { authorization_servers: issuers } = z
    .object({ authorization_servers: z.array(z.string()) })
    .parse(await metadata.json());
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => void (await browse(url, { fields: { login: 'user', password: 'any' } })),
    }),
  );
  const flow = await beginFlow(engine, server.url, {
    mode: 'automatic',
    settings: { ...settings, redirect, identityProvider: { issuer: issuers[0] ?? '', clientId: 'at-oidc' } },
  });
  const last = flow.steps.findLast(({ state }) => state === 'done');
  expect([last?.name, last?.label, last?.findings]).toEqual(['sign-in', 'keys', []]);
  expect(flow.steps.at(-1)).toMatchObject({ name: 'assertion', state: 'failed' });
  expect(flow.fault?.code).toBe('token-error');
});
