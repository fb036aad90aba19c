import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDuration } from './duration.ts';
import { UsageError } from './exit-codes.ts';
import { readTarget } from './target.ts';

const commandLine = { command: 'node', args: ['server.js'] };
const read = (options: object) => readTarget({ args: [], options, commandLine });

describe('the target', () => {
  test('is the command line, as it stands', () => {
    expect(read({})).toEqual({ ...commandLine, env: {} });
  });

  test('takes variables, a folder and a time along', () => {
    expect(read({ env: ['A=1', 'B==', 'C='], cwd: 'fixtures', timeout: '2m' })).toEqual({
      ...commandLine,
      env: { A: '1', B: '=', C: '' },
      cwd: resolve('fixtures'),
      timeout: 120_000,
    });
  });

  test.each([[{ env: ['NAME'] }], [{ env: ['=value'] }], [{ timeout: 'soon' }]])(
    '%j is a mistake',
    (options) => {
      expect(() => read(options)).toThrow(UsageError);
    },
  );
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
