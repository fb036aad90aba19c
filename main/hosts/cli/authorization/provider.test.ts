import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { entraFixture } from '#fixtures/authorization/providers/entra.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { withProvider } from './provider.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const client = entraFixture.client.clientId ?? '';

async function startAuth(...options: string[]): Promise<CliRun> {
  const server = await ProtectedServer.open(entraFixture.options());
  onTestFinished(() => server.close());
  return cli.startBare(['auth', '--no-browser', '--url', server.url, '--client-id', client, ...options]);
}

test('a known trap is printed below the steps, with its cause, the option that avoids it and its source', async () => {
  const run = await startAuth('--revision', '2025-11-25');
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(
    /^hint {2}Microsoft Entra ID: Entra does not advertise PKCE\. .*S256.* The option --provider entra sets that\. \(modelcontextprotocol\/typescript-sdk, issue 832\)$/m,
  );
  expect(stdout.match(/^hint /gm)).toHaveLength(1);
});

test('as JSON, the known traps are a list', async () => {
  const run = await startAuth('--json', '--revision', '2025-11-25');
  const { stdout } = await run.ended;
  const { traps } = JSON.parse(stdout) as { traps: { provider: string; trap: string; step: number }[] };
  expect(traps).toMatchObject([{ provider: 'entra', trap: 'pkce', title: 'Entra does not advertise PKCE' }]);
});

test('--provider sets what it needs, and the flow ends with a token', async () => {
  const run = await startAuth('--provider', 'entra');
  await run.printedText('code_challenge=');
  const [, url = ''] = /to authorize:\n(\S+)/.exec(run.stderr) ?? [];
  expect(new URL(url).searchParams.has('resource')).toBe(false);
  await browse(url);
  const { exitCode, stdout } = await run.ended;
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\nAuthorized as revision ')]);
});

test('other options win over those of --provider, and are added to its lists', () => {
  const redirect = { host: '127.0.0.1' as const, port: 8080, path: '/back' };
  expect(
    withProvider({ provider: 'entra' }, { redirect, dropped: ['nonce'] }, 'https://a.example/mcp'),
  ).toEqual({
    knownProvider: 'entra',
    assumesPkce: true,
    redirect,
    dropped: ['resource', 'nonce'],
  });
  const audience = { name: 'audience', value: 'own' };
  expect(withProvider({ provider: 'auth0' }, { extra: [audience] }, null).extra).toEqual([audience]);
  expect(withProvider({ provider: 'auth0' }, {}, 'https://u:p@a.example/mcp?key=1').extra).toEqual([
    { name: 'audience', value: 'https://a.example/mcp' },
  ]);
  expect(() => withProvider({ provider: 'auth0' }, {}, null)).toThrow(/--auth-param audience=VALUE/);
});

test('what is about a secret or a key is set only with one', () => {
  const at = 'https://a.example/mcp';
  expect(withProvider({ provider: 'okta' }, {}, at)).toEqual({ knownProvider: 'okta' });
  expect(withProvider({ provider: 'okta', privateKey: 'KEY' }, {}, at)).toEqual({
    knownProvider: 'okta',
    assertionAudience: 'token-endpoint',
  });
  expect(withProvider({ provider: 'github', clientSecret: 'S' }, {}, at)).toMatchObject({
    authMethod: 'client_secret_post',
  });
});
