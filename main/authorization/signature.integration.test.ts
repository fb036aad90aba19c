import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { withMembers } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationFlow, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

/** A session with a server whose tokens are JWTs, and with an ID token. */
async function connect(options: ProtectedServerOptions = {}, prepare = (_: ProtectedServer) => {}) {
  const server = opened(
    await ProtectedServer.open({ ...options, authorization: { tokens: 'jwt', ...options.authorization } }),
  );
  prepare(server);
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const session = await engine.connectUrl(server.url, {
    http: {
      ...plainHttpSettings(server.url),
      authorization: { ...defaultAuthorization, scopes: 'openid files:read' },
    },
  });
  const { id: sessionId, serverId } = session;
  expect(session.phase).toBe('ready');
  const over = (flow: AuthorizationFlow) =>
    engine.until(async () => {
      const flows = await engine.call('authorization/flows', { sessionId: flow.sessionId });
      const now = flows.find(({ id }) => id === flow.id);
      return now !== undefined && ['done', 'failed'].includes(now.state) ? now : null;
    });
  const token = async () => {
    const [credentials] = await engine.call('authorization/credentials', { serverId });
    const generation = credentials?.generations.at(-1);
    if (credentials === undefined || generation === undefined) throw new Error('there is no token');
    return { credentialsId: credentials.id, ...generation };
  };
  return {
    server,
    engine,
    session,
    token,
    over,
    verify: async () => {
      const { credentialsId } = await token();
      return over(await engine.call('authorization/verify', { credentialsId, sessionId }));
    },
    keyRequests: () => server.log.filter(({ request }) => request.url.startsWith('/jwks')),
  };
}

describe('the signatures of the tokens', () => {
  test('are not verified while a request of the session waits, and nothing says so', async () => {
    const { token, keyRequests } = await connect();
    expect(keyRequests()).toEqual([]);
    const notRequested = { state: 'unverified', detail: 'The keys of the issuer were not requested.' };
    expect(await token()).toMatchObject({ signature: notRequested, idToken: { signature: notRequested } });
  });

  test('are verified when the user wants it, by an exchange of its own that is in the trace', async () => {
    const { token, verify, keyRequests, server, engine, session } = await connect();
    const flow = await verify();
    const { issuer, tokens } = server.authorization;
    const signature = {
      state: 'verified',
      detail: `Signed with the key ${tokens.jwks.keys[0]?.kid} of ${issuer} (ES256).`,
    };
    expect(await token()).toMatchObject({ signature, idToken: { signature } });
    expect(flow).toMatchObject({ state: 'done', fault: null });
    expect(flow.steps).toMatchObject([
      {
        name: 'verify-signature',
        request: { method: 'GET', url: `${issuer}/jwks` },
        response: { status: 200 },
        outcome: `Access token: signature verified. ${signature.detail} ID token: signature verified. ${signature.detail}`,
        findings: [],
      },
    ]);
    expect(keyRequests().map(({ party }) => party)).toEqual(['authorization-server']);
    expect(keyRequests()[0]?.request.header('authorization')).toBeUndefined();
    expect(flow.steps[0]?.row).not.toBeNull();
    expect(server.leaks).toEqual([]);
    const { path } = session.traceFile;
    await engine.call('sessions/close', { sessionId: session.id });
    const recorded = await engine.call('traces/open', { path });
    await engine.until(async () => {
      const files = await engine.call('traces/opened', {});
      return files.find((one) => one.sessionId === recorded.sessionId)?.isRead ? true : null;
    });
    const shown = await engine.call('authorization/flows', { sessionId: recorded.sessionId });
    expect(shown.at(-1)?.steps).toMatchObject([
      { name: 'verify-signature', outcome: flow.steps[0]?.outcome },
    ]);
    expect(keyRequests()).toHaveLength(1);
  });

  test('are verified by a flow of the user before the token is used', async () => {
    const { engine, session, over, token } = await connect();
    const flow = await over(
      await engine.call('authorization/begin', {
        serverId: session.serverId,
        mode: 'automatic',
        revision: null,
        settings: {},
      }),
    );
    expect(flow.state).toBe('done');
    expect(flow.steps.map(({ name }) => name).slice(-3)).toEqual(['token', 'verify-signature', 'use-token']);
    expect((await token()).signature.state).toBe('verified');
  });

  test('stay verified for the ID token when a refresh returns no other', async () => {
    const { engine, session, over, token, verify, server } = await connect();
    await verify();
    const { options } = server.authorization;
    const refresh = withMembers({ id_token: undefined });
    server.authorization.options = { ...options, overrides: { refresh } };
    const { credentialsId, number } = await token();
    await over(await engine.call('authorization/refresh', { credentialsId, sessionId: session.id }));
    expect(await token()).toMatchObject({
      number: number + 1,
      signature: { state: 'unverified' },
      idToken: { signature: { state: 'verified' } },
    });
  });
});

const { publicKey } = await generateKeyPair('ES256', { extractable: true });
const otherKey = await exportJWK(publicKey);

