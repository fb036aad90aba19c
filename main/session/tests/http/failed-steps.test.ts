import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { benchForEachTest } from '#fixtures/http/test-bench.ts';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import { asFar, FAR_HOST, startProxy } from '#fixtures/http/proxy.ts';
import type { Script } from '#fixtures/http/scripted-app.ts';
import type { SessionView } from '#shared/contract/sessions.ts';

const bench = benchForEachTest();
const { serve } = bench;
let engine: EngineFixture;
beforeEach(() => {
  engine = bench.engine;
});
afterEach(async () => {
  vi.unstubAllEnvs();
});

/** At which step an exchange of the session failed, by the record. */
async function failedStep({ id }: SessionView): Promise<string | undefined> {
  for (const { row, kind, status } of await engine.rows(id)) {
    if (kind !== 'http' || status !== 'failed') continue;
    const { exchange } = await engine.call('trace/detail', { sessionId: id, row });
    return exchange?.end?.failure?.step;
  }
  return undefined;
}

describe('a certificate that is not trusted', () => {
  test('stops the connection before anything is sent, and can be accepted for good', async () => {
    const server = await serve({}, await makeCertificate());
    const refused = await engine.connectUrl(server.url);
    expect(refused).toMatchObject({ phase: 'failed', fault: { code: 'http-tls' } });
    expect(await failedStep(refused)).toBe('tls');
    expect(server.requests).toEqual([]);
    const [remedy] = refused.remedies;
    if (remedy?.kind !== 'accept-certificate') throw new Error('there is no remedy');

    const { serverId } = refused;
    const opened = await engine.call('sessions/open', {
      serverId,
      acceptCertificate: remedy.fingerprint,
    });
    if (opened.outcome !== 'opened') throw new Error('it was not opened');
    expect((await engine.settled(opened.session.id, ['ready', 'failed'])).phase).toBe('ready');
    expect((await engine.reconnect(serverId)).phase).toBe('ready');
  });

  test('of another machine is shown, and accepted by what the user enters in the settings only', async () => {
    const certificate = await makeCertificate({ commonName: FAR_HOST });
    const server = await serve({}, certificate);
    const proxy = bench.closeAfter(await startProxy());
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NO_PROXY', '');
    const url = asFar(server.url);
    const refused = await engine.connectUrl(url);
    const { fingerprint256: fingerprint } = new X509Certificate(certificate.cert);
    expect(refused).toMatchObject({
      phase: 'failed',
      fault: { code: 'http-tls', next: expect.stringContaining('administrator') },
      remedies: [{ kind: 'compare-certificate', fingerprint }],
    });
    const { serverId } = refused;
    await expect(
      engine.call('sessions/open', { serverId, acceptCertificate: fingerprint }),
    ).rejects.toMatchObject({ fault: { code: 'certificate-of-another-machine' } });
    expect(server.requests).toEqual([]);
    const tls = { caFile: null, certFile: null, keyFile: null, accepted: fingerprint };
    expect(await engine.connectUrl(url, { http: { tls } })).toMatchObject({ phase: 'ready' });
  });

  test('is trusted when its authority is given in a file', async () => {
    const authority = await makeCertificate({ isAuthority: true, commonName: 'the authority' });
    const server = await serve({}, await makeCertificate({ authority }));
    const caFile = join(engine.folder, 'ca.pem');
    await writeFile(caFile, authority.cert);
    const tls = { caFile, certFile: null, keyFile: null, accepted: null };
    expect(await engine.connectUrl(server.url, { http: { tls } })).toMatchObject({ phase: 'ready' });
  });

  test('and a file of authorities that is not there are different failures', async () => {
    const server = await serve({}, await makeCertificate());
    const tls = { caFile: join(engine.folder, 'none.pem'), certFile: null, keyFile: null, accepted: null };
    const { phase, fault } = await engine.connectUrl(server.url, { http: { tls } });
    expect(phase).toBe('failed');
    expect(fault?.what).toContain('none.pem');
  });
});

