import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { WholeBody } from '#transports/body-readers.ts';
import { HttpClient } from '#transports/http-client.ts';
import { PIECE_BYTES, type TraceRecord } from '#shared/trace/record.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';

let http: HttpRecording;
afterEach(() => http.close());

/** Each begins with its name, so that a failing test tells which one came through. */
const secrets = {
  bearer: 'bearer-0123456789.abc/def+ghi"x&y',
  marked: 'marked-äöü-0123456789',
  cookie: 'cookie-0123456789',
  setCookie: 'setcookie-0123456789',
  query: 'query/0123456789 +é',
  user: 'user-0123456789',
  password: 'pw-1',
  proxyPassword: 'proxy-0123456789',
  code: 'code-0123456789',
  location: 'location-0123456789',
  env: 'env-0123456789',
  endpoint: 'endpoint-0123456789',
};
/** Stands in all of them but one, and no encoding but base64 changes it. */
const digits = '0123456789';

const placeholder = /\[secret [^\]]*?, \d+ characters, [0-9a-f]{8}\]/g;
const without = (text: string): string => text.replaceAll(placeholder, '§');

const ownUrl = `https://${secrets.user}:${secrets.password}@host/mcp?api_key=${encodeURIComponent(secrets.query)}&x=1`;

function begin(url = ownUrl): Promise<HttpRecording> {
  return HttpRecording.begin({
    name: `mine at https://${secrets.user}:${secrets.password}@host/mcp`,
    url,
    secrets: { 'header:X-Api-Key': secrets.marked, 'env:KEY': secrets.env, 'header:X-Pin': '123' },
  });
}

/** Fails when a secret stands in the file in any form that a reader could make out. */
async function expectNoSecret(): Promise<void> {
  const text = await http.text();
  const bytes = Buffer.concat((await http.records()).map(bytesOf)).toString('latin1');
  for (const written of [text, bytes]) expect(written).not.toContain(digits);
  for (const value of Object.values(secrets)) {
    const encoded = [encodeURIComponent(value), Buffer.from(value).toString('base64').replace(/=+$/, '')];
    for (const form of [value, JSON.stringify(value).slice(1, -1), ...(value.length < 8 ? [] : encoded)]) {
      expect(text).not.toContain(form);
      expect(bytes).not.toContain(Buffer.from(form).toString('latin1'));
    }
  }
}

function bytesOf(record: TraceRecord): Buffer {
  const { text, base64 } = { text: undefined, base64: undefined, ...record };
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}

const recordOf = async <K extends TraceRecord['kind']>(kind: K, count = 0) => {
  const found = (await http.records()).filter((record) => record.kind === kind);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filtered by this very kind
  return found.at(count) as Extract<TraceRecord, { kind: K }>;
};

const headersOf = async (kind: 'http-request' | 'http-response', count = 0) =>
  (await recordOf(kind, count)).headers.map(([name, value]) => [name, without(value)]);

