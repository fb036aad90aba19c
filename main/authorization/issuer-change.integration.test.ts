import { join } from 'node:path';
import { exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { beginFlow, settledFlow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { JsonFile } from '#config/json-file.ts';
import type { Platform } from '#main/platform.ts';
import {
  type AuthorizationFlow,
  type AuthorizationSettings,
  defaultAuthorization,
} from '#shared/contract/authorization.ts';
import { plainHttpSettings, serverSettingsSchema } from '#shared/contract/servers.ts';
import { IssuerBindings, issuerBindingsSchema, noBindings } from './issuer-bindings.ts';

const opened = closeAfterEachTest();

const secret = (value: string) => ({ isSet: true, value });
const preRegistered = { clientId: 'mine', clientSecret: secret('secret-of-the-first') } as const;
const clientCredentials = { ...preRegistered, grant: 'client-credentials' } as const;
const confidential = { clientId: 'mine', secret: 'secret-of-the-first', redirectUris: [] } as const;

interface Case {
  readonly settings: Partial<AuthorizationSettings>;
  readonly authorization?: Parameters<typeof AuthorizationServer.open>[0];
}

/** An MCP server that is authorized by one issuer, and names another one since. Its first tokens are worthless. */
async function atNewIssuer({ settings, authorization }: Case, platform: Partial<Platform> = {}) {
  const options = authorization ?? {
    clients: [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }],
    acceptsMetadataDocuments: true,
  };
  const server = opened(await ProtectedServer.open({ authorization: options }));
  const other = opened(await AuthorizationServer.open({ ...options, resources: [server.resource] }));
  const host = { openInBrowser: async (url: string) => void (await browse(url)), ...platform };
  const engine = opened(await EngineFixture.open(host));
  const first = await engine.connectUrl(server.url, {
    http: { ...plainHttpSettings(server.url), authorization: { ...defaultAuthorization, ...settings } },
  });
  const { serverId } = first;
  const [firstFlow] = await engine.call('authorization/flows', { sessionId: first.id });
  await engine.call('sessions/close', { sessionId: first.id });
  nameOther(server, other);
  const flowOf = async (sessionId: string) =>
    (await engine.call('authorization/flows', { sessionId })).at(-1);
  return { server, other, engine, serverId, first, firstFlow, flowOf };
}

/** The server names another authorization server, and accepts its tokens only. */
function nameOther(server: ProtectedServer, other: AuthorizationServer): void {
  server.authorization.tokens.all.length = 0;
  const resourceMetadata = { authorization_servers: [other.issuer] };
  server.options = { ...server.options, resourceMetadata, others: [other] };
}

/** The flow of the session of a server once it waits for an answer. */
const asked = (engine: EngineFixture, serverId: string): Promise<AuthorizationFlow> =>
  engine.until(async () => {
    for (const session of await engine.call('sessions/list', {})) {
      if (session.serverId !== serverId) continue;
      const flow = (await engine.call('authorization/flows', { sessionId: session.id })).at(-1);
      if (flow?.state === 'waiting' && flow.question !== null) return flow;
    }
    return null;
  });

const requestsOf = ({ requests }: AuthorizationServer) =>
  requests.map(({ method, url }) => `${method} ${url}`);

const metadataOnly = ['GET /.well-known/oauth-authorization-server'];

const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const pem = await exportPKCS8(privateKey);

describe('where nobody can be asked, another authorization server does not get', () => {
  const cases: Readonly<Record<string, Case>> = {
    'the client ID': { settings: { clientId: 'mine' } },
    'the client secret of a client that acts for itself': {
      settings: clientCredentials,
      authorization: { clients: [{ ...confidential, authMethod: 'client_secret_basic' }] },
    },
    'the client secret in a form': {
      settings: { ...preRegistered, authMethod: 'client_secret_post' },
      authorization: { clients: [{ ...confidential, authMethod: 'client_secret_post' }] },
    },
    'the private key': {
      settings: {
        clientId: 'mine',
        privateKey: secret(pem),
        grant: 'client-credentials',
        authMethod: 'private_key_jwt',
      },
    },
    'the initial access token': {
      settings: { initialAccessToken: secret('initial-of-the-first') },
      authorization: { initialAccessToken: 'initial-of-the-first' },
    },
    'the identity token of a workload': {
      settings: { clientId: 'mine', grant: 'workload-identity', identityToken: secret('a.workload.token') },
    },
    'a parameter with a secret name': {
      settings: { extra: [{ name: 'api_key', value: 'parameter-of-the-first' }] },
    },
  };

  test.each(Object.keys(cases))('%s', async (name) => {
    const { server, other, engine, serverId, flowOf } = await atNewIssuer(cases[name] ?? { settings: {} });
    expect(requestsOf(server.authorization).length).toBeGreaterThan(1);
    const session = await engine.reconnect(serverId);
    expect(requestsOf(other)).toEqual(metadataOnly);
    const flow = await flowOf(session.id);
    expect(session.phase).toBe('failed');
    expect(flow).toMatchObject({
      state: 'failed',
      fault: { code: 'issuer-changed', next: expect.stringContaining(`--allow-issuer ${other.issuer}`) },
    });
    const errors = flow?.steps.flatMap(({ findings }) => findings).filter((one) => one.severity === 'error');
    expect(errors).toMatchObject([
      { rule: 'issuer-changed', expected: server.authorization.issuer, received: other.issuer },
    ]);
  });

  test('an assertion of the identity provider', async () => {
    const provider = opened(
      await AuthorizationServer.open({
        metadataForms: ['oauth', 'openid-inserted'],
        clients: [{ clientId: 'at-the-provider', redirectUris: [], authMethod: 'none' }],
      }),
    );
    const authorization = {
      clients: [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }],
      trusted: [{ issuer: provider.issuer, tokens: provider.tokens }],
    } as const;
    const { other, engine, serverId, first } = await atNewIssuer({
      settings: {
        clientId: 'mine',
        grant: 'enterprise',
        identityProvider: { issuer: provider.issuer, clientId: 'at-the-provider' },
      },
      authorization,
    });
    expect(first.phase).toBe('ready');
    const exchanges = provider.requestsTo('token').length;
    await engine.reconnect(serverId);
    expect(requestsOf(other)).toEqual(metadataOnly);
    // Nor is one asked for, which would name the other one as its audience.
    expect(provider.requestsTo('token')).toHaveLength(exchanges);
  });
});

