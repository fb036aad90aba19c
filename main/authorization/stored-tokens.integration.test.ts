import { expect, test } from 'vitest';
import { jsonAnswer, type Override } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { memorySecrets } from '#config/secrets.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import type { Platform } from '#main/platform.ts';

const opened = closeAfterEachTest();

type StoredAction = 'authorization/refresh' | 'authorization/revoke' | 'authorization/introspect';

/** An engine whose browser grants everything, in a session with a protected server. */
async function connect(options: ProtectedServerOptions = {}, platform: Partial<Platform> = {}) {
  const server = opened(await ProtectedServer.open(options));
  const engine = opened(await openEngine(platform));
  const session = await engine.connectUrl(server.url);
  expect(session.phase).toBe('ready');
  return withStored(engine, server, session.id, session.serverId);
}

const openEngine = (platform: Partial<Platform>) =>
  EngineFixture.open({
    openInBrowser: async (url) => {
      await browse(url);
    },
    ...platform,
  });

function withStored(engine: EngineFixture, server: ProtectedServer, sessionId: string, serverId: string) {
  const stored = async () => {
    const [credentials, ...others] = await engine.call('authorization/credentials', { serverId });
    if (credentials === undefined || others.length > 0) throw new Error('expected one client');
    return credentials;
  };
  const flows = () => engine.call('authorization/flows', { sessionId });
  const over = (flow: AuthorizationFlow) =>
    engine.until(async () => {
      const now = (await flows()).find(({ id }) => id === flow.id);
      return now !== undefined && ['done', 'failed'].includes(now.state) ? now : null;
    });
  return {
    engine,
    server,
    sessionId,
    serverId,
    stored,
    flows,
    act: async (action: StoredAction) => {
      const { id } = await stored();
      return over(await engine.call(action, { credentialsId: id, sessionId }));
    },
    echo: async () => (await engine.callTool(sessionId, 'echo', { text: 'x' })).state,
    paths: () =>
      server.authorization.requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/s, '')}`),
  };
}

test('a refresh shows a new generation, and the next request uses it', async () => {
  const { act, stored, echo, server } = await connect();
  const flow = await act('authorization/refresh');
  expect(flow).toMatchObject({ state: 'done', fault: null });
  expect(flow.steps.map(({ name, state }) => [name, state])).toEqual([['refresh', 'done']]);
  const { generations } = await stored();
  expect(generations.map(({ number, state }) => [number, state])).toEqual([
    [1, 'replaced'],
    [2, 'in-use'],
  ]);
  expect(new Set(generations.map(({ refreshFingerprint }) => refreshFingerprint)).size).toBe(2);
  expect(await echo()).toBe('ok');
  const used = server.app.requests.at(-1)?.header('Authorization')?.replace('Bearer ', '') ?? '';
  expect(server.authorization.tokens.findActive(used)?.kind).toBe('access');
  expect(server.leaks).toEqual([]);
});

test('an introspection says whether the token is active', async () => {
  const { act, server } = await connect();
  const active = await act('authorization/introspect');
  expect(active.steps).toMatchObject([{ name: 'introspect', outcome: 'The token is active.', findings: [] }]);
  for (const token of server.authorization.tokens.all) token.isRevoked = true;
  const inactive = await act('authorization/introspect');
  expect(inactive.steps).toMatchObject([
    { outcome: 'The token is not active.', findings: [{ rule: 'token-not-active' }] },
  ]);
});

test('a revocation revokes the refresh token, then the access token, and the next request authorizes again', async () => {
  const { act, echo, server, stored } = await connect();
  const values = server.authorization.tokens.all.map(({ kind, value }) => [kind, value]);
  const flow = await act('authorization/revoke');
  expect(flow).toMatchObject({ state: 'done', fault: null });
  expect(flow.steps.map(({ name, label, outcome }) => [name, label, outcome])).toEqual([
    ['revoke', 'refresh token', 'The refresh token is revoked.'],
    ['revoke', 'access token', 'The access token is revoked.'],
  ]);
  const forms = server.authorization
    .requestsTo('revoke')
    .map(({ body }) => new URLSearchParams(body.toString()));
  expect(forms.map((form) => [form.get('token_type_hint'), form.get('token')])).toEqual([
    ['refresh_token', values.find(([kind]) => kind === 'refresh')?.[1]],
    ['access_token', values.find(([kind]) => kind === 'access')?.[1]],
  ]);
  expect(server.authorization.tokens.all.every(({ isRevoked }) => isRevoked)).toBe(true);
  expect((await stored()).generations.map(({ state }) => state)).toEqual(['revoked']);
  expect(await echo()).toBe('ok');
  expect(server.authorization.tokens.all.some(({ isRevoked }) => !isRevoked)).toBe(true);
  expect(server.leaks).toEqual([]);
});

test.each(['refresh_token', 'access_token'])(
  'a server that does not revoke the %s is asked about the other too, and the flow says which is left',
  async (kind) => {
    const { act, server } = await connect();
    const revocation: Override = (answer, { body }) =>
      new URLSearchParams(body.toString()).get('token_type_hint') === kind
        ? jsonAnswer({ error: 'unsupported_token_type' }, { status: 400 })
        : answer;
    server.authorization.options = { ...server.authorization.options, overrides: { revocation } };
    const { state, fault, steps } = await act('authorization/revoke');
    expect(fault).toMatchObject({
      code: 'revocation-refused',
      what: `The authorization server did not revoke the ${kind.replace('_', ' ')}.`,
      quote: 'unsupported_token_type',
    });
    expect(state).toBe('failed');
    expect(steps.map(({ label }) => label)).toEqual(['refresh token', 'access token']);
    expect(steps.flatMap(({ findings }) => findings.map(({ rule }) => rule))).toEqual(['revocation-failed']);
  },
);

test('an expired token is refreshed by the next request', async () => {
  const { engine, stored, echo, flows, paths } = await connect();
  const { id } = await stored();
  await engine.call('authorization/expire', { credentialsId: id });
  expect((await stored()).generations.map(({ state }) => state)).toEqual(['expired']);
  const before = paths().length;
  expect(await echo()).toBe('ok');
  expect(paths().slice(before)).toEqual(['POST /token']);
  expect((await flows()).at(-1)?.steps.map(({ name }) => name)).toContain('refresh');
});

test('tokens of the user replace the stored ones and are used next', async () => {
  const { engine, stored, echo, server } = await connect();
  const { id } = await stored();
  const { clientId } = await stored();
  const given = await server.authorization.tokens.issueAccess({
    clientId,
    scope: '',
    resource: server.resource,
    keyThumbprint: null,
    family: 'given',
  });
  await engine.call('authorization/replace', {
    credentialsId: id,
    accessToken: given.value,
    refreshToken: null,
  });
  expect(await echo()).toBe('ok');
  expect(server.app.requests.at(-1)?.header('Authorization')).toBe(`Bearer ${given.value}`);
  expect((await stored()).generations.at(-1)?.signature.detail).toBe('The user entered this token.');
});

test('a session of a later run uses the stored tokens, and refreshes them once the server rejects them', async () => {
  const secrets = memorySecrets();
  const first = await connect({}, { secrets });
  const { engine, server, serverId, paths } = first;
  await engine.call('sessions/close', { sessionId: first.sessionId });
  const before = paths().length;
  const again = await engine.reconnect(serverId);
  expect(again.phase).toBe('ready');
  expect(paths()).toHaveLength(before);
  await engine.call('sessions/close', { sessionId: again.id });
  for (const token of server.authorization.tokens.all) if (token.kind === 'access') token.isRevoked = true;
  const refreshed = await engine.reconnect(serverId);
  expect(refreshed.phase).toBe('ready');
  expect(paths().slice(before)).toEqual(['POST /token']);
});

test('tokens are refreshed, introspected and revoked one after the other', async () => {
  const { act } = await connect();
  const actions = ['authorization/refresh', 'authorization/introspect', 'authorization/revoke'] as const;
  for (const action of actions) expect(await act(action)).toMatchObject({ state: 'done', fault: null });
});

test.each([
  { title: 'a refresh by hand', isLaterRun: false },
  { title: 'a restart and a refresh by hand', isLaterRun: true },
])('after $title a step-up requests the scopes of before, too', async ({ isLaterRun }) => {
  const { engine, server, sessionId, serverId, act } = await connect({
    challengeScope: 'files:read',
    toolScopes: { write: 'files:write' },
  });
  let now = { act, sessionId };
  if (isLaterRun) {
    await engine.call('sessions/close', { sessionId });
    const { id } = await engine.reconnect(serverId);
    now = withStored(engine, server, id, serverId);
  }
  expect(await now.act('authorization/refresh')).toMatchObject({ state: 'done' });
  expect((await engine.callTool(now.sessionId, 'write', {})).state).toBe('ok');
  const [, stepUp] = server.authorization.requestsTo('authorize');
  const scope = new URL(stepUp?.url ?? '', server.authorization.origin).searchParams.get('scope');
  expect(scope?.split(' ').sort()).toEqual(['files:read', 'files:write', 'offline_access']);
});
