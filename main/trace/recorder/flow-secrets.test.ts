import { afterEach, expect, test } from 'vitest';
import type { TraceRecord } from '#shared/trace/record.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

let http: HttpRecording;
afterEach(() => http.close());

const planted = (name: string) => `planted-${name}-0123456789`;

/** Reports what we send to an authorization server, which is not a message. */
let units = 1000;
function send(url: string, headers: [string, string][], body: string | null): number {
  const exchange = http.request({ url, headers });
  if (body !== null) report(exchange, 'out', body);
  return exchange;
}

function receive(exchange: number, status: number, headers: [string, string][], body: string): void {
  http.response(exchange, status, { headers });
  if (body !== '') report(exchange, 'in', body);
  http.end(exchange);
}

const report = (exchange: number, direction: 'in' | 'out', body: string) =>
  http.sink({
    kind: 'body-bytes',
    direction,
    exchange,
    at: http.next(),
    unit: units++,
    first: true,
    more: false,
    cut: false,
    bytes: Buffer.from(body),
  });

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const type: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];

/** A whole flow of each kind, with a secret in every place that has one. */
function runFlows(): void {
  const registered = send(
    'https://as/register',
    [['Authorization', `Bearer ${planted('initial')}`]],
    '{"client_name":"x"}',
  );
  receive(
    registered,
    201,
    [],
    JSON.stringify({
      client_id: 'c',
      client_secret: planted('secret'),
      registration_access_token: planted('manage'),
    }),
  );
  const authorized = send(`https://as/authorize?client_id=c&code_challenge=public`, [], null);
  receive(
    authorized,
    302,
    [['Location', `http://127.0.0.1:1/callback?code=${planted('code')}&iss=https%3A%2F%2Fas`]],
    '',
  );
  const basic = Buffer.from(`c:${planted('secret')}`).toString('base64');
  const redeemed = send(
    'https://as/token',
    [type, ['Authorization', `Basic ${basic}`], ['DPoP', planted('proof')]],
    form({ grant_type: 'authorization_code', code: planted('code'), code_verifier: planted('verifier') }),
  );
  receive(
    redeemed,
    200,
    [['DPoP-Nonce', 'readable']],
    JSON.stringify({
      access_token: planted('access'),
      refresh_token: planted('refresh'),
      id_token: planted('id'),
    }),
  );
  const others = {
    post: { client_secret: planted('post') },
    jwt: { client_assertion: planted('client-assertion') },
    enterprise: { subject_token: planted('subject'), actor_token: planted('actor') },
    workload: { assertion: planted('assertion') },
    refresh: { refresh_token: planted('refresh') },
    revoke: { token: planted('revoked'), token_type_hint: 'access_token' },
    password: { username: 'me', password: planted('password') },
  };
  for (const fields of Object.values(others)) {
    const exchange = send('https://as/token', [type], form({ a: 'b', ...fields }));
    // A server that repeats what it received.
    receive(exchange, 400, [], JSON.stringify({ error: 'invalid_request', error_description: form(fields) }));
    receive(send('https://as/token', [], null), 400, [], `<p>${Object.values(fields).join(' ')}</p>`);
  }
  const used = send(
    'https://mcp/',
    [
      ['Authorization', `DPoP ${planted('access')}`],
      ['DPoP', planted('proof-2')],
    ],
    null,
  );
  http.response(used, 200);
  http.body(used, JSON.stringify({ jsonrpc: '2.0', id: 1, result: { echo: `DPoP ${planted('access')}` } }));
  http.end(used);
  http.stderr(`code ${planted('code')}, verifier ${planted('verifier')}`);
  http.trace.phase('failed', `https://as/callback?code=${planted('other-code')}`);
}

test('no secret of a flow is in the file or in a row', async () => {
  http = await HttpRecording.begin();
  runFlows();
  expect(await http.text()).not.toMatch(/planted|0123456789/);
  const rows = await http.rows();
  const details = await Promise.all(rows.map(({ row }) => http.detail(row)));
  expect(JSON.stringify([rows, details])).not.toMatch(/planted|0123456789/);
  const bytes = (await http.records()).map((record) =>
    Buffer.from(base64Of(record), 'base64').toString('latin1'),
  );
  expect(bytes.join('')).not.toContain('planted');
});

test('what is not secret stays readable, and equal secrets are recognizable', async () => {
  http = await HttpRecording.begin();
  runFlows();
  const text = await http.text();
  for (const readable of [
    'grant_type=authorization_code&code=[secret body:code, 23 characters, ',
    'code_challenge=public',
    'readable',
    '&token_type_hint=access_token',
    '{\\"client_name\\":\\"x\\"}',
    '\\"client_id\\":\\"c\\"',
    'username=me&password=[secret ',
    'DPoP [secret header:Authorization, 25 characters, ',
    'iss=https%3A%2F%2Fas',
  ])
    expect(text).toContain(readable);
  const hashes = [...text.matchAll(/refresh_token[^[]{1,5}\[secret [^,]*, 26 characters, (\w{8})\]/g)];
  expect(hashes.length).toBeGreaterThanOrEqual(2);
  expect(new Set(hashes.map(([, hash]) => hash)).size).toBe(1);
});

const base64Of = (record: TraceRecord): string => ('base64' in record ? (record.base64 ?? '') : '');

test('a token in a response of a server is replaced there, and not where other responses have its text', async () => {
  http = await HttpRecording.begin();
  const exchange = send('https://as/token', [], 'grant_type=client_credentials');
  receive(exchange, 200, [], JSON.stringify({ access_token: 'delete_everything' }));
  const used = send('https://mcp/', [], null);
  http.response(used, 200);
  http.body(used, JSON.stringify({ jsonrpc: '2.0', id: 1, result: { name: 'delete_everything' } }));
  expect(await http.text()).toContain('\\"name\\":\\"delete_everything\\"');
});
