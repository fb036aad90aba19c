import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { EventFrame } from '#shared/contract/index.ts';
import type { Engine } from '#main/platform.ts';
import { startWebHost, type WebHost } from './host.ts';

/** An engine that answers with what it was asked, and tells what a test makes it tell. */
function echoEngine() {
  const listeners = new Set<(frame: EventFrame) => void>();
  const engine: Engine = {
    handle: async (command, params) => ({ ok: true, result: { command, params } }),
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    openServer: async () => undefined,
    openFile: async () => {},
    close: async () => undefined,
  };
  const tell = (frame: EventFrame) => {
    for (const listener of listeners) listener(frame);
  };
  return { engine, tell, listeners };
}

async function startHost(onPagesGone?: () => void) {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-web-'));
  const pageFolder = join(folder, 'page');
  await mkdir(join(pageFolder, 'assets'), { recursive: true });
  await writeFile(join(pageFolder, 'index.html'), '<title>Sightglass</title>');
  await writeFile(join(pageFolder, 'assets', 'app.js'), 'export {};');
  await writeFile(join(folder, 'private.txt'), 'private');
  await mkdir(join(folder, 'page-next-door'));
  await writeFile(join(folder, 'page-next-door', 'private.txt'), 'private');
  const { engine, tell, listeners } = echoEngine();
  const host = await startWebHost({
    engine,
    pageFolder,
    port: 0,
    ...(onPagesGone && { onPagesGone }),
  });
  onTestFinished(async () => {
    await host.close();
    await rm(folder, { recursive: true });
  });
  return { host, tell, listeners, token: () => new URL(host.newAddress()).hash.replace('#token=', '') };
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly hostHeader?: string;
}

async function get(host: WebHost, { path = '/', method = 'GET', hostHeader }: Asked) {
  const headers = { host: hostHeader ?? `127.0.0.1:${host.port}` };
  const sent = request({ host: '127.0.0.1', port: host.port, path, method, headers }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode, headers: answer.headers, body };
}

interface Knock {
  readonly path?: string;
  readonly origin?: string;
  readonly hostHeader?: string;
}

function knock(host: WebHost, { path = '/engine', origin, hostHeader }: Knock = {}): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, {
    origin: origin ?? `http://127.0.0.1:${host.port}`,
    headers: hostHeader === undefined ? {} : { host: hostHeader },
  });
  onTestFinished(() => {
    if (socket.readyState === WebSocket.OPEN) socket.terminate();
  });
  return socket;
}

/** Connects as a page does: the first frame, then the secret that answers it. */
async function enter(host: WebHost, firstFrame: unknown) {
  const socket = knock(host);
  await once(socket, 'open');
  socket.send(JSON.stringify(firstFrame));
  return { socket, secret: (await nextFrame(socket)).secret as string };
}

async function nextFrame(socket: WebSocket): Promise<Record<string, unknown>> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString()) as Record<string, unknown>;
}

async function closure(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: reason.toString() };
}

const refusedUpgrade = async (socket: WebSocket): Promise<number> => {
  const [error] = (await once(socket, 'error')) as [Error];
  return Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1]);
};

test('the page comes with its policy and is shut to other sites', async () => {
  const { host } = await startHost();
  const page = await get(host, {});
  expect(page).toMatchObject({ status: 200, body: '<title>Sightglass</title>' });
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  expect(page.headers['referrer-policy']).toBe('no-referrer');
  expect(page.headers['cross-origin-opener-policy']).toBe('same-origin');
  const policy = page.headers['content-security-policy'];
  expect(policy).toContain("default-src 'self'; script-src 'self';");
  expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${host.port};`);
  expect(policy).not.toContain('unsafe-eval');
  const script = await get(host, { path: '/assets/app.js?v=1' });
  expect(script).toMatchObject({ status: 200, body: 'export {};' });
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(await get(host, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
});

test('a page may be asked for by 127.0.0.1 only: localhost and foreign names are refused', async () => {
  const { host } = await startHost();
  expect((await get(host, { hostHeader: `127.0.0.1:${host.port}` })).status).toBe(200);
  const foreign = ['evil.example', `evil.example:${host.port}`, '127.0.0.1', '127.0.0.1:1'];
  for (const hostHeader of [...foreign, 'localhost', `localhost:${host.port}`]) {
    const answer = await get(host, { hostHeader });
    expect(answer.status, hostHeader).toBe(403);
    expect(answer.body).not.toContain('Sightglass</title>');
  }
});

test('nothing is changed or found by other methods and paths', async () => {
  const { host } = await startHost();
  expect((await get(host, { method: 'POST' })).status).toBe(405);
  expect((await get(host, { path: '/missing' })).status).toBe(404);
  expect((await get(host, { path: '/assets' })).status).toBe(404);
});

test.each([
  '/../private.txt',
  '/%2e%2e/private.txt',
  '/..%2fprivate.txt',
  '/assets/../../private.txt',
  '/assets/%2e%2e%2f%2e%2e%2fprivate.txt',
  '/../page-next-door/private.txt',
  '/..%5cprivate.txt',
  '/%00',
  '/%ff',
  '//etc/passwd',
])('no path leads out of the page: %s', async (path) => {
  const { host } = await startHost();
  const answer = await get(host, { path });
  expect(answer.status).toBe(404);
  expect(answer.body).not.toContain('private');
});

test('a WebSocket of another site, by another name or on another path is refused', async () => {
  const { host } = await startHost();
  const { port } = host;
  expect(await refusedUpgrade(knock(host, { origin: 'http://evil.example' }))).toBe(403);
  expect(await refusedUpgrade(knock(host, { origin: 'null' }))).toBe(403);
  expect(await refusedUpgrade(knock(host, { origin: `https://127.0.0.1:${port}` }))).toBe(403);
  expect(await refusedUpgrade(knock(host, { hostHeader: `evil.example:${port}` }))).toBe(403);
  expect(await refusedUpgrade(knock(host, { path: '/other' }))).toBe(404);
  const withoutOrigin = new WebSocket(`ws://127.0.0.1:${port}/engine`);
  expect(await refusedUpgrade(withoutOrigin)).toBe(403);
});

