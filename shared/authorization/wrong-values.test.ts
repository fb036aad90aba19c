import { expect, test } from 'vitest';
import { stepRequestSchema, type StepRequest } from '../contract/authorization.ts';
import { findWrongValue, wrongValues, wrongValuesFor } from './wrong-values.ts';

const parameter = (name: string, value: string | null) => ({
  name,
  value,
  fingerprint: value === null ? 'a1b2c3' : null,
  isOn: true,
  note: '',
  row: null,
});

const authorization: StepRequest = {
  method: 'GET',
  url: 'https://login.example/authorize',
  sentBy: 'browser',
  query: [
    parameter('client_id', 'app'),
    parameter('redirect_uri', 'http://127.0.0.1:4000/callback'),
    parameter('state', null),
    parameter('code_challenge', null),
    parameter('code_challenge_method', 'S256'),
    parameter('resource', 'https://mcp.example/mcp'),
  ],
  headers: [],
  bodyKind: 'none',
  body: [],
};

const token: StepRequest = {
  method: 'POST',
  url: 'https://login.example/token',
  sentBy: 'client',
  query: [],
  headers: [parameter('DPoP', null)],
  bodyKind: 'form',
  body: [
    parameter('grant_type', 'authorization_code'),
    parameter('code', null),
    parameter('code_verifier', null),
    parameter('redirect_uri', 'http://127.0.0.1:4000/callback'),
    parameter('resource', 'https://mcp.example/mcp'),
    parameter('client_assertion', null),
  ],
};

/** The parameters that are sent: `name=value`, `?` for a secret that the page does not know. */
const sent = ({ query, body }: StepRequest) =>
  [...query, ...body].flatMap(({ name, value, isOn }) => (isOn ? [`${name}=${value ?? '?'}`] : []));

function differenceOf(name: string, before: StepRequest): { removed: string[]; added: string[] } {
  const change = findWrongValue(name)?.change;
  if (change?.kind !== 'request') throw new Error(`${name} changes no request`);
  const after = change.apply(before);
  expect(stepRequestSchema.parse(after)).toEqual(after);
  const [one, other] = [sent(before), sent(after)];
  return {
    removed: one.filter((line) => !other.includes(line)),
    added: other.filter((line) => !one.includes(line)),
  };
}

test('each has a name and a label of its own', () => {
  expect(new Set(wrongValues.map(({ name }) => name)).size).toBe(wrongValues.length);
  expect(new Set(wrongValues.map(({ label }) => label)).size).toBe(wrongValues.length);
});

test.each([
  ['challenge-missing', ['code_challenge=?', 'code_challenge_method=S256'], []],
  ['challenge-wrong', ['code_challenge=?'], ['code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM']],
  ['state-wrong', ['state=?'], ['state=a-state-of-another-request']],
  ['state-missing', ['state=?'], []],
  [
    'redirect-other',
    ['redirect_uri=http://127.0.0.1:4000/callback'],
    ['redirect_uri=http://127.0.0.1:4000/callback/other'],
  ],
  ['resource-other', ['resource=https://mcp.example/mcp'], ['resource=https://other.example/mcp']],
  ['resource-slash', ['resource=https://mcp.example/mcp'], ['resource=https://mcp.example/mcp/']],
  ['resource-twice', [], ['resource=https://other.example/mcp']],
  ['resource-missing', ['resource=https://mcp.example/mcp'], []],
])('%s changes the authorization request', (name, removed, added) => {
  expect(differenceOf(name, authorization)).toEqual({ removed, added });
});

test.each([
  ['verifier-wrong', ['code_verifier=?'], ['code_verifier=sightglass-sends-a-verifier-that-is-not-the-one']],
  ['verifier-missing', ['code_verifier=?'], []],
  [
    'redirect-differs',
    ['redirect_uri=http://127.0.0.1:4000/callback'],
    ['redirect_uri=http://127.0.0.1:4000/callback/other'],
  ],
  ['resource-slash', ['resource=https://mcp.example/mcp'], ['resource=https://mcp.example/mcp/']],
  ['code-wrong', ['code=?'], ['code=a-code-that-was-never-issued']],
])('%s changes the token request', (name, removed, added) => {
  expect(differenceOf(name, token)).toEqual({ removed, added });
});

test('a slash that is there is taken away', () => {
  const query = authorization.query.map((one) =>
    one.name === 'resource' ? { ...one, value: 'https://mcp.example/' } : one,
  );
  expect(differenceOf('resource-slash', { ...authorization, query }).added).toEqual([
    'resource=https://mcp.example',
  ]);
});

test('the claims of a JWT are replaced before it is signed', () => {
  const change = findWrongValue('assertion-expired')?.change;
  expect(change?.kind === 'claims' && [change.jwt, change.claims(1000)]).toEqual([
    'client-assertion',
    { iat: 400, exp: 700 },
  ]);
});

test('the menu of a step has what its request can have', () => {
  const namesFor = (step: 'authorization-request' | 'token' | 'refresh', request: StepRequest) =>
    wrongValuesFor(step, request).map(({ name }) => name);
  expect(namesFor('authorization-request', authorization)).toEqual([
    'challenge-missing',
    'challenge-plain',
    'challenge-method-missing',
    'challenge-wrong',
    'state-wrong',
    'state-missing',
    'redirect-other',
    'resource-other',
    'resource-slash',
    'resource-twice',
    'resource-missing',
  ]);
  expect(namesFor('token', token)).toContain('proof-url');
  const withoutProof = { ...token, headers: [], body: token.body.slice(0, 5) };
  expect(namesFor('token', withoutProof).filter((name) => /^(?:proof|assertion)-/.test(name))).toEqual([]);
  expect(namesFor('refresh', token)).not.toContain('code-twice');
  expect(wrongValuesFor('token', null)).toEqual([]);
});
