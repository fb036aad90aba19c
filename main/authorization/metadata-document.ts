import { z } from 'zod';
import type { AuthorizationFinding } from '#shared/contract/authorization.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { RawRequest, RawResponse } from './exchange.ts';

/** The draft that defines client ID metadata documents, which MCP 2025-11-25 refers to. */
const DRAFT = 'draft-ietf-oauth-client-id-metadata-document';
const MCP = 'MCP 2025-11-25 authorization, client ID metadata documents';

export interface DocumentOptions {
  /** Where it will be hosted, which is the client ID. */
  readonly url: string;
  readonly redirectUris: readonly string[];
  /** `none`, or `private_key_jwt` with the public key of the client. */
  readonly authMethod: 'none' | 'private_key_jwt';
  /** A JSON Web Key Set with public keys only; null without a key. */
  readonly jwks: object | null;
}

/** Our client ID metadata document, as JSON text to host at its URL. */
export const metadataDocument = ({ url, redirectUris, authMethod, jwks }: DocumentOptions): string =>
  `${JSON.stringify(
    {
      client_id: url,
      client_name: 'Sightglass',
      redirect_uris: redirectUris,
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      ...(jwks !== null && { jwks }),
    },
    null,
    2,
  )}\n`;

export const documentRequest = (url: URL): RawRequest => ({
  method: 'GET',
  url,
  headers: [['Accept', 'application/json']],
  body: null,
});

/** What is wrong with a URL as the client ID of a metadata document; an authorization server compares it as it is written. */
export function checkDocumentUrl(text: string): AuthorizationFinding[] {
  const say = (rule: string, severity: AuthorizationFinding['severity'], message: string, source = DRAFT) =>
    finding({ rule, severity, text: message, source, received: text });
  if (!URL.canParse(text)) return [say('document-url-invalid', 'error', 'The client ID is not a URL.')];
  const url = new URL(text);
  const path = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(text)?.[1] ?? '';
  const found: AuthorizationFinding[] = [];
  if (url.protocol !== 'https:')
    found.push(say('document-url-not-https', 'error', 'The client ID is not an HTTPS URL.', MCP));
  if (path === '' || path === '/')
    found.push(say('document-url-without-path', 'error', 'The client ID has no path.', MCP));
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(path))
    found.push(say('document-url-dots', 'error', 'The path of the client ID has a segment of dots.'));
  if (text.includes('#')) found.push(say('document-url-fragment', 'error', 'The client ID has a fragment.'));
  if (url.username !== '' || url.password !== '')
    found.push(
      finding({
        rule: 'document-url-user-info',
        severity: 'error',
        text: 'The client ID has a user name or password.',
        source: DRAFT,
      }),
    );
  if (text.includes('?'))
    found.push(say('document-url-query', 'warning', 'The client ID has a query, which it should not have.'));
  return found;
}

/** Bytes up to which an authorization server should read a document. */
const RECOMMENDED_SIZE = 5 * 1024;

const documentSchema = z.record(z.string(), z.unknown());

export interface DocumentCheck {
  readonly url: string;
  /** The redirect URI of the flow. */
  readonly redirectUri: string;
}

/** What is wrong with a hosted metadata document, as an authorization server would see it. */
export function checkDocument(
  response: RawResponse,
  { url, redirectUri }: DocumentCheck,
): AuthorizationFinding[] {
  const { row } = response;
  const found: AuthorizationFinding[] = [];
  const say = (one: NewFinding) => found.push(finding({ row, ...one }));
  if (response.status !== 200) {
    say({
      rule: 'document-status',
      severity: 'error',
      text: `The client metadata document answered HTTP ${response.status}. Authorization servers follow no redirect and accept only 200.`,
      source: DRAFT,
      expected: '200',
      received: String(response.status),
    });
    return found;
  }
  const type = valueOf(response.headers, 'content-type');
  if (type === null || !/^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i.test(type))
    say({
      rule: 'document-content-type',
      severity: 'warning',
      text: 'The client metadata document is not sent as JSON.',
      source: DRAFT,
      expected: 'application/json',
      received: type,
    });
  if (response.body.length > RECOMMENDED_SIZE || response.isCut)
    say({
      rule: 'document-size',
      severity: 'warning',
      text: 'The client metadata document is larger than the 5 KiB that authorization servers are advised to read.',
      source: DRAFT,
      expected: `at most ${RECOMMENDED_SIZE} bytes`,
      received: `${response.isCut ? 'more than ' : ''}${response.body.length} bytes`,
    });
  const document = parsed(response.body);
  if (document === null) {
    say({
      rule: 'document-not-json',
      severity: 'error',
      text: 'The client metadata document is not a JSON object.',
      source: DRAFT,
    });
    return found;
  }
  const clientId = document['client_id'];
  if (clientId !== url)
    say({
      rule: 'document-client-id',
      severity: 'error',
      text: 'client_id of the client metadata document is not its URL, character by character.',
      source: MCP,
      expected: url,
      received: clientId === undefined ? null : JSON.stringify(clientId),
    });
  if (typeof document['client_name'] !== 'string' || document['client_name'] === '')
    say({
      rule: 'document-client-name',
      severity: 'error',
      text: 'The client metadata document has no client_name.',
      source: MCP,
    });
  checkRedirects(document['redirect_uris'], redirectUri, say);
  checkSecrets(document, say);
  return found;
}

