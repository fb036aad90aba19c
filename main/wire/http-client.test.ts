import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type RawServer, startRawServer } from '#fixtures/http/raw-server.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { ClientUnderTest } from './http-client-under-test.ts';

const servers: RawServer[] = [];
const clients: ClientUnderTest[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(...[answer]: Parameters<typeof startRawServer>): Promise<RawServer> {
  const server = await startRawServer(answer);
  servers.push(server);
  return server;
}

function newClient(): ClientUnderTest {
  const under = new ClientUnderTest();
  clients.push(under);
  return under;
}

/** An answer with a body, which keeps the connection. */
const ok = (body = '', ...lines: string[]) =>
  ['HTTP/1.1 200 OK', `Content-Length: ${body.length}`, ...lines, '', body].join('\r\n');
const redirect = (status: number, location: string) =>
  `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 4\r\n\r\nmove`;

describe('an exchange', () => {
  test('puts header lines on the wire in their order and case, duplicates and all, and reads them so', async () => {
    const server = await serve((socket) =>
      socket.write(
        'HTTP/1.1 200 Fine by me\r\nX-b: 1\r\nx-B: 2\r\nX-A:  spaced \r\nContent-Length: 2\r\n\r\n{}',
      ),
    );
    const under = newClient();
    const { response, body, how, cut } = await under.post(`${server.origin}/mcp?q=%20#part`, '{"a":1}', {
      headers: [
        ['zeta', '1'],
        ['ACCEPT', 'application/json, text/event-stream'],
        ['Zeta', '2'],
        ['accept', 'text/html'],
      ],
    });
    const host = server.origin.slice('http://'.length);
    expect(server.received()).toBe(
      [
        'POST /mcp?q=%20 HTTP/1.1',
        `Host: ${host}`,
        'zeta: 1',
        'ACCEPT: application/json, text/event-stream',
        'Zeta: 2',
        'accept: text/html',
        'Content-Length: 7',
        'Connection: keep-alive',
        '',
        '{"a":1}',
      ].join('\r\n'),
    );
    const [asked] = under.all('http-request');
    expect(asked).toMatchObject({
      method: 'POST',
      url: `${server.origin}/mcp?q=%20`,
      bodySize: 7,
      origin: 'user',
    });
    expect(asked!.headers.map((line) => line.join(': ')).join('\r\n')).toBe(
      server.received().split('\r\n').slice(1, 8).join('\r\n'),
    );
    expect([how, body, cut]).toEqual(['complete', '{}', false]);
    expect(response).toMatchObject({ exchange: 1, status: 200, reason: 'Fine by me' });
    expect(response?.headers).toEqual([
      ['X-b', '1'],
      ['x-B', '2'],
      ['X-A', 'spaced'],
      ['Content-Length', '2'],
    ]);
    expect([response?.header('x-b'), response?.header('x-c')]).toEqual(['1', null]);
  });

  test('adds no line that is there already, in any case', async () => {
    const server = await serve((socket) => socket.end(ok()));
    const under = newClient();
    await under.post(`${server.origin}/`, 'four', {
      headers: [
        ['HOST', 'other.example'],
        ['content-length', '4'],
        ['connection', 'close'],
      ],
    });
    expect(server.received()).toBe(
      'POST / HTTP/1.1\r\nHOST: other.example\r\ncontent-length: 4\r\nconnection: close\r\n\r\nfour',
    );
  });

  test('reports everything in the order it happened, stamped', async () => {
    const server = await serve((socket) => socket.write(ok('hello')));
    const under = newClient();
    await under.post(`${server.origin}/`, '{}');
    expect(under.events.map(({ kind }) => kind)).toEqual([
      'http-request',
      'message-bytes',
      'http-connected',
      'http-response',
      'http-end',
    ]);
    const stamps = under.events.map(({ at }) => at);
    expect(stamps.toSorted((a, b) => a - b)).toEqual(stamps);
    expect(stamps[0]).toBe(stamps[1]);
    expect(under.all('message-bytes')).toMatchObject([
      { direction: 'out', channel: 'http', origin: 'user', exchange: 1, first: true, more: false },
    ]);
    expect(under.all('http-response')).toMatchObject([{ exchange: 1, httpVersion: '1.1', status: 200 }]);
    expect(under.ends).toEqual([
      { kind: 'http-end', at: stamps.at(-1), exchange: 1, how: 'complete', size: 5 },
    ]);
  });

  test('has its request on the record when start returns', () => {
    const under = newClient();
    under.start('http://127.0.0.1:9/', { method: 'POST', body: Buffer.from('x') });
    expect(under.events.map(({ kind }) => kind)).toEqual(['http-request', 'message-bytes']);
  });

  test('reports a large body in pieces of one unit', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    await under.post(`${server.origin}/`, 'x'.repeat(PIECE_BYTES + 1));
    const pieces = under.all('message-bytes');
    expect(pieces.map(({ first, more, bytes }) => [first, more, bytes.length])).toEqual([
      [true, true, PIECE_BYTES],
      [false, false, 1],
    ]);
    expect(new Set(pieces.map(({ unit }) => unit)).size).toBe(1);
  });

  test('tells how it was connected: the steps of a new connection, none of one that is used again', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    const url = `http://localhost:${server.port}/`;
    await under.ask(url);
    await under.ask(url);
    const [first, second] = under.all('http-connected');
    expect(first).toMatchObject({ reused: false, remote: `127.0.0.1:${server.port}` });
    expect(Object.keys(first!.took)).toEqual(['lookup', 'connect']);
    expect(second).toMatchObject({ reused: true, remote: `127.0.0.1:${server.port}`, took: {} });
    expect(server.connections()).toBe(1);
  });

  test('needs no lookup for an address', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    await under.ask(server.origin);
    expect(Object.keys(under.all('http-connected')[0]!.took)).toEqual(['connect']);
  });

  test('runs beside any number of others', async () => {
    const held: Socket[] = [];
    const server = await serve((socket) => {
      held.push(socket);
      if (held.length === 40) for (const one of held) one.write(ok('all'));
    });
    const under = newClient();
    const all = await Promise.all(Array.from({ length: 40 }, () => under.ask(server.origin)));
    expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 40 }, () => 'all'));
  });

  test('reports informational responses beside the final one', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write(ok('done'));
    });
    const under = newClient();
    expect(await under.ask(server.origin)).toMatchObject({ how: 'complete', body: 'done' });
    expect(under.all('http-response')).toMatchObject([
      { status: 100, interim: true },
      { status: 103, interim: true, headers: [['Link', '</x>']] },
      { status: 200 },
    ]);
    expect(under.all('http-response')[2]).not.toHaveProperty('interim');
  });

  test('reports trailers', async () => {
    const server = await serve((socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\n',
      ),
    );
    const under = newClient();
    expect(await under.ask(server.origin)).toMatchObject({ how: 'complete', body: 'abc' });
    expect(under.ends[0]).toMatchObject({
      size: 3,
      trailers: [
        ['X-Sum', '1'],
        ['x-sum', '2'],
      ],
    });
  });

  test.each(['204 No Content', '202 Accepted\r\nContent-Length: 0'])(
    'ends with an empty body: %s',
    async (head) => {
      const server = await serve((socket) => socket.write(`HTTP/1.1 ${head}\r\n\r\n`));
      const under = newClient();
      expect(await under.post(server.origin, '{}')).toMatchObject({ how: 'complete', body: '', cut: false });
      expect(under.ends[0]).toMatchObject({ size: 0 });
    },
  );

  test('takes a body without a length to the end of the connection', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'));
    expect(await newClient().ask(server.origin)).toMatchObject({ how: 'complete', body: 'until the end' });
  });

  test('waits for a slow response as long as it takes', async () => {
    let answer: (() => void) | undefined;
    const server = await serve((socket) => {
      answer = () => socket.write(ok('late'));
    });
    const under = newClient();
    const { asked } = under.start(server.origin);
    await under.seen('http-connected');
    await expect.poll(() => answer).toBeDefined();
    expect(under.ends).toEqual([]);
    answer!();
    expect(await asked).toMatchObject({ how: 'complete', body: 'late' });
  });

  test('sends the credentials of a URL, which stay out of the recorded URL', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    await under.ask(server.origin.replace('http://', 'http://me:s%3Acret@'));
    expect(server.received()).toContain(
      `Authorization: Basic ${Buffer.from('me:s:cret').toString('base64')}\r\n`,
    );
    expect(under.all('http-request')[0]!.url).toBe(`${server.origin}/`);
  });
});

