import { z } from 'zod';
import type { RawResponse } from '#authorization/exchange.ts';
import { isLoopback } from '#shared/loopback.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Checked, Findings, headerValues, shown } from './findings.ts';
import { type JsonObject, parseJson } from './json-response.ts';

export interface DocumentContext {
  /** The URL of the document, which is the client ID. */
  readonly clientId: string;
  /** The redirect URI of the flow; null for a grant without one. */
  readonly redirectUri: string | null;
}

/** Checks a URL as the client ID of a metadata document. Authorization servers compare it as it is written. */
export function checkDocumentUrl(clientId: string): Checked<URL> {
  const found = new Findings({ row: null });
  const url = URL.canParse(clientId) ? new URL(clientId) : null;
  // A URL with a password is not repeated.
  const received = url !== null && url.username + url.password !== '' ? null : clientId;
  const reject = (text: string) => found.add('document-url-invalid', { text, received });
  const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(clientId)?.[1] ?? '';
  if (url === null) {
    reject('The client ID is not a URL.');
    return found.checked<URL>(null);
  }
  if (url.protocol !== 'https:') reject('The client ID is not an HTTPS URL.');
  if (path === '' || path === '/') reject('The client ID has no path.');
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(path)) reject('The path of the client ID has a segment of dots.');
  if (clientId.includes('#')) reject('The client ID has a fragment.');
  if (received === null) reject('The client ID has a user name or password.');
  if (clientId.includes('?')) found.add('document-url-query', { received });
  return found.checked(found.all.some(({ severity }) => severity === 'error') ? null : url);
}

/** Bytes up to which an authorization server should read a document. */
const RECOMMENDED_SIZE = 5 * 1024;

/** Checks a hosted client metadata document, as an authorization server would read it. */
export function checkDocument(
  response: RawResponse,
  { clientId, redirectUri }: DocumentContext,
): Checked<JsonObject> {
  const found = new Findings(response);
  if (response.status !== 200) {
    found.add('document-status', { expected: '200', received: String(response.status) });
    return found.checked<JsonObject>(null);
  }
  const [type = ''] = headerValues(response, 'content-type');
  if (!/^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i.test(type))
    found.add('document-content-type', { expected: 'application/json', received: type });
  const { length } = response.body;
  if (length > RECOMMENDED_SIZE)
    found.add('document-too-large', {
      expected: `at most ${RECOMMENDED_SIZE} bytes`,
      received: `${length} bytes${response.isCut ? ' and more' : ''}`,
    });
  const document = parseJson(response.body.toString());
  if (response.isCut || !isObject(document)) {
    found.add(response.isCut ? 'response-too-long' : 'document-not-json');
    return found.checked<JsonObject>(null);
  }
  if (document['client_id'] !== clientId)
    found.add('document-client-id-differs', { expected: clientId, received: shown(document['client_id']) });
  if (typeof document['client_name'] !== 'string' || document['client_name'] === '')
    found.add('document-client-name-missing');
  if (redirectUri !== null) checkRedirects(document['redirect_uris'], redirectUri, found);
  checkAuthentication(document, found);
  return found.checked(document);
}

function checkRedirects(uris: unknown, expected: string, found: Findings): void {
  const listed: unknown[] = Array.isArray(uris) ? uris : [];
  if (listed.length === 0) return found.add('document-redirect-uris-missing', { expected });
  if (listed.includes(expected)) return;
  const values = { expected, received: shown(listed) };
  const ports = listed.flatMap((one) => portIfSame(one, expected) ?? []);
  if (ports.length === 0) return found.add('document-redirect-uri-differs', values);
  // Without a port any may be used (RFC 8252 section 7.3), and our own document is so by default.
  found.add('document-redirect-port-differs', { ...values, ...(ports.includes('') && { severity: 'info' }) });
}

/** The port of a loopback URI that differs from another in nothing else; null for any other value. */
function portIfSame(one: unknown, other: string): string | null {
  if (typeof one !== 'string' || !URL.canParse(one) || !URL.canParse(other)) return null;
  const [first, second] = [new URL(one), new URL(other)];
  if (!isLoopback(first)) return null;
  const { port } = first;
  first.port = second.port;
  return first.href === second.href ? port : null;
}

function checkAuthentication(document: JsonObject, found: Findings): void {
  const method = document['token_endpoint_auth_method'];
  if (typeof method === 'string' && method.startsWith('client_secret_'))
    found.add('document-auth-method', { expected: 'none or private_key_jwt', received: method });
  for (const name of ['client_secret', 'client_secret_expires_at']) {
    if (name in document) found.add('document-has-secret', { received: name });
  }
  if (hasPrivateKey(document['jwks']))
    found.add('document-has-secret', { received: 'a private key in jwks' });
  if (method === 'private_key_jwt' && !('jwks' in document) && !('jwks_uri' in document))
    found.add('document-without-keys');
}

const keysSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** `d` is in every private key of RFC 7518, `k` in a shared one. */
const hasPrivateKey = (jwks: unknown): boolean =>
  keysSchema.safeParse(jwks).data?.keys.some((key) => 'd' in key || 'k' in key) ?? false;
