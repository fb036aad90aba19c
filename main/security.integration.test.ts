// What docs/security.md promises of the engine as a whole, with real servers and real files.
import dgram from 'node:dgram';
import { readdir, readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { listen } from '#fixtures/http/listen.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { exportFormats } from '#shared/contract/exports.ts';
import { header, linesOf, unit } from '#fixtures/trace/trace-text.ts';

const redaction = { isOn: true, patterns: [] };
const SECRET = 'planted-7Qm2xVb9Lk4TzR8w';

/** Every file below a folder, by path. */
async function filesBelow(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (path) => [path, await readFile(path, 'latin1')] as const)),
  );
}

/** The forms in which the secret could stand in a file. */
const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + secret)
      .toString('base64')
      .slice(4, -4),
  ),
  Buffer.from(secret).toString('hex'),
];

test('a planted secret is in no trace, settings file or export, though servers repeat it', async () => {
  const engine = await EngineFixture.open();
  onTestFinished(() => engine.close());
  const repeating = scriptedServer(`
    'tools/call'(request) {
      const { TOKEN } = process.env;
      process.stderr.write('started with ' + TOKEN + '\\n');
      console.log('noise ' + TOKEN);
      write({ method: 'notifications/message', params: { level: 'info', data: { TOKEN } } });
      answer(request, { content: [{ type: 'text', text: 'token ' + TOKEN }] });
    },`);
  const stdio = await engine.connect(repeating, { env: [{ name: 'TOKEN', value: SECRET, secret: true }] });
  await engine.callTool(stdio.id, 'any', {});
  const server = await ScriptedHttpServer.open({
    intercept: (exchange) => {
      exchange.headers['X-Repeated'] = exchange.received.header('x-api-key') ?? '';
      return false;
    },
    handlers: {
      'tools/call': (_, exchange) => ({
        content: [{ type: 'text', text: `key ${exchange.received.header('x-api-key')}` }],
      }),
    },
  });
  onTestFinished(() => server.close());
  const headers = [{ name: 'X-Api-Key', value: SECRET, secret: true }];
  const http = await engine.connectUrl(server.url, { http: { headers } });
  await engine.callTool(http.id, 'echo', {});
  expect(server.requests.some((request) => request.header('x-api-key') === SECRET)).toBe(true);

  const written: string[] = [];
  for (const sessionId of [stdio.id, http.id]) {
    // A session over stdio has no HTTP to make a HAR of.
    for (const format of exportFormats.filter((one) => one !== 'har' || sessionId === http.id)) {
      const { path } = await engine.call('exports/suggest', { sessionId, format });
      const rows = { of: 'all' } as const;
      await engine.call('exports/write', { sessionId, format, rows, redaction, path });
      written.push(path);
    }
  }
  // Closed, it writes nothing while the files are read.
  await engine.engine.close();
  const files = await filesBelow(engine.folder);
  for (const path of written) files.set(path, await readFile(path, 'latin1'));
  // The traces hold that it was repeated, and the settings that it is set.
  expect([...files.values()].join('\n')).toContain('[secret env:TOKEN');
  expect([...files.keys()].some((path) => path.endsWith('servers.json'))).toBe(true);
  for (const [path, content] of files) {
    for (const form of forms(SECRET)) expect(content.includes(form), `${path} holds ${form}`).toBe(false);
  }
});

test('of the fields of a form that ask for a secret by name nothing is kept with the place, and of others everything', async () => {
  const engine = await EngineFixture.open();
  onTestFinished(() => engine.close());
  const { serverId } = await engine.connect(scriptedServer(''));
  const secret = [
    'pass',
    'otp',
    'pin',
    'key',
    'userPin',
    'SMTP_PASS',
    'cvv',
    'auth',
    'verification-code',
    'passphrase',
  ];
  const other = [
    'keyboard',
    'monkey',
    'author',
    'passenger',
    'spin',
    'primaryKey',
    'countryCode',
    'nextPageToken',
  ];
  const fields = [...secret, ...other].map((name) => [name, `4711-of-${name}.`]);
  const typed = { text: JSON.stringify(Object.fromEntries(fields)), headers: 'X-Mode: text' };
  await engine.call('place/keep', { entries: { form: { serverId, chosen: {}, typed } } });
  await engine.engine.close();
  const kept = await readFile(join(engine.folder, 'place.json'), 'utf8');
  expect(secret.filter((name) => kept.includes(`4711-of-${name}.`))).toEqual([]);
  expect(other.filter((name) => !kept.includes(`4711-of-${name}.`))).toEqual([]);
  expect(kept).toContain('X-Mode: text');
});

