import { join } from 'node:path';
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateRawSync,
  gunzipSync,
  gzipSync,
  inflateRawSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { expect, test } from 'vitest';
import type { Answer, Override, Overrides } from '#fixtures/authorization/answer.ts';
import { browse } from '#fixtures/authorization/browser.ts';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { filesIn } from '#fixtures/authorization/secrets-of.ts';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { listen } from '#fixtures/http/listen.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import { exportFormats } from '#shared/contract/exports.ts';

const opened = closeAfterEachTest();

const T = 'tok-PLANTED0123456789abcdefghij';
const R = 'ref-PLANTED0123456789klmnopqrst';
/** One that looks like ordinary words, so that it is secret by its place only. */
const W = 'planted-token-in-words';
const tokens = { access_token: T, refresh_token: R, token_type: 'Bearer' };
const json = JSON.stringify(tokens);
const escaped = (text: string) =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const typed = (
  body: Answer['body'],
  type = 'application/json',
  status = 200,
  more: Answer['headers'] = [],
) => ({
  status,
  headers: [['Content-Type', type], ...more] as Answer['headers'],
  body,
});
const coded = (coding: string, body: Buffer) =>
  typed(body, 'application/json', 200, [['Content-Encoding', coding]]);
const utf16 = Buffer.from(json, 'utf16le');

/** What a token endpoint answers, as providers do, or as one that leaks would. */
const shapes: Readonly<Record<string, Override>> = {
  'a form': typed(
    `access_token=${T}&refresh_token=${R}&token_type=bearer`,
    'application/x-www-form-urlencoded',
  ),
  'a form without its type, with a line break': typed(`access_token=${T}&token_type=bearer\n`, 'text/plain'),
  'what Slack nests': typed({ ok: true, authed_user: { access_token: T, refresh: R } }),
  'a member of another name': typed({ data: { accessToken: T }, jeton: R }),
  words: typed({ jeton: W, list: [W] }),
  'members that are repeated': typed(`{"access_token":"${T}","access_token":"","refresh_token":"${R}"}`),
  escapes: typed(`{"${escaped('access_token')}":"${escaped(T)}","x":"${escaped(R)}"}`),
  'status 201': typed(tokens, 'application/json', 201),
  'status 500': typed(tokens, 'application/json', 500),
  'an error that repeats it': typed(
    { error: 'invalid_grant', error_description: `token ${T} refused, not ${R}` },
    'application/json',
    400,
  ),
  'a list': typed([tokens]),
  'lists as values': typed({ access_token: [T], refresh_token: { value: R } }),
  'broken JSON': typed(`{"access_token":"${T}","refresh_token":"${R}",}`),
  'JSON behind a prefix': typed(`while(1);${json}`),
  'JSON in a JSON string': typed({ error: json }),
  'JSON of another type': typed(json, 'image/png'),
  'a page': typed(
    `<input name="access_token" value="${T}"><script>t={a:'${T}'}</script><p>refresh: ${R}</p>`,
    'text/html',
  ),
  XML: typed(`<r><access_token>${T}</access_token><x>${R}</x></r>`, 'application/xml'),
  multipart: typed(
    `--b\r\nContent-Disposition: form-data; name="access_token"\r\n\r\n${T}\r\n--b--`,
    'multipart/form-data; boundary=b',
  ),
  text: typed(`Your token is ${T}, the other ${R}`, 'text/plain'),
  base64: typed(Buffer.from(json).toString('base64'), 'text/plain'),
  'percent-encoding': typed([...T].map((one) => `%${one.charCodeAt(0).toString(16)}`).join(''), 'text/plain'),
  gzip: coded('gzip', gzipSync(json)),
  'gzip without its header': typed(gzipSync(json)),
  deflate: coded('deflate', deflateRawSync(json)),
  Brotli: coded('br', brotliCompressSync(json)),
  Zstandard: coded('zstd', zstdCompressSync(json)),
  'damaged gzip': coded('gzip', gzipSync(json, { level: 0 }).subarray(0, -9)),
  'UTF-16': typed(utf16, 'application/json; charset=utf-16le'),
  'UTF-16 that nothing names': typed(Buffer.from(utf16).swap16()),
  'UTF-16 with a mark': typed(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])),
  'UTF-8 that is called UTF-16': typed(json, 'application/json; charset=utf-16'),
  'bytes that are not UTF-8': typed(Buffer.from(json.replace('Bearer', 'Bär'), 'latin1')),
  headers: typed({ error: 'x' }, 'application/json', 400, [
    ['X-Access-Token', T],
    ['X-Refresh', R],
    ['Location', `http://127.0.0.1:1/${R}#access_token=${T}`],
    ['Link', `<http://127.0.0.1:1/?access_token=${T}>; rel="next"`],
    ['Refresh', `0; url=http://127.0.0.1:1/?code=${R}`],
    ['Set-Cookie', `session=${T}; Path=/`],
    ['WWW-Authenticate', `Bearer error="invalid_token", error_description="token ${T}"`],
  ]),
  'more than a megabyte': typed(
    `{"pad":"${'x '.repeat(524_400)}","access_token":"${T}","refresh_token":"${R}"}`,
  ),
};

