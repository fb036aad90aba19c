import { expect, test } from 'vitest';
import { splitAtDashes } from './command-line.ts';

test('what follows the first "--" is the server’s, its own "--" too', () => {
  expect(splitAtDashes(['open', '--web', '--', 'node', 'server.js', '--port', '--', '1'])).toEqual({
    own: ['open', '--web'],
    commandLine: { command: 'node', args: ['server.js', '--port', '--', '1'] },
    hasDashes: true,
  });
});

test('without "--" everything is ours; after a bare "--" there is no command', () => {
  expect(splitAtDashes(['open'])).toEqual({ own: ['open'], commandLine: null, hasDashes: false });
  expect(splitAtDashes(['open', '--'])).toEqual({ own: ['open'], commandLine: null, hasDashes: true });
});
