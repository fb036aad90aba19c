import { setImmediate } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withMembers } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { beginFlow, settledFlow, stepThrough, transcript } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { knownClients, settingsOf } from '#shared/authorization/known-clients.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  type AuthorizationStep,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';

let engine: EngineFixture;
const servers: ProtectedServer[] = [];

beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(async () => {
  await engine.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const server = await ProtectedServer.open(options);
  servers.push(server);
  return server;
}

/** The requests for metadata that the servers received, and the revision that each names. */
const discoveryOf = (server: ProtectedServer) =>
  server.log
    .filter(({ request }) => request.url.startsWith('/.well-known/'))
    .map(({ party, request }) => [party, request.url, request.header('mcp-protocol-version') ?? null]);

const connect = (server: ProtectedServer, settings: Partial<AuthorizationSettings> = {}) =>
  engine.connectUrl(server.url, {
    http: { authorization: { ...defaultAuthorization, ...settings } },
  });

const flowsOf = (sessionId: string) => engine.call('authorization/flows', { sessionId });

const begin = (
  server: ProtectedServer,
  mode: AuthorizationFlow['mode'],
  settings: Partial<AuthorizationSettings> = {},
): Promise<AuthorizationFlow> => beginFlow(engine, server.url, { mode, settings });

const namesOf = (steps: readonly AuthorizationStep[]) => steps.map(({ name }) => name);

describe('a session with a protected server', () => {
  test('authorizes by itself, and sends the token with every request', async () => {
    const server = await serve();
    const session = await connect(server);
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
    const [flow, ...others] = await flowsOf(session.id);
    expect(others).toEqual([]);
    expect(flow?.state).toBe('done');
    expect(flow?.steps[0]?.response).toEqual({
      status: 401,
      headers: expect.arrayContaining([['WWW-Authenticate', expect.stringMatching(/^Bearer /)]]),
      body: null,
    });
    expect(namesOf(flow?.steps ?? [])).toEqual([
      'challenge',
      'resource-metadata',
      'server-metadata',
      'registration',
      'authorization-request',
      'callback',
      'token',
      'use-token',
    ]);
    const sent = server.log.filter(
      ({ party, request }) => party === 'mcp-server' && request.method === 'POST',
    );
    expect(sent.slice(1).every(({ request }) => request.header('authorization')?.startsWith('Bearer '))).toBe(
      true,
    );
  });

  test('sends the token with every GET and DELETE too', async () => {
    const server = await serve({ era: 'legacy' });
    const session = await connect(server);
    await engine.callTool(session.id, 'echo', { text: 'hi' });
    await engine.call('sessions/close', { sessionId: session.id });
    const sent = server.log.filter(({ party, request }) => party === 'mcp-server' && request.url === '/mcp');
    const isAuthorized = sent.map(
      ({ request }) => request.header('authorization')?.startsWith('Bearer at-') === true,
    );
    // Without a token, only the request that was demanded one.
    expect(isAuthorized.indexOf(true)).toBeGreaterThan(0);
    expect(isAuthorized.slice(isAuthorized.indexOf(true))).not.toContain(false);
    const methods = sent.slice(isAuthorized.indexOf(true)).map(({ request }) => request.method);
    expect(new Set(methods)).toEqual(new Set(['POST', 'GET', 'DELETE']));
  });

  test('waits when the browser ends on an error page, until the user cancels', async () => {
    await engine.close();
    engine = await EngineFixture.open({ openInBrowser: async (url) => void (await fetch(url)) });
    const refused = { status: 400, body: 'The client is unknown' };
    const server = await serve({ authorization: { overrides: { authorization: refused } } });
    const connecting = connect(server);
    const { id: flowId, steps } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      const [flow] = session === undefined ? [] : await flowsOf(session.id);
      return flow?.state === 'waiting' ? flow : null;
    });
    expect(steps.at(-1)).toMatchObject({ name: 'callback', state: 'waiting' });
    await engine.call('authorization/cancel', { flowId });
    expect(await connecting).toMatchObject({ phase: 'failed', fault: { code: 'authorization-cancelled' } });
  });

  test('goes on waiting when other requests come to the redirect URI, and shows a response with another state', async () => {
    await engine.close();
    const statuses: number[] = [];
    const ask = async (url: string, method = 'GET') =>
      void statuses.push((await fetch(url, { method })).status);
    engine = await EngineFixture.open({
      openInBrowser: async (url) => {
        const { searchParams } = new URL(url);
        const redirectUri = searchParams.get('redirect_uri') ?? '';
        const state = searchParams.get('state') ?? '';
        await ask(redirectUri);
        await ask(`${redirectUri}?code=of-somebody&state=of-another-request`);
        await ask(`${redirectUri}?code=of-somebody`);
        await ask(`${redirectUri}?error=access_denied`);
        await ask(`${redirectUri}?code=c&state=${state}`, 'HEAD');
        await ask(redirectUri.replace('/callback', '/'));
        await browse(url);
      },
    });
    const server = await serve();
    const session = await connect(server);
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    expect(statuses).toEqual([400, 400, 400, 400, 405, 404]);
    const [flow] = await flowsOf(session.id);
    const callback = flow?.steps.find(({ name }) => name === 'callback');
    expect(callback).toMatchObject({ state: 'done' });
    expect(callback?.findings.map(({ rule }) => rule)).toEqual(['state-differs', 'state-missing']);
  });

  test('shows a response with another state while it waits, and ends with it when the user says so', async () => {
    await engine.close();
    engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
    const server = await serve({
      authorization: {
        callback: (parameters) => {
          parameters.set('state', 'of-another-request');
          return parameters;
        },
      },
    });
    const connecting = connect(server);
    const { id: flowId } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      const [flow] = session === undefined ? [] : await flowsOf(session.id);
      const findings = flow?.steps.at(-1)?.findings ?? [];
      return flow?.state === 'waiting' && findings.some(({ rule }) => rule === 'state-differs') ? flow : null;
    });
    await engine.call('authorization/no-callback', { flowId });
    expect((await connecting).fault).toMatchObject({ code: 'state-differs' });
    expect(server.transcript.filter((line) => line.includes('/token'))).toEqual([]);
  });

  test('stays cancelled when it waited for the browser', async () => {
    await engine.close();
    engine = await EngineFixture.open({ openInBrowser: async () => undefined });
    const beginning = begin(await serve(), 'automatic');
    const { id: flowId, sessionId } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      const [flow] = session === undefined ? [] : await flowsOf(session.id);
      return flow?.state === 'waiting' ? flow : null;
    });
    await engine.call('authorization/cancel', { flowId });
    await beginning;
    await setImmediate();
    expect(await flowsOf(sessionId)).toMatchObject([{ state: 'cancelled' }]);
  });

  test('leaves no secret in its trace', async () => {
    const server = await serve();
    const session = await connect(server);
    const path = session.traceFile.path;
    const secrets = server.log.flatMap(({ request }) => {
      const form = new URLSearchParams(request.body.toString());
      const token = request.header('authorization')?.replace(/^Bearer /, '');
      return [form.get('code'), form.get('code_verifier'), token].filter((one) => one != null);
    });
    expect(secrets.length).toBeGreaterThan(2);
    await engine.call('sessions/close', { sessionId: session.id });
    const text = await readFile(path, 'utf8');
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  test('says what a refusal of the authorization server means, and what to do', async () => {
    const session = await connect(await serve({ authorization: { consent: 'denied' } }));
    expect(session.fault).toMatchObject({
      what: 'access_denied: the authorization server did not grant access: the user declined, or a policy of the server did.',
      next: expect.stringContaining('consent'),
    });
  });

  test('accepts plain http on this machine, with a warning', async () => {
    const session = await connect(await serve());
    const [flow] = await flowsOf(session.id);
    const found = flow?.steps.find(({ name }) => name === 'server-metadata')?.findings;
    expect(found).toMatchObject([
      {
        rule: 'endpoint-http-on-loopback',
        severity: 'warning',
        received: expect.stringContaining('authorization_endpoint, token_endpoint'),
      },
    ]);
  });

  test('without a browser stops before it, and says so', async () => {
    await engine.close();
    engine = await EngineFixture.open();
    const session = await connect(await serve());
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'authorization-needs-browser' } });
  });

  test('shows the 401 as before if the server has no metadata', async () => {
    const server = await serve({ resourceMetadataAt: [], namesMetadata: false });
    const session = await connect(server);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-status-401' } });
  });

  test('asks for more scopes when a tool demands them', async () => {
    const server = await serve({ challengeScope: 'mcp:basic', toolScopes: { write: 'mcp:write' } });
    const session = await connect(server);
    expect((await engine.callTool(session.id, 'write')).state).toBe('ok');
    const [, stepUp] = await flowsOf(session.id);
    expect(namesOf(stepUp?.steps ?? [])).toEqual([
      'step-up',
      'authorization-request',
      'callback',
      'token',
      'use-token',
    ]);
    const request = stepUp?.steps.find(({ name }) => name === 'authorization-request')?.request;
    expect(
      request?.query
        .find(({ name }) => name === 'scope')
        ?.value?.split(' ')
        .sort(),
    ).toEqual(['mcp:basic', 'mcp:write', 'offline_access']);
  });

  test.each<[string, ProtectedServerOptions]>([
    ['a challenge separated by commas', { challengeScope: 'mcp:basic,mcp:more' }],
    ['a challenge that is a list', { challengeScope: "['mcp:basic', 'mcp:more']" }],
    ['metadata separated by commas', { resourceMetadata: { scopes_supported: 'mcp:basic,mcp:more' } }],
    ['metadata with all in one text', { resourceMetadata: { scopes_supported: ['mcp:basic mcp:more'] } }],
  ])('asks for each scope of %s', async (_, options) => {
    const granted = withMembers({ scope: ['mcp:basic', 'mcp:more', 'offline_access'] });
    const server = await serve({ ...options, authorization: { overrides: { token: granted } } });
    const session = await connect(server);
    const [flow] = await flowsOf(session.id);
    const request = flow?.steps.find(({ name }) => name === 'authorization-request')?.request;
    const scope = request?.query.find(({ name }) => name === 'scope')?.value;
    expect(scope).toBe('mcp:basic mcp:more offline_access');
    const rules = flow?.steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));
    expect(rules).not.toContain('scope-narrower');
    const [stored] = await engine.call('authorization/credentials', { serverId: session.serverId });
    expect(stored?.generations).toMatchObject([{ scope: 'mcp:basic mcp:more offline_access' }]);
  });
});

