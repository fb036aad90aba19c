import type { ExchangeDetail } from '#shared/contract/trace.ts';
import type { Certificate, HttpConnectedRecord, HttpResponseRecord } from '#shared/trace/record.ts';

type Sample = Omit<ExchangeDetail, 'row' | 'carried' | 'carriedCount'>;

/** A call that was answered at once over a new connection, unless told otherwise. Stamps are microseconds. */
export const anExchange = (facts: Partial<Sample> = {}): Sample => ({
  request: {
    seq: 0,
    at: 1000,
    kind: 'http-request',
    exchange: 1,
    method: 'POST',
    url: 'http://127.0.0.1:3000/mcp',
    headers: [
      ['Host', '127.0.0.1:3000'],
      ['content-type', 'application/json'],
      ['Authorization', 'Bearer [secret header:Authorization, 40 characters, 1a2b3c4d]'],
    ],
    bodySize: 120,
    origin: 'user',
  },
  connected: aConnection(),
  responses: [aResponse()],
  end: { seq: 3, at: 5000, kind: 'http-end', exchange: 1, how: 'complete', size: 300 },
  ...facts,
});

export const aConnection = (facts: Partial<HttpConnectedRecord> = {}): HttpConnectedRecord => ({
  seq: 1,
  at: 1900,
  kind: 'http-connected',
  exchange: 1,
  reused: false,
  remote: '127.0.0.1:3000',
  took: { lookup: 200, connect: 500 },
  ...facts,
});

export const aResponse = (facts: Partial<HttpResponseRecord> = {}): HttpResponseRecord => ({
  seq: 2,
  at: 4000,
  kind: 'http-response',
  exchange: 1,
  status: 200,
  reason: 'OK',
  httpVersion: '1.1',
  headers: [
    ['Content-Type', 'application/json'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
  ],
  ...facts,
});

export const aCertificate = (facts: Partial<Certificate> = {}): Certificate => ({
  subject: 'CN=localhost',
  issuer: 'CN=localhost',
  validFrom: '2025-06-01T00:00:00.000Z',
  validTo: '2026-06-01T00:00:00.000Z',
  altNames: 'DNS:localhost, IP Address:127.0.0.1',
  fingerprint: 'AB:CD:EF',
  ...facts,
});
