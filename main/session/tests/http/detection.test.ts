import { beforeEach, describe, expect, test } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';
import { defaultClientCapabilities } from '#shared/protocol/client-capabilities.ts';

const bench = benchForEachTest();
const { serve, serveSse } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});

const methodsOf = (server: ScriptedHttpServer) =>
  server.requests.flatMap(({ method, messages }) =>
    messages.length === 0 ? [method] : messages.map((message) => message.method),
  );

describe('over HTTP, with nothing set, the era is found out', () => {
  test('modern, by the result of server/discover', async () => {
    const server = await serve({ era: 'modern' });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({
      phase: 'ready',
      transport: 'streamable-http',
      agreement: { era: 'modern', revision: '2026-07-28', supportedRevisions: ['2026-07-28'] },
    });
    expect(methodsOf(server)).toEqual(['server/discover', 'tools/list']);
    expect(session.evidence.map(({ text }) => text)).toEqual([
      'Asked server/discover, which only the modern era has.',
      'Answered with a result: the server is of the modern era.',
    ]);
    const rows = await engine.rows(session.id);
    expect(session.evidence.map(({ row }) => rows[row ?? -1]?.method)).toEqual([
      'server/discover',
      'server/discover',
    ]);
    expect(rows.filter((row) => row.kind === 'phase').map((row) => row.summary.split(':')[0])).toEqual([
      'connecting',
      'detecting',
      'ready',
    ]);
  });

  test('legacy, by any other answer; the session goes on with initialize', async () => {
    const server = await serve({ era: 'legacy' });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({
      phase: 'ready',
      transport: 'streamable-http',
      agreement: { era: 'legacy', revision: '2025-11-25' },
    });
    expect(methodsOf(server).slice(0, 3)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
    await engine.call('sessions/close', { sessionId: session.id });
    const [discover, initialize, ...later] = server.requests;
    expect(discover?.header('mcp-protocol-version')).toBe('2026-07-28');
    expect(initialize?.header('mcp-protocol-version')).toBeUndefined();
    for (const request of later) {
      expect(request.header('mcp-protocol-version')).toBe('2025-11-25');
      expect(request.header('mcp-session-id')).toBe(session.http?.sessionId);
    }
    expect(server.requests.at(-1)?.method).toBe('DELETE');
  });

  test('the probe and its answer are marked as such, and an error to it counts as none of the server', async () => {
    const server = await serve({ era: 'legacy' });
    const { id } = await engine.connectUrl(server.url);
    const rows = await engine.rows(id);
    const marked = rows.filter((row) => row.probe);
    expect(marked.map(({ kind }) => kind)).toEqual(['http', 'request', 'error']);
    expect((await engine.session(id)).counts.errors).toBe(0);
  });

  test('legacy, if the connection is closed instead of an answer to the probe', async () => {
    const server = await serve({
      era: 'legacy',
      intercept: ({ received, response }) => {
        if (received.messages[0]?.method !== 'server/discover') return false;
        response.socket?.destroy();
        return true;
      },
    });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
    expect(methodsOf(server).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  test('HTTP+SSE, when the POST is refused and a GET brings an endpoint', async () => {
    const server = await serveSse();
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'ready', transport: 'http-sse', agreement: { era: 'legacy' } });
    expect(session.http?.endpoint).toContain('/sse/messages?session=');
    expect(await engine.callTool(session.id, 'echo', { message: 'hi' })).toMatchObject({ state: 'ok' });
    expect(session.evidence.at(-1)?.text).toContain(
      'initialize was answered: revision 2025-11-25 is in force.',
    );
    expect(session.evidence.map(({ text }) => text).join('\n')).toContain('HTTP status 405');
    const asked = (await engine.rows(session.id)).filter((row) => row.kind === 'request');
    expect(asked.map(({ method, status }) => [method, status]).slice(0, 3)).toEqual([
      ['server/discover', 'unanswered'],
      ['initialize', 'unanswered'],
      ['initialize', 'ok'],
    ]);
  });

  test('a modern server that lacks our revision but has older ones is initialized', async () => {
    const server = await serve({
      era: 'both',
      handlers: {
        'server/discover': () => ({ supportedVersions: ['2027-09-09', '2025-06-18'], capabilities: {} }),
      },
    });
    const { agreement } = await engine.connectUrl(server.url);
    expect(agreement).toMatchObject({ era: 'legacy' });
  });

  test('a modern server that speaks only revisions we do not know is said so, with remedies', async () => {
    const server = await serve({
      era: 'modern',
      handlers: { 'server/discover': () => ({ supportedVersions: ['2027-09-09'], capabilities: {} }) },
    });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'revision-refused' } });
    expect(session.fault?.why).toContain('2027-09-09');
    expect(session.remedies).toEqual([{ kind: 'revision', revision: '2027-09-09' }]);
  });

  test.each([401, 403])('%d is authorization, and nothing else is tried', async (status) => {
    const server = await serve({
      intercept: (exchange) => {
        exchange.reply(status, { 'WWW-Authenticate': 'Bearer resource_metadata="x"' });
        return true;
      },
    });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: `http-status-${status}` } });
    // An authorization asks for its metadata, and registers at the default endpoint.
    const isOfSession = ({ url }: { url: string }) => !url.startsWith('/.well-known/') && url !== '/register';
    expect(server.requests.filter(isOfSession)).toHaveLength(1);
  });

  test('where nothing listens, the failure names the step and what to do', async () => {
    const server = await ScriptedHttpServer.open();
    await server.close();
    const { phase, fault } = await engine.connectUrl(server.url);
    expect(phase).toBe('failed');
    expect(fault).toMatchObject({ code: 'http-connect' });
    expect(fault?.what).toContain('127.0.0.1');
    expect(fault?.next).toBeDefined();
  });

  test('a server that leaves the probe unanswered is initialized beside it; the late answer is on record', async () => {
    let answerProbe = () => {};
    const server = await serve({
      intercept: (exchange) => {
        const [message] = exchange.received.messages;
        if (message?.method !== 'server/discover') return false;
        answerProbe = () => exchange.json({ jsonrpc: '2.0', id: message.id, result: {} });
        return true;
      },
    });
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
    answerProbe();
    const late = await engine.row(
      session.id,
      (row) => row.method === 'server/discover' && row.kind === 'result',
    );
    expect(late.status).toBe('late');
  });
});

