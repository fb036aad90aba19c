import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, jsonAnswer, textAnswer } from '#fixtures/authorization/answer.ts';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { beginFlow, settledFlow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { unusableAnswers } from '#fixtures/authorization/unusable-answers.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import type { AuthorizationFlow } from '#shared/contract/authorization.ts';
import type { Revision } from '#shared/protocol/revisions.ts';

const opened = closeAfterEachTest();
let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open({ openInBrowser: async (url) => void (await browse(url)) });
});
afterEach(() => engine.close());

const serve = async (options: ProtectedServerOptions = {}) => opened(await ProtectedServer.open(options));

const flowAt = (server: ProtectedServer, revision: Revision | null = null) =>
  beginFlow(engine, server.url, { mode: 'automatic', revision });

const rulesIn = ({ steps }: AuthorizationFlow) =>
  steps.flatMap(({ findings }) => findings.map(({ rule }) => rule));

/** The well-known URLs that were requested. A request whose connection is cut may be sent once more. */
const requestedAt = ({ log }: ProtectedServer) => [
  ...new Set(log.flatMap(({ request: { url } }) => (url.startsWith('/.well-known/') ? [url] : []))),
];

const PATH = '/.well-known/oauth-protected-resource/mcp';
const ROOT = '/.well-known/oauth-protected-resource';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

const kinds = Object.entries(unusableAnswers);
const partly: [string, Answer][] = [
  ['metadata without authorization servers', jsonAnswer({ resource: 'http://127.0.0.1/mcp' })],
  ['metadata without a resource', jsonAnswer({ authorization_servers: ['https://login.example'] })],
];

describe('resource metadata', () => {
  test.each([...kinds, ...partly])('is looked for at the root after %s', async (_, answer) => {
    const server = await serve({
      namesMetadata: false,
      resourceMetadataAt: ['root'],
      overrides: { [PATH]: () => answer },
    });
    expect(await flowAt(server, '2026-07-28')).toMatchObject({ state: 'done', fault: null });
    expect(requestedAt(server)).toEqual([PATH, ROOT, OAUTH]);
    expect(server.leaks).toEqual([]);
  });

  test.each(kinds.filter(([name]) => name !== 'a redirect to another origin'))(
    'is looked for at the well-known URLs when the URL of the challenge gives %s, which is a finding',
    async (_, answer) => {
      const server = await serve({ resourceMetadataAt: ['path'] });
      server.options = {
        ...server.options,
        overrides: {
          challenge: {
            headers: [['WWW-Authenticate', `Bearer resource_metadata="${server.origin}/named"`]],
          },
          '/named': () => answer,
        },
      };
      const flow = await flowAt(server, '2026-07-28');
      expect(flow).toMatchObject({ state: 'done', fault: null });
      expect(requestedAt(server)).toEqual([PATH, OAUTH]);
      expect(rulesIn(flow)).toContain('resource-metadata-missing');
    },
  );

  test('is not looked for elsewhere when the URL of the challenge leads to another origin', async () => {
    const server = await serve();
    server.options = {
      overrides: { [PATH]: { status: 307, headers: [['Location', `${server.strangerOrigin}/x`]], body: '' } },
    };
    const flow = await flowAt(server, '2026-07-28');
    expect(flow).toMatchObject({ state: 'failed', fault: { code: 'redirect-leaves-origin' } });
    expect(requestedAt(server)).toEqual([PATH]);
  });

  test('that is good ends the search', async () => {
    const server = await serve({ namesMetadata: false, resourceMetadataAt: ['path', 'root'] });
    await flowAt(server, '2026-07-28');
    expect(requestedAt(server)).toEqual([PATH, OAUTH]);
  });

  test('of which every URL has only a part stops the flow with what it lacks', async () => {
    const server = await serve({ resourceMetadata: { authorization_servers: undefined } });
    const flow = await flowAt(server, '2026-07-28');
    expect(flow.fault).toMatchObject({ code: 'no-authorization-servers' });
    expect(requestedAt(server)).toEqual([PATH, ROOT]);
  });
});

describe('metadata of the authorization server', () => {
  test.each(kinds)('is looked for at the next URL after %s', async (_, answer) => {
    const server = await serve({
      authorization: { metadataForms: ['openid-inserted'], overrides: { [OAUTH]: () => answer } },
    });
    expect(await flowAt(server, '2026-07-28')).toMatchObject({ state: 'done', fault: null });
    expect(requestedAt(server)).toEqual([PATH, OAUTH, OPENID]);
  });
});

