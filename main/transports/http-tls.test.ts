import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { closeAfterEachTest } from '#fixtures/close-after.ts';
import { makeCertificate } from '#fixtures/http/certificates.ts';
import type { ServerIdentity } from '#fixtures/http/listen.ts';
import { ok, startRawServer } from '#fixtures/http/raw-server.ts';
import type { HttpClientOptions } from './http-client.ts';
import { type RequestOutcome, ClientUnderTest } from '#fixtures/http/client-under-test.ts';
import { explainHttpFailure } from './http-fault-explanations.ts';

let authority: ServerIdentity;
let selfSigned: ServerIdentity;
beforeAll(async () => {
  authority = await makeCertificate({ names: ['Test authority'], isAuthority: true });
  selfSigned = await makeCertificate();
});

const closeAfter = closeAfterEachTest();
const serve = async (identity: Parameters<typeof startRawServer>[1]) =>
  closeAfter(await startRawServer((socket) => socket.write(ok('ok')), identity));
const newClient = (tls: Partial<HttpClientOptions['tls']> = {}) =>
  closeAfter(new ClientUnderTest({ tls: { accepted: null, ...tls } }));

const fingerprintOf = ({ cert }: ServerIdentity) => new X509Certificate(cert).fingerprint256;
/** What must not reach a server whose certificate is not accepted. */
const secret = {
  method: 'POST',
  body: Buffer.from('{}'),
  headers: [['Authorization', 'Bearer planted']],
} as const;
const explain = ({ failure }: RequestOutcome, url: string) =>
  explainHttpFailure(failure!, { url: new URL(url), proxy: null });

const untrusted: [string, string, Parameters<typeof makeCertificate>[0], 'authority' | 'self', string][] = [
  ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', {}, 'self', 'self-signed'],
  ['of an unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', {}, 'authority', 'authority'],
];

describe('a certificate that is not trusted', () => {
  test.each(untrusted)(
    'because it is %s gets not a byte of the request',
    async (_name, code, options, signer, why) => {
      const identity = await makeCertificate({ ...options, ...(signer === 'authority' && { authority }) });
      const server = await serve(identity);
      const under = newClient();
      const outcome = await under.request(server.origin, secret);
      expect(outcome).toMatchObject({
        how: 'failed',
        response: null,
        failure: { step: 'tls', code, certificate: { fingerprint: fingerprintOf(identity) } },
      });
      expect(server.received()).toBe('');
      expect(under.all('http-connected')).toEqual([]);
      expect(under.ends).toMatchObject([{ how: 'failed', failure: { step: 'tls', code } }]);
      const fault = explain(outcome, server.origin);
      expect(fault).toMatchObject({
        code: 'http-tls',
        next: expect.stringContaining('accept this certificate'),
      });
      // Of another machine, a click would accept any server that answers.
      expect(explain(outcome, 'https://other.example/').next).toContain('fingerprint');
      expect(fault.why).toContain(why);
      expect(fault.evidence).toContain(fingerprintOf(identity));
      await expect.poll(() => under.client.openSockets).toBe(0);
    },
  );

  test('because it is for another name, says for which', async () => {
    const server = await serve(await makeCertificate({ names: ['other.example'], authority }));
    const outcome = await newClient({ ca: authority.cert }).request(server.origin, secret);
    expect(outcome.failure).toMatchObject({ step: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(outcome.failure?.certificate).toMatchObject({
      subject: 'CN=other.example',
      issuer: 'CN=Test authority',
      altNames: 'DNS:other.example',
    });
    expect(explain(outcome, server.origin).why).toBe('It is for DNS:other.example, not for 127.0.0.1.');
    expect(server.received()).toBe('');
  });

  test('because it has expired, says when', async () => {
    const validTo = new Date('2020-03-01T00:00:00.000Z');
    const validFrom = new Date('2020-01-01T00:00:00.000Z');
    const server = await serve(await makeCertificate({ authority, validFrom, validTo }));
    const outcome = await newClient({ ca: authority.cert }).request(server.origin, secret);
    expect(outcome.failure).toMatchObject({
      step: 'tls',
      code: 'CERT_HAS_EXPIRED',
      certificate: { validFrom: validFrom.toISOString(), validTo: validTo.toISOString() },
    });
    expect(explain(outcome, server.origin).why).toContain(validTo.toISOString());
    expect(server.received()).toBe('');
  });

  test('is accepted by its fingerprint, in any notation, and still reported as untrusted', async () => {
    const server = await serve(selfSigned);
    for (const accepted of [
      fingerprintOf(selfSigned),
      fingerprintOf(selfSigned).replaceAll(':', '').toLowerCase(),
    ]) {
      const under = newClient({ accepted });
      expect(await under.request(server.origin, secret)).toMatchObject({ how: 'complete', body: 'ok' });
      expect(under.all('http-connected')).toMatchObject([
        {
          tls: {
            untrusted: 'DEPTH_ZERO_SELF_SIGNED_CERT',
            certificate: { fingerprint: fingerprintOf(selfSigned) },
          },
        },
      ]);
    }
    expect(server.received()).toContain('Bearer planted');
  });

  test('is not accepted by the fingerprint of another', async () => {
    const server = await serve(await makeCertificate());
    const outcome = await newClient({ accepted: fingerprintOf(selfSigned) }).request(server.origin, secret);
    expect(outcome).toMatchObject({ how: 'failed', failure: { step: 'tls' } });
    expect(server.received()).toBe('');
  });
});

describe('a certificate that is trusted', () => {
  test('by a CA file leads to a connection whose TLS is recorded, and which is used again', async () => {
    const server = await serve(await makeCertificate({ authority }));
    const under = newClient({ ca: authority.cert });
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'ok' });
    expect(await under.request(server.origin)).toMatchObject({ how: 'complete', body: 'ok' });
    const [first, second] = under.all('http-connected');
    expect(Object.keys(first!.took)).toEqual(['connect', 'tls']);
    expect(first).toMatchObject({
      reused: false,
      remote: `127.0.0.1:${server.port}`,
      tls: {
        protocol: 'TLSv1.3',
        cipher: expect.stringContaining('TLS_'),
        certificate: { issuer: 'CN=Test authority' },
      },
    });
    expect(first!.tls).not.toHaveProperty('untrusted');
    expect(second).toMatchObject({ reused: true, took: {}, tls: { protocol: 'TLSv1.3' } });
    expect(server.connections()).toBe(1);
    await under.client.close();
    expect(under.client.openSockets).toBe(0);
  });

  test('works by name as well', async () => {
    const server = await serve(await makeCertificate({ authority, names: ['localhost'] }));
    const url = `https://localhost:${server.port}/`;
    expect(await newClient({ ca: authority.cert }).request(url)).toMatchObject({ how: 'complete' });
  });
});

test('a client certificate is shown to a server that demands one', async () => {
  const identity = await makeCertificate({ authority });
  const server = await serve({ ...identity, ca: authority.cert, requestCert: true });
  const own = await makeCertificate({ names: ['me'], authority });
  const withIt = newClient({ ca: authority.cert, ...own });
  expect(await withIt.request(server.origin)).toMatchObject({ how: 'complete', body: 'ok' });
  const received = server.received();

  const without = newClient({ ca: authority.cert });
  const outcome = await without.request(server.origin);
  expect(outcome).toMatchObject({ how: 'failed' });
  expect(`${explain(outcome, server.origin).what} ${explain(outcome, server.origin).why}`).toContain(
    'client certificate',
  );
  expect(server.received()).toBe(received);
});
