import { exportPKCS8, generateKeyPair } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { jsonAnswer, notFound, textAnswer } from '#fixtures/authorization/answer.ts';
import { beginFlow, flowNow, stepThrough } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { MANUAL, type EntryValues } from '#shared/authorization/manual-entry.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { AuthorizationFlow, AuthorizationSettings } from '#shared/contract/authorization.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = opened(await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) }));
});

const serve = async (options: ProtectedServerOptions = {}) => opened(await ProtectedServer.open(options));

interface How {
  readonly mode?: AuthorizationFlow['mode'];
  readonly revision?: string | null;
  readonly settings?: Partial<AuthorizationSettings>;
}

/** A stepped flow, sent up to its first fault. */
const untilFault = async (
  { url }: ProtectedServer,
  { mode = 'stepped', revision = '2026-07-28', settings = {} }: How = {},
) => stepThrough(engine, await beginFlow(engine, url, { mode, revision, settings }));

/** The flow at its next stop after something was done about its fault. */
async function after(flow: AuthorizationFlow, done: Promise<unknown>): Promise<AuthorizationFlow> {
  await done;
  return engine.until(async () => {
    const now = await flowNow(engine, flow);
    const isNew = now !== null && now.steps.length > flow.steps.length;
    return isNew && now.state !== 'running' ? now : null;
  });
}

const enter = (flow: AuthorizationFlow, values: EntryValues) =>
  after(flow, engine.call('authorization/enter', { flowId: flow.id, values }));

const goOn = (flow: AuthorizationFlow) =>
  after(flow, engine.call('authorization/override', { flowId: flow.id }));

const faultOf = (flow: AuthorizationFlow, values: EntryValues) =>
  engine.call('authorization/enter', { flowId: flow.id, values }).then(
    () => null,
    (error: unknown) => (error instanceof FaultError ? error.fault : error),
  );

const entered = ({ steps }: AuthorizationFlow) => steps.filter(({ label }) => label === MANUAL);

const endpointsOf = ({ issuer }: AuthorizationServer) => ({
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
});

