import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { AuthorizationStep } from '#shared/contract/authorization.ts';
import type { ServerSettings } from '#shared/contract/servers.ts';

const closeAfter = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(() => engine.close());

/** Connects with a revision, and has the flow that was needed. */
async function flowAt(options: ProtectedServerOptions, settings: Partial<ServerSettings>) {
  const server = closeAfter(await ProtectedServer.open({ era: 'legacy', ...options }));
  const session = await engine.connectUrl(server.url, settings);
  const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
  if (flow === undefined) throw new Error('there was no flow');
  return { server, session, flow };
}

const rulesOf = (steps: readonly AuthorizationStep[]) =>
  steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));

describe('2025-03-26', () => {
  const settings = { era: 'legacy', revision: '2025-03-26' } as const;
  /** A server without any metadata. */
  const plain = {
    sharesOrigin: true,
    resourceMetadataAt: [],
    namesMetadata: false,
    authorization: { metadataForms: [], sendsIss: false },
  } as const;

  test('a whole flow at the default endpoints, after metadata was looked for at the origin', async () => {
    const { server, session, flow } = await flowAt(plain, settings);
    expect(session).toMatchObject({ phase: 'ready', fault: null });
    expect(flow.state).toBe('done');
    const sent = flow.steps.flatMap(({ request }) =>
      request === null ? [] : [`${request.method} ${new URL(request.url).pathname}`],
    );
    expect(sent).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'POST /register',
      'GET /authorize',
      'POST /token',
    ]);
    expect(flow.steps.find(({ label }) => label === 'default endpoints')).toMatchObject({
      state: 'done',
      outcome: 'The default endpoints of the server are used.',
    });
    expect(rulesOf(flow.steps)).toContain('default-endpoints-used');
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
    expect(server.leaks).toEqual([]);
  });

  test('gets the resource in both requests, too', async () => {
    const { server } = await flowAt(plain, settings);
    const resources = (['authorize', 'token'] as const).map((endpoint) => {
      const [request] = server.authorization.requestsTo(endpoint);
      const query = new URL(request?.url ?? '', server.origin).searchParams;
      return query.get('resource') ?? new URLSearchParams(request?.body.toString()).get('resource');
    });
    expect(resources).toEqual([server.url, server.url]);
  });
});

describe('2024-11-05, which has no authorization', () => {
  const settings = { era: 'legacy', revision: '2024-11-05' } as const;

  test('a 401 with metadata leads to authorization, and a note says so', async () => {
    const { server, session, flow } = await flowAt({}, settings);
    expect(session).toMatchObject({ phase: 'ready', agreement: { revision: '2024-11-05' } });
    expect(flow).toMatchObject({ state: 'done', revision: '2024-11-05' });
    const [challenge] = flow.steps;
    expect(challenge?.findings).toMatchObject([
      {
        rule: 'revision-without-authorization',
        severity: 'info',
        text: expect.stringContaining('2024-11-05'),
      },
    ]);
    expect(server.transcript).toContain('GET mcp-server /.well-known/oauth-protected-resource/mcp');
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
  });

  test('a 401 without metadata stays a 401', async () => {
    const options = { resourceMetadataAt: [], namesMetadata: false, sharesOrigin: true } as const;
    const { session, flow } = await flowAt({ ...options, authorization: { metadataForms: [] } }, settings);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-status-401' } });
    expect(flow.fault?.code).toBe('no-authorization-metadata');
  });
});

test('of several authorization servers the flow uses the one that was chosen, and no other', async () => {
  await engine.close();
  // A host whose user sees the flow.
  engine = await EngineFixture.open({
    host: 'web',
    openInBrowser: async (url) => void (await browse(url)),
  });
  const chosen = closeAfter(await AuthorizationServer.open());
  const server = closeAfter(await ProtectedServer.open({ others: [chosen] }));
  chosen.resources.push(server.url);
  const issuers = [server.authorization.issuer, chosen.issuer];
  server.options = { ...server.options, resourceMetadata: { authorization_servers: issuers } };

  const connecting = engine.connectUrl(server.url);
  const waiting = await engine.until(async () => {
    const [session] = await engine.call('sessions/list', {});
    if (session === undefined) return null;
    const [flow] = await engine.call('authorization/flows', { sessionId: session.id });
    return flow?.state === 'waiting' ? flow : null;
  });
  expect(waiting.issuers).toEqual(issuers);
  await engine.call('authorization/choose', { flowId: waiting.id, issuer: chosen.issuer });
  const session = await connecting;
  expect(session).toMatchObject({ phase: 'ready', fault: null });
  const [done] = await engine.call('authorization/flows', { sessionId: session.id });
  expect(done?.steps.find(({ label }) => label === 'choice of the authorization server')).toMatchObject({
    outcome: `The authorization server is ${chosen.issuer}.`,
    alternatives: [{ label: server.authorization.issuer, why: 'Not chosen.' }],
  });
  expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
  expect(chosen.requestsTo('token')).toHaveLength(1);
  expect(server.authorization.requests).toEqual([]);
  const [stored] = await engine.call('authorization/credentials', { serverId: session.serverId });
  expect(stored?.issuer).toBe(chosen.issuer);
});

test('two sessions have their own tokens, at once', async () => {
  const servers = [closeAfter(await ProtectedServer.open()), closeAfter(await ProtectedServer.open())];
  const sessions = await Promise.all(servers.map(({ url }) => engine.connectUrl(url)));
  await Promise.all(sessions.map(({ id }) => engine.callTool(id, 'echo', { text: 'hi' })));
  for (const { log, authorization, leaks } of servers) {
    const own = new Set(authorization.tokens.all.map(({ value }) => value));
    const sent = log.flatMap(({ party, request }) => {
      const value = request.header('Authorization')?.replace(/^Bearer /, '');
      return party === 'mcp-server' && value !== undefined ? [value] : [];
    });
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.filter((value) => !own.has(value))).toEqual([]);
    expect(leaks).toEqual([]);
  }
});
