import { type ServerTestRule, serverTestRules } from '#shared/authorization/server-test-rules.ts';
import type { ServerTestId } from '#shared/contract/server-tests.ts';

/** A test as it is in the table, before anything is known of the server. */
export interface ServerTestRow {
  readonly id: ServerTestId;
  readonly label: string;
  readonly sends: string;
  readonly right: string;
  readonly careless: string;
  /** The requirement. @param revision of the requests; null if it is not known yet */
  readonly source: (revision: string | null) => string;
  /** The statuses of a right answer; null for every refusal (4xx). */
  readonly allowed: readonly number[] | null;
  /** The rule that a server breaks which accepts it. */
  readonly accepted: ServerTestRule;
  /** Requests at most. */
  readonly requests: number;
  /** Whether what it sends is made from the token in use, so that nothing follows unless the server accepts that. */
  readonly needsToken: boolean;
}

const inRevision =
  (section: string, others = '') =>
  (revision: string | null): string =>
    `MCP ${revision ?? '2025-11-25'} authorization, ${section}${others === '' ? '' : `; ${others}`}`;

const HIJACKING = 'MCP security best practices, session hijacking';
const hijacking = (): string => HIJACKING;

const ofRule = (name: ServerTestRule) => ({
  accepted: name,
  careless: serverTestRules[name].text,
});

const token = { allowed: [401], requests: 1, needsToken: true } as const;

