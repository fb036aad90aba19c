import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

const auto = { era: 'auto' } as const;

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** The methods of our requests, in order. */
const sentTo = async ({ id }: SessionView): Promise<(string | null)[]> =>
  (await engine.rows(id))
    .filter(({ kind, direction }) => kind === 'request' && direction === 'out')
    .map(({ method }) => method);

const startsOf = async ({ id }: SessionView): Promise<number> =>
  (await engine.rows(id)).filter(({ kind, summary }) => kind === 'process' && summary.startsWith('started'))
    .length;

const evidenceOf = ({ evidence }: SessionView): string => evidence.map(({ text }) => text).join('\n');

/** What is remembered of the only saved server. */
async function needOf(): Promise<unknown> {
  const { servers } = JSON.parse(await readFile(join(engine.folder, 'servers.json'), 'utf8')) as {
    servers: { startNeed?: unknown }[];
  };
  return servers[0]?.startNeed ?? null;
}

const rejected = (message: string) =>
  `write({ id: request.id, error: { code: -32600, message: '${message}' } })`;

describe('a server that does not survive server/discover', () => {
  test.each([
    ['ends with a word on standard error', `console.error('expected initialize request'); process.exit(1);`],
    ['ends with exit code 0, without a word', 'process.exit(0);'],
    ['prints what is no message, and ends', `console.log('bye'); process.exit(2);`],
    ['is killed', `process.kill(process.pid, 'SIGKILL');`],
    [
      'ends after the wait for its answer',
      'server.initialize = () => {}; setTimeout(() => process.exit(1), 3200);',
    ],
    ['closes its output and lives on', `require('node:fs').closeSync(1); setInterval(() => {}, 1000);`],
  ])('is started again in the legacy era: %s', async (_, onDiscover) => {
    const session = await engine.connect(scriptedServer(`'server/discover'() { ${onDiscover} },`), auto);
    expect(session).toMatchObject({ phase: 'ready', fault: null, agreement: { era: 'legacy' } });
    expect((await sentTo(session)).filter((method) => method === 'server/discover')).toHaveLength(1);
    expect(await startsOf(session)).toBe(2);
    expect(evidenceOf(session)).toMatch(
      /The server did not survive server\/discover\..*\. So the server is started again in the legacy era, without server\/discover\./,
    );
    expect((await engine.call('catalog/tools', { sessionId: session.id })).state).toBe('ready');
    await expect.poll(needOf).toMatchObject({ era: 'legacy' });
  });

  test('in its record: the first process with its end, then the one that serves', async () => {
    const server = scriptedServer(`'server/discover'() { console.error('too early'); process.exit(1); },`);
    const session = await engine.connect(server, auto);
    const rows = await engine.rows(session.id);
    const discover = rows.find(({ method }) => method === 'server/discover');
    expect(discover?.status).toBe('unanswered');
    expect(session.process).toMatchObject({ exitCode: null, signal: null, shutdown: [] });
    await engine.call('sessions/close', { sessionId: session.id });
    const closed = await engine.session(session.id);
    expect(closed).toMatchObject({ phase: 'closed', process: { exitCode: 0 } });
    const { sessionId } = await engine.call('traces/open', { path: closed.traceFile.path });
    // The file is read after it was opened.
    const read = () => engine.call('traces/session', { sessionId });
    await expect.poll(async () => evidenceOf(await read())).toBe(evidenceOf(closed));
    const recorded = await read();
    expect(recorded.process).toMatchObject({ exitCode: 0, pid: closed.process?.pid });
  });
});

describe('a server or bridge whose initialize fails after it refused the probe', () => {
  /** @param onInitialize what it does with `initialize` once it was asked anything else */
  const bridge = (onInitialize: string, onDiscover = rejected('not initialized')) =>
    scriptedServer(`
      'server/discover'(request) { server.isSpoilt = true; ${onDiscover}; },
      initialize(request) { if (!server.isSpoilt) return shakeHands(request); ${onInitialize} },
    `);

  test.each([
    ['with an error', rejected('Server already initialized')],
    ['with what is no JSON-RPC message', `console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id }))`],
    ['by its end', 'process.exit(0)'],
    ['by silence', ''],
  ])('is started again without it: %s', async (_, onInitialize) => {
    const session = await engine.connect(bridge(onInitialize), {
      ...auto,
      timeouts: { ...defaultTimeouts, initialize: 1500 },
    });
    expect(session).toMatchObject({ phase: 'ready', fault: null, agreement: { era: 'legacy' } });
    expect(await startsOf(session)).toBe(2);
    expect(evidenceOf(session)).toContain(
      'the server is started again in the legacy era, without server/discover',
    );
    await expect.poll(needOf).toMatchObject({ era: 'legacy' });
  });

  test('also if it answered the probe with a result of no era', async () => {
    const session = await engine.connect(
      bridge(rejected('Server already initialized'), 'answer(request, {})'),
      auto,
    );
    expect(session.phase).toBe('ready');
    expect(await startsOf(session)).toBe(2);
  });

  test('but not if it names the revisions that it speaks, which another start does not change', async () => {
    const session = await engine.connect(misbehavingServer('version-error'), auto);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'revision-refused' } });
    expect(await startsOf(session)).toBe(1);
    await expect.poll(needOf).toBeNull();
  });
});

