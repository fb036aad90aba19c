import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { ReceivedRequest } from '#fixtures/http/received.ts';
import { ScriptedSseServer } from '#fixtures/http/scripted-sse-server.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';

let engine: EngineFixture;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(async () => {
  await engine.close();
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const closedLater = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one);
  return one;
};

/** The `Authorization` of the GET requests for a stream. */
const schemesOf = (requests: readonly ReceivedRequest[], path: string) =>
  requests
    .filter(({ method, url }) => method === 'GET' && url === path)
    .map((request) => request.header('Authorization')?.split(' ')[0] ?? null);

describe('a stream that the server refuses with 401', () => {
  test('is opened with the token of a flow, if only the standing GET stream is protected', async () => {
    const server = closedLater(await ProtectedServer.open({ era: 'legacy', protects: ['GET'] }));
    const session = await engine.connectUrl(server.url);
    expect(session.phase).toBe('ready');
    await server.app.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await engine.until(
      async () => (await engine.session(session.id)).http?.streams.find(({ events }) => events > 0) ?? null,
    );
    expect(schemesOf(server.app.requests, '/mcp')).toEqual([null, 'Bearer']);
    const [flow, ...others] = await engine.call('authorization/flows', { sessionId: session.id });
    expect(others).toEqual([]);
    expect(flow?.steps.map(({ name }) => name).slice(0, 2)).toEqual(['challenge', 'resource-metadata']);
    expect(flow?.steps.at(-1)).toMatchObject({
      name: 'use-token',
      state: 'done',
      outcome: expect.stringMatching(/^The server (?:accepted|did not reject) the token/),
      // The session measures its own request: its row has the duration.
      duration: null,
    });
    expect(server.leaks).toEqual([]);
  });

  test('stays refused if the flow fails, and the session says why', async () => {
    const server = closedLater(
      await ProtectedServer.open({
        era: 'legacy',
        protects: ['GET'],
        authorization: { consent: 'denied' },
      }),
    );
    const session = await engine.connectUrl(server.url);
    const refused = await engine.until(async () => {
      const { evidence, http } = await engine.session(session.id);
      const noted = evidence.find(({ text }) => text.startsWith('No stream for messages of the server.'));
      return noted === undefined ? null : { noted, streams: http?.streams };
    });
    expect(refused.noted.text).toContain('access_denied');
    expect(refused.noted.row).not.toBeNull();
    expect(refused.streams).toMatchObject([{ kind: 'standing', state: 'refused' }]);
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
    expect(schemesOf(server.app.requests, '/mcp')).toEqual([null]);
  });

  test('is opened with the token, if it is the stream of HTTP+SSE', async () => {
    const server = closedLater(await ProtectedServer.open());
    const sse = closedLater(
      await ScriptedSseServer.open({
        intercept: (exchange) => {
          const [, value = ''] = /^Bearer (.+)$/.exec(exchange.received.header('Authorization') ?? '') ?? [];
          if (server.authorization.tokens.findActive(value) !== null) return false;
          const challenge = `Bearer resource_metadata="${server.resourceMetadataUrl}"`;
          exchange.reply(401, { 'WWW-Authenticate': challenge });
          return true;
        },
      }),
    );
    server.options = { ...server.options, resourceMetadata: { resource: sse.url } };
    server.authorization.resources.push(sse.url);
    const session = await engine.connectUrl(sse.url, {
      http: { transport: 'http-sse', authorization: defaultAuthorization },
    });
    expect(session).toMatchObject({ phase: 'ready', transport: 'http-sse', fault: null });
    expect(schemesOf(sse.requests, '/sse')).toEqual([null, 'Bearer']);
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
    expect(server.leaks).toEqual([]);
  });
});

describe('a session that its stream finds expired, together with its token', () => {
  test.each([
    ['the stream needs no token', ['POST']],
    ['the stream needs the token too', undefined],
  ] as const)('is opened again with a new token: %s', async (_, protects) => {
    const server = closedLater(await ProtectedServer.open({ era: 'legacy', ...(protects && { protects }) }));
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'ready', http: { renewed: 0 } });
    const stream = await server.app.until(() => server.app.standing.at(-1) ?? null);
    server.authorization.tokens.expireAccessTokens();
    server.app.expire();
    stream.end();
    const again = await engine.until(async () => {
      const view = await engine.session(session.id);
      const isOver = view.phase === 'failed' || (view.phase === 'ready' && view.http?.renewed === 1);
      return isOver ? view : null;
    });
    expect(again).toMatchObject({ phase: 'ready', fault: null });
    expect(again.http?.sessionId).not.toBe(session.http?.sessionId);
    expect((await engine.callTool(session.id, 'echo', { message: 'hi' })).state).toBe('ok');
    expect(server.leaks).toEqual([]);
  });

  test('fails with the reason if the user does not authorize again', async () => {
    const server = closedLater(await ProtectedServer.open({ era: 'legacy', protects: ['POST'] }));
    const session = await engine.connectUrl(server.url);
    const stream = await server.app.until(() => server.app.standing.at(-1) ?? null);
    for (const { family } of server.authorization.tokens.all)
      server.authorization.tokens.revokeFamily(family);
    server.authorization.options = { ...server.authorization.options, consent: 'denied' };
    server.app.expire();
    stream.end();
    const failed = await engine.settled(session.id, ['failed']);
    expect(JSON.stringify(failed.fault)).toContain('access_denied');
  });
});
