import type { RawResponse } from '#authorization/exchange.ts';
import { audiencesOf, checkAudience } from './audience.ts';
import { type Checked, Findings, shown } from './findings.ts';
import { checkStatus, type JsonObject, parseJson, readJson } from './json-response.ts';
import { checkScopeForm, scopeNames, wordsOf } from './scopes.ts';

/** Checks the response to a revocation, whose body is ignored (RFC 7009 section 2.2). */
export function checkRevocation(response: RawResponse): Checked<{ readonly isRevoked: true }> {
  const found = new Findings(response);
  const { status, body } = response;
  if (!checkStatus(response, found)) return found.checked<{ readonly isRevoked: true }>(null);
  if (status === 200) {
    const json = parseJson(body.toString());
    const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined;
    if (error === undefined) return found.checked({ isRevoked: true });
    found.add('error-with-200', {
      text: `HTTP status 200 carries the OAuth error ${shown(error)}.`,
      source: 'RFC 7009 2.2.1',
      received: shown(error),
    });
    return found.checked<{ readonly isRevoked: true }>(null);
  }
  found.add('revocation-failed', {
    text: `The token was not revoked: HTTP status ${status}.`,
    expected: '200',
    received: String(status),
  });
  return found.checked<{ readonly isRevoked: true }>(null);
}

/** An introspection response (RFC 7662 section 2.2). */
export interface Introspection {
  readonly json: JsonObject;
  readonly isActive: boolean;
}

export interface IntrospectionContext {
  readonly clientId: string;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly issuer: string | null;
  /** Whether the token is in use, so that it should be active. */
  readonly isInUse: boolean;
}

export function checkIntrospection(
  response: RawResponse,
  context: IntrospectionContext,
): Checked<Introspection> {
  const found = new Findings(response);
  const { status } = response;
  if (!checkStatus(response, found)) return found.checked<Introspection>(null);
  if (status !== 200) {
    found.add('introspection-failed', {
      text: `The token was not introspected: HTTP status ${status}.`,
      expected: '200',
      received: String(status),
    });
    return found.checked<Introspection>(null);
  }
  const json = readJson(response, { what: 'introspection response', source: 'RFC 7662 2.2' }, found);
  if (json === null) return found.checked<Introspection>(null);
  const isActive = json['active'];
  if (typeof isActive !== 'boolean') {
    found.add('active-missing', { expected: 'true or false', received: shown(isActive) });
    return found.checked<Introspection>(null);
  }
  if (!isActive && context.isInUse) found.add('token-not-active', { expected: 'true', received: 'false' });
  if (isActive) compare(json, context, found);
  return found.checked({ json, isActive });
}

function compare(json: JsonObject, context: IntrospectionContext, found: Findings): void {
  const { clientId, scope, resource, issuer } = context;
  checkScopeForm(
    json['scope'],
    { what: 'scope of the introspection response', source: 'RFC 7662 2.2', known: wordsOf(scope) },
    found,
  );
  const known = { client_id: clientId, scope, iss: issuer };
  for (const [name, expected] of Object.entries(known)) {
    const received = json[name];
    if (expected === null || received === undefined) continue;
    if (name === 'scope' ? !isSameScope(expected, received) : received !== expected)
      found.add('introspection-differs', {
        text: `The ${name} of the introspection response is not what is known about the token.`,
        expected,
        received: shown(received),
      });
  }
  const audiences = audiencesOf(json['aud']);
  if (resource !== null && audiences !== null) checkAudience(audiences, resource, found);
}

/** Whether two scopes have the same names, in any order. */
function isSameScope(expected: string, received: unknown): boolean {
  const names = wordsOf(expected);
  const others = scopeNames(received, names);
  return names.length === others.length && names.every((one) => others.includes(one));
}