describe('what is set for a server is not second-guessed', () => {
  test('legacy begins with initialize', async () => {
    const server = await serve({ era: 'both' });
    const { agreement } = await engine.connectUrl(server.url, { era: 'legacy' });
    expect(agreement?.era).toBe('legacy');
    expect(methodsOf(server)[0]).toBe('initialize');
  });

  test('modern sends no probe, and learns who the server is from its results', async () => {
    const server = await serve({
      era: 'modern',
      handlers: {
        'tools/list': () => ({
          tools: [],
          ttlMs: 0,
          cacheScope: 'private',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'known by its results', version: '3' } },
        }),
      },
    });
    const session = await engine.connectUrl(server.url, { era: 'modern' });
    expect(methodsOf(server)).toEqual(['tools/list']);
    expect(session.agreement).toMatchObject({
      era: 'modern',
      serverCapabilities: null,
      handshake: null,
      server: { name: 'known by its results' },
    });
  });

  test('a revision of the legacy era is asked for by initialize', async () => {
    const server = await serve({ era: 'both' });
    const { agreement } = await engine.connectUrl(server.url, { revision: '2025-03-26' });
    expect(agreement).toMatchObject({ era: 'legacy', requestedRevision: '2025-03-26' });
    expect(methodsOf(server)[0]).toBe('initialize');
  });

  test('Streamable HTTP does not fall back to HTTP+SSE', async () => {
    const server = await serveSse();
    const session = await engine.connectUrl(server.url, { http: { transport: 'streamable-http' } });
    expect(session.phase).toBe('failed');
    expect(server.requests.every(({ method }) => method === 'POST')).toBe(true);
  });

  test('HTTP+SSE asks for the stream at once', async () => {
    const server = await serveSse();
    const session = await engine.connectUrl(server.url, { http: { transport: 'http-sse' } });
    expect(session).toMatchObject({ phase: 'ready', transport: 'http-sse' });
    expect(server.requests[0]?.method).toBe('GET');
  });
});

