import type { AuthorizationParameter, StepName, StepRequest } from '../contract/authorization.ts';

/** How a wrong value changes what is sent. */
export type WrongChange =
  /** Another request is sent. */
  | { readonly kind: 'request'; apply(request: StepRequest): StepRequest }
  /** The request is sent twice; the second response counts. */
  | { readonly kind: 'twice' }
  /** The request is sent this many milliseconds later. */
  | { readonly kind: 'late'; readonly milliseconds: number }
  /** Claims of a JWT in the request are replaced before it is signed. `now` is in seconds since the Unix epoch. */
  | {
      readonly kind: 'claims';
      readonly jwt: 'client-assertion' | 'dpop-proof';
      claims(now: number): Readonly<Record<string, unknown>>;
      /** Signed with a key that the server does not know. */
      readonly hasOtherKey?: true;
    }
  /** The secret of the parameter, such as an assertion that another party signed, is changed. */
  | { readonly kind: 'secret'; change(value: string): string };

/** A value that a correct authorization server rejects, to test it. */
export interface WrongValue {
  /** Stable name, such as `verifier-wrong`. */
  readonly name: string;
  readonly label: string;
  /** What is sent, in a few words. */
  readonly detail: string;
  /** The steps whose request it can change. */
  readonly steps: readonly StepName[];
  /** The parameter that the request must have; null if any request will do. */
  readonly parameter: string | null;
  /** Who has to reject it. A wrong `state` comes back to the client, which must not use the callback. */
  readonly rejectedBy: 'authorization-server' | 'client';
  /** How it is rejected, and where that is required. */
  readonly expected: string;
  readonly source: string;
  readonly change: WrongChange;
}

const OTHER_RESOURCE = 'https://other.example/mcp';
/** Has the form of a verifier (RFC 7636 section 4.1). */
const OTHER_VERIFIER = 'sightglass-sends-a-verifier-that-is-not-the-one';
/** The challenge of another verifier than the one that is sent. */
const OTHER_CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** Just over the longest lifetime of a code that RFC 6749 section 4.1.2 recommends. */
const AFTER_EXPIRY = 10 * 60_000 + 1000;

const requestSteps: readonly StepName[] = ['authorization-request'];
const tokenSteps: readonly StepName[] = ['token', 'refresh'];
const resourceSteps: readonly StepName[] = [...requestSteps, ...tokenSteps];

const inRequest = (apply: (request: StepRequest) => StepRequest): WrongChange => ({ kind: 'request', apply });

