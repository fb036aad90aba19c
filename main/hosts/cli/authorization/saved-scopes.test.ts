import { afterEach, beforeEach, expect, test } from 'vitest';
import { textAnswer } from '#fixtures/authorization/answer.ts';
import type { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { authorizeInBrowser, protectedServer } from '#fixtures/cli/authorize.ts';
import { Cli, type CliOutcome } from '#fixtures/cli/cli.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** Runs a command that opens the browser. */
async function authorized(args: readonly string[]): Promise<CliOutcome> {
  const run = cli.startBare([...args, '--no-browser']);
  await authorizeInBrowser(run);
  return run.ended;
}

/** The words of the command that a message advises, without the program. */
function advisedIn({ stderr }: CliOutcome): string[] {
  const [, command = ''] = /"sightglass (auth [^"]+)"/.exec(stderr) ?? [];
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}

const askedScopes = (server: ProtectedServer): (string | null)[] =>
  server.authorization
    .requestsTo('authorize')
    .map(({ url }) => new URL(url, server.authorization.origin).searchParams.get('scope'));

test('a call that lacks a scope advises a command that gets it, and the scopes that were saved stay', async () => {
  const server = await protectedServer({
    toolScopes: { write: 'files:write' },
    scopesSupported: ['files:read'],
    authorization: { scopesSupported: ['files:read', 'files:write'] },
  });
  const call = () => cli.runBare(['call', 'write', '--url', server.url]);
  expect((await authorized(['auth', '--save', '--url', server.url])).exitCode).toBe(0);
  const refused = await call();
  expect(refused.exitCode).toBe(3);
  const command = advisedIn(refused);
  expect(command).toEqual(['auth', '--save', '--scope', 'files:read files:write', '--url', server.url]);
  const again = await authorized(command);
  expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('Authorized as revision')]);
  expect((await call()).exitCode).toBe(0);
  expect(askedScopes(server)).toEqual(['files:read', 'files:read files:write']);
});

test('saved credentials with the scopes are used, and without them --stored-only fails', async () => {
  const server = await protectedServer();
  const auth = (...options: string[]) => ['auth', '--save', '--url', server.url, ...options];
  expect((await authorized(auth('--scope', 'files:read files:write'))).exitCode).toBe(0);
  const requests = server.authorization.requests.length;
  const { exitCode, stdout } = await cli.runBare(auth('--scope', 'files:write'));
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining('The server accepted the saved credentials.'),
  ]);
  expect(server.authorization.requests).toHaveLength(requests);
  const lacking = await cli.runBare(auth('--stored-only', '--scope', 'files:admin'));
  expect([lacking.exitCode, lacking.stderr]).toEqual([
    3,
    expect.stringContaining('lack the scopes files:admin'),
  ]);
});

test('a server that demands a token only later is authorized at by the command that is advised', async () => {
  const server = await protectedServer({ protectsMessages: ['tools/call'] });
  const call = () => cli.runBare(['call', 'echo', 'message=hi', '--url', server.url]);
  const refused = await call();
  expect(refused.exitCode).toBe(3);
  const command = advisedIn(refused);
  expect((await authorized(command)).exitCode).toBe(0);
  expect((await call()).exitCode).toBe(0);
});

test('a scope that is not granted is said', async () => {
  const server = await protectedServer({ authorization: { grantedScope: () => 'files:read' } });
  const { exitCode, stderr } = await authorized([
    'auth',
    '--scope',
    'files:read files:write',
    '--url',
    server.url,
  ]);
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringContaining('did not grant files:write; it granted files:read'),
  ]);
});

test('saved credentials of another client do not hide the client that is named', async () => {
  const server = await protectedServer({
    authorization: {
      clients: ['one', 'two'].map((clientId) => ({ clientId, redirectUris: [], authMethod: 'none' })),
    },
  });
  const auth = (client: string) => ['auth', '--save', '--client-id', client, '--url', server.url];
  expect((await authorized(auth('one'))).exitCode).toBe(0);
  expect((await cli.runBare(auth('one'))).stdout).toContain('The server accepted the saved credentials.');
  expect((await authorized(auth('two'))).exitCode).toBe(0);
  const clients = server.authorization
    .requestsTo('authorize')
    .map(({ url }) => new URL(url, server.authorization.origin).searchParams.get('client_id'));
  expect(clients).toEqual(['one', 'two']);
});

test('a server that refuses to register the client is authorized at by naming one, as is advised', async () => {
  const server = await protectedServer({
    authorization: {
      overrides: { registration: textAnswer(403, 'Forbidden') },
      clients: [{ clientId: 'me', redirectUris: [], authMethod: 'none' }],
    },
  });
  const refused = await cli.runBare(['auth', '--save', '--no-browser', '--url', server.url]);
  expect(refused.exitCode).toBe(3);
  const command = advisedIn(refused).map((word) => (word === 'ID' ? 'me' : word));
  expect(command).toEqual(['auth', '--save', '--client-id', 'me', '--url', server.url]);
  expect((await authorized(command)).exitCode).toBe(0);
  expect((await cli.runBare(['list', 'tools', '--url', server.url])).exitCode).toBe(0);
});
