import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { Call } from '#shared/contract/calls.ts';
import { DEFAULT_LATENCY, type MockSettings, type ServedMock } from '#shared/contract/mocks.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { TraceMock } from '#main/mock.ts';
import { ServedMocks } from './served-mocks.ts';

let engine: EngineFixture;
let trace: { readonly path: string; readonly callRow: number };
beforeAll(async () => {
  engine = await EngineFixture.open();
  const { id: sessionId, serverId } = await engine.connect(
    scriptedServer(`
      'tools/list': (request) => answer(request, { tools: [
        { name: 'weather', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      ] }),
      'tools/call': (request) => answer(request, {
        content: [{ type: 'text', text: 'sunny in ' + request.params.arguments.city }] }),
    `),
  );
  const call = await engine.startTool(sessionId, 'weather', { city: 'Paris' });
  const { requestRow } = await engine.ended(sessionId, call.id);
  await engine.call('sessions/close', { sessionId });
  const { traceFile } = await engine.settled(sessionId, ['closed']);
  trace = { path: traceFile?.path ?? '', callRow: requestRow };
  await engine.call('servers/remove', { id: serverId });
});
afterAll(() => engine.close());

const settings: MockSettings = {
  port: 0,
  match: 'context',
  latency: DEFAULT_LATENCY,
  faults: null,
  forwardTo: null,
};

const start = (change: Partial<MockSettings> = {}): Promise<ServedMock> =>
  engine.call('mocks/start', { path: trace.path, settings: { ...settings, ...change } });

/** The mock once this many exchanges have ended. */
const after = ({ serverId }: ServedMock, total: number): Promise<ServedMock> =>
  engine.until(async () => {
    const mock = (await engine.call('mocks/list', {})).find((one) => one.serverId === serverId);
    return mock !== undefined && mock.total >= total ? mock : null;
  });

const resultOf = async ({ sessionId, id: callId }: Call): Promise<string | null> =>
  (await engine.call('calls/result', { sessionId, callId, from: 0 })).text;

const faultOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no fault',
    (error: unknown) => (error instanceof FaultError ? error.fault.what : String(error)),
  );

test('a mock is a server of the list, and says what it was asked beside what it answered', async () => {
  const mock = await start();
  expect(mock).toMatchObject({ isRunning: true, run: 1, total: 0, unused: 1 });
  expect(await engine.call('servers/list', {})).toMatchObject([
    { id: mock.serverId, source: 'mock', name: 'under test (mock)', transport: { url: mock.url } },
  ]);

  const { id: sessionId } = await engine.reconnect(mock.serverId);
  const answered = await engine.callTool(sessionId, 'weather', { city: 'Paris' });
  expect(await resultOf(answered)).toContain('sunny in Paris');
  const missed = await engine.callTool(sessionId, 'weather', { city: 'Rome' });
  expect(missed.state).toBe('protocol-error');

  const now = await engine.until(async () => {
    const { misses } = await after(mock, 0);
    return misses === 1 ? after(mock, 0) : null;
  });
  expect(now).toMatchObject({ misses: 1, inexact: 0, unused: 0 });
  const { run, exchanges } = await engine.call('mocks/exchanges', {
    serverId: mock.serverId,
    run: now.run,
    after: 0,
  });
  const calls = exchanges.filter(({ method }) => method === 'tools/call');
  expect(calls).toMatchObject([
    { clientName: 'sightglass', target: 'weather', match: 'exact', recordedRow: trace.callRow },
    { clientName: 'sightglass', target: 'weather', match: 'miss', recordedRow: trace.callRow },
  ]);
  expect(await engine.call('mocks/exchanges', { serverId: mock.serverId, run, after: now.total })).toEqual({
    run,
    exchanges: [],
  });

  const detail = await engine.call('mocks/exchange', {
    serverId: mock.serverId,
    run,
    number: calls[1]?.number ?? 0,
  });
  expect(JSON.parse(detail.params?.text ?? '')).toMatchObject({ arguments: { city: 'Rome' } });
  expect(JSON.parse(detail.response?.text ?? '')).toMatchObject({ error: { code: -32603 } });
  expect(JSON.parse(detail.recorded?.params?.text ?? '')).toMatchObject({ arguments: { city: 'Paris' } });
  expect(detail.recorded?.response?.text).toContain('sunny in Paris');
  expect(detail.differences).toMatchObject([{ path: '$.params.arguments.city' }]);
  expect(detail.why).toContain('Never recorded: tools/call weather with these params.');
  await engine.call('servers/remove', { id: mock.serverId });
});

