import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ProtectedServer, type ProtectedServerOptions } from '#fixtures/authorization/protected-server.ts';
import { Cli, type CliRun } from '#fixtures/cli/cli.ts';
import { startSdkServer } from '#fixtures/http/start-server.ts';

let folder: string;
/** A recording over HTTP, which can be served in both ways. */
let trace: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-listeners-'));
  trace = join(folder, 'session.mcptrace');
  const server = await startSdkServer('legacy');
  const recording = await Cli.open();
  await recording.runBare(['list', 'tools', '--url', server.url]);
  await writeFile(trace, await recording.trace());
  await recording.close();
  await server.close();
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

let cli: Cli;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(() => cli.close());

/** `sightglass auth` up to its wait for the browser. */
async function waitingForBrowser(options: ProtectedServerOptions, ...args: string[]): Promise<CliRun> {
  const server = await ProtectedServer.open(options);
  onTestFinished(() => server.close());
  const run = cli.startBare(['auth', '--no-browser', '--url', server.url, ...args]);
  await run.printedText('code_challenge=');
  return run;
}

async function printing(text: string, ...args: string[]): Promise<CliRun> {
  const run = cli.startBare(args);
  await run.printedText(text);
  return run;
}

/** Everything of the product that listens: what starts it, where it says that it does, and a request that it answers. */
const listeners: readonly {
  readonly name: string;
  readonly start: () => Promise<CliRun>;
  readonly at: RegExp;
  readonly path: string;
  readonly status: number;
}[] = [
  {
    name: 'the callback listener',
    start: () => waitingForBrowser({}),
    at: /redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A(\d+)/,
    path: '/favicon.ico',
    status: 404,
  },
  {
    name: 'the test identity provider',
    start: () =>
      waitingForBrowser(
        { authorization: { assertionType: 'oauth-id-jag+jwt' } },
        '--grant',
        'enterprise',
        '--client-id',
        'me',
        '--test-identity-provider',
        'Ada',
      ),
    at: /http:\/\/127\.0\.0\.1:(\d+)\/authorize\?/,
    path: '/jwks',
    status: 200,
  },
  {
    name: 'the web host',
    start: () => printing('#token=', 'open', '--web'),
    at: /http:\/\/127\.0\.0\.1:(\d+)\/#token=/,
    path: '/missing',
    status: 404,
  },
  {
    name: 'a mock',
    start: () => printing('http://127.0.0.1:', 'mock', trace, '--http', '0'),
    at: /http:\/\/127\.0\.0\.1:(\d+)\//,
    path: '/missing',
    status: 404,
  },
  {
    name: 'a mock of bytes',
    start: () => printing('http://127.0.0.1:', 'mock', trace, '--http', '0', '--bytes'),
    at: /http:\/\/127\.0\.0\.1:(\d+)\//,
    path: '/missing',
    status: 404,
  },
];

const host = (port: number) => `Host: 127.0.0.1:${port}\r\n`;
const plain = (target: string, method = 'GET') => `${method} ${target} HTTP/1.1\r\nHOST\r\n`;
const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';

