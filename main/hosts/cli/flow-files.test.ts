import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { withCors } from '#fixtures/authorization/cors.ts';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { secretsOf } from '#fixtures/authorization/secrets-of.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { complaintsAbout } from '#fixtures/trace/har-files.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

async function protectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const server = await ProtectedServer.open(options);
  onTestFinished(() => server.close());
  return server;
}

async function authorizeInBrowser(run: CliRun): Promise<void> {
  await run.printedText('code_challenge=');
  const [, url = ''] = /to authorize:\n(\S+)/.exec(run.stderr) ?? [];
  await browse(url);
}

const auth = (server: ProtectedServer, ...options: string[]): CliRun =>
  cli.startBare(['auth', '--no-browser', '--url', server.url, ...options]);

test('a flow is written as a report and as HAR, under exactly these names and without secrets', async () => {
  const server = await protectedServer({ authorization: { tokens: 'jwt' } });
  const [report, har] = [join(cli.folder, 'flow.txt'), join(cli.folder, 'flow.har')];
  const run = auth(server, '--report', report, '--har', har);
  await authorizeInBrowser(run);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/\d+ steps, \d+ secrets? replaced, [\d,]+ bytes: .*flow\.txt\n/);
  expect(stderr).toMatch(/\d+ exchanges, .*flow\.har\n/);
  const [text, archive] = [await readFile(report, 'utf8'), await readFile(har, 'utf8')];
  expect(text).toContain('### 8. `use-token`');
  // The signature is verified by a flow of its own.
  expect(text).toContain('# Authorization flow 2');
  expect(complaintsAbout(JSON.parse(archive))).toEqual([]);
  expect((await stat(report)).mode & 0o777).toBe(0o600);
  for (const secret of secretsOf(server)) expect(text + archive).not.toContain(secret);

  const again = auth(server, '--report', report);
  await authorizeInBrowser(again);
  const second = await again.ended;
  expect(second.exitCode).toBe(3);
  expect(second.stderr).toContain('There is already a file');
});

test('a flow that fails is written too, and the JSON stays alone on stdout', async () => {
  const server = await protectedServer({ resourceMetadata: { authorization_servers: [] } });
  const report = join(cli.folder, 'failed.md');
  const { exitCode, stdout } = await auth(server, '--json', '--report', report).ended;
  expect(exitCode).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ ok: false });
  const text = await readFile(report, 'utf8');
  expect(text).toContain('- Result: `failed`');
  expect(text).toMatch(/- What failed: `The server demands authorization, but no metadata/);
});

test('a folder that does not exist is refused before anything is sent', async () => {
  const server = await protectedServer();
  const { exitCode, stderr } = await auth(server, '--har', join(cli.folder, 'none', 'a.har')).ended;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--har: there is no folder');
  expect(server.log).toEqual([]);
});

test('--check-cors says which endpoints pages of an origin could use, after the flow', async () => {
  const server = await protectedServer(withCors({ '/token': null }));
  const run = auth(server, '--check-cors');
  await authorizeInBrowser(run);
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  const [, table = ''] = stdout.split('\nPages of http://localhost:6274:\n');
  expect(table).toContain(`usable   MCP endpoint           ${server.url}\n`);
  expect(table).toMatch(
    /blocked {2}Token endpoint .*\n {9}Access-Control-Allow-Origin is missing.* \(Fetch, CORS check\)/,
  );
  const asJson = auth(server, '--json', '--check-cors', 'https://app.test');
  await authorizeInBrowser(asJson);
  const { cors } = JSON.parse((await asJson.ended).stdout) as { cors: { origin: string; state: string }[] };
  expect(cors.map(({ origin, state }) => `${origin} ${state}`)).toEqual([
    ...Array.from({ length: 4 }, () => 'https://app.test usable'),
    'https://app.test blocked',
  ]);
});
