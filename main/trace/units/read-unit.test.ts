import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstBadByte, problemOf, readText, readUnit } from './read-unit.ts';

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
  ])('%s is JSON but no message: %s', (text, fault) => {
    const reading = readText(text);
    expect(reading).toMatchObject({ type: 'messages', envelopes: [{ fault }] });
    expect(problemOf(reading, 0, 'stdout')).toMatch(/^No JSON-RPC message: .+\.$/);
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
    expect(reading.type === 'messages' && reading.envelopes.map((one) => 'fault' in one)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('of more messages than are listed says how many it held back', () => {
    const reading = readText(`[${'7,'.repeat(12_344)}{"jsonrpc":"2.0","method":"x"}]`);
    expect(reading).toMatchObject({ type: 'messages', heldBack: 2_345 });
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
