import { expect, test } from 'vitest';
import type { HeaderLines } from '#shared/trace/record.ts';
import { metadataDocument } from '#authorization/metadata-document.ts';
import { checkDocument, checkDocumentUrl } from './client-metadata.ts';

const url = 'https://client.example/sightglass.json';
const redirectUri = 'http://127.0.0.1:4000/callback';
const own = { url, redirectUris: [redirectUri], authMethod: 'none', jwks: null } as const;

const response = (
  body: string,
  status = 200,
  headers: HeaderLines = [['Content-Type', 'application/json']],
) => ({
  url: new URL(url),
  status,
  headers,
  body: Buffer.from(body),
  isCut: false,
  row: 4,
  duration: 1,
});

const rulesOf = (body: string, status?: number, headers?: HeaderLines) =>
  checkDocument(response(body, status, headers), { clientId: url, redirectUri }).findings.map(
    ({ rule, severity }) => [rule, severity],
  );

const changed = (members: Record<string, unknown>): string =>
  JSON.stringify({ ...JSON.parse(metadataDocument(own)), ...members });

test('our own document has nothing wrong with it', () => {
  expect(rulesOf(metadataDocument(own))).toEqual([]);
  const jwks = { keys: [{ kty: 'EC', crv: 'P-256', x: 'a', y: 'b' }] };
  expect(rulesOf(metadataDocument({ ...own, authMethod: 'private_key_jwt', jwks }))).toEqual([]);
  expect(
    rulesOf(metadataDocument(own), 200, [['content-type', 'application/cimd+json; charset=utf-8']]),
  ).toEqual([]);
});

test.each<[Record<string, unknown>, [string, string][]]>([
  [{ client_id: `${url}/` }, [['document-client-id-differs', 'error']]],
  [
    { client_id: undefined, client_name: '' },
    [
      ['document-client-id-differs', 'error'],
      ['document-client-name-missing', 'error'],
    ],
  ],
  [{ redirect_uris: [] }, [['document-redirect-uris-missing', 'error']]],
  [{ redirect_uris: 'http://127.0.0.1:4000/callback' }, [['document-redirect-uris-missing', 'error']]],
  [{ redirect_uris: ['http://127.0.0.1/callback'] }, [['document-redirect-port-differs', 'info']]],
  [{ redirect_uris: ['http://127.0.0.1:4001/callback'] }, [['document-redirect-port-differs', 'warning']]],
  [{ redirect_uris: ['http://localhost:4000/callback', 5] }, [['document-redirect-uri-differs', 'error']]],
  [{ redirect_uris: ['https://127.0.0.1.example/callback'] }, [['document-redirect-uri-differs', 'error']]],
  [
    { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'x' },
    [
      ['document-auth-method', 'error'],
      ['document-has-secret', 'error'],
    ],
  ],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, [['document-without-keys', 'error']]],
  [{ jwks: { keys: [{ kty: 'EC', d: 'planted-key' }] } }, [['document-has-secret', 'error']]],
  [{ filler: 'x'.repeat(6000) }, [['document-too-large', 'warning']]],
])('finds what is wrong in a document with %j', (members, found) => {
  const text = changed(members);
  expect(rulesOf(text)).toEqual(found);
  const { findings } = checkDocument(response(text), { clientId: url, redirectUri });
  expect(findings.every(({ row, source }) => row === 4 && source !== '')).toBe(true);
  expect(JSON.stringify(findings)).not.toContain('planted-key');
});

test.each<[string, number, string, [string, string][]]>([
  ['a redirect', 302, '', [['document-status', 'error']]],
  ['an error', 404, '{}', [['document-status', 'error']]],
  ['a page', 200, '<html>', [['document-not-json', 'error']]],
  ['a list', 200, '[]', [['document-not-json', 'error']]],
])('finds %s in place of a document', (_, status, body, found) => {
  expect(rulesOf(body, status)).toEqual(found);
});

test('finds a document that is not sent as JSON', () => {
  expect(rulesOf(metadataDocument(own), 200, [['Content-Type', 'text/html']])).toEqual([
    ['document-content-type', 'warning'],
  ]);
  expect(rulesOf(metadataDocument(own), 200, [])).toEqual([['document-content-type', 'warning']]);
});

test.each<[string, string[]]>([
  [url, []],
  ['http://client.example/a.json', ['document-url-invalid']],
  ['https://client.example', ['document-url-invalid']],
  ['https://client.example/', ['document-url-invalid']],
  ['https://client.example/a/../b.json', ['document-url-invalid']],
  ['https://client.example/a#b', ['document-url-invalid']],
  ['https://client.example/a?b', ['document-url-query']],
  ['client', ['document-url-invalid']],
])('as a client ID, %s has %j', (text, rules) => {
  expect(checkDocumentUrl(text).findings.map(({ rule }) => rule)).toEqual(rules);
});

test('a password in the URL is not repeated', () => {
  const { findings, value } = checkDocumentUrl('https://me:planted@client.example/a');
  expect(findings.map(({ rule }) => rule)).toEqual(['document-url-invalid']);
  expect(value).toBeNull();
  expect(JSON.stringify(findings)).not.toContain('planted');
});
