import { X509Certificate } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import type { ServerIdentity } from '#fixtures/http/listen.ts';
import { asFar, FAR_HOST, type ProxyOptions, startProxy, type TestProxy } from '#fixtures/http/proxy.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import type { HttpClientOptions } from './http-client.ts';
import { type RequestOutcome, ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { explainHttpFailure } from './http-fault-explanations.ts';
import { proxyFor } from './http-proxy.ts';

let identity: ServerIdentity;
let trust: HttpClientOptions['tls'];
beforeAll(async () => {
  const authority = await makeCertificate({ names: ['Test authority'], isAuthority: true });
  identity = await makeCertificate({ names: [FAR_HOST, '127.0.0.1'], authority });
  trust = { ca: authority.cert, accepted: null };
});

const closeAfter = closeAfterEachTest();
beforeEach(() => {
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy']) {
    vi.stubEnv(name, '');
    vi.stubEnv(name.toUpperCase(), '');
  }
});
afterEach(() => void vi.unstubAllEnvs());

/** A server that a client with a proxy knows by another name than 127.0.0.1. */
const serve = async (options: { tls: boolean } = { tls: false }) => {
  const server = await startRawServer((socket) => socket.write(ok('ok')), options.tls ? identity : undefined);
  return { ...closeAfter(server), origin: asFar(server.origin), near: server.origin };
};

/** A proxy that the environment names, for both schemes. */
async function proxied(options: ProxyOptions = {}, userinfo = ''): Promise<TestProxy> {
  const proxy = closeAfter(await startProxy(options));
  setProxy(`${options.identity ? 'https' : 'http'}://${userinfo}127.0.0.1:${proxy.port}`);
  return proxy;
}

function setProxy(address: string): void {
  vi.stubEnv('HTTP_PROXY', address);
  vi.stubEnv('HTTPS_PROXY', address);
}

const newClient = (options: Partial<HttpClientOptions> = {}) =>
  closeAfter(new ClientUnderTest({ tls: trust, proxy: 'environment', ...options }));

const explain = ({ failure }: RequestOutcome, url: string, proxy: string | null = null) =>
  explainHttpFailure(failure!, { url: new URL(url), proxy });
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

