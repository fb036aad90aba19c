import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { messageTextOf } from './raw-json.ts';
import { readUnit } from './read-unit.ts';
import { UnitReader } from './unit-reader.ts';

const MEBIBYTE = 1024 * 1024;

function readIn(pieces: readonly (string | Buffer)[]) {
  const reader = new UnitReader();
  for (const piece of pieces) reader.push(Buffer.from(piece));
  return reader.end();
}

/** The text in pieces of one mebibyte; it must be ASCII. */
const cut = (text: string) =>
  Array.from({ length: Math.ceil(text.length / MEBIBYTE) }, (_, place) =>
    text.slice(place * MEBIBYTE, (place + 1) * MEBIBYTE),
  );

test('a unit of a few pieces is read as if it had come in one', () => {
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'm', params: { long: 'x'.repeat(3 * MEBIBYTE) } });
  const { reading, bytes } = readIn(cut(text));
  expect(reading).toEqual(readUnit(Buffer.from(text)));
  expect(bytes?.toString()).toBe(text);
});

test('of a unit that is too large for that its message is known in part', () => {
  const params = { level: 'info', data: '0123456789abcdef'.repeat((40 * MEBIBYTE) / 16) };
  const { reading, bytes } = readIn(
    cut(`{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":${JSON.stringify(params)}}`),
  );
  expect(bytes).toBeNull();
  const [envelope] = reading.type === 'messages' ? reading.envelopes : [];
  expect(envelope).toMatchObject({ message: { type: 'request', id: 9007199254740993n, method: 'm' } });
  const text = messageTextOf({ bytes: Buffer.alloc(0), position: 0, envelope: envelope!, isTruncated: true });
  expect(text).toMatch(
    /^\{"jsonrpc":"2\.0","id":9007199254740993,"method":"m","params":\{"level":"info","data":"0123456789abcdef/,
  );
});

test('a batch of five million values takes the memory of ten thousand', async () => {
  const script = `
    const { RowIndex } = await import(${JSON.stringify(new URL('../rows/row-index.ts', import.meta.url).href)});
    const index = new RowIndex();
    const place = { offset: 0, length: 1 };
    const piece = '1,'.repeat(524_288);
    const unit = { at: 0, kind: 'unit', direction: 'in', channel: 'stdout', size: 1, more: true };
    let recorded = index.add({ seq: 0, ...unit }, place, '[' + piece).recorded;
    for (let seq = 1; seq < 10; seq++) {
      const more = seq < 9;
      const chunk = { seq, at: 0, kind: 'chunk', of: 0, size: 1, ...(more && { more }) };
      recorded = index.add(chunk, place, Buffer.from(more ? piece : piece + '1]')).recorded;
    }
    const { columns } = index;
    const last = columns.count - 1;
    console.log(JSON.stringify([columns.count, recorded.length, columns.kind(last), columns.batch(last)]));
  `;
  // The rows of all of them alone would be 460 MB, and what was read of them 2 GB.
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=100',
    '--input-type=module',
    '-e',
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual([10_001, 10_000, 'held-back', 5_242_881]);
});

test('what a message is stays known, however many values stand before it', () => {
  const ones = '1,'.repeat(3 * MEBIBYTE);
  const { reading } = readIn(cut(`{"params":{"a":[${ones}1]},"jsonrpc":"2.0","id":7,"method":"m"}`));
  expect(reading).toMatchObject({ envelopes: [{ message: { type: 'request', id: 7, method: 'm' } }] });
});

test('large units that are no message are told apart as small ones are', () => {
  const half = `{"jsonrpc":"2.0","method":"m","params":{"data":"${'x'.repeat(40 * MEBIBYTE)}`;
  expect(readIn(cut(half)).reading).toEqual({ type: 'noise', reason: 'half-json' });
  expect(readIn([...cut(half), Buffer.from([0xff])]).reading).toEqual({ type: 'noise', reason: 'not-utf8' });
  expect(readIn(cut('x'.repeat(40 * MEBIBYTE))).reading).toEqual({ type: 'noise', reason: 'not-json' });
});
