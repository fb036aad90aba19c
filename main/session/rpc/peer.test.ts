import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultClientProfile, defaultTimeouts } from '#shared/contract/servers.ts';
import { Peer } from './peer.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

const ping = (sessionId: string) => engine.call('sessions/ping', { sessionId });

describe('ids', () => {
  test('of our requests are integers counted up, each used once, and no array is sent', async () => {
    const { id } = await engine.connect(misbehavingServer());
    await engine.callTool(id, 'echo', { message: 'hi' });
    await ping(id);
    const sent = (await engine.rows(id)).filter(({ direction }) => direction === 'out');
    const requests = sent.filter(({ kind }) => kind === 'request');
    expect(requests.map((row) => [row.id, row.method])).toEqual([
      ['1', 'initialize'],
      ['2', 'tools/list'],
      ['3', 'tools/call'],
      ['4', 'ping'],
    ]);
    for (const { row } of sent) {
      const { text } = await engine.call('trace/detail', { sessionId: id, row });
      expect(text).toMatch(/^\{"jsonrpc":"2\.0",[^\n]*\}$/);
    }
  });

  test('of both sides are distinguished, and 2 from "2"; neither side waits for the other', async () => {
    const { id } = await engine.connect(
      scriptedServer(`
        initialize(request) {
          this.waiting = request;
          write({ id: 'early', method: 'ping' });
        },
        'tools/list'(request) {
          this.waiting = request;
          write({ id: request.id, method: 'ping' });
          write({ id: String(request.id), method: 'ping' });
        },
        pongs: 0,
        answered({ id }) {
          if (id === 'early') shakeHands(this.waiting);
          else if (++this.pongs === 2) answer(this.waiting, { tools: [] });
        },
      `),
    );
    expect((await engine.call('catalog/tools', { sessionId: id })).state).toBe('ready');
    const rows = await engine.rows(id);
    const asked = rows.filter((row) => row.kind === 'request' && row.direction === 'in');
    expect(asked.map((row) => row.id)).toEqual(['"early"', '2', '"2"']);
    for (const request of asked) {
      const pong = rows[request.pair ?? -1];
      expect(pong).toMatchObject({ kind: 'result', direction: 'out', id: request.id, pair: request.row });
    }
    const ours = rows.find((row) => row.method === 'tools/list' && row.kind === 'request');
    expect(ours?.id).toBe('2');
    expect(rows[ours?.pair ?? -1]).toMatchObject({ kind: 'result', direction: 'in', pair: ours?.row });
  });
});

describe('what the server sends unasked', () => {
  test.each(['sampling/createMessage', 'elicitation/create', 'roots/list'])(
    '%s, which was not announced, is answered with -32601',
    async (method) => {
      const { id } = await engine.connect(
        scriptedServer(`'notifications/initialized'() { write({ id: 's-1', method: '${method}' }); },`),
        { client: { ...defaultClientProfile, capabilities: {} } },
      );
      const rejection = await engine.row(id, (row) => row.direction === 'out' && row.id === '"s-1"');
      expect(rejection).toMatchObject({ kind: 'error', code: -32601, method, automatic: true });
    },
  );

  test('a request nobody supports is answered with -32601, a ping with an empty result', async () => {
    const { id } = await engine.connect(misbehavingServer('asks-for-roots', 'asks-for-the-unknown', 'pings'));
    const refused = await engine.row(id, (row) => row.direction === 'out' && row.code === -32601);
    expect(refused.automatic).toBe(true);
    const pong = await engine.row(
      id,
      (row) => row.direction === 'out' && row.method === 'ping' && row.kind === 'result',
    );
    const { text } = await engine.call('trace/detail', { sessionId: id, row: pong.row });
    expect(JSON.parse(text ?? '')).toMatchObject({ result: {} });
  });

  test('ids beyond 2^53 are distinguished, and answered digit by digit', async () => {
    const { id } = await engine.connect(misbehavingServer('pings-with-large-ids'));
    const ids = ['9007199254740993', '9007199254740992'];
    const pings = await engine.until(async () => {
      const rows = (await engine.rows(id)).filter(({ method }) => method === 'ping');
      return rows.length === 4 ? rows : null;
    });
    for (const wanted of ids) {
      const pair = pings.filter((row) => row.id === wanted);
      expect(pair.map(({ kind, status }) => [kind, status])).toEqual([
        ['request', 'ok'],
        ['result', 'ok'],
      ]);
      expect(pair.map((row) => row.pair)).toEqual(pair.map(({ row }) => row).toReversed());
      const answer = await engine.call('trace/detail', { sessionId: id, row: pair[1]?.row ?? -1 });
      expect(answer.text).toContain(`"id":${wanted},`);
    }
  });

  test('no notification is answered, known or not, sensible or not', async () => {
    const { id } = await engine.connect(
      scriptedServer(`
        'notifications/initialized'() {
          write({ method: 'notifications/coffee_ready' });
          write({ method: 'notifications/cancelled', params: { requestId: 4711, reason: 'none of mine' } });
          write({ method: 'notifications/cancelled' });
          write({ method: 'notifications/progress', params: { progressToken: 4711, progress: 1 } });
          write({ method: 'notifications/tools/list_changed' });
        },
      `),
    );
    await engine.row(id, (row) => row.method === 'notifications/tools/list_changed');
    await ping(id);
    const rows = await engine.rows(id);
    const reported = rows.filter((row) => row.kind === 'notification' && row.direction === 'in');
    expect(reported.map((row) => row.parent)).toEqual([null, null, null, null, null]);
    expect(rows.filter((row) => row.direction === 'out' && /^(result|error)$/.test(row.kind))).toEqual([]);
    expect((await engine.session(id)).phase).toBe('ready');
  });
});

