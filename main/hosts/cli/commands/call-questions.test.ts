import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { everything, modern, legacyServer } from '#fixtures/cli/servers.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const named = '{"action":"accept","content":{"name":"Ada"}}';
const said = '{"role":"assistant","content":{"type":"text","text":"Four"},"model":"none"}';
const answers = ['--answer', `elicitation=${named}`, '--answer', `sampling=${said}`];

describe('what the server asks', () => {
  test('is answered by rules, in one call after another, legacy era', async () => {
    const words = ['call', 'nested', ...answers, '--root', 'file:///work=Work'];
    const { exitCode, stdout, stderr } = await cli.run(words, legacyServer);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      { result: JSON.parse(said) as object },
      { result: JSON.parse(named) as object },
      { result: { roots: [{ uri: 'file:///work', name: 'Work' }] } },
    ]);
  });

  test('is answered by rules, round by round, modern era', async () => {
    const words = ['call', 'ask-rounds', 'rounds=4', ...answers, '--answer-delay', '20ms'];
    const { exitCode, stdout } = await cli.run(words, modern);
    expect(exitCode).toBe(0);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['round-1', 'round-2', 'round-3', 'round-4']);
  });

  test('is declined and printed without a terminal, and the call ends', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['call', 'ask-elicitation'], legacyServer);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ result: { action: 'decline' } });
    expect(stderr).toContain('the server asks elicitation/create: Please fill all of this in.');
    expect(stderr).toContain(
      `nobody is there to answer, so that was declined; to answer: --answer 'elicitation=`,
    );
  });

  test('of a model is refused with an error then, which a round of the modern era does not survive', async () => {
    const legacy = await cli.run(['call', 'ask-sampling'], legacyServer);
    expect(JSON.parse(legacy.stdout)).toMatchObject({ error: { code: -1 } });
    expect(legacy.stderr).toContain('sampling/createMessage: What is the capital of France?');
    const rounds = await cli.run(['call', 'ask-two', '--answer', `elicitation=${named}`], modern);
    expect(rounds).toMatchObject({ exitCode: 1, stdout: '' });
    expect(rounds.stderr).toContain('its question "opinion" was answered with an error');
  });

  test('is declined too when the rule finds nothing to answer with', async () => {
    const { exitCode, stdout, stderr } = await cli.run(
      ['call', 'ask-elicitation', '--answer', 'elicitation=defaults', '--answer-delay', '10ms'],
      legacyServer,
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ result: { action: 'decline' } });
    expect(stderr).toContain('nothing follows from it by itself');
  });

  test('is nothing when no capability is announced', async () => {
    const { exitCode, stdout } = await cli.run(['call', 'ask-roots', '--capabilities', 'none'], legacyServer);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: 'The client did not announce the capability roots.\n',
    });
  });

  test('cannot be answered when it is an address to open first: it is printed', async () => {
    const { exitCode, stderr } = await cli.run(['call', 'needs-url'], legacyServer);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'before the call is repeated, the server wants this page opened: Please sign in',
    );
    expect(stderr).toContain('https://sign-in.invalid/');
  });

  test('of a server of the official SDK is answered', async () => {
    const { exitCode, stdout } = await cli.run(
      ['call', 'trigger-sampling-request', 'prompt=two+two', '--answer', `sampling=${said}`],
      everything,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Four');
  });
});

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  const type = (run: CliRun, line: string) => run.child.stdin?.write(`${line}\n`);

  test('the question is put to the user, who may try again', async () => {
    const run = cli.startOnTerminal(['call', 'ask-elicitation', 'message=Who\x1b[2J?'], legacyServer);
    await run.printedText('d to decline, c to cancel');
    expect(run.stdout).toContain('The server asks elicitation/create: Who\\x1b[2J?');
    expect(run.stdout).not.toContain('\x1b[2J');
    type(run, 'Ada');
    await run.printedText('is not a JSON object');
    type(run, named);
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`{"result":${named}}`);
  });

  test.each([
    ['d', '{"result":{"action":"decline"}}'],
    ['c', '{"result":{"action":"cancel"}}'],
  ])('%s is an answer', async (line, result) => {
    const run = cli.startOnTerminal(['call', 'ask-elicitation'], legacyServer);
    await run.printedText('d to decline, c to cancel');
    type(run, line);
    expect((await run.ended).stdout).toContain(result);
  });

  test('a question that the server takes back is not waited for', async () => {
    const run = cli.startOnTerminal(['call', 'ask-and-cancel', 'milliseconds=300'], legacyServer);
    await run.printedText('d to decline, c to cancel');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('{"cancelled":true}');
  });
});

describe.skipIf(process.platform !== 'linux')('asked to end', () => {
  test('while a question waits, the call is cancelled', async () => {
    const run = cli.start(['call', 'ask-elicitation', ...answers, '--answer-delay', '10m'], legacyServer);
    await expect.poll(() => cli.trace().catch(() => ''), { timeout: 20_000 }).toContain('elicitation/create');
    run.child.kill('SIGINT');
    expect((await run.ended).exitCode).toBe(130);
    expect(await cli.trace()).toContain('notifications/cancelled');
    expect(await cli.leftovers()).toEqual([]);
  });
});