/** What a page, a redirect or any program of this machine can send; `HOST` is the right header of that name. */
const hostile: readonly (readonly [name: string, text: string])[] = [
  ['a path that is not a URL behind an address', plain('//')],
  ['a path like another host', plain('//evil.example/callback?code=c')],
  ['a path like a port that is none', plain('//x:99999/')],
  ['an address that is not a URL', plain('http://[')],
  ['an absolute address of another host', plain('http://evil.example/')],
  ['a backslash', plain('\\')],
  ['an asterisk', plain('*', 'OPTIONS')],
  ['no target of a path', plain('a:b')],
  ['a tunnel', plain('evil.example:443', 'CONNECT')],
  ['percent signs that encode nothing', plain('/%E0%A4%A?state=%&code=%zz')],
  ['a percent sign and a NUL', plain('/%00%')],
  ['a fragment', plain('/callback#code=c')],
  ['a HEAD', plain('/callback?code=c&state=s', 'HEAD')],
  ['another method', plain('/callback?code=c&state=s', 'DELETE')],
  ['a Host that is no host', 'GET / HTTP/1.1\r\nHost: [\r\n\r\n'],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHOSTHost: evil.example\r\n\r\n'],
  ['an upgrade without a key', `GET // HTTP/1.1\r\nHOST${upgrade}\r\n`],
  ['an upgrade to nothing known', `GET /engine HTTP/1.1\r\nHOSTConnection: Upgrade\r\nUpgrade: x\r\n\r\n`],
  [
    'an upgrade of a page of ours with half a handshake',
    `GET /engine HTTP/1.1\r\nHOSTOrigin: http://127.0.0.1:PORT\r\n${upgrade}Sec-WebSocket-Version: 99\r\n\r\n`,
  ],
  ['a huge head', `GET / HTTP/1.1\r\nHOSTX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ['a target of 20 kB', plain(`/${'a'.repeat(20_000)}`)],
  ['an expectation', 'POST / HTTP/1.1\r\nHOSTExpect: what\r\nContent-Length: 1\r\n\r\nx'],
  ['a body that is cut off', 'POST /token HTTP/1.1\r\nHOSTContent-Length: 1000\r\n\r\ngrant'],
  ['a chunk that is none', 'POST / HTTP/1.1\r\nHOSTTransfer-Encoding: chunked\r\n\r\nzz\r\nx'],
  ['two requests at once', plain('//') + plain('//')],
  ['no HTTP', '\x16\x03\x01\x02\0\x01'],
];

/** Sends bytes as they are, and resolves with what came once the connection is over or still. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(text, 'latin1'));
    const done = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(150, done);
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      socket.setTimeout(20, done);
    });
    socket.once('error', done).once('close', done);
  });
}

test.each(listeners)('no request ends $name', async ({ start, at, path, status }) => {
  const run = await start();
  const port = Number(at.exec(run.stdout + run.stderr)?.[1]);
  for (const [name, text] of hostile) {
    const sent = text.replaceAll('HOST', host(port)).replaceAll('PORT', String(port));
    const received = await send(port, sent);
    // It is answered without a failure of ours, or nothing is said at all.
    expect(received.split('\r\n')[0], name).toMatch(/^(?:HTTP\/1\.1 [24]\d\d .*)?$/);
    const after = await fetch(`http://127.0.0.1:${port}${path}`).then(
      (response) => response.status,
      () => 'nobody listens any more',
    );
    expect([name, after]).toEqual([name, status]);
  }
  run.child.kill('SIGINT');
  const { stderr } = await run.ended;
  expect(stderr).not.toMatch(/TypeError|UnhandledPromise|Invalid URL/);
});

test('each listener is in the list above, and all of them share one module', () => {
  const main = fileURLToPath(new URL('../../', import.meta.url));
  const opening = /\bcreateServer\b|new WebSocketServer\(|from 'node:(?:http2|dgram)'/;
  const files = globSync('**/*.ts', { cwd: main })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => opening.test(readFileSync(join(main, file), 'utf8')));
  // The web host takes WebSockets from the server that the listener opened.
  expect(files.toSorted()).toEqual([join('hosts', 'web', 'host.ts'), join('transports', 'listener.ts')]);
  const users = globSync('**/*.ts', { cwd: main })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /\bfrom '#transports\/listener\.ts'/.test(readFileSync(join(main, file), 'utf8')));
  expect(users.toSorted()).toEqual(
    [
      'authorization/callback-listener.ts',
      'authorization/identity-provider/test-identity-provider.ts',
      'hosts/web/host.ts',
      'hosts/web/page-server.ts',
      'replay/mock/bytes/byte-http.ts',
      'replay/mock/http-server.ts',
    ].map((file) => join(...file.split('/'))),
  );
});
