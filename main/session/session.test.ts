import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { heldMebibytes } from '#fixtures/held-memory.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const everything = {
  command: process.execPath,
  args: [
    fileURLToPath(
      new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
    ),
    'stdio',
  ],
};
const impatient = { timeouts: { ...defaultTimeouts, initialize: 400 } };

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

describe('with a real server', () => {
  test('agrees on a revision and lists the tools', async () => {
    const session = await engine.connect(everything);
    expect(session.phase).toBe('ready');
    expect(session.agreement).toMatchObject({
      era: 'legacy',
      requestedRevision: '2025-11-25',
      revision: '2025-11-25',
      server: { name: 'mcp-servers/everything' },
    });
    const { state, entries } = await engine.call('catalog/tools', { sessionId: session.id });
    expect(state).toBe('ready');
    expect(entries.flatMap((entry) => (entry.usable ? [entry.tool.name] : []))).toContain('echo');
    const sent = (await engine.rows(session.id))
      .filter((row) => row.direction === 'out')
      .map((row) => row.method);
    expect(sent.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'speaks revision %s',
    async (revision) => {
      const { agreement } = await engine.connect(everything, { revision });
      expect(agreement?.revision).toBe(revision);
    },
  );

  test('calls a tool; request and answer are linked and timed from their bytes', async () => {
    const { id } = await engine.connect(everything);
    const call = await engine.callTool(id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'ok', tool: 'echo' });
    const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
    expect(JSON.parse(text ?? '')).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] });
    const rows = await engine.rows(id);
    const request = rows[call.requestRow];
    const answer = rows[call.responseRow ?? -1];
    expect(request).toMatchObject({ kind: 'request', summary: 'echo', status: 'ok', pair: answer?.row });
    expect(answer).toMatchObject({
      kind: 'result',
      method: 'tools/call',
      summary: 'echo',
      pair: request?.row,
    });
    expect(call.duration).toBe((answer?.at ?? 0) - (request?.at ?? 0));
    expect(call.size).toBe(answer?.size);
  });

  test('follows progress, each notification a child of its call', async () => {
    const { id } = await engine.connect(everything);
    const call = await engine.callTool(id, 'trigger-long-running-operation', { duration: 0.4, steps: 4 });
    expect(call).toMatchObject({ state: 'ok', progress: { progress: 4, total: 4, count: 4 } });
    const children = (await engine.rows(id)).filter((row) => row.parent === call.requestRow);
    expect(children.map((row) => row.summary)).toEqual(['1 / 4', '2 / 4', '3 / 4', '4 / 4']);
  });

  test('cancels a call and tells the server', async () => {
    const { id } = await engine.connect(everything);
    const call = await engine.call('calls/start', {
      sessionId: id,
      tool: 'trigger-long-running-operation',
      arguments: '{"duration":60,"steps":600}',
      timeout: null,
    });
    await engine.row(id, (row) => row.parent === call.requestRow);
    await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'enough' });
    expect((await engine.ended(id, call.id)).state).toBe('cancelled');
    const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
    expect(notice).toMatchObject({ direction: 'out', parent: call.requestRow, automatic: false });
    expect(notice.summary).toContain('enough');
    expect((await engine.rows(id))[call.requestRow]?.status).toBe('cancelled');
  });

  test('keeps the whole trace, the signal and a reason when the server is killed', async () => {
    const session = await engine.connect(everything);
    const call = await engine.call('calls/start', {
      sessionId: session.id,
      tool: 'trigger-long-running-operation',
      arguments: '{"duration":60,"steps":5}',
      timeout: null,
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
    const first = await engine.connect(everything);
    const second = await engine.reconnect(first.serverId);
    expect(second.id).not.toBe(first.id);
    expect(second.phase).toBe('ready');
    expect((await engine.session(first.id)).phase).toBe('closed');
    expect((await engine.rows(first.id)).length).toBeGreaterThan(5);
  });

  test('pings', async () => {
    const { id } = await engine.connect(everything);
    expect((await engine.call('sessions/ping', { sessionId: id })).duration).toBeGreaterThan(0);
  });

  test('two sessions at once know nothing of each other', async () => {
    const [one, two] = await Promise.all([
      engine.connect(everything, { name: 'one' }),
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
});

test('a server that says null where it need not say anything is connected to all the same', async () => {
  const { phase, agreement } = await engine.connect(misbehavingServer('null-options'));
  expect(phase).toBe('ready');
  expect(agreement).toMatchObject({ instructions: null, server: { name: 'misbehaving', version: '1.0.0' } });
});

describe('when a session cannot begin', () => {
  test.each([
    ['silent-initialize', 'initialize-timeout'],
    ['exit-before-initialize', 'ended-before-initialize'],
    ['unknown-version', 'revision-unsupported'],
    ['version-error', 'revision-refused'],
    ['no-server-info', 'initialize-bad-result'],
  ] as const)('says why: %s', async (scenario, code) => {
    const session = await engine.connect(
      misbehavingServer(scenario),
      scenario === 'silent-initialize' ? impatient : {},
    );
    expect(session.phase).toBe('failed');
    expect(session.fault).toMatchObject({ code, what: session.reason });
    const last = (await engine.rows(session.id)).findLast((row) => row.kind === 'phase');
    expect(last?.summary).toContain('failed: ');
  });

  test('shows the last words of a server that ended at once', async () => {
    const { fault } = await engine.connect(misbehavingServer('exit-before-initialize'));
    expect(fault?.evidence).toBeTruthy();
  });

  test('explains a command that does not exist', async () => {
    const session = await engine.connect({ command: 'no-such-command-anywhere', args: [] });
    expect(session.fault?.code).toBe('command-not-found');
  });

  test('does not cancel initialize', async () => {
    const { id } = await engine.connect(misbehavingServer('silent-initialize'), impatient);
    expect((await engine.rows(id)).map((row) => row.method)).not.toContain('notifications/cancelled');
  });
});

describe('whatever the server sends as an answer', () => {
  test.each([
    ['wrong-jsonrpc', 'protocol-error'],
    ['no-jsonrpc', 'protocol-error'],
    ['string-error-code', 'protocol-error'],
    ['result-and-error', 'protocol-error'],
    ['neither-result-nor-error', 'protocol-error'],
    ['id-null', 'timed-out'],
    ['string-id', 'timed-out'],
    ['null-result', 'ok'],
    ['result-without-content', 'ok'],
    ['duplicate-response', 'ok'],
    ['unknown-id', 'ok'],
    ['extra-key', 'ok'],
    ['deep-nesting', 'protocol-error'],
    ['batch', 'ok'],
    ['crlf', 'ok'],
    ['bom', 'ok'],
  ] as const)('%s: the call ends (%s) and the session goes on', async (scenario, state) => {
    const { id } = await engine.connect(misbehavingServer(scenario));
    const timeout = state === 'timed-out' ? 300 : null;
    expect((await engine.callTool(id, 'echo', { message: 'hi' }, timeout)).state).toBe(state);
    await engine.call('sessions/ping', { sessionId: id });
    expect((await engine.session(id)).phase).toBe('ready');
  });

  test('a second answer and one to an unknown request are rows of their own', async () => {
    for (const scenario of ['duplicate-response', 'unknown-id'] as const) {
      const { id } = await engine.connect(misbehavingServer(scenario));
      await engine.callTool(id, 'echo', {});
      const orphan = await engine.row(id, (row) => row.status === 'orphan');
      const { problem } = await engine.call('trace/detail', { sessionId: id, row: orphan.row });
      expect(problem).toContain('no request');
    }
  });

  test('numbers beyond 2^53 and duplicate keys come through as sent', async () => {
    const { id } = await engine.connect(misbehavingServer('exact-numbers'));
    const call = await engine.callTool(id, 'echo', '{"message": 12345678901234567890}');
    const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
    expect(text).toContain('12345678901234567890');
    expect(text).toContain('"twice":1,"twice":2');
    const sent = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
    expect(sent.text).toContain('"arguments":{"message": 12345678901234567890}');
  });

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

  test('ids beyond 2^53 are told apart, and answered digit by digit', async () => {
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

  test('a call without an answer times out, and the server is told', async () => {
    const { id } = await engine.connect(misbehavingServer('hang'));
    const call = await engine.callTool(id, 'hang', {}, 150);
    expect(call).toMatchObject({ state: 'timed-out', fault: { code: 'timed-out' } });
    const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
    expect(notice.summary).toContain('timed out');
    expect(notice.automatic).toBe(true);
  });

  test('no call takes longer than the most that is set for all, unless it is allowed to', async () => {
    const timeouts = { ...defaultTimeouts, requestMax: 300 };
    const { id } = await engine.connect(misbehavingServer('hang'), { timeouts });
    expect((await engine.callTool(id, 'hang')).state).toBe('timed-out');
  });

  test('an answer that comes after the call was cancelled is shown as late and harms nothing', async () => {
    const { id } = await engine.connect(misbehavingServer('late-answer'));
    const call = await engine.callTool(id, 'late', {}, 150);
    expect(call.state).toBe('timed-out');
    const late = await engine.row(id, (row) => row.status === 'late');
    expect(late.pair).toBe(call.requestRow);
    expect((await engine.call('calls/list', { sessionId: id }))[0]?.state).toBe('timed-out');
  });

  test('progress keeps a call alive beyond its timeout', async () => {
    const { id } = await engine.connect(everything);
    const call = await engine.callTool(
      id,
      'trigger-long-running-operation',
      { duration: 3, steps: 30 },
      1000,
    );
    expect(call.state).toBe('ok');
    expect(call.duration).toBeGreaterThan(1_000_000);
  });

  test('progress by the thousand is counted, and told to the screen now and then', async () => {
    const { id } = await engine.connect(misbehavingServer('progress-flood'));
    let told = 0;
    engine.engine.onEvent(({ event }) => {
      if (event === 'calls/changed') told++;
    });
    const call = await engine.callTool(id, 'busy');
    expect(call).toMatchObject({ state: 'ok', progress: { progress: 5000, count: 5000 } });
    expect(told).toBeLessThan(500);
  });

  test('arguments that are no object are refused before anything is sent', async () => {
    const { id } = await engine.connect(misbehavingServer());
    await expect(engine.callTool(id, 'echo', '[1]')).rejects.toThrow('not a JSON object');
    await expect(engine.callTool(id, 'echo', '{"a":')).rejects.toThrow('not a JSON object');
  });

  test('answers are not kept in memory, and can still be had', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const message = 'x'.repeat(4_000_000);
    const first = await engine.callTool(id, 'echo', { message });
    const before = heldMebibytes();
    for (let count = 0; count < 10; count++) await engine.callTool(id, 'echo', { message });
    // What waits for the disk is held until it is written.
    await expect.poll(() => heldMebibytes() - before).toBeLessThan(20);
    const { text } = await engine.call('calls/result', { sessionId: id, callId: first.id });
    expect(JSON.parse(text ?? '')).toEqual({ content: [{ type: 'text', text: `Echo: ${message}` }] });
    const part = await engine.call('calls/result', { sessionId: id, callId: first.id, from: 4_000_000 });
    expect(part).toEqual({ text: text?.slice(4_000_000), truncated: false });
  });

  test('a call without a result has none to be had', async () => {
    const { id } = await engine.connect(misbehavingServer('string-error-code'));
    const call = await engine.callTool(id, 'echo');
    expect(await engine.call('calls/result', { sessionId: id, callId: call.id })).toEqual({
      text: null,
      truncated: false,
    });
  });

  test('arguments of any size are one request, on record in pieces', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const call = await engine.callTool(id, 'echo', { message: 'x'.repeat(3_000_000) });
    expect(call.state).toBe('ok');
    const { row, truncated } = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
    expect(truncated).toBe(true);
    expect(row).toMatchObject({ kind: 'request', status: 'ok', pair: call.responseRow });
    expect(row.size).toBeGreaterThan(3_000_000);
  });

  test('arguments written over several lines go out on one', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const call = await engine.callTool(id, 'echo', '{\n  "message": "hi"\r\n}');
    expect(call.state).toBe('ok');
  });
});

test('a time no timer can be set to is a long one', async () => {
  const patient = await EngineFixture.open({
    namedServer: { kind: 'stdio', ...misbehavingServer(), timeout: 100 * 24 * 3600 * 1000 },
  });
  const [session] = await patient.call('sessions/list', {});
  expect((await patient.settled(session?.id ?? '', ['ready', 'failed'])).phase).toBe('ready');
  await patient.close();
});

describe('while a session is being opened', () => {
  /** A server that never answers initialize, and outlives the end of its standard input. */
  async function connecting() {
    const server = misbehavingServer('silent-initialize', 'ignores-stdin-eof');
    const opened = engine.connect(server, impatient);
    const { id } = await engine.until(async () => {
      const [session] = await engine.call('sessions/list', {});
      return session?.phase === 'initializing' ? session : null;
    });
    return { id, opened };
  }

  test('it can be closed, and is then disconnected, not failed', async () => {
    const { id, opened } = await connecting();
    await engine.call('sessions/close', { sessionId: id });
    expect(await opened).toMatchObject({ phase: 'closed', reason: 'Disconnected.', fault: null });
  });

  test('nothing else is asked of the server', async () => {
    const { id, opened } = await connecting();
    const asked = [
      engine.call('catalog/refresh', { sessionId: id, list: 'tools' }),
      engine.call('sessions/ping', { sessionId: id }),
      engine.call('calls/start', { sessionId: id, tool: 'echo', arguments: '{}', timeout: null }),
    ];
    await Promise.all(asked.map((one) => expect(one).rejects.toThrow('initializing')));
    await opened;
    expect((await engine.rows(id)).flatMap(({ method }) => method ?? [])).toEqual(['initialize']);
  });
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