describe('a proxy in between', () => {
  test('carries the session, and is named on the record without its password', async () => {
    const server = await serve({});
    const proxy = bench.closeAfter(await startProxy({ credentials: 'user:proxy-password' }));
    const host = `127.0.0.1:${proxy.port}`;
    vi.stubEnv('HTTP_PROXY', `http://user:proxy-password@${host}`);
    vi.stubEnv('NO_PROXY', '');
    const session = await engine.connectUrl(asFar(server.url));
    expect(session).toMatchObject({ phase: 'ready' });
    const [row] = (await engine.rows(session.id)).filter(({ kind }) => kind === 'http');
    const { exchange } = await engine.call('trace/detail', { sessionId: session.id, row: row?.row ?? -1 });
    expect(exchange?.connected?.proxy).toBe(`http://${host}`);
    expect(JSON.stringify(exchange)).not.toContain('proxy-password');
    const { steps } = await engine.call('sessions/diagnose', { sessionId: session.id });
    expect(JSON.stringify(steps)).not.toContain('proxy-password');
    expect(steps.map(({ name, state, measured }) => [name, state, measured]).slice(1, 3)).toEqual([
      ['connect', 'ok', expect.stringContaining(`the proxy ${host} in `)],
      ['proxy', 'ok', `http://${host}`],
    ]);
  });

  test('that cannot be reached is named as what failed', async () => {
    const server = await serve({});
    const gone = await startProxy();
    await gone.close();
    const host = `127.0.0.1:${gone.port}`;
    vi.stubEnv('HTTP_PROXY', `http://${host}`);
    vi.stubEnv('NO_PROXY', '');
    const session = await engine.connectUrl(asFar(server.url));
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-proxy' } });
    expect(session.fault?.what).toContain(host);
    expect(await failedStep(session)).toBe('proxy');
    const states = session.diagnosis?.steps.map(({ name, state }) => `${name} ${state}`);
    expect(states?.slice(0, 4)).toEqual(['lookup unknown', 'connect unknown', 'proxy failed', 'tls skipped']);
  });
});

describe('a redirect', () => {
  const redirecting = (to: (path: string) => string): Script => ({
    intercept: (exchange) => {
      const { url } = exchange.received;
      if (!url.startsWith('/mcp')) return false;
      exchange.reply(307, { Location: to(url) });
      return true;
    },
  });

  test('within the origin is followed, each attempt on record', async () => {
    const server = await serve(redirecting(() => '/new/place'));
    const session = await engine.connectUrl(server.url, { era: 'legacy' });
    expect(session).toMatchObject({ phase: 'ready' });
    const rows = await engine.rows(session.id);
    const [first, second] = rows.filter(({ kind }) => kind === 'http');
    expect([first?.code, second?.code]).toEqual([307, 200]);
    const initialize = rows.filter(({ kind, method }) => kind === 'request' && method === 'initialize');
    expect(initialize).toHaveLength(1);
    const call = await engine.callTool(session.id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'ok' });
  });

  test('to another origin is not followed, but reported with the address', async () => {
    const other = await serve({});
    const server = await serve(redirecting(() => other.url));
    const session = await engine.connectUrl(server.url);
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-redirect' } });
    expect(session.fault?.what).toContain(other.url);
    expect(other.requests).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  test.each([
    ['response', (exchange: Broken) => exchange.raw('', 'reset')],
    ['response', (exchange: Broken) => exchange.raw('HTTQ/9 fine\r\n\r\n')],
    [
      'body',
      (exchange: Broken) =>
        exchange.raw(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"half":',
        ),
    ],
  ] as const)('at the step %s fails one call there, not the session', async (step, answer) => {
    const server = await serve({
      intercept: (exchange) => {
        if (exchange.received.messages[0]?.method !== 'tools/call') return false;
        answer(exchange);
        return true;
      },
    });
    const session = await engine.connectUrl(server.url, { era: 'legacy' });
    const call = await engine.callTool(session.id, 'echo', { message: 'hi' });
    expect(call).toMatchObject({ state: 'lost', fault: { code: `http-${step}` } });
    expect(await failedStep(session)).toBe(step);
    expect((await engine.session(session.id)).phase).toBe('ready');
    await engine.call('sessions/ping', { sessionId: session.id });
  });

  test('at the lookup of a host that does not exist fails the session with the name', async () => {
    const session = await engine.connectUrl('http://no-such-host.invalid/mcp');
    expect(session).toMatchObject({ phase: 'failed', fault: { code: 'http-lookup' } });
    expect(session.fault?.what).toContain('no-such-host.invalid');
    expect(await failedStep(session)).toBe('lookup');
  });
});

type Broken = Parameters<NonNullable<Script['intercept']>>[0];
