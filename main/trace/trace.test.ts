import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { PIECE_BYTES, traceHeaderSchema } from '#shared/trace/record.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { RowIndex } from './rows/row-index.ts';
import { parseRecord, textOf } from './view/row-reader.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

describe('whatever the server prints', () => {
  test.each([
    ['noise', 'not-json', /only messages may be written/],
    ['half-json', 'half-json', /Half a JSON/],
    ['blank-lines', 'blank', /blank line/],
    ['two-on-a-line', 'several-values', /Several JSON values/],
    ['empty-batch', null, /empty batch/],
    ['pretty', 'half-json', /Half a JSON/],
  ] as const)(
    '%s is a row that says what it is, and the session goes on',
    async (scenario, noise, problem) => {
      const { id } = await engine.connect(misbehavingServer(scenario));
      await engine.callTool(id, 'echo', {}, 300);
      const row = await engine.row(id, (one) => one.direction === 'in' && one.status === 'invalid');
      expect(row.noise).toBe(noise);
      const detail = await engine.call('trace/detail', { sessionId: id, row: row.row });
      expect(detail.error).toMatch(problem);
      await engine.call('sessions/ping', { sessionId: id });
      expect((await engine.session(id)).phase).toBe('ready');
    },
  );

  test('invalid UTF-8 is kept byte by byte, and the first bad byte is reported', async () => {
    const { id } = await engine.connect(misbehavingServer('invalid-utf8'));
    const row = await engine.row(id, (one) => one.kind === 'noise');
    expect(row.noise).toBe('not-utf8');
    const detail = await engine.call('trace/detail', { sessionId: id, row: row.row });
    expect(detail).toMatchObject({ encoding: 'base64', error: expect.stringContaining('UTF-8') });
    const { base64, total } = await engine.call('trace/bytes', {
      sessionId: id,
      row: row.row,
      from: 0,
      count: 1000,
    });
    expect(total).toBe(row.size);
    const bytes = Buffer.from(base64, 'base64');
    expect(bytes.length).toBe(row.size);
    expect(bytes[detail.badByteAt ?? -1]).toBeGreaterThan(0x7f);
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
  });

  test('a frame of 20 MB is one message, kept whole and shown in part', async () => {
    const { id } = await engine.connect(misbehavingServer('huge-frame'));
    const row = await engine.row(id, (one) => one.size > 20_000_000 && one.status !== 'receiving');
    expect(row.kind).toBe('notification');
    const detail = await engine.call('trace/detail', { sessionId: id, row: row.row });
    expect(detail.truncated).toBe(true);
    const end = { sessionId: id, row: row.row, from: row.size - 10, count: 100 };
    const { base64, total } = await engine.call('trace/bytes', end);
    expect(total).toBe(row.size);
    expect(Buffer.from(base64, 'base64').toString()).toMatch(/}$/);
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
  });

  test('5,000 lines of standard error are 5,000 rows', async () => {
    const { id } = await engine.connect(misbehavingServer('stderr-lines'));
    await engine.until(async () => {
      const { rows } = await engine.call('trace/summary', { sessionId: id });
      return rows > 5000 ? true : null;
    });
    expect((await engine.rows(id)).filter((row) => row.kind === 'stderr').length).toBe(5000);
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
  });

  test('a last line without its newline is a row too', async () => {
    const { id } = await engine.connect(misbehavingServer('on-call', 'unterminated'));
    await engine.callTool(id, 'unterminated');
    await engine.settled(id, ['closed', 'failed']);
    const records = await recordsOf(engine, id);
    const last = records.findLast((record) => record.kind === 'unit' && record.direction === 'in');
    // Where the end of the stream took its time, the line is on record before it, and its last piece says that it was cut.
    const pieces = records.filter(
      (record) => record === last || (record.kind === 'chunk' && record.of === last?.seq),
    );
    expect(pieces.map((piece) => ('text' in piece ? piece.text : '')).join('')).toContain('the last words');
    expect(pieces.at(-1)).toMatchObject({ cut: true });
  });

  test('a message nested 10,000 levels deep is a row, and its text is whole', async () => {
    const { id } = await engine.connect(misbehavingServer('deep-nesting'));
    const row = await engine.row(id, (one) => one.method === 'notifications/message');
    expect(row.kind).toBe('notification');
    const { text } = await engine.call('trace/detail', { sessionId: id, row: row.row });
    expect(text).toContain('['.repeat(10_000));
  });

  test('the messages of a batch are rows of the same record', async () => {
    const { id } = await engine.connect(misbehavingServer('batch'));
    await engine.callTool(id, 'echo', { message: 'in a batch' });
    const batch = (await engine.rows(id)).filter((row) => row.batch > 1);
    expect(batch.map((row) => [row.position, row.kind])).toEqual([
      [0, 'notification'],
      [1, 'notification'],
      [2, 'result'],
    ]);
    expect(new Set(batch.map((row) => row.seq)).size).toBe(1);
    const second = await engine.call('trace/detail', { sessionId: id, row: batch[1]?.row ?? -1 });
    expect(JSON.parse(second.text ?? '')).toMatchObject({ params: { data: 'second of a batch' } });
  });

  test('a batch of 10 MB of ones is some 10,000 rows, the last of which says what was held back', async () => {
    const batch = `'[' + '1,'.repeat(5_242_879) + '1]\\n'`;
    const script = `process.stdout.write(${batch})`;
    const { id } = await engine.connect({ command: process.execPath, args: ['-e', script] });
    const rest = await engine.row(id, (row) => row.kind === 'held-back');
    expect(rest).toMatchObject({ position: 10_000, batch: 5_242_880, size: 10_485_761, status: 'none' });
    expect(rest.summary).toBe('5,232,880 more values of this batch, which are on record but not listed');
    const detail = await engine.call('trace/detail', { sessionId: id, row: rest.row });
    expect(detail.error).toContain('carries 5,242,880 values. The first 10,000 have rows');
    expect(detail.text).toMatch(/^\[1,1,1,/);
    const live = await engine.rows(id);
    expect(live.filter((row) => row.kind === 'invalid').length).toBe(10_000);
    expect((await engine.call('trace/summary', { sessionId: id })).rows).toBe(live.length);
    // Nothing is lost: the record has every byte.
    const end = { sessionId: id, row: rest.row, from: 10_485_751, count: 100 };
    const { base64, total } = await engine.call('trace/bytes', end);
    expect(total).toBe(10_485_761);
    expect(Buffer.from(base64, 'base64').toString()).toBe('1,1,1,1,1]');
    // The file opens into the same rows.
    await engine.call('sessions/close', { sessionId: id });
    const index = new RowIndex();
    for (const record of await recordsOf(engine, id)) {
      index.add(record, { offset: 0, length: 0 }, bytesOf(record));
    }
    expect(factsOf(index, rest.row)).toMatchObject({ kind: 'held-back', size: rest.size, seq: rest.seq });
    expect(index.columns.count).toBe((await engine.rows(id)).length);
  });

  test('10,000 notifications are 10,000 rows, in order', async () => {
    const { id } = await engine.connect(misbehavingServer('flood:10000:200'));
    await engine.until(async () => {
      const { rows } = await engine.call('trace/summary', { sessionId: id });
      return rows > 10_000 ? true : null;
    });
    const flood = (await engine.rows(id)).filter((row) => row.method === 'notifications/message');
    expect(flood.length).toBe(10_000);
    expect(flood.every((row, place) => place === 0 || row.seq > (flood[place - 1]?.seq ?? 0))).toBe(true);
  });
});

