import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { joinCommandLine, leadingAssignments, splitCommandLine } from './command-line.ts';

const words = (line: string) => splitCommandLine(line).words;

describe('splitting a command line', () => {
  test.each([
    ['npx -y @scope/server stdio', ['npx', '-y', '@scope/server', 'stdio']],
    ['  node\t server.js \n', ['node', 'server.js']],
    [`node 'a b' "c d" e\\ f`, ['node', 'a b', 'c d', 'e f']],
    [`x 'it'\\''s' "say \\"hi\\"" "a\\b"`, ['x', "it's", 'say "hi"', 'a\\b']],
    [`run '' ""`, ['run', '', '']],
    [`--name="two words"x`, ['--name=two wordsx']],
    ['docker run \\\n  -i image', ['docker', 'run', '-i', 'image']],
    [`sh -c 'echo $HOME | cat'`, ['sh', '-c', 'echo $HOME | cat']],
    ['', []],
  ])('%j gives %j', (line, expected) => {
    expect(splitCommandLine(line)).toEqual({ words: expected, error: null, unexpanded: [] });
  });

  test('says what is never closed, and still shows the words so far', () => {
    expect(splitCommandLine(`node 'a b`)).toMatchObject({ words: ['node', 'a b'] });
    expect(splitCommandLine(`node 'a b`).error).toContain("'");
    expect(splitCommandLine(`node "a b`).error).toContain('"');
    expect(splitCommandLine('node a\\').error).toContain('\\');
  });

  test('names shell syntax that no shell will expand', () => {
    expect(splitCommandLine('cat ~/x $HOME "${A}" | tee && ls').unexpanded).toEqual([
      '~',
      '$HOME',
      '${A}',
      '|',
      '&&',
    ]);
    expect(splitCommandLine(`echo '$HOME' a~b \\$x`).unexpanded).toEqual([]);
  });

  test('on Windows a backslash belongs to the path', () => {
    const line = '"C:\\Program Files\\nodejs\\node.exe" C:\\work\\server.js --name "a \\"b\\""';
    expect(splitCommandLine(line, { isWindows: true }).words).toEqual([
      'C:\\Program Files\\nodejs\\node.exe',
      'C:\\work\\server.js',
      '--name',
      'a "b"',
    ]);
  });

  test('gives the words a real shell gives', () => {
    const print = `process.stdout.write(JSON.stringify(process.argv.slice(1)))`;
    for (const line of [`a 'b c' "d \\" e" f\\ g ''`, `x"y"'z' \\\\ "a\\nb" "\\\\"`, `"a\\\nb" --k=v\\'`]) {
      const shell = execFileSync('sh', ['-c', `"$NODE" -e '${print}' -- ${line}`], {
        env: { NODE: process.execPath },
        encoding: 'utf8',
      });
      expect(words(line)).toEqual(JSON.parse(shell));
    }
  });
});

test('joined words split into the same words again', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (argv) => {
      expect(splitCommandLine(joinCommandLine(argv))).toEqual({ words: argv, error: null, unexpanded: [] });
    }),
  );
});

test('joined words split into the same words again on Windows', () => {
  const word = fc.stringMatching(/^[\w :.-]*$/);
  fc.assert(
    fc.property(fc.array(word), (argv) => {
      const isWindows = { isWindows: true };
      expect(splitCommandLine(joinCommandLine(argv, isWindows), isWindows).words).toEqual(argv);
    }),
  );
});

test('plain words are joined without quotation marks', () => {
  expect(joinCommandLine(['npx', '-y', '@scope/server', 'a b'])).toBe(`npx -y @scope/server 'a b'`);
});

test('assignments before the command are found', () => {
  expect(leadingAssignments(words(`A=1 B="x y" node C=3`))).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: 'x y' },
  ]);
  expect(leadingAssignments(words('node A=1'))).toEqual([]);
});
