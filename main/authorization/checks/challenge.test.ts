import { expect, test } from 'vitest';
import { received } from '#fixtures/authorization/received.ts';
import { checkChallenge, parseChallenges } from './challenge.ts';

const bearer = (...parameters: [string, string][]) => ({ scheme: 'Bearer', token68: null, parameters });

test.each([
  ['Bearer', [bearer()]],
  ['bearer realm="a, b"', [{ ...bearer(['realm', 'a, b']), scheme: 'bearer' }]],
  [
    'Bearer realm="say \\"hi\\"" , error=invalid_token',
    [bearer(['realm', 'say "hi"'], ['error', 'invalid_token'])],
  ],
  ['Bearer scope = "a b"', [bearer(['scope', 'a b'])]],
  [
    'Basic realm="x", Bearer scope="a", resource_metadata="https://mcp.example/m?a=b,c"',
    [
      { scheme: 'Basic', token68: null, parameters: [['realm', 'x']] },
      bearer(['scope', 'a'], ['resource_metadata', 'https://mcp.example/m?a=b,c']),
    ],
  ],
  [
    'Negotiate, NTLM TlRMTVNTUAAB==, DPoP algs="ES256 RS256"',
    [
      { scheme: 'Negotiate', token68: null, parameters: [] },
      { scheme: 'NTLM', token68: 'TlRMTVNTUAAB==', parameters: [] },
      { scheme: 'DPoP', token68: null, parameters: [['algs', 'ES256 RS256']] },
    ],
  ],
  [',, Bearer a=b,, c=d ,', [bearer(['a', 'b'], ['c', 'd'])]],
  ['Bearer error=""', [bearer(['error', ''])]],
])('%s', (line, challenges) => {
  expect(parseChallenges([line])).toEqual({ challenges, malformed: [] });
});

test('several headers are several challenges', () => {
  const { challenges } = parseChallenges(['Basic realm="x"', 'Bearer']);
  expect(challenges.map(({ scheme }) => scheme)).toEqual(['Basic', 'Bearer']);
});

test.each([
  ['Bearer realm="open', 'realm="open', []],
  ['Bearer scope="a" error="b"', 'error="b"', ['scope', 'error']],
  ['Bearer scope="a"; error="b"', '; error="b"', ['scope']],
  ['"Bearer"', '"Bearer"', []],
])('%s is malformed', (line, rest, names) => {
  const { challenges, malformed } = parseChallenges([line]);
  expect(malformed).toEqual([rest]);
  expect(challenges.flatMap(({ parameters }) => parameters.map(([name]) => name))).toEqual(names);
});

const context = { revision: '2025-11-25', hadToken: false, hadFreshToken: false } as const;
const challenged = (line: string, more: Partial<Parameters<typeof received>[0]> = {}) =>
  received({ status: 401, headers: [['WWW-Authenticate', line]], ...more });
const METADATA = 'resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"';
const rulesOf = ({ findings }: ReturnType<typeof checkChallenge>) =>
  findings.map(({ rule, severity }) => `${severity} ${rule}`);

test('every fault of a challenge is listed', () => {
  const line = `Bearer error="insufficient_scope", scope="a  offline_access", scope="b", resource_metadata="ftp://x"`;
  const checked = checkChallenge(challenged(line, { status: 400 }), context);
  expect(rulesOf(checked)).toEqual([
    'warning unexpected-status',
    'warning challenge-parameter-repeated',
    'warning scope-malformed',
    'warning offline-access-demanded',
    'info challenge-error-unneeded',
    'warning challenge-status-differs',
    'error challenge-metadata-invalid',
  ]);
  expect(checked.value).toMatchObject({ scope: 'a  offline_access', resourceMetadata: null });
});

test.each([
  ['a', []],
  ['a b', []],
  ['a,b', ['warning scope-separated-by-commas']],
  ['a, b', ['warning scope-separated-by-commas']],
  ['a,offline_access', ['warning scope-separated-by-commas', 'warning offline-access-demanded']],
  ["['a', 'b']", ['warning scope-invalid']],
  [' a', ['warning scope-malformed']],
  ['', ['warning scope-malformed']],
])('the scope "%s" of a challenge', (scope, rules) => {
  expect(rulesOf(checkChallenge(challenged(`Bearer scope="${scope}", ${METADATA}`), context))).toEqual(rules);
});

test('whether resource_metadata is demanded depends on the revision', () => {
  const rulesFor = (revision: '2025-03-26' | '2025-06-18' | '2025-11-25') =>
    rulesOf(checkChallenge(challenged('Bearer'), { ...context, revision }));
  expect(rulesFor('2025-03-26')).toEqual([]);
  expect(rulesFor('2025-06-18')).toEqual(['error challenge-without-metadata']);
  expect(rulesFor('2025-11-25')).toEqual(['info challenge-without-metadata']);
});

test('the URL of the metadata is taken as it is written', () => {
  const url = 'https://MCP.example:443/a/../.well-known/x';
  expect(checkChallenge(challenged(`Bearer resource_metadata="${url}"`), context).value).toMatchObject({
    resourceMetadata: url,
  });
});

test('a demand for a nonce is not a rejected token', () => {
  const fresh = { ...context, hadToken: true, hadFreshToken: true };
  const line = `DPoP error="use_dpop_nonce", ${METADATA}`;
  const headers = [['WWW-Authenticate', line] as const];
  const withNonce = received({ status: 401, headers: [...headers, ['DPoP-Nonce', 'n']] });
  expect(checkChallenge(withNonce, fresh)).toMatchObject({ stop: null, findings: [] });
  expect(checkChallenge(challenged(line), fresh).stop?.rule).toBe('nonce-missing');
  expect(checkChallenge(challenged(`Bearer ${METADATA}`), fresh).stop?.rule).toBe('fresh-token-rejected');
});
