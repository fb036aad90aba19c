import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { LineFramer, OutputReader } from './framing.ts';
import { characterBoundary, type LinePiece } from './pieces.ts';

/** Feeds the chunks and gives back every line put together from its pieces. */
function linesOf(chunks: readonly Uint8Array[]): { bytes: Buffer; cut: boolean; pieces: LinePiece[] }[] {
  const lines: { bytes: Buffer; cut: boolean; pieces: LinePiece[] }[] = [];
  let pieces: LinePiece[] = [];
  const framer = new LineFramer((piece) => {
    if (piece.first !== (pieces.length === 0)) throw new Error('a piece is wrong about being the first');
    pieces.push({ ...piece, bytes: Buffer.from(piece.bytes) });
    if (piece.more) return;
    lines.push({ bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)), cut: piece.cut, pieces });
    pieces = [];
  });
  for (const chunk of chunks) framer.push(Buffer.from(chunk));
  framer.end();
  return lines;
}

describe('a line framer', () => {
  test('finds the same lines however the bytes are cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.boolean(), (chunks, withNewlines) => {
        const bytes = Buffer.concat(
          chunks.map((chunk) => chunk.map((byte) => (withNewlines && byte % 5 === 0 ? 10 : byte))),
        );
        const cuts = chunks.map((_, place) => Math.floor((bytes.length * place) / chunks.length));
        const recut = cuts.map((cut, place) => bytes.subarray(cut, cuts[place + 1] ?? bytes.length));
        const expected = bytes.toString('latin1').split('\n');
        const tail = expected.pop() ?? '';
        const lines = linesOf(recut);
        expect(lines.filter((line) => !line.cut).map((line) => line.bytes.toString('latin1'))).toEqual(
          expected,
        );
        expect(lines.filter((line) => line.cut).map((line) => line.bytes.toString('latin1'))).toEqual(
          tail === '' ? [] : [tail],
        );
      }),
    );
  });

  test('keeps a carriage return, and takes a blank line for a line', () => {
    expect(linesOf([Buffer.from('a\r\n\nb\n')]).map(({ bytes }) => bytes.toString())).toEqual([
      'a\r',
      '',
      'b',
    ]);
  });

  test('hands on a long line in pieces of at most 1 MiB that tear no character', () => {
    const text = `x${'é€😀'.repeat(400_000)}`;
    const bytes = Buffer.from(`${text}\n`);
    const chunks: Buffer[] = [];
    for (let from = 0; from < bytes.length; from += 65_536) chunks.push(bytes.subarray(from, from + 65_536));
    const [line, ...others] = linesOf(chunks);
    expect(others).toEqual([]);
    expect(line?.bytes.toString()).toBe(text);
    expect(line?.pieces.length).toBeGreaterThan(3);
    for (const piece of line?.pieces ?? []) {
      expect(piece.bytes.length).toBeLessThanOrEqual(PIECE_BYTES);
      expect(piece.bytes.toString()).not.toContain('\ufffd');
    }
  });

  test('says of a long line that the stream ended inside it', () => {
    const [line] = linesOf([Buffer.alloc(PIECE_BYTES + 7, 'x')]);
    expect(line?.cut).toBe(true);
    expect(line?.bytes.length).toBe(PIECE_BYTES + 7);
  });
});

describe('characterBoundary', () => {
  test('stays where it is when the bytes are no UTF-8 at all', () => {
    expect(characterBoundary(Buffer.alloc(20, 0x80), 10)).toBe(10);
  });

  test('goes back to the start of a torn character', () => {
    const bytes = Buffer.from('ab😀');
    expect([2, 3, 4, 5, 6].map((end) => characterBoundary(bytes, end))).toEqual([2, 2, 2, 2, 6]);
  });
});

const CHUNK = Buffer.from('y\n'.repeat(32_768));

/** A process that prints without end; no real one is sure to have more at each read on a busy machine. */
const endless = (most: number) => {
  let left = most;
  return new Readable({
    read() {
      this.push(left-- > 0 ? CHUNK : null);
    },
  });
};

/** Counts lines, and takes about as long for each as the rest of the app does. */
const slowly = (seen: { lines: number }) => () => {
  for (const begun = performance.now(); performance.now() - begun < 0.002; );
  seen.lines++;
};

test('a flood leaves timers and others their turn, and nothing of it is lost', async () => {
  const seen = { lines: 0 };
  const reader = new OutputReader(endless(20), slowly(seen), (read) => read());
  const turns: number[] = [];
  while (seen.lines < 20 * 32_768) {
    const before = seen.lines;
    await nextTurn();
    turns.push(seen.lines - before);
  }
  expect(seen.lines).toBe(20 * 32_768);
  expect(Math.max(...turns)).toBeLessThan(5 * 32_768);
  await reader.finish();
});

test('a pause by the user of the reader outlasts the turn that a flood gives to others', async () => {
  const seen = { lines: 0 };
  const reader = new OutputReader(endless(20), slowly(seen), (read) => read());
  while (seen.lines === 0) await nextTurn();
  reader.pause();
  await nextTurn();
  const before = seen.lines;
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(seen.lines).toBe(before);
  reader.resume();
  await reader.finish();
  expect(seen.lines).toBe(20 * 32_768);
});