describe('a stepped flow', () => {
  test.each<[string, ProtectedServerOptions, Partial<AuthorizationSettings>]>([
    ['of a plain server', {}, {}],
    ['with scopes', { challengeScope: 'mcp:basic' }, {}],
    ['with metadata at the root', { resourceMetadataAt: ['root'], namesMetadata: false }, {}],
    ['with DPoP', {}, { dpop: true }],
    ['with a JWT and an ID token', { authorization: { tokens: 'jwt' } }, { scopes: 'openid' }],
    ['of another resource', { resourceMetadata: { resource: 'https://example.com/mcp' } }, {}],
    ['without authorization servers', { resourceMetadata: { authorization_servers: [] } }, {}],
  ])('has the transcript of the automatic one: %s', async (_, options, settings) => {
    const server = await serve(options);
    const automatic = await begin(server, 'automatic', settings);
    const stepped = await stepThrough(engine, await begin(server, 'stepped', settings));
    expect(automatic.steps.length).toBeGreaterThan(1);
    expect(transcript(stepped)).toEqual(transcript(automatic));
  });

  test('has the transcript of the automatic one, whatever the server is like', async () => {
    const optional = <T>(...values: readonly T[]) => fc.constantFrom(undefined, ...values);
    const configurations = fc.record({
      challengeScope: optional('mcp:basic', 'a b'),
      scopesSupported: optional<readonly string[]>([], ['x', 'y']),
      namesMetadata: fc.boolean(),
      resourceMetadataAt: fc.constantFrom<readonly ('path' | 'root')[]>(
        ['path'],
        ['root'],
        ['path', 'root'],
        [],
      ),
      resourceMetadata: optional<Record<string, unknown>>({ scopes_supported: 5 }, { resource: undefined }),
      demandsNonce: fc.boolean(),
      dpop: fc.boolean(),
      registration: fc.constantFrom<AuthorizationSettings['registration']>(
        'auto',
        'dynamic',
        'pre-registered',
      ),
    });
    const run = async ({ dpop, registration, ...options }: Configuration) => {
      const given = Object.entries(options).filter(([, value]) => value !== undefined);
      const server = await serve(Object.fromEntries(given));
      const automatic = await begin(server, 'automatic', { dpop, registration });
      const stepped = await stepThrough(engine, await begin(server, 'stepped', { dpop, registration }));
      expect(transcript(stepped)).toEqual(transcript(automatic));
    };
    type Configuration = typeof configurations extends fc.Arbitrary<infer T> ? T : never;
    await fc.assert(fc.asyncProperty(configurations, run), { numRuns: 12 });
  });

  test('sends what the user made of a request, byte for byte', async () => {
    const server = await serve();
    const flow = await begin(server, 'stepped');
    const step = flow.steps.at(-1);
    if (step?.request == null) throw new Error('the flow is not stopped before a request');
    const headers = step.request.headers.map((one) => ({ ...one, name: one.name.toLowerCase() }));
    const added = { name: 'x-Edited', value: 'by hand', fingerprint: null, isOn: true, note: '', row: null };
    const query = [{ ...added, name: 'a b', value: 'ü&=' }];
    await engine.call('authorization/send', {
      flowId: flow.id,
      request: {
        ...step.request,
        method: 'PUT',
        headers: [...headers, added],
        query,
        bodyKind: 'json',
        body: [{ ...added, name: 'k', value: '[1, 2]' }],
      },
      wrongValue: null,
    });
    const seen = await engine.until(
      () => server.log.find(({ request }) => request.method === 'PUT')?.request ?? null,
    );
    expect(seen.url).toBe('/mcp?a+b=%C3%BC%26%3D');
    expect(seen.body.toString()).toBe('{"k":[1, 2]}');
    const sent = [...headers, added].map(({ name, value }) => [name, value]);
    const names = new Set(sent.map(([name]) => name));
    expect(seen.headers.filter(([name]) => names.has(name))).toEqual(sent);
  });

  test('goes back, and skips', async () => {
    const server = await serve();
    const flow = await begin(server, 'stepped');
    const { id: flowId } = flow;
    await engine.call('authorization/send', { flowId, request: null, wrongValue: null });
    const second = await engine.until(async () => {
      const now = await settledFlow(engine, flow);
      return now.steps.at(-1)?.name === 'resource-metadata' ? now : null;
    });
    expect(second.state).toBe('stopped');
    await engine.call('authorization/back', { flowId });
    const back = await engine.until(async () => {
      const now = await settledFlow(engine, flow);
      return now.steps.length === 3 ? now : null;
    });
    expect(back.steps.map(({ name, state }) => [name, state])).toEqual([
      ['challenge', 'taken-back'],
      ['resource-metadata', 'taken-back'],
      ['challenge', 'stopped'],
    ]);
    await engine.call('authorization/skip', { flowId });
    const skipped = await engine.until(async () => {
      const now = await settledFlow(engine, flow);
      return now.steps.length === 4 ? now : null;
    });
    expect(skipped.steps.slice(2).map(({ name, state }) => [name, state])).toEqual([
      ['challenge', 'skipped'],
      ['resource-metadata', 'stopped'],
    ]);
  });

  test('continues with metadata of another resource if the user wants it, and says so', async () => {
    const server = await serve({ resourceMetadata: { resource: 'https://example.com/mcp' } });
    server.authorization.resources.push('https://example.com/mcp');
    const stopped = await stepThrough(engine, await begin(server, 'stepped'));
    expect(stopped).toMatchObject({
      state: 'failed',
      fault: { code: 'resource-differs' },
      canOverride: true,
    });
    const { id: flowId } = stopped;
    await engine.call('authorization/override', { flowId });
    const next = await engine.until(async () => {
      const flow = await settledFlow(engine, stopped);
      return flow.state === 'stopped' ? flow : null;
    });
    expect(next).toMatchObject({ fault: null, canOverride: false });
    const metadata = next.steps.find(({ name }) => name === 'resource-metadata');
    expect(metadata).toMatchObject({
      state: 'failed',
      isOverridden: true,
      outcome: 'It is the metadata of another resource. You continued anyway.',
    });
    const ended = await stepThrough(engine, next);
    const request = ended.steps.find(({ name }) => name === 'authorization-request')?.request;
    expect(request?.query.find(({ name }) => name === 'resource')).toMatchObject({
      value: 'https://example.com/mcp',
      note: 'resource of the metadata, which is not this server',
    });
    // The server does not accept a token for the other resource.
    expect(ended.steps.at(-1)).toMatchObject({
      name: 'use-token',
      state: 'failed',
      response: { status: 401 },
    });
  });

  test('cannot continue after a fault by itself, nor where nothing is known to continue with', async () => {
    const other = { resource: 'https://example.com/mcp' };
    const automatic = await begin(await serve({ resourceMetadata: other }), 'automatic');
    const without = { ...other, authorization_servers: ['no url'] };
    const stepped = await stepThrough(
      engine,
      await begin(await serve({ resourceMetadata: without }), 'stepped'),
    );
    for (const flow of [automatic, stepped]) {
      expect(flow).toMatchObject({ state: 'failed', canOverride: false });
      await expect(engine.call('authorization/override', { flowId: flow.id })).rejects.toThrow(
        'The flow cannot continue after this.',
      );
    }
  });

  test('keeps both branches of a fork', async () => {
    const server = await serve();
    const done = await stepThrough(engine, await begin(server, 'stepped'));
    expect(done.state).toBe('done');
    const request = done.steps.find(({ name }) => name === 'authorization-request');
    await engine.call('authorization/fork', { flowId: done.id, stepId: request?.id ?? 0 });
    const forked = await engine.until(async () => {
      const now = await settledFlow(engine, done);
      return now.state === 'stopped' ? now : null;
    });
    const ended = await stepThrough(engine, forked);
    expect(ended.state).toBe('done');
    const [first, second] = [0, 1].map((branch) => ended.steps.filter((step) => step.branch === branch));
    expect(namesOf(first ?? [])).toEqual(namesOf(done.steps));
    expect(first?.every(({ state }) => state === 'done')).toBe(true);
    expect(namesOf(second ?? [])).toEqual(['authorization-request', 'callback', 'token', 'use-token']);
    expect(second?.[0]?.after).toBe(request?.after);
  });
});

