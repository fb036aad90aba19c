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
  const text = messageTextOf({ bytes: Buffer.alloc(0), position: 0, envelope: envelope!, isInPart: true });
  expect(text).toMatch(
    /^\{"jsonrpc":"2\.0","id":9007199254740993,"method":"m","params":\{"level":"info","data":"0123456789abcdef/,
  );
});

test('large units that are no message are told apart as small ones are', () => {
  const half = `{"jsonrpc":"2.0","method":"m","params":{"data":"${'x'.repeat(40 * MEBIBYTE)}`;
  expect(readIn(cut(half)).reading).toEqual({ type: 'noise', reason: 'half-json' });
  expect(readIn([...cut(half), Buffer.from([0xff])]).reading).toEqual({ type: 'noise', reason: 'not-utf8' });
  expect(readIn(cut('x'.repeat(40 * MEBIBYTE))).reading).toEqual({ type: 'noise', reason: 'not-json' });
});