test('credentials in header lines are replaced whatever their case, and the rest of the lines stays', async () => {
  http = await begin();
  const basic = Buffer.from(`someone:${secrets.proxyPassword}`).toString('base64');
  const exchange = http.request({
    headers: [
      ['Host', 'host'],
      ['aUTHORIZATION', `Bearer ${secrets.bearer}`],
      ['Proxy-Authorization', `Basic  ${basic}`],
      ['Cookie', `a=${secrets.cookie}; theme=dark;b="x1"; lone`],
      ['cookie', ''],
      ['x-api-key', secrets.marked],
      ['X-Pin', '123'],
      ['X-Other', '123'],
      [
        'Referer',
        `https://${secrets.user}@host/?token=${secrets.code}&page=2#access_token=${secrets.location}`,
      ],
      ['X-Echo', `has ${secrets.bearer} in it`],
    ],
  });
  http.response(exchange, 302, {
    reason: `Found ${secrets.bearer}`,
    headers: [
      ['Set-Cookie', `SID=${secrets.setCookie}; Path=/; Max-Age=60; HttpOnly`],
      ['Set-Cookie', 'gone=; Max-Age=0'],
      ['WWW-Authenticate', 'Bearer realm="mcp", resource_metadata="https://host/.well-known"'],
      ['LOCATION', `/callback?state=kept&code=${secrets.code}&iss=https%3A%2F%2Fhost`],
      ['Content-Location', `https://host/a?X-Api-Key=${secrets.location}`],
      ['authorization', secrets.setCookie],
    ],
  });
  http.end(exchange, 'complete', { trailers: [['X-Late', secrets.bearer]] });
  await expectNoSecret();
  expect(await headersOf('http-request')).toEqual([
    ['Host', 'host'],
    ['aUTHORIZATION', 'Bearer §'],
    ['Proxy-Authorization', 'Basic  §'],
    ['Cookie', 'a=§; theme=§;b=§; §'],
    ['cookie', ''],
    ['x-api-key', '§'],
    ['X-Pin', '§'],
    ['X-Other', '123'],
    ['Referer', 'https://§@host/?token=§&page=2#access_token=§'],
    ['X-Echo', 'has § in it'],
  ]);
  expect(await headersOf('http-response')).toEqual([
    ['Set-Cookie', 'SID=§; Path=/; Max-Age=60; HttpOnly'],
    ['Set-Cookie', 'gone=; Max-Age=0'],
    ['WWW-Authenticate', 'Bearer realm="mcp", resource_metadata="https://host/.well-known"'],
    ['LOCATION', '/callback?state=kept&code=§&iss=https%3A%2F%2Fhost'],
    ['Content-Location', 'https://host/a?X-Api-Key=§'],
    ['authorization', '§'],
  ]);
  expect(without((await recordOf('http-response')).reason)).toBe('Found §');
  const { headers } = await recordOf('http-request');
  const length = secrets.bearer.length;
  expect(headers[1]?.[1]).toMatch(
    new RegExp(`^Bearer \\[secret header:Authorization, ${length} characters, \\w{8}\\]$`),
  );
  // Equal values stay recognisable.
  expect(headers[9]?.[1]).toContain(headers[1]?.[1].slice('Bearer '.length));
});

test('credentials in addresses are replaced, and the address stays', async () => {
  http = await begin();
  const url = `https://${secrets.user}:${secrets.password}@host:8443/mcp?x=1&api_key=${encodeURIComponent(secrets.query)}&state=kept`;
  const exchange = http.request({ url });
  http.end(exchange, 'failed', {
    failure: { step: 'connect', code: 'ECONNREFUSED', message: `no way to ${url} or ${secrets.password}` },
  });
  http.trace.phase('failed', `could not reach https://a:b@host/?code=zz, token ${secrets.query}`);
  const shown = 'https://§@host:8443/mcp?x=1&api_key=§&state=kept';
  expect(without((await recordOf('http-request')).url)).toBe(shown);
  expect(without((await http.rows())[0]?.summary ?? '')).toBe('/mcp?x=1&api_key=§&state=kept');
  expect(without((await recordOf('http-end')).failure?.message ?? '')).toBe(`no way to ${shown} or §`);
  expect(without((await recordOf('phase')).reason ?? '')).toBe(
    'could not reach https://§@host/?code=§ token §',
  );
  const { server } = http.trace.header;
  expect(server.transport === 'http' && without(server.url)).toBe('https://§@host/mcp?api_key=§&x=1');
  expect(without(server.name)).toBe('mine at https://§@host/mcp');
  expect(http.trace.name).not.toContain(secrets.user);
  await expectNoSecret();
});

