import { readFile } from 'node:fs/promises';
import { beforeEach, afterEach, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { traceRecordSchema } from '#shared/trace/record.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** Answers a call without the newline, and leaves when it is told to. */
const server = scriptedServer(`
  'tools/call'({ id }) {
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
  },
  'notifications/leave'() { process.exit(0); },
`);

/** Calls a tool of that server, waits until the answer is shown, and has it leave. */
async function calledAndLeft() {
  const { id } = await engine.connect(server);
  const call = await engine.startTool(id, 'ask');
  const shown = await engine.row(id, ({ channel, status }) => channel === 'stdout' && status === 'receiving');
  const leave = await engine.send(id, '{"jsonrpc":"2.0","method":"notifications/leave"}');
  const ended = await engine.ended(id, call.id);
  await engine.settled(id, ['closed', 'failed']);
  return { id, shown, ended, leave: leave.row };
}

test('an answer without its newline is shown as it comes, and timed at its bytes', async () => {
  const { id, shown, ended, leave } = await calledAndLeft();
  expect(shown).toMatchObject({ direction: 'in', status: 'receiving' });
  expect(ended.state).toBe('ok');
  const rows = await engine.rows(id);
  const answer = rows[shown.row];
  const request = rows[answer?.pair ?? -1];
  expect(answer).toMatchObject({ kind: 'result', status: 'ok' });
  // The server left only after that.
  expect((request?.at ?? 0) + (answer?.duration ?? Infinity)).toBeLessThan(rows[leave]?.at ?? 0);
});

test('a missing newline is a finding, live and in the file', async () => {
  const { id, shown } = await calledAndLeft();
  const { traceFile } = await engine.session(id);
  const opened = await engine.call('traces/open', { path: traceFile.path });
  await engine.until(async () => {
    const [view] = await engine.call('traces/opened', {});
    return view?.isChecked || null;
  });
  for (const sessionId of [id, opened.sessionId]) {
    const found = await engine.call('checks/findings', { sessionId, from: 0, count: 100 });
    expect(found.findings).toContainEqual(
      expect.objectContaining({
        rule: 'stdio/unterminated-last-line',
        text: 'The output ended after this message without the newline that ends each message',
        rows: [shown.row],
      }),
    );
  }
});

test('our response is recorded after everything read before it, and recorded times never decrease', async () => {
  const { id } = await engine.connect(
    scriptedServer(`
      'tools/call'({ id }) {
        const messages = [];
        for (let count = 0; count < 50; count++) {
          messages.push({ jsonrpc: '2.0', id: 'p' + count, method: 'ping' });
          messages.push({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: count } });
        }
        messages.push({ jsonrpc: '2.0', id, result: { content: [] } });
        process.stdout.write(messages.map((one) => JSON.stringify(one) + '\\n').join(''));
      },
    `),
  );
  await engine.callTool(id, 'ask');
  await engine.call('sessions/close', { sessionId: id });
  const { traceFile } = await engine.session(id);
  const [, ...lines] = (await readFile(traceFile.path, 'utf8')).trimEnd().split('\n');
  const records = lines.map((line) => traceRecordSchema.parse(JSON.parse(line)));
  const from = records.findIndex((one) => one.kind === 'unit' && one.text?.includes('"p0"'));
  const crossed = records.slice(from).flatMap((one) => (one.kind === 'unit' ? [one.direction] : []));
  expect(crossed.slice(0, 151)).toEqual([
    ...Array.from({ length: 101 }, () => 'in'),
    ...Array.from({ length: 50 }, () => 'out'),
  ]);
  const stamps = records.map(({ at }) => at);
  expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
});

test('a call times out while its server floods, not after', async () => {
  const { id } = await engine.connect(
    scriptedServer(`
      'tools/call'() {
        const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
        process.stdout.write((line + '\\n').repeat(20_000));
      },
    `),
  );
  const { state, requestRow } = await engine.callTool(id, 'ask', {}, 50);
  expect(state).toBe('timed-out');
  const flood = (await engine.row(id, ({ row }) => row > requestRow + 20_000)) && (await engine.rows(id));
  const cancel = flood.find(({ method }) => method === 'notifications/cancelled');
  expect(cancel?.row).toBeLessThan(requestRow + 20_000);
});
