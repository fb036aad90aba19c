import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';
import { readOptionalTarget, readTarget } from './target.ts';

const commandLine = { command: 'node', args: ['server.js'] };
const url = 'http://127.0.0.1:3000/mcp';
const ofCommand = (options: object) => readTarget({ args: [], options, commandLine });
const ofUrl = (options: object) => readTarget({ args: [], options: { url, ...options }, commandLine: null });

describe('the target', () => {
  test('is the command line, as it stands', () => {
    expect(ofCommand({})).toEqual({ kind: 'stdio', ...commandLine, env: {} });
  });

  test('takes variables, a folder, an era, a revision and a time along', () => {
    const given = { cwd: 'fixtures', era: 'modern', revision: '2030-01-01', timeout: '2m' };
    expect(ofCommand({ env: ['A=1', 'B==', 'C='], ...given })).toEqual({
      kind: 'stdio',
      ...commandLine,
      env: { A: '1', B: '=', C: '' },
      cwd: resolve('fixtures'),
      era: 'modern',
      revision: '2030-01-01',
      timeout: 120_000,
    });
  });

  test('is an address with headers as they stand, empty, doubled and with colons', () => {
    const header = ['Authorization: Bearer a:b', 'X-Empty:', 'X-Twice:1', 'x-twice:  2 '];
    expect(ofUrl({ header, transport: 'http-sse', era: 'legacy' })).toEqual({
      kind: 'http',
      url,
      headers: [
        ['Authorization', 'Bearer a:b'],
        ['X-Empty', ''],
        ['X-Twice', '1'],
        ['x-twice', '2'],
      ],
      httpTransport: 'http-sse',
      era: 'legacy',
    });
  });

  test.each([
    [{ env: ['NAME'] }],
    [{ env: ['=value'] }],
    [{ timeout: 'soon' }],
    [{ era: 'ancient' }],
    [{ revision: '' }],
    [{ header: ['X-A: 1'] }],
    [{ transport: 'auto' }],
  ])('of a command line with %j is a mistake', (options) => {
    expect(() => ofCommand(options)).toThrow(UsageError);
  });

  test.each([
    [{ url: 'server.js' }],
    [{ url: 'ftp://127.0.0.1/mcp' }],
    [{ transport: 'carrier-pigeon' }],
    [{ env: ['A=1'] }],
    [{ cwd: '/' }],
    [{ header: ['no colon'] }],
    [{ header: [': no name'] }],
    [{ header: ['no name: 1'] }],
    [{ header: ['X-A: 1\r\nX-B: 2'] }],
  ])('of an address with %j is a mistake', (options) => {
    expect(() => ofUrl(options)).toThrow(UsageError);
  });

  test('is not both, and what is said of a wrong header does not hold its value', () => {
    expect(() => readTarget({ args: [], options: { url }, commandLine })).toThrow('not by both');
    expect(() => ofUrl({ header: ['X Key: hunter2222'] })).toThrow(/^--header: "X Key" is no name/);
    expect(() => ofUrl({ header: ['hunter2222'] })).toThrow(/^(?!.*hunter2222)/);
  });

  test('may be left out where it need not be named, but then nothing may be said of it', () => {
    const none = (options: object) => readOptionalTarget({ args: [], options, commandLine: null });
    expect(none({})).toBeNull();
    expect(() => none({ era: 'legacy' })).toThrow('--era is about a server');
    expect(() => none({ header: ['X-A: 1'] })).toThrow('--header goes with --url');
  });
});

describe('a time', () => {
  test.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['30', 30_000],
    ['1.5m', 90_000],
    ['24h', 86_400_000],
  ])('%s', (text, milliseconds) => {
    expect(readDuration('--for', text)).toBe(milliseconds);
  });

  test.each(['', '0', '-1s', '25h', '1d', '1 s', 's', '0.1ms'])('"%s" is a mistake', (text) => {
    expect(() => readDuration('--for', text)).toThrow(/^--for wants a time/);
  });
});