/** Every wrong value, in the order of the menu. */
export const wrongValues: readonly WrongValue[] = [
  {
    name: 'challenge-missing',
    label: 'No PKCE',
    detail: 'code_challenge left out',
    steps: requestSteps,
    parameter: 'code_challenge',
    rejectedBy: 'authorization-server',
    expected: 'invalid_request',
    source: 'OAuth 2.1 7.5.1',
    change: inRequest((request) => without(without(request, 'code_challenge'), 'code_challenge_method')),
  },
  {
    name: 'challenge-plain',
    label: 'PKCE plain',
    detail: 'the challenge is the verifier, for everyone to read',
    steps: requestSteps,
    parameter: 'code_challenge_method',
    rejectedBy: 'authorization-server',
    expected: 'invalid_request',
    source: 'RFC 9700 2.1.1',
    change: inRequest((request) => withValue(request, 'code_challenge_method', 'plain')),
  },
  {
    name: 'challenge-method-missing',
    label: 'PKCE without a method',
    detail: 'which means plain',
    steps: requestSteps,
    parameter: 'code_challenge_method',
    rejectedBy: 'authorization-server',
    expected: 'invalid_request',
    source: 'RFC 7636 4.3',
    change: inRequest((request) => without(request, 'code_challenge_method')),
  },
  {
    name: 'challenge-wrong',
    label: 'Challenge of another verifier',
    detail: 'the verifier will not match it',
    steps: requestSteps,
    parameter: 'code_challenge',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant, at the token request',
    source: 'RFC 7636 4.6',
    change: inRequest((request) => withValue(request, 'code_challenge', OTHER_CHALLENGE)),
  },
  {
    name: 'verifier-wrong',
    label: 'Wrong verifier',
    detail: 'a verifier of another request',
    steps: ['token'],
    parameter: 'code_verifier',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 7636 4.6',
    change: inRequest((request) => withValue(request, 'code_verifier', OTHER_VERIFIER)),
  },
  {
    name: 'verifier-missing',
    label: 'No verifier',
    detail: 'code_verifier left out',
    steps: ['token'],
    parameter: 'code_verifier',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 7636 4.6',
    change: inRequest((request) => without(request, 'code_verifier')),
  },
  {
    name: 'state-wrong',
    label: 'Another state',
    detail: 'not the one that the client expects back',
    steps: requestSteps,
    parameter: 'state',
    rejectedBy: 'client',
    expected: 'the callback is not used',
    source: 'RFC 6749 10.12',
    change: inRequest((request) => withValue(request, 'state', 'a-state-of-another-request')),
  },
  {
    name: 'state-missing',
    label: 'No state',
    detail: 'state left out',
    steps: requestSteps,
    parameter: 'state',
    rejectedBy: 'client',
    expected: 'the callback is not used',
    source: 'RFC 6749 10.12',
    change: inRequest((request) => without(request, 'state')),
  },
  {
    name: 'redirect-other',
    label: 'Another redirect URI',
    detail: 'one that is not registered',
    steps: requestSteps,
    parameter: 'redirect_uri',
    rejectedBy: 'authorization-server',
    expected: 'an error page without a redirect',
    source: 'RFC 6749 4.1.2.1',
    change: inRequest((request) => changed(request, 'redirect_uri', (uri) => `${uri}/other`)),
  },
  {
    name: 'redirect-differs',
    label: 'Redirect URI of another request',
    detail: 'not that of the authorization request',
    steps: ['token'],
    parameter: 'redirect_uri',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 6749 4.1.3',
    change: inRequest((request) => changed(request, 'redirect_uri', (uri) => `${uri}/other`)),
  },
  {
    name: 'resource-other',
    label: 'Another server',
    detail: OTHER_RESOURCE,
    steps: resourceSteps,
    parameter: 'resource',
    rejectedBy: 'authorization-server',
    expected: 'invalid_target',
    source: 'RFC 8707 2',
    change: inRequest((request) => withValue(request, 'resource', OTHER_RESOURCE)),
  },
  {
    name: 'resource-slash',
    label: 'Trailing slash',
    detail: 'added to the resource, or taken away',
    steps: resourceSteps,
    parameter: 'resource',
    rejectedBy: 'authorization-server',
    expected: 'invalid_target',
    source: 'RFC 8707 2',
    change: inRequest((request) =>
      changed(request, 'resource', (uri) => (uri.endsWith('/') ? uri.slice(0, -1) : `${uri}/`)),
    ),
  },
  {
    name: 'resource-twice',
    label: 'Two resources',
    detail: `also ${OTHER_RESOURCE}`,
    steps: resourceSteps,
    parameter: 'resource',
    rejectedBy: 'authorization-server',
    expected: 'invalid_target',
    source: 'RFC 8707 2',
    change: inRequest((request) => withAnother(request, 'resource', OTHER_RESOURCE)),
  },
  {
    name: 'resource-missing',
    label: 'No resource',
    detail: 'resource left out',
    steps: resourceSteps,
    parameter: 'resource',
    rejectedBy: 'authorization-server',
    expected: 'invalid_target, or a token that the MCP server rejects',
    source: 'RFC 8707 2',
    change: inRequest((request) => without(request, 'resource')),
  },
  {
    name: 'code-wrong',
    label: 'Another code',
    detail: 'one that was never issued',
    steps: ['token'],
    parameter: 'code',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 6749 5.2',
    change: inRequest((request) => withValue(request, 'code', 'a-code-that-was-never-issued')),
  },
  {
    name: 'code-twice',
    label: 'Code sent twice',
    detail: 'the second request must fail',
    steps: ['token'],
    parameter: 'code',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 6749 4.1.2',
    change: { kind: 'twice' },
  },
  {
    name: 'code-expired',
    label: 'Expired code',
    detail: 'sent after ten minutes',
    steps: ['token'],
    parameter: 'code',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 6749 4.1.2',
    change: { kind: 'late', milliseconds: AFTER_EXPIRY },
  },
  ...testFaultsOf({
    audience: {
      label: 'Issued for another server',
      detail: 'aud of another server',
      source: 'RFC 7523 3',
    },
    expired: { label: 'Issued expired', detail: 'exp in the past', source: 'RFC 7523 3' },
    key: {
      label: 'Issued with an unknown key',
      detail: 'signed with a key that is not in jwks_uri',
      source: 'RFC 7523 3',
    },
    typ: {
      label: 'Issued with another typ',
      detail: 'typ of another kind of JWT',
      source: 'RFC 8725 3.11',
    },
  }),
  ...claimsOf('client-assertion', 'client_assertion', 'RFC 7523 3', 'invalid_client', {
    audience: { label: 'aud of another server', claims: () => ({ aud: 'https://other.example' }) },
    expired: { label: 'exp in the past', claims: (now) => ({ iat: now - 600, exp: now - 300 }) },
    issuer: { label: 'iss of another client', claims: () => ({ iss: 'another-client' }) },
    subject: {
      label: 'sub of another client',
      claims: () => ({ sub: 'another-client' }),
      // RFC 7521 section 4.2 names no error for two different clients in one request.
      expected: 'invalid_client or invalid_request',
    },
    'without-id': { label: 'no jti', claims: () => ({ jti: undefined }) },
    'other-key': { label: 'signed with another key', claims: () => ({}), hasOtherKey: true },
  }),
  {
    name: 'assertion-reused',
    label: 'Client assertion: jti sent twice',
    detail: 'the second request must fail',
    steps: tokenSteps,
    parameter: 'client_assertion',
    rejectedBy: 'authorization-server',
    expected: 'invalid_client',
    source: 'RFC 7523 3',
    change: { kind: 'twice' },
  },
  {
    name: 'audience-other',
    label: 'Assertion for another server',
    detail: 'the authorization server must not accept it',
    steps: ['assertion'],
    parameter: 'audience',
    rejectedBy: 'authorization-server',
    expected: 'invalid_target, or invalid_grant at the token request',
    source: 'RFC 7523 3',
    change: inRequest((request) => withValue(request, 'audience', 'https://other.example')),
  },
  {
    name: 'grant-signature',
    label: 'Assertion: changed signature',
    detail: 'one character of it',
    steps: ['token'],
    parameter: 'assertion',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 7523 3',
    change: { kind: 'secret', change: withOtherSignature },
  },
  {
    name: 'grant-unsigned',
    label: 'Assertion: not signed',
    detail: 'alg is none',
    steps: ['token'],
    parameter: 'assertion',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 8725 3.1',
    change: { kind: 'secret', change: unsigned },
  },
  {
    name: 'grant-expired',
    label: 'Assertion: expired',
    detail: 'sent after ten minutes',
    steps: ['token'],
    parameter: 'assertion',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant',
    source: 'RFC 7523 3',
    change: { kind: 'late', milliseconds: AFTER_EXPIRY },
  },
  ...claimsOf('dpop-proof', 'DPoP', 'RFC 9449 4.3', 'invalid_dpop_proof', {
    url: { label: 'htu of another URL', claims: () => ({ htu: 'https://other.example/token' }) },
    method: { label: 'htm of another method', claims: () => ({ htm: 'GET' }) },
    old: { label: 'iat in the past', claims: (now) => ({ iat: now - 3600 }) },
    'without-id': { label: 'no jti', claims: () => ({ jti: undefined }) },
  }),
];