test('a client that registers itself does so again at another authorization server', async () => {
  const { other, engine, serverId } = await atNewIssuer({ settings: {} });
  expect((await engine.reconnect(serverId)).phase).toBe('ready');
  expect(other.requestsTo('register')).toHaveLength(1);
});

test('the URL of a metadata document stays the client ID at another authorization server', async () => {
  // It cannot be reached from here, which is for the authorization servers to say.
  const metadataDocument = 'https://127.0.0.1:9/sightglass.json';
  const { other, engine, serverId, flowOf } = await atNewIssuer({ settings: { metadataDocument } });
  const { id, phase } = await engine.reconnect(serverId);
  expect(phase).toBe('ready');
  expect((await flowOf(id))?.steps).toContainEqual(
    expect.objectContaining({
      name: 'client-metadata',
      state: 'done',
      outcome: expect.stringMatching(/^It cannot be read/),
    }),
  );
  const [request] = other.requestsTo('authorize');
  expect(new URL(request?.url ?? '', other.origin).searchParams.get('client_id')).toBe(metadataDocument);
});

test('a client and its tokens are not used for a server that has another address since', async () => {
  const clients = [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }] as const;
  const options = { authorization: { clients } };
  const [before, after] = [opened(await ProtectedServer.open(options)), opened(await ProtectedServer.open())];
  const engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
  const first = await engine.connectUrl(before.url);
  await engine.call('sessions/close', { sessionId: first.id });
  const [saved] = await engine.call('servers/list', {});
  if (saved === undefined) throw new Error('the server is saved');
  const transport = { ...plainHttpSettings(after.url), authorization: defaultAuthorization };
  await engine.call('servers/save', {
    id: saved.id,
    settings: { ...serverSettingsSchema.parse(saved), transport },
  });
  expect(await engine.reconnect(saved.id)).toMatchObject({ phase: 'ready' });
  expect(after.authorization.requestsTo('register')).toHaveLength(1);
  const used = before.authorization.tokens.all.map(({ value }) => value);
  const received = after.log.map(
    ({ request }) => `${request.header('Authorization') ?? ''} ${String(request.body)}`,
  );
  expect(received.filter((text) => used.some((value) => text.includes(value)))).toEqual([]);
});

test('a refresh token goes to its own authorization server only, whatever the last flow was with', async () => {
  const { server, other, engine, serverId } = await atNewIssuer({ settings: {} });
  const { id: sessionId } = await engine.reconnect(serverId);
  const stored = await engine.call('authorization/credentials', { serverId });
  const ofOther = stored.find(({ issuer }) => issuer === other.issuer);
  // What is left are the tokens of the first one, whose access token the server rejects.
  await engine.call('authorization/forget', { credentialsId: ofOther?.id ?? '' });
  const refreshes = (one: AuthorizationServer) =>
    one.requestsTo('token').filter(({ body }) => body.toString().includes('grant_type=refresh_token')).length;
  const before = refreshes(server.authorization);
  await engine.callTool(sessionId, 'echo', { text: 'hi' });
  expect([refreshes(server.authorization) - before, refreshes(other)]).toEqual([1, 0]);
});

test('which issuers got the credentials of a removed server is forgotten once it cannot be brought back', async () => {
  const { engine, server, serverId } = await atNewIssuer({ settings: { clientId: 'mine' } });
  const other = await beginFlow(engine, server.url, { mode: 'automatic', settings: { clientId: 'mine' } });
  const file = new JsonFile(join(engine.folder, 'issuers.json'), issuerBindingsSchema, noBindings);
  const bindings = new IssuerBindings(file);
  const issuersOf = async (id: string) =>
    (await bindings.issuersOf(id, { kind: 'client-id', value: 'mine' })).own;
  await engine.call('servers/remove', { id: serverId });
  expect(await issuersOf(serverId)).toEqual([server.authorization.issuer]);
  // Now what was removed is deleted.
  await engine.engine.close();
  expect(await issuersOf(serverId)).toEqual([]);
  expect(await issuersOf(other.serverId)).toHaveLength(1);
});

