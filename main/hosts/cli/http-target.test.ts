import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { plainValues } from '#fixtures/plain-values.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';

let cli: Cli;
let server: ScriptedHttpServer;
beforeEach(async () => {
  [cli, server] = await Promise.all([Cli.open(), ScriptedHttpServer.open({ era: 'both' })]);
});
afterEach(() => Promise.all([cli.close(), server.close()]));

/** The methods of the messages that came from a place on, in their order. */
const methodsFrom = (place: number) =>
  server.requests.slice(place).flatMap(({ messages }) => messages.map(({ method }) => method));

const withoutTimes = (json: string): string => json.replaceAll(/"readAt":\d+/g, '"readAt":0');

describe('a server at an address', () => {
  test('is listed like one that is started; its era is found out', async () => {
    const outcome = await cli.runBare(['list', 'tools', '--url', server.url]);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toBe('sightglass: the server says the list may be kept for no time, private\n');
    expect(outcome.stdout).toBe('echo [message=<string>]\n    Says back what you say.\n');
    expect(methodsFrom(0)).toEqual(['server/discover', 'tools/list']);
  });

  test('is called with the headers as they were given, and their values stand nowhere in the trace', async () => {
    const headers = ['--header', 'X-Api-Key: hunter2222', '--header', 'X-Empty:'];
    const args = ['call', 'echo', 'message=hi', '--url', server.url, ...headers];
    const outcome = await cli.runBare(args);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'Echo: hi\n', stderr: '' });
    for (const { headers: lines } of server.requests) {
      expect(lines).toContainEqual(['X-Api-Key', 'hunter2222']);
      expect(lines).toContainEqual(['X-Empty', '']);
    }
    const trace = await cli.trace();
    expect(trace).not.toContain('hunter2222');
    expect(trace).toContain('["X-Api-Key","[secret ');
  });

  test('gets plain words in its headers, marked or not, and nothing but their own lines changes', async () => {
    // Every other one is read from a variable, which marks it.
    const variables = Object.fromEntries(plainValues.map((value, place) => [`PLAIN_${place}`, value]));
    const headers = plainValues.flatMap((value, place) => [
      '--header',
      place % 2 === 0 ? `X-Plain-${place}: ${value}` : `X-Plain-${place}=$PLAIN_${place}`,
    ]);
    const commands = [
      ['list', 'tools', '--json'],
      ['call', 'echo', 'message=content', '--json'],
    ];
    for (const command of commands) {
      const plain = await cli.runBare([...command, '--url', server.url]);
      const { exitCode, stdout, stderr } = await cli.runBare(
        [...command, ...headers, '--url', server.url],
        variables,
      );
      expect({ exitCode, stdout: withoutTimes(stdout), stderr }).toMatchObject({
        exitCode: 0,
        stdout: withoutTimes(plain.stdout),
      });
    }
    expect(server.requests.at(-1)?.header('x-plain-1')).toBe(plainValues[1]);

    const trace = join(cli.folder, 'plain.mcptrace');
    const run = cli.startBare(['record', '--json', '-o', trace, ...headers, '--url', server.url], variables);
    await run.printedText('"code":200');
    run.child.kill('SIGINT');
    const recorded = await run.ended;
    expect(recorded.exitCode).toBe(0);
    expect(recorded.stdout).not.toContain('[secret ');
    const written = await readFile(trace, 'utf8');
    expect(written).toContain('["X-Plain-0","jsonrpc"]');
    const own = /\["X-Plain-\d*[13579]","\[secret header:X-Plain-\d+, \d+ characters, \w{8}\]"\]/g;
    expect(written.match(own)?.length).toBeGreaterThanOrEqual(Math.floor(plainValues.length / 2));
    expect(written.replaceAll(own, '')).not.toContain('[secret ');
    // The file can be read again.
    const exported = await cli.runBare(['export', trace, '--to', 'md']);
    expect(exported).toMatchObject({ exitCode: 0 });
    expect(exported.stdout.replaceAll(own, '')).not.toContain('[secret ');
  });

  test('gets a custom header that is marked, whose value stands nowhere in the trace; another one is shown', async () => {
    const token = '9fK2-hushed/Qm7=';
    const given = [
      ['--secret-header', `X-Custom: ${token}`],
      ['--header', 'X-Shown: q7-just-shown-4'],
    ];
    const echoed = await cli.runBare([
      'call',
      'echo',
      `message=${token}`,
      '--url',
      server.url,
      ...given.flat(),
    ]);
    expect(echoed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(server.requests.at(-1)?.header('x-custom')).toBe(token);
    const trace = await cli.trace();
    expect(trace).not.toContain(token);
    expect(trace).toContain('["X-Custom","[secret header:X-Custom, 16 characters, ');
    expect(trace).toContain('["X-Shown","q7-just-shown-4"]');
  });

  test('is spoken to in the era and the revision of the command line', async () => {
    const list = ['list', 'tools', '--url', server.url];
    const legacy = await cli.runBare([...list, '--era', 'legacy', '--revision', '2025-06-18']);
    expect(legacy.exitCode).toBe(0);
    expect(methodsFrom(0)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
    expect(server.requests[0]?.messages[0]?.params).toMatchObject({ protocolVersion: '2025-06-18' });
    const place = server.requests.length;
    expect((await cli.runBare([...list, '--era', 'modern'])).exitCode).toBe(0);
    expect(methodsFrom(place)).toEqual(['tools/list']);
  });

  test('is recorded, headers and all', async () => {
    const run = cli.startBare(['record', '--url', server.url]);
    await run.printedText('← server/discover');
    run.child.kill('SIGINT');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('\ntrace: ');
    expect(await cli.trace()).toContain('"kind":"http-request"');
  });

  test('is followed while its stream stays open, and each exchange has a line for its end', async () => {
    const run = cli.startBare(['record', '--era', 'legacy', '--url', server.url]);
    for (const data of ['first', 'second']) {
      await server.push({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });
      await run.printedText(`info · ${data}`);
    }
    expect(run.stdout).not.toMatch(/← GET/);
    run.child.kill('SIGINT');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^[\d:.]+ → GET +\/mcp$/m);
    expect(stdout).toMatch(/^[\d:.]+ ← GET +\/mcp +cancelled 200 /m);
    expect(stdout.match(/→ POST/g)).toHaveLength(
      stdout.match(/← POST +\/mcp +ok 20[02] {2}[\d.]+ /g)?.length ?? 0,
    );
    expect(stdout).not.toMatch(/pending|receiving/);
  });

  test('has each exchange twice as JSON, the second time as it ended', async () => {
    const run = cli.startBare(['record', '--json', '--url', server.url]);
    await run.printedText('"code":200');
    run.child.kill('SIGINT');
    const { stdout } = await run.ended;
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ kind }) => kind === 'http');
    const discover = rows.filter(({ row }) => row === rows[0]?.row);
    expect(discover).toHaveLength(2);
    expect(discover[1]).toMatchObject({ method: 'POST', status: 'ok', code: 200 });
  });
});

describe('a server that is not there', () => {
  const outOfReach = ['list', 'tools', '--json', '--url', 'http://127.0.0.1:1/mcp'];

  test.each(['auto', 'legacy', 'modern'])(
    'ends with 3 and says what happened and what to do, era %s',
    async (era) => {
      const { exitCode, stdout, stderr } = await cli.runBare([...outOfReach, '--era', era]);
      expect(exitCode).toBe(3);
      expect(stderr).toContain('127.0.0.1');
      expect(stderr).toContain('next: ');
      expect(JSON.parse(stdout)).toMatchObject({ fault: { code: 'http-connect', what: expect.any(String) } });
      expect(await cli.trace()).toContain('"kind":"http-end"');
    },
  );

  test('is recorded anyway', async () => {
    const { exitCode, stdout } = await cli.runBare(['record', '--url', 'http://127.0.0.1:1/mcp']);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('\ntrace: ');
    expect(await cli.trace()).toContain('"kind":"http-end"');
  });
});
