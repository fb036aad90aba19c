import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { StderrChoice } from '#shared/contract/exports.ts';
import { type TraceRecord, traceHeaderSchema } from '#shared/trace/record.ts';
import { exportHandlers } from '#trace/export/handlers.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { randomSteps } from '#fixtures/trace/random-steps.ts';
import { TraceFeed } from '#trace/trace-feed.ts';
import type { RowIndex } from '#trace/rows/row-index.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asItIs, recordsIn, redacted, TraceOf } from '#fixtures/trace/trace-of.ts';

let trace: TraceOf;
afterEach(() => trace.close());

const answer = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const call = (id: number) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } });

test('chosen rows come with what makes them what they are, and nothing else', async () => {
  trace = await TraceOf.begin();
  trace.add({ kind: 'phase', phase: 'connecting' });
  trace.message('out', call(1));
  trace.message('in', 'noise');
  trace.add({ kind: 'anchor', wall: 1 });
  const large = trace.message('out', call(2), [10, 20]);
  const late = trace.message('in', answer(2), [5]);
  trace.message('in', answer(1));
  trace.add({ kind: 'mark', of: large, note: 'look' });
  trace.add({ kind: 'mark', of: 0, note: 'not here' });
  const { columns } = trace.index;
  const row = columns.rowOf(late) ?? -1;
  const { text, entries } = await trace.export('mcptrace', asItIs, { of: 'rows', rows: [row] });
  const records = recordsIn(text);
  expect(records.map(({ kind }) => kind)).toEqual([
    'anchor',
    'unit',
    'chunk',
    'chunk',
    'unit',
    'chunk',
    'mark',
  ]);
  expect(entries).toBe(7);
});

test('chosen rows come with the standard error during their calls when asked, or when one failed', async () => {
  trace = await TraceOf.begin();
  const stderr = (text: string) => trace.add({ kind: 'stderr', text, size: text.length });
  stderr('ready');
  const first = trace.message('out', call(1));
  stderr('during the first');
  trace.message('in', answer(1));
  stderr('just after it');
  const second = trace.message('out', call(2));
  stderr('during the second');
  trace.message('in', '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"locked"}}');
  trace.message('out', call(3));
  stderr('during the third');
  trace.message('in', answer(3));
  const handlers = exportHandlers(new TraceFeed('s', trace, () => {}));
  const printed = async (seqs: number[], choice: StderrChoice) => {
    const rows = seqs.map((seq) => trace.index.columns.rowOf(seq) ?? -1);
    const params = { sessionId: 's', rows: { of: 'rows' as const, rows }, redaction: asItIs, stderr: choice };
    const preview = await handlers['exports/preview']({ ...params, format: 'mcptrace' });
    const path = join(trace.folder, `${seqs.join('-')}-${choice}.mcptrace`);
    await handlers['exports/write']({ ...params, format: 'mcptrace', path });
    const lines = recordsIn(await readFile(path, 'utf8')).flatMap((one) =>
      one.kind === 'stderr' ? [one.text] : [],
    );
    expect(preview).toMatchObject({ addedStderr: lines.length, addedMessages: seqs.length });
    return lines;
  };
  expect(await printed([first], 'with')).toEqual(['during the first', 'just after it']);
  expect(await printed([first], 'if-failed')).toEqual([]);
  expect(await printed([second], 'if-failed')).toEqual(['during the second']);
  expect(await printed([second], 'without')).toEqual([]);
  expect(await printed([first, second], 'if-failed')).toHaveLength(3);
});