describe('through a proxy of the environment', () => {
  test('http is forwarded by its whole address', async () => {
    const server = await serve();
    const proxy = await proxied();
    const under = newClient();
    const url = `${server.origin}/mcp?q=1`;
    expect(await under.post(url, '{}', { headers: [['X-Mine', '1']] })).toMatchObject({
      how: 'complete',
      body: 'ok',
    });
    expect(proxy.asked).toMatchObject([{ method: 'POST', target: url }]);
    expect(proxy.asked[0]!.rawHeaders.slice(0, 4)).toEqual([
      'Host',
      `${FAR_HOST}:${server.port}`,
      'X-Mine',
      '1',
    ]);
    expect(under.all('http-request')).toMatchObject([{ url }]);
    const [connected] = under.all('http-connected');
    expect(connected).toMatchObject({
      proxy: `http://127.0.0.1:${proxy.port}`,
      remote: `127.0.0.1:${proxy.port}`,
    });
    expect(Object.keys(connected!.took)).toEqual(['connect']);
  });

  test('https goes by a tunnel, of which the proxy sees only where it leads', async () => {
    const server = await serve({ tls: true });
    const proxy = await proxied();
    const under = newClient();
    const headers = [['Authorization', 'Bearer planted']] as const;
    expect(await under.request(`${server.origin}/mcp`, { headers })).toMatchObject({
      how: 'complete',
      body: 'ok',
    });
    expect(await under.request(`${server.origin}/mcp`, { headers })).toMatchObject({
      how: 'complete',
      body: 'ok',
    });
    expect(server.received()).toMatch(/^GET \/mcp HTTP\/1\.1\r\n/);
    expect(proxy.asked).toEqual([
      {
        method: 'CONNECT',
        target: `${FAR_HOST}:${server.port}`,
        rawHeaders: ['Host', `${FAR_HOST}:${server.port}`, 'Connection', 'keep-alive'],
      },
    ]);
    const [first, second] = under.all('http-connected');
    expect(Object.keys(first!.took)).toEqual(['connect', 'proxy', 'tls']);
    expect(first).toMatchObject({ proxy: `http://127.0.0.1:${proxy.port}`, tls: { protocol: 'TLSv1.3' } });
    expect(second).toMatchObject({ reused: true, proxy: `http://127.0.0.1:${proxy.port}` });
  });

  test.each([false, true])('that speaks TLS itself (server with TLS: %s)', async (tls) => {
    const server = await serve({ tls });
    const proxy = await proxied({ identity });
    const under = newClient();
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'ok' });
    expect(proxy.asked).toHaveLength(1);
    const [connected] = under.all('http-connected');
    expect(connected).toMatchObject({ proxy: `https://127.0.0.1:${proxy.port}` });
    expect(Object.keys(connected!.took)).toEqual(tls ? ['connect', 'proxy', 'tls'] : ['connect', 'proxy']);
    await under.client.close();
    expect(under.client.openSockets).toBe(0);
  });

  test.each([false, true])(
    'with credentials, which stand nowhere but in their header (TLS: %s)',
    async (tls) => {
      const server = await serve({ tls });
      const proxy = await proxied({ credentials: 'me:s:cret' }, 'me:s%3Acret@');
      const under = newClient();
      expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'ok' });
      expect(proxy.asked[0]!.rawHeaders).toContain(basic('me:s:cret'));
      const { headers } = under.all('http-request')[0]!;
      const line = ['Proxy-Authorization', basic('me:s:cret')];
      expect(headers.filter(([name]) => name === line[0])).toEqual(tls ? [] : [line]);
      expect(under.all('http-connected')[0]!.proxy).toBe(`http://127.0.0.1:${proxy.port}`);
      if (tls) expect(server.received()).not.toContain('Proxy-Authorization');
    },
  );

  test('unless NO_PROXY names the server, or the server is to have none', async () => {
    const server = await serve();
    const proxy = await proxied();
    // Only the proxy knows that name, so without it the lookup fails.
    const direct = { how: 'failed', failure: { step: 'lookup' } };
    expect(await newClient({ proxy: 'none' }).request(server.origin)).toMatchObject(direct);
    vi.stubEnv('NO_PROXY', FAR_HOST);
    expect(await newClient().request(server.origin)).toMatchObject(direct);
    expect(proxy.asked).toEqual([]);
  });

  test('this machine is never asked for through it, by whatever name', async () => {
    const server = await serve();
    const proxy = await proxied();
    vi.stubEnv('ALL_PROXY', `http://127.0.0.1:${proxy.port}`);
    const { port } = server;
    const under = newClient();
    for (const host of ['127.0.0.1', 'localhost', '127.1', '2130706433', '[::ffff:127.0.0.1]']) {
      expect(await under.request(`http://${host}:${port}/`), host).toMatchObject({
        how: 'complete',
        body: 'ok',
      });
    }
    for (const connected of under.all('http-connected')) expect(connected).not.toHaveProperty('proxy');
    for (const host of ['127.9.9.9', '[::1]', 'mcp.localhost', 'LOCALHOST', 'localhost.']) {
      expect(proxyFor(new URL(`http://${host}:${port}/`)), host).toBeNull();
    }
    for (const host of ['localhost.example', '127.0.0.1.example', '[::2]', '10.0.0.1', 'notlocalhost']) {
      expect(proxyFor(new URL(`http://${host}:${port}/`)), host).not.toBeNull();
    }
    expect(proxy.asked).toEqual([]);
  });

  test('the certificate of the server is still verified', async () => {
    const server = await serve({ tls: true });
    await proxied();
    const under = newClient({ tls: { accepted: null } });
    const outcome = await under.request(server.origin, { headers: [['Authorization', 'Bearer planted']] });
    expect(outcome).toMatchObject({
      how: 'failed',
      failure: {
        step: 'tls',
        certificate: { fingerprint: new X509Certificate(identity.cert).fingerprint256 },
      },
    });
    expect(server.received()).toBe('');
  });
});

