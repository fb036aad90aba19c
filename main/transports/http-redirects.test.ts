import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';

const closeAfter = closeAfterEachTest();
const serve = async (...args: Parameters<typeof startRawServer>) => closeAfter(await startRawServer(...args));
const newClient = () => closeAfter(new ClientUnderTest());

const redirect = (status: number, location: string) =>
  `HTTP/1.1 ${status} Elsewhere\r\nLocation: ${location}\r\nContent-Length: 4\r\n\r\nmove`;

describe('redirects', () => {
  test('within the origin are followed with the method, the body and the header lines', async () => {
    const server = await serve((socket, request) =>
      socket.write(request.startsWith('POST /old') ? redirect(307, '/new') : ok('there')),
    );
    const under = newClient();
    const headers = [['X-Mine', 'yes']] as const;
    const outcome = await under.post(`${server.origin}/old`, '{}', { headers });
    const { response, body } = outcome;
    expect([outcome.exchange, response?.exchange, response?.status, body]).toEqual([2, 2, 200, 'there']);
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
    expect(await under.request(`${server.origin}/old`)).toMatchObject({ body: 'there' });
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
    const outcome = await under.post(server.origin, '{}', { headers: [['Authorization', 'Bearer x']] });
    expect(outcome).toMatchObject({ response: { status: 308 }, body: 'move', how: 'complete' });
    expect(other.connections()).toBe(0);
  });

  test('in a circle are given up, and the last is handed over', async () => {
    const server = await serve((socket) => socket.write(redirect(307, '/again')));
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
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
    await under.request(server.origin);
    expect(await under.request(server.origin)).toMatchObject({ exchange: 3, body: 'fine', how: 'complete' });
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
    await Promise.all([under.request(server.origin), under.request(server.origin)]);
    expect(await under.request(server.origin)).toMatchObject({ exchange: 4, how: 'complete', body: 'fresh' });
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