test('a flow with the settings of a known client registers as that client does', async () => {
  const server = await serve();
  const profile = knownClients.find(({ id }) => id === 'mcp-remote');
  if (profile === undefined) throw new Error('the profile exists');
  expect((await begin(server, 'automatic', settingsOf(profile))).state).toBe('done');
  const [registration] = server.authorization.requestsTo('register');
  expect(JSON.parse(String(registration?.body))).toMatchObject({
    client_name: 'MCP CLI Proxy',
    redirect_uris: [expect.stringMatching(/^http:\/\/localhost:\d+\/oauth\/callback$/)],
    token_endpoint_auth_method: 'none',
  });
});

describe('metadata is looked for', () => {
  test('at the path, then at the root, with the revision in each request', async () => {
    const server = await serve({ resourceMetadataAt: ['root'], namesMetadata: false });
    await connect(server);
    expect(discoveryOf(server)).toEqual([
      ['mcp-server', '/.well-known/oauth-protected-resource/mcp', '2026-07-28'],
      ['mcp-server', '/.well-known/oauth-protected-resource', '2026-07-28'],
      ['authorization-server', '/.well-known/oauth-authorization-server', '2026-07-28'],
    ]);
  });

  test('of an issuer with a path, in the order of the specification', async () => {
    const server = await serve({ authorization: { issuerPath: '/tenant' } });
    await connect(server);
    expect(discoveryOf(server).map(([, url]) => url)).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server/tenant',
    ]);
  });
});
