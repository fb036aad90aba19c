import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { AuthorizationServer } from '#fixtures/authorization/authorization-server.ts';
import type { ProtectedServer, ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { authorizeInBrowser, protectedServer } from '#fixtures/cli/authorize.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

const auth = (server: ProtectedServer, ...options: string[]): CliRun =>
  cli.startBare(['auth', '--no-browser', '--url', server.url, ...options]);

/** The access tokens that the server has seen. */
const bearers = (server: ProtectedServer): string[] =>
  server.log
    .filter(({ party }) => party === 'mcp-server')
    .flatMap(({ request }) => request.header('authorization')?.replace(/^Bearer /, '') ?? []);

test('the flow is printed step by step, and the session is ready in the end', async () => {
  const server = await protectedServer();
  const run = auth(server);
  await authorizeInBrowser(run);
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, stderr: stderr.replace(/http\S+/g, 'URL') }).toEqual({
    exitCode: 0,
    stderr: 'sightglass: open this URL in a browser to authorize:\nURL\n',
  });
  const steps = stdout.split('\n').flatMap((line) => /^done +\d+ {2}(\S+)/.exec(line)?.[1] ?? []);
  expect(steps).toEqual([
    'challenge',
    'resource-metadata',
    'server-metadata',
    'registration',
    'authorization-request',
    'callback',
    'token',
    'use-token',
  ]);
  expect(stdout).toMatch(/\nAuthorized as revision \S+ says\. The trace is .*\.mcptrace\n$/);
  const [token = 'none'] = bearers(server);
  expect(token).not.toBe('none');
  const trace = await cli.trace();
  expect(trace).toContain('"kind":"authorization"');
  for (const secret of [token]) expect(trace + stdout + stderr).not.toContain(secret);
});

test('what was saved is used by other commands, listed without secrets, and forgotten', async () => {
  const server = await protectedServer();
  const refused = await cli.runBare(['list', 'tools', '--url', server.url]);
  expect(refused.exitCode).toBe(3);
  expect(refused.stderr).toContain(`Run "sightglass auth --save --url ${server.url}"`);

  const none = await cli.runBare(['auth', '--stored-only', '--url', server.url]);
  expect(none.exitCode).toBe(3);
  expect(none.stderr).toContain('No credentials are saved for this server.');

  const run = auth(server, '--save');
  await authorizeInBrowser(run);
  expect((await run.ended).exitCode).toBe(0);
  const file = join(cli.folder, 'credentials.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const requests = server.authorization.requests.length;
  const listed = await cli.runBare(['list', 'tools', '--json', '--url', server.url]);
  expect(listed.exitCode).toBe(0);
  expect((await cli.runBare(['auth', '--stored-only', '--url', server.url])).exitCode).toBe(0);
  expect(server.authorization.requests.length).toBe(requests);

  const { stdout } = await cli.runBare(['auth', 'list', '--json']);
  const [credentials, ...others] = JSON.parse(stdout) as { id: string; issuer: string; serverId: string }[];
  expect(others).toEqual([]);
  expect(credentials).toMatchObject({ serverId: server.url, issuer: server.authorization.issuer });
  for (const token of bearers(server)) expect(stdout).not.toContain(token);
  expect((await cli.runBare(['auth', 'forget', credentials?.id ?? ''])).exitCode).toBe(0);
  expect((await cli.runBare(['auth', 'list'])).stdout).toBe('No credentials are saved.\n');
  const [token = ''] = bearers(server);
  expect(await readFile(file, 'utf8')).not.toContain(Buffer.from(token).toString('base64'));
});

test('saved tokens are revoked, and what is not revoked is said', async () => {
  const server = await protectedServer();
  const run = auth(server, '--save');
  await authorizeInBrowser(run);
  expect((await run.ended).exitCode).toBe(0);
  const { stdout: list } = await cli.runBare(['auth', 'list', '--json']);
  const [{ id = '' } = {}] = JSON.parse(list) as { id?: string }[];
  const { options } = server.authorization;
  server.authorization.options = { ...options, overrides: { revocation: { status: 503, body: 'Busy' } } };
  const uses = server.app.requests.length;
  const busy = await cli.runBare(['auth', 'revoke', id]);
  expect(busy.exitCode).toBe(1);
  expect(busy.stderr).toContain('did not revoke the refresh token and the access token');
  server.authorization.options = options;
  const revoked = await cli.runBare(['auth', 'revoke', id, '--json']);
  expect(revoked.exitCode).toBe(0);
  const { ok, flows } = JSON.parse(revoked.stdout) as {
    ok: boolean;
    flows: { steps: { outcome: string }[] }[];
  };
  expect([ok, flows.flatMap(({ steps }) => steps.map(({ outcome }) => outcome))]).toEqual([
    true,
    ['The refresh token is revoked.', 'The access token is revoked.'],
  ]);
  expect(server.authorization.tokens.all.every(({ isRevoked }) => isRevoked)).toBe(true);
  expect(server.app.requests).toHaveLength(uses);
  for (const { value } of server.authorization.tokens.all) expect(revoked.stdout).not.toContain(value);
  const again = await cli.runBare(['auth', 'revoke', id]);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('There is no token.')]);
});