test('our secrets, and nothing else, are replaced wherever the server repeats them', async () => {
  http = await begin();
  const exchange = http.request({
    headers: [
      ['Authorization', `Bearer ${secrets.bearer}`],
      ['Cookie', `a=${secrets.cookie}`],
    ],
  });
  http.response(exchange, 200);
  const all = [secrets.bearer, secrets.cookie, secrets.marked, secrets.query, secrets.env];
  const json = {
    jsonrpc: '2.0',
    id: 1,
    result: { all, nested: JSON.stringify(all), n: '9007199254740993' },
  };
  http.body(exchange, JSON.stringify(json));
  const page = `<p>${secrets.bearer.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p> & more`;
  http.body(exchange, page, 'body');
  http.body(exchange, all.map(encodeURIComponent).join(' and '), 'body');
  http.body(exchange, all.map((one) => Buffer.from(one).toString('base64')).join(' and '), 'body');
  http.body(
    exchange,
    Buffer.concat([Buffer.from([0xff]), Buffer.from(secrets.bearer), Buffer.from([0xfe])]),
    'body',
  );
  http.stderr(`printed ${secrets.bearer}`);
  http.sink({
    kind: 'process',
    at: 1,
    change: { what: 'stdin-failed', message: `cannot write ${secrets.cookie}` },
  });
  await expectNoSecret();
  const unit = await recordOf('unit');
  const shown = all.map(() => '§');
  expect(JSON.parse(without(unit.text ?? ''))).toEqual({
    ...json,
    result: { all: shown, nested: JSON.stringify(shown), n: '9007199254740993' },
  });
  expect(unit.size).toBe(Buffer.byteLength(JSON.stringify(json)));
  expect(without((await recordOf('http-body')).text ?? '')).toBe('<p>§</p> & more');
  expect(without((await recordOf('http-body', 1)).text ?? '')).toBe(shown.join(' and '));
  expect(without((await recordOf('http-body', 2)).text ?? '').replaceAll('=', '')).toBe(shown.join(' and '));
  const bytes = bytesOf(await recordOf('http-body', 3));
  expect(without(bytes.toString('latin1'))).toBe('\xff§\xfe');
  expect((await recordOf('http-body', 3)).size).toBe(secrets.bearer.length + 2);
  expect(without((await recordOf('stderr')).text ?? '')).toBe('printed §');
  // The session itself is told what really came.
  expect(http.recorded[0]?.unit.text).toBe(JSON.stringify(json));
});

test('a stream repeats no secret in data, ids, names, comments or between pieces', async () => {
  http = await begin();
  const exchange = http.request({ headers: [['Authorization', `Bearer ${secrets.bearer}`]] });
  http.response(exchange, 200);
  const cut = '-'.repeat(PIECE_BYTES - 9);
  const blocks = [
    `: ${secrets.bearer}\nid: ${secrets.marked}\n\n`,
    `id: ${secrets.bearer}\nevent: ${secrets.marked}\ndata: x\n\n`,
    `data: ${cut}${secrets.bearer}-after\n: hello ${secrets.marked}\nid: ${secrets.env}\n\n`,
    `event: endpoint\ndata: /messages?token=${secrets.endpoint}&session=1\n\n`,
  ];
  http.stream(exchange, blocks.join(''));
  http.request({ url: `http://host/messages?token=${secrets.endpoint}` });
  await expectNoSecret();
  const lines = [await recordOf('sse'), await recordOf('sse', 1)];
  expect(lines.map(({ text }) => without(text ?? '')).join('')).toBe(': §\nid: §\n\n');
  expect(lines.map(({ id }) => without(id ?? ''))).toEqual(['', '§']);
  expect(lines.reduce((sum, { size }) => sum + size, 0)).toBe(Buffer.byteLength(blocks[0] ?? ''));
  const named = await recordOf('unit');
  expect(JSON.parse(without(JSON.stringify(named.sse)))).toEqual({
    name: '§',
    id: '§',
    frame: ['id: §\nevent: §\ndata: ', '\n\n'],
  });
  const large = [await recordOf('unit', 1), await recordOf('chunk')];
  expect(without(large.map(({ text }) => text).join(''))).toBe(`${cut}§-after`);
  expect(large.reduce((sum, { size }) => sum + size, 0)).toBe(cut.length + secrets.bearer.length + 6);
  expect(JSON.parse(without(JSON.stringify(large[1]?.sse)))).toEqual({
    id: '§',
    frame: ['data: ', '\n: hello §\nid: §\n\n'],
  });
  expect(without((await recordOf('unit', 2)).text ?? '')).toBe('/messages?token=§&session=1');
});

test.each([
  ['a short one', 'a=short', 'short'],
  ['a word', 'theme=notifications', 'notifications'],
  ['a number', 'visited=1700000000', '1700000000'],
])('a cookie that holds %s is replaced in its header only', async (_, cookie, value) => {
  http = await begin();
  const exchange = http.request();
  http.response(exchange, 200, { headers: [['Set-Cookie', cookie]] });
  http.body(exchange, `{"jsonrpc":"2.0","method":"x","params":{"a":"${value}"}}`);
  expect(JSON.stringify(await recordOf('http-response'))).not.toContain(value);
  expect((await recordOf('unit')).text).toContain(value);
});

const givenValue = 'given-by-the-server-42';

