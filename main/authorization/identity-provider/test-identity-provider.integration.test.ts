import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import {
  beginFlow,
  flowNow,
  settledFlow,
  stepThrough,
  takeStep,
  transcript,
} from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { TestIdentityProvider } from './test-identity-provider.ts';

const opened = closeAfterEachTest();

type Grant = 'enterprise' | 'workload-identity';
const grants = ['enterprise', 'workload-identity'] as const;
const typs = { enterprise: 'oauth-id-jag+jwt', 'workload-identity': 'JWT' } as const;

/** A protected server whose authorization server trusts every issuer on this machine, and an engine with a browser. */
async function open(grant: Grant, user = 'Ada Lovelace <&">') {
  const server = opened(
    await ProtectedServer.open({
      authorization: {
        clients: [{ clientId: 'me', secret: 's', redirectUris: [], authMethod: 'client_secret_basic' }],
        trusted: 'this-machine',
        assertionType: typs[grant],
      },
    }),
  );
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const settings: Partial<AuthorizationSettings> = {
    grant,
    clientId: 'me',
    clientSecret: { isSet: true, value: 's' },
    testIdentityProvider: { user, port: null },
  };
  return { server, engine, settings };
}

const isClosed = (issuer: string): Promise<boolean> =>
  fetch(issuer).then(
    () => false,
    () => true,
  );

/** The assertion that the authorization server got last. */
const assertionAt = (server: ProtectedServer): string => {
  const [body = ''] = server.authorization
    .requestsTo('token')
    .map((one) => one.body.toString())
    .slice(-1);
  return new URLSearchParams(body).get('assertion') ?? '';
};

describe.each(grants)('a flow of the grant %s with the test identity provider', (grant) => {
  test('gets a token, and leaves nothing running', async () => {
    const { server, engine, settings } = await open(grant);
    const session = await engine.connectUrl(server.url, {
      http: { ...plainHttpSettings(server.url), authorization: { ...defaultAuthorization, ...settings } },
    });
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
    const { testProvider } = flow ?? {};
    expect(testProvider).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const rules = flow?.steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));
    expect(new Set(rules)).toEqual(new Set(['endpoint-http-on-loopback']));
    const assertion = assertionAt(server);
    expect(decodeProtectedHeader(assertion).typ).toBe(typs[grant]);
    expect(decodeJwt(assertion)).toMatchObject({
      iss: testProvider,
      sub: 'Ada Lovelace <&">',
      aud: server.authorization.issuer,
      ...(grant === 'enterprise' && { client_id: 'me', resource: server.resource }),
    });
    await engine.until(async () => ((await isClosed(testProvider ?? '')) ? true : null));
    await engine.call('sessions/close', { sessionId: session.id });
    expect(await readFile(session.traceFile.path, 'utf8')).not.toContain(assertion);
  });

  test('has the same transcript stepped and automatic', async () => {
    const { server, engine, settings } = await open(grant);
    const automatic = await beginFlow(engine, server.url, { mode: 'automatic', settings });
    const stepped = await stepThrough(
      engine,
      await beginFlow(engine, server.url, { mode: 'stepped', settings }),
    );
    expect(automatic.state).toBe('done');
    expect(transcript(stepped)).toEqual(transcript(automatic));
  });

  test('closes it when a broken assertion is rejected, and opens it again for the next fork', async () => {
    const name = 'issued-key';
    const { server, engine, settings } = await open(grant);
    const atAssertion = await stepThrough(
      engine,
      await beginFlow(engine, server.url, { mode: 'stepped', settings }),
      (step) => step.name === 'assertion',
    );
    const { testProvider, currentStep } = atAssertion;
    expect(await isClosed(testProvider ?? '')).toBe(false);
    const rejected = await stepThrough(engine, await takeStep(engine, atAssertion, name));
    const step = rejected.steps.find(({ id }) => id === currentStep);
    expect([rejected.state, step?.wrongValue, step?.isWrongAccepted]).toEqual(['failed', name, false]);
    await engine.until(async () => ((await isClosed(testProvider ?? '')) ? true : null));

    await engine.call('authorization/fork', { flowId: rejected.id, stepId: currentStep ?? 0 });
    const forked = await engine.until(async () => {
      const now = await flowNow(engine, rejected);
      return now?.state === 'stopped' ? now : null;
    });
    expect((await stepThrough(engine, forked)).state).toBe('done');
  });
});