test('as JSON, a flow that fails has its fault and its steps', async () => {
  const server = await protectedServer({ resourceMetadata: { authorization_servers: [] } });
  const { exitCode, stdout } = await auth(server, '--json').ended;
  expect(exitCode).toBe(3);
  const outcome = JSON.parse(stdout) as {
    ok: boolean;
    fault: { code: string } | null;
    flows: { state: string }[];
  };
  expect(outcome).toMatchObject({ ok: false, flows: [{ state: 'failed' }] });
  expect(outcome.fault).not.toBeNull();
});

test('as JSON, the signature of a JWT is verified with the keys of its issuer', async () => {
  const server = await protectedServer({ authorization: { tokens: 'jwt' } });
  const run = auth(server, '--json');
  await authorizeInBrowser(run);
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  const { flows, credentials } = JSON.parse(stdout) as {
    flows: { steps: { name: string; outcome: string }[] }[];
    credentials: { generations: { signature: { state: string; detail: string } }[] }[];
  };
  expect(flows.at(-1)?.steps).toMatchObject([
    {
      name: 'verify-signature',
      outcome: expect.stringMatching(/^Access token: signature verified\. Signed/),
    },
  ]);
  expect(credentials).toMatchObject([
    {
      generations: [
        { signature: { state: 'verified', detail: expect.stringContaining(server.authorization.issuer) } },
      ],
    },
  ]);
});

test('a token without a user: client credentials of a variable', async () => {
  const server = await protectedServer({
    authorization: {
      clients: [
        {
          clientId: 'machine',
          secret: 'machine-secret-1',
          redirectUris: [],
          authMethod: 'client_secret_basic',
        },
      ],
    },
  });
  const run = cli.startBare(
    [
      'auth',
      '--grant',
      'client-credentials',
      '--client-id',
      'machine',
      '--client-secret',
      'SECRET',
      '--url',
      server.url,
    ],
    { SECRET: 'machine-secret-1' },
  );
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^done +\d+ {2}token /m);
  expect((await cli.trace()) + stdout).not.toContain('machine-secret-1');
});

test.each([[[]], [['--json']]])(
  'a token that an error repeats is not printed, with the options %j',
  async (options) => {
    const token = 'tok-PLANTED0123456789abcdefghij';
    const server = await protectedServer({
      authorization: {
        overrides: {
          token: {
            status: 400,
            headers: [['Content-Type', 'application/json']],
            body: { error: 'invalid_grant', error_description: `Look at ${token}` },
          },
        },
      },
    });
    const run = auth(server, ...options);
    await authorizeInBrowser(run);
    const { exitCode, stdout, stderr } = await run.ended;
    expect(exitCode).toBe(3);
    expect(stdout + stderr + (await cli.trace())).not.toContain(token);
    expect(stdout + stderr).toContain('Look at [secret ');
  },
);

test('stepped, each request is shown before it is sent, and can be left', async () => {
  const server = await protectedServer();
  const run = cli.startOnTerminal(['auth', '--step', '--no-browser', '--url', server.url], []);
  await run.printedText('GET ');
  await run.printedText('.well-known/oauth-protected-resource');
  await run.printedText('(q)uit: ');
  expect(server.log.filter(({ request }) => request.url.includes('.well-known'))).toEqual([]);
  run.child.stdin?.write('\n');
  await run.printedText('.well-known/oauth-authorization-server');
  run.child.stdin?.write('q\n');
  const { exitCode } = await run.ended;
  expect(exitCode).toBe(3);
  expect(server.authorization.requests).toEqual([]);
});