test.each([
  ['a cookie', 'Set-Cookie', `SID=${givenValue}; Path=/`, 'SID=§; Path=/'],
  ['credentials', 'Authorization', `Bearer ${givenValue}`, 'Bearer §'],
  ['an address', 'Location', `/next?token=${givenValue}`, '/next?token=§'],
])(
  '%s that a server sends is replaced in its own header, and nowhere else',
  async (_, name, value, shown) => {
    http = await begin();
    const exchange = http.request();
    http.response(exchange, 200, { headers: [[name, value]], reason: givenValue });
    const message = `{"jsonrpc":"2.0","method":"x","params":{"a":"${givenValue}"}}`;
    http.body(exchange, message);
    http.stderr(givenValue);
    http.end(exchange, 'complete', { trailers: [[name, value]] });
    const response = await recordOf('http-response');
    expect(response.headers.map(([own, text]) => [own, without(text)])).toEqual([[name, shown]]);
    expect(response.reason).toBe(givenValue);
    expect((await recordOf('unit')).text).toBe(message);
    expect((await recordOf('stderr')).text).toBe(givenValue);
    expect((await recordOf('http-end')).trailers?.map(([, text]) => without(text))).toEqual([shown]);
  },
);

test('secrets from a server are replaced where we send them back, and equal values stay recognizable', async () => {
  http = await begin();
  const first = http.request();
  http.response(first, 307, { headers: [['Location', `/next?token=${givenValue}`]] });
  http.end(first);
  http.request({ url: `http://host/next?token=${givenValue}`, redirectOf: first });
  const stream = http.request({ method: 'GET' });
  http.response(stream, 200);
  http.stream(stream, `event: endpoint\ndata: /messages?token=${givenValue}\n\n`);
  const last = http.request({ url: `http://host/messages?token=${givenValue}` });
  const message = `{"jsonrpc":"2.0","method":"x","params":{"a":"${givenValue}"}}`;
  http.body(last, message);
  const urls = (await http.records()).flatMap((one) => (one.kind === 'http-request' ? [one.url] : []));
  expect(urls.map(without)).toEqual([
    'http://127.0.0.1:3000/mcp',
    'http://host/next?token=§',
    'http://127.0.0.1:3000/mcp',
    'http://host/messages?token=§',
  ]);
  const hashes = [...(await http.text()).matchAll(/url:token, 22 characters, (\w{8})/g)].map(
    ([, hash]) => hash,
  );
  expect(hashes).toHaveLength(4);
  expect(new Set(hashes).size).toBe(1);
  expect((await recordOf('unit', -1)).text).toBe(message);
});

test('cookies of a server, however many, do not make what is ours forgotten', async () => {
  http = await begin();
  const exchange = http.request({ headers: [['Authorization', `Bearer ${secrets.bearer}`]] });
  for (let count = 0; count < 500; count++) {
    http.response(exchange, 200, { headers: [['Set-Cookie', `SID=session-${count}-0123456789`]] });
  }
  http.body(exchange, `${secrets.bearer} ${secrets.marked} session-499-0123456789`, 'body');
  expect(without((await recordOf('http-body')).text ?? '')).toBe('§ § session-499-0123456789');
});

test('a server that repeats everything it receives over a real connection leaks nothing', async () => {
  http = await begin(`http://127.0.0.1/mcp?code=${secrets.code}`);
  const server = createServer((request, response) => {
    response.setHeader('Set-Cookie', `SID=${secrets.setCookie}`);
    response.setHeader('X-Echo', request.headers.authorization ?? '');
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: { lines: request.rawHeaders, at: request.url } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = new HttpClient(http.sink, { tls: { accepted: null }, proxy: 'none' });
  try {
    const exchange = client.start({
      method: 'POST',
      url: new URL(`http://127.0.0.1:${port}/mcp?code=${secrets.code}`),
      headers: [
        ['Authorization', `Bearer ${secrets.bearer}`],
        ['X-Api-Key', secrets.env],
      ],
      body: Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'),
      origin: 'user',
      read: ({ exchange: id }) =>
        new WholeBody({ sink: http.sink, unit: () => client.nextUnit(), exchange: id, as: 'message' }),
    });
    await exchange.ended;
  } finally {
    await client.close();
    server.close();
  }
  await expectNoSecret();
  expect((await http.rows()).map(({ kind, status }) => [kind, status])).toEqual([
    ['http', 'ok'],
    ['request', 'ok'],
    ['result', 'ok'],
  ]);
  expect((await http.text()).match(/\[secret /g)?.length).toBeGreaterThan(8);
});
