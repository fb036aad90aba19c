import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { browse } from '#fixtures/authorization/browser.ts';
import { grantNames, runGrant } from '#fixtures/authorization/flows-of-grants.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { listen } from '#fixtures/http/listen.ts';
import { receive, type ReceivedRequest } from '#fixtures/http/received.ts';
import type { AuthorizationParameter, StepRequest } from '../contract/authorization.ts';
import { shellWord } from '../shell-words.ts';
import { browserUrl, stepCommand } from './step-command.ts';

const opened = closeAfterEachTest();

const parameter = (
  name: string,
  value: string | null,
  change: Partial<AuthorizationParameter> = {},
): AuthorizationParameter => ({
  name,
  value,
  fingerprint: value === null ? 'd41b07' : null,
  isOn: true,
  note: '',
  row: null,
  ...change,
});

const requestOf = (change: Partial<StepRequest>): StepRequest => ({
  method: 'POST',
  url: 'https://login.example.test/token',
  sentBy: 'client',
  query: [],
  headers: [parameter('Accept', 'application/json'), parameter('User-Agent', 'sightglass/1')],
  bodyKind: 'form',
  body: [],
  ...change,
});

/** A server that keeps what it gets. */
async function openServer() {
  const received: ReceivedRequest[] = [];
  const listening = opened(
    await listen((request, response) => {
      void receive(request).then((one) => {
        received.push(one);
        response.end('{}');
      });
    }),
  );
  return { received, origin: listening.origin };
}