describe('redirects', () => {
  test('within the origin are followed with the method, the body and the header lines', async () => {
    const server = await serve((socket, request) =>
      socket.write(request.startsWith('POST /old') ? redirect(307, '/new') : ok('there')),
    );
    const under = newClient();
    const headers = [['X-Mine', 'yes']] as const;
    const asked = await under.post(`${server.origin}/old`, '{}', { headers });
    const { response, body } = asked;
    expect([asked.exchange, response?.exchange, response?.status, body]).toEqual([2, 2, 200, 'there']);
    const [first, second] = server.received().split('POST').slice(1);
    expect(second).toBe(first!.replace('/old', '/new'));
    expect(under.all('http-request').map(({ exchange, redirectOf }) => [exchange, redirectOf])).toEqual([
      [1, undefined],
      [2, 1],
    ]);
    // It is one message; sent again it is no second one, and the page of the redirect is none.
    expect(under.all('message-bytes').map(({ exchange }) => exchange)).toEqual([1]);
    expect(
      under
        .all('body-bytes')
        .map(({ exchange, direction, bytes }) => [exchange, direction, bytes.toString()]),
    ).toEqual([
      [1, 'in', 'move'],
      [2, 'out', '{}'],
    ]);
    expect(under.ends.map(({ how }) => how)).toEqual(['complete', 'complete']);
  });

  test.each([301, 302, 303])('with status %i are followed for GET, never for POST', async (status) => {
    const server = await serve((socket, request) =>
      socket.write(request.includes(' /old ') ? redirect(status, '/new') : ok('there')),
    );
    const under = newClient();
    expect(await under.ask(`${server.origin}/old`)).toMatchObject({ body: 'there' });
    expect(await under.post(`${server.origin}/old`, '{}')).toMatchObject({
      body: 'move',
      response: { status },
    });
    expect(server.received().match(/^(GET|POST) \S+/gm)).toEqual(['GET /old', 'GET /new', 'POST /old']);
  });

  test('to another origin are not followed', async () => {
    const other = await serve((socket) => socket.write(ok()));
    const server = await serve((socket) => socket.write(redirect(308, `${other.origin}/there`)));
    const under = newClient();
    const asked = await under.post(server.origin, '{}', { headers: [['Authorization', 'Bearer x']] });
    expect(asked).toMatchObject({ response: { status: 308 }, body: 'move', how: 'complete' });
    expect(other.connections()).toBe(0);
  });

  test('in a circle are given up, and the last is handed over', async () => {
    const server = await serve((socket) => socket.write(redirect(307, '/again')));
    const under = newClient();
    expect(await under.ask(server.origin)).toMatchObject({
      exchange: 6,
      response: { status: 307 },
      body: 'move',
    });
    expect(server.received().match(/^GET/gm)).toHaveLength(6);
  });
});

