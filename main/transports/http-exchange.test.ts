import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';

const closeAfter = closeAfterEachTest();
const serve = async (...args: Parameters<typeof startRawServer>) => closeAfter(await startRawServer(...args));
const newClient = () => closeAfter(new ClientUnderTest());

describe('reading', () => {
  test('stops for all bodies while it is paused, and loses nothing', async () => {
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n${'x'.repeat(3_000_000)}`);
    });
    const under = newClient();
    under.client.pause();
    const { exchange, outcome, bodySoFar } = under.start(server.origin);
    expect(await exchange.response).toMatchObject({ status: 200 });
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(bodySoFar()).toBe('');
    under.client.resume();
    expect(await outcome).toMatchObject({ how: 'complete', body: 'x'.repeat(3_000_000) });
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete' });
  });

  test('gives what came before a body was cut off while it was paused', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'));
    const under = newClient();
    under.client.pause();
    expect(await under.request(server.origin)).toMatchObject({ how: 'cut', body: 'half', cut: true });
  });
});

describe('what is broken off', () => {
  test('by us is dropped, with what came of the body', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n'),
    );
    const under = newClient();
    const { exchange, outcome, bodySoFar } = under.start(server.origin);
    await expect.poll(bodySoFar).toBe('data: 1\n\n');
    exchange.drop();
    exchange.drop();
    expect(await outcome).toMatchObject({
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
    await under.reported('http-connected');
    connected.exchange.drop();
    const early = under.start(`http://localhost:${server.port}/`);
    early.exchange.drop();
    expect(await early.exchange.response).toBeNull();
    expect(await connected.exchange.response).toBeNull();
    expect(await Promise.all([connected.outcome, early.outcome])).toMatchObject([
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
    await under.request(server.origin);
    const hanging = under.request(`${server.origin}/hang`);
    await under.reported('http-connected', 2);
    const opening = under.request(`http://localhost:${server.port}/opening`);
    await Promise.all([under.client.close(), under.client.close()]);
    expect(under.client.openSockets).toBe(0);
    expect(await hanging).toMatchObject({ how: 'dropped' });
    expect(await opening).toMatchObject({ how: 'dropped' });
    expect(await under.request(server.origin)).toMatchObject({ how: 'dropped' });
    expect(under.client.openSockets).toBe(0);
    expect(under.all('http-connected')).toHaveLength(2);
  });
});