/** The tests, in the order in which they run. */
export const serverTestTable: readonly ServerTestRow[] = [
  {
    ...token,
    ...ofRule('missing-token-accepted'),
    id: 'no-token',
    label: 'No token',
    sends: 'A request without Authorization.',
    right: '401 with a challenge for Bearer, which leads to the resource metadata.',
    source: inRevision('token requirements', 'RFC 6750 3, RFC 9728 5.1'),
    requests: 3,
    needsToken: false,
  },
  {
    ...token,
    ...ofRule('query-token-accepted'),
    id: 'token-in-query',
    label: 'Token in the query',
    sends: 'The token in use as access_token in the URL, without Authorization. The server may log it.',
    right: '401, or 400.',
    source: inRevision('token requirements', 'OAuth 2.1 5.1.1'),
    allowed: [400, 401],
  },
  {
    ...token,
    ...ofRule('garbage-token-accepted'),
    id: 'garbage-token',
    label: 'Invented token',
    sends: 'A Bearer token that nobody issued.',
    right: '401.',
    source: inRevision('token handling', 'RFC 6750 3.1'),
    needsToken: false,
  },
  {
    ...token,
    ...ofRule('empty-token-accepted'),
    id: 'scheme-alone',
    label: 'Scheme without a token',
    sends: 'Authorization: Bearer, and nothing after it.',
    right: '401, or 400 for a malformed request.',
    source: inRevision('error handling', 'RFC 6750 2.1, 3.1'),
    allowed: [400, 401],
    needsToken: false,
  },
  {
    ...token,
    ...ofRule('other-scheme-accepted'),
    id: 'other-scheme',
    label: 'Token with the scheme Basic',
    sends: 'The token in use after Basic.',
    right: '401, or 400 for a malformed request.',
    source: inRevision('error handling', 'RFC 6750 2.1, RFC 7617 2'),
    allowed: [400, 401],
  },
  {
    ...token,
    ...ofRule('other-scheme-accepted'),
    id: 'no-scheme',
    label: 'Token without a scheme',
    sends: 'The token in use alone as the value of Authorization.',
    right: '401, or 400 for a malformed request.',
    source: inRevision('error handling', 'RFC 6750 2.1'),
    allowed: [400, 401],
  },
  {
    ...token,
    ...ofRule('changed-token-accepted'),
    id: 'changed-signature',
    label: 'One character changed',
    sends: 'The token in use with one character changed: of a JWT in its signature.',
    right: '401.',
    source: inRevision('token handling', 'OAuth 2.1 5.2'),
  },
  {
    ...token,
    ...ofRule('unsigned-token-accepted'),
    id: 'alg-none',
    label: 'JWT with alg none',
    sends: 'The claims of the token in use, with alg none and without a signature.',
    right: '401.',
    source: inRevision('token handling', 'RFC 8725 3.1'),
  },
  {
    ...token,
    ...ofRule('other-issuer-accepted'),
    id: 'other-issuer',
    label: 'JWT of another issuer',
    sends: 'A JWT of an issuer that does not exist, signed with a key made for it.',
    right: '401.',
    source: inRevision('token handling', 'RFC 9068 4'),
    needsToken: false,
  },
  {
    ...token,
    ...ofRule('own-key-accepted'),
    id: 'own-key',
    label: 'JWT that brings its key',
    sends: 'A JWT of the right issuer, signed with a key made for it, which is in its header.',
    right: '401.',
    source: inRevision('token handling', 'RFC 8725 3.1'),
    needsToken: false,
  },
  {
    ...token,
    ...ofRule('bound-token-accepted-as-bearer'),
    id: 'bound-token-as-bearer',
    label: 'Bound token without its proof',
    sends: 'The token in use, which is bound to a key (DPoP), with the scheme Bearer and without a proof.',
    right: '401.',
    source: inRevision('token handling', 'RFC 9449 7.1'),
  },
  {
    ...token,
    ...ofRule('expired-token-accepted'),
    id: 'expired-token',
    label: 'Expired token',
    sends: 'A token whose time is over.',
    right: '401.',
    source: inRevision('token handling', 'RFC 6750 3.1'),
  },
  {
    ...token,
    ...ofRule('id-token-accepted'),
    id: 'id-token',
    label: 'ID token',
    sends: 'The ID token, which is for the client, in place of the access token.',
    right: '401.',
    source: inRevision('token handling', 'RFC 9068 5'),
  },
  {
    ...token,
    ...ofRule('other-audience-accepted'),
    id: 'other-audience',
    label: 'Token for another server',
    sends: 'A token that was issued for another resource.',
    right: '401.',
    source: inRevision('token audience binding and validation', 'RFC 8707 2'),
  },
  {
    ...token,
    ...ofRule('scope-not-enforced'),
    id: 'less-scope',
    label: 'Token with too few scopes',
    sends: 'A token without the scopes that are demanded, to list the tools.',
    right: '403 with insufficient_scope, and the scope that is missing.',
    source: inRevision('error handling', 'RFC 6750 3.1'),
    allowed: [403],
    requests: 2,
  },
  {
    ...ofRule('session-without-token-accepted'),
    id: 'session-without-token',
    label: 'Session id without a token',
    sends: 'A ping in a session of the token in use, without Authorization.',
    right: '401, or another refusal.',
    source: hijacking,
    allowed: null,
    requests: 2,
    needsToken: true,
  },
  {
    ...ofRule('session-without-token-accepted'),
    id: 'stream-without-token',
    label: 'Event stream without a token',
    sends: 'A GET for the event stream of that session, without Authorization.',
    right: '401, or another refusal.',
    source: hijacking,
    allowed: null,
    requests: 2,
    needsToken: true,
  },
  {
    ...ofRule('session-of-another-accepted'),
    id: 'session-of-another',
    label: 'Session of another identity',
    sends: 'A ping in a session of the token in use, with the token of the other identity.',
    right: '404, or another refusal.',
    source: hijacking,
    allowed: null,
    requests: 2,
    needsToken: true,
  },
  {
    ...ofRule('stream-of-another-accepted'),
    id: 'stream-of-another',
    label: 'Event stream of another identity',
    sends: 'A GET for the event stream of that session, with the token of the other identity.',
    right: '404, or another refusal.',
    source: hijacking,
    allowed: null,
    requests: 1,
    needsToken: true,
  },
  {
    ...ofRule('resumption-by-another-accepted'),
    id: 'resumption-by-another',
    label: 'Stream resumed by another identity',
    sends: 'The same with Last-Event-ID, which asks for the messages that were missed.',
    right: '404, or another refusal.',
    source: hijacking,
    allowed: null,
    requests: 1,
    needsToken: true,
  },
];
