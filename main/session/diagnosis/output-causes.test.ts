import { expect, test } from 'vitest';
import { crashIn } from '#trace/crash-in-output.ts';
import { causeInOutput } from './output-causes.ts';

test.each<readonly [what: string, output: string, why: string, next: RegExp]>([
  [
    'a crash of Node',
    'file:///srv/server.js:3\n  throw new TypeError("x is not a function");\n\nTypeError: x is not a function\n    at main (server.js:3:1)',
    'It failed as it started: TypeError: x is not a function',
    /stack trace is in the evidence/,
  ],
  [
    'a crash of Python',
    'Traceback (most recent call last):\n  File "server.py", line 1, in <module>\n    main()\nValueError: bad port',
    'It failed as it started: ValueError: bad port',
    /stack trace/,
  ],
  [
    'a crash of Go',
    'panic: no config\n\ngoroutine 1 [running]:',
    'It failed as it started: panic: no config',
    /stack/,
  ],
  [
    'a crash of Rust',
    "thread 'main' panicked at src/main.rs:4:5:\nno config",
    "It failed as it started: thread 'main' panicked at src/main.rs:4:5: no config",
    /stack/,
  ],
  [
    'a crash of Java',
    'Exception in thread "main" java.lang.IllegalStateException: no config\n\tat Main.main(Main.java:3)',
    'It failed as it started: java.lang.IllegalStateException: no config',
    /stack/,
  ],
  [
    'a missing package',
    "Error: Cannot find module 'express'\n    at resolve",
    'The package express is not installed where the server looks for it.',
    /npm install/,
  ],
  [
    'a missing file',
    "Error: Cannot find module '/srv/dist/index.js'\n    at resolve",
    'Node found no file /srv/dist/index.js.',
    /built/,
  ],
  [
    'a missing script of Python',
    "python3: can't open file '/srv/server.py': [Errno 2] No such file or directory",
    'Python found no file /srv/server.py.',
    /working folder/,
  ],
  [
    'a missing module of Python',
    'Traceback (most recent call last):\n  File "s.py", line 1\nModuleNotFoundError: No module named \'mcp\'',
    'The Python module mcp is not installed for the interpreter that runs the server.',
    /virtual environment/,
  ],
  [
    'a usage',
    'usage: server [-h] {stdio,http}\n',
    'It printed how it is used: an argument is missing, or it does not know one.',
    /usage/,
  ],
  [
    'an option that a GNU tool does not know',
    "ls: unrecognized option '--stdio'\nTry 'ls --help' for more information.",
    'It printed how it is used: an argument is missing, or it does not know one.',
    /usage/,
  ],
  [
    'an unknown option',
    'error: unknown option --stdoi',
    'It printed how it is used: an argument is missing, or it does not know one.',
    /usage/,
  ],
  [
    'a missing variable',
    'fatal: the variable DATABASE_URL is not set',
    'It says that the variable DATABASE_URL is missing.',
    /^Set DATABASE_URL /,
  ],
  [
    'a missing variable, named last',
    'Missing required environment variable: GITHUB_TOKEN',
    'It says that the variable GITHUB_TOKEN is missing.',
    /^Set GITHUB_TOKEN /,
  ],
  [
    'a missing variable that crashes it',
    'Error: API_KEY is required\n    at main (server.js:3:1)',
    'It ended with: Error: API_KEY is required',
    /^Set API_KEY /,
  ],
  [
    'a missing interpreter',
    '/usr/bin/env: ‘node18’: No such file or directory',
    'Its first line names the interpreter node18, which is not on the PATH of the process.',
    /Install node18/,
  ],
  ...[
    '/usr/bin/env: ‘node\\r’: No such file or directory\n/usr/bin/env: use -[v]S to pass options in shebang lines',
    "/usr/bin/env: 'node\\r': No such file or directory",
    "env: can't execute 'node\r': No such file or directory",
    'env: node\r: No such file or directory',
    "/usr/bin/env: $'node\\r': No such file or directory",
    'bash: ./server: /usr/bin/node^M: bad interpreter: No such file or directory',
    'zsh: ./server: bad interpreter: /usr/bin/node^M: no such file or directory',
  ].map(
    (output) =>
      [
        `a first line with a carriage return in ${JSON.stringify(output)}`,
        output,
        'The first line of the script ends with a carriage return (Windows line ends), so an interpreter is looked for whose name is node and that character.',
        /Unix line ends.*through its interpreter: node FILE$/,
      ] as const,
  ),
  ...[
    "./run.sh: line 2: $'\\r': command not found",
    './run.sh: 2: \r: not found',
    'sh: 1: set: Illegal option -\r',
  ].map(
    (output) =>
      [
        `a shell script with carriage returns in ${JSON.stringify(output)}`,
        output,
        'It is a shell script whose lines end with a carriage return (Windows line ends), which the shell takes as part of each command.',
        /Unix line ends/,
      ] as const,
  ),
  [
    'a missing command',
    'sh: 1: tsx: not found',
    'It starts the command tsx, which was not found.',
    /Install tsx/,
  ],
  [
    'a question of npx',
    'Need to install the following packages:\nserver@1.0.0\nOk to proceed? (y) ',
    'npx asks whether it may install the package, and waits for an answer.',
    /npx -y/,
  ],
  [
    'an unknown package',
    'npm error code E404\nnpm error 404 Not Found',
    'npm does not know this package or version (E404).',
    /name/,
  ],
  [
    'a port in use',
    'Error: listen EADDRINUSE: address already in use :::3000\n    at x',
    'It wants to listen on a port that another process uses.',
    /another port/,
  ],
])('recognizes %s', (_, output, why, next) => {
  expect(causeInOutput(output)).toEqual({ why, next: expect.stringMatching(next) });
});

test('takes the error of the last stack trace, in any language, without hidden characters', () => {
  const first = 'Error: of a logged error\n    at x\n';
  expect(
    crashIn(`${first}TypeError: the last \u0007\u200b\u202e\u001b[31mred\u001b[39m one\n    at y\n`),
  ).toBe('TypeError: the last red one');
  expect(crashIn(`${first}Traceback (most recent call last):\n  File "x"\nKeyError: 1`)).toBe('KeyError: 1');
  expect(crashIn(`panic: before\n${first}`)).toBe('Error: of a logged error');
  expect(crashIn('Error: without a stack trace')).toBeNull();
});

test.each(['', 'Listening on port 3000', 'Server started at 12:00', '{"jsonrpc":"2.0"}', 'loaded 3 tools'])(
  'finds no cause in %j',
  (output) => {
    expect(causeInOutput(output)).toBeNull();
  },
);

test('reads a long output in no time', () => {
  const began = performance.now();
  for (const line of ['Error: x\n', 'A_B '.repeat(100), '  at x\n', 'a: '.repeat(300)])
    causeInOutput(line.repeat(100).slice(0, 30_000));
  expect(performance.now() - began).toBeLessThan(1000);
});