test.each([
  ['result-and-error', /both "result" and "error"/, '"result"'],
  ['neither-result-nor-error', /neither "method" nor "result" nor "error"/, '"id"'],
  ['string-error-code', /lacks an integer "code"/, '"E_BROKEN"'],
  ['wrong-jsonrpc', /not exactly "2.0"/, '"1.0"'],
] as const)('an answer that is no valid message is a row that says why: %s', async (scenario, why, sent) => {
  const { id } = await engine.connect(misbehavingServer(scenario));
  const { requestRow, responseRow } = await engine.callTool(id, 'echo', {});
  const detail = await engine.call('trace/detail', { sessionId: id, row: responseRow ?? -1 });
  expect(detail.row).toMatchObject({ kind: 'invalid', status: 'invalid', pair: requestRow });
  expect(detail.error).toMatch(why);
  expect(detail.text).toContain(sent);
});

test('progress goes to its own call, a flood of it too; what comes after the answer changes nothing', async () => {
  const { id } = await engine.connect(
    scriptedServer(`
      calls: [],
      'tools/call'(request) {
        this.calls.push(request);
        if (this.calls.length < 2) return;
        const tell = ({ params }, progress) =>
          write({
            method: 'notifications/progress',
            params: { progressToken: params._meta.progressToken, progress, total: 100 },
          });
        for (let step = 1; step <= 1000; step++) for (const call of this.calls) tell(call, step + 0.5);
        tell(this.calls[0], 3);
        for (const call of this.calls) answer(call, { content: [] });
        tell(this.calls[0], 9999);
      },
    `),
  );
  const [one, two] = await Promise.all([engine.callTool(id, 'a'), engine.callTool(id, 'b')]);
  const late = await engine.row(id, (row) => row.summary.startsWith('9999'));
  expect(one).toMatchObject({ state: 'ok', progress: { progress: 3, total: 100, count: 1001 } });
  expect(two).toMatchObject({ state: 'ok', progress: { progress: 1000.5, total: 100, count: 1000 } });
  const rows = await engine.rows(id);
  const childrenOf = (row: number) =>
    rows.filter(({ parent }) => parent === row).map(({ summary }) => summary);
  expect(childrenOf(one.requestRow).slice(-2)).toEqual(['1000.5 / 100', '3 / 100']);
  expect(childrenOf(one.requestRow)).toHaveLength(1001);
  expect(childrenOf(two.requestRow)).toHaveLength(1000);
  expect(late.parent).toBeNull();
});

test('a call that has ended is not cancelled any more', async () => {
  const { id } = await engine.connect(misbehavingServer());
  const call = await engine.callTool(id, 'echo', {});
  await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'too late' });
  await ping(id);
  expect((await engine.rows(id)).map(({ method }) => method)).not.toContain('notifications/cancelled');
  expect((await engine.call('calls/list', { sessionId: id }))[0]?.state).toBe('ok');
});

test('a ping without an answer is given up, is on record, and ends nothing', async () => {
  const { id } = await engine.connect(scriptedServer('ping() {},'), {
    timeouts: { ...defaultTimeouts, request: 500 },
  });
  await expect(ping(id)).rejects.toThrow('did not answer ping');
  const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
  expect(notice.summary).toContain('timed out');
  expect((await engine.rows(id))[notice.parent ?? -1]).toMatchObject({ method: 'ping', status: 'cancelled' });
  expect((await engine.session(id)).phase).toBe('ready');
});

test('no progress keeps a call alive beyond the maximum', async () => {
  const timeouts = { ...defaultTimeouts, requestMax: 1000 };
  const { id } = await engine.connect(everythingOverStdio, { timeouts });
  const call = await engine.callTool(id, 'trigger-long-running-operation', { duration: 120, steps: 1200 });
  expect(call.state).toBe('timed-out');
  const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
  const waited = Number(/timed out after (\d+) ms/.exec(notice.summary)?.[1]);
  // How progress restarts the timeout is tested with fake timers (request-timeout.test.ts).
  expect(waited).toBeLessThan(timeouts.request);
  const rows = await engine.rows(id);
  const progress = rows.filter((row) => row.method === 'notifications/progress' && row.row < notice.row);
  expect(progress.length).toBeGreaterThan(1);
});

test('the connection of a request that was given up is let go of when no answer comes for a minute', () => {
  vi.useFakeTimers();
  try {
    const drop = vi.fn<() => void>();
    const request = { type: 'request' as const, id: 1, method: 'tools/list', params: undefined };
    const recorded = {
      row: 0,
      at: 0,
      direction: 'out' as const,
      exchange: 1,
      size: 0,
      envelope: { message: request },
      pair: null,
      status: 'pending' as const,
      duration: null,
      unit: { text: '' },
      position: 0,
    };
    const peer = new Peer(
      {
        send: () => ({ recorded, sending: { finished: new Promise(() => {}), drop } }),
        challengeOf: () => undefined,
        deliveryOf: () => undefined,
        quoteOf: () => undefined,
        unreadSince: () => undefined,
      },
      { metaFor: () => null, requestsProgress: () => false, cancelsByDropping: false },
    );
    peer.request('tools/list', null, { origin: 'user', timeout: 1000, maxTimeout: 1000 }).cancel(undefined);
    vi.advanceTimersByTime(59_000);
    expect(drop).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2000);
    expect(drop).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