test('wrong usage is said', async () => {
  const url = ['--url', 'http://127.0.0.1:9/mcp'];
  for (const [args, complaint] of [
    [['auth', 'lits'], 'auth has "list", "revoke" and "forget"'],
    [['auth', '--step', ...url], '--step asks on the terminal, and there is none'],
    [['auth', 'forget'], '"auth list" prints them'],
    [['auth', 'revoke'], '"auth list" prints them'],
    [['auth', 'revoke', 'x'], 'no credentials have the id "x"'],
    [['auth', 'forget', 'x'], 'no credentials have the id "x"'],
    [['auth', '--', 'node'], 'auth is for servers behind a URL'],
  ] as const) {
    const { exitCode, stderr } = await cli.runBare(args);
    expect(stderr).toContain(complaint);
    expect(exitCode).toBe(2);
  }
});

test.runIf(process.platform === 'linux')(
  'the browser is started with the URL, and without the variable that holds the client secret',
  async () => {
    const secret = 'planted-client-secret';
    const server = await protectedServer({
      authorization: {
        clients: [{ clientId: 'me', secret, redirectUris: [], authMethod: 'client_secret_post' }],
        metadata: { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      },
    });
    const bin = join(cli.folder, 'bin');
    await mkdir(bin);
    const started = join(cli.folder, 'started');
    await writeFile(
      join(bin, 'xdg-open'),
      `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } >'${started}.part'; mv '${started}.part' '${started}'\n`,
      { mode: 0o755 },
    );
    const run = cli.startBare(
      ['auth', '--url', server.url, '--client-id', 'me', '--client-secret', 'PLANTED'],
      { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, PLANTED: secret, OF_THE_USER: 'kept' },
    );
    await expect.poll(() => readFile(started, 'utf8').catch(() => '')).toContain('OF_THE_USER=kept');
    const browser = await readFile(started, 'utf8');
    expect(browser).toContain('code_challenge=');
    expect(browser).not.toContain(secret);
    await authorizeInBrowser(run);
    const { exitCode, stdout, stderr } = await run.ended;
    expect(exitCode).toBe(0);
    expect(bearers(server)).not.toEqual([]);
    expect(stdout + stderr + (await cli.trace())).not.toContain(secret);
  },
);

const trusting = (assertionType: string): ProtectedServerOptions => ({
  authorization: {
    clients: [{ clientId: 'me', redirectUris: [], authMethod: 'none' }],
    trusted: 'this-machine',
    assertionType,
  },
});

const asTest = (grant: string, user: string): string[] => [
  '--grant',
  grant,
  '--client-id',
  'me',
  '--test-identity-provider',
  user,
];

test('a workload is authorized with the test identity provider, without a browser', async () => {
  const server = await protectedServer(trusting('JWT'));
  const run = auth(server, ...asTest('workload-identity', 'job-7'));
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/assertion .*A test identity provider runs at http:\/\/127\.0\.0\.1:\d+/);
});

test('the enterprise grant prints the URL of the identity provider to sign in at', async () => {
  const server = await protectedServer(trusting('oauth-id-jag+jwt'));
  const run = auth(server, ...asTest('enterprise', 'ada'));
  await authorizeInBrowser(run);
  const { exitCode, stdout } = await run.ended;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('There is an ID token of ada.');
});

test('an identity provider needs the client ID there', async () => {
  const server = await protectedServer();
  const { exitCode, stderr } = await auth(server, '--identity-provider', 'https://idp.example').ended;
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--identity-client-id belong together')]);
});

const machine: ProtectedServerOptions['authorization'] = {
  clients: [
    { clientId: 'machine', secret: 'machine-secret-1', redirectUris: [], authMethod: 'client_secret_basic' },
  ],
};

/** The server names another authorization server since, and accepts its tokens only. */
async function namesOther(server: ProtectedServer): Promise<AuthorizationServer> {
  const other = await AuthorizationServer.open({ ...machine, resources: [server.resource] });
  onTestFinished(() => other.close());
  server.options = {
    ...server.options,
    resourceMetadata: { authorization_servers: [other.issuer] },
    others: [other],
  };
  return other;
}

const asMachine = ['--grant', 'client-credentials', '--client-id', 'machine', '--client-secret', 'SECRET'];
const withSecret = { SECRET: 'machine-secret-1' };