describe('the trace file', () => {
  test('begins with its header, holds every record in order, and gives the same rows when read again', async () => {
    const { id } = await engine.connect(
      misbehavingServer(
        'noise',
        'batch',
        'invalid-utf8',
        'huge-frame',
        'stderr-lines',
        'pings',
        'asks-for-roots',
      ),
    );
    await engine.callTool(id, 'echo', { message: 'hi' });
    await engine.row(id, (row) => row.size > 20_000_000 && row.status !== 'receiving');
    await engine.call('sessions/close', { sessionId: id });
    const live = await engine.rows(id);

    const records = await recordsOf(engine, id);
    expect(records.map((record) => record.seq)).toEqual(records.map((_, place) => place));
    const index = new RowIndex();
    for (const record of records) index.add(record, { offset: 0, length: 0 }, bytesOf(record));
    const again = live.map((_, row) => factsOf(index, row));
    expect(index.columns.count).toBe(live.length);
    expect(again).toEqual(
      live.map(({ kind, status, method, pair, parent, duration, size, code, seq }) => ({
        kind,
        status,
        method,
        pair,
        parent,
        duration,
        size,
        code,
        seq,
      })),
    );
  });

  test('never holds a secret of the environment, wherever the server prints it', async () => {
    const secret = 'top-secret-"value"-7';
    const script = `const { KEY } = process.env;
      console.error(KEY);
      console.log(KEY);
      console.log(JSON.stringify({ k: KEY }));
      const cut = ${PIECE_BYTES} - 5;
      console.log('-'.repeat(cut) + KEY);
      console.error('-'.repeat(cut) + KEY);
      process.stdout.write(Buffer.concat([Buffer.from([0xff]), Buffer.from(KEY), Buffer.from([0xff, 0x0a])]));`;
    const { id } = await engine.connect(
      { command: process.execPath, args: ['-e', script, secret] },
      { name: `server ${secret}`, env: [{ name: 'KEY', value: secret, secret: true }] },
    );
    await engine.settled(id, ['closed', 'failed']);
    await engine.call('sessions/close', { sessionId: id });
    const { traceFile } = await engine.session(id);
    const text = await readFile(traceFile.path, 'utf8');
    const records = await recordsOf(engine, id);
    const bytes = Buffer.concat(records.map(bytesOf)).toString('latin1');
    expect(text).not.toContain('top-secret');
    expect(bytes).not.toContain('top-secret');
    expect(bytes.match(/\[secret env:KEY/g)).toHaveLength(6);
    const large = (await engine.rows(id)).filter((row) => row.size > PIECE_BYTES);
    expect(large.map((row) => row.size)).toEqual([0, 0].map(() => PIECE_BYTES - 5 + secret.length));
    const servers = await engine.call('servers/list', {});
    const environments = servers.map(({ transport }) => transport.kind === 'stdio' && transport.env);
    expect(JSON.stringify(environments)).not.toContain('top-secret');
    const spawn = records.find((record) => record.kind === 'process');
    expect(spawn?.kind === 'process' && spawn.change.what === 'spawn' && spawn.change.env).toContain('KEY');
  });
});

test('a large unit is shown whole although its secrets are replaced by something shorter', async () => {
  const script = "console.log('€'.repeat(400_000) + process.env.KEY)";
  const { id } = await engine.connect(
    { command: process.execPath, args: ['-e', script] },
    { env: [{ name: 'KEY', value: 's'.repeat(500), secret: true }] },
  );
  const { row } = await engine.row(id, ({ size }) => size === 1_200_500);
  // The row has its size before its last piece is in the file, and no event tells when it is.
  const detail = () => engine.call('trace/detail', { sessionId: id, row });
  await expect.poll(detail, { timeout: 30_000 }).toMatchObject({
    text: expect.stringMatching(/€\[secret env:KEY, 500 characters, \w+\]$/),
    truncated: false,
    error: expect.stringMatching(/^Not JSON/),
  });
  const end = await engine.call('trace/bytes', { sessionId: id, row, from: 1_200_000, count: 1000 });
  expect(end.total).toBe(1_200_000 + Buffer.from(end.base64, 'base64').length);
});

describe('a text filter', () => {
  test('finds what a look at every row finds, while the trace grows and after', async () => {
    const { id } = await engine.connect(misbehavingServer('flood:3000:200', 'noise', 'stderr-lines:300'));
    for (const text of ['ECHO', 'notifications/message', '12', 'stderr', 'no such text']) {
      const { filterId } = await engine.call('trace/filter', { sessionId: id, text, view: 'messages' });
      await engine.callTool(id, 'echo', { message: `looking for ${text}` });
      const rows = await engine.rows(id);
      const expected: number[] = [];
      for (const row of rows) if (await contains(engine, id, row, text.toLowerCase())) expected.push(row.row);
      const found = await engine.until(async () => {
        const matches = (await engine.rows(id, filterId)).map((row) => row.row);
        return matches.length >= expected.length ? matches : null;
      });
      expect(found.slice(0, expected.length)).toEqual(expected);
      await engine.call('trace/end-filter', { sessionId: id, filterId });
    }
  });

  test('tells where a row stands among its matches', async () => {
    const { id } = await engine.connect(misbehavingServer());
    await engine.callTool(id, 'echo', { message: 'x' });
    const { filterId } = await engine.call('trace/filter', { sessionId: id, text: 'echo', view: 'messages' });
    const matches = await engine.until(async () => {
      const rows = await engine.rows(id, filterId);
      return rows.length >= 3 ? rows : null;
    });
    for (const [place, { row }] of matches.entries()) {
      expect(await engine.call('trace/place', { sessionId: id, filterId, row })).toEqual({
        place,
        isListed: true,
      });
    }
    const { place, isListed } = await engine.call('trace/place', { sessionId: id, filterId, row: 0 });
    expect([place, isListed]).toEqual([0, false]);
  });
});

async function recordsOf(fixture: EngineFixture, sessionId: string) {
  await fixture.call('sessions/close', { sessionId });
  const { traceFile } = await fixture.session(sessionId);
  const [header, ...lines] = (await readFile(traceFile.path, 'utf8')).trimEnd().split('\n');
  traceHeaderSchema.parse(JSON.parse(header ?? ''));
  return lines.map(parseRecord);
}

function bytesOf(record: ReturnType<typeof parseRecord>): Buffer {
  if (record.kind !== 'unit' && record.kind !== 'stderr' && record.kind !== 'chunk') return Buffer.alloc(0);
  return record.base64 === undefined ? Buffer.from(textOf(record)) : Buffer.from(record.base64, 'base64');
}

function factsOf({ columns }: RowIndex, row: number) {
  return {
    kind: columns.kind(row),
    status: columns.status(row),
    method: columns.method(row),
    pair: columns.pair(row),
    parent: columns.parent(row),
    duration: columns.duration(row),
    size: columns.size(row),
    code: columns.code(row),
    seq: columns.seq(row),
  };
}

async function contains(
  fixture: EngineFixture,
  sessionId: string,
  row: TraceRow,
  text: string,
): Promise<boolean> {
  if ([row.method, row.kind, row.summary].some((part) => part?.toLowerCase().includes(text))) return true;
  if (row.size <= row.summary.length) return false;
  const { text: unit } = await fixture.call('trace/detail', { sessionId, row: row.row });
  return unit?.toLowerCase().includes(text) ?? false;
}

describe('how the process ended', () => {
  test('killed from outside it has failed', async () => {
    const { id, process: server } = await engine.connect(misbehavingServer('noise'));
    process.kill(server?.pid ?? 0, 'SIGKILL');
    const exit = await engine.row(id, (row) => row.summary === 'ended by SIGKILL');
    expect(exit).toMatchObject({ kind: 'process', status: 'failed' });
    expect(await engine.row(id, (row) => row.kind === 'phase' && row.status === 'failed')).toBeDefined();
  });

  test('asked to end it has not', async () => {
    const { id } = await engine.connect(misbehavingServer('noise'));
    await engine.call('sessions/close', { sessionId: id });
    const exit = await engine.row(id, (row) => row.kind === 'process' && /^(exited|ended)/.test(row.summary));
    expect(exit.status).toBe('none');
    const before = (await engine.rows(id)).filter((row) => row.kind === 'process' && row.row < exit.row);
    expect(before.map((row) => row.summary)).toContain('we closed its standard input');
  });
});