describe('a proxy that gives no connection', () => {
  test.each([
    [407, 'user name'],
    [403, 'does not allow'],
    [502, 'could not reach'],
  ])('and answers %i is told with what it said', async (status, why) => {
    const server = await serve({ tls: true });
    const proxy = await proxied({ refuseWith: status });
    const under = newClient();
    const outcome = await under.request(server.origin, { headers: [['Authorization', 'Bearer planted']] });
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'proxy', code: `PROXY_${status}` } });
    expect(outcome.failure?.message).toContain(`http://127.0.0.1:${proxy.port} answered ${status} Refused`);
    const [said] = under.all('body-bytes');
    expect(said).toMatchObject({ direction: 'in', exchange: 1 });
    expect(said!.bytes.toString()).toMatch(/^HTTP\/1.1 \d+ Refused\r\nX-Proxy: test\r\n\r\n/);
    expect(JSON.stringify(proxy.asked)).not.toContain('planted');
    expect(explain(outcome, 'https://far.example/')).toMatchObject({
      code: 'http-proxy',
      why: expect.stringContaining(why),
    });
    await expect.poll(() => under.client.openSockets).toBe(0);
  });

  test('for wrong credentials', async () => {
    const server = await serve({ tls: true });
    await proxied({ credentials: 'me:right' }, 'me:wrong@');
    const outcome = await newClient().request(server.origin);
    expect(outcome.failure).toMatchObject({ step: 'proxy', code: 'PROXY_407' });
    expect(outcome.failure?.message).not.toContain('wrong');
  });

  test('but forwards, answers for itself: that is a response', async () => {
    const server = await serve();
    await proxied({ credentials: 'me:right' });
    expect(await newClient().request(server.origin)).toMatchObject({
      how: 'complete',
      response: { status: 407 },
    });
    expect(server.connections()).toBe(0);
  });

  test.each(['http', 'https'])(
    'because it is not there is told as the proxy, not the server (%s)',
    async (scheme) => {
      const proxy = await startProxy();
      await proxy.close();
      setProxy(`http://127.0.0.1:${proxy.port}`);
      const outcome = await newClient().request(`${scheme}://far.example/`);
      expect(outcome.failure).toMatchObject({ step: 'proxy', code: 'ECONNREFUSED' });
      expect(outcome.failure?.message).toContain(`the proxy http://127.0.0.1:${proxy.port}`);
      const fault = explain(outcome, `${scheme}://far.example/`, `http://127.0.0.1:${proxy.port}`);
      expect(fault.what).toBe(`The proxy http://127.0.0.1:${proxy.port} gave no connection to far.example.`);
      expect(fault.next).toContain('HTTP_PROXY');
    },
  );

  test('because its certificate is not trusted is reported as a failure of the proxy', async () => {
    const server = await serve({ tls: true });
    const proxy = await proxied({ identity }, 'me:secret@');
    const outcome = await newClient({ tls: { accepted: null } }).request(server.origin);
    expect(outcome.failure).toMatchObject({ step: 'proxy', certificate: { issuer: 'CN=Test authority' } });
    expect(proxy.asked).toEqual([]);
  });

  test('because it is no HTTP proxy', async () => {
    const other = closeAfter(await startRawServer((socket) => socket.end('SSH-2.0-other\r\n')));
    setProxy(`http://127.0.0.1:${other.port}`);
    expect((await newClient().request('https://far.example/')).failure).toMatchObject({ step: 'proxy' });
  });

  test.each([
    ['socks5://127.0.0.1:1080', 'PROXY_UNSUPPORTED', 'SOCKS'],
    ['http://:bad:', 'PROXY_INVALID', 'not a URL'],
  ])('because we cannot use it: %s', async (address, code, why) => {
    setProxy(address);
    const under = newClient();
    const outcome = await under.request('http://far.example/');
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'proxy', code } });
    expect(explain(outcome, 'http://far.example/').why).toContain(why);
    expect(under.events.map(({ kind }) => kind)).toEqual(['http-request', 'http-end']);
  });
});