test('a token lets one page in; its secret lets that page reload', async () => {
  const { host, token } = await startHost();
  const singleUse = token();
  const first = await enter(host, { token: singleUse });
  expect(first.secret).not.toBe(singleUse);
  first.socket.send(JSON.stringify({ id: 7, command: 'app/info', params: { a: 1 } }));
  const result = { command: 'app/info', params: { a: 1 } };
  expect(await nextFrame(first.socket)).toEqual({ id: 7, outcome: { ok: true, result } });

  const second = knock(host);
  second.on('open', () => second.send(JSON.stringify({ token: singleUse })));
  expect(await closure(second)).toMatchObject({ code: 4401 });

  const replaced = closure(first.socket);
  const reloaded = await enter(host, { secret: first.secret });
  expect(reloaded.secret).toBe(first.secret);
  expect(await replaced).toMatchObject({ code: 4409 });
});

test('a new address replaces an unused one, and pages of two addresses live side by side', async () => {
  const { host, token } = await startHost();
  const unused = token();
  const one = await enter(host, { token: token() });
  const two = await enter(host, { token: token() });
  expect(one.secret).not.toBe(two.secret);
  for (const { socket } of [one, two]) {
    socket.send(JSON.stringify({ id: 1, command: 'app/info', params: {} }));
    expect(await nextFrame(socket)).toMatchObject({ id: 1 });
  }
  const late = knock(host);
  late.on('open', () => late.send(JSON.stringify({ token: unused })));
  expect(await closure(late)).toMatchObject({ code: 4401 });
});

test.each([
  ['no JSON', 'hello'],
  ['a wrong token', JSON.stringify({ token: 'x' })],
  ['a wrong secret', JSON.stringify({ secret: 'x' })],
  ['no secret', JSON.stringify({ secret: null })],
  ['a command', JSON.stringify({ id: 1, command: 'app/info', params: {} })],
])('a first frame with %s ends the connection without an answer', async (_, text) => {
  const { host, token, listeners } = await startHost();
  token();
  const socket = knock(host);
  let answers = 0;
  socket.on('message', () => answers++);
  socket.on('open', () => socket.send(text));
  expect(await closure(socket)).toEqual({ code: 4401, reason: 'a token or secret is needed' });
  expect(answers).toBe(0);
  expect(listeners.size).toBe(0);
});

test.each([
  ['one frame that never ends', Buffer.alloc(8 * 1024, 'x'), false],
  ['one whole frame', JSON.stringify({ token: 'x'.repeat(60 * 1024 * 1024) }), true],
  ['many small frames that never make a message', Buffer.alloc(100, 'x'), false],
])('of a stranger 4 kB are taken and no more: %s', async (_, data, fin) => {
  const { host, token, listeners } = await startHost();
  token();
  const socket = knock(host);
  socket.on('error', () => undefined);
  const ended = closure(socket);
  await once(socket, 'open');
  for (let frame = 0; frame < 100 && socket.readyState === WebSocket.OPEN; frame++) {
    socket.send(data, { fin });
    if (fin) break;
  }
  expect(await ended).toMatchObject({ code: 1009 });
  expect(listeners.size).toBe(0);
});

test('a first frame above 4 kB lets nobody in, even with the right token', async () => {
  const { host, token, listeners } = await startHost();
  const socket = knock(host);
  socket.on('open', () => socket.send(JSON.stringify({ token: token(), more: 'x'.repeat(5_000) })));
  expect((await closure(socket)).code).not.toBe(1000);
  expect(listeners.size).toBe(0);
});

test('a page that was let in may send large frames, also at once', async () => {
  const { host, token } = await startHost();
  const socket = knock(host);
  await once(socket, 'open');
  const answered = new Promise<Buffer>((resolve) => {
    let frames = 0;
    socket.on('message', (data: Buffer) => ++frames === 2 && resolve(data));
  });
  socket.send(JSON.stringify({ token: token() }));
  const large = 'x'.repeat(8 * 1024 * 1024);
  socket.send(JSON.stringify({ id: 1, command: 'app/info', params: { large } }));
  expect((await answered).length).toBeGreaterThan(large.length);
});