describe('a stepped flow can continue anyway', () => {
  const metadata: Readonly<Record<string, ProtectedServerOptions>> = {
    'where code_challenge_methods_supported is missing': {
      authorization: { metadata: { code_challenge_methods_supported: undefined } },
    },
    'where it is empty': { authorization: { metadata: { code_challenge_methods_supported: [] } } },
    'where it is no list': { authorization: { metadata: { code_challenge_methods_supported: 'S256' } } },
    'where it has only plain': {
      authorization: { metadata: { code_challenge_methods_supported: ['plain'] } },
    },
    'where the issuer is another one': { authorization: { metadata: { issuer: 'https://sts.example/t' } } },
    'where the issuer is missing': { authorization: { metadata: { issuer: undefined } } },
    'where the issuer is a template, and PKCE is missing': {
      authorization: {
        sendsIss: false,
        metadata: {
          issuer: 'https://login.example/{tenantid}/v2.0',
          code_challenge_methods_supported: undefined,
        },
      },
    },
    'where the metadata is of another resource': {
      resourceMetadata: { resource: 'https://other.example/mcp' },
    },
  };

  const revisions = ['2026-07-28', null];
  test.each(Object.keys(metadata).flatMap((what) => revisions.map((revision) => [what, revision] as const)))(
    '%s, at the revision %s',
    async (what, revision) => {
      const server = await serve(metadata[what] ?? {});
      server.authorization.resources.push('https://other.example/mcp');
      server.options = { ...server.options, accepts: () => true };
      const flow = await untilFault(server, { revision });
      expect(flow).toMatchObject({ state: 'failed', canOverride: true });
      const end = await stepThrough(engine, await goOn(flow));
      expect(end).toMatchObject({ state: 'done', fault: null });
      expect(end.steps.filter(({ isOverridden }) => isOverridden)).toHaveLength(1);
      const [request] = server.authorization.requestsTo('authorize');
      expect(request?.url).toContain('code_challenge_method=S256');
    },
  );

  test.each(revisions)(
    'where only a slash at the end of the issuer differs, at the revision %s',
    async (revision) => {
      const server = await serve({ authorization: { sendsIss: false } });
      const servers = [`${server.authorization.issuer}/`];
      server.options = { ...server.options, resourceMetadata: { authorization_servers: servers } };
      const flow = await untilFault(server, { revision });
      expect(flow).toMatchObject({ state: 'failed', canOverride: true });
      expect(await stepThrough(engine, await goOn(flow))).toMatchObject({ state: 'done', fault: null });
    },
  );

  test('and is not stopped where only some revisions stop once it runs to its end', async () => {
    const server = await serve({
      authorization: { metadata: { code_challenge_methods_supported: undefined } },
    });
    const flow = await beginFlow(engine, server.url, { mode: 'stepped', revision: null });
    await engine.call('authorization/run', { flowId: flow.id });
    const end = await engine.until(async () => {
      const now = await flowNow(engine, flow);
      return now !== null && ['done', 'failed'].includes(now.state) ? now : null;
    });
    expect(end).toMatchObject({ state: 'done', fault: null });
    expect(end.steps.flatMap(({ findings }) => findings.map(({ rule }) => rule))).toContain(
      'revisions-differ',
    );
  });

  test.each([[undefined], [[]]])('with the origin of the server where it names %j', async (servers) => {
    const server = await serve({ sharesOrigin: true, resourceMetadata: { authorization_servers: servers } });
    const flow = await untilFault(server);
    expect(flow).toMatchObject({ state: 'failed', canOverride: true });
    expect(await stepThrough(engine, await goOn(flow))).toMatchObject({ state: 'done', fault: null });
  });

  test('but not an automatic one, nor where the rest cannot be used', async () => {
    const withoutPkce = { code_challenge_methods_supported: undefined };
    const server = await serve({ authorization: { metadata: withoutPkce } });
    expect(await untilFault(server, { mode: 'automatic' })).toMatchObject({
      state: 'failed',
      canOverride: false,
      entry: null,
    });
    const plain = { ...withoutPkce, token_endpoint: 'http://token.example/token' };
    expect(await untilFault(await serve({ authorization: { metadata: plain } }))).toMatchObject({
      state: 'failed',
      canOverride: false,
      entry: { kind: 'server-metadata' },
    });
  });
});

