import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { hostDocument } from '#fixtures/authorization/hosted-document.ts';
import { type OidcServerOptions, startOidcServer } from '#fixtures/authorization/oidc-server.ts';
import { type SdkOauthServer, startSdkOauthServer } from '#fixtures/authorization/sdk-oauth-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { StartedServer } from '#fixtures/http/start-server.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();
const login = { fields: { login: 'user', password: 'any' } };

const callWithoutToken = (url: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });

async function connect(
  url: string,
  settings: Partial<AuthorizationSettings> = {},
  caFile: string | null = null,
) {
  const visited: string[] = [];
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (start) => {
        for (const { url: page } of await browse(start, login)) visited.push(new URL(page).pathname);
      },
    }),
  );
  const session = await engine.connectUrl(url, {
    http: {
      authorization: { ...defaultAuthorization, ...settings },
      tls: { ...plainHttpSettings(url).tls, caFile },
    },
  });
  const flows = () => engine.call('authorization/flows', { sessionId: session.id });
  return { engine, session, visited, flows };
}

const stepsOf = (flow: AuthorizationFlow | undefined): string[] =>
  flow?.steps.filter(({ request }) => request !== null).map(({ name }) => name) ?? [];

const rulesOf = (flow: AuthorizationFlow | undefined): string[] =>
  flow?.steps.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity !== 'info').map(({ rule }) => rule),
  ) ?? [];

describe('oidc-provider', () => {
  const open = async (options: OidcServerOptions = {}): Promise<StartedServer> =>
    opened(await startOidcServer(options));

  test('a call without a token gets 401', async () => {
    const { url } = await open();
    const response = await callWithoutToken(url);
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer .*resource_metadata=/);
  });

  test.each(['opaque', 'jwt'] as const)('login and consent end with a usable %s token', async (tokens) => {
    const { url } = await open({ tokens });
    const { engine, session, visited, flows } = await connect(url);
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    expect(visited.filter((path) => path.startsWith('/interaction/')).length).toBeGreaterThanOrEqual(4);
    expect(visited.at(-1)).toBe('/callback');
    const [flow] = await flows();
    expect(flow?.state).toBe('done');
    expect(stepsOf(flow).slice(0, 5)).toEqual([
      'resource-metadata',
      'server-metadata',
      'registration',
      'authorization-request',
      'token',
    ]);
    expect(rulesOf(flow)).toEqual(['endpoint-http-on-loopback']);
    expect(await engine.callTool(session.id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
  });

  test('a JWT is verified with the keys of the issuer', async () => {
    const { url } = await open({ tokens: 'jwt' });
    const { engine, session, flows } = await connect(url);
    const credentials = async () => {
      const [only] = await engine.call('authorization/credentials', { serverId: session.serverId });
      if (only === undefined) throw new Error('nothing is stored');
      return only;
    };
    const { id: credentialsId, issuer } = await credentials();
    const { id } = await engine.call('authorization/verify', { credentialsId, sessionId: session.id });
    await engine.until(
      async () => (await flows()).find((one) => one.id === id && one.state === 'done') ?? null,
    );
    const { state, detail } = (await credentials()).generations.at(-1)?.signature ?? {};
    expect(state).toBe('verified');
    expect(detail).toMatch(/^Signed with the key \S+ of http:\/\/\S+ \([A-Z]+[0-9]*\)\.$/i);
    expect(detail).toContain(issuer);
  });

  test('a client is known by its metadata document over HTTPS, which the provider reads', async () => {
    const document = opened(await hostDocument());
    const { url } = opened(await startOidcServer({}, document));
    const { engine, session, flows } = await connect(
      url,
      { metadataDocument: document.url },
      document.caFile,
    );
    expect(await engine.callTool(session.id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    const [flow] = await flows();
    expect(flow?.steps.filter(({ name }) => /^(?:client-metadata|registration)$/.test(name))).toMatchObject([
      { name: 'client-metadata', outcome: 'Its client_id is its URL.' },
      { name: 'registration', outcome: 'The URL of the metadata document is the client ID.' },
    ]);
    expect(document.readBy).toEqual([expect.stringMatching(/^sightglass\//), '']);
    expect(rulesOf(flow)).toEqual(['endpoint-http-on-loopback']);
  });

  test('a tool that needs more scope is called after a step-up', async () => {
    const { url } = await open();
    const { engine, session, flows } = await connect(url);
    expect(await engine.callTool(session.id, 'write', { message: 'hi' })).toMatchObject({ state: 'ok' });
    const [first, second] = await flows();
    expect(first?.state).toBe('done');
    expect(second?.steps[0]?.name).toBe('step-up');
    const query = second?.steps.find(({ name }) => name === 'authorization-request')?.request?.query ?? [];
    const scope = query.find(({ name }) => name === 'scope')?.value?.split(' ') ?? [];
    expect(scope).toEqual(expect.arrayContaining(['files:read', 'files:write']));
  });

  test('an expired token is refreshed, and the refresh token rotates', async () => {
    const { url } = await open({ tokenLifetime: 1 });
    const { engine, session, flows } = await connect(url);
    await engine.until(async () => {
      await engine.callTool(session.id, 'echo', { message: 'hi' });
      return (await flows()).some((flow) => stepsOf(flow).includes('refresh')) ? true : null;
    });
    const refreshed = (await flows()).find((flow) => stepsOf(flow).includes('refresh'));
    expect(refreshed?.state).toBe('done');
    expect(rulesOf(refreshed)).toEqual([]);
    const [credentials] = await engine.call('authorization/credentials', { serverId: null });
    const fingerprints = credentials?.generations.map(({ refreshFingerprint }) => refreshFingerprint);
    expect(fingerprints?.length).toBeGreaterThanOrEqual(2);
    expect(new Set(fingerprints).size).toBe(fingerprints?.length);
  });

  test.each([false, true])('a token is bound to our key; nonce demanded: %s', async (demandsNonce) => {
    const { url } = await open({ demandsNonce });
    const { engine, session, flows } = await connect(url, { dpop: true });
    expect(await engine.callTool(session.id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    const [flow] = await flows();
    expect(stepsOf(flow).filter((name) => name === 'token')).toHaveLength(demandsNonce ? 2 : 1);
    const [credentials] = await engine.call('authorization/credentials', { serverId: null });
    expect(credentials?.generations.at(-1)?.tokenType).toBe('DPoP');
  });
});

describe('the example of the SDK', () => {
  let server: SdkOauthServer;
  beforeAll(async () => {
    server = await startSdkOauthServer();
  });
  afterAll(() => server.close());

  test('a call without a token gets 401', async () => {
    const response = await callWithoutToken(server.url);
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toContain('resource_metadata=');
  });

  test('a flow ends with a usable token', async () => {
    const { engine, session, flows } = await connect(server.url);
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    const [flow] = await flows();
    expect(flow?.state).toBe('done');
    expect(await engine.callTool(session.id, 'greet', { name: 'you' })).toMatchObject({ state: 'ok' });
  });
});
