import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CutLine, LineCutter, MAX_LINE } from './lines.ts';

const START = 10;

/** Cuts bytes that come in these pieces, each in the same memory. */
function cut(bytes: Buffer, sizes: readonly number[]) {
  const cutter = new LineCutter(START);
  const lines: { text: string; offset: number; length: number }[] = [];
  const take = ({ bytes: held, from, to, offset, length }: CutLine) =>
    lines.push({ text: held.toString('utf8', from, to), offset, length });
  const memory = Buffer.alloc(bytes.length);
  let done = 0;
  for (const size of [...sizes, bytes.length]) {
    const piece = bytes.subarray(done, done + size);
    piece.copy(memory);
    cutter.push(memory.subarray(0, piece.length), take);
    memory.fill(0);
    done += piece.length;
  }
  return { lines, cutter };
}

test('lines are the same however the pieces fall, each where it stands', () => {
  const text = fc
    .array(fc.constantFrom('', 'a', 'é', '{"x":1}', '\r', 'long '.repeat(20)))
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 0, max: 30 })), (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const { lines, cutter } = cut(bytes, sizes);
      const expected = whole.split('\n');
      const rest = expected.pop() ?? '';
      expect(lines.map((line) => line.text)).toEqual(expected);
      for (const { text: line, offset, length } of lines) {
        expect(bytes.toString('utf8', offset - START, offset - START + length)).toBe(line);
      }
      expect(cutter.rest.toString()).toBe(rest);
      expect(cutter.pending).toBe(Buffer.byteLength(rest));
      expect(cutter.offset).toBe(START + bytes.length - Buffer.byteLength(rest));
    }),
  );
});

test('a line that is longer than any record is passed over without being held', () => {
  const cutter = new LineCutter(0);
  const lines: CutLine[] = [];
  const piece = Buffer.alloc(1024 * 1024, 'x');
  for (let held = 0; held <= MAX_LINE; held += piece.length) cutter.push(piece, (line) => lines.push(line));
  expect(cutter.rest.length).toBe(0);
  cutter.push(Buffer.from('end\nnext\n'), (line) => lines.push(line));
  expect(lines).toMatchObject([
    { from: 0, to: 0, offset: 0, length: MAX_LINE + piece.length + 3 },
    { offset: MAX_LINE + piece.length + 4, length: 4 },
  ]);
});
