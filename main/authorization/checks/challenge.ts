import { revisionAtLeast } from '#shared/protocol/revisions.ts';
import type { Revision } from '#shared/protocol/revisions.ts';
import type { RawResponse } from '#authorization/exchange.ts';
import { challengeWords } from '#authorization/server-words.ts';
import { type Checked, Findings, headerValues } from './findings.ts';
import { checkStatus } from './json-response.ts';
import { checkScopeForm, scopeNames } from './scopes.ts';
import { allowsPlainHttp } from './urls.ts';

/** One challenge of `WWW-Authenticate` (RFC 9110 section 11.6.1), as it was written. */
export interface ParsedChallenge {
  readonly scheme: string;
  /** The credentials of `Basic`-like challenges; null if it has parameters or nothing. */
  readonly token68: string | null;
  /** The parameters in order; quoted strings without quotes and escapes. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

export interface ParsedChallenges {
  readonly challenges: readonly ParsedChallenge[];
  /** The rest of each malformed header line, from the mistake on; empty if all lines are correct. */
  readonly malformed: readonly string[];
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const SPACE = '[ \\t]*';
const parameterPattern = new RegExp(
  `(${TOKEN})${SPACE}=${SPACE}(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`,
  'ys',
);
const schemePattern = new RegExp(`(${TOKEN})(?:[ \\t]+|(?=,)|$)`, 'y');
const token68Pattern = new RegExp(`([A-Za-z0-9._~+/-]+=*)${SPACE}(?=,|$)`, 'y');
const separatorPattern = /[ \t]*(?:,[ \t]*)+/y;

/** The challenges of all `WWW-Authenticate` headers: one header may have several, and there may be several headers. */
export function parseChallenges(values: readonly string[]): ParsedChallenges {
  const challenges: ParsedChallenge[] = [];
  const malformed: string[] = [];
  for (const value of values) {
    const rest = parseLine(value, challenges);
    if (rest !== '') malformed.push(rest);
  }
  return { challenges, malformed };
}

/**
 * Adds the challenges of one header line.
 *
 * @returns the line from where it is malformed on; empty for a correct one. A missing comma does not end the reading.
 */
function parseLine(line: string, challenges: ParsedChallenge[]): string {
  let place = 0;
  let malformed = '';
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = place;
    return pattern.exec(line);
  };
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const found = match(pattern);
    if (found !== null) place = pattern.lastIndex;
    return found;
  };
  let parameters: [string, string][] | null = null;
  take(separatorPattern);
  while (place < line.length) {
    const parameter: RegExpExecArray | null = parameters === null ? null : take(parameterPattern);
    if (parameter !== null) {
      const [, name = '', quoted, token = ''] = parameter;
      parameters?.push([name, quoted?.replaceAll(/\\(.)/gs, '$1') ?? token]);
    } else {
      const scheme = take(schemePattern)?.[1];
      if (scheme === undefined) return malformed === '' ? line.slice(place) : malformed;
      parameters = [];
      const hasParameters = match(parameterPattern) !== null;
      const token68 = hasParameters ? null : (take(token68Pattern)?.[1] ?? null);
      challenges.push({ scheme, token68, parameters });
      if (hasParameters) continue;
    }
    if (take(separatorPattern) === null && place < line.length) {
      if (malformed === '') malformed = line.slice(place).trim();
      take(/[ \t]*/y);
    }
  }
  return malformed;
}

/** What a 401 or 403 of the MCP server demands. */
export interface Demand {
  /** The challenge for OAuth; null if there is none, which leaves the well-known URLs. */
  readonly challenge: ParsedChallenge | null;
  /** The URL as it was written; null if the challenge has none that may be fetched. */
  readonly resourceMetadata: string | null;
  readonly scope: string | null;
  readonly error: string | null;
}

/** The head of a response; the body of a 401 or 403 says nothing to a client. */
export type DemandingResponse = Pick<RawResponse, 'url' | 'status' | 'headers'> & {
  readonly row: number | null;
};

export interface ChallengeContext {
  readonly revision: Revision;
  /** Whether the request had a token that was just issued. */
  readonly hadFreshToken: boolean;
  /** Whether the request had any token. */
  readonly hadToken: boolean;
}

