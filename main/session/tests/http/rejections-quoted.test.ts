import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { Exchange } from '#fixtures/http/exchange.ts';
import type { Script } from '#fixtures/http/scripted-app.ts';
import { rejection } from '#fixtures/misbehaving/base.ts';

const bench = benchForEachTest();

/** Refuses every request, or those that call a tool. */
const refusing = (refuse: (exchange: Exchange) => void, calls = false): Script => ({
  intercept: (exchange) => {
    const isCall = exchange.received.messages.some(({ method }) => method === 'tools/call');
    if (!calls || isCall) refuse(exchange);
    return !calls || isCall;
  },
});

const challenge =
  'Bearer error="invalid_token", error_description="it \\"expired\\"", scope="files:read files:write", ' +
  'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource", nonce="n0nce", Basic realm="old"';

const answer401 = ({ response }: Exchange): void => {
  response.writeHead(401, { 'WWW-Authenticate': challenge, 'Content-Type': 'text/plain' });
  response.end('Token expired.\n\n  Ask \u001b[31mops\u001b[0m for a new one.\r\nLine three');
};

const quoted = [
  'WWW-Authenticate: Bearer error="invalid_token", error_description="it "expired"", scope="files:read files:write", resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"',
  'WWW-Authenticate: Basic realm="old"',
  'Token expired.',
  '  Ask \u001b[31mops\u001b[0m for a new one.',
  'Line three',
];

test('a refused connection quotes the challenge and the first lines of the body', async () => {
  const server = await bench.serve(refusing(answer401));
  for (const era of ['auto', 'legacy'] as const) {
    const { fault } = await bench.engine.connectUrl(server.url, { era });
    expect(fault).toMatchObject({ code: 'http-status-401', quote: quoted.join('\n') });
    expect(fault?.why).toContain('It requires authorization');
  }
});

test('a refused call quotes them as well', async () => {
  const server = await bench.serve(
    refusing(({ response }) => {
      const headers = { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="admin"' };
      response.writeHead(403, headers).end('{"message":"You need admin"}');
    }, true),
  );
  const { id } = await bench.engine.connectUrl(server.url);
  const { fault } = await bench.engine.callTool(id, 'echo', {});
  expect(fault).toMatchObject({
    code: 'http-status-403',
    quote: 'WWW-Authenticate: Bearer error="insufficient_scope", scope="admin"\n{"message":"You need admin"}',
  });
});

test('a refusal in the words of JSON-RPC quotes the challenge', async () => {
  const server = await bench.serve(
    refusing((exchange) => {
      exchange.headers['WWW-Authenticate'] = 'Bearer resource_metadata="http://127.0.0.1/none"';
      exchange.json(rejection({ id: null }, -32001, 'Unauthorized'), 401);
    }),
  );
  const { fault } = await bench.engine.connectUrl(server.url);
  expect(fault?.quote).toBe('WWW-Authenticate: Bearer resource_metadata="http://127.0.0.1/none"');
  expect(fault?.evidence).toContain('Unauthorized');
});

test('a call that is refused in the words of JSON-RPC quotes the challenge as well', async () => {
  const server = await bench.serve(
    refusing((exchange) => {
      const [request] = exchange.received.messages;
      exchange.headers['WWW-Authenticate'] = 'Bearer error="insufficient_scope", scope="admin"';
      exchange.json(rejection(request ?? { id: null }, -32001, 'Forbidden'), 403);
    }, true),
  );
  const { id } = await bench.engine.connectUrl(server.url);
  const call = await bench.engine.callTool(id, 'echo', {});
  expect(call).toMatchObject({
    state: 'protocol-error',
    error: { code: -32001, message: 'Forbidden' },
    fault: { quote: 'WWW-Authenticate: Bearer error="insufficient_scope", scope="admin"' },
  });

  const cli = await Cli.open();
  try {
    const { exitCode, stderr } = await cli.runBare(['call', 'echo', '--url', server.url]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /error -32001[^]*Forbidden\n {2}it said:\n {4}WWW-Authenticate: Bearer error="insuf/,
    );
  } finally {
    await cli.close();
  }
});

test('a long body is quoted by its first lines, an encoded one decoded, and an empty one not at all', async () => {
  const long = Array.from({ length: 5000 }, (_, line) => `${line} ${'x'.repeat(500)}`).join('\n');
  const bodies: Record<string, (exchange: Exchange) => void> = {
    long: (exchange) => exchange.reply(502, {}, long),
    zipped: (exchange) => exchange.reply(502, { 'Content-Encoding': 'gzip' }, gzipSync('sorry')),
    empty: (exchange) => exchange.reply(502),
  };
  const quotes: Record<string, string | undefined> = {};
  for (const [name, body] of Object.entries(bodies)) {
    const server = await bench.serve(refusing(body, true));
    const { id } = await bench.engine.connectUrl(server.url);
    const { fault } = await bench.engine.callTool(id, 'echo', {});
    expect(fault?.code).toBe('http-status-502');
    quotes[name] = fault?.quote;
  }
  expect(quotes.long?.split('\n').map((line) => line.length)).toEqual([200, 200, 200, 200, 200, 200, 1]);
  expect([quotes.zipped, quotes.empty]).toEqual(['sorry', undefined]);
});

test('a secret that the server says back is quoted as replaced, even where a line is cut', async () => {
  const value = 'hush-0123456789-'.repeat(4);
  const server = await bench.serve(
    refusing(({ response, received }) => {
      const key = received.header('x-api-key') ?? '';
      response.setHeader('WWW-Authenticate', `Bearer error_description="not ${key}"`);
      response.writeHead(401).end(`${'x'.repeat(170)} ${key}`);
    }),
  );
  const headers = [{ name: 'X-Api-Key', value, secret: true }];
  const { fault } = await bench.engine.connectUrl(server.url, { http: { headers } });
  expect(fault?.quote).toContain('error_description="not [secret ');
  expect(fault?.quote).toContain('x [secret ');
  expect(JSON.stringify(fault)).not.toContain('hush');
});

test('the terminal prints the quote before the likely cause, with control characters made visible', async () => {
  const server = await bench.serve(refusing(answer401));
  const cli = await Cli.open();
  try {
    const { exitCode, stderr } = await cli.runBare(['list', 'tools', '--url', server.url]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /it said:\n {4}WWW-Authenticate: Bearer error="invalid_token"[^]*\n {4}Line three\n {2}why: /,
    );
    expect(stderr).not.toContain('\u001b');
    expect(stderr).toContain('[31mops');
  } finally {
    await cli.close();
  }
});