function checkRedirects(uris: unknown, redirectUri: string, say: (one: NewFinding) => void): void {
  const listed: unknown[] = Array.isArray(uris) ? uris : [];
  if (listed.length === 0) {
    say({
      rule: 'document-redirect-uris',
      severity: 'error',
      text: 'The client metadata document has no redirect_uris.',
      source: MCP,
    });
  } else if (!listed.includes(redirectUri)) {
    const differsInPort = listed.some((one) => typeof one === 'string' && isSameButPort(one, redirectUri));
    say({
      rule: 'document-redirect-differs',
      severity: differsInPort ? 'warning' : 'error',
      text: differsInPort
        ? 'redirect_uris of the client metadata document has our redirect URI with another port only. Servers must accept any port on loopback, but some compare it.'
        : 'redirect_uris of the client metadata document does not have our redirect URI.',
      source: differsInPort ? 'RFC 8252 7.3' : DRAFT,
      expected: redirectUri,
      received: JSON.stringify(listed),
    });
  }
}

/** Whether two loopback URIs with addresses differ in the port only (RFC 8252 section 7.3); `localhost` counts for most servers. */
function isSameButPort(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [new URL(one), new URL(other)];
  if (!/^(?:127\.0\.0\.1|\[::1\]|localhost)$/.test(first.hostname)) return false;
  first.port = second.port;
  return first.href === second.href;
}

function checkSecrets(document: Readonly<Record<string, unknown>>, say: (one: NewFinding) => void): void {
  const method = document['token_endpoint_auth_method'];
  if (typeof method === 'string' && method.startsWith('client_secret_'))
    say({
      rule: 'document-auth-method',
      severity: 'error',
      text: `The client metadata document names ${method}, but a public document can have no secret.`,
      source: DRAFT,
      expected: 'none or private_key_jwt',
      received: method,
    });
  const secret = ['client_secret', 'client_secret_expires_at'].find((name) => name in document);
  if (secret !== undefined)
    say({
      rule: 'document-secret',
      severity: 'error',
      text: `The client metadata document has ${secret}: everyone can read it. Replace the secret.`,
      source: DRAFT,
    });
  if (method === 'private_key_jwt' && !('jwks' in document) && !('jwks_uri' in document))
    say({
      rule: 'document-keys',
      severity: 'error',
      text: 'The client metadata document names private_key_jwt, but has neither jwks nor jwks_uri.',
      source: DRAFT,
    });
  if (hasPrivateKey(document['jwks']))
    say({
      rule: 'document-private-key',
      severity: 'error',
      text: 'jwks of the client metadata document has a private key: everyone can read it. Replace the key.',
      source: 'RFC 7517 9.2',
    });
}

const keysSchema = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });

/** `d` is in every private key of RFC 7518, `k` in a shared one. */
const hasPrivateKey = (jwks: unknown): boolean =>
  keysSchema.safeParse(jwks).data?.keys.some((key) => 'd' in key || 'k' in key) ?? false;

type NewFinding = Pick<AuthorizationFinding, 'rule' | 'severity' | 'text' | 'source'> &
  Partial<AuthorizationFinding>;

const finding = (one: NewFinding): AuthorizationFinding => ({
  expected: null,
  received: null,
  row: null,
  library: null,
  ...one,
});

const valueOf = (headers: HeaderLines, name: string): string | null =>
  headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    return documentSchema.safeParse(JSON.parse(body.toString())).data ?? null;
  } catch {
    return null; // Not JSON, which is a finding.
  }
}