const keys = (answer: object): ProtectedServerOptions => ({
  authorization: { overrides: { jwks: answer } },
});

interface Unverified {
  readonly options?: ProtectedServerOptions;
  prepare?(server: ProtectedServer): void;
  readonly state: 'wrong' | 'unverified' | 'none';
  readonly detail: RegExp;
  readonly rules: readonly string[];
}

const cases: Readonly<Record<string, Unverified>> = {
  'another key of the same name': {
    prepare: ({ authorization }) => {
      const kid = authorization.tokens.jwks.keys[0]?.kid;
      authorization.options = {
        ...authorization.options,
        overrides: { jwks: { body: { keys: [{ ...otherKey, kid, alg: 'ES256' }] } } },
      };
    },
    state: 'wrong',
    detail: /^Not signed with the key \w+ of http:\/\/127\.0\.0\.1:\d+ \(ES256\)\.$/,
    rules: ['token-signature-wrong', 'token-signature-wrong'],
  },
  'no key of that name': {
    options: keys({ body: { keys: [{ ...otherKey, kid: 'other', alg: 'ES256' }] } }),
    state: 'unverified',
    detail: /does not have the key \w+ for ES256\.$/,
    rules: ['token-key-missing', 'token-key-missing'],
  },
  'no keys': {
    options: keys({ status: 404, body: 'Not found' }),
    state: 'unverified',
    detail: /could not be fetched: HTTP 404\.$/,
    rules: ['keys-unavailable', 'keys-unavailable'],
  },
  'a redirect to another server': {
    prepare: ({ authorization, strangerOrigin }) => {
      const headers = [['Location', `${strangerOrigin}/jwks`]] as const;
      authorization.options = {
        ...authorization.options,
        overrides: { jwks: { status: 302, headers, body: '' } },
      };
    },
    state: 'unverified',
    detail: /HTTP 302\. A redirect is not followed\.$/,
    rules: ['redirect-leaves-origin', 'keys-unavailable', 'keys-unavailable'],
  },
  'a server of keys that does not answer': {
    options: { authorization: { metadata: { jwks_uri: 'http://127.0.0.1:9/jwks' } } },
    state: 'unverified',
    detail: /^The keys of the issuer could not be fetched: /,
    rules: ['no-response', 'keys-unavailable', 'keys-unavailable'],
  },
  'metadata without jwks_uri': {
    options: { authorization: { metadata: { jwks_uri: undefined } } },
    state: 'unverified',
    detail: /^The metadata of the issuer has no jwks_uri\.$/,
    rules: ['keys-unavailable', 'keys-unavailable'],
  },
};

test.each(Object.entries(cases))(
  'with %s no token is called verified',
  async (_, { options, prepare, state, detail, rules }) => {
    const { verify, token, server } = await connect(options, prepare);
    const flow = await verify();
    expect(flow).toMatchObject({ state: 'done', fault: null });
    const { signature, idToken } = await token();
    expect(signature).toEqual({ state, detail: expect.stringMatching(detail) });
    expect(idToken?.signature.state).toBe(state);
    expect(flow.steps.flatMap(({ findings }) => findings.map(({ rule }) => rule))).toEqual(rules);
    expect(JSON.stringify(flow)).not.toContain('signature verified');
    expect(server.log.filter(({ party }) => party === 'stranger')).toEqual([]);
    expect(server.leaks).toEqual([]);
  },
);

test('an opaque token has no signature, and no key is requested for it', async () => {
  const { verify, token, keyRequests } = await connect({
    authorization: { tokens: 'opaque', grantedScope: () => 'files:read' },
  });
  const flow = await verify();
  expect(flow.steps).toMatchObject([
    { request: null, outcome: 'Access token: no signature. The token is not a JWT.' },
  ]);
  expect((await token()).signature.state).toBe('none');
  expect(keyRequests()).toEqual([]);
});

test.each([
  ['another audience', 'https://other.example/mcp', ['token-passthrough-suspected']],
  ['several other audiences', ['https://other.example/mcp', 'urn:x'], ['token-passthrough-suspected']],
  ['its own audience', undefined, []],
  ['its own audience and others', (url: string) => ['urn:x', url], []],
  ['a slash more', (url: string) => `${url}/`, []],
  ['its origin', (url: string) => new URL(url).origin, []],
  ['its origin with a slash', (url: string) => `${new URL(url).origin}/`, []],
  ['its URL in other letters', (url: string) => url.replace('http', 'HTTP'), []],
  ['nobody', [], []],
])('a server that accepts a token for %s', async (_, audience, rules) => {
  const { engine, session } = await connect({}, ({ authorization, url }) => {
    if (audience !== undefined)
      authorization.tokens.setAudience(typeof audience === 'function' ? audience(url) : audience);
  });
  const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
  const use = flow?.steps.find(({ name }) => name === 'use-token');
  expect(use?.findings.map(({ rule }) => rule)).toEqual(rules);
});