/** All that can be read in a text: as it is, without escapes and zeros, and what it has in base64. */
function readings(text: string): string[] {
  const plain = text
    .replaceAll(/\\+u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\0', '');
  const decoded = [...text.matchAll(/[A-Za-z\d+/]{24,}={0,2}/g)].flatMap(([run]) => {
    const bytes = Buffer.from(run, 'base64');
    return [
      bytes.toString('latin1'),
      ...[gunzipSync, inflateRawSync, brotliDecompressSync, zstdDecompressSync].map((one) =>
        tried(() => one(bytes)),
      ),
    ];
  });
  const percentFree = text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return [text, plain, percentFree, ...decoded.map((one) => one.replaceAll('\0', ''))];
}

function tried(decompress: () => Buffer): string {
  try {
    return decompress().toString();
  } catch {
    return ''; // Not compressed in this way.
  }
}

/** A session whose authorization server answers in this way; everything that was shown and written, and the last flow. */
async function flowWith(overrides: Overrides) {
  const server = opened(await ProtectedServer.open({ authorization: { overrides } }));
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );
  const shown: string[] = [];
  engine.engine.onEvent((frame) => shown.push(JSON.stringify(frame)));
  const session = await engine.connectUrl(server.url);
  const flows = await engine.call('authorization/flows', { sessionId: session.id });
  shown.push(JSON.stringify(session), JSON.stringify(flows), JSON.stringify(await engine.rows(session.id)));
  for (const format of exportFormats) {
    const path = join(engine.folder, `export.${format}`);
    const redaction = { isOn: false, patterns: [] };
    await engine.call('exports/write', {
      sessionId: session.id,
      rows: { of: 'all' },
      format,
      redaction,
      path,
    });
  }
  await engine.call('sessions/close', { sessionId: session.id });
  return { flow: flows.at(-1), texts: [...shown, ...(await filesIn(engine.folder))] };
}

function expectNone(texts: readonly string[], secrets: readonly string[]): void {
  for (const reading of texts.flatMap(readings)) {
    for (const secret of secrets) {
      const at = reading.indexOf(secret);
      const around = reading.slice(Math.max(0, at - 100), at + secret.length + 20);
      expect(at, `${secret} in ${around}`).toBe(-1);
    }
  }
}

test.each(Object.entries(shapes))(
  'a token is neither shown nor written that comes as %s',
  async (_title, answer) => {
    const { flow, texts } = await flowWith({ token: answer });
    expect(flow?.steps.map(({ name }) => name)).toContain('token');
    expectNone(texts, [T, R, W]);
  },
);

test.each<[string, Override]>([
  [
    'that is complete',
    (answer) => ({
      ...answer,
      body: { ...(answer.body as object), client_secret: T, registration_access_token: R },
    }),
  ],
  ['without a client ID', typed({ client_secret: T, registration_access_token: R }, 'application/json', 201)],
  [
    'that is an error',
    typed(
      { error: 'invalid_client_metadata', error_description: `secret ${T}`, client_secret: R },
      'application/json',
      400,
    ),
  ],
  ['that is a form', typed(`client_id=a&client_secret=${T}&x=${R}`, 'application/x-www-form-urlencoded')],
])('no secret is shown or written of a registration %s', async (_title, registration) => {
  const { texts } = await flowWith({ registration });
  expectNone(texts, [T, R]);
});