/** What the test identity provider gets wrong; only requests to it have the parameter. */
function testFaultsOf(
  rows: Readonly<Record<string, Pick<WrongValue, 'label' | 'detail' | 'source'>>>,
): WrongValue[] {
  return Object.entries(rows).map(([fault, row]) => ({
    ...row,
    name: `issued-${fault}`,
    steps: ['assertion'],
    parameter: 'test_fault',
    rejectedBy: 'authorization-server',
    expected: 'invalid_grant, at the token request',
    change: inRequest((request) => withValue(request, 'test_fault', fault)),
  }));
}

interface WrongClaims {
  readonly label: string;
  claims(now: number): Readonly<Record<string, unknown>>;
  readonly hasOtherKey?: true;
  /** If it may be rejected in another way than the others. */
  readonly expected?: string;
}

/** A JWT with the first character of its signature changed; the last one may have unused bits. */
function withOtherSignature(jwt: string): string {
  const at = jwt.lastIndexOf('.') + 1;
  return `${jwt.slice(0, at)}${jwt[at] === 'A' ? 'B' : 'A'}${jwt.slice(at + 1)}`;
}

/** The claims of a JWT under the header `{"alg":"none"}`. */
function unsigned(jwt: string): string {
  return `eyJhbGciOiJub25lIn0.${jwt.split('.')[1] ?? ''}.`;
}

