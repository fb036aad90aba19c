import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messageTextOf, firstBadByte, errorOf, readText, readUnit, UnitReader } from './read-unit.ts';

describe('a unit', () => {
  test.each([
    ['', 'blank'],
    ['\r', 'blank'],
    ['Server listening', 'not-json'],
    ['{"jsonrpc":"2.0","id":1', 'half-json'],
    ['{"text":"an unclosed string}', 'half-json'],
    ['{', 'half-json'],
    ['{}{}', 'several-values'],
    ['{"a":1} trailing', 'not-json'],
    ["{'a':1}", 'not-json'],
    [' \t\ufeff', 'blank'],
    ['true enough', 'not-json'],
    ['-', 'not-json'],
  ])('%j is noise: %s', (text, reason) => {
    expect(readText(text)).toEqual({ type: 'noise', reason });
  });

  test('that is not UTF-8 is noise, and the first bad byte is found', () => {
    const bytes = Buffer.concat([Buffer.from('{"é":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(readUnit(bytes)).toEqual({ type: 'noise', reason: 'not-utf8' });
    expect(firstBadByte(bytes)).toBe(7);
  });

  test.each([
    ['\ufeff{"jsonrpc":"2.0","method":"x"}', { type: 'notification', method: 'x', params: undefined }],
    [
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      { type: 'request', id: 1, method: 'ping', params: undefined },
    ],
    ['{"jsonrpc":"2.0","method":"x","params":{}}', { type: 'notification', method: 'x', params: {} }],
    ['{"jsonrpc":"2.0","id":"1","result":{}}', { type: 'result', id: '1', result: {} }],
    [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
      { type: 'error', id: null, error: { code: -32700, message: 'm' } },
    ],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":418,"message":"m"}}',
      { type: 'error', id: 1, error: { code: 418, message: 'm' } },
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"notifications/x"}',
      { type: 'request', id: 1, method: 'notifications/x', params: undefined },
    ],
  ])('%s is a message', (text, message) => {
    expect(readText(text)).toEqual({ type: 'messages', envelopes: [{ message }] });
  });

  test.each([
    ['42', 'not-object'],
    [' "text"', 'not-object'],
    ['\tnull', 'not-object'],
    ['-1', 'not-object'],
    ['{"id":1,"method":"ping"}', 'wrong-version'],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 'bad-id'],
    ['{"jsonrpc":"2.0","id":1.5,"result":{}}', 'bad-id'],
    ['{"jsonrpc":"2.0","method":7}', 'bad-method'],
    ['{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}', 'bad-params'],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}', 'result-and-error'],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}', 'bad-error'],
    ['{"jsonrpc":"2.0","id":1}', 'no-method-no-answer'],
    ['[]', 'empty-batch'],
  ])('%s is JSON but no message: %s', (text, defect) => {
    const reading = readText(text);
    expect(reading).toMatchObject({ type: 'messages', envelopes: [{ defect }] });
    expect(errorOf(reading, 0, 'stdout')).toMatch(/^No JSON-RPC message: .+\.$/);
  });

  test('nested as deeply as nothing can bear is a message all the same, cut where it is too deep', () => {
    const deep = `${'{"a":['.repeat(50_000)}1${']}'.repeat(50_000)}`;
    const reading = readText(` {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${deep}}}`);
    expect(reading).toMatchObject({ envelopes: [{ message: { type: 'error', id: 1 } }] });
    expect(JSON.stringify(reading)).toContain('nested too deeply');
    const shallow = `${'['.repeat(400)}"[[["${']'.repeat(400)}`;
    expect(JSON.stringify(readText(`{"jsonrpc":"2.0","id":1,"result":${shallow}}`))).toContain(shallow);
  });

  test('of several messages gives each, the bad ones between the good', () => {
    const reading = readText('[{"jsonrpc":"2.0","id":1,"result":{}},7,{"jsonrpc":"2.0","method":"x"}]');
    expect(reading.type === 'messages' && reading.envelopes.map((one) => 'defect' in one)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('of more messages than are listed says how many it held back', () => {
    const reading = readText(`[${'7,'.repeat(12_344)}{"jsonrpc":"2.0","method":"x"}]`);
    expect(reading).toMatchObject({ type: 'messages', unlisted: 2_345 });
    expect(reading.type === 'messages' && reading.envelopes.length).toBe(10_000);
  });

  test('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(['messages', 'noise']).toContain(readUnit(buffer).type);
        const bad = firstBadByte(buffer);
        if (bad !== null) expect(buffer.subarray(0, bad).toString()).not.toContain('\ufffd');
      }),
    );
  });
});

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

test('a unit too large to parse gives a truncated message', () => {
  const params = { level: 'info', data: '0123456789abcdef'.repeat((40 * MEBIBYTE) / 16) };
  const { reading, bytes } = readIn(
    cut(`{"jsonrpc":"2.0","id":9007199254740993,"method":"m","params":${JSON.stringify(params)}}`),
  );
  expect(bytes).toBeNull();
  const [envelope] = reading.type === 'messages' ? reading.envelopes : [];
  expect(envelope).toMatchObject({ message: { type: 'request', id: 9007199254740993n, method: 'm' } });
  const text = messageTextOf({ unit: { text: '' }, position: 0, envelope: envelope!, isTruncated: true });
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

test('a message is identified however many values precede its envelope', () => {
  const ones = '1,'.repeat(3 * MEBIBYTE);
  const { reading } = readIn(cut(`{"params":{"a":[${ones}1]},"jsonrpc":"2.0","id":7,"method":"m"}`));
  expect(reading).toMatchObject({ envelopes: [{ message: { type: 'request', id: 7, method: 'm' } }] });
});

test('large units that are not messages are recognized like small ones', () => {
  const half = `{"jsonrpc":"2.0","method":"m","params":{"data":"${'x'.repeat(40 * MEBIBYTE)}`;
  expect(readIn(cut(half)).reading).toEqual({ type: 'noise', reason: 'half-json' });
  expect(readIn([...cut(half), Buffer.from([0xff])]).reading).toEqual({ type: 'noise', reason: 'not-utf8' });
  expect(readIn(cut('x'.repeat(40 * MEBIBYTE))).reading).toEqual({ type: 'noise', reason: 'not-json' });
});