describe('a connection that the server closed meanwhile', () => {
  test('is not used a second time: the exchange fails on the record, and another repeats it once', async () => {
    // It closes only when the second request is there, as if both had crossed.
    const server = await serve((socket, _request, count) => {
      if (count === 1) socket.write(ok('fine'));
      else socket.destroy();
    });
    const under = newClient();
    await under.ask(server.origin);
    expect(await under.ask(server.origin)).toMatchObject({ exchange: 3, body: 'fine', how: 'complete' });
    expect(under.ends.map(({ how, failure }) => [how, failure?.step, failure?.code])).toEqual([
      ['complete', undefined, undefined],
      ['failed', 'response', 'ECONNRESET'],
      ['complete', undefined, undefined],
    ]);
    expect(under.all('http-connected').map(({ reused }) => reused)).toEqual([false, true, false]);
  });

  test('fails a POST, which may have been carried out and is not repeated', async () => {
    const server = await serve((socket, _request, count) => {
      if (count === 1) socket.write(ok('fine'));
      else socket.destroy();
    });
    const under = newClient();
    await under.post(server.origin, 'one');
    expect(await under.post(server.origin, 'two')).toMatchObject({
      exchange: 2,
      how: 'failed',
      failure: { step: 'response' },
    });
    expect(under.all('message-bytes').map(({ bytes }) => bytes.toString())).toEqual(['one', 'two']);
  });

  test('makes the others that were kept suspect too: the repetition goes by a new one', async () => {
    const held: Socket[] = [];
    const server = await serve((socket, _request, count) => {
      if (count > 1) socket.destroy();
      else if (server.connections() > 2) socket.write(ok('fresh'));
      else if (held.push(socket) === 2) for (const one of held) one.write(ok());
    });
    const under = newClient();
    await Promise.all([under.ask(server.origin), under.ask(server.origin)]);
    expect(await under.ask(server.origin)).toMatchObject({ exchange: 4, how: 'complete', body: 'fresh' });
  });

  test('but a new connection that is closed is no reason to repeat', async () => {
    const server = await serve((socket) => socket.destroy());
    const under = newClient();
    expect(await under.post(server.origin, 'one')).toMatchObject({
      how: 'failed',
      exchange: 1,
      response: null,
    });
    expect(server.connections()).toBe(1);
  });
});