function claimsOf(
  jwt: 'client-assertion' | 'dpop-proof',
  parameter: string,
  source: string,
  expected: string,
  rows: Readonly<Record<string, WrongClaims>>,
): WrongValue[] {
  const [what, prefix] = jwt === 'dpop-proof' ? ['DPoP proof', 'proof'] : ['Client assertion', 'assertion'];
  return Object.entries(rows).map(([name, { label, expected: own, ...change }]) => ({
    name: `${prefix}-${name}`,
    label: `${what}: ${label}`,
    detail: label,
    steps: tokenSteps,
    parameter,
    rejectedBy: 'authorization-server',
    expected: own ?? expected,
    source,
    change: { kind: 'claims', jwt, ...change },
  }));
}

/** The wrong value of this name; null if there is none. */
export const findWrongValue = (name: string): WrongValue | null =>
  wrongValues.find((one) => one.name === name) ?? null;

/** The wrong values that the request of a step can have. */
export function wrongValuesFor(step: StepName, request: StepRequest | null): WrongValue[] {
  if (request === null) return [];
  const names = new Set(
    [...request.query, ...request.headers, ...request.body].flatMap(({ name, isOn }) => (isOn ? [name] : [])),
  );
  return wrongValues.filter(
    ({ steps, parameter }) => steps.includes(step) && (parameter === null || names.has(parameter)),
  );
}

type Change = (parameters: readonly AuthorizationParameter[]) => AuthorizationParameter[];

/** Changes the query of what the browser opens, and the body of everything else. */
const changeParameters = (request: StepRequest, change: Change): StepRequest =>
  request.sentBy === 'browser' || request.bodyKind === 'none'
    ? { ...request, query: change(request.query) }
    : { ...request, body: change(request.body) };

const changed = (request: StepRequest, name: string, change: (value: string) => string): StepRequest =>
  changeParameters(request, (parameters) =>
    parameters.map((one) =>
      one.name === name && one.isOn
        ? { ...one, value: change(one.value ?? ''), fingerprint: null, note: 'wrong value' }
        : one,
    ),
  );

const withValue = (request: StepRequest, name: string, value: string): StepRequest =>
  changed(request, name, () => value);

/** The request without a parameter, which stays in the list and can be turned on again. */
const without = (request: StepRequest, name: string): StepRequest =>
  changeParameters(request, (parameters) =>
    parameters.map((one) => (one.name === name ? { ...one, isOn: false, note: 'wrong value' } : one)),
  );

const withAnother = (request: StepRequest, name: string, value: string): StepRequest =>
  changeParameters(request, (parameters) => [
    ...parameters,
    { name, value, fingerprint: null, isOn: true, note: 'wrong value', row: null },
  ]);
