import type { ServerResponse } from 'node:http';
import zlib, {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { listen } from '#fixtures/http/listen.ts';
import { acceptedCodings, DAMAGED_CODING, TOO_LARGE } from './content-coding.ts';

const closeAfter = closeAfterEachTest();
const newClient = () => closeAfter(new ClientUnderTest());

/** A server that answers with this encoding. */
const serve = async (coding: string, respond: (response: ServerResponse) => void) =>
  closeAfter(
    await listen((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': coding });
      respond(response);
    }),
  );

const text = `data: ${'é'.repeat(2000)}\n\n`;
const latin1 = (utf8: string) => Buffer.from(utf8).toString('latin1');

describe('a body that is encoded', () => {
  const encode: Readonly<Record<string, (plain: string) => Buffer>> = {
    gzip: (plain) => gzipSync(plain),
    'X-GZIP': (plain) => gzipSync(plain),
    br: (plain) => brotliCompressSync(plain),
    deflate: (plain) => deflateSync(plain),
    'deflate, identity': (plain) => deflateRawSync(plain),
    'gzip, br': (plain) => brotliCompressSync(gzipSync(plain)),
    ...('zstdCompressSync' in zlib && { zstd: (plain: string) => zlib.zstdCompressSync(plain) }),
  };

  test.each(Object.keys(encode))('with %s is decoded; its size is that on the wire', async (coding) => {
    const bytes = encode[coding]?.(text) ?? Buffer.alloc(0);
    // It comes in two parts that end anywhere.
    const server = await serve(coding, (response) => {
      response.write(bytes.subarray(0, 11), () => response.end(bytes.subarray(11)));
    });
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
      how: 'complete',
      failure: null,
      body: latin1(text),
      cut: false,
    });
    expect(under.ends).toMatchObject([{ size: bytes.length }]);
  });

  test('is said to be accepted, if Node can decode it', () => {
    const isZstd = 'zstdCompressSync' in zlib;
    expect(acceptedCodings).toBe(isZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br');
  });

  test.each([
    ['gzip', () => createGzip()],
    ['br', () => createBrotliCompress()],
  ] as const)('and stays open gives each event as it comes (%s)', async (coding, compress) => {
    const server = await serve(coding, (response) => {
      const stream = compress();
      stream.pipe(response);
      stream.write('data: 1\n\n');
      stream.flush(coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH);
    });
    const under = newClient();
    const { exchange, outcome, bodySoFar } = under.start(server.origin);
    await expect.poll(bodySoFar).toBe('data: 1\n\n');
    exchange.drop();
    expect(await outcome).toMatchObject({ how: 'dropped', failure: null, cut: true });
    await under.close();
    expect(under.ends).toHaveLength(1);
  });

  test('loses nothing while reading is paused', async () => {
    const plain = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251)).toString('latin1');
    const server = await serve('gzip', (response) => response.end(gzipSync(Buffer.from(plain, 'latin1'))));
    const under = newClient();
    under.client.pause();
    const { exchange, outcome, bodySoFar } = under.start(server.origin);
    await exchange.response;
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(bodySoFar()).toBe('');
    under.client.resume();
    expect((await outcome).body).toBe(plain);
  });

  test('and breaks off gives what came, with the failure of the connection', async () => {
    const bytes = gzipSync(text);
    const server = await serve('gzip', (response) => {
      response.write(bytes.subarray(0, bytes.length - 8), () => response.socket?.resetAndDestroy());
    });
    const under = newClient();
    const outcome = await under.request(server.origin);
    expect(outcome).toMatchObject({ how: 'cut', failure: { step: 'body', code: 'ECONNRESET' }, cut: true });
    expect(latin1(text).startsWith(outcome.body)).toBe(true);
    expect(outcome.body).not.toBe('');
  });
});

describe('a body that is not what its header says', () => {
  test.each(['gzip', 'br', 'deflate'])('but plain text is passed on as it is (%s)', async (coding) => {
    const server = await serve(coding, (response) => response.end(text));
    expect(await newClient().request(server.origin)).toMatchObject({ failure: null, body: latin1(text) });
  });

  test('but binary is a failure that says so, and its bytes are reported', async () => {
    const binary = Buffer.from([0, 1, 2, 3, 254, 255]);
    const server = await serve('gzip', (response) => response.end(binary));
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
      how: 'cut',
      failure: {
        step: 'body',
        code: DAMAGED_CODING,
        message: expect.stringMatching(/^the gzip .* is damaged: /),
      },
      body: '',
    });
    expect(Buffer.concat(under.all('body-bytes').map(({ bytes }) => bytes))).toEqual(binary);
  });

  test('because it is damaged gives what could be decoded, and the connection is closed', async () => {
    const bytes = gzipSync(text);
    bytes.fill(0, bytes.length - 8);
    const server = await serve('gzip', (response) => {
      // The server keeps the stream open.
      response.write(bytes);
    });
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({
      how: 'cut',
      failure: { code: DAMAGED_CODING },
      cut: true,
    });
    await expect.poll(() => server.openSockets).toBe(0);
  });

  test('because its encoding has no end is a failure', async () => {
    const bytes = gzipSync(text);
    const server = await serve('gzip', (response) => response.end(bytes.subarray(0, bytes.length - 8)));
    const outcome = await newClient().request(server.origin);
    expect(outcome.failure).toMatchObject({
      code: DAMAGED_CODING,
      message: 'the gzip of the body has no end',
    });
    expect(outcome.body).toBe(latin1(text));
  });

  test('is passed on as it came if the encoding is not known', async () => {
    const server = await serve('compress', (response) => response.end('abc'));
    expect(await newClient().request(server.origin)).toMatchObject({ failure: null, body: 'abc' });
  });
});

test.each([
  ['gzip', gzipSync(Buffer.alloc(200_000_000))],
  ['br', brotliCompressSync(Buffer.alloc(200_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(200_000_000)))],
  // What the first one writes is blocks without content, so nothing comes out of the second.
  ['deflate, gzip', gzipSync(Buffer.alloc(60_000_000, Buffer.from([0, 0, 0, 0xff, 0xff])))],
])('a bomb (%s) is not read to its end', async (coding, bomb) => {
  const server = await serve(coding, (response) => response.end(bomb));
  let size = 0;
  const under = newClient();
  const outcome = await under.request(server.origin, {
    read: () => ({
      push: (bytes) => {
        size += bytes.length;
      },
      end: () => {},
    }),
  });
  expect(outcome).toMatchObject({ how: 'cut', failure: { step: 'body', code: TOO_LARGE } });
  expect(size).toBeLessThan(33 * 1024 * 1024);
});
