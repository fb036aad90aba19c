import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { startLegacyServer } from '#fixtures/legacy/start.ts';
import type { Rebuild, RerunSource } from '#shared/contract/rebuild.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

let engine: EngineFixture;
let folder: string;
beforeEach(async () => {
  engine = await EngineFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-rebuild-'));
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const script = (): string => join(folder, 'server.cjs');

interface Build {
  /** What the tool `show` answers. */
  readonly shown: string;
  /** Further members of the definition of `show`. */
  readonly definition?: string;
}

/** A server with the tools `show` and `order`, a resource, and a log level. It tells its level and its subscriptions in a tool. */
const build = ({ shown, definition = 'annotations: { readOnlyHint: true },' }: Build): string =>
  scriptedServer(`
    initialize: (request) => answer(request, {
      protocolVersion: request.params.protocolVersion,
      capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
      serverInfo: { name: 'built', version: '1.0.0' },
    }),
    'tools/list': (request) => answer(request, { tools: [
      { name: 'show', ${definition} inputSchema: { type: 'object' } },
      { name: 'state', annotations: { readOnlyHint: true }, inputSchema: { type: 'object' } },
      { name: 'order', inputSchema: { type: 'object' } },
    ] }),
    'resources/list': (request) => answer(request, { resources: [{ uri: 'memo://one', name: 'one' }] }),
    'resources/templates/list': (request) => answer(request, { resourceTemplates: [] }),
    'resources/subscribe': (request) => {
      server.subscribed = request.params.uri;
      answer(request, {});
    },
    'logging/setLevel': (request) => {
      server.level = request.params.level;
      answer(request, {});
    },
    'tools/call': (request) => {
      const texts = { show: ${JSON.stringify(shown)}, state: server.level + ' ' + server.subscribed, order: 'ordered' };
      answer(request, { content: [{ type: 'text', text: texts[request.params.name] }] });
    },
  `)
    .args.join('\n')
    .replace(/^-e\n/, '');

/** Replaces the script as editors do: by another file. */
async function write(text: string): Promise<void> {
  await writeFile(`${script()}.new`, text);
  await rename(`${script()}.new`, script());
}

async function connect(text: string): Promise<SessionView> {
  await write(text);
  const session = await engine.connect({ command: process.execPath, args: [script()] });
  await engine.call('rebuild/set', { serverId: session.serverId, isOn: true, paths: [] });
  return session;
}

const until = (serverId: string, fits: (rebuild: Rebuild) => boolean): Promise<Rebuild> =>
  engine.until(async () => {
    const rebuild = (await engine.call('rebuild/list', {})).find((one) => one.serverId === serverId);
    return rebuild !== undefined && fits(rebuild) ? rebuild : null;
  });

const rebuilt = (serverId: string, times: number) =>
  until(serverId, ({ state, rebuilds }) => state === 'watching' && rebuilds === times);

/** Chooses all calls that are to run again: the safe ones, and those of the named tools. */
async function choose(serverId: string, source: RerunSource, ...ticked: string[]): Promise<Rebuild> {
  const calls = await engine.call('rebuild/calls', { serverId, source });
  const safe = calls.filter(({ safety, target }) => safety === 'read-only' || ticked.includes(target ?? ''));
  return engine.call('rebuild/choose', { serverId, source, calls: safe });
}

const calledTools = async (sessionId: string): Promise<(string | null)[]> => {
  const { calls } = await engine.call('trace/calls', { sessionId, from: 0, count: 100 });
  return calls.map(({ target }) => target);
};

test('a change restarts the server, restores its state, runs the chosen calls again and compares', async () => {
  const { id: sessionId, serverId } = await connect(build({ shown: 'one' }));
  await engine.call('sessions/set-log-level', { sessionId, level: 'warning' });
  await engine.call('subscriptions/subscribe', { sessionId, uri: 'memo://one' });
  for (const tool of ['show', 'state', 'order']) await engine.callTool(sessionId, tool);
  const watching = await choose(serverId, { kind: 'calls' });
  expect(watching).toMatchObject({
    state: 'watching',
    isOurs: true,
    notWatched: null,
    rerun: { consent: 'given' },
  });
  expect(watching.watched.map(({ path }) => path)).toEqual([script(), folder]);
  // The order has no annotations, so it runs only if it is ticked.
  expect(watching.rerun.calls.map(({ target }) => target)).toEqual(['show', 'state']);

  await write(build({ shown: 'two', definition: "title: 'Show', annotations: { readOnlyHint: true }," }));
  const { last } = await rebuilt(serverId, 1);
  expect(last).toMatchObject({
    reason: 'change',
    files: [script()],
    before: sessionId,
    notRestored: [],
    restored: { logLevel: 'warning', subscriptions: 1 },
    skipped: [],
  });
  expect(last?.comparison?.catalog).toMatchObject([{ of: 'tool', name: 'show', class: 'behavior' }]);
  // The answer of `state` is the same, so the server was told the level and the subscription before the calls.
  expect(last?.comparison?.calls.map((call) => `${call.target}: ${call.class}`)).toEqual([
    'show: behavior',
    'state: same',
  ]);
  expect(last?.comparison?.calls[0]?.differences).toMatchObject([{ recorded: '"one"', other: '"two"' }]);
  const session = await engine.session(last?.sessionId ?? '');
  expect(session).toMatchObject({ phase: 'ready', logLevel: 'warning' });
  expect(await engine.call('subscriptions/list', { sessionId: session.id })).toMatchObject([
    { state: 'active' },
  ]);

  // The next restart, by hand, compares with this one.
  const manual = await engine.call('rebuild/now', { serverId });
  expect(manual.last).toMatchObject({ reason: 'manual', before: session.id, restored: { subscriptions: 1 } });
  expect(manual.last?.comparison).toMatchObject({ catalog: [], counts: { same: 2, behavior: 0 } });

  // A session that the user ended stays ended.
  await engine.call('sessions/close', { sessionId: manual.last?.sessionId ?? '' });
  await until(serverId, ({ state }) => state === 'idle');
  await write(build({ shown: 'three' }));
  expect(await engine.call('rebuild/set', { serverId, isOn: false, paths: ['server.cjs'] })).toMatchObject({
    state: 'off',
    rebuilds: 2,
    watched: [{ from: 'your settings' }],
  });
});

test('changed annotations of a chosen tool ask for consent again, and the calls run once it is given', async () => {
  const { id: sessionId, serverId } = await connect(build({ shown: 'one' }));
  for (const tool of ['show', 'order']) await engine.callTool(sessionId, tool);
  const chosen = await choose(serverId, { kind: 'calls' }, 'order');
  expect(chosen.rerun.calls.map(({ target, safety }) => `${target}: ${safety}`)).toEqual([
    'show: read-only',
    'order: unannotated',
  ]);

  await write(build({ shown: 'two', definition: 'annotations: { destructiveHint: true },' }));
  const { last, rerun } = await rebuilt(serverId, 1);
  expect(rerun).toMatchObject({
    consent: 'changed',
    changes: ['The annotations of show changed from readOnlyHint: true to destructiveHint: true.'],
  });
  expect(last?.comparison?.catalog).toMatchObject([{ name: 'show', of: 'tool' }, { name: 'show' }]);
  expect(last?.comparison?.calls).toEqual([]);
  expect(await calledTools(last?.sessionId ?? '')).toEqual([]);

  // What the user saw before is no longer agreed to.
  const seen = { key: chosen.rerun.calls[0]?.key ?? '', safety: 'read-only' as const };
  await expect(
    engine.call('rebuild/choose', { serverId, source: { kind: 'calls' }, calls: [seen] }),
  ).rejects.toMatchObject({ fault: { code: 'calls-changed' } });
  const agreed = await choose(serverId, { kind: 'calls' }, 'show');
  expect(agreed.rerun.consent).toBe('given');
  expect(agreed.last?.comparison?.calls.map((call) => `${call.target}: ${call.class}`)).toEqual([
    'show: behavior',
  ]);
  expect(await calledTools(last?.sessionId ?? '')).toEqual(['show']);
});

test('a call that some server reads as one of another tool does not run again unticked', async () => {
  const { id: sessionId, serverId } = await connect(build({ shown: 'one' }));
  const params = '{"name":"show","Name":"order"}';
  const { id } = await engine.call('calls/request', {
    sessionId,
    method: 'tools/call',
    params,
    timeout: null,
  });
  await engine.ended(sessionId, id);
  await engine.callTool(sessionId, 'show');
  const calls = await engine.call('rebuild/calls', { serverId, source: { kind: 'calls' } });
  expect(calls.map(({ target, safety }) => `${target}: ${safety}`)).toEqual([
    'show: unannotated',
    'show: read-only',
  ]);
});

test('runs a test file again, and asks again when its calls change', async () => {
  const path = join(folder, 'built.mcptest.yaml');
  const steps = (...names: string[]) =>
    `version: 1\nsteps:\n${names
      .map(
        (name) =>
          `  - name: ${name}\n    call: ${name}\n    expect: { values: [{ path: '$.content[0].text', matches: one }] }\n`,
      )
      .join('')}`;
  await writeFile(path, steps('show'));
  const { id: sessionId, serverId } = await connect(build({ shown: 'one' }));
  const source = { kind: 'suite', path } as const;
  await choose(serverId, source);
  const run = { path, sessionId, indexes: null, variables: {}, allowWrites: true };
  expect(await engine.call('saved-calls/run', run)).toMatchObject([{ state: 'passed' }]);

  await write(build({ shown: 'two' }));
  const { last } = await rebuilt(serverId, 1);
  expect(last?.suite).toMatchObject([{ name: 'show', state: 'failed', before: 'passed' }]);
  expect(last?.comparison?.calls).toMatchObject([{ target: 'show', class: 'behavior' }]);

  await writeFile(path, steps('show', 'order'));
  await write(build({ shown: 'one' }));
  const again = await rebuilt(serverId, 2);
  expect(again.last?.suite).toBeNull();
  expect(again.rerun.consent).toBe('changed');
  expect((await choose(serverId, source)).last?.suite).toMatchObject([{ name: 'show', state: 'passed' }]);
});

test('a server that ends again and again is started after growing pauses, then not before a change', async () => {
  const states: string[] = [];
  engine.engine.onEvent(({ event, payload }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event says what it carries
    const { state, crashes } = payload as Rebuild;
    if (event === 'rebuild/changed') states.push(`${state} ${crashes}`);
  });
  const { id: sessionId, serverId } = await connect(build({ shown: 'one' }));
  await engine.call('sessions/set-log-level', { sessionId, level: 'error' });
  await write(`process.stderr.write('no such module\\n'); process.exit(3);`);
  const stopped = await until(serverId, ({ state }) => state === 'stopped');
  expect(stopped).toMatchObject({ crashes: 5, rebuilds: 0, fault: { code: 'crash-loop' } });
  expect(stopped.fault?.next).toContain('the next change of a watched file starts it again');
  expect(states.filter((state) => state.startsWith('waiting'))).toEqual(
    [1, 2, 3, 4].map((times) => `waiting ${times}`),
  );

  await write(build({ shown: 'two' }));
  const { last, crashes } = await rebuilt(serverId, 1);
  // What was there before the crashes is restored and compared.
  expect(last).toMatchObject({
    reason: 'change',
    restored: { logLevel: 'error' },
    comparison: { catalog: [] },
  });
  expect(crashes).toBe(0);

  // A process that ends on its own is started again.
  process.kill((await engine.session(last?.sessionId ?? '')).process?.pid ?? 0, 'SIGKILL');
  expect((await rebuilt(serverId, 2)).last).toMatchObject({ reason: 'exit', files: [] });
});

const itself = `require('node:fs').writeFileSync(__dirname + '/made.js', String(process.hrtime.bigint()));`;

test('a server that writes a watched file before it is ready is not restarted at once again and again', async () => {
  const { serverId } = await connect(build({ shown: 'one' }));
  // The change is reported while it starts.
  const slow = `server.initialize = ((shake) => (request) => setTimeout(shake, 600, request))(server.initialize);`;
  await write(`${itself}${build({ shown: 'two' })}\n${slow}`);
  const { fault, rebuilds } = await until(serverId, ({ state }) => state === 'waiting');
  expect(fault).toMatchObject({ code: 'changes-itself' });
  expect(fault?.what).toContain('made.js');
  expect(rebuilds).toBe(5);
}, 30_000);

test('a server that writes a watched file and ends is not started at once again and again', async () => {
  const { serverId } = await connect(build({ shown: 'one' }));
  await write(`${itself}process.exit(3);`);
  const { crashes } = await until(serverId, ({ fault }) => fault?.code === 'changes-itself');
  expect(crashes).toBeGreaterThan(0);
}, 30_000);

test('a server that the user disconnects from while it restarts stays ended', async () => {
  const { id, serverId } = await connect(build({ shown: 'one' }));
  // The restart waits for the list.
  await write(`${build({ shown: 'two' })}\nserver['tools/list'] = () => undefined;`);
  const next = await engine.until(async () => {
    const sessions = await engine.call('sessions/list', {});
    return sessions.find((one) => one.id !== id && one.phase === 'ready') ?? null;
  });
  await engine.call('sessions/close', { sessionId: next.id });
  expect(await until(serverId, ({ state }) => state === 'idle')).toMatchObject({ crashes: 0, fault: null });
});

test('a server that the user disconnects from before it is restarted is not started again', async () => {
  // The restart first waits for the list of the session, which is read again and does not come.
  const { id: sessionId, serverId } = await connect(
    `${build({ shown: 'one' })}
    const list = server['tools/list'];
    server['tools/list'] = (request) => (server.isListed ? undefined : list(request), (server.isListed = true));`,
  );
  const reading = engine.call('catalog/refresh', { sessionId, list: 'tools' });
  const restarted = engine.call('rebuild/now', { serverId });
  await until(serverId, ({ state }) => state === 'restarting');
  const waiting = engine.call('rebuild/now', { serverId });
  // It waits for its turn by now.
  await engine.call('rebuild/read', { serverId });
  await engine.call('sessions/close', { sessionId });
  expect(await restarted).toMatchObject({ state: 'idle', rebuilds: 0, crashes: 0, fault: null });
  expect(await waiting).toMatchObject({ state: 'idle', rebuilds: 0 });
  expect((await engine.call('sessions/list', {})).map(({ id, phase }) => `${id} ${phase}`)).toEqual([
    `${sessionId} closed`,
  ]);
  await reading;
  // A change does not connect either.
  await write(build({ shown: 'two' }));
  expect(await engine.call('rebuild/read', { serverId })).toMatchObject({ state: 'idle', rebuilds: 0 });
  // The user's own restart does.
  expect(await engine.call('rebuild/now', { serverId })).toMatchObject({ state: 'watching', rebuilds: 1 });
});

test('says why a server that ended could not be started again', async () => {
  const session = await connect(build({ shown: 'one' }));
  const { serverId } = session;
  const server = (await engine.call('servers/list', {})).find(({ id }) => id === serverId);
  if (server?.transport.kind !== 'stdio') throw new Error('the server was not saved');
  const transport = { ...server.transport, args: [script(), 'not approved'] };
  await engine.call('servers/save', { id: serverId, settings: { ...server, transport } });
  process.kill(session.process?.pid ?? 0, 'SIGKILL');
  await until(serverId, ({ fault }) => fault?.code === 'approval-needed');
  // The work of the restart is over in a later turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await engine.call('rebuild/read', { serverId })).toMatchObject({
    state: 'stopped',
    crashes: 1,
    fault: { code: 'approval-needed' },
  });
});

