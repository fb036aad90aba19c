import type { AuthorizationRule } from './rules.ts';

const SECURITY_GUIDE = 'MCP security best practices';
const TOKEN_HANDLING = 'MCP 2025-11-25 authorization, token handling';

/** What a careless answer to a test of the resource server breaks, by its stable name, in the order of the tests. */
export const serverTestRules = {
  'missing-token-accepted': {
    severity: 'error',
    source: `${SECURITY_GUIDE}, session hijacking`,
    text: 'The server answers a request without a token. A server with authorization must verify every request.',
  },
  'missing-token-without-challenge': {
    severity: 'error',
    source: 'RFC 6750 3',
    text: 'The 401 has no challenge for Bearer tokens, so a client does not know that it should authorize.',
  },
  'missing-token-challenge-unusable': {
    severity: 'error',
    source: 'RFC 9728 5.1',
    text: 'The challenge of the 401 leads to no resource metadata.',
  },
  'query-token-accepted': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization, OAuth 2.1 5.1.1',
    text: 'The server takes a token from the query, where logs, proxies and histories keep it.',
  },
  'garbage-token-accepted': {
    severity: 'error',
    source: TOKEN_HANDLING,
    text: 'The server accepts a token that nobody issued: it does not validate tokens.',
  },
  'empty-token-accepted': {
    severity: 'error',
    source: 'RFC 6750 2.1',
    text: 'The server accepts the scheme Bearer without a token.',
  },
  'other-scheme-accepted': {
    severity: 'warning',
    source: 'RFC 6750 2.1',
    text: 'The server accepts the token with another scheme than the one of its type.',
  },
  'changed-token-accepted': {
    severity: 'error',
    source: 'OAuth 2.1 5.2',
    text: 'The server accepts the token with a changed character: it does not verify the signature, or compares only a part.',
  },
  'unsigned-token-accepted': {
    severity: 'error',
    source: 'RFC 8725 3.1',
    text: 'The server accepts a JWT whose alg is none, so everybody can write one.',
  },
  'other-issuer-accepted': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization, token handling; RFC 9068 4',
    text: 'The server accepts a JWT of an issuer that its metadata does not name, signed with a key of ours.',
  },
  'own-key-accepted': {
    severity: 'error',
    source: 'RFC 8725 3.1, RFC 7515 4.1.3',
    text: 'The server verifies a JWT with the key that is in the JWT, so everybody can write one.',
  },
  'bound-token-accepted-as-bearer': {
    severity: 'error',
    source: 'RFC 9449 7.1',
    text: 'The server accepts a token that is bound to a key without a proof of that key.',
  },
  'expired-token-accepted': {
    severity: 'error',
    source: TOKEN_HANDLING,
    text: 'The server accepts a token that has expired.',
  },
  'id-token-accepted': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization, RFC 9068 5',
    text: 'The server accepts an ID token, which is for the client, as an access token.',
  },
  'other-audience-accepted': {
    severity: 'error',
    source: `RFC 8707 2, ${SECURITY_GUIDE}, token passthrough`,
    text: 'The server accepts a token that was issued for another server.',
  },
  'scope-not-enforced': {
    severity: 'error',
    source: 'RFC 6750 3.1',
    text: 'The server demands a scope in its challenge, and accepts a token without it.',
  },
  'scope-rejection-unusable': {
    severity: 'warning',
    source: 'RFC 6750 3.1',
    text: 'The rejection does not say which scope is missing, so a client cannot ask for it.',
  },
  'session-without-token-accepted': {
    severity: 'error',
    source: `${SECURITY_GUIDE}, session hijacking`,
    text: 'Anyone who knows a session id can use the session without a token.',
  },
  'session-of-another-accepted': {
    severity: 'error',
    source: `${SECURITY_GUIDE}, session hijacking`,
    text: 'One identity can use the session of another: the session is not bound to who opened it.',
  },
  'stream-of-another-accepted': {
    severity: 'error',
    source: `${SECURITY_GUIDE}, session hijacking`,
    text: 'One identity can open the event stream of another, and read its messages.',
  },
  'resumption-by-another-accepted': {
    severity: 'error',
    source: `${SECURITY_GUIDE}, session hijacking`,
    text: 'One identity can resume the event stream of another, and read the messages that it missed.',
  },
  'rejection-with-other-status': {
    severity: 'warning',
    source: 'MCP 2025-11-25 authorization, error handling',
    text: 'The server refuses it with another HTTP status than the one that clients act on.',
  },
  'rejection-as-success': {
    severity: 'error',
    source: 'MCP 2025-11-25 authorization, error handling',
    text: 'The server refuses it with an HTTP status of success, so clients do not authorize.',
  },
  'fails-on-token': {
    severity: 'warning',
    source: 'RFC 9110 15.6',
    text: 'The server fails at it, and does not refuse it.',
  },
} as const satisfies Record<string, AuthorizationRule>;

export type ServerTestRule = keyof typeof serverTestRules;
