import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { modernOverStdio } from '#fixtures/modern/start.ts';
import { defaultClientProfile, type ServerSettings } from '#shared/contract/servers.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test('agrees on a revision and lists the tools', async () => {
  const session = await engine.connect(everythingOverStdio);
  expect(session.phase).toBe('ready');
  expect(session.agreement).toMatchObject({
    era: 'legacy',
    requestedRevision: '2025-11-25',
    revision: '2025-11-25',
    server: { name: 'mcp-servers/everything' },
  });
  // Having said that its list changed, the server is asked once more.
  const tools = () => engine.call('catalog/tools', { sessionId: session.id });
  await expect.poll(async () => (await tools()).state).toBe('ready');
  const { entries } = await tools();
  expect(entries.flatMap((entry) => (entry.usable ? [entry.tool.name] : []))).toContain('echo');
  const sent = (await engine.rows(session.id))
    .filter((row) => row.direction === 'out')
    .map((row) => row.method);
  expect(sent.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'speaks revision %s',
  async (revision) => {
    const { agreement } = await engine.connect(everythingOverStdio, { revision });
    expect(agreement?.revision).toBe(revision);
  },
);

test('keeps the whole trace, the signal and a reason when the server is killed', async () => {
  const session = await engine.connect(everythingOverStdio);
  const call = await engine.startTool(session.id, 'trigger-long-running-operation', {
    duration: 60,
    steps: 5,
  });
  const before = await engine.rows(session.id);
  process.kill(session.process?.pid ?? Number.NaN, 'SIGKILL');
  const after = await engine.settled(session.id, ['failed']);
  expect(after.reason).toBe("The server's process was ended by SIGKILL.");
  expect(after.process).toMatchObject({ signal: 'SIGKILL', exitCode: null });
  expect(after.fault?.next).toContain('Reconnect');
  expect((await engine.ended(session.id, call.id)).state).toBe('lost');
  const rows = await engine.rows(session.id);
  expect(rows.slice(0, before.length).map((row) => row.seq)).toEqual(before.map((row) => row.seq));
  expect(rows[call.requestRow]?.status).toBe('unanswered');
  expect(rows.map((row) => row.summary)).toContain('ended by SIGKILL');
});

test('connects again as a new session and keeps the old one', async () => {
  const first = await engine.connect(everythingOverStdio);
  const second = await engine.reconnect(first.serverId);
  expect(second.id).not.toBe(first.id);
  expect(second.phase).toBe('ready');
  expect((await engine.session(first.id)).phase).toBe('closed');
  expect((await engine.rows(first.id)).length).toBeGreaterThan(5);
});

test('pings', async () => {
  const { id } = await engine.connect(everythingOverStdio);
  expect((await engine.call('sessions/ping', { sessionId: id })).duration).toBeGreaterThan(0);
});

test('two sessions at once know nothing of each other', async () => {
  const [one, two] = await Promise.all([
    engine.connect(everythingOverStdio, { name: 'one' }),
    engine.connect(misbehavingServer(), { name: 'two' }),
  ]);
  const calls = await Promise.all([
    engine.callTool(one.id, 'echo', { message: 'said to one' }),
    engine.callTool(two.id, 'echo', { message: 'said to two' }),
  ]);
  expect(calls.map((call) => call.state)).toEqual(['ok', 'ok']);
  for (const [session, own, others] of [
    [one, 'said to one', 'said to two'],
    [two, 'said to two', 'said to one'],
  ] as const) {
    await engine.call('sessions/close', { sessionId: session.id });
    const trace = await readFile(session.traceFile.path, 'utf8');
    expect(trace).toContain(own);
    expect(trace).not.toContain(others);
  }
});

test('two clicks on Connect come to one session that runs', async () => {
  const first = await engine.connect(misbehavingServer());
  const { serverId } = first;
  await Promise.all([engine.reconnect(serverId), engine.reconnect(serverId)]);
  const sessions = await engine.call('sessions/list', {});
  expect(sessions.filter((session) => session.phase === 'ready').length).toBe(1);
});

test('a server that is removed while it runs is ended', async () => {
  const { id, serverId } = await engine.connect(misbehavingServer());
  await engine.call('servers/remove', { id: serverId });
  expect((await engine.settled(id, ['closed'])).reason).toBe('Disconnected.');
});

test('tells when settings that it began with were changed, until they are as they were', async () => {
  const { id, serverId } = await engine.connect(everythingOverStdio);
  const [server] = await engine.call('servers/list', {});
  if (server === undefined) throw new Error('No server');
  const { id: _, source: __, ...settings } = server;
  const save = async (change: Partial<ServerSettings>) => {
    await engine.call('servers/save', { id: serverId, settings: { ...settings, ...change } });
    return engine.session(id);
  };
  expect(await save({ name: 'renamed' })).toMatchObject({ isOutdated: false });
  // Roots and rules apply at once.
  const roots = [{ uri: 'file:///tmp', name: null }];
  expect(await save({ client: { ...settings.client, roots } })).toMatchObject({ isOutdated: false });
  const timeouts = { ...settings.timeouts, request: 5000 };
  expect(await save({ timeouts })).toMatchObject({ isOutdated: true });
  expect(await save({})).toMatchObject({ isOutdated: false });
});

test('declares the capabilities that the session began with in each request, whatever the settings become', async () => {
  const { id, serverId } = await engine.connect(modernOverStdio, {
    era: 'modern',
    client: { ...defaultClientProfile, capabilities: { roots: {} } },
  });
  const [server] = await engine.call('servers/list', {});
  if (server === undefined) throw new Error('No server');
  const { id: _, source: __, ...settings } = server;
  const client = { ...settings.client, capabilities: { sampling: {} } };
  await engine.call('servers/save', { id: serverId, settings: { ...settings, client } });
  const { requestRow } = await engine.callTool(id, 'echo', { message: 'hi' });
  const { text } = await engine.call('trace/detail', { sessionId: id, row: requestRow ?? -1 });
  expect(text).toContain('clientCapabilities":{"roots":{}}');
  expect((await engine.session(id)).isOutdated).toBe(true);
});

test('identifies itself as the client of the settings', async () => {
  const info = { name: 'cursor-vscode', version: '2.1', title: null };
  const { id, agreement } = await engine.connect(everythingOverStdio, {
    client: { ...defaultClientProfile, info },
  });
  expect(agreement?.client).toEqual({ name: 'cursor-vscode', version: '2.1' });
  const [initialize] = (await engine.rows(id)).filter(({ method }) => method === 'initialize');
  const { text } = await engine.call('trace/detail', { sessionId: id, row: initialize?.row ?? -1 });
  expect(text).toContain('"clientInfo":{"name":"cursor-vscode","version":"2.1"}');
});
