import { z } from 'zod';
import type { RawResponse } from '#authorization/exchange.ts';
import { type Checked, Findings, headerValues, shown } from './findings.ts';
import { isLoopback } from '#shared/loopback.ts';

export interface DocumentContext {
  /** The URL of the document, which is the client ID. */
  readonly clientId: string;
  /** The redirect URI of the flow. */
  readonly redirectUri: string;
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

type Document = Readonly<Record<string, unknown>>;

const documentSchema = z.record(z.string(), z.unknown());

/** Bytes up to which an authorization server should read a document. */
const RECOMMENDED_SIZE = 5 * 1024;

/** Checks a hosted client metadata document, as an authorization server would read it. */
export function checkDocument(
  response: RawResponse,
  { clientId, redirectUri }: DocumentContext,
): Checked<Document> {
  const found = new Findings(response);
  if (response.status !== 200) {
    found.add('document-status', { expected: '200', received: String(response.status) });
    return found.checked<Document>(null);
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
  const document = parsed(response.body);
  if (document === null) {
    found.add('document-not-json');
    return found.checked<Document>(null);
  }
  if (document['client_id'] !== clientId)
    found.add('document-client-id-differs', { expected: clientId, received: shown(document['client_id']) });
  if (typeof document['client_name'] !== 'string' || document['client_name'] === '')
    found.add('document-client-name-missing');
  checkRedirects(document['redirect_uris'], redirectUri, found);
  checkAuthentication(document, found);
  return found.checked(document);
}

function checkRedirects(uris: unknown, expected: string, found: Findings): void {
  const listed: unknown[] = Array.isArray(uris) ? uris : [];
  if (listed.length === 0) found.add('document-redirect-uris-missing', { expected });
  else if (!listed.includes(expected)) {
    const differsInPort = listed.some((one) => typeof one === 'string' && isSameButPort(one, expected));
    const rule = differsInPort ? 'document-redirect-port-differs' : 'document-redirect-uri-differs';
    found.add(rule, { expected, received: shown(listed) });
  }
}

/** Whether two loopback URIs differ in the port only. */
function isSameButPort(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [new URL(one), new URL(other)];
  if (!isLoopback(first)) return false;
  first.port = second.port;
  return first.href === second.href;
}

function checkAuthentication(document: Document, found: Findings): void {
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

function parsed(body: Buffer): Document | null {
  try {
    return documentSchema.safeParse(JSON.parse(body.toString())).data ?? null;
  } catch {
    return null; // Not JSON, which is a finding.
  }
}
