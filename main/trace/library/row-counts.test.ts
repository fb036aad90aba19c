import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PIECE_BYTES, TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '#shared/trace/record.ts';
import { countRows } from './row-counts.ts';

const header: TraceHeader = {
  format: TRACE_FORMAT,
  version: TRACE_VERSION,
  app: { name: 'sightglass', version: '0' },
  createdAt: new Date(0).toISOString(),
  clock: { at: 0, wall: 0 },
  server: { name: 'under test', transport: 'stdio', command: 'node', args: [] },
};

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-count-'));
  path = join(folder, 'one.mcptrace');
});
afterEach(() => rm(folder, { recursive: true }));

const write = (records: readonly object[]): Promise<void> =>
  writeFile(path, [header, ...records].map((line) => `${JSON.stringify(line)}\n`).join(''));

/** A message in pieces, whose JSON takes long to be read. */
function largeMessage(mebibytes: number): object[] {
  const numbers = '[1],'.repeat((mebibytes * PIECE_BYTES) / 4);
  const text = `{"jsonrpc":"2.0","method":"x","params":{"a":[${numbers}1]}}`;
  const count = Math.ceil(text.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, seq) => {
    const piece = text.slice(seq * PIECE_BYTES, (seq + 1) * PIECE_BYTES);
    const bytes = { text: piece, size: piece.length, ...(seq < count - 1 && { more: true }) };
    return seq === 0
      ? { seq, at: 0, kind: 'unit', direction: 'in', channel: 'stdout', ...bytes }
      : { seq, at: 0, kind: 'chunk', of: 0, ...bytes };
  });
}

test('rows are counted, and errors among them', async () => {
  const unit = { at: 0, kind: 'unit', channel: 'stdout', size: 1 };
  await write([
    { seq: 0, direction: 'out', text: '{"jsonrpc":"2.0","id":1,"method":"ping"}', ...unit },
    { seq: 1, direction: 'in', text: '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}', ...unit },
  ]);
  expect(await countRows(path, new AbortController().signal)).toEqual({ rows: 2, errors: 1 });
});

test('a message that takes long to be read is not read in this thread', async () => {
  await write(largeMessage(8));
  const before = performance.eventLoopUtilization();
  const began = performance.now();
  expect(await countRows(path, new AbortController().signal)).toEqual({ rows: 1, errors: 0 });
  const { active } = performance.eventLoopUtilization(before);
  expect(active / (performance.now() - began)).toBeLessThan(0.5);
});

test('a file that is not a trace is not counted', async () => {
  await writeFile(path, 'no trace');
  await expect(countRows(path, new AbortController().signal)).rejects.toThrow(/no trace/);
});

test.each([0, 2])(
  'a file with a message of %d MiB is not counted when that is not wanted any more',
  async (mebibytes) => {
    await write(largeMessage(mebibytes));
    const counting = new AbortController();
    const counted = countRows(path, counting.signal);
    counting.abort();
    await expect(counted).rejects.toThrow(/aborted/);
  },
);
