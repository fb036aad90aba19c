import { expect, test } from 'vitest';
import { heldMebibytes } from '#fixtures/held-memory.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { RowIndex } from './row-index.ts';

const place = { offset: 0, length: 0 };
const bytes = { size: PIECE_BYTES, more: true as const };

/** A unit, or a line of stderr, of so many MiB, each piece a buffer of its own. */
function addLarge(index: RowIndex, kind: 'unit' | 'stderr', mebibytes: number): void {
  const first = Buffer.alloc(PIECE_BYTES, 'x');
  if (kind === 'stderr') index.add({ seq: 0, at: 0, kind, ...bytes }, place, first);
  else index.add({ seq: 0, at: 0, kind, direction: 'in', channel: 'stdout', ...bytes }, place, first);
  for (let seq = 1; seq < mebibytes; seq++) {
    index.add({ seq, at: 0, kind: 'chunk', of: 0, ...bytes }, place, Buffer.alloc(PIECE_BYTES, 'x'));
  }
}

test.each([
  ['a line of stderr, which nobody reads as a message,', 'stderr', 64],
  ['a unit that has grown too large to be read as one', 'unit', 300],
] as const)('%s is not kept in memory while it grows', (_, kind, mebibytes) => {
  const before = heldMebibytes();
  const index = new RowIndex();
  addLarge(index, kind, mebibytes);
  expect(index.columns.status(0)).toBe('receiving');
  expect(heldMebibytes() - before).toBeLessThan(mebibytes / 2);
  index.add({ seq: mebibytes, at: 0, kind: 'chunk', of: 0, size: 1 }, place, Buffer.from('}'));
  expect(index.columns.size(0)).toBe(mebibytes * PIECE_BYTES + 1);
  expect(index.columns.noise(0)).toBe(kind === 'unit' ? 'too-large' : null);
  expect(index.columns.status(0)).toBe(kind === 'unit' ? 'invalid' : 'none');
});

test('10,000 messages of a batch of any length have rows, and one row stands for the others', () => {
  const index = new RowIndex();
  const text = JSON.stringify(
    Array.from({ length: 70_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'm' })),
  );
  const size = Buffer.byteLength(text);
  index.add(
    { seq: 0, at: 0, kind: 'unit', direction: 'in', channel: 'stdout', text, size },
    place,
    Buffer.from(text),
  );
  expect(index.columns.count).toBe(10_001);
  expect([index.columns.id(9_999), index.columns.position(9_999)]).toEqual([9_999, 9_999]);
  expect([index.columns.kind(10_000), index.columns.position(10_000)]).toEqual(['held-back', 10_000]);
  expect([index.columns.batch(0), index.columns.batch(10_000)]).toEqual([70_000, 70_000]);
});

test('a row is found by its record, also where late messages of a large batch stand between', () => {
  const index = new RowIndex();
  const message = JSON.stringify({ jsonrpc: '2.0', method: 'm' });
  const batch = Buffer.from(`[${message},${message}]`);
  const cut = batch.length >> 1;
  const unit = { kind: 'unit', direction: 'in', channel: 'stdout' } as const;
  index.add({ seq: 0, at: 0, ...unit, size: cut, more: true }, place, batch.subarray(0, cut));
  const size = message.length;
  for (const seq of [1, 2, 3]) index.add({ seq, at: seq, ...unit, size }, place, Buffer.from(message));
  index.add({ seq: 4, at: 4, kind: 'chunk', of: 0, size: batch.length - cut }, place, batch.subarray(cut));
  index.add({ seq: 5, at: 5, ...unit, size }, place, Buffer.from(message));
  const { columns } = index;
  const seqs = Array.from({ length: columns.count }, (_, row) => columns.seq(row));
  expect(seqs).toEqual([0, 1, 2, 3, 0, 5]);
  expect([0, 1, 2, 3, 4, 5].map((seq) => columns.rowOf(seq))).toEqual([0, 1, 2, 3, null, 5]);
  index.add({ seq: 6, at: 6, kind: 'mark', of: 0, position: 1, note: 'second' }, place, Buffer.alloc(0));
  expect([...columns.marked]).toEqual([4]);
});
