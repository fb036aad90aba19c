import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { readHeader, upgradeFrom } from './header.ts';
import { header } from '#fixtures/trace/trace-text.ts';

function faultOf(start: string | Buffer) {
  try {
    return readHeader('/a.mcptrace', Buffer.from(start));
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

const line = JSON.stringify(header);

test.each([
  ['alone', line, line.length],
  ['with its newline', `${line}\n`, line.length + 1],
  ['before records', `${line}\n{"seq":0}`, line.length + 1],
  ['after a byte order mark', `\ufeff${line}\n`, line.length + 4],
  ['with the line end of Windows', `${line}\r\n`, line.length + 2],
])('a header %s is read, and where the records begin', (_, start, end) => {
  expect(readHeader('/a.mcptrace', Buffer.from(start))).toEqual({ header, upgrade: null, end });
});

describe('a file that is not a trace', () => {
  test.each<[string, string | Buffer]>([
    ['a text file', 'hello\nworld\n'],
    ['a text file', 'é'.repeat(3)],
    ['a page of HTML', '\n<!DOCTYPE html>\n<html>'],
    ['XML or HTML', '<?xml version="1.0"?>'],
    ['a HAR file', '{\n  "log": { "version": "1.2" }\n}'],
    ['a HAR file', '{"log":{"version":"1.2"}}'],
    ['the configuration of an MCP client', '{\n  "mcpServers": {}\n}'],
    ['a list of bare JSON-RPC messages', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'],
    ['a trace that has lost its first line', '{"seq":0,"at":1,"kind":"stderr","text":"","size":0}\n'],
    ['JSON of another kind', '[1,2]'],
    ['JSON of another kind', '{"a":\n1}'],
    ['a file packed with gzip', gzipSync(line)],
    ['a ZIP archive', Buffer.from('PK\u0003\u0004....')],
    ['a binary file', Buffer.from([0x80, 0x81, 0x82])],
    ['a binary file', 'a\0b'],
  ])('is told as what it seems to be: %s', (kind, start) => {
    expect(faultOf(start)).toMatchObject({
      code: 'no-trace',
      what: expect.stringContaining(`It seems to be ${kind}`),
      next: expect.stringContaining('Nothing in it was changed'),
      evidence: '/a.mcptrace',
    });
  });

  test('is an empty file', () => {
    expect(faultOf('')).toMatchObject({ code: 'no-trace', what: expect.stringContaining('empty') });
  });
});

test('a newer version is refused with the app that wrote it, whatever else the header has', () => {
  const newer = { format: 'mcptrace', version: 7, app: { name: 'sightglass', version: '9.1.0' }, new: [] };
  expect(faultOf(`${JSON.stringify(newer)}\n`)).toMatchObject({
    code: 'trace-too-new',
    what: expect.stringMatching(/newer app, sightglass 9\.1\.0: version 7 of the format/),
    next: expect.stringContaining('newer Sightglass'),
  });
});

test.each(['{"format":"mcptrace","vers', '{"form', '{'])(
  'a header that was not written to its end: %s',
  (torn) => {
    expect(faultOf(torn)).toMatchObject({
      code: 'trace-header-damaged',
      what: expect.stringContaining('ends inside'),
    });
  },
);

test.each([{ version: 'one' }, { version: 0 }, { clock: null }, { server: { transport: 'pigeon' } }])(
  'a header with %j is damaged, and the lines below it are not given up',
  (wrong) => {
    expect(faultOf(JSON.stringify({ ...header, ...wrong }))).toMatchObject({
      code: 'trace-header-damaged',
      why: expect.any(String),
      next: expect.stringContaining('lines below'),
    });
  },
);

test('a line of an older version goes through every upgrade up to the newest', () => {
  const noting = (word: string) => {
    const note = (noted: unknown) => `${String(noted)} ${word}`;
    return { header: note, record: note };
  };
  const steps = [noting('to 2'), noting('to 3')];
  expect(upgradeFrom(1, steps)?.record('line')).toBe('line to 2 to 3');
  expect(upgradeFrom(2, steps)?.header('header')).toBe('header to 3');
  expect(upgradeFrom(3, steps)).toBeNull();
});