test('another authorization server gets the client secret only with --allow-issuer, which is then remembered', async () => {
  const server = await protectedServer({ authorization: machine });
  const run = (...options: string[]) =>
    cli.startBare(['auth', '--json', '--url', server.url, ...asMachine, ...options], withSecret).ended;
  expect((await run()).exitCode).toBe(0);
  const other = await namesOther(server);
  const refused = await run();
  expect(other.requestsTo('token')).toEqual([]);
  expect(refused.exitCode).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    ok: false,
    fault: {
      code: 'issuer-changed',
      next: expect.stringContaining(`allow it with --allow-issuer ${other.issuer}`),
    },
  });
  expect((await run('--allow-issuer', other.issuer)).exitCode).toBe(0);
  expect((await run()).exitCode).toBe(0);
  expect(other.requestsTo('token')).toHaveLength(2);
  const kept = await readFile(join(cli.folder, 'issuers.json'), 'utf8');
  expect(kept).toContain(other.issuer);
  for (const one of ['machine-secret-1', server.url]) expect(kept).not.toContain(one);
});

test('with --allow-issuer no other authorization server gets the client secret, not even the first', async () => {
  const server = await protectedServer({ authorization: machine });
  const { exitCode, stderr } = await cli.startBare(
    ['auth', '--url', server.url, ...asMachine, '--allow-issuer', 'https://login.example'],
    withSecret,
  ).ended;
  expect([exitCode, server.authorization.requestsTo('token')]).toEqual([3, []]);
  expect(stderr).toContain('belong to https://login.example');
});

test.each([
  ['y', 0, 1],
  ['n', 3, 0],
])('on a terminal the change is asked about, and %s is the answer', async (answer, exitCode, sent) => {
  const server = await protectedServer({ authorization: machine });
  const secretFile = join(cli.folder, 'secret');
  await writeFile(secretFile, 'machine-secret-1');
  const args = ['auth', '--url', server.url, ...asMachine.slice(0, -1), `SECRET=@${secretFile}`];
  expect((await cli.startBare(args).ended).exitCode).toBe(0);
  const other = await namesOther(server);
  const run = cli.startOnTerminal(args, []);
  await run.printedText(`Send them to ${other.issuer}? [y/N]`);
  expect(run.stdout).toContain(
    `the client ID and the client secret belong to ${server.authorization.issuer}.`,
  );
  expect(other.requestsTo('token')).toEqual([]);
  run.child.stdin?.write(`${answer}\n`);
  expect((await run.ended).exitCode).toBe(exitCode);
  expect(other.requestsTo('token')).toHaveLength(sent);
});

test('stepped, metadata of another issuer stops the flow, until the user continues anyway', async () => {
  const server = await protectedServer({ authorization: { metadata: { issuer: 'https://honest.example' } } });
  const run = cli.startOnTerminal(
    ['auth', '--step', '--no-browser', '--revision', '2025-06-18', '--url', server.url],
    [],
  );
  await run.printedText('(q)uit: ');
  run.child.stdin?.write('\n');
  await run.printedText('.well-known/oauth-authorization-server');
  run.child.stdin?.write('\n');
  await run.printedText('(c)ontinue anyway');
  expect(run.stdout).toContain('is not http://127.0.0.1');
  run.child.stdin?.write('c\n');
  await run.printedText('registration dynamic');
  run.child.stdin?.write('q\n');
  expect((await run.ended).exitCode).toBe(3);
  expect(server.authorization.requestsTo('register')).toEqual([]);
});

test('the key in a URL is neither sent to the authorization server nor printed', async () => {
  const key = 'planted-key-0123456789';
  const server = await protectedServer({
    sharesOrigin: true,
    resourceMetadataAt: [],
    namesMetadata: false,
    accepts: () => true,
    authorization: { sendsIss: false },
  });
  server.authorization.resources.push(`${server.url}?api_key=${key}`);
  const run = cli.startBare([
    'auth',
    '--no-browser',
    '--json',
    '--save',
    '--revision',
    '2025-03-26',
    '--url',
    `${server.url}?api_key=${key}`,
  ]);
  await authorizeInBrowser(run);
  const { exitCode, stdout, stderr } = await run.ended;
  const sent = server.authorization.requests
    .filter(({ url }) => !url.startsWith('/mcp'))
    .map(({ url, body }) => `${url} ${body.toString()}`);
  expect(sent.filter((text) => text.includes(key))).toEqual([]);
  expect(exitCode).toBe(0);
  const listed = await cli.runBare(['auth', 'list']);
  const listedAsJson = await cli.runBare(['auth', 'list', '--json']);
  expect(listed.stdout).toContain('server  http://127.0.0.1');
  expect(stdout + stderr + listed.stdout + listedAsJson.stdout + (await cli.trace())).not.toContain(key);
});
