import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readDuration } from './option-values.ts';
import { UsageError } from './exit.ts';
import { readOptionalTarget, readTarget } from './target.ts';

const commandLine = { command: 'node', args: ['server.js'] };
const url = 'http://127.0.0.1:3000/mcp';
const ofCommand = (options: object) => readTarget({ args: [], options, commandLine });
const ofUrl = (options: object) => readTarget({ args: [], options: { url, ...options }, commandLine: null });

describe('the target', () => {
  test('is the command line, unchanged', () => {
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

  test('takes hosts along that the server may lead to, in the spelling of URLs', () => {
    const allowAddress = ['LOCALHOST:8080', '0x7f.1', '[::1]:443', '10.0.0.1:80'];
    expect(ofUrl({ allowAddress })).toMatchObject({
      allowAddresses: ['localhost:8080', '127.0.0.1', '[::1]:443', '10.0.0.1:80'],
    });
    for (const wrong of ['', 'http://a', 'a/b', 'a@b', 'a:b', 'a?b'])
      expect(() => ofUrl({ allowAddress: [wrong] })).toThrow('--allow-address wants a host');
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
    expect(() => ofUrl({ header: ['X Key: hunter2222'] })).toThrow(/^--header: "X Key" is not a header name/);
    expect(() => ofUrl({ header: ['hunter2222'] })).toThrow(/^(?!.*hunter2222)/);
  });

  test('may be left out where it need not be named, but then nothing may be said of it', () => {
    const none = (options: object) => readOptionalTarget({ args: [], options, commandLine: null });
    expect(none({})).toBeNull();
    expect(() => none({ era: 'legacy' })).toThrow('--era is about a server');
    expect(() => none({ header: ['X-A: 1'] })).toThrow('--header goes with --url');
  });
});

describe('a secret', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightglass-target-'));
    await writeFile(join(folder, 'token'), 'hunter2222\n');
    await writeFile(join(folder, 'lines'), 'hunter2222\nhunter3333\n');
    vi.stubEnv('A_TOKEN', 'hunter4444');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  test('of a header is read from a file or a variable, behind a scheme if there is one', () => {
    const header = [
      `X-File=@${join(folder, 'token')}`,
      'X-Variable=$A_TOKEN',
      'Authorization=Bearer $A_TOKEN',
      'X-Plain: $A_TOKEN',
      'X-Colon: a=@b',
    ];
    expect(ofUrl({ header })).toMatchObject({
      headers: [
        ['X-File', 'hunter2222'],
        ['X-Variable', 'hunter4444'],
        ['Authorization', 'Bearer hunter4444'],
        ['X-Plain', '$A_TOKEN'],
        ['X-Colon', 'a=@b'],
      ],
      // What is read from a file or a variable is secret by that, whatever its name.
      secretNames: ['X-File', 'X-Variable', 'Authorization'],
    });
  });

  test('of a header is marked by an option of its own, written there or read from a file or a variable', () => {
    const secretHeader = [
      'X-Written: hunter2222',
      `X-File=@${join(folder, 'token')}`,
      'X-Scheme=Bearer $A_TOKEN',
    ];
    expect(ofUrl({ header: ['X-Plain: http'], secretHeader })).toMatchObject({
      headers: [
        ['X-Plain', 'http'],
        ['X-Written', 'hunter2222'],
        ['X-File', 'hunter2222'],
        ['X-Scheme', 'Bearer hunter4444'],
      ],
      secretNames: ['X-Written', 'X-File', 'X-Scheme'],
    });
    expect(ofUrl({ header: ['X-Plain: http'] })).not.toHaveProperty('secretNames');
    expect(() => ofUrl({ secretHeader: ['X Key: hunter2222'] })).toThrow(
      /^--secret-header: "X Key" is not a header name/,
    );
    expect(() => ofUrl({ secretHeader: ['X-Key=hunter2222'] })).toThrow(
      /^--secret-header X-Key= wants @FILE/,
    );
    expect(() => ofUrl({ secretHeader: ['hunter2222'] })).toThrow(/^(?!.*hunter2222)/);
    expect(() => ofCommand({ secretHeader: ['X: 1'] })).toThrow('--secret-header goes with --url only');
  });

  test('of a variable is that of the same name here, of another one, or of a file', () => {
    const secretEnv = ['A_TOKEN', 'OTHER=$A_TOKEN', `FILE=@${join(folder, 'token')}`];
    expect(ofCommand({ env: ['PLAIN=1'], secretEnv })).toMatchObject({
      env: { PLAIN: '1', A_TOKEN: 'hunter4444', OTHER: 'hunter4444', FILE: 'hunter2222' },
      secretNames: ['A_TOKEN', 'OTHER', 'FILE'],
    });
  });

  test.each([
    [{ secretEnv: ['NAME=hunter2222'] }, '--secret-env NAME= wants @FILE or $VARIABLE'],
    [{ secretEnv: ['NOT_THERE'] }, 'there is no variable NOT_THERE'],
    [{ secretEnv: ['=@x'] }, '--secret-env wants the name of a variable'],
    [{ secretEnv: ['NAME=@/no/such/file'] }, '--secret-env: There is no file'],
  ])('of a variable that cannot be had is a mistake: %j', (options, why) => {
    expect(() => ofCommand(options)).toThrow(UsageError);
    expect(() => ofCommand(options)).toThrow(why);
    expect(() => ofCommand(options)).toThrow(/^(?!.*hunter2222)/);
  });

  test.each([
    [['X-Key=hunter2222'], '--header X-Key= wants @FILE or $VARIABLE'],
    [['X-Key=$NOT_THERE'], 'there is no variable NOT_THERE'],
    [['X-Key=@/no/such/file'], '--header: There is no file'],
  ])('of a header that cannot be had is a mistake: %j', (header, why) => {
    expect(() => ofUrl({ header })).toThrow(why);
    expect(() => ofUrl({ header })).toThrow(/^(?!.*hunter2222)/);
  });

  test('of a file with several lines is refused without what it holds', () => {
    const header = [`X-Key=@${join(folder, 'lines')}`];
    expect(() => ofUrl({ header })).toThrow('more than one line');
    expect(() => ofUrl({ header })).toThrow(/^(?!.*hunter)/);
  });

  test('of a file is read whatever its encoding, and refused if it holds what no value may have', async () => {
    await writeFile(join(folder, 'utf16'), Buffer.from('\ufeffhunter5555\r\n', 'utf16le'));
    await writeFile(join(folder, 'mark'), '\ufeffhunter6666\n');
    await writeFile(join(folder, 'nul'), 'hunter\0');
    const from = (name: string) => ofCommand({ secretEnv: [`NAME=@${join(folder, name)}`] });
    expect(from('utf16')).toMatchObject({ env: { NAME: 'hunter5555' } });
    expect(from('mark')).toMatchObject({ env: { NAME: 'hunter6666' } });
    expect(() => from('nul')).toThrow(/^--secret-env: .* This file is no text/);
    expect(() => from('nul')).toThrow(/^(?!.*hunter)/);
  });

  test('goes with its kind of server only', () => {
    expect(() => ofUrl({ secretEnv: ['A_TOKEN'] })).toThrow('--secret-env is for a command line');
    expect(() => ofCommand({ header: ['X=$A_TOKEN'] })).toThrow('--header goes with --url only');
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