describe('on stdio, one process is asked both ways', () => {
  const modern = scriptedServer(`
    'server/discover'(request) {
      answer(request, { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    },
    'tools/list'(request) { answer(request, { resultType: 'complete', tools: [] }); },
  `);
  const silent = scriptedServer(`'server/discover'() {},`);
  const refusing = scriptedServer(
    `'server/discover'({ id }) { write({ id, error: { code: -32601, message: 'Method not found' } }); },`,
  );
  const spawns = async (id: string) =>
    (await engine.rows(id)).filter((row) => row.kind === 'process' && row.summary.startsWith('started'));

  test('a modern server is found by server/discover, and every request says so in _meta', async () => {
    const session = await engine.connect(modern, { era: 'auto' });
    expect(session.agreement).toMatchObject({ era: 'modern', revision: '2026-07-28' });
    const list = await engine.row(session.id, (row) => row.method === 'tools/list' && row.kind === 'request');
    const { text } = await engine.call('trace/detail', { sessionId: session.id, row: list.row });
    expect(JSON.parse(text ?? '').params._meta).toEqual({
      progressToken: 2,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'sightglass', title: 'Sightglass', version: '0.0.0' },
      'io.modelcontextprotocol/clientCapabilities': defaultClientCapabilities('2026-07-28'),
    });
    expect(await spawns(session.id)).toHaveLength(1);
  });

  test('an error of any code is that of a legacy server', async () => {
    const session = await engine.connect(refusing, { era: 'auto' });
    expect(session.agreement).toMatchObject({ era: 'legacy' });
    expect(session.evidence.map(({ text }) => text)[1]).toContain('Answered with error -32601');
    expect(await spawns(session.id)).toHaveLength(1);
  });

  test('silence for some seconds is, too', async () => {
    const session = await engine.connect(silent, { era: 'auto' });
    expect(session.agreement).toMatchObject({ era: 'legacy' });
    expect(session.evidence.map(({ text }) => text).join('\n')).toContain('No answer to server/discover');
    expect(await spawns(session.id)).toHaveLength(1);
  });

  test('a server that ends on the probe is started again, and needs no second start if the era is set', async () => {
    const ending = scriptedServer(`'server/discover'() { process.exit(3); },`);
    const session = await engine.connect(ending, { era: 'auto' });
    expect(session).toMatchObject({ phase: 'ready', agreement: { era: 'legacy' } });
    expect(await spawns(session.id)).toHaveLength(2);
    const set = await engine.connect(ending, { era: 'legacy' });
    expect(set.phase).toBe('ready');
    expect(await spawns(set.id)).toHaveLength(1);
  });
});

describe('a revision the app does not know', () => {
  const stranger = scriptedServer(`
    initialize(request) {
      const known = ['2025-06-18'];
      const asked = request.params.protocolVersion;
      answer(request, {
        protocolVersion: known.includes(asked) ? asked : '2031-01-01',
        capabilities: { tools: {} },
        serverInfo: { name: 'stranger', version: '1' },
      });
    },
  `);

  test('fails readably, with the revisions to try and going on anyway', async () => {
    const failed = await engine.connect(stranger);
    expect(failed).toMatchObject({ phase: 'failed', fault: { code: 'revision-unsupported' } });
    expect(failed.remedies).toContainEqual({ kind: 'any-revision', revision: '2031-01-01' });
    expect(failed.remedies).toContainEqual({ kind: 'revision', revision: '2025-06-18' });

    const { serverId } = failed;
    const again = await engine.call('sessions/open', { serverId, revision: '2025-06-18' });
    if (again.outcome !== 'opened') throw new Error('it was not opened');
    const ready = await engine.settled(again.session.id, ['ready', 'failed']);
    expect(ready.agreement?.revision).toBe('2025-06-18');

    const anyway = await engine.call('sessions/open', { serverId, anyRevision: true });
    if (anyway.outcome !== 'opened') throw new Error('it was not opened');
    const gone = await engine.settled(anyway.session.id, ['ready', 'failed']);
    expect(gone).toMatchObject({ phase: 'ready', agreement: { revision: '2031-01-01' } });
  });

  test('or a result that lacks what it must have can be gone on with, as far as it goes', async () => {
    const incomplete = scriptedServer(
      `initialize(request) { answer(request, { capabilities: { tools: {} } }); },`,
    );
    const failed = await engine.connect(incomplete);
    expect(failed).toMatchObject({ phase: 'failed', fault: { code: 'initialize-bad-result' } });
    expect(failed.remedies).toEqual([{ kind: 'any-revision', revision: '2025-11-25' }]);
    const opened = await engine.call('sessions/open', { serverId: failed.serverId, anyRevision: true });
    if (opened.outcome !== 'opened') throw new Error('it was not opened');
    const ready = await engine.settled(opened.session.id, ['ready', 'failed']);
    expect(ready.agreement).toMatchObject({ revision: '2025-11-25', server: null });
  });

  test('a server that is too slow to answer initialize is said to be', async () => {
    const silent = scriptedServer(`initialize() {},`);
    const timeouts = { ...defaultTimeouts, initialize: 300 };
    expect(await engine.connect(silent, { timeouts })).toMatchObject({
      phase: 'failed',
      fault: { code: 'initialize-timeout' },
    });
  });
});
