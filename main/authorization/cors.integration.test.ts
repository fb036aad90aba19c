import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { type CorsHeaders, type CorsPath, openCors, withCors } from '#fixtures/authorization/cors.ts';
import { beginFlow, flowNow } from '#fixtures/authorization/flow-runs.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { filesIn } from '#fixtures/authorization/secrets-of.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { corsResults, DEFAULT_ORIGIN } from '#shared/authorization/cors.ts';

const opened = closeAfterEachTest();

/** The results of a check at a server after its flow, and what it received of the check. */
async function check(
  options: Parameters<typeof ProtectedServer.open>[0],
  { revision = '2026-07-28', origin = DEFAULT_ORIGIN, query = '' } = {},
) {
  const server = opened(await ProtectedServer.open(options));
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );
  const flow = await beginFlow(engine, `${server.url}${query}`, { mode: 'automatic', revision });
  const before = server.log.length;
  await engine.call('authorization/check-cors', { flowId: flow.id, origin });
  const checked = (await flowNow(engine, flow)) ?? flow;
  const results = corsResults(checked);
  const states = Object.fromEntries(
    results.map(({ endpoint, state, missing }) => [endpoint, [state, ...missing.map(({ text }) => text)]]),
  );
  return { server, engine, flow, checked, results, states, sent: server.log.slice(before) };
}

const usable = {
  'MCP endpoint': ['usable'],
  'Resource metadata': ['usable'],
  'Server metadata': ['usable'],
  'Registration endpoint': ['usable'],
  'Token endpoint': ['usable'],
};

test('a server that is right for pages has no fault, and gets no credentials', async () => {
  const { flow, checked, results, states, sent, server } = await check(withCors(), {
    query: '?api_key=planted-1&b=2',
  });
  expect(flow.state).toBe('done');
  expect(states).toEqual(usable);
  // The steps are a branch of their own, and the flow goes on from where it was.
  expect(checked.state).toBe('done');
  const steps = checked.steps.filter(({ name }) => name === 'check-cors');
  expect(new Set(steps.map(({ branch }) => branch))).toEqual(new Set([1]));
  expect(results.flatMap((one) => one.steps)).toEqual(steps.map(({ id }) => id));
  for (const { row, state } of steps) expect([state, row]).toEqual(['done', expect.any(Number)]);
  expect(sent.map(({ party, request }) => `${request.method} ${party} ${request.url}`)).toEqual([
    'OPTIONS mcp-server /mcp?b=2',
    'GET mcp-server /mcp?b=2',
    'OPTIONS mcp-server /.well-known/oauth-protected-resource/mcp',
    'GET mcp-server /.well-known/oauth-protected-resource/mcp',
    'OPTIONS authorization-server /.well-known/oauth-authorization-server',
    'GET authorization-server /.well-known/oauth-authorization-server',
    'OPTIONS authorization-server /register',
    'OPTIONS authorization-server /token',
  ]);
  for (const { request } of sent) {
    expect(request.header('origin')).toBe(DEFAULT_ORIGIN);
    for (const name of ['authorization', 'cookie', 'dpop']) expect(request.header(name)).toBeUndefined();
  }
  expect(server.leaks).toEqual([]);
});

test('a server without any of it is blocked everywhere, with each rule', async () => {
  const { states, results } = await check({});
  const blocked = Object.values(states).map(([state]) => state);
  expect(blocked).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'blocked']);
  for (const { missing } of results) {
    expect(missing.length).toBeGreaterThan(1);
    for (const { text, source } of missing) {
      expect(text).toMatch(/^(?:Access-Control-|The preflight has HTTP status 40\d)/);
      expect(source).toMatch(/^Fetch, CORS/);
    }
  }
  expect(states['MCP endpoint']?.slice(1)).toEqual([
    'Access-Control-Allow-Origin is missing, not http://localhost:6274 or *.',
    'The preflight has HTTP status 401, not 200 to 299.',
    ...['authorization', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version'].map(
      (name) => `Access-Control-Allow-Headers lacks ${name}.`,
    ),
    ...['WWW-Authenticate', 'Mcp-Session-Id'].map(
      (name) => `Access-Control-Expose-Headers lacks ${name}, which the page then cannot read.`,
    ),
  ]);
});

const names: Readonly<Record<CorsPath, keyof typeof usable>> = {
  '/mcp': 'MCP endpoint',
  '/.well-known/oauth-protected-resource/mcp': 'Resource metadata',
  '/.well-known/oauth-authorization-server': 'Server metadata',
  '/register': 'Registration endpoint',
  '/token': 'Token endpoint',
};

const without = (part: 'preflight' | 'response', name: string, value = ''): Partial<CorsHeaders> => ({
  [part]: { ...openCors[part], [name]: value },
});
const allows = (value: string) => without('preflight', 'Access-Control-Allow-Headers', value);
const exposes = (value: string) => without('response', 'Access-Control-Expose-Headers', value);

