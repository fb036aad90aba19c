import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import { listen } from '#fixtures/http/listen.ts';
import { startRawServer } from '#fixtures/http/raw-server.ts';
import { type RequestOutcome, ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { explainHttpFailure } from './http-fault-explanations.ts';

const closeAfter = closeAfterEachTest();
const serve = async (...args: Parameters<typeof startRawServer>) => closeAfter(await startRawServer(...args));
const newClient = () => closeAfter(new ClientUnderTest());

/** An address where nothing listens: something did a moment ago. */
async function deserted(): Promise<string> {
  const server = await startRawServer(() => {});
  await server.close();
  return server.origin;
}

const explain = ({ failure }: RequestOutcome, url: string) =>
  explainHttpFailure(failure!, { url: new URL(url), proxy: null });
const bytesOf = (under: ClientUnderTest) =>
  Buffer.concat(under.all('body-bytes').map(({ bytes }) => bytes)).toString('latin1');

describe('a failure names its step', () => {
  test('lookup: the name is not known', async () => {
    const url = 'http://no-such-host.invalid/mcp';
    const under = newClient();
    const outcome = await under.request(url);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'lookup' }, response: null, cut: null });
    expect(under.ends).toMatchObject([{ how: 'failed', size: 0, failure: { step: 'lookup' } }]);
    expect(under.all('http-connected')).toEqual([]);
    expect(explain(outcome, url)).toMatchObject({
      code: 'http-lookup',
      what: 'The name no-such-host.invalid was not found.',
    });
  });

  test('connect: nothing listens there', async () => {
    const url = await deserted();
    const outcome = await newClient().request(url);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'connect', code: 'ECONNREFUSED' } });
    expect(explain(outcome, url)).toMatchObject({
      code: 'http-connect',
      what: `Nothing listens on ${url.slice('http://'.length)}.`,
      next: expect.stringContaining('Is the server running?'),
    });
  });

  test('connect: with each address that was tried', async () => {
    const url = (await deserted()).replace('127.0.0.1', 'localhost');
    const { failure } = await newClient().request(url);
    expect(failure).toMatchObject({ step: 'connect', code: 'ECONNREFUSED' });
    expect(failure?.message).toContain(`127.0.0.1:${new URL(url).port}`);
  });

  test('request: a header line that cannot be written', async () => {
    const server = await serve(() => {});
    const under = newClient();
    const outcome = await under.request(server.origin, { headers: [['X-Bad', 'a\r\nInjected: 1']] });
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'request', code: 'ERR_INVALID_CHAR' } });
    expect(under.all('http-request')[0]!.headers).toContainEqual(['X-Bad', 'a\r\nInjected: 1']);
    expect(server.connections()).toBe(0);
    expect(explain(outcome, server.origin)).toMatchObject({ code: 'http-request' });
  });

  test('request: the connection broke inside the body', async () => {
    const server = await serve(() => {});
    const under = newClient();
    const { outcome } = under.start(server.origin, { method: 'POST', body: Buffer.alloc(50_000_000, 'x') });
    await expect.poll(() => server.received().length).toBeGreaterThan(0);
    await server.close();
    expect(await outcome).toMatchObject({ how: 'failed', failure: { step: 'request' } });
    expect(explain(await outcome, server.origin)).toMatchObject({ code: 'http-request' });
  });

  test('response: closed before a head', async () => {
    const server = await serve((socket) => socket.end());
    const outcome = await newClient().post(server.origin, '{}');
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'response', code: 'ECONNRESET' } });
    expect(explain(outcome, server.origin)).toMatchObject({
      code: 'http-response',
      what: expect.stringContaining('closed the connection without a response'),
    });
  });

  test('response: a head that is cut off is kept', async () => {
    const server = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\nX-Half: '));
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
      how: 'failed',
      failure: { step: 'response' },
    });
    expect(bytesOf(under)).toBe('HTTP/1.1 200 OK\r\nX-Half: ');
  });

  test('response: a malformed head is kept whole, however it came', async () => {
    const server = await serve((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Good: 1\r\n');
      setImmediate(() => socket.write('no colon here\r\n\r\n'));
    });
    const under = newClient();
    const outcome = await under.request(server.origin);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'response' } });
    expect(outcome.failure?.code).toMatch(/^HPE_/);
    expect(bytesOf(under)).toBe('HTTP/1.1 200 OK\r\nX-Good: 1\r\nno colon here\r\n\r\n');
    expect(explain(outcome, server.origin).what).toContain('is not HTTP');
  });

  test('response: another protocol nobody asked for', async () => {
    const server = await serve((socket) =>
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\nConnection: upgrade\r\n\r\nodd bytes',
      ),
    );
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
      how: 'failed',
      failure: { step: 'response', code: 'HTTP_UPGRADE' },
    });
    expect(under.all('http-response')).toMatchObject([{ status: 101 }]);
    expect(bytesOf(under)).toBe('odd bytes');
    await expect.poll(() => under.client.openSockets).toBe(0);
  });

  test('response: the port speaks TLS', async () => {
    const server = await serve(() => {}, await makeCertificate());
    const url = server.origin.replace('https:', 'http:');
    const outcome = await newClient().request(`${url}/mcp`);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'response' } });
    // Some servers send an alert, others only close.
    const { why, next } = explain(outcome, `${url}/mcp`);
    expect(`${why} ${next}`).toContain('https');
  });

  test('response: bytes of TLS are reported as TLS', async () => {
    const server = await serve((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
    const outcome = await newClient().request(`${server.origin}/mcp`);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'response', code: 'TLS_ANSWER' } });
    expect(explain(outcome, `${server.origin}/mcp`).next).toContain(`https://127.0.0.1:${server.port}/mcp`);
  });

  test('tls: the port speaks plain HTTP', async () => {
    const server = closeAfter(await listen((_request, response) => response.end()));
    const url = `https://127.0.0.1:${server.port}/mcp`;
    const outcome = await newClient().request(url, { headers: [['Authorization', 'Bearer planted']] });
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'tls' } });
    expect(explain(outcome, url)).toMatchObject({
      code: 'http-tls',
      what: `127.0.0.1:${server.port} does not speak TLS.`,
      next: expect.stringContaining(`http://127.0.0.1:${server.port}/mcp`),
    });
  });

  test('tls: the server breaks off', async () => {
    const server = await serve(() => {});
    const outcome = newClient().request(server.origin.replace('http:', 'https:'));
    await expect.poll(() => server.received().length).toBeGreaterThan(0);
    await server.close();
    expect(await outcome).toMatchObject({ how: 'failed', failure: { step: 'tls', code: 'ECONNRESET' } });
    expect(explain(await outcome, server.origin)).toMatchObject({ code: 'http-tls' });
  });

  test.each([
    ['a length that is not reached', 'Content-Length: 10\r\n\r\nhalf', 'half'],
    ['a last chunk that is missing', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'half'],
  ])('body: %s', async (_name, rest, body) => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\n${rest}`));
    const under = newClient();
    const outcome = await under.request(server.origin);
    expect(outcome).toMatchObject({ how: 'cut', body, cut: true, response: { status: 200 } });
    expect(outcome.failure).toMatchObject({ step: 'body', code: 'ECONNRESET' });
    expect(under.ends).toMatchObject([{ how: 'cut', size: 4, failure: { step: 'body' } }]);
    expect(explain(outcome, server.origin)).toMatchObject({ code: 'http-body' });
  });

  test('body: chunks that are none are kept', async () => {
    const server = await serve((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\nzzz\r\nbad'),
    );
    const under = newClient();
    const outcome = await under.request(server.origin);
    expect(outcome).toMatchObject({ how: 'cut', body: 'good', failure: { step: 'body' } });
    expect(outcome.failure?.code).toMatch(/^HPE_/);
    expect(bytesOf(under)).toContain('zzz\r\nbad');
  });
});

test('bytes after a complete response are kept, and the connection is not used again', async () => {
  const server = await serve((socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfourmore'),
  );
  const under = newClient();
  expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'four' });
  expect(bytesOf(under)).toBe('more');
  await expect.poll(() => under.client.openSockets).toBe(0);
  expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'four' });
});