test('chosen rows say in the header that they are an excerpt, and which filter chose them', async () => {
  trace = await TraceOf.begin();
  for (const id of [1, 2, 3]) {
    trace.message('out', call(id));
    trace.message('in', answer(id));
  }
  trace.add({ kind: 'stderr', text: 'token=hunter22x', size: 15 });
  const excerptIn = (text: string) => traceHeaderSchema.parse(JSON.parse(text.split('\n')[0] ?? '')).excerpt;
  const { text } = await trace.export('mcptrace', asItIs, { of: 'rows', rows: [1] });
  expect(excerptIn(text)).toEqual({ rows: 2, of: 7 });
  expect(excerptIn((await trace.export('mcptrace', asItIs)).text)).toBeUndefined();

  const feed = new TraceFeed('s', trace, () => {});
  const handlers = exportHandlers(feed);
  const rows = {
    of: 'filter' as const,
    filterId: feed.startFilter('kind:request -text:hunter22x', 'messages'),
  };
  const path = join(trace.folder, 'filtered.mcptrace');
  await handlers['exports/write']({ sessionId: 's', rows, format: 'mcptrace', redaction: redacted, path });
  expect(excerptIn(await readFile(path, 'utf8'))).toEqual({
    rows: 6,
    of: 7,
    filter: expect.stringMatching(/^kind:request -text:\[secret value of token, 9 characters/),
  });

  // The header of an excerpt that is exported once more is scanned too, and what is completed to the whole is no excerpt.
  const ofExcerpt = await TraceOf.begin(undefined, { rows: 6, of: 7, filter: 'text:"password=hunter33y"' });
  ofExcerpt.message('out', call(1));
  ofExcerpt.message('in', answer(1));
  const again = await ofExcerpt.export('mcptrace', redacted);
  expect(excerptIn(again.text)).toMatchObject({
    rows: 6,
    of: 7,
    filter: expect.stringContaining('[secret '),
  });
  expect(again.text).not.toContain('hunter33y');
  await ofExcerpt.close();
  const small = await TraceOf.begin();
  small.message('out', call(1));
  small.message('in', answer(1));
  const completed = await small.export('mcptrace', asItIs, { of: 'rows', rows: [1] });
  expect(excerptIn(completed.text)).toBeUndefined();
  await small.close();
});

test('a header with impossible counts of an excerpt is not believed, and not copied', async () => {
  const excerptIn = (text: string) => traceHeaderSchema.parse(JSON.parse(text.split('\n')[0] ?? '')).excerpt;
  trace = await TraceOf.begin(undefined, { rows: 1, of: 2 });
  for (const id of [1, 2]) {
    trace.message('out', call(id));
    trace.message('in', answer(id));
  }
  const { text } = await trace.export('mcptrace', asItIs, { of: 'rows', rows: [1] });
  expect(excerptIn(text)).toEqual({ rows: 2, of: 4 });
  const completed = await trace.export('mcptrace', asItIs, { of: 'rows', rows: [1, 3] });
  expect(excerptIn(completed.text)).toBeUndefined();
  const read = (excerpt: object) => traceHeaderSchema.parse({ ...trace.header, excerpt });
  expect(read({ rows: 2, of: 2 }).excerpt).toEqual({ rows: 2, of: 2 });
  expect(read({ rows: 9, of: 2 }).excerpt).toBeUndefined();
});

test('a message that belongs to no call, because several are pending, comes with two of them', async () => {
  trace = await TraceOf.begin();
  for (const id of [1, 2, 3, 4]) trace.message('out', call(id));
  trace.message('in', answer(1));
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
  const seq = trace.message('in', JSON.stringify(log));
  trace.message('in', answer(3));
  const row = trace.index.columns.rowOf(seq) ?? -1;
  const last = trace.index.columns.rowOf(3) ?? -1;
  expect(trace.index.columns.parent(row)).toBeNull();
  const { text } = await trace.export('mcptrace', asItIs, { of: 'rows', rows: [row, last] });
  const { columns } = await indexOf(recordsIn(text));
  expect(columns.parent(columns.rowOf(seq) ?? -1)).toBeNull();
  expect([1, 2, 3].map((one) => columns.rowOf(one) !== null)).toEqual([true, true, true]);
  expect(columns.rowOf(0)).toBeNull();
});

test('a message that may belong to very many calls comes with a limited number of them', async () => {
  trace = await TraceOf.begin();
  const recording = await HttpRecording.begin();
  try {
    for (let id = 1; id <= 100; id++) {
      const exchange = recording.request({ body: call(id) });
      recording.response(exchange, 202);
      recording.end(exchange);
    }
    const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
    recording.piece({ direction: 'in' }, JSON.stringify(log));
    const { columns } = recording.trace.index;
    const handlers = exportHandlers(new TraceFeed('s', recording.trace, () => {}));
    const rows = { of: 'rows' as const, rows: [columns.count - 1] };
    const params = { sessionId: 's', rows, format: 'mcptrace', redaction: asItIs } as const;
    expect(columns.method(columns.count - 1)).toBe('notifications/message');
    expect(await handlers['exports/preview'](params)).toMatchObject({ chosen: 1, addedMessages: 64 });
  } finally {
    await recording.close();
  }
});

test('batches that came in pieces between each other are kept whole, in one pass over the rows', async () => {
  trace = await TraceOf.begin();
  const batches = 300;
  const seqs = Array.from({ length: batches }, () =>
    trace.add({ kind: 'unit', direction: 'in', channel: 'stdout', text: '[{},', size: 4, more: true }),
  );
  for (const of of seqs) trace.add({ kind: 'chunk', of, text: ' {}]', size: 4 });
  const { columns } = trace.index;
  expect(columns.count).toBe(2 * batches);
  const reads = vi.spyOn(columns, 'seq');
  const rows = { of: 'rows' as const, rows: [...seqs.keys()].slice(1) };
  expect(await trace.preview('mcptrace', asItIs, rows)).toMatchObject({
    chosen: batches - 1,
    added: batches - 1,
  });
  expect(reads.mock.calls.length).toBeLessThan(20 * columns.count);
});

test('an export that leaves nothing out is the file itself', async () => {
  trace = await TraceOf.begin();
  trace.message('out', call(1));
  trace.message('in', ' {"jsonrpc":"2.0","id":1, "result":{"n":12345678901234567890}}');
  trace.add({ kind: 'stderr', text: 'é\u0007', size: 3 });
  await trace.file.flush();
  expect((await trace.export('mcptrace')).text).toBe(await readFile(trace.file.path, 'utf8'));
});

test('the header has its secrets replaced too', async () => {
  trace = await TraceOf.begin({
    name: 'x --token hunter22secret',
    transport: 'stdio',
    command: 'x',
    args: ['--token', 'hunter22secret'],
  });
  trace.message('in', answer(1));
  const { text } = await trace.export('mcptrace', redacted);
  expect(text).not.toContain('hunter22secret');
  expect(text.split('\n')[0]).toMatch(/\[secret option token, 14 characters, [0-9a-f]{8}\]/);
});

test('opened again, chosen rows of any trace are the same records and read as the same', async () => {
  trace = await TraceOf.begin();
  await fc.assert(
    fc.asyncProperty(
      randomSteps,
      fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
      async (steps, picks) => {
        const recording = await HttpRecording.begin();
        const folder = await mkdtemp(join(tmpdir(), 'sightglass-reopened-'));
        try {
          for (const step of steps) step(recording);
          const { index } = recording.trace;
          fc.pre(index.columns.count > 0 && isInOrder(index));
          const rows = [...new Set(picks.map((pick) => pick % index.columns.count))];
          const handlers = exportHandlers(new TraceFeed('s', recording.trace, () => {}));
          for (const choice of [{ of: 'rows' as const, rows }, { of: 'all' as const }]) {
            const path = join(folder, `${choice.of}.mcptrace`);
            await handlers['exports/write']({
              sessionId: 's',
              rows: choice,
              format: 'mcptrace',
              redaction: asItIs,
              path,
            });
            const own = recordsIn(await recording.text());
            const written = recordsIn(await readFile(path, 'utf8'));
            if (choice.of === 'all') expect(written).toEqual(own);
            const again = await indexOf(written);
            for (const row of choice.of === 'all' ? own.keys() : rows) {
              if (row >= index.columns.count) break;
              const seq = index.columns.seq(row);
              const piecesOf = (records: TraceRecord[]) =>
                records.filter((one) => one.seq === seq || (one.kind === 'chunk' && one.of === seq));
              expect(piecesOf(written)).toEqual(piecesOf(own));
              expect(factsOf(again, (again.columns.rowOf(seq) ?? -1) + index.columns.position(row))).toEqual(
                factsOf(index, row),
              );
            }
          }
        } finally {
          await recording.close();
          await rm(folder, { recursive: true });
        }
      },
    ),
    { numRuns: 100 },
  );
});

async function indexOf(records: readonly TraceRecord[]): Promise<RowIndex> {
  const again = await TraceOf.begin();
  for (const record of records) again.addAs(record);
  await again.close();
  return again.index;
}

/** Of a batch that came in pieces, further rows may stand behind those of later records. */
const isInOrder = ({ columns }: RowIndex): boolean =>
  Array.from({ length: columns.count }, (_, row) => columns.seq(row)).every(
    (seq, row, seqs) => row === 0 || seq >= (seqs[row - 1] ?? 0),
  );

/** What a row is read as; other rows by the records they are. */
function factsOf({ columns }: RowIndex, row: number) {
  const seqOf = (other: number | null) => (other === null ? null : columns.seq(other));
  return {
    seq: columns.seq(row),
    kind: columns.kind(row),
    method: columns.method(row),
    subject: columns.subject(row),
    id: columns.id(row),
    status: columns.status(row),
    code: columns.code(row),
    duration: columns.duration(row),
    pair: seqOf(columns.pair(row)),
    parent: seqOf(columns.parent(row)),
    exchange: seqOf(columns.exchangeRow(row)),
    mark: columns.mark(row),
  };
}
