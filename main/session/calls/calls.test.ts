import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { heldMebibytes } from '#fixtures/held-memory.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { callSchema } from '#shared/contract/calls.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

test('calls a tool; request and answer are linked and timed from their bytes', async () => {
  const { id } = await engine.connect(everythingOverStdio);
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
  const { id } = await engine.connect(everythingOverStdio);
  const call = await engine.callTool(id, 'trigger-long-running-operation', { duration: 0.4, steps: 4 });
  expect(call).toMatchObject({ state: 'ok', progress: { progress: 4, total: 4, count: 4 } });
  const children = (await engine.rows(id)).filter(
    (row) => row.parent === call.requestRow && row.method === 'notifications/progress',
  );
  expect(children.map((row) => row.summary)).toEqual(['1 / 4', '2 / 4', '3 / 4', '4 / 4']);
});

test('progress keeps a call alive beyond its timeout', async () => {
  const { id } = await engine.connect(everythingOverStdio);
  const call = await engine.callTool(id, 'trigger-long-running-operation', { duration: 3, steps: 30 }, 1000);
  expect(call.state).toBe('ok');
  expect(call.duration).toBeGreaterThan(1_000_000);
});

test('says how long a call may still take: progress restarts it, up to the maximum', async () => {
  const { id } = await engine.connect(everythingOverStdio);
  const args = { duration: 60, steps: 600 };
  const call = await engine.startTool(id, 'trigger-long-running-operation', args, {
    timeout: 20_000,
    maxTimeout: 60_000,
  });
  const ask = () => engine.call('calls/time-left', { sessionId: id, row: call.requestRow });
  // Progress came after the first moments, and the maximum went on.
  const left = await engine.until(async () => {
    const now = await ask();
    return now?.atMost != null && now.atMost < 59_500 ? now : null;
  });
  expect(left.isPaused).toBe(false);
  expect(left.left).toBeGreaterThan(19_700);
  await engine.call('calls/cancel', { sessionId: id, callId: call.id });
  expect(await ask()).toBeNull();
});

test('thousands of progress notifications are counted, and the page gets updates at intervals', async () => {
  const { id } = await engine.connect(misbehavingServer('progress-flood'));
  let reported = 0;
  engine.engine.onEvent(({ event }) => {
    if (event === 'calls/changed') reported++;
  });
  const call = await engine.callTool(id, 'busy');
  expect(call).toMatchObject({ state: 'ok', progress: { progress: 5000, count: 5000 } });
  expect(reported).toBeLessThan(500);
});

describe('a call that is given up', () => {
  test('cancels a call and tells the server', async () => {
    const { id } = await engine.connect(everythingOverStdio);
    const call = await engine.startTool(id, 'trigger-long-running-operation', { duration: 60, steps: 600 });
    await engine.row(id, (row) => row.parent === call.requestRow);
    await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'enough' });
    expect((await engine.ended(id, call.id)).state).toBe('cancelled');
    const notice = await engine.row(id, (row) => row.method === 'notifications/cancelled');
    expect(notice).toMatchObject({ direction: 'out', parent: call.requestRow, automatic: false });
    expect(notice.summary).toContain('enough');
    expect((await engine.rows(id))[call.requestRow]?.status).toBe('cancelled');
  });

  test('any request under way is cancelled by its row, with a reason', async () => {
    const { id: sessionId } = await engine.connect(misbehavingServer('hang'));
    const call = await engine.startTool(sessionId, 'hang');
    await engine.call('calls/cancel-request', { sessionId, row: call.requestRow, reason: 'too slow' });
    expect((await engine.ended(sessionId, call.id)).state).toBe('cancelled');
    const notice = await engine.row(sessionId, ({ method }) => method === 'notifications/cancelled');
    expect(notice).toMatchObject({ direction: 'out', parent: call.requestRow });
    expect(notice.summary).toContain('too slow');

    // One that was sent as raw bytes.
    const raw = '{"jsonrpc":"2.0","id":"raw \\"7\\"","method":"tools/call","params":{"name":"hang"}}';
    const { row } = await engine.send(sessionId, raw);
    await engine.call('calls/cancel-request', { sessionId, row });
    expect((await engine.rows(sessionId))[row]?.status).toBe('cancelled');
    await expect(engine.call('calls/cancel-request', { sessionId, row })).rejects.toMatchObject({
      fault: { code: 'request-ended' },
    });
    const initialize = await engine.row(sessionId, ({ method }) => method === 'initialize');
    await expect(
      engine.call('calls/cancel-request', { sessionId, row: initialize.row }),
    ).rejects.toMatchObject({ fault: { code: 'not-cancellable' } });
  });

  test('a call without a response times out, and the server is notified', async () => {
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
    await engine.callTool(id, 'hang', {}, 700);
    const notices = await engine.until(async () => {
      const rows = (await engine.rows(id)).filter(({ method }) => method === 'notifications/cancelled');
      return rows.length === 2 ? rows : null;
    });
    const waited = notices.map(({ summary }) => Number(/timed out after (\d+) ms/.exec(summary)?.[1]));
    // A timer may be a millisecond early.
    expect(waited[0]).toBeGreaterThanOrEqual(290);
    expect(waited[1]).toBeGreaterThanOrEqual(690);
  });

  test.each(['timed-out', 'cancelled'] as const)(
    'an answer that comes after the call was %s is shown as late and harms nothing',
    async (how) => {
      const { id } = await engine.connect(misbehavingServer('late-answer'));
      const call = await engine.startTool(id, 'late', {}, { timeout: how === 'timed-out' ? 150 : null });
      if (how === 'cancelled')
        await engine.call('calls/cancel', { sessionId: id, callId: call.id, reason: 'enough' });
      expect((await engine.ended(id, call.id)).state).toBe(how);
      const late = await engine.row(id, (row) => row.status === 'late');
      expect(late).toMatchObject({ kind: 'result', direction: 'in', pair: call.requestRow });
      // The late answer is in, and the call is what it was; the next one gets its own answer.
      expect((await engine.callTool(id, 'echo', { message: 'next' })).state).toBe('ok');
      const calls = await engine.call('calls/list', { sessionId: id });
      expect(calls.find((one) => one.id === call.id)).toMatchObject({ state: how, responseRow: null });
      const { text } = await engine.call('calls/result', { sessionId: id, callId: call.id });
      expect(text).toBeNull();
    },
  );
});