describe('in a window, a change is asked about', () => {
  const window = { host: 'web' } as const;
  const withSecret: Case = {
    settings: clientCredentials,
    authorization: { clients: [{ ...confidential, authMethod: 'client_secret_basic' }] },
  };

  test('and before its first use, what the user entered is shown with the issuer that gets it', async () => {
    const { server, firstFlow } = await atNewIssuer(withSecret, window);
    const { issuer } = server.authorization;
    expect(firstFlow?.steps.find(({ name }) => name === 'credentials')).toMatchObject({
      state: 'done',
      outcome: `The client ID and the client secret will go to ${issuer}. Another authorization server gets them only if you allow it.`,
    });
  });

  test('and yes sends it there, and is remembered by later runs', async () => {
    const { server, other, engine, serverId, flowOf } = await atNewIssuer(withSecret, window);
    const connecting = engine.reconnect(serverId);
    const flow = await asked(engine, serverId);
    expect(flow.question).toEqual({
      kind: 'other-issuer',
      credentials: ['client-id', 'client-secret'],
      before: [server.authorization.issuer],
      issuer: other.issuer,
    });
    expect(requestsOf(other)).toEqual(metadataOnly);
    await engine.call('authorization/answer', { flowId: flow.id, isYes: true });
    const { id, phase } = await connecting;
    expect(phase).toBe('ready');
    expect((await flowOf(id))?.steps.flatMap(({ findings }) => findings)).toContainEqual(
      expect.objectContaining({ rule: 'issuer-changed', severity: 'warning' }),
    );

    const later = opened(await EngineFixture.open({ ...window, dataFolder: engine.folder }));
    const flow2 = await later.call('authorization/begin', {
      serverId,
      mode: 'automatic',
      revision: null,
      settings: { clientSecret: preRegistered.clientSecret },
    });
    expect((await settledFlow(later, flow2)).state).toBe('done');
  });

  test('and no sends nothing, and the next flow asks again', async () => {
    const { other, engine, serverId } = await atNewIssuer(withSecret, window);
    const connecting = engine.reconnect(serverId);
    await engine.call('authorization/answer', {
      flowId: (await asked(engine, serverId)).id,
      isYes: false,
    });
    expect(await connecting).toMatchObject({ phase: 'failed', fault: { code: 'issuer-changed' } });
    const again = engine.reconnect(serverId);
    const flow = await asked(engine, serverId);
    await engine.call('authorization/cancel', { flowId: flow.id });
    await again;
    expect(new Set(requestsOf(other))).toEqual(new Set(metadataOnly));
    await expect(engine.call('authorization/answer', { flowId: flow.id, isYes: true })).rejects.toThrow(
      'does not wait for an answer',
    );
  });

  test('also about a secret that was entered after the issuer was known', async () => {
    const clients = [{ ...confidential, authMethod: 'client_secret_basic' }] as const;
    const { other, engine, serverId } = await atNewIssuer(
      { settings: {}, authorization: { clients } },
      window,
    );
    const flow = await engine.call('authorization/begin', {
      serverId,
      mode: 'automatic',
      revision: null,
      settings: clientCredentials,
    });
    const { question } = await asked(engine, serverId);
    expect(question).toMatchObject({ kind: 'other-issuer', issuer: other.issuer });
    await engine.call('authorization/cancel', { flowId: flow.id });
  });

  test('unless the first issuer was only looked at, and nothing was sent there', async () => {
    const clients = [{ ...confidential, authMethod: 'client_secret_basic' }] as const;
    const server = opened(await ProtectedServer.open({ authorization: { clients } }));
    const other = opened(await AuthorizationServer.open({ clients, resources: [server.resource] }));
    const engine = opened(await EngineFixture.open(window));
    let flow = await beginFlow(engine, server.url, { mode: 'stepped', settings: clientCredentials });
    const { serverId } = flow;
    while (flow.steps.find(({ id }) => id === flow.currentStep)?.name !== 'token') {
      const { currentStep } = flow;
      await engine.call('authorization/send', { flowId: flow.id, request: null, wrongValue: null });
      flow = await engine.until(async () => {
        const now = await settledFlow(engine, flow);
        return now.currentStep === currentStep ? null : now;
      });
    }
    await engine.call('authorization/cancel', { flowId: flow.id });
    nameOther(server, other);
    const next = await engine.call('authorization/begin', {
      serverId,
      mode: 'automatic',
      revision: null,
      settings: {},
    });
    expect((await settledFlow(engine, next)).state).toBe('done');
    expect(other.requestsTo('token')).toHaveLength(1);
    expect(server.authorization.requestsTo('token')).toEqual([]);
  });
});