test('opening a hostile file starts no process and fetches nothing', async () => {
  const fetched: string[] = [];
  const counting = await listen((request, response) => {
    fetched.push(request.url ?? '');
    response.end();
  });
  onTestFinished(() => counting.close());
  const opened = await OpenedFiles.begin();
  onTestFinished(() => opened.close());
  const { origin } = counting;
  const marker = join(opened.engine.folder, 'started');
  const starting = {
    command: process.execPath,
    args: ['-e', `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`],
  };
  const schema = { $schema: `${origin}/schema`, $ref: `${origin}/ref`, type: 'object' };
  const html = `<img src="${origin}/img"><script src="${origin}/js"></script>[x](${origin}/md)`;
  const { sessionId, ...view } = await opened.readText(
    linesOf(
      {
        ...header,
        server: { ...header.server, ...starting, name: html, icons: [{ src: `${origin}/icon` }] },
      },
      {
        seq: 0,
        at: 1,
        kind: 'process',
        change: { what: 'spawn', ...starting, cwd: '/', env: ['NODE_OPTIONS'], pid: 1 },
      },
      unit(
        1,
        {
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'a', version: '1' },
          },
        },
        'out',
      ),
      unit(2, {
        id: 1,
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: {
            name: html,
            version: '1',
            icons: [{ src: `${origin}/icon` }],
            websiteUrl: `${origin}/web`,
          },
        },
      }),
      unit(3, { id: 2, method: 'tools/list' }, 'out'),
      unit(4, {
        id: 2,
        result: {
          tools: [
            {
              name: 'x',
              description: html,
              inputSchema: schema,
              outputSchema: schema,
              icons: [{ src: `${origin}/tool` }],
            },
          ],
        },
      }),
      {
        seq: 5,
        at: 70,
        kind: 'http-request',
        exchange: 1,
        method: 'GET',
        url: `${origin}/exchange`,
        headers: [],
        bodySize: 0,
        origin: 'automatic',
      },
      {
        seq: 6,
        at: 80,
        kind: 'http-response',
        exchange: 1,
        status: 302,
        reason: '',
        httpVersion: '1.1',
        headers: [
          ['Location', `${origin}/redirect`],
          ['WWW-Authenticate', `Bearer resource_metadata="${origin}/metadata"`],
        ],
      },
      unit(7, {
        id: 3,
        result: {
          content: [
            { type: 'resource_link', uri: `${origin}/link`, name: 'x' },
            { type: 'text', text: html },
          ],
        },
      }),
    ),
  );
  expect(view).toMatchObject({ isRead: true });
  const rows = await opened.engine.rows(sessionId);
  expect(rows.length).toBeGreaterThan(6);
  for (const { row } of rows) {
    await opened.engine.call('trace/detail', { sessionId, row });
    await opened.engine.call('checks/of-row', { sessionId, row });
  }
  await opened.engine.call('trace/statistics', { sessionId, rows: { of: 'all' } });
  for (const format of exportFormats) {
    const { path } = await opened.engine.call('exports/suggest', { sessionId, format });
    await opened.engine.call('exports/write', {
      sessionId,
      format,
      rows: { of: 'all' },
      redaction,
      path,
    });
  }
  await expect(stat(marker)).rejects.toThrow('ENOENT');
  expect(fetched).toEqual([]);
  // The server that counts does count.
  await fetch(`${origin}/counted`);
  expect(fetched).toEqual(['/counted']);
});

test('the app opens no socket but to the servers of the user', async () => {
  const connected = vi.spyOn(Socket.prototype, 'connect');
  const datagrams = vi.spyOn(dgram, 'createSocket');
  onTestFinished(() => void vi.restoreAllMocks());
  const engine = await EngineFixture.open({ host: 'web' });
  onTestFinished(() => engine.close());
  const stdio = await engine.connect(scriptedServer(''));
  await engine.call('sessions/close', { sessionId: stdio.id });
  expect(connected).not.toHaveBeenCalled();

  const server = await ScriptedHttpServer.open();
  onTestFinished(() => server.close());
  const http = await engine.connectUrl(server.url);
  expect(http.phase).toBe('ready');
  await engine.call('sessions/close', { sessionId: http.id });
  const { hostname, port } = new URL(server.url);
  const opened = connected.mock.calls.map((call) => JSON.stringify(call));
  expect(opened).not.toEqual([]);
  for (const target of opened) {
    expect(target).toContain(`"${hostname}"`);
    expect(target).toContain(port);
  }
  expect(datagrams).not.toHaveBeenCalled();
});