test('a terminal command watches nothing when the list of servers changes', async () => {
  const { serverId } = await connect(build({ shown: 'one' }));
  const command = await EngineFixture.open({ dataFolder: engine.folder });
  const server = (await command.call('servers/list', {})).find(({ id }) => id === serverId);
  if (server === undefined) throw new Error('the server was not saved');
  await command.call('servers/save', { id: serverId, settings: { ...server, notes: 'changed' } });
  expect(await command.call('rebuild/list', {})).toEqual([]);
  await command.engine.close();
});

test('a server that somebody else runs is connected to again', async () => {
  const server = await startLegacyServer();
  try {
    const { id, serverId } = await engine.connectUrl(server.url, { era: 'legacy' });
    await writeFile(script(), '1');
    const on = await engine.call('rebuild/set', { serverId, isOn: true, paths: [script()] });
    expect(on).toMatchObject({ isOurs: false, state: 'watching', files: 1 });
    await write('22');
    const { last } = await rebuilt(serverId, 1);
    expect(last).toMatchObject({ reason: 'change', before: id, comparison: { catalog: [] } });
  } finally {
    await server.close();
  }
  await write('333');
  const [rebuild] = await engine.call('rebuild/list', {});
  const lost = await until(rebuild?.serverId ?? '', ({ state }) => state === 'waiting');
  expect(lost.fault).toMatchObject({ code: 'connection-lost' });
  expect(lost.fault?.what).toContain('Sightglass connects again');
});
