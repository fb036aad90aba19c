import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { misbehaving } from '#fixtures/cli/servers.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { listen } from '#fixtures/http/listen.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

test('a command that fails is shown up to the step that failed, with the cause and what to do', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['doctor'], misbehaving('exit-before-initialize'));
  expect(exitCode).toBe(3);
  expect(stderr).toBe('');
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/^ok {7}Command found {4}\/.*node/);
  expect(lines[1]).toMatch(/^ok {7}Executable {7}rwx/);
  expect(lines[2]).toMatch(/^ok {7}Process started {2}pid \d+$/);
  expect(lines[3]).toMatch(
    /^failed {3}First output {5}nothing on standard output; .* on standard error; exit code 1/,
  );
  expect(lines[4]).toBe('skipped  MCP handshake');
  expect(stdout).toMatch(/\nError: the variable DATABASE_URL is not set\n {2}why: /);
  expect(stdout).toMatch(/\n {2}next: Set DATABASE_URL /);
  expect(stdout).toMatch(/\nThe trace is .*\.mcptrace\n$/);
});

test('a command that can be used is ok in every step; --verbose prints the evidence', async () => {
  const { exitCode, stdout } = await cli.run(['doctor', '--verbose'], misbehaving());
  expect(exitCode).toBe(0);
  const states = stdout.split('\n').flatMap((line) => /^\w+/.exec(line)?.[0] ?? []);
  expect(states).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(stdout).toMatch(/^ {13}Permissions: rwx/m);
  expect(stdout).toMatch(/^ok {7}MCP handshake {4}legacy 2025-11-25, misbehaving 1\.0\.0, answered in /m);
});

test('what the server wrongly declared stands with the handshake', async () => {
  const { exitCode, stdout } = await cli.run(['doctor', '--verbose'], misbehaving('wrong-capabilities'));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ok {7}MCP handshake .*, wrongly declared: tools, prompts, logging$/m);
  expect(stdout).toMatch(
    /^ {13}Wrongly declared: The server wrongly declared the "tools" capability: an array, where an object belongs; /m,
  );
});

test('a server that was started again is said to be, with --verbose also why', async () => {
  const { command, args } = scriptedServer(`'server/discover'() { process.exit(1); },`);
  const { exitCode, stdout } = await cli.run(['doctor', '--verbose'], [command, ...args]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ok {7}MCP handshake .*, started twice$/m);
  expect(stdout).toMatch(
    /^ {13}Evidence: .*The server did not survive server\/discover\..* the server is started again/m,
  );
});

interface Json {
  readonly ok: boolean;
  readonly steps: readonly {
    readonly name: string;
    readonly state: string;
    readonly measured: string | null;
  }[];
  readonly fault: { readonly code: string; readonly next: string } | null;
  readonly trace: string;
}

test('an address is diagnosed as JSON', async () => {
  const server = await listen((_, response) => {
    response.writeHead(401, { 'WWW-Authenticate': 'Bearer scope="notes"' }).end();
  });
  onTestFinished(() => server.close());
  const { exitCode, stdout } = await cli.runBare(['doctor', '--json', '--url', `${server.origin}/mcp`]);
  expect(exitCode).toBe(3);
  const found = JSON.parse(stdout) as Json;
  expect(found).toMatchObject({ ok: false, fault: { code: 'http-status-401' } });
  expect(found.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'lookup skipped',
    'connect ok',
    'tls skipped',
    'http ok',
    'authorization failed',
    'handshake skipped',
  ]);
  expect(found.steps[4]?.measured).toBe('401 WWW-Authenticate: Bearer scope="notes"');
  expect(found.trace).toContain(cli.folder);
});

test('an address that works is ok, also without a handshake', async () => {
  const server = await ScriptedHttpServer.open({ era: 'both' });
  onTestFinished(() => server.close());
  for (const era of ['auto', 'modern']) {
    const { exitCode, stdout } = await cli.runBare(['doctor', '--json', '--url', server.url, '--era', era]);
    expect(exitCode).toBe(0);
    const { ok, steps, fault } = JSON.parse(stdout) as Json;
    expect({ ok, fault }).toEqual({ ok: true, fault: null });
    expect(steps.filter(({ state }) => state !== 'skipped').map(({ state }) => state)).toEqual(
      Array(4).fill('ok'),
    );
  }
});

test('without a handshake, an address where nothing listens fails all the same', async () => {
  const server = await listen(() => undefined);
  await server.close();
  const args = ['doctor', '--era', 'modern', '--url', `${server.origin}/mcp`];
  const { exitCode, stdout } = await cli.runBare(args);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^failed {3}TCP .*ECONNREFUSED/m);
  expect(stdout).toMatch(/^ {2}next: Is the server running\?/m);
});

test('what a server prints cannot move the cursor', async () => {
  const program = 'console.error("Usage: \\x1b[2J\\x1b[31mserver"); process.exit(2)';
  const { stdout } = await cli.run(['doctor', '--verbose'], [process.execPath, '-e', program]);
  expect(stdout).toContain('\\x1b[2J');
  expect(stdout).not.toContain('\x1b');
});
