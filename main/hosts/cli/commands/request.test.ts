import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { everything, modern, legacyServer } from '#fixtures/cli/servers.ts';
import { startEverything } from '#fixtures/http/start-server.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { startLegacyServer } from '#fixtures/legacy/start.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** A server that is closed after the test. */
async function untilTheEnd<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

/** Starts a command against a server, however that is reached. */
type Start = (words: readonly string[]) => CliRun;

async function legacyOn(transport: 'stdio' | 'streamable-http' | 'http-sse'): Promise<Start> {
  if (transport === 'stdio') return (words) => cli.start([...words, '--era', 'legacy'], legacyServer);
  const server = await untilTheEnd(startLegacyServer());
  const url = transport === 'http-sse' ? server.sseUrl : server.url;
  const target = ['--url', url, '--transport', transport, '--era', 'legacy'];
  return (words) => cli.startBare([...words, ...target]);
}

async function modernOn(transport: 'stdio' | 'streamable-http'): Promise<Start> {
  if (transport === 'stdio') return (words) => cli.start(words, modern);
  const server = await untilTheEnd(startModernServer());
  return (words) => cli.startBare([...words, '--url', server.url]);
}

const request = (start: Start, method: string, params?: object, ...words: string[]) =>
  start(['request', method, ...(params ? ['--params', JSON.stringify(params)] : []), ...words]).ended;

const greeting = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'language', value: 'g' } };
const form = '{"action":"accept","content":{"name":"Ada"}}';

describe.each(['stdio', 'streamable-http', 'http-sse'] as const)('on %s, a request', (transport) => {
  test.each([
    ['ping', undefined, {}],
    ['resources/read', { uri: 'fixture://bytes' }, { contents: [{ blob: 'AAEC/w==' }] }],
    ['prompts/get', { name: 'plain' }, { messages: [{ role: 'user', content: { text: 'Just this.' } }] }],
    ['completion/complete', greeting, { completion: { values: ['German'] } }],
    ['logging/setLevel', { level: 'debug' }, {}],
    ['tasks/list', undefined, { tasks: [] }],
  ])('%s of the legacy era has its result printed', async (method, params, result) => {
    const { exitCode, stdout, stderr } = await request(await legacyOn(transport), method, params);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(result);
  });
});

describe.each(['stdio', 'streamable-http'] as const)('on %s, a request of the modern era', (transport) => {
  test('is repeated with the input it asks for', async () => {
    const { exitCode, stdout } = await request(
      await modernOn(transport),
      'resources/read',
      { uri: 'fixture://ask' },
      '--answer',
      `elicitation=${form}`,
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain(String.raw`{\"name\":{\"action\":\"accept\"`);
  });

  test('whose response is an error prints its code and data, and ends with 1', async () => {
    const ended = await request(await modernOn(transport), 'resources/read', { uri: 'no:where' }, '--json');
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: -32602, data: { uri: 'no:where' } } });
    expect(ended.stderr).toContain('error -32602 (Invalid params): Resource not found');
    expect(ended.stderr).toContain('"uri": "no:where"');
  });
});