test('a stopped mock keeps its report; started again, it begins at the start of its recording on the same port', async () => {
  const mock = await start();
  const { id: sessionId } = await engine.reconnect(mock.serverId);
  await engine.callTool(sessionId, 'weather', { city: 'Paris' });
  const stopped = await engine.call('mocks/stop', { serverId: mock.serverId });
  expect(stopped).toMatchObject({ isRunning: false, run: 1 });
  expect(stopped.total).toBeGreaterThan(0);
  const refused = await fetch(mock.url).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(TypeError);

  const again = await engine.call('mocks/restart', { serverId: mock.serverId });
  expect(again).toMatchObject({ isRunning: true, run: 2, total: 0, unused: 1, url: mock.url });
  const { id: secondId } = await engine.reconnect(mock.serverId);
  const answered = await engine.callTool(secondId, 'weather', { city: 'Paris' });
  expect(await resultOf(answered)).toContain('sunny in Paris');

  await engine.call('servers/remove', { id: mock.serverId });
  expect(await engine.call('mocks/list', {})).toEqual([]);
  await expect.poll(() => fetch(mock.url).catch(() => 'refused')).toBe('refused');
});

test('a long file of faults is read in a thread', async () => {
  const threads: (string | null)[] = [];
  const note = (thread: Worker) => threads.push(thread.threadName);
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  const path = join(engine.folder, 'long.yaml');
  await writeFile(path, `version: 1\nfaults:\n${'  - { method: ping, do: drop }\n'.repeat(2000)}`);
  const mock = await start({ faults: { path, seed: 1 } });
  expect(threads).toEqual(['read-faults']);
  expect(mock.isRunning).toBe(true);
  await engine.call('servers/remove', { id: mock.serverId });
});

test('faults are injected, and named beside the answer they changed', async () => {
  const path = join(engine.folder, 'faults.yaml');
  await writeFile(path, 'version: 1\nfaults:\n  - { method: tools/call, do: delay, by: 1ms }\n');
  const mock = await start({ match: 'sequence', faults: { path, seed: 7 } });
  const { id: sessionId } = await engine.reconnect(mock.serverId);
  await engine.callTool(sessionId, 'weather', { city: 'Paris' });
  const { faults, run } = await engine.until(async () => {
    const now = await after(mock, 0);
    return now.unused === 0 ? now : null;
  });
  expect(faults).toBe(1);
  const { exchanges } = await engine.call('mocks/exchanges', { serverId: mock.serverId, run, after: 0 });
  expect(exchanges.find(({ method }) => method === 'tools/call')?.faults).toEqual([{ do: 'delay', line: 3 }]);
  await engine.call('servers/remove', { id: mock.serverId });
});

test('what keeps a mock from being served is said, and adds no server', async () => {
  const other = createServer();
  await new Promise<void>((listening) => {
    other.listen(0, '127.0.0.1', listening);
  });
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  expect(await faultOf(start({ port }))).toContain(`cannot listen on port ${port}`);
  await new Promise((closed) => {
    other.close(closed);
  });
  expect(await faultOf(start({ faults: { path: 'faults.yaml', seed: 1 } }))).toContain('full path');
  expect(await faultOf(start({ faults: { path: join(engine.folder, 'none.yaml'), seed: 1 } }))).toContain(
    'There is no file',
  );
  const path = join(engine.folder, 'no.mcptrace');
  await writeFile(path, 'no trace');
  expect(await faultOf(engine.call('mocks/start', { path, settings }))).not.toBe('no fault');
  expect(await engine.call('servers/list', {})).toEqual([]);
});