describe('a server that fails without the probe as well', () => {
  test('is started twice, not more; the fault is that of the second start, and nothing is remembered', async () => {
    const session = await engine.connect(misbehavingServer('exit-before-initialize'), auto);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'ended-before-initialize' } });
    expect(session.fault?.evidence?.match(/DATABASE_URL/g)).toHaveLength(1);
    expect(await startsOf(session)).toBe(2);
    await expect.poll(needOf).toBeNull();
  });

  test('is not started again if the user chose the era', async () => {
    const session = await engine.connect(misbehavingServer('exit-before-initialize'), { era: 'legacy' });
    expect(await startsOf(session)).toBe(1);
  });

  test('and answers neither request is not started again, for it may still be starting; the era is advised', async () => {
    const hanging = scriptedServer(`'server/discover'() { server.initialize = () => {}; },`);
    const session = await engine.connect(hanging, {
      ...auto,
      timeouts: { ...defaultTimeouts, initialize: 800 },
    });
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'initialize-timeout' } });
    expect(session.fault?.next).toContain('set the era of this server to legacy');
    expect(await startsOf(session)).toBe(1);
  });

  test('can be disconnected while it is started again', async () => {
    const server = scriptedServer(`
      'server/discover'() { process.exit(1); },
      initialize() {},
    `);
    const connecting = engine.connect(server, auto);
    const { id } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      return session?.evidence.some(({ text }) => text.includes('started again')) === true ? session : null;
    });
    await engine.call('sessions/close', { sessionId: id });
    expect(await connecting).toMatchObject({ phase: 'closed', fault: null });
    await expect.poll(needOf).toBeNull();
  });
});