describe('server-everything', () => {
  test('answers on stdio and over HTTP', async () => {
    const server = await untilTheEnd(startEverything('streamableHttp'));
    const [overStdio, overHttp] = await Promise.all([
      cli.run(['request', 'prompts/list'], everything),
      cli.runBare(['request', 'prompts/list', '--url', server.url]),
    ]);
    expect(overStdio.exitCode).toBe(0);
    expect(overStdio.stdout).toContain('"prompts":[');
    expect(overHttp).toEqual(overStdio);
  });

  test('refuses what it does not know', async () => {
    const { exitCode, stderr } = await cli.run(
      ['request', 'coffee/brew', '--params', '{"cups": 2}'],
      everything,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('error -32601 (Method not found)');
    expect(await cli.trace()).toContain(String.raw`\"cups\": 2`);
  });
});

test('a result is printed exactly as it was received', async () => {
  const { stdout } = await cli.run(
    ['request', 'odd', '--era', 'legacy'],
    scripted('{"big":12345678901234567890,"a":1.0,"a":2}'),
  );
  expect(stdout).toBe('{"big":12345678901234567890,"a":1.0,"a":2}\n');
});

describe('what the server tells', () => {
  const subscribe = (uri: string) => ['request', 'resources/subscribe', '--params', JSON.stringify({ uri })];
  const listen = (notifications: object) => [
    'request',
    'subscriptions/listen',
    '--params',
    JSON.stringify({ notifications }),
  ];

  test('of a resource is printed as it comes, and the session stays open until Ctrl-C', async () => {
    const notices = [1, 2].map((n) => updated(`a:${n}`));
    const words = [...subscribe('a:'), '--for', '1m', '--era', 'legacy'];
    const run = cli.start(words, scripted('{}', notices));
    await run.printedText('"a:2"');
    run.child.kill('SIGINT');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '{}',
      expect.stringMatching(/^[\d:.]+ notifications\/resources\/updated \{"uri": "a:1", "n": 1\.0\}$/),
      expect.stringMatching(/^[\d:.]+ notifications\/resources\/updated \{"uri": "a:2", "n": 1\.0\}$/),
      '',
    ]);
  });

  test('is a line of JSON each with --json, as it was received', async () => {
    const words = [...subscribe('a:'), '--for', '1m', '--json', '--era', 'legacy'];
    const run = cli.start(words, scripted('{}', [updated('a:1')]));
    await run.printedText('"a:1"');
    run.child.kill('SIGINT');
    expect((await run.ended).stdout).toBe(`{}\n${updated('a:1')}\n`);
  });

  test('is waited for until the time is over', async () => {
    const words = [...subscribe('a:'), '--for', '100ms', '--era', 'legacy'];
    expect(await cli.run(words, scripted('{}'))).toMatchObject({ exitCode: 0, stdout: '{}\n', stderr: '' });
    expect(await cli.leftovers()).toEqual([]);
  });

  test('over Streamable HTTP comes on the standing stream', async () => {
    const server = await untilTheEnd(startLegacyServer());
    const target = ['--url', server.url, '--era', 'legacy'];
    const run = cli.startBare([...subscribe('fixture://text'), ...target, '--for', '1m']);
    await run.printedText('{}\n');
    const { headers } = await server.state.received.received(
      ({ message }) => message?.method === 'resources/subscribe',
    );
    await touch(server.url, headers ?? []);
    await run.printedText('notifications/resources/updated {"uri":"fixture://text"}');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('on a listen stream is printed as it comes, and the stream is closed on Ctrl-C', async () => {
    const server = await untilTheEnd(startModernServer());
    const wanted = { toolsListChanged: true, resourceSubscriptions: ['fixture://text'] };
    const run = cli.startBare([...listen(wanted), '--url', server.url]);
    await run.printedText(
      'notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true',
    );
    server.state.listens.notifyResource('fixture://text');
    server.state.listens.notifyList('tools');
    await run.printedText('notifications/resources/updated');
    await run.printedText('notifications/tools/list_changed');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    await expect.poll(() => server.state.listens.open).toEqual([]);
  });

  test('on a listen stream is waited for until the time is over', async () => {
    const server = await untilTheEnd(startModernServer());
    const ended = await cli.runBare([...listen({}), '--url', server.url, '--for', '100ms']);
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    await expect.poll(() => server.state.listens.open).toEqual([]);
  });

  test.each([
    ['in order', 'graceful', { exitCode: 0, stdout: expect.stringContaining('"resultType":"complete"') }],
    ['by breaking it off', 'abrupt', { exitCode: 1, stderr: expect.stringContaining('next: ') }],
  ] as const)('on a listen stream is over when the server ends it %s', async (_, how, outcome) => {
    const server = await untilTheEnd(startModernServer());
    const run = cli.startBare([...listen({}), '--url', server.url]);
    await run.printedText('notifications/subscriptions/acknowledged');
    server.state.listens.end(how);
    expect(await run.ended).toMatchObject(outcome);
  });

  test('on a listen stream of stdio ends on Ctrl-C, and the server is notified', async () => {
    const run = cli.start(listen({}), modern);
    await run.printedText('notifications/subscriptions/acknowledged');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await cli.trace()).toContain('notifications/cancelled');
    expect(await cli.leftovers()).toEqual([]);
  });

  test('in a log comes too, at the level that is asked for', async () => {
    const start = await legacyOn('http-sse');
    const words = ['--log-level', 'emergency', '--for', '1s'];
    const { stdout } = await request(start, 'tools/call', { name: 'log', arguments: {} }, ...words);
    expect(stdout).toMatch(
      /^[\d:.]+ notifications\/message \{"level":"emergency"[^\n]*\n\{"content"[^\n]*\n$/,
    );
  });
});

test.each([
  [['request', 'ping', '--params', '[1]'], '--params wants a JSON object'],
  [['request', 'ping', '--params', '@/no/such/file'], '--params: There is no file /no/such/file.'],
  [['request', 'ping', '--meta', '1'], '--meta wants a JSON object'],
  [['request', 'ping', '--for', 'ever'], '--for wants a time'],
])('%j cannot be followed', async (words, why) => {
  const { exitCode, stderr } = await cli.runBare([...words, '--', 'server']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(why);
});

const updated = (uri: string) =>
  `{"jsonrpc":"2.0", "method":"notifications/resources/updated","params":{"uri": "${uri}", "n": 1.0}}`;

/** A server that answers everything but the handshake with this result, and then tells this. */
function scripted(result: string, notices: readonly string[] = []): string[] {
  const server = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
  const script = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === 'initialize' ? ${JSON.stringify(JSON.stringify(server))} : ${JSON.stringify(result)};
    console.log('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}');
    if (method !== 'initialize') for (const notice of ${JSON.stringify(notices)}) console.log(notice);
  });`;
  return [process.execPath, '-e', script];
}

/** Has the resource touched in the session of these header lines. */
async function touch(url: string, lines: readonly (readonly [string, string])[]): Promise<void> {
  const kept = lines.filter(([name]) => /^(mcp-|accept$|content-type$)/i.test(name));
  const call = {
    jsonrpc: '2.0',
    id: 'touch',
    method: 'tools/call',
    params: { name: 'touch-resource', arguments: {} },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: kept.map(([name, value]) => [name, value]),
    body: JSON.stringify(call),
  });
  expect(await response.text()).toContain('Touched');
}