test('the error of a response whose tokens are replaced can be read, with its size on the wire', async () => {
  const body = { error: 'invalid_client', error_description: 'The client is not known.', access_token: T };
  const { flow, texts } = await flowWith({ token: typed(body, 'application/json', 401) });
  expect(flow?.fault?.quote ?? flow?.fault?.what).toContain('invalid_client');
  const shown = flow?.steps.at(-1)?.response?.body ?? '';
  expect(JSON.parse(shown)).toEqual({
    ...body,
    access_token: expect.stringContaining('[secret body:access_token, 31 '),
  });
  const record = texts
    .flatMap((text) => text.split('\n'))
    .find((line) => line.includes('The client is not known.') && line.includes('"kind":"http-body"'));
  expect(JSON.parse(record ?? '{}')).toMatchObject({ size: JSON.stringify(body).length });
});

test('metadata, and keys in them, stay as they are', async () => {
  const odd = {
    signed_metadata: 'eyJhbGciOiJub25lIn0.e30.',
    jwks: { keys: [{ kty: 'RSA', n: 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt', e: 'AQAB' }] },
  };
  const { flow } = await flowWith({
    metadata: (answer) => ({ ...answer, body: { ...(answer.body as object), ...odd } }),
  });
  const step = flow?.steps.find(({ name, state }) => name === 'server-metadata' && state === 'done');
  expect(JSON.parse(step?.response?.body ?? '')).toMatchObject(odd);
});

test.each([
  [
    'a damaged chunk',
    `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n12\r\naccess token: tok-\r\nZZ\r\nplantedremainder and ${T}\r\n`,
  ],
  [
    'trailers',
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-Token\r\n\r\n2\r\n{}\r\n0\r\nX-Token: ${T}\r\n\r\n`,
  ],
  ['the reason phrase', `HTTP/1.1 400 ${T}\r\nContent-Length: 0\r\n\r\n`],
  ['what is no HTTP', `HTTP/9.9 nonsense {"access_token":"${T}"}\r\n\r\n`],
  [
    'a body that ends early',
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"access_token":"${T}`,
  ],
])('a token is neither shown nor written that comes in %s', async (_title, bytes) => {
  const raw = opened(await listen((request) => void request.socket.end(bytes)));
  const { flow, texts } = await flowWith({
    metadata: (answer) => ({
      ...answer,
      body: { ...(answer.body as object), token_endpoint: `${raw.origin}/token` },
    }),
  });
  expect(flow?.steps.at(-1)?.name).toBe('token');
  expectNone(texts, [T, 'plantedremainder']);
});

test('what is typed over a credential of a step is neither shown nor written, however short', async () => {
  const server = opened(await ProtectedServer.open());
  const engine = opened(
    await EngineFixture.open({
      openInBrowser: async (url) => {
        await browse(url);
      },
    }),
  );
  const shown: string[] = [];
  engine.engine.onEvent((frame) => shown.push(JSON.stringify(frame)));
  const session = await engine.connectUrl(server.url, {
    http: { authorization: { ...defaultAuthorization, mode: 'off' } },
  });
  const saved = await engine.call('authorization/begin', {
    serverId: session.serverId,
    mode: 'stepped',
    revision: null,
    settings: {},
  });
  const { sessionId, id: flowId } = saved;
  const flowNow = async () => (await engine.call('authorization/flows', { sessionId })).at(-1);
  const settled = async () => {
    await expect.poll(async () => (await flowNow())?.state).not.toBe('running');
    return flowNow();
  };
  for (
    let flow = await settled();
    flow?.state === 'stopped' || flow?.state === 'waiting';
    flow = await settled()
  ) {
    if (flow.state === 'waiting') {
      await engine.call('authorization/open-browser', { flowId });
      await expect.poll(async () => (await flowNow())?.state).not.toBe('waiting');
      continue;
    }
    const step = flow.steps.at(-1);
    const request = step?.name === 'token' ? step.request : null;
    const changed =
      request === null
        ? null
        : {
            ...request,
            body: request.body.map((one) =>
              one.name === 'code_verifier' ? { ...one, value: 'qwzx77' } : one,
            ),
          };
    await engine.call('authorization/send', { flowId, request: changed, wrongValue: null });
  }
  await engine.call('sessions/close', { sessionId });
  expect(server.log.map(({ request }) => request.body.toString()).join()).toContain('code_verifier=qwzx77');
  expectNone([...shown, ...(await filesIn(engine.folder))], ['qwzx77']);
});