/** Checks the 401 of the MCP server (RFC 6750 section 3, RFC 9728 section 5.1). */
export function checkChallenge(response: DemandingResponse, context: ChallengeContext): Checked<Demand> {
  const found = new Findings(response);
  const { status } = response;
  if (!checkStatus(response, found)) return found.checked<Demand>(null);
  if (status !== 401) {
    found.add('unexpected-status', {
      text: `The server answers a request without authorization with HTTP status ${status}.`,
      source: 'RFC 6750 3.1',
      expected: '401',
      received: String(status),
    });
  }
  const demand = readDemand(response, context, found);
  if (context.hadFreshToken && demand.error !== 'use_dpop_nonce')
    found.add('fresh-token-rejected', { received: challengeWords(response.headers).quote });
  return found.checked(demand);
}

/** The statuses that the errors of RFC 6750 section 3.1 belong to. */
const statusOfError: ReadonlyMap<string, number> = new Map([
  ['invalid_request', 400],
  ['invalid_token', 401],
  ['insufficient_scope', 403],
]);

/** Reads the OAuth challenge of a 401 or 403 and checks it. */
export function readDemand(
  response: DemandingResponse,
  { revision, hadToken }: Pick<ChallengeContext, 'revision' | 'hadToken'>,
  found: Findings,
): Demand {
  const lines = headerValues(response, 'www-authenticate');
  const { challenges, malformed } = parseChallenges(lines);
  for (const rest of malformed) found.add('challenge-malformed', { received: rest });
  const challenge = challenges.find(({ scheme }) => /^(?:bearer|dpop)$/i.test(scheme)) ?? null;
  if (challenge === null) {
    if (response.status === 401)
      found.add(lines.length === 0 ? 'challenge-missing' : 'challenge-not-oauth', {
        expected: 'Bearer',
        received: lines.length === 0 ? null : lines.join(', '),
      });
    return { challenge, resourceMetadata: null, scope: null, error: null };
  }
  const [resourceMetadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((name) =>
    parameterOf(challenge, name, found),
  );
  if (scope !== null && scope !== undefined) checkScope(scope, found);
  if (error !== null && error !== undefined) {
    const status = statusOfError.get(error);
    if (!hadToken && error !== 'use_dpop_nonce') found.add('challenge-error-unneeded', { received: error });
    if (status !== undefined && status !== response.status)
      found.add('challenge-status-differs', {
        text: `The error ${error} belongs to HTTP status ${status}.`,
        expected: String(status),
        received: String(response.status),
      });
    if (error === 'use_dpop_nonce' && headerValues(response, 'dpop-nonce').length === 0)
      found.add('nonce-missing', { source: 'RFC 9449 9', expected: 'a DPoP-Nonce header' });
  }
  return {
    challenge,
    resourceMetadata: usableMetadataUrl(resourceMetadata ?? null, { revision, response, found }),
    scope: scope ?? null,
    error: error ?? null,
  };
}

/** The first value of a parameter; its name is case-insensitive. */
function parameterOf({ parameters }: ParsedChallenge, name: string, found: Findings): string | null {
  const values = parameters.flatMap(([own, value]) => (own.toLowerCase() === name ? [value] : []));
  if (values.length > 1)
    found.add('challenge-parameter-repeated', {
      text: `The parameter ${name} of the challenge is repeated. The first one was used.`,
      received: values.join(', '),
    });
  return values[0] ?? null;
}

function checkScope(scope: string, found: Findings): void {
  if (scope === '') found.add('scope-malformed', { received: scope });
  else checkScopeForm(scope, { what: 'scope of the challenge' }, found);
  if (scopeNames(scope).includes('offline_access'))
    found.add('offline-access-demanded', {
      text: 'The scope of the challenge has offline_access, which is between the client and the authorization server.',
      received: scope,
    });
}

function usableMetadataUrl(
  value: string | null,
  { revision, response, found }: { revision: Revision; response: DemandingResponse; found: Findings },
): string | null {
  if (value === null) {
    // A MUST in 2025-06-18; since 2025-11-25 the well-known URL alone is enough.
    const isDemanded = revision === '2025-06-18';
    if (revisionAtLeast(revision, '2025-06-18') && response.status === 401)
      found.add('challenge-without-metadata', {
        severity: isDemanded ? 'error' : 'info',
        source: isDemanded ? 'MCP 2025-06-18 authorization, RFC 9728 5.1' : 'RFC 9728 5.1',
      });
    return null;
  }
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && allowsPlainHttp(url))) return value;
  // A server on plain HTTP has no secret to keep in its metadata; a server on HTTPS must not send us to plain HTTP.
  if (url?.protocol === 'http:' && response.url.protocol === 'http:') return value;
  found.add('challenge-metadata-invalid', {
    ...(url?.protocol === 'http:' && { text: 'The resource_metadata of the challenge is plain http.' }),
    received: value,
  });
  return null;
}