describe('reading', () => {
  test('stops for all bodies while it is paused, and loses nothing', async () => {
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`);
    });
    const under = newClient();
    under.client.pause();
    const { exchange, asked, bodySoFar } = under.start(server.origin);
    expect(await exchange.response).toMatchObject({ status: 200 });
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(bodySoFar()).toBe('');
    under.client.resume();
    expect(await asked).toMatchObject({ how: 'complete', body: 'x'.repeat(3_000_000) });
    expect(await under.ask(server.origin)).toMatchObject({ how: 'complete' });
  });

  test('gives what came before a body was cut off while it was paused', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
    const under = newClient();
    under.client.pause();
    expect(await under.ask(server.origin)).toMatchObject({ how: 'cut', body: 'half', cut: true });
  });
});

describe('what is broken off', () => {
  test('by us is dropped, with what came of the body', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'),
    );
    const under = newClient();
    const { exchange, asked, bodySoFar } = under.start(server.origin);
    await expect.poll(bodySoFar).toBe('data: 1\n\n');
    exchange.drop();
    exchange.drop();
    expect(await asked).toMatchObject({
      how: 'dropped',
      failure: null,
      cut: true,
      response: { status: 200 },
    });
    expect(under.ends).toMatchObject([{ how: 'dropped', size: 9 }]);
    await expect.poll(() => under.client.openSockets).toBe(0);
  });

  test('before there is an answer, or even a connection, is dropped too', async () => {
    const server = await serve(() => {});
    const under = newClient();
    const connected = under.start(server.origin);
    await under.seen('http-connected');
    connected.exchange.drop();
    const early = under.start(`http://localhost:${server.port}/`);
    early.exchange.drop();
    expect(await early.exchange.response).toBeNull();
    expect(await connected.exchange.response).toBeNull();
    expect(await Promise.all([connected.asked, early.asked])).toMatchObject([
      { how: 'dropped', response: null },
      { how: 'dropped', response: null },
    ]);
    await expect.poll(() => under.client.openSockets).toBe(0);
  });

  test('ends with the client: no socket is left, and what is started afterwards goes nowhere', async () => {
    const server = await serve((socket, request) => {
      if (!request.includes('/hang')) socket.write(ok());
    });
    const under = newClient();
    await under.ask(server.origin);
    const hanging = under.ask(`${server.origin}/hang`);
    await under.seen('http-connected', 2);
    const opening = under.ask(`http://localhost:${server.port}/opening`);
    await Promise.all([under.client.close(), under.client.close()]);
    expect(under.client.openSockets).toBe(0);
    expect(await hanging).toMatchObject({ how: 'dropped' });
    expect(await opening).toMatchObject({ how: 'dropped' });
    expect(await under.ask(server.origin)).toMatchObject({ how: 'dropped' });
    expect(under.client.openSockets).toBe(0);
    expect(under.all('http-connected')).toHaveLength(2);
  });
});