interface Command {
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Runs commands one after the other in one shell, each with its variables. */
const run = (commands: readonly Command[]) =>
  promisify(execFile)('bash', [
    '-c',
    commands
      .flatMap(({ text: command, variables }) => [
        ...Object.entries(variables).map(([variable, value]) => `${variable}=${shellWord(value)}`),
        `${command} || exit`,
      ])
      .join('\n'),
  ]);

/** Header lines that say something of the request: not those of the connection. */
const linesOf = ({ headers }: ReceivedRequest) =>
  headers
    .filter(([name]) => !/^(?:host|connection|content-length|accept-encoding|keep-alive)$/i.test(name))
    .map(([name, value]) => [name.toLowerCase(), value])
    .sort(([a = ''], [b = '']) => a.localeCompare(b));

test('the command of a token request has its secrets as variables', () => {
  const command = stepCommand(
    requestOf({
      headers: [
        parameter('Accept', 'application/json'),
        parameter('Authorization', null),
        parameter('DPoP', null),
        parameter('User-Agent', 'sightglass/1'),
        parameter('Content-Type', 'application/x-www-form-urlencoded'),
      ],
      body: [
        parameter('grant_type', 'authorization_code'),
        parameter('code', null, { fingerprint: '7719aa' }),
        parameter('redirect_uri', 'http://127.0.0.1:1/callback'),
        parameter('resource', 'https://mcp.example.test/mcp', { isOn: false }),
      ],
    }),
    'variables',
  );
  expect(command?.text).toBe(
    [
      'curl --url https://login.example.test/token',
      "--header 'Accept: application/json'",
      `--header 'Authorization: '"$AUTHORIZATION"`,
      `--header 'DPoP: '"$DPOP_PROOF"`,
      "--header 'User-Agent: sightglass/1'",
      "--header 'Content-Type: application/x-www-form-urlencoded'",
      '--data-raw grant_type=authorization_code',
      '--data-urlencode code="$CODE"',
      '--data-raw redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback',
    ].join(' \\\n  '),
  );
  expect(command?.variables).toEqual(['AUTHORIZATION', 'DPOP_PROOF', 'CODE']);
});

test('the command of a recording reads no variable of the user, whatever its parameters are called', () => {
  const body = [parameter('PATH', null), parameter('AWS_SECRET_ACCESS_KEY', null), parameter('code', null)];
  const headers = [parameter('HOME', null)];
  expect(stepCommand(requestOf({ headers, body }), 'placeholders')?.text).not.toContain('$');
  // In one's own session too, only variables with names of ours.
  const own = stepCommand(requestOf({ headers, body }), 'variables');
  expect(own?.variables).toEqual(['SECRET', 'SECRET_2', 'SECRET_3', 'CODE']);
  expect(own?.text.match(/\$\w+/g)).toEqual(['$SECRET', '$SECRET_2', '$SECRET_3', '$CODE']);
});

test('equal secrets have the same variable, different ones of a name do not', () => {
  const body = [
    parameter('token', null, { fingerprint: 'aaaaaa' }),
    parameter('token', null, { fingerprint: 'bbbbbb' }),
    parameter('token', null, { fingerprint: 'aaaaaa' }),
  ];
  const { text = '', variables } = stepCommand(requestOf({ body }), 'variables') ?? {};
  expect(text.match(/\$\w+/g)).toEqual(['$TOKEN', '$TOKEN_2', '$TOKEN']);
  expect(variables).toEqual(['TOKEN', 'TOKEN_2']);
});

test('a URL that is not HTTP has no command, and none carries an option', async () => {
  for (const url of ['-K/tmp/x', 'file:///etc/passwd', '@/etc/passwd', ''])
    expect(stepCommand(requestOf({ url }), 'variables'), url).toBeNull();
  const url = "http://127.0.0.1:9/ --output /tmp/planted '$(id)' --next";
  const headers = [
    parameter('@/etc/passwd', ''),
    parameter('-K x', 'y'),
    parameter('X-Fine', '@/etc/passwd'),
  ];
  const request = requestOf({ url, headers, bodyKind: 'none', method: 'GET' });
  const printed = (stepCommand(request, 'variables')?.text ?? '').replace(/^curl/, "printf '%s\\n'");
  const { stdout } = await run([{ text: printed, variables: {} }]);
  const words = stdout.split('\n');
  expect(words.slice(0, 2)).toEqual(['--url', url]);
  expect(words.filter((word) => /^[-@]/.test(word))).toEqual(['--url', '--header', '--header', '--header']);
});

const text = fc.string({
  unit: fc.constantFrom(...'ab\\\'"$`!&=+%@;#?[]{}~* \n\t\u001b\u202eéü😀'),
  maxLength: 12,
});
const name = fc.stringMatching(/^[a-z_][a-z_[\]]{0,8}$/);

const pair = fc.record({ name, value: text, secret: text, isSecret: fc.boolean() });
const anyRequest = fc.record({
  query: fc.array(pair, { maxLength: 4 }),
  body: fc.array(pair, { maxLength: 4 }),
  bodyKind: fc.constantFrom('form', 'json', 'none'),
});

test('a server receives what the request says, whatever is in it and in the variables', async () => {
  const { received, origin } = await openServer();
  const given = fc.sample(anyRequest, 24).map(({ query, body, bodyKind }) => {
    const fields = (bodyKind === 'none' ? [] : body).map((one, at) => ({
      ...one,
      fingerprint: String(at),
      // What a JSON string cannot hold as it is would have to be escaped in the variable.
      secret: bodyKind === 'json' ? one.secret.replaceAll(/["\\\p{Cc}]/gu, '') : one.secret,
    }));
    const isJson = bodyKind === 'json';
    const request = requestOf({
      url: `${origin}/a[1]/{b}`,
      method: bodyKind === 'none' ? 'DELETE' : 'POST',
      query: query.map((one) => parameter(one.name, one.value)),
      bodyKind,
      body: fields.map(({ fingerprint, isSecret, ...one }) =>
        isSecret
          ? parameter(one.name, null, { fingerprint })
          : parameter(one.name, isJson ? JSON.stringify(one.value) : one.value),
      ),
    });
    const { text: command = '', variables = [] } = stepCommand(request, 'variables') ?? {};
    const values = fields.filter(({ isSecret }) => isSecret).map(({ secret }) => secret);
    return {
      request,
      sentQuery: query.map((one): [string, string] => [one.name, one.value]),
      sentBody: fields.map((one): [string, string] => [one.name, one.isSecret ? one.secret : one.value]),
      text: command,
      variables: Object.fromEntries(variables.map((one, at) => [one, values[at] ?? ''])),
    };
  });
  await run(given);
  expect(received).toHaveLength(given.length);
  for (const [at, { request, sentQuery, sentBody, text: command }] of given.entries()) {
    expect(command.replaceAll('\n', '')).not.toMatch(/[\0-\x1f\x7f\u202e]/);
    const got = received[at];
    const [path = '', search = ''] = got?.url.split('?') ?? [];
    expect([got?.method, decodeURIComponent(path)]).toEqual([request.method, '/a[1]/{b}']);
    expect(search).toBe(new URLSearchParams(sentQuery).toString());
    const body = got?.body.toString() ?? '';
    if (request.bodyKind === 'form') expect([...new URLSearchParams(body)]).toEqual(sentBody);
    if (request.bodyKind === 'json') expect(JSON.parse(body)).toEqual(Object.fromEntries(sentBody));
    if (request.bodyKind === 'none') expect(body).toBe('');
  }
});

test.each(grantNames)('curl sends every request of the flows of %s again as it was sent', async (grant) => {
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );
  const { server, flows } = await runGrant(grant, { engine, opened });
  const { received, origin } = await openServer();
  const commands: (Command & { readonly request: StepRequest })[] = [];
  for (const flow of flows) {
    for (const { id: stepId, request, response, label } of flow.steps) {
      if (request === null || request.sentBy !== 'client' || response === null) continue;
      const target = new URL(request.url);
      // The test identity provider runs in the engine, and keeps no log. A scan repeats earlier requests.
      const isLogged = [server.origin, server.authorization.origin].includes(target.origin);
      if (!isLogged || label.startsWith('scan')) continue;
      // The same request at another origin, which keeps it.
      const url = `${origin}${target.pathname}${target.search}`;
      const { text: command = '', variables = [] } = stepCommand({ ...request, url }, 'variables') ?? {};
      const values: string[] = [];
      for (const one of [...request.query, ...request.headers, ...request.body]) {
        if (one.value !== null || !one.isOn) continue;
        const asked = { flowId: flow.id, stepId, name: one.name };
        values.push((await engine.call('authorization/reveal', asked)).value ?? '');
      }
      const own = Object.fromEntries(variables.map((variable, at) => [variable, values[at] ?? '']));
      commands.push({ text: command, variables: own, request });
    }
  }
  await run(commands);
  expect(received).toHaveLength(commands.length);
  expect(commands.length).toBeGreaterThan(6);
  for (const [at, { request }] of commands.entries()) {
    const again = received[at];
    const original = server.log.find(
      ({ request: one }) =>
        again !== undefined &&
        one.method === again.method &&
        one.url === again.url &&
        JSON.stringify(linesOf(one)) === JSON.stringify(linesOf(again)) &&
        sameBody(one, again),
    );
    expect(original, `${request.method} ${request.url}`).toBeDefined();
  }
});

const sameBody = (one: ReceivedRequest, other: ReceivedRequest): boolean =>
  // Curl encodes a space as %20, which means the same as +.
  one.header('content-type') === 'application/x-www-form-urlencoded'
    ? new URLSearchParams(one.body.toString()).toString() ===
      new URLSearchParams(other.body.toString()).toString()
    : one.body.equals(other.body);

test('a step of the browser has a URL, with its secrets as texts to replace', () => {
  const query = [parameter('client_id', 'me & co'), parameter('api_key', null)];
  expect(browserUrl(requestOf({ url: 'https://a.test/authorize?x=1', query, sentBy: 'browser' }))).toBe(
    'https://a.test/authorize?x=1&client_id=me+%26+co&api_key=[secret api_key d41b07]',
  );
});
