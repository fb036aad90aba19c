import { isSameJson } from '#shared/json/same-json.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { type Checked, type FindingDetails, Findings, shown } from './findings.ts';
import { checkStatus, type JsonObject, readJson, readText, readTexts } from './json-response.ts';
import { checkScopeForm } from './scopes.ts';

/** A registered client (RFC 7591 section 3.2.1), as the server wrote it. */
export interface Registration {
  readonly json: JsonObject;
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Milliseconds since the Unix epoch; null if the secret does not expire or the server does not say. */
  readonly secretExpiresAt: number | null;
  readonly authMethod: string | null;
}

export interface RegistrationContext {
  /** The body of the request. */
  readonly sent: JsonObject;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

const SOURCE = 'RFC 7591 3.2.1';
const METHOD = 'token_endpoint_auth_method';
/** Methods with a secret that the server issues, and with a key or certificate of the client. */
const withSecret = /^client_secret_/;
const withKey = /^(?:private_key_jwt|(?:self_signed_)?tls_client_auth)$/;

const hasKeys = ({ jwks, jwks_uri: jwksUri }: JsonObject): boolean =>
  jwks !== undefined || jwksUri !== undefined;

/** Checks the response to a dynamic registration (RFC 7591 section 3.2). */
export function checkRegistration(
  response: RawResponse,
  { sent, now }: RegistrationContext,
): Checked<Registration> {
  const found = new Findings(response);
  const { status } = response;
  if (!checkStatus(response, found)) return found.checked<Registration>(null);
  if (sent[METHOD] === 'private_key_jwt' && !hasKeys(sent)) found.add('registered-without-key');
  const json = readJson(response, { what: 'registration response', source: 'RFC 7591 3.2' }, found);
  const error = json?.['error'];
  if (status >= 400 || error !== undefined) {
    addRejection({ status, error, json, sent }, found);
    return found.checked<Registration>(null);
  }
  if (status !== 201) found.add('registration-status', { expected: '201', received: String(status) });
  if (json === null) return found.checked<Registration>(null);
  const to = { found, source: SOURCE };
  const clientId = readText(json, 'client_id', to);
  if (clientId === null || clientId === '') found.add('client-id-missing');
  const clientSecret = readText(json, 'client_secret', to);
  const secretExpiresAt = clientSecret === null ? null : checkExpiry(json, now, found);
  checkRedirectUris(json, sent, found);
  for (const name of ['grant_types', 'response_types', 'token_endpoint_auth_method', 'application_type'])
    checkRegistered(name, json, sent, found);
  checkScopeForm(json['scope'], { what: 'scope of the registration', source: 'RFC 7591 2' }, found);
  checkMeans(json, sent, found);
  return found.checked(
    clientId === null || clientId === ''
      ? null
      : {
          json,
          clientId,
          clientSecret,
          secretExpiresAt,
          authMethod: readText(json, 'token_endpoint_auth_method', to),
        },
  );
}

interface Rejection {
  readonly status: number;
  readonly error: unknown;
  readonly json: JsonObject | null;
  readonly sent: JsonObject;
}

function addRejection({ status, error, json, sent }: Rejection, found: Findings): void {
  const description = json?.['error_description'];
  const details: FindingDetails = {
    received: [
      `HTTP ${status}`,
      ...[error, description].flatMap((one) => (one === undefined ? [] : [shown(one)])),
    ].join(', '),
  };
  if (status < 400)
    found.add('error-with-200', {
      text: `HTTP status ${status} carries the error ${shown(error)}.`,
      source: 'RFC 7591 3.2.2',
      ...details,
    });
  if (error === undefined) found.add('error-code-missing', { source: 'RFC 7591 3.2.2', ...details });
  if (error !== 'invalid_redirect_uri') {
    found.add('registration-rejected', {
      text: `The registration was rejected: ${error === undefined ? `HTTP status ${status}` : shown(error)}.`,
      ...details,
    });
    return;
  }
  const uris = Array.isArray(sent['redirect_uris']) ? sent['redirect_uris'].map(shown) : [];
  const hasLocalhost = uris.some((uri) => uri.includes('//localhost'));
  found.add('registration-redirect-rejected', {
    text: `The registration refused the redirect URI ${uris.join(', ')}. Try ${hasLocalhost ? '127.0.0.1' : 'localhost'}.`,
    ...details,
  });
}

function checkExpiry(json: JsonObject, now: number, found: Findings): number | null {
  const value = json['client_secret_expires_at'];
  if (value === undefined) {
    found.add('secret-without-expiry', { expected: 'client_secret_expires_at' });
    return null;
  }
  if (typeof value !== 'number') {
    found.add('member-of-wrong-type', {
      text: 'The member client_secret_expires_at is not a number.',
      source: SOURCE,
      expected: 'seconds since 1970, or 0',
      received: shown(value),
    });
    return null;
  }
  if (value !== 0 && value * 1000 <= now)
    found.add('secret-expired', { received: String(value), expected: `more than ${Math.floor(now / 1000)}` });
  return value === 0 ? null : value * 1000;
}

function checkRedirectUris(json: JsonObject, sent: JsonObject, found: Findings): void {
  const asked = sent['redirect_uris'];
  if (!Array.isArray(asked) || json['redirect_uris'] === undefined) return;
  const registered = readTexts(json, 'redirect_uris', { found, source: SOURCE });
  if (registered === null || isSameJson(JSON.stringify(registered), JSON.stringify(asked))) return;
  found.add('redirect-uris-differ', { expected: shown(asked), received: shown(registered) });
}

/** A client can use a method only with the secret that the server issues, or the key that it sent (RFC 7591 section 2). */
function checkMeans(json: JsonObject, sent: JsonObject, found: Findings): void {
  const method = json[METHOD];
  if (typeof method !== 'string') return;
  if (withSecret.test(method) && typeof json['client_secret'] !== 'string')
    found.add('secret-missing', {
      text: `The server registered the client for ${method} and sent no client_secret, so the client cannot authenticate.`,
      expected: 'client_secret',
      received: method,
    });
  // A method that we asked for without a key is our fault, and reported as such.
  if (withKey.test(method) && !hasKeys(sent) && sent[METHOD] !== method)
    found.add('key-missing', {
      text: `The server registered the client for ${method}, but the client sent no key, so it cannot authenticate.`,
      expected: shown(sent[METHOD] ?? 'none'),
      received: method,
    });
}

/** A server may replace what was requested; the client has to see whether it can work with it. */
function checkRegistered(name: string, json: JsonObject, sent: JsonObject, found: Findings): void {
  if (sent[name] === undefined || json[name] === undefined) return;
  const asked = shown(sent[name]);
  const registered = shown(json[name]);
  if (asked === registered) return;
  found.add('registered-values-differ', {
    text: `The server registered another ${name} than the one sent.`,
    expected: asked,
    received: registered,
  });
}
