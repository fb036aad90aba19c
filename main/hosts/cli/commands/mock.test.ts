import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { everything } from '#fixtures/cli/servers.ts';

let folder: string;
let cli: Cli;
let trace: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-mock-'));
  cli = await Cli.open();
  trace = join(folder, 'echo.mcptrace');
  await writeFile(
    join(folder, 'calls.mcptest.yaml'),
    'version: 1\nsteps:\n  - { name: one, call: echo, arguments: { message: hi } }\n  - { name: two, call: get-sum, arguments: { a: 1, b: 2 } }\n',
  );
  // With roots, the server would ask for them in the middle of a call, and what followed would wait for the answer.
  const silent = ['--capabilities', 'none'];
  await cli.run(['test', join(folder, 'calls.mcptest.yaml'), '--allow-writes', ...silent], everything);
  await writeFile(trace, await cli.trace());
}, 60_000);
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (id: number, name: string, args: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const lines = (...messages: object[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');
/** The responses on standard output, by id; the server also sent notifications. */
const responses = (stdout: string) =>
  parsed(stdout)
    .filter(({ id, method }) => id !== undefined && method === undefined)
    .toSorted((one, other) => Number(one.id) - Number(other.id));
const parsed = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('sightglass mock', () => {
  test('answers on standard output, and says what was requested beside what was answered', async () => {
    const input = lines(call(1, 'echo', { message: 'hi' }), call(2, 'echo', { message: 'ho' }));
    const { stdout, stderr, exitCode } = await cli.startReading(
      ['mock', trace, '--json', '--latency', 'none'],
      input,
    ).ended;
    const [hit, miss] = responses(stdout);
    expect(hit).toMatchObject({ id: 1, result: { content: [{ text: 'Echo: hi' }] } });
    expect(miss).toMatchObject({ id: 2, error: { data: { mock: 'never-recorded' } } });
    const all = parsed(stderr);
    const first = all.find(({ match }) => match === 'exact');
    const second = all.find(({ match }) => match === 'miss');
    expect(first).toMatchObject({ match: 'exact', target: 'echo', recorded: { file: 'echo.mcptrace' } });
    expect(first?.response).toContain('Echo: hi');
    expect(second).toMatchObject({
      match: 'miss',
      differences: [{ path: '$.params.arguments.message', recorded: '"hi"', other: '"ho"' }],
    });
    expect(all.at(-1)).toMatchObject({ clients: 1, exact: 1, misses: 1, unused: [{ target: 'get-sum' }] });
    expect(exitCode).toBe(1);
  });

  test('fails for a call that was not requested only with --unused fail', async () => {
    const input = lines(call(1, 'echo', { message: 'hi' }));
    const warned = await cli.startReading(['mock', trace], input).ended;
    expect(warned.stderr).toMatch(
      /1 recorded call not requested:\n {2}tools\/call get-sum, #\d+ of echo.mcptrace/,
    );
    expect(warned.exitCode).toBe(0);
    const failed = await cli.startReading(['mock', trace, '--unused', 'fail', '--latency', 'none'], input)
      .ended;
    expect(failed.exitCode).toBe(1);
  });

  test('sends on what was not recorded; the new trace beside the first answers it', async () => {
    const more = join(folder, 'more.mcptrace');
    const input = lines(call(1, 'echo', { message: 'hi' }), call(2, 'echo', { message: 'ho' }));
    const recording = ['mock', trace, '--on-miss', 'record', '-o', more, '--log-level', 'emergency'];
    const first = await cli.startReading([...recording, '--', ...everything], input).ended;
    expect(responses(first.stdout)[1]).toMatchObject({ id: 2, result: { content: [{ text: 'Echo: ho' }] } });
    expect(first.stderr).toContain('1 exact answer, 0 inexact, 0 misses, 1 forwarded');
    expect(first.exitCode).toBe(0);
    expect(await readFile(more, 'utf8')).toContain('logging/setLevel');
    const both = await cli.startReading(['mock', trace, more], input).ended;
    expect(responses(both.stdout).map(({ result }) => JSON.stringify(result))).toEqual([
      expect.stringContaining('Echo: hi'),
      expect.stringContaining('Echo: ho'),
    ]);
    expect(both.exitCode).toBe(0);
    const forward = ['mock', trace, '--on-miss', 'forward', '--', ...everything];
    const only = await cli.startReading(forward, lines(call(1, 'echo', { message: 'hu' }))).ended;
    expect(responses(only.stdout)).toMatchObject([{ id: 1, result: { content: [{ text: 'Echo: hu' }] } }]);
    expect(only.exitCode).toBe(0);
  }, 20_000);

  test('serves over HTTP until Ctrl-C', async () => {
    const run = cli.startBare(['mock', trace, '--http', '0', '--json']);
    await run.printedText('"url"');
    const url = String(parsed(run.stdout)[0]?.url);
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const body = JSON.stringify(call(4, 'get-sum', { a: 1, b: 2 }));
    const answer = await fetch(url, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ id: 4, result: {} });
    run.child.kill('SIGINT');
    const { exitCode, stdout } = await run.ended;
    expect(parsed(stdout).slice(1)).toMatchObject([
      { match: 'exact', target: 'get-sum' },
      { exact: 1, misses: 0 },
    ]);
    expect(exitCode).toBe(0);
  });

  test('injects faults: a connection that ends in the middle of an answer', async () => {
    const faults = join(folder, 'faults.yaml');
    await writeFile(faults, 'version: 1\nfaults:\n  - { method: tools/call, name: echo, do: cut }\n');
    const input = lines(call(1, 'echo', { message: 'hi' }));
    const { stdout, stderr } = await cli.startReading(
      ['mock', trace, '--faults', faults, '--seed', '7'],
      input,
    ).ended;
    expect(stdout).toMatch(/\{"(?:jsonrpc|result)[^\n]*$/);
    expect(stdout).not.toContain('"id":1}');
    expect(stderr).toMatch(/1 fault injected:\n {2}cut #\d+ of echo.mcptrace \(line 3\)/);
    await writeFile(faults, 'version: 1\nfaults:\n  - { method: tools/call, do: status, status: 503 }\n');
    const status = await cli.startReading(['mock', trace, '--faults', faults], '').ended;
    expect([status.exitCode, status.stderr]).toEqual([
      2,
      expect.stringContaining('Line 3 of the faults: status'),
    ]);
  });

  test('says what is wrong with its arguments', async () => {
    const wrong = async (...args: string[]) => {
      const { exitCode, stderr } = await cli.startReading(['mock', ...args], '').ended;
      return `${exitCode} ${stderr}`;
    };
    expect(await wrong(trace, '--latency', 'fast')).toMatch(/^2 .*--latency/s);
    expect(await wrong(trace, '--on-miss', 'record', '-o', 'x')).toMatch(/^2 .*needs a server/s);
    expect(await wrong(trace, '--on-miss', 'record', '--', 'node')).toMatch(/^2 .*needs --out/s);
    expect(await wrong(trace, '--bytes', '--match', 'args')).toMatch(/^2 .*--bytes goes without/s);
    expect(await wrong(trace, '--', 'node')).toMatch(/^2 .*--on-miss forward or record/s);
    expect(await wrong(trace, '--log-level', 'debug')).toMatch(/^2 .*--log-level is for the server/s);
    expect(await wrong(join(folder, 'calls.mcptest.yaml'))).toMatch(/^2 /);
  }, 20_000);
});
