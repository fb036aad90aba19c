import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { demo, everything, misbehaving } from '#fixtures/cli/servers.ts';

const patient = { timeout: 20_000 };

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** The params of the one call of a tool, as they went over the wire. */
async function sentParams(): Promise<string | undefined> {
  const records = (await cli.trace())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text?: string });
  const call = records.find(({ text }) => text?.includes('"method":"tools/call"'));
  return call?.text?.replace(/^.*"params":/, '');
}

describe('a call', () => {
  test('of a server that npx starts prints the result, and leaves nothing running', async () => {
    const outcome = await cli.run(['call', 'echo', 'message=hi'], ['npx', 'mcp-server-everything', 'stdio']);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'Echo: hi\n', stderr: '' });
    expect(await cli.leftovers()).toEqual([]);
    expect(await cli.trace()).toContain('Echo: hi');
  });

  test('takes key=value by the types of the input schema', async () => {
    const { stdout, exitCode } = await cli.run(['call', 'get-sum', 'a=1', 'b=2.50'], everything);
    expect(stdout).toBe('The sum of 1 and 2.5 is 3.5.\n');
    expect(exitCode).toBe(0);
    expect(await sentParams()).toContain('"arguments":{"a":1,"b":2.50}');
  });

  test('takes key:=JSON and --args as they are written, beyond what a number can hold', async () => {
    await cli.run(['call', 'echo', 'message:=12345678901234567890'], misbehaving());
    expect(await sentParams()).toContain('"arguments":{"message":12345678901234567890}');
    const other = await Cli.open();
    await other.run(['call', 'echo', '--args', '{"message": 1.50, "message": 2}'], misbehaving());
    expect(await other.trace()).toContain(String.raw`\"arguments\":{\"message\": 1.50, \"message\": 2}`);
    await other.close();
  });

  test('is not falsified by a variable with the name of a secret and a plain word as its value', async () => {
    const call = ['call', 'echo', 'message=a text of content', '--json'];
    const plain = await cli.run(call, misbehaving());
    const named = ['API_TOKEN=text', 'MY_SECRET=content', 'DB_PASSWORD=jsonrpc', 'AUTH_KEY=result'];
    const words = await Cli.open();
    const { exitCode, stdout } = await words.run(
      [...call, ...named.flatMap((one) => ['--env', one])],
      misbehaving(),
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: plain.exitCode, stdout: plain.stdout });
    expect(stdout).toContain('a text of content');
    expect(await words.trace()).not.toContain('[secret ');
    await words.close();
  });

  test('is not made when a value does not fit its type, and says how to send it', async () => {
    const { exitCode, stderr } = await cli.run(['call', 'get-sum', 'a=one', 'b=2'], everything);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`a:='"one"'`);
    expect(await sentParams()).toBeUndefined();
  });

  test('of a tool nobody listed is made all the same, and the answer of the server decides', async () => {
    const { exitCode, stderr } = await cli.run(['call', 'no_such_tool', 'n=1'], misbehaving());
    expect(exitCode).toBe(1);
    expect(stderr).toContain('lists no usable tool "no_such_tool"');
    expect(stderr).toContain('error -32602 (Invalid params): Unknown tool: no_such_tool');
    expect(await sentParams()).toContain('"arguments":{"n":"1"}');
  });

  test('of a destructive tool is made without a further question, as naming it is the consent', async () => {
    const { exitCode, stdout, stderr } = await cli.runOnTerminal(['call', 'delete_notes'], demo);
    expect({ exitCode, stdout: stdout.trim(), stderr }).toEqual({
      exitCode: 0,
      stdout: 'Deleted 1 notes.',
      stderr: '',
    });
    const trace = await cli.trace();
    expect(trace).toContain(String.raw`"method\":\"tools/call\"`);
    expect(trace).toMatch(/delete_notes.{0,900}destructiveHint\\":true/);
  });

  test('hands the server the variables and the folder of the command line', async () => {
    const server = ['node', '-e', 'console.error(process.cwd(), process.env.ONE, process.env.TWO)'];
    await cli.run(['call', 'x', '--cwd', cli.folder, '--env', 'ONE=a=b', '--env', 'TWO='], server);
    expect(await cli.trace()).toContain(`"text":"${cli.folder} a=b "`);
  });
});

