import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { misbehaving } from '#fixtures/cli/servers.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

test.each([
  [['list', 'tools'], 'a server is needed'],
  [['list', 'tools', '--'], 'after "--"'],
  [['call', '--', 'server'], 'missing required argument'],
  [['call', 'echo', 'a=1', '--args', '{}', '--', 'server'], 'not both'],
  [['record', '--what', '--', 'server'], 'unknown option'],
  [['list', 'tools', '--url', 'http://127.0.0.1:1/mcp', '--', 'server'], 'not by both'],
  [['list', 'tools', '--url', '127.0.0.1:1/mcp'], 'begins with http:// or https://'],
  [['list', 'tools', '--header', 'X-A: 1', '--', 'server'], '--header goes with --url only'],
  [
    ['record', '--era', 'ancient', '--', 'server'],
    '--era wants one of: auto, legacy, modern; it is "ancient"\n',
  ],
  [['open', '--revision', '2025-06-18'], 'none is named'],
  [['open', '--answer-delay', '1s'], '--answer-delay is about a server, and none is named'],
  [['call', 'x', '--answer', 'ping={}', '--', 'server'], 'sampling, elicitation, roots'],
  [['request', '--', 'server'], 'missing required argument'],
])('%j cannot be followed: it says why, and ends with 2', async (args, why) => {
  const { exitCode, stdout, stderr } = await cli.runBare(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(why);
  expect(stdout).toBe('');
});

const long = 'x'.repeat(3000);

test.each([
  [['list', 'tools', '--root', 'nonsense', '--', 'server'], '--root', 'it is "nonsense"', 'file://'],
  [['list', 'tools', '--log-level', 'loud', '--', 'server'], '--log-level', 'it is "loud"', 'debug, info,'],
  [['call', 'echo', '--args', '[1]', '--', 'server'], '--args', 'it is "[1]"', 'a JSON object'],
  [['call', 'echo', '--args', '{"a":', '--', 'server'], '--args', 'it is "{"a":"', 'a JSON object'],
  [['open', '--web', '--port', '99999'], '--port', 'it is "99999"', 'from 0 to 65535'],
  [['open', '--web', '--port', 'x'], '--port', 'it is "x"', 'from 0 to 65535'],
  [
    ['list', 'tools', '--url', 'http://127.0.0.1:99999/mcp'],
    '--url',
    'it is "http://127.0.0.1:99999/mcp"',
    'from 1 to 65535',
  ],
  [['list', 'tools', '--cwd', '/no/such', '--', 'server'], '--cwd', 'no folder "/no/such"', ''],
  [['record', '-o', '/no/such/a.mcptrace', '--', 'server'], '--out', 'no folder "/no/such"', ''],
])(
  'before anything starts, %j is wrong usage: the option, the value and what is allowed are named',
  async (args, ...said) => {
    const { exitCode, stdout, stderr } = await cli.runBare(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    for (const one of said) expect(stderr).toContain(one);
    // A session would have been recorded.
    expect(await readdir(cli.folder)).toEqual([]);
  },
);

test('credentials in a wrong address are not repeated', async () => {
  const { stderr } = await cli.runBare([
    'list',
    'tools',
    '--url',
    'http://me:hunter2222@h:99999/?token=hunter2222',
  ]);
  expect(stderr).toContain('it is "http://…@h:99999/?…"');
  expect(stderr).not.toContain('hunter2222');
});

test.each([
  [['record', '--jsn', '--', 'server'], 'Did you mean --json?'],
  [['list', 'tools', '--capabilites', '{}', '--', 'server'], 'Did you mean --capabilities?'],
  [['list', 'tools', '--params', '{}', '--', 'server'], 'It is an option of request.'],
  [['record', '--nonsense', '--', 'server'], '"sightglass record --help" lists the options.'],
  [['--nonsense'], '"sightglass open --help" lists the options.'],
  [['lst', 'tools', '--', 'server'], 'did you mean list?'],
  [['exprot', 'a.mcptrace'], 'did you mean export?'],
])('%j gets a hint', async (args, hint) => {
  const { exitCode, stderr } = await cli.runBare(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(hint);
});

test.each([
  [['list', long, '--', 'server']],
  [[long]],
  [['list', 'tools', `--${long}`, '--', 'server']],
  [['list', 'tools', '--timeout', long, '--', 'server']],
  [['list', 'tools', '--root', long, '--', 'server']],
  [['list', 'tools', '--url', long]],
  [['list', 'tools', '--env', long, '--', 'server']],
  [['list', 'tools', '--url', 'http://127.0.0.1:1/', '--header', `${long} ${long}: 1`]],
  [['call', 'echo', long, '--', 'server']],
  [['call', 'echo', '--args', long, '--', 'server']],
  [['call', 'echo', '--meta', `@${long}`, '--', 'server']],
  [['call', 'echo', '--answer', long, '--', 'server']],
  [['open', `${long}.mcptrace`]],
])('a long argument is cut in the message (case %#)', async (args) => {
  const { exitCode, stderr } = await cli.runBare(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('characters)');
  expect(stderr.length).toBeLessThan(500);
});

test.each(['open', 'list', 'call', 'request', 'record', 'export', 'doctor'])(
  'the help of %s lists the codes that it ends with',
  async (command) => {
    const { exitCode, stdout } = await cli.runBare([command, '--help']);
    expect(exitCode).toBe(0);
    const [, lines = ''] = stdout.split('\nExit codes:\n');
    const codes = [...lines.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code));
    const hasFindings = command !== 'open' && command !== 'doctor';
    expect(codes).toEqual([0, ...(hasFindings ? [1] : []), 2, 3, 4, 130]);
  },
);

test('the help of list names the members that --json prints', async () => {
  const [help, list] = await Promise.all([
    cli.runBare(['list', '--help']),
    cli.run(['list', 'tools', '--json'], misbehaving('malformed-tools')),
  ]);
  const words = help.stdout.replaceAll(/\s+/g, ' ');
  const { tools, ...members } = JSON.parse(list.stdout) as { tools: object[] };
  const named = [...Object.keys(members), 'usable', 'why'];
  for (const name of named) expect(words).toContain(`"${name}"`);
  expect(tools[1]).toMatchObject({ usable: false, why: expect.any(String) });
});

test.skipIf(process.platform !== 'linux')(
  'an output that takes nothing more is told in a sentence, and leaves no server',
  async () => {
    const { exitCode, stderr } = await cli.runInto('/dev/full', ['record'], misbehaving('stops-reading'));
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^sightglass: the output cannot be written: ENOSPC[^\n]*\n$/);
  },
);

test.skipIf(process.platform === 'win32')(
  'asked a second time it ends at once, and leaves no server',
  async () => {
    // A server that has to be killed: without the second signal its end is waited for.
    const stubborn =
      "console.error('pid=' + process.pid); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    // Behind npm one Ctrl-C comes twice.
    const run = cli.startBare(['record', '--', process.execPath, '-e', stubborn], {
      npm_lifecycle_event: undefined,
    });
    await run.printedText('pid=');
    run.child.kill('SIGINT');
    // Two signals of one kind could be delivered as one.
    run.child.kill('SIGTERM');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(130);
    const pid = Number(/pid=(\d+)/.exec(stdout)?.[1]);
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
  },
);

test('a data folder that cannot be created is reported, not thrown', async () => {
  const { exitCode, stderr } = await cli.runBare(['list', 'tools', '--', 'server'], {
    SIGHTGLASS_HOME: '/dev/null/x',
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('The data folder /dev/null/x cannot be created');
  expect(stderr).not.toContain('    at ');
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