test('the second start runs what was approved, whatever the settings and variables have become since', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-approved-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [log, go, program] = ['log', 'go', 'server.cjs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const [, script = ''] = scriptedServer(`
    'server/discover'() { setInterval(() => require('node:fs').existsSync(${JSON.stringify(go)}) && process.exit(1), 20); },
  `).args;
  const noteStart = `require('node:fs').appendFileSync(${JSON.stringify(log)}, JSON.stringify([process.argv.slice(2), process.cwd(), process.env.MARK, process.env.GIVEN]) + '\\n');`;
  await writeFile(program, `${noteStart}\n${script}`);
  const starts = async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  process.env['SIGHTGLASS_TEST_GIVEN'] = 'before';
  onTestFinished(() => void delete process.env['SIGHTGLASS_TEST_GIVEN']);
  const connecting = engine.connect(
    { command: process.execPath, args: [program, '--mode', 'approved'] },
    {
      ...auto,
      env: [
        { name: 'MARK', value: 'approved', secret: false },
        { name: 'GIVEN', value: '${env:SIGHTGLASS_TEST_GIVEN}', secret: false },
      ],
    },
  );
  await expect.poll(starts).toHaveLength(1);
  const [server] = await engine.call('servers/list', {});
  if (server?.transport.kind !== 'stdio') throw new Error('not saved');
  const { id, source: _, ...settings } = server;
  const transport = {
    ...server.transport,
    args: [program, '--mode', 'another'],
    cwd: folder,
    env: [{ name: 'MARK', value: 'another', secret: false }],
  };
  await engine.call('servers/save', { id, settings: { ...settings, transport } });
  process.env['SIGHTGLASS_TEST_GIVEN'] = 'after';
  await writeFile(go, '');
  const session = await connecting;
  expect(session).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
  const [first, ...others] = await starts();
  expect(JSON.parse(first ?? '')).toEqual([['--mode', 'approved'], process.cwd(), 'approved', 'before']);
  expect(others).toEqual([first]);
  // What the old command line needed says nothing about the new one, which is probed.
  const next = await engine.reconnect(id);
  expect(await sentTo(next)).toContain('server/discover');
  expect(JSON.parse((await starts()).at(-1) ?? '')).toEqual([['--mode', 'another'], folder, 'another', null]);
});

describe('what a server needed', () => {
  /** A server in a file that ends on the probe. @param more handlers, JavaScript */
  async function savedServer(more = '') {
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-need-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'server.cjs');
    const write = async (handlers: string) => {
      const [, program = ''] = scriptedServer(handlers).args;
      await writeFile(path, program);
    };
    await write(`'server/discover'() { process.exit(1); }, ${more}`);
    const session = await engine.connect({ command: process.execPath, args: [path] }, auto);
    expect(session.phase).toBe('ready');
    return { session, write, path };
  }

  test('is remembered for its next start, which the evidence shows', async () => {
    const { session } = await savedServer();
    await expect.poll(needOf).toMatchObject({ era: 'legacy', at: expect.any(Number) });
    const next = await engine.reconnect(session.serverId);
    expect(next).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
    expect(await sentTo(next)).not.toContain('server/discover');
    expect(await startsOf(next)).toBe(1);
    expect(evidenceOf(next)).toMatch(
      /^Sent initialize with revision \S+ and no server\/discover: on \d{4}-\d\d-\d\d this server did not connect with it\./,
    );
    const [server] = await engine.call('servers/list', {});
    expect(server?.era).toBe('auto');
  });

  test.each([
    ['of a time to come', { at: Date.now() + 3600_000 }],
    ['of no time that there is', { at: 1e300 }],
    ['of a time that is not a number', { at: 'yesterday' }],
    ['of another era', { era: 'modern' }],
    ['that is a text', 'legacy'],
    ['that is null', null],
    ['that is a list', []],
  ])('is not trusted when servers.json has a need %s: the server is probed', async (_, change) => {
    const { session } = await savedServer();
    await expect.poll(needOf).toMatchObject({ era: 'legacy' });
    const need = await needOf();
    const path = join(engine.folder, 'servers.json');
    const file = JSON.parse(await readFile(path, 'utf8')) as { servers: object[] };
    const changed = isObject(need) && isObject(change) ? { ...need, ...change } : change;
    file.servers = file.servers.map((server) => ({ ...server, startNeed: changed }));
    await writeFile(path, JSON.stringify(file));
    const next = await engine.reconnect(session.serverId);
    expect(next).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
    expect(await sentTo(next)).toContain('server/discover');
  });

  test('is forgotten when its program changes, and the new one is probed', async () => {
    const { session, write } = await savedServer();
    await write(`'server/discover'(request) { ${rejected('Method not found')}; }, /* another size */`);
    const next = await engine.reconnect(session.serverId);
    expect((await sentTo(next)).slice(0, 2)).toEqual(['server/discover', 'initialize']);
    expect(await startsOf(next)).toBe(1);
    await expect.poll(needOf).toBeNull();
  });

  test.each([
    ['arguments', { args: ['--verbose'] }],
    ['era', { era: 'legacy' as const }],
  ])(
    'is forgotten when the %s of the server change',
    async (_, change: { args?: string[]; era?: 'legacy' }) => {
      const { session } = await savedServer();
      const [server] = await engine.call('servers/list', {});
      if (server?.transport.kind !== 'stdio') throw new Error('not saved');
      const { id, source: _source, ...settings } = server;
      const args = [...server.transport.args, ...(change.args ?? [])];
      await engine.call('servers/save', {
        id,
        settings: {
          ...settings,
          ...(change.era && { era: change.era }),
          transport: { ...server.transport, args },
        },
      });
      await expect.poll(needOf).toBeNull();
      expect(session.serverId).toBe(id);
    },
  );

  test('stays when only the name of the server changes', async () => {
    await savedServer();
    const [server] = await engine.call('servers/list', {});
    if (server === undefined) throw new Error('not saved');
    const { id, source: _, ...settings } = server;
    await engine.call('servers/save', { id, settings: { ...settings, name: 'renamed' } });
    await expect.poll(needOf).toMatchObject({ era: 'legacy' });
  });

  test('is forgotten when the server reports another version: its next start is probed', async () => {
    const version = join(await mkdtemp(join(tmpdir(), 'sightglass-version-')), 'version');
    await writeFile(version, '1.0.0');
    const { session } = await savedServer(`
      initialize(request) {
        answer(request, {
          protocolVersion: request.params.protocolVersion,
          capabilities: {},
          serverInfo: { name: 'scripted', version: require('node:fs').readFileSync(${JSON.stringify(version)}, 'utf8') },
        });
      },
    `);
    await writeFile(version, '2.0.0');
    const next = await engine.reconnect(session.serverId);
    expect(await sentTo(next)).not.toContain('server/discover');
    expect(evidenceOf(next)).toContain('its next start is probed again');
    await expect.poll(needOf).toBeNull();
    expect(await sentTo(await engine.reconnect(session.serverId))).toContain('server/discover');
  });

  test('is forgotten when the start without the probe fails, and the probe is sent after all', async () => {
    const mode = join(await mkdtemp(join(tmpdir(), 'sightglass-mode-')), 'mode');
    await writeFile(mode, 'legacy');
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-need-'));
    const path = join(folder, 'server.cjs');
    const modern = `{ supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete', ttlMs: 0, cacheScope: 'private' }`;
    const [, program = ''] = scriptedServer(`
      'server/discover'(request) { if (server.isModern()) answer(request, ${modern}); else process.exit(1); },
      initialize(request) { if (server.isModern()) process.exit(1); else shakeHands(request); },
      isModern: () => require('node:fs').readFileSync(${JSON.stringify(mode)}, 'utf8') === 'modern',
    `).args;
    await writeFile(path, program);
    const first = await engine.connect({ command: process.execPath, args: [path] }, auto);
    expect(first.agreement?.era).toBe('legacy');
    await writeFile(mode, 'modern');
    const next = await engine.reconnect(first.serverId);
    expect(next).toMatchObject({ phase: 'ready', agreement: { era: 'modern' } });
    expect(await startsOf(next)).toBe(2);
    await expect.poll(needOf).toBeNull();
  });
});
