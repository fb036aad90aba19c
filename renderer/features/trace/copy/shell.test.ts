import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellWord } from './shell.ts';

/** What a program is handed when a shell reads these words. */
function argumentsOf(shell: string, words: readonly string[]): string[] {
  const line = `printf '%s\\0' ${words.join(' ')}`;
  return execFileSync(shell, ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const dangerous = [
  "it's",
  '$(touch /tmp/x)',
  '`id`',
  '!!',
  'a\nb; id',
  '\u001b[201~id\n',
  "\\'; id; '",
  '',
  '=ls',
  '~',
  '*',
  '-x',
  'é\u202egpj',
  '\u00851',
];

test('a shell hands every word on as it is, and runs nothing in it', () => {
  expect(argumentsOf('bash', dangerous.map(shellWord))).toEqual(dangerous);
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom(...'ab\\\'"$`!\n\t\u001b\u007f é({*?~=') }), {
        minLength: 1,
        maxLength: 20,
      }),
      (words) => {
        expect(argumentsOf('bash', words.map(shellWord))).toEqual(words);
      },
    ),
    { numRuns: 40 },
  );
});

test('no control character reaches the terminal that it is pasted into', () => {
  for (const word of dangerous) expect(shellWord(word)).not.toMatch(/[\0-\x1f\x7f-\x9f\u202e]/);
});

test('plain words stay as they are', () => {
  for (const word of ['node', './a/b.ts', 'key=value', '--url', 'http://127.0.0.1:3000/mcp']) {
    expect(shellWord(word)).toBe(word);
  }
});
