import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { parameterOf, stepTo, stoppedStep } from '#fixtures/authorization/edited-steps.ts';
import { beginFlow, settledFlow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();

async function open(options: ProtectedServerOptions = {}) {
  const server = opened(await ProtectedServer.open(options));
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const formsOf = (place: ProtectedServer = server) =>
    place.authorization.requestsTo('token').map(({ body }) => new URLSearchParams(body.toString()));
  return { server, engine, formsOf };
}

const tokenExtra = (...pairs: readonly (readonly [string, string])[]): Partial<AuthorizationSettings> => ({
  tokenExtra: pairs.map(([name, value]) => ({ name, value })),
});

test('further parameters are in the token request and in a refresh, and in no authorization request', async () => {
  const { server, engine, formsOf } = await open();
  const settings = tokenExtra(['audience', 'https://api.example/ü&='], ['', 'without a name']);
  const done = await beginFlow(engine, server.url, { mode: 'automatic', settings });
  const [credentials] = await engine.call('authorization/credentials', { serverId: done.serverId });
  const begun = await engine.call('authorization/refresh', {
    credentialsId: credentials?.id ?? '',
    sessionId: done.sessionId,
  });
  expect(await settledFlow(engine, begun)).toMatchObject({ state: 'done', fault: null });
  const forms = formsOf();
  expect(forms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
  expect(forms.map((form) => form.get('audience'))).toEqual(Array(2).fill('https://api.example/ü&='));
  expect(forms.some((form) => form.has(''))).toBe(false);
  expect(server.authorization.requestsTo('authorize')[0]?.url).not.toContain('audience');
});

test('one with the name of another replaces that, with the grant of a service too', async () => {
  const { server, engine, formsOf } = await open({
    authorization: {
      clients: [{ clientId: 'app', secret: 's', redirectUris: [], authMethod: 'client_secret_post' }],
    },
  });
  const settings: Partial<AuthorizationSettings> = {
    ...tokenExtra(['scope', 'of my own']),
    grant: 'client-credentials',
    clientId: 'app',
    clientSecret: { isSet: true, value: 's' },
    authMethod: 'client_secret_post',
    scopes: 'from-settings',
  };
  await beginFlow(engine, server.url, { mode: 'automatic', settings });
  expect(formsOf()[0]?.getAll('scope')).toEqual(['of my own']);
});

test('a value with the name of a secret is a secret: of the step, in the trace, and bound to its issuer', async () => {
  const { server, engine, formsOf } = await open();
  const secret = 'a-key-0123456789-of-the-provider';
  const settings = tokenExtra(['api_key', secret]);
  const flow = await stepTo(
    engine,
    await beginFlow(engine, server.url, { mode: 'stepped', settings }),
    'token',
  );
  expect(parameterOf(stoppedStep(flow).request, 'api_key')).toMatchObject({
    value: null,
    fingerprint: expect.any(String),
    note: 'from the settings',
  });
  expect(JSON.stringify(flow)).not.toContain(secret);

  const session = await engine.connectUrl(server.url, {
    http: { authorization: { ...defaultAuthorization, ...settings } },
  });
  expect(session).toMatchObject({ phase: 'ready', fault: null });
  const flows = await engine.call('authorization/flows', { sessionId: session.id });
  expect(flows[0]?.steps.find(({ name }) => name === 'credentials')?.outcome).toContain(
    'The secret parameters will go to',
  );
  expect(formsOf().at(-1)?.get('api_key')).toBe(secret);
  await engine.call('sessions/close', { sessionId: session.id });
  const files = await readdir(engine.folder, { recursive: true });
  const traces = files.filter((file) => file.endsWith('.mcptrace'));
  expect(traces.length).toBeGreaterThan(0);
  for (const file of traces) expect(await readFile(join(engine.folder, file), 'utf8')).not.toContain(secret);
});

test('a secret parameter that went to one authorization server is not sent to another', async () => {
  const first = await open();
  const settings = tokenExtra(['api_key', 'a-key-0123456789']);
  const session = await first.engine.connectUrl(first.server.url, {
    http: { authorization: { ...defaultAuthorization, ...settings } },
  });
  expect(session.phase).toBe('ready');
  const other = opened(await ProtectedServer.open());
  first.server.options = {
    ...first.server.options,
    resourceMetadata: { authorization_servers: [other.authorization.issuer] },
  };
  await first.engine.call('sessions/close', { sessionId: session.id });
  const flow = await first.engine.call('authorization/begin', {
    serverId: session.serverId,
    mode: 'automatic',
    revision: null,
    settings: {},
  });
  const asked = await settledFlow(first.engine, flow);
  expect(asked).toMatchObject({
    state: 'failed',
    fault: { code: 'issuer-changed', what: expect.stringContaining('the secret parameters belong to') },
  });
  expect(other.authorization.requestsTo('token')).toEqual([]);
});