test('a connection that says nothing is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const { host } = await startHost();
  const socket = knock(host);
  const ended = closure(socket);
  await once(socket, 'open');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toMatchObject({ code: 4401 });
});

test.each([
  ['no JSON', 'hello', 1007],
  ['no request', '{"id":"1","command":"app/info"}', 1008],
  ['binary', Buffer.from('{}'), 1003],
])('a frame that is %s closes the connection with a reason', async (_, data, code) => {
  const { host, token, listeners } = await startHost();
  const { socket } = await enter(host, { token: token() });
  socket.send(data);
  const ended = await closure(socket);
  expect(ended.code).toBe(code);
  expect(ended.reason).not.toBe('');
  await expect.poll(() => listeners.size).toBe(0);
});

const counts = { errors: 0, found: 0, asks: 0 };

test('the engine’s events reach every page until it leaves', async () => {
  const { host, token, tell, listeners } = await startHost();
  const { socket } = await enter(host, { token: token() });
  tell({ event: 'trace/grew', payload: { sessionId: 's', rows: 3, changedFrom: 1, counts } });
  expect(await nextFrame(socket)).toMatchObject({ event: 'trace/grew', payload: { rows: 3 } });
  socket.close();
  await once(socket, 'close');
  await expect.poll(() => listeners.size).toBe(0);
});

test('a page that stops reading costs a bounded amount and ends up with the newest state', async () => {
  const { host, token, tell } = await startHost();
  const { socket } = await enter(host, { token: token() });
  socket.pause();
  const arg = 'x'.repeat(100_000);
  const rounds = 2_000;
  for (let rows = 1; rows <= rounds; rows++) {
    tell({ event: 'servers/changed', payload: [serverWith(arg, rows)] });
    tell({ event: 'trace/grew', payload: { sessionId: 's', rows, changedFrom: rows - 1, counts } });
    if (rows % 100 === 0) await new Promise(setImmediate);
  }

  const frames: EventFrame[] = [];
  let bytes = 0;
  socket.on('message', (data: Buffer) => {
    bytes += data.length;
    frames.push(JSON.parse(data.toString()) as EventFrame);
  });
  socket.resume();
  const growth = () => frames.filter((frame) => frame.event === 'trace/grew').map((frame) => frame.payload);
  await expect.poll(() => growth().at(-1)).toMatchObject({ rows: rounds });
  // 200 MB were told. What was kept is the high-water mark and what the two sockets' buffers hold.
  expect(bytes).toBeLessThan(40 * 1024 * 1024);
  expect(frames.findLast((frame) => frame.event === 'servers/changed')?.payload).toMatchObject([
    { name: `server ${rounds}` },
  ]);
  // No row was skipped: each notice reaches back to where the one before it ended.
  const spans = growth() as { rows: number; changedFrom: number }[];
  expect(spans.every((span, index) => span.changedFrom <= (spans[index - 1]?.rows ?? 0))).toBe(true);
});

test('a rebuilt page is reloaded', async () => {
  const { host, token } = await startHost();
  const { socket, secret } = await enter(host, { token: token() });
  const reported = closure(socket);
  host.reloadPages();
  expect(await reported).toMatchObject({ code: 1012 });
  expect((await enter(host, { secret })).secret).toBe(secret);
});

test('the end of the last page is reported, a reload is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const gone = vi.fn<() => void>();
  const { host, token, listeners } = await startHost(gone);
  expect(host.hasHadPage()).toBe(false);
  const { socket, secret } = await enter(host, { token: token() });
  expect(host.hasHadPage()).toBe(true);
  const leave = async (page: WebSocket) => {
    page.close();
    await expect.poll(() => listeners.size).toBe(0);
  };
  await leave(socket);
  const reloaded = await enter(host, { secret });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(gone).not.toHaveBeenCalled();
  await leave(reloaded.socket);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(gone).toHaveBeenCalledOnce();
});

test('closing ends every connection and frees the port', async () => {
  const { host, token } = await startHost();
  const { socket } = await enter(host, { token: token() });
  const ended = closure(socket);
  await Promise.all([host.close(), host.close()]);
  expect(await ended).toMatchObject({ code: 1001 });
  await expect(get(host, {})).rejects.toThrow('ECONNREFUSED');
});

test('a taken port is said', async () => {
  const { host } = await startHost();
  const { engine } = echoEngine();
  await expect(startWebHost({ engine, pageFolder: '/', port: host.port })).rejects.toThrow('EADDRINUSE');
});

const serverWith = (arg: string, number: number) => ({
  id: 's',
  source: 'user',
  name: `server ${number}`,
  notes: '',
  revision: null,
  timeouts: { initialize: 1, request: 1, requestMax: 1 },
  transport: { kind: 'stdio', command: 'x', args: [arg], cwd: null, env: [], inherit: 'safe' },
});