test('the calls of a tool are in the trace, newest first and page by page, also one that was composed, and after a restart', async () => {
  const { id } = await engine.connect(misbehavingServer());
  const first = await engine.callTool(id, 'echo', { message: 'one' });
  await engine.callTool(id, 'other');
  const text =
    '{"jsonrpc":"2.0","id":"typed","method":"tools/call","params":{"name":"echo","arguments":{"message":"composed"}}}';
  await engine.send(id, text);
  const composed = await engine.row(id, (row) => row.id === '"typed"' && row.kind === 'result');
  const last = await engine.callTool(id, 'echo', { message: 'two' });

  const history = async (sessionId: string, before: number | null = null, count = 10) =>
    (await engine.call('calls/history', { sessionId, tool: 'echo', before, count })).map((one) => ({
      id: one.id,
      state: one.state,
      args: one.arguments,
    }));
  const known = (callId: string, message: string) => ({
    id: callId,
    state: 'ok',
    args: JSON.stringify({ message }),
  });
  const typed = known(`row-${composed.pair}`, 'composed');
  expect(await history(id)).toEqual([known(last.id, 'two'), typed, known(first.id, 'one')]);
  expect(await history(id, last.requestRow, 1)).toEqual([typed]);
  expect(await history(id, composed.pair)).toEqual([known(first.id, 'one')]);

  const of = async (sessionId: string, row: number) =>
    (await engine.call('calls/of-row', { sessionId, row }))?.id ?? null;
  expect(await of(id, composed.row)).toBe(typed.id);
  expect(await of(id, last.responseRow ?? -1)).toBe(last.id);
  expect(await of(id, 0)).toBeNull();
  await expect(of(id, 10_000)).rejects.toThrow('no row');
  const result = await engine.call('calls/result', { sessionId: id, callId: typed.id });
  expect(result.text).toContain('Echo: composed');

  const { path } = (await engine.session(id)).traceFile;
  await engine.call('sessions/close', { sessionId: id });
  const { sessionId } = await engine.call('traces/open', { path });
  // The file is read bit by bit.
  await expect
    .poll(async () => (await history(sessionId)).map(({ args }): unknown => JSON.parse(args)))
    .toEqual([{ message: 'two' }, { message: 'composed' }, { message: 'one' }]);
});

test('a call that ended because the server crashed quotes its error, with the row of it, also in its recording', async () => {
  const server = scriptedServer(`
    'tools/call'() {
      console.error('writing the report');
      throw new Error('disk is full');
    },
  `);
  const { id } = await engine.connect(server);
  const call = await engine.callTool(id, 'report');
  const why = { quote: 'Error: disk is full', why: 'The server exited with code 1.' };
  expect(call).toMatchObject({ state: 'lost', fault: { code: 'session-ended', ...why } });
  expect(call.fault?.evidence).toContain('writing the report');
  const rows = await engine.rows(id);
  expect(rows[call.fault?.row ?? -1]).toMatchObject({ kind: 'stderr', summary: 'Error: disk is full' });
  expect(rows[call.requestRow]?.serverEnd).toBe('Error: disk is full (the server exited with code 1)');
  const { serverEnd } = await engine.call('trace/detail', { sessionId: id, row: call.requestRow });
  expect(serverEnd).toMatchObject({ quote: why.quote, row: call.fault?.row });

  const { path } = (await engine.session(id)).traceFile;
  const { sessionId } = await engine.call('traces/open', { path });
  await expect
    .poll(async () => (await engine.call('calls/list', { sessionId }))[0])
    .toMatchObject({ state: 'lost', fault: { row: call.fault?.row, ...why } });
});

