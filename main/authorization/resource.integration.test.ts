import { describe, expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { settledFlow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { Platform } from '#main/platform.ts';
import { type AuthorizationSettings, defaultAuthorization } from '#shared/contract/authorization.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';

const opened = closeAfterEachTest();

const KEY = 'planted-key-0123456789';

/** A server without resource metadata, whose authorization server has its origin. */
const plain: ProtectedServerOptions = {
  sharesOrigin: true,
  resourceMetadataAt: [],
  namesMetadata: false,
  accepts: () => true,
};

interface Given {
  readonly options?: ProtectedServerOptions;
  readonly settings?: Partial<AuthorizationSettings>;
  readonly platform?: Partial<Platform>;
  readonly revision?: string;
}

/** A server, and a function that connects to its URL with this query. */
async function open({ options = plain, settings = {}, platform = {}, revision = '2025-03-26' }: Given = {}) {
  const server = opened(
    await ProtectedServer.open({
      ...options,
      era: 'legacy',
      authorization: {
        clients: [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }],
        ...options.authorization,
      },
    }),
  );
  const host = { openInBrowser: async (url: string) => void (await browse(url)), ...platform };
  const engine = opened(await EngineFixture.open(host));
  const connect = (query: string, user = '') => {
    const url = `${server.url.replace('://', `://${user}`)}${query}`;
    // What the token is for is not the matter here.
    server.authorization.resources.push(url, server.url, `${server.url}?tenant=a`);
    return engine.connectUrl(url, {
      era: 'legacy',
      revision,
      http: { ...plainHttpSettings(url), authorization: { ...defaultAuthorization, ...settings } },
    });
  };
  /** What the authorization server got as resource, by endpoint. */
  const resources = () =>
    ['authorize', 'token'].flatMap((endpoint) =>
      server.authorization
        .requestsTo(endpoint)
        .map(
          ({ url, body }) =>
            new URL(url, server.origin).searchParams.get('resource') ??
            new URLSearchParams(body.toString()).get('resource'),
        ),
    );
  return { server, engine, connect, resources };
}

/** Everything that the authorization server got. */
const received = ({ authorization }: ProtectedServer): string =>
  authorization.requests
    .filter(({ url }) => !url.startsWith('/mcp') && !url.startsWith('/.well-known/oauth-protected'))
    .map(({ url, headers, body }) =>
      decodeURIComponent(`${url} ${JSON.stringify(headers)} ${body.toString()}`),
    )
    .join('\n');

describe('a secret in the URL of the server does not go to the authorization server', () => {
  test.each([
    ['an API key', `?api_key=${KEY}`],
    ['a key written in another way', `?X-API-Key=${KEY}`],
    ['a token beside other parameters', `?tenant=a&access_token=${KEY}&access_token=${KEY}2`],
    ['a value without a telling name', `?k=${KEY}`],
    ['a fragment', `#token=${KEY}`],
  ])('%s', async (_what, query) => {
    const { server, connect, resources } = await open();
    const { phase } = await connect(query);
    expect(received(server)).not.toContain(KEY);
    expect(phase).toBe('ready');
    expect(resources()).toEqual([server.url, server.url]);
  });

  test('also when the token is refreshed', async () => {
    const { server, engine, connect, resources } = await open();
    const { id: sessionId, serverId } = await connect(`?api_key=${KEY}`);
    const [stored] = await engine.call('authorization/credentials', { serverId });
    const begun = await engine.call('authorization/refresh', { credentialsId: stored?.id ?? '', sessionId });
    expect((await settledFlow(engine, begun)).state).toBe('done');
    expect(received(server)).not.toContain(KEY);
    expect(resources()).toEqual([server.url, server.url, server.url]);
  });

  test('nor with client credentials, and what is stored of them has no secret', async () => {
    const secret = 'secret-of-mine';
    const clients = [
      { clientId: 'mine', secret, redirectUris: [], authMethod: 'client_secret_basic' },
    ] as const;
    const { server, engine, connect, resources } = await open({
      options: { ...plain, authorization: { clients } },
      settings: {
        clientId: 'mine',
        clientSecret: { isSet: true, value: secret },
        grant: 'client-credentials',
      },
    });
    const { serverId } = await connect(`?api_key=${KEY}`);
    expect(resources()).toEqual([server.url]);
    const [stored] = await engine.call('authorization/credentials', { serverId });
    expect(stored?.resource).toBe(server.url);
  });

  test('nor does one that the metadata repeats', async () => {
    const options: ProtectedServerOptions = { accepts: () => true };
    const { server, connect } = await open({ options, revision: '2025-11-25' });
    server.options = { ...server.options, resource: `${server.url}?api_key=${KEY}` };
    const { phase } = await connect(`?api_key=${KEY}`);
    expect(phase).toBe('ready');
    expect(server.authorization.requestsTo('token')).toHaveLength(1);
    expect(received(server)).not.toContain(KEY);
  });

  test.each([
    ['without metadata', plain, '2025-03-26'],
    ['with metadata that repeats it', { accepts: () => true }, '2025-11-25'],
  ] as const)('a secret variable under any name, %s', async (_what, options, revision) => {
    process.env['SIGHTGLASS_TEST_TOKEN'] = KEY;
    const { server, connect } = await open({ options, revision, platform: { host: 'web' } });
    if (revision === '2025-11-25') server.options = { ...server.options, resource: `${server.url}?q=${KEY}` };
    const { phase } = await connect('?q=${env:SIGHTGLASS_TEST_TOKEN}');
    expect(received(server)).not.toContain(KEY);
    expect(phase).toBe('ready');
  });

  test('and metadata that leaves it out is of this server', async () => {
    const { server, connect, resources } = await open({
      options: { accepts: () => true },
      revision: '2025-11-25',
    });
    const { phase, id } = await connect(`?api_key=${KEY}`);
    expect([phase, id]).toEqual(['ready', expect.any(String)]);
    expect(resources()).toEqual([server.url, server.url]);
  });
});

describe('a query without secret names', () => {
  test('is asked about in a window; yes sends it without the secrets in it, no leaves it out', async () => {
    for (const isYes of [true, false]) {
      const { server, engine, connect, resources } = await open({ platform: { host: 'web' } });
      const connecting = connect(`?tenant=a&api_key=${KEY}`);
      const flow = await engine.until(async () => {
        const [session] = await engine.call('sessions/list', {});
        if (session === undefined) return null;
        const [now] = await engine.call('authorization/flows', { sessionId: session.id });
        return now?.state === 'waiting' ? now : null;
      });
      expect(flow.question).toEqual({
        kind: 'resource-query',
        parameters: ['tenant'],
        issuer: server.origin,
      });
      expect(resources()).toEqual([]);
      await engine.call('authorization/answer', { flowId: flow.id, isYes });
      expect((await connecting).phase).toBe('ready');
      const resource = isYes ? `${server.url}?tenant=a` : server.url;
      expect(resources()).toEqual([resource, resource]);
    }
  });

  test('is left out where nobody can be asked, and the step names the option that sends it', async () => {
    const { server, engine, connect, resources } = await open();
    const { id: sessionId } = await connect('?tenant=a');
    expect(resources()).toEqual([server.url, server.url]);
    const [flow] = await engine.call('authorization/flows', { sessionId });
    const request = flow?.steps.find(({ name }) => name === 'authorization-request')?.request;
    expect(request?.query.find(({ name }) => name === 'resource')?.note).toContain('--allow-resource-query');
  });
});
