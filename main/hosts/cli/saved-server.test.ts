import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';

let cli: Cli;
let ran: string;
beforeEach(async () => {
  cli = await Cli.open();
  ran = join(cli.folder, 'ran');
});
afterEach(() => cli.close());

/** Imports a configuration into the data folder of the commands, without its secrets. */
async function importText(text: string): Promise<void> {
  const window = await EngineFixture.open({ dataFolder: cli.folder });
  const source = { kind: 'text' as const, text, path: null, format: null };
  const { servers } = await window.call('servers/import-preview', { source });
  const picks = servers.map(({ key }) => ({ key, name: null, replaces: null }));
  await window.call('servers/import', { source, picks, values: {} });
  await window.engine.close();
}

/** The configuration of a server that writes down its variables when it runs. */
function witness(entry: object = {}, inputs: object[] = []): string {
  const { command, args } = misbehavingServer();
  const note = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, JSON.stringify(process.env))`;
  const script = `${note}; import(${JSON.stringify(args.at(-1))})`;
  const mine = { type: 'stdio', command, args: ['-e', script], ...entry };
  return JSON.stringify({ servers: { mine }, inputs });
}

const saveServer = (entry?: object, inputs?: object[]): Promise<void> => importText(witness(entry, inputs));

/** Approves it as the user does in the window. */
async function approveInWindow(): Promise<void> {
  const window = await EngineFixture.open({ dataFolder: cli.folder });
  const [server] = await window.call('servers/list', {});
  await window.reconnect(server?.id ?? '');
  await window.engine.close();
}

describe('a saved server', () => {
  test('that was never approved is not run where nobody can be asked, and is shown', async () => {
    await saveServer();
    const { exitCode, stdout, stderr } = await cli.runBare(['list', 'tools', '--server', 'mine']);
    expect(exitCode).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('was not approved yet, and there is no terminal to ask on');
    expect(stderr).toContain(`"${process.execPath}" "-e"`);
    expect(existsSync(ran)).toBe(false);
  });

  test('asks on a terminal: without a yes it is not run, after one it runs, and then without a question', async () => {
    await saveServer();
    const args = ['request', 'ping', '--server', 'mine'];
    const refused = cli.startOnTerminal(args, []);
    await refused.printedText('Run it? [y/N]');
    expect(refused.stdout).toContain('saved server "mine" was not approved yet');
    refused.child.stdin?.write('n\n');
    expect((await refused.ended).exitCode).toBe(3);
    expect(existsSync(ran)).toBe(false);
    const allowed = cli.startOnTerminal(args, []);
    await allowed.printedText('Run it? [y/N]');
    allowed.child.stdin?.write('y\n');
    expect((await allowed.ended).exitCode).toBe(0);
    expect(existsSync(ran)).toBe(true);
    expect(await cli.runBare(args)).toMatchObject({ exitCode: 0, stdout: '{}\n' });
  });

  test('that ends on server/discover is started without it by the next command', async () => {
    const { command, args } = scriptedServer(`'server/discover'() { process.exit(1); },`);
    await importText(JSON.stringify({ servers: { mine: { type: 'stdio', command, args } } }));
    await approveInWindow();
    const { exitCode, stdout } = await cli.runBare(['doctor', '--verbose', '--server', 'mine']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Evidence: Sent initialize with revision \S+ and no server\/discover: on /);
    expect(stdout).not.toContain('started twice');
  });

  test('that was approved in the window runs, and asks again after an import changed its command line', async () => {
    await saveServer();
    await approveInWindow();
    expect((await cli.runBare(['list', 'tools', '--server', 'mine'])).exitCode).toBe(0);
    const file = join(cli.folder, 'mcp.json');
    await writeFile(file, witness().replace('"-e"', '"--no-warnings","-e"'));
    expect((await cli.runBare(['import', file, '--save', '--replace'])).exitCode).toBe(0);
    expect((await cli.runBare(['list', 'tools', '--server', 'mine'])).stderr).toContain(
      'was not approved yet',
    );
  });

  test('gets its secrets and inputs with the command, and they stand in no file', async () => {
    await saveServer(
      { env: { API_KEY: 'planted-in-the-file', LEVEL: '${input:level}', OTHER: '${input:key}' } },
      [{ id: 'level' }, { id: 'key', password: true }],
    );
    const run = (...args: string[]) =>
      cli.startOnTerminal(['request', 'ping', '--server', 'mine', ...args], []);
    const level = join(cli.folder, 'level');
    await writeFile(level, 'debug\n');
    const missing = await cli.runBare(['request', 'ping', '--server', 'mine']);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain('The value of API_KEY of "mine" is not held here');
    expect(missing.stderr).toContain('--secret-env API_KEY');
    const key = join(cli.folder, 'key');
    await writeFile(key, 'planted-by-command');
    const without = await cli.runBare([
      'request',
      'ping',
      '--server',
      'mine',
      '--secret-env',
      `API_KEY=@${key}`,
    ]);
    expect(without).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--input ') });
    const given = run(
      '--secret-env',
      `API_KEY=@${key}`,
      '--input',
      `level=@${level}`,
      '--input',
      `key=@${key}`,
    );
    await given.printedText('Run it? [y/N]');
    given.child.stdin?.write('y\n');
    expect((await given.ended).exitCode).toBe(0);
    expect(JSON.parse(await readFile(ran, 'utf8'))).toMatchObject({
      API_KEY: 'planted-by-command',
      LEVEL: 'debug',
      OTHER: 'planted-by-command',
    });
    for (const name of ['servers.json', 'approvals.json'])
      expect(await readFile(join(cli.folder, name), 'utf8')).not.toContain('planted');
    expect(await cli.trace()).not.toContain('planted');
  });

  test('at an address is connected to as it is saved, in the era of the command', async () => {
    const http = await ScriptedHttpServer.open({ era: 'both' });
    const headers = { 'X-Plain': '${env:SIGHTGLASS_TEST_PLACE}', 'X-Key': 'planted-in-the-file' };
    await importText(JSON.stringify({ mcpServers: { far: { url: http.url, headers } } }));
    const list = ['list', 'tools', '--server', 'far', '--era', 'legacy'];
    const env = { SIGHTGLASS_TEST_PLACE: 'here', KEY: 'planted-by-command' };
    const refused = await cli.runBare(list, env);
    expect(refused.stderr).toContain("--header 'X-Key=$VARIABLE'");
    const given = [...list, '--allow-variables', '--header', 'x-key=$KEY'];
    const { exitCode, stdout } = await cli.runBare(given, env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('echo [message=<string>]');
    const [first] = http.requests;
    expect(first?.messages[0]?.method).toBe('initialize');
    expect([first?.header('X-Plain'), first?.header('X-Key')]).toEqual(['here', 'planted-by-command']);
    expect(await cli.trace()).not.toContain('planted');
    await http.close();
  });

  describe('whose variables were never approved for its host', () => {
    let http: ScriptedHttpServer;
    beforeEach(async () => {
      http = await ScriptedHttpServer.open({ era: 'both' });
      vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted-token-1');
      const headers = { Authorization: 'Bearer ${env:SIGHTGLASS_TEST_TOKEN}' };
      await importText(JSON.stringify({ mcpServers: { far: { url: http.url, headers } } }));
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      await http.close();
    });
    const list = ['list', 'tools', '--server', 'far', '--era', 'legacy'];

    test('gets none where nobody can be asked, unless an option says so', async () => {
      const refused = await cli.runBare(list);
      expect(http.requests).toEqual([]);
      expect(refused.exitCode).toBe(3);
      expect(refused.stderr).toContain(`not approved for ${new URL(http.url).origin} yet`);
      expect(refused.stderr).toContain('${env:SIGHTGLASS_TEST_TOKEN} (Authorization)');
      expect(refused.stderr).toContain('--allow-variables');
      const json = await cli.runBare([...list, '--json']);
      expect(JSON.parse(json.stdout)).toMatchObject({ fault: { code: 'variables-refused' } });
      // In CI and with --json nobody is asked, though there is a terminal.
      const onTerminal = [
        await cli.startOnTerminal(list, [], { CI: '1' }).ended,
        await cli.startOnTerminal([...list, '--json'], []).ended,
      ];
      expect(onTerminal.map(({ exitCode }) => exitCode)).toEqual([3, 3]);
      expect(http.requests).toEqual([]);
      expect((await cli.runBare([...list, '--allow-variables'])).exitCode).toBe(0);
      expect(http.requests[0]?.header('Authorization')).toBe('Bearer planted-token-1');
      // What an option allows is allowed this time.
      expect((await cli.runBare(list)).exitCode).toBe(3);
    });

    test('is asked about on a terminal: without a yes nothing is sent, after one it is, and then without a question', async () => {
      const refused = cli.startOnTerminal(list, []);
      await refused.printedText('Send them? [y/N]');
      expect(refused.stdout).toContain(`host: ${new URL(http.url).origin}`);
      expect(refused.stdout).toContain('${env:SIGHTGLASS_TEST_TOKEN}: sent in: Authorization');
      refused.child.stdin?.write('n\n');
      expect((await refused.ended).exitCode).toBe(3);
      expect(http.requests).toEqual([]);
      const allowed = cli.startOnTerminal(list, []);
      await allowed.printedText('Send them? [y/N]');
      allowed.child.stdin?.write('y\n');
      expect((await allowed.ended).exitCode).toBe(0);
      expect((await cli.runBare(list)).exitCode).toBe(0);
      expect(await readFile(join(cli.folder, 'approvals.json'), 'utf8')).not.toContain('planted');
    });

    test('needs no question for an input that is given with the command', async () => {
      const mine = { type: 'http', url: http.url, headers: { 'X-Key': '${input:key}' } };
      const inputs = [{ id: 'key', type: 'promptString', password: true }];
      await importText(JSON.stringify({ servers: { typed: mine }, inputs }));
      const typed = ['list', 'tools', '--server', 'typed', '--era', 'legacy', '--input', 'key=$KEY'];
      expect((await cli.runBare(typed, { KEY: 'planted-by-command' })).exitCode).toBe(0);
      expect(http.requests[0]?.header('X-Key')).toBe('planted-by-command');
    });

    test('is asked about in the terminal that opened the page, if that is where to ask', async () => {
      const refused = cli.startOnTerminal(['open', '--web', '--confirm-in-terminal', '--server', 'far'], []);
      await refused.printedText('Send them? [y/N]');
      refused.child.stdin?.write('n\n');
      await refused.printedText('serving the app');
      refused.child.kill('SIGINT');
      await refused.ended;
      expect(http.requests).toEqual([]);
    });
  });

  test.each([
    [['list', 'tools', '--allow-variables', '--', 'node'], '--allow-variables goes with --server'],
    [['list', 'tools', '--server', 'mien'], 'There is no saved server called "mien" (did you mean "mine"?).'],
    [['list', 'tools', '--server', 'mine', '--url', 'http://127.0.0.1/'], '--server names a saved server'],
    [['list', 'tools', '--server', 'mine', '--', 'node'], '--server names a saved server'],
    [['list', 'tools', '--server', 'mine', '--env', 'A=1'], '--env is a part of the settings'],
    [['list', 'tools', '--server', 'mine', '--transport', 'auto'], '--transport is a part of the settings'],
    [['list', 'tools', '--server', 'mine', '--confirm'], '--confirm is for commands copied'],
    [['list', 'tools', '--input', 'PATH', '--', 'node'], '--input goes with --server'],
    [
      ['list', 'tools', '--server', 'mine', '--secret-env', 'PATH'],
      'has no secret variable, header or input called PATH',
    ],
    [['open', '--web', '--server', 'nobody'], 'There is no saved server called "nobody"'],
  ])('%j is a mistake', async (args, what) => {
    await saveServer();
    const { exitCode, stderr } = await cli.runBare(args);
    expect(stderr).toContain(what);
    expect(exitCode).toBe(2);
    expect(existsSync(ran)).toBe(false);
  });
});