test('a call that ended because the server was killed names the signal, not what was printed before; one that we ended names nothing', async () => {
  const silent = scriptedServer(`
    'tools/call'({ id, params }) {
      if (params.name === 'die') process.kill(process.pid, 'SIGKILL');
      if (params.name !== 'log') return;
      console.error('a line of an earlier call');
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }) + '\\n');
    },
  `);
  const killed = await engine.connect(silent);
  await engine.callTool(killed.id, 'log');
  const call = await engine.callTool(killed.id, 'die');
  expect(call.fault).toMatchObject({ why: 'The server ended by SIGKILL.' });
  expect(call.fault?.quote).toBeUndefined();
  const row = await engine.row(killed.id, ({ row: number }) => number === call.fault?.row);
  expect(row).toMatchObject({ kind: 'process', summary: 'ended by SIGKILL' });

  const closed = await engine.connect(silent);
  const waiting = await engine.startTool(closed.id, 'wait');
  await engine.call('sessions/close', { sessionId: closed.id });
  const ended = await engine.ended(closed.id, waiting.id);
  expect(ended.fault).toMatchObject({ code: 'session-ended', why: 'Disconnected.' });
  expect(ended.fault?.row).toBeUndefined();
});

test('a composed call that begins with a byte order mark is in the calls of its tool', async () => {
  const { id } = await engine.connect(misbehavingServer());
  const text =
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"n":1.0}}}';
  const { row } = await engine.send(id, `\ufeff${text}`);
  const marked = { id: `row-${row}`, tool: 'echo', arguments: '{"n":1.0}' };
  expect(await engine.call('calls/of-row', { sessionId: id, row })).toMatchObject(marked);
  expect(
    await engine.call('calls/history', { sessionId: id, tool: 'echo', before: null, count: 10 }),
  ).toMatchObject([marked]);
});

test('a composed call that waits for its response is running, and can be cancelled', async () => {
  const { id } = await engine.connect(misbehavingServer('hang'));
  const text = '{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"hang","arguments":{}}}';
  const { row } = await engine.send(id, text);
  const waiting = await engine.call('calls/of-row', { sessionId: id, row });
  expect(waiting).toMatchObject({ state: 'running', requestId: 900, fault: null });
  await engine.call('calls/cancel', { sessionId: id, callId: waiting?.id ?? '' });
  await engine.row(id, ({ method }) => method === 'notifications/cancelled');
  expect(await engine.call('calls/of-row', { sessionId: id, row })).toMatchObject({ state: 'cancelled' });
});

describe('arguments', () => {
  test('arguments that are no object are refused before anything is sent', async () => {
    const { id } = await engine.connect(misbehavingServer());
    await expect(engine.callTool(id, 'echo', '[1]')).rejects.toThrow('not a JSON object');
    await expect(engine.callTool(id, 'echo', '{"a":')).rejects.toThrow('not a JSON object');
  });

  test('arguments written over several lines go out on one', async () => {
    const { id } = await engine.connect(misbehavingServer());
    const call = await engine.callTool(id, 'echo', '{\n  "message": "hi"\r\n}');
    expect(call.state).toBe('ok');
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
});

describe('a result', () => {
  test('responses are not kept in memory, and can still be read', async () => {
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

  test('a small result travels with the event that reports the end, exactly and without secrets', async () => {
    const secret = 'hush "0123456789" abcdef';
    const server = scriptedServer(`
      'tools/call'(request) {
        const text = process.env.TOKEN.repeat(request.params.name === 'long' ? 1000 : 1);
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: request.id, result: { n: 0, text } }).replace('"n":0', '"n":12345678901234567890') + '\\n');
      },
    `);
    const { id } = await engine.connect(server, { env: [{ name: 'TOKEN', value: secret, secret: true }] });
    const results: (string | null)[] = [];
    engine.engine.onEvent(({ event, payload }) => {
      if (event === 'calls/changed') results.push(callSchema.parse(payload).result);
    });
    const small = await engine.callTool(id, 'short');
    const { text } = await engine.call('calls/result', { sessionId: id, callId: small.id });
    expect(text).toMatch(/^\{"n":12345678901234567890,"text":"\[secret env:TOKEN[^"]*"\}$/);
    expect(results).toContain(text);
    results.length = 0;
    await engine.callTool(id, 'long');
    expect(results.filter((result) => result !== null)).toEqual([]);
    expect((await engine.call('calls/list', { sessionId: id })).map(({ result }) => result)).toEqual([
      null,
      null,
    ]);
  });

  test('a call without a result returns none', async () => {
    const { id } = await engine.connect(misbehavingServer('string-error-code'));
    const call = await engine.callTool(id, 'echo');
    expect(await engine.call('calls/result', { sessionId: id, callId: call.id })).toEqual({
      text: null,
      truncated: false,
    });
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
});