describe('a secret of the server', () => {
  const printing = [
    'node',
    '-e',
    'console.error(process.env.FROM_HERE, process.env.API_KEY, process.env.PORT)',
  ];

  test('is neither in the process list nor in the trace', async () => {
    const options = ['--secret-env', 'FROM_HERE=$PLANTED', '--env', 'PORT=8080'];
    const args = ['call', 'x', ...options, '--', ...printing];
    await cli.runBare(args, { PLANTED: 'hunter2222' });
    expect(args.join()).not.toContain('hunter2222');
    const trace = await cli.trace();
    expect(trace).not.toContain('hunter2222');
    expect(trace).toMatch(/"text":"\[secret env:FROM_HERE, 10 characters, [0-9a-f]{8}\] undefined 8080"/);
  });

  test('is one when the name of a variable of --env says so', async () => {
    await cli.run(['call', 'x', '--env', 'API_KEY=hunter2222', '--env', 'PORT=8080'], printing);
    const trace = await cli.trace();
    expect(trace).not.toContain('hunter2222');
    expect(trace).toMatch(/"text":"undefined \[secret env:API_KEY, 10 characters, [0-9a-f]{8}\] 8080"/);
  });
});

describe('a result', () => {
  test('is text as text, and everything else in a line each', async () => {
    const { stdout } = await cli.run(['call', 'mix_content'], demo);
    expect(stdout.split('\n')).toEqual([
      'Five more blocks follow.',
      expect.stringMatching(/^\[image: image\/png, [\d.]+ kB\]$/),
      expect.stringMatching(/^\[audio: audio\/wav, [\d.]+ kB\]$/),
      '[resource link: clock, demo://clock, application/json]',
      expect.stringMatching(/^\[resource: demo:\/\/welcome, text\/markdown, \d+ characters\]$/),
      'That was all.',
      '',
    ]);
  });

  test('without content is shown by its structured content, exactly as it was written', async () => {
    const { stdout } = await cli.run(['call', 'echo', 'message=x'], misbehaving('exact-numbers'));
    expect(stdout).toBe('{"big":12345678901234567890,"twice":1,"twice":2}\n');
  });

  test('with --json is the whole result exactly as received', async () => {
    const { stdout } = await cli.run(['call', 'echo', 'message=x', '--json'], misbehaving('exact-numbers'));
    expect(stdout).toBe(
      '{"content":[],"structuredContent":{"big":12345678901234567890,"twice":1,"twice":2}}\n',
    );
  });

  test('of 20 MB comes whole', async () => {
    const { stdout } = await cli.run(['call', 'make_text', 'kilobytes=20000', '--json'], demo);
    const { content } = JSON.parse(stdout) as { content: { text: string }[] };
    expect(content[0]?.text).toHaveLength(20_000 * 1024);
  });

  test('never gives the terminal a control character', async () => {
    const { stdout } = await cli.run(['call', 'echo', 'message=a\x1b[31mb\x9bc\r\n\td'], misbehaving());
    expect(stdout).toBe('Echo: a\\x1b[31mb\\x9bc\\x0d\n\td\n');
  });

  test.skipIf(process.platform !== 'linux')('as JSON is safe on a terminal and still the same', async () => {
    const { stdout } = await cli.runOnTerminal(['call', 'echo', 'message=a\x9bc', '--json'], misbehaving());
    expect(stdout).toContain(String.raw`Echo: a\u009bc`);
    expect(stdout).not.toContain('\x9b');
  });

  test('that the tool calls a failure is printed, and the command ends with 1', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['call', 'fail', 'reason=no steam'], demo);
    expect(exitCode).toBe(1);
    expect(stdout).toBe('The tool failed: no steam.\n');
    expect(stderr).toContain('the tool says that it failed');
  });

  test('that is a protocol error is distinguished, as text and as JSON', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['call', 'fail_with_protocol_error', '--json'], demo);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('the server answered with error -32603 (Internal error)');
    expect(stderr).toContain('"hint"');
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32603, data: { hint: expect.any(String) } } });
  });
});