describe('entered by hand', () => {
  test.each(['2025-06-18', '2025-11-25', '2026-07-28', null])(
    'the issuer leads to its metadata, where no resource metadata is (%s)',
    async (revision) => {
      const server = await serve({ resourceMetadataAt: [], namesMetadata: false });
      const flow = await untilFault(server, { revision });
      expect(flow.fault?.code).toBe('no-authorization-metadata');
      const next = await enter(flow, { issuer: server.authorization.issuer });
      const [step] = entered(next);
      expect(step).toMatchObject({
        state: 'done',
        request: null,
        outcome: `You entered by hand: issuer ${server.authorization.issuer}.`,
      });
      const end = await stepThrough(engine, next);
      expect(end).toMatchObject({ state: 'done', fault: null });
      expect(server.authorization.requestsTo('register')).toHaveLength(1);
    },
  );

  test('the issuer is used where the resource metadata names none, or what is no URL', async () => {
    for (const servers of [undefined, ['not a url']]) {
      const server = await serve({ resourceMetadata: { authorization_servers: servers } });
      const flow = await untilFault(server);
      expect(flow.entry).toEqual({
        kind: 'resource-metadata',
        fields: [
          { name: 'issuer', value: '' },
          { name: 'resource', value: server.resource },
        ],
      });
      const end = await stepThrough(engine, await enter(flow, { issuer: server.authorization.issuer }));
      expect(end).toMatchObject({ state: 'done', fault: null });
    }
  });

  test('the endpoints are used where the authorization server has no metadata', async () => {
    const server = await serve({ authorization: { metadataForms: [] } });
    const flow = await untilFault(server);
    expect(flow.entry?.kind).toBe('server-metadata');
    const next = await enter(flow, endpointsOf(server.authorization));
    expect(entered(next)[0]?.findings.map(({ rule }) => rule)).toEqual(['endpoint-http-on-loopback']);
    expect(await stepThrough(engine, next)).toMatchObject({ state: 'done', fault: null });
  });

  test.each(['authorization_endpoint', 'token_endpoint'] as const)(
    'a missing %s is added to the metadata',
    async (name) => {
      const server = await serve({ authorization: { metadata: { [name]: undefined } } });
      const flow = await untilFault(server);
      expect(flow.entry?.fields.filter(({ value }) => value === '').map((field) => field.name)).toEqual([
        name,
      ]);
      const next = await enter(flow, { [name]: endpointsOf(server.authorization)[name] });
      expect(await stepThrough(engine, next)).toMatchObject({ state: 'done', fault: null });
    },
  );

  test.each(['javascript:alert(1)', 'http://login.example/authorize', 'no url'])(
    'an endpoint replaces %s',
    async (endpoint) => {
      const server = await serve({ authorization: { metadata: { authorization_endpoint: endpoint } } });
      const flow = await untilFault(server);
      expect(flow).toMatchObject({ state: 'failed', entry: { kind: 'server-metadata' } });
      const { authorization_endpoint: right } = endpointsOf(server.authorization);
      const next = await enter(flow, { authorization_endpoint: right });
      expect(await stepThrough(engine, next)).toMatchObject({ state: 'done', fault: null });
    },
  );

  const rejections: Readonly<Record<string, ProtectedServerOptions['authorization']>> = {
    'has no registration endpoint': { registers: false },
    'refuses to register with JSON': {
      overrides: { registration: jsonAnswer({ error: 'invalid_client_metadata' }, { status: 400 }) },
    },
    'refuses to register with a text': { overrides: { registration: textAnswer(403, 'Forbidden') } },
    'has nothing at its registration endpoint': { overrides: { registration: notFound } },
  };

  test.each(Object.keys(rejections))('a client is used where the server %s', async (what) => {
    const server = await serve({
      authorization: {
        ...rejections[what],
        clients: [
          {
            clientId: 'by-hand',
            secret: 'secret-by-hand-1',
            redirectUris: [],
            authMethod: 'client_secret_basic',
          },
        ],
      },
    });
    const flow = await untilFault(server);
    expect(flow.entry).toMatchObject({ kind: 'client' });
    const next = await enter(flow, { client_id: 'by-hand', client_secret: 'secret-by-hand-1' });
    const end = await stepThrough(engine, next);
    expect(end).toMatchObject({ state: 'done', fault: null });
    expect(entered(end)[0]?.outcome).toBe('You entered by hand: client_id by-hand, client_secret.');
    const rows = await engine.rows(flow.sessionId);
    expect(JSON.stringify([end, rows])).not.toContain('secret-by-hand-1');
  });

  test('a registration endpoint is used where the metadata has none', async () => {
    const server = await serve({ authorization: { metadata: { registration_endpoint: undefined } } });
    const flow = await untilFault(server);
    const { registration_endpoint: right } = endpointsOf(server.authorization);
    const end = await stepThrough(engine, await enter(flow, { registration_endpoint: right }));
    expect(end).toMatchObject({ state: 'done', fault: null });
    expect(server.authorization.requestsTo('register')).toHaveLength(1);
  });

  const wrong: readonly [EntryValues, string][] = [
    [{ issuer: 'ftp://login.example' }, 'entry-unusable'],
    [{ issuer: 'javascript:alert(1)' }, 'entry-unusable'],
    [{ issuer: 'login.example' }, 'entry-unusable'],
    [{ issuer: 'http://login.example' }, 'entry-unusable'],
    [{ issuer: 'https://login.example?x=1' }, 'entry-unusable'],
    [{ issuer: 'https://user:password@login.example' }, 'entry-unusable'],
    [{ token_endpoint: 'https://login.example/token#f' }, 'entry-unusable'],
    [{ token_endpoint: 'http://192.168.0.1/token' }, 'entry-unusable'],
    [{ token_endpoint: 'https://login.example/token' }, 'entry-missing'],
  ];

  test.each(wrong)('%j is rejected with the reason, and the form stays', async (values, code) => {
    const server = await serve({ authorization: { metadataForms: [] } });
    const flow = await untilFault(server);
    expect(await faultOf(flow, values)).toMatchObject({ code, what: expect.any(String) });
    expect(await flowNow(engine, flow)).toMatchObject({ state: 'failed', entry: flow.entry });
  });

  test('nothing can be entered without a fault, or twice', async () => {
    const server = await serve({ authorization: { metadataForms: [] } });
    const flow = await untilFault(server);
    await enter(flow, endpointsOf(server.authorization));
    expect(await faultOf(flow, {})).toMatchObject({ code: 'nothing-to-enter' });
  });

  test('it is gone when the step before is forked, and can be entered otherwise', async () => {
    const server = await serve({ authorization: { metadataForms: [] } });
    const flow = await untilFault(server);
    const wrongs = { ...endpointsOf(server.authorization), token_endpoint: `${server.strangerOrigin}/token` };
    const next = await enter(flow, wrongs);
    const [step] = entered(next);
    await engine.call('authorization/fork', { flowId: flow.id, stepId: step?.id ?? 0 });
    const forked = await engine.until(async () => {
      const now = await flowNow(engine, flow);
      return now !== null && now.state === 'failed' ? now : null;
    });
    const end = await stepThrough(engine, await enter(forked, endpointsOf(server.authorization)));
    expect(end).toMatchObject({ state: 'done', fault: null });
  });
});

