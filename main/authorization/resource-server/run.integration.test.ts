import { readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { TestedServer, withOutcome } from '#fixtures/authorization/tested-server.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import type { ServerTestId, ServerTests } from '#shared/contract/server-tests.ts';

const opened = closeAfterEachTest();
const open = async (options: Parameters<typeof TestedServer.open>[0]) =>
  opened(await TestedServer.open(options));

const testOf = ({ tests }: ServerTests, id: ServerTestId) => {
  const found = tests.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no test ${id}`);
  return found;
};

test.each(['2025-11-25', '2026-07-28'])(
  'nothing is sent before the run, then only reading requests to this server, each on a connection of its own (%s)',
  async (revision) => {
    const tested = await open({ revision });
    await tested.addTokens();
    const { log } = tested.server;
    const before = log.length;
    const plan = await tested.view();
    expect(plan).toMatchObject({ state: 'planned', url: tested.server.url, hasToken: true });
    expect(plan.tests.every(({ row, status }) => row === null && status === null)).toBe(true);
    expect(log.length).toBe(before);
    const done = await tested.run();
    const sent = log
      .slice(before)
      .filter(({ request }) => !request.header('Connection')?.includes('keep-alive'));
    expect(sent.length).toBeGreaterThan(10);
    expect(sent.length).toBeLessThanOrEqual(plan.requests);
    expect(sent.every(({ party, request }) => party === 'mcp-server' && !request.reused)).toBe(true);
    const methods = new Set(sent.flatMap(({ request }) => request.messages.map(({ method }) => method)));
    const allowed = new Set(['initialize', 'ping', 'tools/list', 'server/discover']);
    expect([...methods].filter((one) => !allowed.has(one ?? ''))).toEqual([]);
    expect(tested.server.log.slice(before).filter(({ party }) => party !== 'mcp-server')).toEqual([]);
    // Every session that the run began was ended by it.
    const begun = done.tests.length > 0 && revision === '2025-11-25' ? 2 : 0;
    expect(sent.filter(({ request }) => request.method === 'DELETE').length).toBeGreaterThanOrEqual(begun);
  },
);

test('the rows are marked as tests, and no token is in the trace, the table or the events', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const events: unknown[] = [];
  tested.engine.engine.onEvent((frame) => events.push(frame));
  await tested.addTokens();
  const expired = await tested.expiredToken();
  const tests = await tested.run();
  const rows = await tested.engine.rows(tested.sessionId);
  for (const { id, label, row } of tests.tests)
    if (row !== null) expect(rows[row], id).toMatchObject({ kind: 'http', mark: `Server test: ${label}` });
  const { path } = (await tested.engine.session(tested.sessionId)).traceFile;
  const written = `${await readFile(path, 'utf8')}${JSON.stringify(tests)}${JSON.stringify(events)}`;
  const { tokens } = tested.server.authorization;
  const secrets = [expired, ...tokens.all.map(({ value }) => value)];
  for (const { request } of tested.server.log) {
    const [, value] = /^\S+ (\S{20,})$/.exec(request.header('Authorization') ?? '') ?? [];
    if (value !== undefined) secrets.push(value);
  }
  expect(secrets.length).toBeGreaterThan(20);
  expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
  // What the tests send is no message of the session, so no check finds anything in it.
  const ofTests = rows.filter(({ row }) => tests.tests.some((one) => one.row === row));
  expect(ofTests.every(({ finding }) => finding === undefined || finding === null)).toBe(true);
});

test('the token in use stays the one in use, whatever is authorized for the tests', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const before = await tested.engine.call('authorization/credentials', { serverId: tested.serverId });
  await tested.addTokens();
  const { tokens } = await tested.view();
  expect(tokens.map(({ kind, from }) => [kind, from])).toEqual([
    ['other-identity', 'flow 2'],
    ['other-audience', 'flow 3'],
    ['less-scope', 'flow 4'],
    ['expired', 'you entered it'],
  ]);
  expect(tokens[0]?.facts).toContain('sub user-2');
  expect(tokens[1]?.facts).toContain('aud https://other.example/mcp');
  expect(await tested.engine.call('authorization/credentials', { serverId: tested.serverId })).toEqual(
    before,
  );
  expect((await tested.engine.callTool(tested.sessionId, 'echo', { message: 'hi' })).state).toBe('ok');
  await tested.engine.call('server-tests/drop-token', { sessionId: tested.sessionId, kind: 'expired' });
  expect((await tested.view()).tokens.length).toBe(3);
});

test('without further tokens the table says what is missing, and how to get it', async () => {
  const tested = await open({
    revision: '2025-11-25',
    scopes: 'files:read',
    server: { authorization: { tokens: 'opaque' } },
  });
  const tests = await tested.run();
  const why = (id: ServerTestId) => testOf(tests, id).why;
  expect(withOutcome(tests, 'careless', 'unclear')).toEqual([]);
  expect(why('alg-none')).toBe('The token in use is no JWT.');
  expect(why('id-token')).toContain('scope openid');
  expect(why('expired-token')).toContain('no expired token');
  expect(why('other-audience')).toContain('no token for another server');
  expect(why('less-scope')).toContain('fewer scopes');
  expect(why('session-of-another')).toContain('as somebody else');
  expect(withOutcome(tests, 'right')).toEqual(
    expect.arrayContaining(['changed-signature', 'other-issuer', 'own-key', 'session-without-token']),
  );
});

test('a second token of the same user is not another identity', async () => {
  const tested = await open({ revision: '2025-11-25' });
  await tested.authorize('other-identity', null);
  const tests = await tested.run();
  expect(testOf(tests, 'session-of-another')).toMatchObject({ outcome: 'not-applicable' });
  expect(testOf(tests, 'session-of-another').why).toContain('same identity');
});

test('an authorization server that issues no token for another resource', async () => {
  const tested = await open({ revision: '2026-07-28', server: { authorization: { resources: [] } } });
  const flow = await tested.authorize('other-audience', 'https://unknown.example');
  expect(flow).toMatchObject({ state: 'failed' });
  expect(testOf(await tested.run(), 'other-audience').outcome).toBe('not-applicable');
});

test('the token of another server at this issuer is sent only if the user chose it', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const { engine, server } = tested;
  const { authorization } = server;
  const neighbour = opened(
    await ProtectedServer.open({
      era: 'legacy',
      resourceMetadata: { authorization_servers: [authorization.issuer] },
      others: [authorization],
    }),
  );
  authorization.resources.push(neighbour.url);
  const { serverId } = await engine.connectUrl(neighbour.url, { revision: '2025-11-25', era: 'legacy' });
  const [stored] = await engine.call('authorization/credentials', { serverId });
  const id = stored?.id ?? '';
  expect((await tested.view()).foreign).toEqual([{ id, serverId, resource: neighbour.url }]);
  await expect(tested.run('of-nobody')).rejects.toMatchObject({
    fault: { code: 'credentials-of-other-issuer' },
  });
  const issued =
    authorization.tokens.all.findLast(({ kind, resource }) => kind === 'access' && resource === neighbour.url)
      ?.value ?? '';
  const before = server.log.length;
  expect(testOf(await tested.run(), 'other-audience').outcome).toBe('not-applicable');
  const hasIt = () =>
    server.log.slice(before).some(({ request }) => request.header('Authorization')?.includes(issued));
  expect(hasIt()).toBe(false);
  expect(testOf(await tested.run(id), 'other-audience')).toMatchObject({ outcome: 'right', status: 401 });
  expect(hasIt()).toBe(true);
  tested.beCareless('other-audience');
  expect(testOf(await tested.run(id), 'other-audience').outcome).toBe('careless');
});

test('a refreshed token leaves the old one for the test, whose leeway is allowed for', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const { engine, server, sessionId, serverId } = tested;
  const [stored] = await engine.call('authorization/credentials', { serverId });
  const flow = await engine.call('authorization/refresh', { sessionId, credentialsId: stored?.id ?? '' });
  await engine.until(
    async () =>
      (await engine.call('authorization/flows', { sessionId })).some(
        ({ id, state }) => id === flow.id && state === 'done',
      ) || null,
  );
  expect(testOf(await tested.view(), 'expired-token').why).toContain('no expired token');
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 3601_000);
  try {
    server.options = { ...server.options, careless: ['expired-token'] };
    // The one in use has expired too, so the server refuses it and nothing follows.
    const tests = await tested.run();
    expect(testOf(tests, 'expired-token')).toMatchObject({ outcome: 'unclear' });
  } finally {
    vi.restoreAllMocks();
  }
});

test('a server that refuses the token in use says nothing by refusing others', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const { tokens } = tested.server.authorization;
  for (const token of tokens.all) token.isRevoked = true;
  const tests = await tested.run();
  expect(tests.control).toContain('does not accept the token in use');
  expect(testOf(tests, 'changed-signature')).toMatchObject({ outcome: 'unclear', row: null });
  expect(testOf(tests, 'no-token')).toMatchObject({ outcome: 'right', status: 401 });
  expect(testOf(tests, 'garbage-token')).toMatchObject({ outcome: 'right', words: 'invalid_token' });
});

test('a server that leaves its first request open is tested by tools/list', async () => {
  const tested = await open({ revision: '2025-11-25' });
  await tested.addTokens();
  const { server } = tested;
  server.options = { ...server.options, openMethods: ['initialize'] };
  const tests = await tested.run();
  expect(testOf(tests, 'no-token')).toMatchObject({
    outcome: 'careless',
    finding: { rule: 'missing-token-accepted', severity: 'warning' },
  });
  expect(withOutcome(tests, 'careless')).toEqual(['no-token']);
});

test('a run is stopped, and is not begun twice', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const { engine, serverId, sessionId } = tested;
  const params = { serverId, consent: true, foreignCredentials: null } as const;
  await engine.call('server-tests/run', params);
  await expect(engine.call('server-tests/run', params)).rejects.toMatchObject({
    fault: { code: 'server-tests-under-way' },
  });
  await engine.call('server-tests/stop', { sessionId });
  const tests = await engine.until(async () => {
    const now = await tested.view();
    return now.state === 'running' ? null : now;
  });
  expect(tests.state).toBe('stopped');
  expect(tests.tests.every(({ outcome }) => outcome !== null)).toBe(true);
  expect(testOf(tests, 'session-without-token').why).toBe('The run ended before it.');
});

test('a text that is no token is not taken', async () => {
  const tested = await open({ revision: '2025-11-25' });
  const use = (token: string) =>
    tested.engine.call('server-tests/use-token', { serverId: tested.serverId, kind: 'expired', token });
  for (const text of ['Bearer abc', 'tökén', 'a\nb'])
    await expect(use(text)).rejects.toMatchObject({ fault: { code: 'not-a-token' } });
});