test.each<[string, CorsPath, Partial<CorsHeaders>, string[], { revision?: string }?]>([
  [
    'no origin in a response',
    '/mcp',
    without('response', 'Access-Control-Allow-Origin'),
    ['Access-Control-Allow-Origin is missing, not http://localhost:6274 or *.'],
  ],
  [
    'another origin',
    '/token',
    without('preflight', 'Access-Control-Allow-Origin', 'https://a.test'),
    ['Access-Control-Allow-Origin is https://a.test, not http://localhost:6274 or *.'],
  ],
  [
    'two origins',
    '/register',
    without('preflight', 'Access-Control-Allow-Origin', 'http://localhost:6274, https://a.test'),
    ['Access-Control-Allow-Origin is http://localhost:6274, https://a.test, not http://localhost:6274 or *.'],
  ],
  [
    'an origin with a slash',
    '/.well-known/oauth-authorization-server',
    without('response', 'Access-Control-Allow-Origin', 'http://localhost:6274/'),
    ['Access-Control-Allow-Origin is http://localhost:6274/, not http://localhost:6274 or *.'],
  ],
  [
    'a preflight that fails',
    '/register',
    { status: 405 },
    ['The preflight has HTTP status 405, not 200 to 299.'],
  ],
  [
    'a preflight that redirects',
    '/token',
    { status: 302 },
    ['The preflight has HTTP status 302, not 200 to 299.'],
  ],
  [
    'no header for the revision',
    '/.well-known/oauth-protected-resource/mcp',
    allows('Content-Type'),
    ['Access-Control-Allow-Headers lacks mcp-protocol-version.'],
  ],
  [
    'a wildcard, which does not include Authorization',
    '/mcp',
    allows('*'),
    ['Access-Control-Allow-Headers lacks authorization.'],
  ],
  [
    'no header for a secret of the client',
    '/token',
    allows('content-type'),
    ['Access-Control-Allow-Headers lacks authorization.'],
  ],
  [
    'no session of the legacy era',
    '/mcp',
    allows('Authorization, Content-Type, MCP-Protocol-Version'),
    ['Access-Control-Allow-Headers lacks mcp-session-id.'],
    { revision: '2025-11-25' },
  ],
  [
    'no challenge for the page',
    '/mcp',
    exposes('Mcp-Session-Id'),
    ['Access-Control-Expose-Headers lacks WWW-Authenticate, which the page then cannot read.'],
  ],
  [
    'no session for the page',
    '/mcp',
    exposes('www-authenticate'),
    ['Access-Control-Expose-Headers lacks Mcp-Session-Id, which the page then cannot read.'],
  ],
])('%s is found at %s, and nothing else', async (_, path, headers, expected, options = {}) => {
  const { states } = await check(withCors({ [path]: headers }), options);
  expect(states).toEqual({ ...usable, [names[path]]: ['blocked', ...expected] });
});

test('what allows the origin itself, or everything by a wildcard, is right', async () => {
  const own = {
    preflight: { ...openCors.preflight, 'Access-Control-Allow-Origin': 'https://app.test:8443' },
    response: {
      'Access-Control-Allow-Origin': 'https://app.test:8443',
      'Access-Control-Expose-Headers': '*',
    },
  };
  const all = Object.fromEntries(Object.keys(names).map((path) => [path, own]));
  const { states, results, engine, flow } = await check(withCors(all), { origin: 'https://app.test:8443' });
  expect(states).toEqual(usable);
  // A second check replaces the results of this origin only.
  for (const origin of ['https://app.test:8443', 'http://localhost:6274'])
    await engine.call('authorization/check-cors', { flowId: flow.id, origin });
  const again = corsResults((await flowNow(engine, flow)) ?? flow);
  expect(again.slice(0, 5).map(({ state }) => state)).toEqual(results.map(({ state }) => state));
  expect(again).toHaveLength(10);
  expect(new Set(again.slice(5).map(({ state }) => state))).toEqual(new Set(['blocked']));
});

test('an endpoint that does not answer is unknown, and a text that is no origin is refused', async () => {
  const { engine, flow, server } = await check(withCors());
  await server.authorization.close();
  await engine.call('authorization/check-cors', { flowId: flow.id, origin: DEFAULT_ORIGIN });
  const results = corsResults((await flowNow(engine, flow)) ?? flow);
  expect(results.map(({ state }) => state)).toEqual(['usable', 'usable', 'unknown', 'unknown', 'unknown']);
  const sent = server.log.length;
  for (const origin of [
    '',
    'null',
    '*',
    'localhost:6274',
    'http://a.test/path',
    'http://a@b.test',
    'file:///',
  ])
    await expect(engine.call('authorization/check-cors', { flowId: flow.id, origin })).rejects.toMatchObject({
      fault: { code: 'not-an-origin' },
    });
  expect(server.log).toHaveLength(sent);
});

test('a recorded check has the same results, and its texts hold no secret', async () => {
  const { engine, flow, results, server } = await check(withCors({ '/token': null }));
  const { traceFile } = await engine.session(flow.sessionId);
  await engine.call('sessions/close', { sessionId: flow.sessionId });
  const { sessionId } = await engine.call('traces/open', { path: traceFile.path });
  const recorded = await engine.until(async () => {
    const [first] = await engine.call('authorization/flows', { sessionId });
    return first === undefined || corsResults(first).length < 5 ? null : first;
  });
  expect(corsResults(recorded)).toEqual(results);
  const token = server.authorization.tokens.all[0]?.value ?? 'none';
  for (const text of await filesIn(engine.folder)) expect(text).not.toContain(token);
});
