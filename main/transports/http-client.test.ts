import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';

const closeAfter = closeAfterEachTest();
const serve = async (...args: Parameters<typeof startRawServer>) => closeAfter(await startRawServer(...args));
const newClient = () => closeAfter(new ClientUnderTest());

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
    const [request] = under.all('http-request');
    expect(request).toMatchObject({
      method: 'POST',
      url: `${server.origin}/mcp?q=%20`,
      bodySize: 7,
      origin: 'user',
    });
    expect(request!.headers.map((line) => line.join(': ')).join('\r\n')).toBe(
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
    await under.request(url);
    await under.request(url);
    const [first, second] = under.all('http-connected');
    expect(first).toMatchObject({ reused: false, remote: `127.0.0.1:${server.port}` });
    expect(Object.keys(first!.took)).toEqual(['lookup', 'connect']);
    expect(second).toMatchObject({ reused: true, remote: `127.0.0.1:${server.port}`, took: {} });
    expect(server.connections()).toBe(1);
  });

  test('needs no lookup for an address', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    await under.request(server.origin);
    expect(Object.keys(under.all('http-connected')[0]!.took)).toEqual(['connect']);
  });

  test('runs beside any number of others', async () => {
    const held: Socket[] = [];
    const server = await serve((socket) => {
      held.push(socket);
      if (held.length === 40) for (const one of held) one.write(ok('all'));
    });
    const under = newClient();
    const all = await Promise.all(Array.from({ length: 40 }, () => under.request(server.origin)));
    expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 40 }, () => 'all'));
  });

  test('reports informational responses beside the final one', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      socket.write(ok('done'));
    });
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'done' });
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
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'abc' });
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
    expect(await newClient().request(server.origin)).toMatchObject({
      how: 'complete',
      body: 'until the end',
    });
  });

  test('waits for a slow response as long as it takes', async () => {
    let answer: (() => void) | undefined;
    const server = await serve((socket) => {
      answer = () => socket.write(ok('late'));
    });
    const under = newClient();
    const { outcome } = under.start(server.origin);
    await under.reported('http-connected');
    await expect.poll(() => answer).toBeDefined();
    expect(under.ends).toEqual([]);
    answer!();
    expect(await outcome).toMatchObject({ how: 'complete', body: 'late' });
  });

  test('sends the credentials of a URL, which stay out of the recorded URL', async () => {
    const server = await serve((socket) => socket.write(ok()));
    const under = newClient();
    await under.request(server.origin.replace('http://', 'http://me:s%3Acret@'));
    expect(server.received()).toContain(
      `Authorization: Basic ${Buffer.from('me:s:cret').toString('base64')}\r\n`,
    );
    expect(under.all('http-request')[0]!.url).toBe(`${server.origin}/`);
  });
});
