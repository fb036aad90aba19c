import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
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
