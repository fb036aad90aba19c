import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { printedUrl, protectedServer } from '#fixtures/cli/authorize.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const args = (server: ProtectedServer, ...options: string[]): string[] => [
  'auth',
  '--no-browser',
  '--url',
  server.url,
  ...options,
];

/** The address that the authorization server sends the browser to. */
async function redirectOf(run: CliRun): Promise<string> {
  const response = await fetch(await printedUrl(run), { redirect: 'manual' });
  return response.headers.get('Location') ?? '';
}

describe('while the browser is waited for', () => {
  test('its address or the query of it can be pasted on a terminal; what is not the answer is said to be none', async () => {
    const server = await protectedServer();
    const run = cli.startOnTerminal(args(server), []);
    await run.printedText('paste the address that it was sent to');
    const redirect = await redirectOf(run);
    run.child.stdin?.write('code=planted-code-1&state=another\n');
    await run.printedText('answers another request');
    run.child.stdin?.write(`${new URL(redirect).search}\n`);
    const { exitCode, stdout } = await run.ended;
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Authorized as revision')]);
    const trace = await cli.trace();
    const [code = ''] = server.authorization.codes.map(({ value }) => value);
    expect(code).not.toBe('');
    for (const one of [code, 'planted-code-1']) expect(trace).not.toContain(one);
  });

  test('--callback - reads it from standard input, and its end leaves the browser', async () => {
    const server = await protectedServer();
    const run = cli.startWriting(args(server, '--callback', '-', '--json'));
    const redirect = await redirectOf(run);
    run.child.stdin?.write(`not this\n${redirect}\n`);
    const { exitCode, stdout, stderr } = await run.ended;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Still waiting.');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    for (const { value } of server.authorization.codes) expect(stdout + stderr).not.toContain(value);

    const ended = cli.startReading(args(server, '--callback', '-'), '');
    await ended.printedText('standard input ended without the callback');
    await fetch(await printedUrl(ended));
    expect((await ended.ended).exitCode).toBe(0);
  });

  test('standard input that is no terminal is not read without it', async () => {
    const server = await protectedServer();
    const run = cli.startWriting(args(server, '--timeout', '2s'));
    run.child.stdin?.write(`${await redirectOf(run)}\n`);
    const { exitCode, stderr } = await run.ended;
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('not redirected back within 2 seconds')]);
    expect(stderr).toMatch(/--timeout 20m .*paste the address/);
  });
});

test('how to authorize at a saved server can be said for one run, and does not stay', async () => {
  const server = await protectedServer({
    authorization: { clients: [{ clientId: 'mine', redirectUris: [], authMethod: 'none' }] },
  });
  const window = await EngineFixture.open({ dataFolder: cli.folder });
  const text = JSON.stringify({ mcpServers: { far: { type: 'http', url: server.url } } });
  const source = { kind: 'text' as const, text, path: null, format: null };
  const { servers } = await window.call('servers/import-preview', { source });
  const picks = servers.map(({ key }) => ({ key, name: null, replaces: null }));
  await window.call('servers/import', { source, picks, values: {} });
  await window.engine.close();

  const options = [
    '--client-id',
    'mine',
    '--scope',
    'files:read',
    '--auth-param',
    'audience=api',
    '--redirect',
    'localhost/cb',
  ];
  const run = cli.startBare(['auth', '--save', '--no-browser', '--server', 'far', ...options]);
  const asked = new URL(await printedUrl(run)).searchParams;
  expect(asked.get('redirect_uri')).toMatch(/^http:\/\/localhost:\d+\/cb$/);
  expect(['client_id', 'scope', 'audience'].map((name) => asked.get(name))).toEqual([
    'mine',
    'files:read',
    'api',
  ]);
  await fetch(await printedUrl(run));
  expect((await run.ended).exitCode).toBe(0);
  expect((await cli.runBare(['list', 'tools', '--server', 'far'])).exitCode).toBe(0);
  const again = await EngineFixture.open({ dataFolder: cli.folder });
  const saved = (await again.call('servers/list', {})).find(({ name }) => name === 'far');
  await again.engine.close();
  expect(JSON.stringify(saved?.transport)).not.toContain('files:read');
});

test('options that leave something out are refused with what is missing or wrong', async () => {
  const url = ['--url', 'http://127.0.0.1:9/mcp'];
  for (const [options, complaint] of [
    [['--callback', 'https://a/'], '--callback: wants "-"; it is "https://a/"'],
    [['--stored-only', '--again'], '--stored-only uses saved credentials'],
    [['--key-id', 'k'], '--key-id names a key: --private-key'],
    [['--client-auth', 'basic'], 'client_secret_post, private_key_jwt; it is "basic"'],
    [['--timeout', 'soon'], '--timeout wants a time'],
  ] as const) {
    const { exitCode, stderr } = await cli.runBare(['auth', ...url, ...options]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(complaint)]);
  }
});
