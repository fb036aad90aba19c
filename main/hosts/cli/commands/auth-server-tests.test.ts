import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import type { ServerTests } from '#shared/contract/server-tests.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

async function protectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const server = await ProtectedServer.open({
    era: 'legacy',
    ...options,
    authorization: { tokens: 'jwt', ...options.authorization },
  });
  onTestFinished(() => server.close());
  return server;
}

/** Opens every URL that the command prints, each as another user. */
async function authorizeInBrowser(run: CliRun, server: ProtectedServer, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const urls = () =>
      [...run.stderr.matchAll(/to authorize:\n(\S+code_challenge\S+)\n/g)].map(([, one]) => one ?? '');
    await expect.poll(() => urls().length, { timeout: 20_000 }).toBeGreaterThan(time);
    const url = urls()[time] ?? '';
    server.authorization.tokens.subject = `user-${time + 1}`;
    await browse(url);
  }
}

const start = (server: ProtectedServer, ...options: string[]): CliRun =>
  cli.startBare(['auth', '--no-browser', '--url', server.url, '--test-server', ...options]);

test('the table is printed, and a right server ends with 0', async () => {
  const server = await protectedServer();
  const run = start(server, '--test-sign-in');
  await authorizeInBrowser(run, server, 2);
  const { exitCode, stdout, stderr } = await run.ended;
  expect(stdout).toMatch(/^right +no-token +401 {2}Refused with HTTP 401 Unauthorized\./m);
  expect(stdout).toMatch(/^right +session-of-another +404 /m);
  expect(stdout).toMatch(/^not-applicable +less-scope /m);
  expect(stdout).toMatch(/^0 careless, \d+ right, 0 unclear, \d+ not-applicable$/m);
  expect(stderr).toMatch(/sending at most \d+ requests to http:\S+; none calls a tool/);
  expect(exitCode).toBe(0);
  const sent = server.log.flatMap(({ request }) => request.messages.map(({ method }) => method));
  expect(sent).not.toContain('tools/call');
  for (const { value } of server.authorization.tokens.all) expect(stdout + stderr).not.toContain(value);
});

test('careless answers are printed with their rules, are in the JSON, and end with 1', async () => {
  const server = await protectedServer({ careless: ['garbage-token', 'alg-none'] });
  const run = start(server, '--save');
  await authorizeInBrowser(run, server, 1);
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /^careless +garbage-token +200 .*\n +error: garbage-token-accepted \(MCP .*, row #\d+\)$/m,
  );
  const again = await cli.runBare(['auth', '--json', '--stored-only', '--url', server.url, '--test-server']);
  expect(again.exitCode).toBe(1);
  const { ok, serverTests } = JSON.parse(again.stdout) as { ok: boolean; serverTests: ServerTests };
  expect(ok).toBe(true);
  const careless = serverTests.tests.filter(({ outcome }) => outcome === 'careless');
  expect(careless.map(({ id, finding }) => [id, finding?.rule])).toEqual([
    ['garbage-token', 'garbage-token-accepted'],
    ['alg-none', 'unsigned-token-accepted'],
  ]);
});