describe('progress', () => {
  test('goes to stderr when it is asked for', async () => {
    const words = ['call', 'count_slowly', 'steps=3', 'interval=1'];
    const { stdout, stderr } = await cli.run([...words, '--progress'], demo);
    expect(stdout).toBe('Counted to 3.\n');
    expect(stderr).toBe('progress 1/3  Step 1 of 3\nprogress 2/3  Step 2 of 3\nprogress 3/3  Step 3 of 3\n');
    expect(await cli.run(words, demo)).toMatchObject({ stdout, stderr: '' });
  });

  test.skipIf(process.platform !== 'linux')('is one line written over on a terminal', async () => {
    const { stdout } = await cli.runOnTerminal(['call', 'count_slowly', 'steps=2', 'interval=1'], demo);
    expect(stdout).toBe(
      '\rprogress 1/2  Step 1 of 2\x1b[K\rprogress 2/2  Step 2 of 2\x1b[K\r\x1b[KCounted to 2.\r\n',
    );
  });
});

describe('a server that cannot be reached', () => {
  test.each([
    ['is not there', ['no-such-command-here'], 'was not found', /why: [^]*next: [^]*evidence:/],
    [
      'ends at once',
      misbehaving('exit-before-initialize'),
      'DATABASE_URL is not set',
      /why: [^]*exit code 1[^]*next: [^]*evidence:/,
    ],
    ['speaks no revision of ours', misbehaving('unknown-version'), '2031-01-01', /2025-11-25/],
  ])('because it %s: what, why, what to do, the evidence, and 3', async (_, server, what, more) => {
    const { exitCode, stdout, stderr } = await cli.run(['call', 'echo', '--json'], server);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(what);
    expect(stderr).toMatch(more);
    expect(JSON.parse(stdout)).toMatchObject({ fault: { what: expect.stringContaining(what) } });
  });

  test('because it is silent is given up after --timeout', async () => {
    const { exitCode, stderr } = await cli.run(
      ['call', 'echo', '--timeout', '200ms'],
      misbehaving('silent-initialize'),
    );
    expect(exitCode).toBe(3);
    expect(stderr).toContain('did not answer initialize within 0.2 s');
  });

  test('any more, because it left, is no failure to connect', async () => {
    const { exitCode, stderr } = await cli.run(
      ['call', 'echo', 'message=x'],
      misbehaving('exit-after-initialize'),
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('ended by itself with exit code 3');
    expect(stderr).toContain('fatal: the cache is corrupt');
  });
});

describe.skipIf(process.platform !== 'linux')('asked to end', () => {
  test('on Ctrl-C the call is cancelled, then everything ends', async () => {
    const run = cli.start(['call', 'count_slowly', 'steps=1000', '--progress'], demo);
    await run.printedText('progress 1/1000');
    run.child.kill('SIGINT');
    const { exitCode, stdout, stderr } = await run.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain('interrupted');
    expect(await cli.leftovers()).toEqual([]);
    const trace = await cli.trace();
    expect(trace).toContain('notifications/cancelled');
    expect(trace).toContain('count_slowly: cancelled after');
    expect(trace.trim().split('\n').at(-1)).toContain('"phase":"closed"');
  });

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'by %s, nothing is left of a server that will not end',
    async (signal) => {
      const run = cli.start(
        ['call', 'echo', '--timeout', '60s'],
        misbehaving('ignores-sigterm', 'silent-initialize'),
      );
      await expect.poll(() => cli.leftovers(), patient).toHaveLength(1);
      run.child.kill(signal);
      expect(await run.ended).toMatchObject({ exitCode: 130, signal: null });
      expect(await cli.leftovers()).toEqual([]);
    },
  );

  test('again, it ends at once and still takes the server along', async () => {
    const run = cli.start(['call', 'hang'], misbehaving('ignores-sigterm', 'hang'));
    await expect.poll(() => cli.leftovers(), patient).toHaveLength(1);
    run.child.kill('SIGINT');
    await run.printedText('interrupted');
    // Signals that come close together count as one, so it is asked again until it obeys.
    const insist = () => {
      run.child.kill('SIGINT');
      return run.child.exitCode;
    };
    await expect.poll(insist, patient).toBe(130);
    await expect.poll(() => cli.leftovers(), patient).toEqual([]);
    // The server was not waited for: its end is not on record.
    expect(await cli.trace()).not.toContain('"phase":"closed"');
  });
});