describe('what was entered for one authorization server does not go to another', () => {
  const secret = (value: string) => ({ isSet: true, value });
  const clients = [
    {
      clientId: 'mine',
      secret: 'secret-of-the-first',
      redirectUris: [],
      authMethod: 'client_secret_post',
    },
  ] as const;

  test('the settings, when another issuer is entered by hand: the flow asks first', async () => {
    const openInBrowser = async (url: string) => void (await browse(url));
    engine = opened(await EngineFixture.open({ host: 'web', openInBrowser }));
    const server = await serve({ authorization: { clients } });
    const settings = {
      clientId: 'mine',
      clientSecret: secret('secret-of-the-first'),
      authMethod: 'client_secret_post',
    } as const;
    const first = await untilFault(server, { settings });
    expect(first.state).toBe('done');
    const other = opened(await AuthorizationServer.open({ clients, resources: [server.resource] }));
    server.options = { ...server.options, resourceMetadata: { authorization_servers: undefined } };
    // The same server again: what went where belongs to it.
    const begun = await engine.call('authorization/begin', {
      serverId: first.serverId,
      mode: 'stepped',
      revision: '2026-07-28',
      settings: {},
    });
    const stopped = await engine.until(async () => {
      const now = await flowNow(engine, begun);
      return now?.state === 'stopped' ? now : null;
    });
    const flow = await stepThrough(engine, stopped);
    expect(flow).toMatchObject({ state: 'failed', entry: { kind: 'resource-metadata' } });
    await engine.call('authorization/enter', { flowId: flow.id, values: { issuer: other.issuer } });
    const asking = await engine.until(async () => {
      const now = await flowNow(engine, flow);
      if (now?.state === 'stopped')
        await engine.call('authorization/send', { flowId: flow.id, request: null, wrongValue: null });
      return now?.question == null ? null : now;
    });
    expect(asking.question).toMatchObject({ kind: 'other-issuer', issuer: other.issuer });
    await engine.call('authorization/answer', { flowId: flow.id, isYes: false });
    await engine.until(async () => ((await flowNow(engine, flow))?.state === 'failed' ? true : null));
    expect(other.requests.map(({ url }) => url)).toEqual(['/.well-known/oauth-authorization-server']);
  });

  test('a client that was entered by hand is bound to its issuer, and so is the private key that signs for it', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const pem = await exportPKCS8(privateKey);
    const server = await serve({ authorization: { registers: false, clients } });
    const flow = await untilFault(server, { settings: { privateKey: secret(pem) } });
    const next = await enter(flow, { client_id: 'mine', client_secret: 'secret-of-the-first' });
    expect(next.steps.find(({ name }) => name === 'credentials')?.outcome).toMatch(
      new RegExp(`client ID.*client secret.*private key.* will go to ${server.authorization.issuer}`, 'i'),
    );
  });
});
