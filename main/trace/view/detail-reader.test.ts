import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_DETAIL_CHARS } from '#shared/contract/trace.ts';
import { PIECE_BYTES, TRACE_FORMAT, TRACE_VERSION } from '#shared/trace/record.ts';
import { Redactor } from '#trace/recorder/redaction.ts';
import { Trace } from '#trace/trace.ts';
import { readDetail } from './detail-reader.ts';
import { readBytes } from './unit-bytes.ts';

let folder: string;
const traces: Trace[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'detail-'));
});
afterEach(async () => {
  for (const trace of traces.splice(0)) await trace.close();
  await rm(folder, { recursive: true });
});

async function aTrace(secrets: ReadonlyMap<string, string> = new Map()): Promise<Trace> {
  const trace = await Trace.create({
    path: join(folder, `${traces.length}.mcptrace`),
    header: {
      format: TRACE_FORMAT,
      version: TRACE_VERSION,
      app: { name: 'sightglass', version: '0' },
      createdAt: new Date(0).toISOString(),
      clock: { at: 0, wall: 0 },
      server: { name: 'server', transport: 'stdio', command: 'node', args: [] },
    },
    redactor: new Redactor(secrets),
    onChange: () => {},
    onCongested: () => {},
  });
  traces.push(trace);
  return trace;
}

/** Has the server write these bytes as one line. */
function write(trace: Trace, bytes: Buffer, unit = 1): void {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    trace.record({
      kind: 'message-bytes',
      direction: 'in',
      channel: 'stdout',
      at: 1,
      unit,
      bytes: bytes.subarray(from, from + PIECE_BYTES),
      first: from === 0,
      more: from + PIECE_BYTES < bytes.length,
      cut: false,
    });
  }
}

const aMessage = (text: string) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { text } });

test('only the shown pieces of a large unit are read', async () => {
  const trace = await aTrace();
  write(trace, Buffer.from(aMessage('x'.repeat(12 * PIECE_BYTES))));
  const read = vi.spyOn(trace.file, 'read');
  const detail = await readDetail(trace, 0);
  expect(detail).toMatchObject({ truncated: true, error: null, row: { kind: 'notification' } });
  expect(detail.text?.length).toBe(MAX_DETAIL_CHARS);
  const piecesRead = read.mock.calls
    .flatMap(([places]) => places)
    .filter(({ length }) => length > PIECE_BYTES);
  // Once for the detail, and once for the short text of its row.
  expect(piecesRead.length).toBeLessThanOrEqual(3);
});

test('the end of a large unit is found again without reading what stands before it', async () => {
  const trace = await aTrace();
  const bytes = Buffer.from(aMessage(`${'x'.repeat(8 * PIECE_BYTES)}the end`));
  write(trace, bytes);
  const end = { from: bytes.length - 20, count: 100 };
  const first = await readBytes(trace, 0, end.from, end.count);
  expect(first.bytes.toString()).toMatch(/the end"}}$/);
  expect(first.total).toBe(bytes.length);
  const read = vi.spyOn(trace.file, 'read');
  expect((await readBytes(trace, 0, end.from, end.count)).bytes).toEqual(first.bytes);
  expect(read.mock.calls.length).toBe(1);
});

test('bytes come without gap or overlap where redaction made the pieces longer or shorter', async () => {
  const secret = 'hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2';
  const trace = await aTrace(new Map([['env:KEY', secret]]));
  const text = `${'a'.repeat(PIECE_BYTES - 10)}${secret}${'b'.repeat(PIECE_BYTES)}${secret}${'c'.repeat(PIECE_BYTES)}`;
  write(trace, Buffer.from(text));
  const pages: string[] = [];
  const size = 200_000;
  for (let from = 0; ; from += size) {
    const { bytes } = await readBytes(trace, 0, from, size);
    if (bytes.length === 0) break;
    pages.push(bytes.toString());
  }
  expect(pages.join('')).toMatch(/^a+\[secret env:KEY, 70 characters, [0-9a-f]{8}\]b+\[secret [^\]]+\]c+$/);
  expect(pages.join('').length).toBe(
    text.length + 2 * (pages.join('').match(/\[.*?\]/)?.[0].length ?? 0) - 2 * secret.length,
  );
});

test('a message far inside a large batch is shown, not what the batch begins with', async () => {
  const trace = await aTrace();
  write(trace, Buffer.from(`[${aMessage('x'.repeat(3 * PIECE_BYTES))}, ${aMessage('second')} ]`));
  const detail = await readDetail(trace, 1);
  expect(detail).toMatchObject({
    text: aMessage('second'),
    truncated: false,
    row: { batch: 2, position: 1 },
  });
  expect((await readDetail(trace, 0)).truncated).toBe(true);
});

test('a character that the end cuts in two is left out', async () => {
  const trace = await aTrace();
  write(trace, Buffer.from(aMessage(`${'é'.repeat(PIECE_BYTES)}!`)));
  const { text } = await readDetail(trace, 0);
  expect(text).toMatch(/é$/);
  expect(text).not.toContain('\ufffd');
});

test('children are counted beyond those that are listed', async () => {
  const trace = await aTrace();
  const send = (direction: 'in' | 'out', message: unknown) =>
    trace.record({
      kind: 'message-bytes',
      direction,
      channel: direction === 'in' ? 'stdout' : 'stdin',
      at: 1,
      unit: 1,
      bytes: Buffer.from(JSON.stringify(message)),
      first: true,
      more: false,
      cut: false,
    });
  send('out', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'a', _meta: { progressToken: 't' } },
  });
  for (let progress = 0; progress < 250; progress++) {
    send('in', {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 't', progress },
    });
  }
  const detail = await readDetail(trace, 0);
  expect(detail.children.length).toBe(200);
  expect(detail.childCount).toBe(250);
});