describe('of two authorization servers', () => {
  const down: [string, (server: ProtectedServer) => void][] = [
    ...kinds.map(([name, answer]): [string, (server: ProtectedServer) => void] => [
      name,
      ({ authorization }) => {
        authorization.options = { overrides: { [OAUTH]: () => answer, [OPENID]: () => answer } };
      },
    ]),
    ['nobody who listens', ({ authorization }) => void authorization.close()],
  ];

  test.each(down)('the second is used when the first gives %s', async (_, breakFirst) => {
    const second = opened(await AuthorizationServer.open());
    const server = await serve({ others: [second] });
    second.resources.push(server.url);
    const issuers = [server.authorization.issuer, second.issuer];
    server.options = { ...server.options, resourceMetadata: { authorization_servers: issuers } };
    breakFirst(server);
    const flow = await flowAt(server, '2026-07-28');
    expect(flow).toMatchObject({ state: 'done', fault: null });
    const found = flow.steps.flatMap(({ findings }) => findings);
    expect(found.find(({ rule }) => rule === 'authorization-server-unavailable')?.text).toContain(
      `${issuers[0]} can be had. The resource metadata names ${issuers[1]} too`,
    );
    expect(second.requestsTo('token')).toHaveLength(1);
    expect(server.authorization.requestsTo('register')).toEqual([]);
  });

  test('the one that the user chose is not replaced, and the fault names the other', async () => {
    await engine.close();
    engine = await EngineFixture.open({
      host: 'web',
      openInBrowser: async (url) => void (await browse(url)),
    });
    const second = opened(await AuthorizationServer.open());
    const server = await serve({ authorization: { metadataForms: [] } });
    const issuers = [server.authorization.issuer, second.issuer];
    server.options = { resourceMetadata: { authorization_servers: issuers } };
    const waiting = await beginFlow(engine, server.url, { mode: 'stepped', revision: '2026-07-28' });
    await engine.call('authorization/run', { flowId: waiting.id });
    const asked = await settledFlow(engine, waiting, ['running', 'stopped']);
    await engine.call('authorization/choose', { flowId: asked.id, issuer: issuers[0] ?? '' });
    const { fault } = await settledFlow(engine, asked, ['running', 'waiting']);
    expect(fault).toMatchObject({ code: 'authorization-server-unavailable' });
    expect(fault?.what).toContain(issuers[0]);
    expect(fault?.next).toContain(`names ${issuers[1]} too`);
    expect(second.requests).toEqual([]);
  });

  test('both down are named in the fault', async () => {
    const server = await serve({ authorization: { metadataForms: [] } });
    const second = opened(await AuthorizationServer.open({ metadataForms: [] }));
    const issuers = [server.authorization.issuer, second.issuer];
    server.options = { resourceMetadata: { authorization_servers: issuers } };
    const { fault } = await flowAt(server);
    expect(fault?.what).toContain(issuers.join(' and '));
    for (const issuer of issuers) expect(fault?.evidence).toContain(`${issuer}${OAUTH}: HTTP status 404`);
  });

  test('one that is no URL is left out', async () => {
    const server = await serve();
    const issuers = ['not a URL', server.authorization.issuer];
    server.options = { resourceMetadata: { authorization_servers: issuers } };
    expect(await flowAt(server, '2026-07-28')).toMatchObject({ state: 'done' });
  });
});

describe('a server of an unknown revision', () => {
  /** Servers that only some revisions allow, and from which one on they are forbidden. */
  const older: [string, ProtectedServerOptions, Revision, ((server: ProtectedServer) => void)?][] = [
    [
      'without resource metadata',
      { namesMetadata: false, resourceMetadataAt: [], sharesOrigin: true },
      '2025-11-25',
    ],
    [
      'without any metadata',
      {
        namesMetadata: false,
        resourceMetadataAt: [],
        sharesOrigin: true,
        authorization: { metadataForms: [], sendsIss: false },
      },
      '2025-06-18',
    ],
    [
      'that does not advertise PKCE',
      { authorization: { metadata: { code_challenge_methods_supported: undefined } } },
      '2025-11-25',
    ],
    [
      'whose issuer has a slash more',
      { authorization: { sendsIss: false } },
      '2026-07-28',
      ({ authorization }) => {
        const { options, issuer } = authorization;
        authorization.options = { ...options, metadata: { issuer: `${issuer}/` } };
      },
    ],
  ];

  test.each(older)('%s is authorized, and a finding says what each revision does', async (...row) => {
    const [, options, forbidden, prepare] = row;
    const server = await serve(options);
    prepare?.(server);
    const flow = await flowAt(server);
    expect(flow).toMatchObject({ state: 'done', fault: null });
    const found = flow.steps.flatMap(({ findings }) => findings);
    const said = found.filter(({ rule }) => rule === 'revisions-differ');
    expect(said.length).toBeGreaterThan(0);
    expect(said[0]?.text).toContain('The revision of the server is not known yet');
    // Where the user chose the revision, it counts.
    expect(await flowAt(server, forbidden)).toMatchObject({ state: 'failed' });
  });

  test.each(older)('%s is authorized again in the same session', async (...row) => {
    const [, options, , prepare] = row;
    const server = await serve({
      ...options,
      era: 'legacy',
      authorization: { ...options.authorization, refresh: 'none' },
    });
    prepare?.(server);
    const session = await engine.connectUrl(server.url, { era: 'legacy' });
    expect(session).toMatchObject({ phase: 'ready', agreement: { revision: '2025-11-25' } });
    for (const token of server.authorization.tokens.all) token.isRevoked = true;
    expect((await engine.callTool(session.id, 'echo', { text: 'hi' })).state).toBe('ok');
    const flows = await engine.call('authorization/flows', { sessionId: session.id });
    expect(flows.map(({ state }) => state)).toEqual(['done', 'done']);
  });

  test('that takes another kind of token keeps the fault of its 401', async () => {
    const options = { namesMetadata: false, resourceMetadataAt: [] } as const;
    const noRegistration = { '/register': textAnswer(404, 'Not found') } as const;
    for (const overrides of [
      { challenge: { headers: [['WWW-Authenticate', 'ApiKey realm="mcp"']] } },
      noRegistration,
    ] as const) {
      const server = await serve({ ...options, overrides });
      const session = await engine.connectUrl(server.url);
      expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-status-401' } });
    }
  });
});