test('a flow that is cancelled closes it', async () => {
  const { server, engine, settings } = await open('workload-identity');
  const flow = await stepThrough(
    engine,
    await beginFlow(engine, server.url, { mode: 'stepped', settings }),
    (step) => step.name === 'assertion',
  );
  expect(await isClosed(flow.testProvider ?? '')).toBe(false);
  await engine.call('authorization/cancel', { flowId: flow.id });
  await engine.until(async () => ((await isClosed(flow.testProvider ?? '')) ? true : null));
});

test('a busy port is named', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { server, engine, settings } = await open('workload-identity');
  const flow = await beginFlow(engine, server.url, {
    mode: 'automatic',
    settings: { ...settings, testIdentityProvider: { user: 'u', port } },
  });
  const { fault } = await settledFlow(engine, flow);
  expect(fault?.code).toBe('test-provider-port');
  expect(fault?.what).toContain(String(port));
  await new Promise((resolve) => taken.close(resolve));
});

describe('the test identity provider itself', () => {
  const start = async () => {
    const provider = opened(new TestIdentityProvider({ user: '<b>"Ada"</b>', port: null }));
    return { provider, issuer: await provider.open() };
  };
  const authorize = (issuer: string, change: Record<string, string> = {}) =>
    fetch(
      `${issuer}/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: '<i>me</i>',
        redirect_uri: 'http://127.0.0.1:1/callback',
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
        ...change,
      }).toString()}`,
    );
  const post = (url: string, form: Record<string, string>) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

  test('says on its page that it is one for tests, and shows names as text', async () => {
    const { issuer } = await start();
    const response = await authorize(issuer);
    const page = await response.text();
    expect(page).toContain('<h1>Test identity provider of Sightglass</h1>');
    expect(page).toContain('This is not a real identity provider.');
    expect(page).toContain('value="&lt;b&gt;&quot;Ada&quot;&lt;/b&gt;"');
    expect(page).not.toMatch(/<script|<b>|<i>/);
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  });

  test.each([
    ['a redirect URI elsewhere', { redirect_uri: 'https://example.com/callback' }],
    ['a redirect URI that is none', { redirect_uri: 'x' }],
    ['no PKCE', { code_challenge: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['another response type', { response_type: 'token' }],
  ])('refuses %s without a redirect', async (_, change) => {
    const { issuer } = await start();
    const response = await authorize(issuer, change);
    expect([response.status, response.headers.get('Location')]).toEqual([400, null]);
  });

  test('redeems a code once, for the client and verifier that it is for', async () => {
    const { issuer } = await start();
    const page = await (await authorize(issuer)).text();
    const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '';
    const signedIn = await post(`${issuer}/sign-in`, { request, user: 'x' });
    const code = new URL(signedIn.headers.get('Location') ?? '').searchParams.get('code') ?? '';
    expect((await post(`${issuer}/sign-in`, { request, user: 'x' })).status).toBe(400);
    const redeem = { grant_type: 'authorization_code', code, client_id: '<i>me</i>', code_verifier: 'v' };
    const redirect_uri = 'http://127.0.0.1:1/callback';
    expect(await (await post(`${issuer}/token`, { ...redeem, redirect_uri })).json()).toMatchObject({
      error: 'invalid_grant',
      error_description: 'code_verifier does not match code_challenge.',
    });
    expect(await (await post(`${issuer}/token`, { ...redeem, redirect_uri })).json()).toMatchObject({
      error_description: 'The code is unknown or was used.',
    });
  });

  test('exchanges no token of another issuer', async () => {
    const [{ issuer }, other] = [await start(), await start()];
    const audience = 'https://as.example';
    const workload = await post(`${other.issuer}/token`, { grant_type: 'client_credentials', audience });
    const { access_token: foreign } = (await workload.json()) as { access_token: string };
    const response = await post(`${issuer}/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token: foreign,
      audience,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
  });

  test('has other keys in each run, and the same issuer and keys when it is opened again', async () => {
    const { provider, issuer } = await start();
    const keysOf = async (url: string) => (await fetch(`${url}/jwks`)).text();
    const keys = await keysOf(issuer);
    expect(keys).not.toContain('"d"');
    await provider.close();
    expect(await isClosed(issuer)).toBe(true);
    expect(await provider.open()).toBe(issuer);
    expect(await keysOf(issuer)).toBe(keys);
    expect(await keysOf((await start()).issuer)).not.toBe(keys);
  });
});
