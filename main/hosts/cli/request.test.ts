import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { everything, modern, nested } from '#fixtures/cli/servers.ts';
import { startEverything } from '#fixtures/http/start-server.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { startNestedServer } from '#fixtures/nested/start.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** Starts a command against a server, however that is reached. */
type Start = (words: readonly string[]) => CliRun;

async function nestedOn(transport: 'stdio' | 'streamable-http' | 'http-sse'): Promise<Start> {
  if (transport === 'stdio') return (words) => cli.start([...words, '--era', 'legacy'], nested);
  const server = await startNestedServer();
  onTestFinished(() => server.close());
  const url = transport === 'http-sse' ? server.sseUrl : server.url;
  const target = ['--url', url, '--transport', transport, '--era', 'legacy'];
  return (words) => cli.startBare([...words, ...target]);
}

async function modernOn(transport: 'stdio' | 'streamable-http'): Promise<Start> {
  if (transport === 'stdio') return (words) => cli.start(words, modern);
  const server = await startModernServer();
  onTestFinished(() => server.close());
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
    const { exitCode, stdout, stderr } = await request(await nestedOn(transport), method, params);
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

  test('whose answer is an error is told with its code and data, and ends with 1', async () => {
    const ended = await request(await modernOn(transport), 'resources/read', { uri: 'no:where' }, '--json');
    expect(ended.exitCode).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: -32602, data: { uri: 'no:where' } } });
    expect(ended.stderr).toContain('error -32602 (Invalid params): Resource not found');
    expect(ended.stderr).toContain('"uri": "no:where"');
  });
});

describe('server-everything', () => {
  test('answers on stdio and over HTTP', async () => {
    const server = await startEverything('streamableHttp');
    onTestFinished(() => server.close());
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
  test('of a resource is printed for a time, and the session stays open so long', async () => {
    const notices = [1, 2].map((n) => updated(`a:${n}`));
    const words = [
      'request',
      'resources/subscribe',
      '--params',
      '{"uri":"a:"}',
      '--for',
      '2s',
      '--era',
      'legacy',
    ];
    const { exitCode, stdout } = await cli.run(words, scripted('{}', notices));
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '{}',
      expect.stringMatching(/^[\d:.]+ notifications\/resources\/updated \{"uri": "a:1", "n": 1\.0\}$/),
      expect.stringMatching(/^[\d:.]+ notifications\/resources\/updated \{"uri": "a:2", "n": 1\.0\}$/),
      '',
    ]);
  });

  test('is a line of JSON each with --json, as it was received', async () => {
    const words = ['request', 'resources/subscribe', '--params', '{"uri":"a:"}', '--for', '2s', '--json'];
    const { stdout } = await cli.run([...words, '--era', 'legacy'], scripted('{}', [updated('a:1')]));
    expect(stdout).toBe(`{}\n${updated('a:1')}\n`);
  });

  test('over Streamable HTTP comes on the standing stream', async () => {
    const server = await startNestedServer();
    onTestFinished(() => server.close());
    const params = '{"uri":"fixture://text"}';
    const words = [
      'request',
      'resources/subscribe',
      '--params',
      params,
      '--url',
      server.url,
      '--era',
      'legacy',
    ];
    const run = cli.startBare([...words, '--for', '1m']);
    await run.saw('{}\n');
    const { headers } = await server.state.received.received(
      ({ message }) => message?.method === 'resources/subscribe',
    );
    await touch(server.url, headers ?? []);
    await run.saw('notifications/resources/updated {"uri":"fixture://text"}');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('on a listen stream is printed until the time is over, and the stream is closed then', async () => {
    const server = await startModernServer();
    onTestFinished(() => server.close());
    const params = '{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["fixture://text"]}}';
    const words = ['request', 'subscriptions/listen', '--params', params, '--url', server.url];
    const run = cli.startBare([...words, '--for', '4s']);
    await run.saw('notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true');
    server.state.listens.announceResource('fixture://text');
    server.state.listens.announceList('tools');
    await run.saw('notifications/resources/updated');
    await run.saw('notifications/tools/list_changed');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    await expect.poll(() => server.state.listens.open).toEqual([]);
  });

  test('on a listen stream ends when the server ends it, with its result', async () => {
    const server = await startModernServer();
    onTestFinished(() => server.close());
    const words = [
      'request',
      'subscriptions/listen',
      '--params',
      '{"notifications":{}}',
      '--url',
      server.url,
    ];
    const run = cli.startBare(words);
    await run.saw('notifications/subscriptions/acknowledged');
    server.state.listens.end('graceful');
    const { exitCode, stdout } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"resultType":"complete"');
  });

  test('on a listen stream that breaks off is an error', async () => {
    const server = await startModernServer();
    onTestFinished(() => server.close());
    const words = [
      'request',
      'subscriptions/listen',
      '--params',
      '{"notifications":{}}',
      '--url',
      server.url,
    ];
    const run = cli.startBare(words);
    await run.saw('notifications/subscriptions/acknowledged');
    server.state.listens.end('abrupt');
    expect((await run.ended).exitCode).toBe(1);
  });

  test('on a listen stream of stdio ends on Ctrl-C, which the server is told', async () => {
    const run = cli.start(['request', 'subscriptions/listen', '--params', '{"notifications":{}}'], modern);
    await run.saw('notifications/subscriptions/acknowledged');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await cli.trace()).toContain('notifications/cancelled');
    expect(await cli.leftovers()).toEqual([]);
  });

  test('in a log comes too, at the level that is asked for', async () => {
    const start = await nestedOn('http-sse');
    const words = ['--log-level', 'emergency', '--for', '1s'];
    const { stdout } = await request(start, 'tools/call', { name: 'log', arguments: {} }, ...words);
    expect(stdout).toMatch(
      /^[\d:.]+ notifications\/message \{"level":"emergency"[^\n]*\n\{"content"[^\n]*\n$/,
    );
  });
});

test.each([
  [['request', 'ping', '--params', '[1]'], '--params wants a JSON object'],
  [['request', 'ping', '--params', '@/no/such/file'], '--params: the file cannot be read'],
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