test('what no recording answers goes to a connected server with its questions, and is in the trace of that session', async () => {
  const asking = scriptedServer(`
    'tools/list': (request) => answer(request, { tools: [{ name: 'weather', inputSchema: { type: 'object' } }] }),
    'tools/call': (request) => {
      server.asked = request;
      write({ id: 'q', method: 'elicitation/create', params: {
        message: 'When?', requestedSchema: { type: 'object', properties: { day: { type: 'string' } } } } });
    },
    answered: ({ result }) => answer(server.asked, {
      content: [{ type: 'text', text: server.asked.params.arguments.city + ' on ' + result.content.day }] }),
  `);
  const { id: behind, serverId: forwardTo } = await engine.connect(asking);
  const mock = await start({ forwardTo });
  const { id: sessionId } = await engine.reconnect(mock.serverId);
  expect(await resultOf(await engine.callTool(sessionId, 'weather', { city: 'Paris' }))).toContain('sunny');
  const forwarded = await engine.startTool(sessionId, 'weather', { city: 'Rome' });
  // The question comes to the client of the mock, which is a session of ours here.
  const question = await engine.until(
    async () =>
      (await engine.call('inbox/list', { sessionId })).find(({ state }) => state === 'waiting') ?? null,
  );
  const json = JSON.stringify({ action: 'accept', content: { day: 'Monday' } });
  await engine.call('inbox/answer', { sessionId, entryId: question.id, answer: { kind: 'result', json } });
  expect(await resultOf(await engine.ended(sessionId, forwarded.id))).toContain('Rome on Monday');
  const recorded = await engine.call('trace/calls', { sessionId: behind, from: 0, count: 10 });
  expect(recorded.calls.map(({ method }) => method)).toEqual(['tools/call', 'elicitation/create']);
  const exchanges = async () => {
    const { serverId } = mock;
    const known = await engine.call('mocks/exchanges', { serverId, run: 1, after: 0 });
    return known.exchanges.filter(({ method }) => method === 'tools/call').map(({ match }) => match);
  };
  expect(await exchanges()).toEqual(['exact', 'forwarded']);

  // A question that is not about a request to the mock is the user's.
  await engine.startTool(behind, 'weather', { city: 'Oslo' });
  const own = await engine.until(
    async () =>
      (await engine.call('inbox/list', { sessionId: behind })).find(({ state }) => state === 'waiting') ??
      null,
  );
  expect(own.answer).toBeNull();
  await engine.call('sessions/close', { sessionId: behind });
  const lost = await engine.callTool(sessionId, 'weather', { city: 'Bern' });
  expect(lost.error?.message).toContain('The server that misses are forwarded to is not connected.');
  await engine.call('servers/remove', { id: mock.serverId });
  await engine.call('servers/remove', { id: forwardTo });
});

test('the settings of a mock can be changed, but not its address, and they are not saved', async () => {
  const mock = await start();
  const [server] = await engine.call('servers/list', {});
  if (server === undefined || server.transport.kind !== 'http') throw new Error('the mock is listed');
  const { id, source: _, ...before } = server;
  const transport = { ...server.transport, url: 'http://127.0.0.1:1/other' };
  await engine.call('servers/save', { id, settings: { ...before, name: 'weather', transport } });
  expect(await engine.call('servers/list', {})).toMatchObject([
    { id, source: 'mock', name: 'weather', transport: { url: mock.url } },
  ]);
  const other = await EngineFixture.open({ dataFolder: engine.folder });
  expect(await other.call('servers/list', {})).toEqual([]);
  await other.engine.close();
  await engine.call('servers/remove', { id });
});

test('a mock that cannot be opened leaves no listener for the questions of the server behind it', async () => {
  let listeners = 0;
  const mocks = new ServedMocks({
    open: async () => {
      throw new Error('the trace cannot be read');
    },
    sessionTo: () => null,
    onQuestion: () => {
      listeners++;
      return () => listeners--;
    },
    answer: () => undefined,
    addServer: async () => 'server',
    throttle: (_milliseconds, action) => ({ request: action }),
    emit: () => undefined,
  });
  const forwarding = { ...settings, forwardTo: 'server' };
  const started = mocks.handlers['mocks/start']({ path: trace.path, settings: forwarding });
  await expect(started).rejects.toThrow('cannot be read');
  expect(listeners).toBe(0);
});

test.each(['closes', 'fails'])(
  'a mock whose server is being added when the app %s listens no longer',
  async (how) => {
    let url = '';
    const mocks: ServedMocks = new ServedMocks({
      open: (path, { match, latency, faults }, forward, onExchange) =>
        TraceMock.open({ paths: [path], match, latency, faults, forward, onExchange }),
      sessionTo: () => null,
      onQuestion: () => () => undefined,
      answer: () => undefined,
      addServer: async (of) => {
        url = of;
        if (how === 'fails') throw new Error('the list cannot be read');
        await mocks.close();
        return 'server';
      },
      throttle: (_milliseconds, action) => ({ request: action }),
      emit: () => undefined,
    });
    await expect(mocks.handlers['mocks/start']({ path: trace.path, settings })).rejects.toThrow(
      /closing|cannot be read/,
    );
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(await mocks.handlers['mocks/list']({})).toEqual([]);
  },
);
