import { z } from 'zod';
import { defineArea } from './area.ts';
import { authorizationFindingSchema, authorizationOverridesSchema, flowSchema } from './authorization.ts';
import { faultSchema } from './fault.ts';

/** The tests of an MCP server as a resource server (OAuth 2.1 section 5.2), in the order in which they run. */
export const serverTestIds = [
  'no-token',
  'token-in-query',
  'garbage-token',
  'scheme-alone',
  'other-scheme',
  'no-scheme',
  'changed-signature',
  'alg-none',
  'other-issuer',
  'own-key',
  'bound-token-as-bearer',
  'expired-token',
  'id-token',
  'other-audience',
  'less-scope',
  'session-without-token',
  'stream-without-token',
  'session-of-another',
  'stream-of-another',
  'resumption-by-another',
] as const;
export type ServerTestId = (typeof serverTestIds)[number];

/** `unclear`: the answer, or the lack of one, says neither. */
export const serverTestOutcomes = ['right', 'careless', 'not-applicable', 'unclear'] as const;
export type ServerTestOutcome = (typeof serverTestOutcomes)[number];

/** What further tokens are for. `other-identity`: of another user or client. The others are named as the tests that send them. */
export const testTokenKinds = ['other-identity', 'other-audience', 'expired', 'less-scope'] as const;
export type TestTokenKind = (typeof testTokenKinds)[number];

/** A token that only tests send, without its value. */
export const testTokenSchema = z.object({
  kind: z.enum(testTokenKinds),
  /** The first 6 hex digits of its SHA-256. */
  fingerprint: z.string(),
  /** Where it is from, such as `flow 2` or `you entered it`. */
  from: z.string(),
  /** What tells it apart: `sub`, `aud` or scopes, as far as they are known. Untrusted. */
  facts: z.string(),
});
export type TestToken = z.infer<typeof testTokenSchema>;

export const serverTestSchema = z.object({
  id: z.enum(serverTestIds),
  label: z.string(),
  /** What is sent, in one sentence. */
  sends: z.string(),
  /** What a right server answers. */
  right: z.string(),
  /** What a careless answer means. */
  careless: z.string(),
  /** The requirement and its revision. */
  source: z.string(),
  /** The statuses that a right server may answer with, as text such as `401` or `any 4xx`. */
  allowed: z.string(),
  /** Requests that it needs at most, those that compare with the right token included. */
  requests: z.number().int(),
  state: z.enum(['planned', 'running', 'done']),
  /** Null before it has run. Before a run it is `not-applicable` for those that would send nothing. */
  outcome: z.enum(serverTestOutcomes).nullable(),
  /** Why this is the outcome, in one sentence; empty without one. May quote untrusted text. */
  why: z.string(),
  /** HTTP status of the answer; null if none came, or nothing was sent. */
  status: z.number().int().nullable(),
  /** The server's own words, without secrets; empty if it said nothing. Untrusted. */
  words: z.string(),
  /** Row of the exchange in the trace; null if it has none. */
  row: z.number().int().nullable(),
  /** The rule that a careless answer breaks; null otherwise. */
  finding: authorizationFindingSchema.nullable(),
});
export type ServerTest = z.infer<typeof serverTestSchema>;

/** `planned`: nothing was sent yet. */
export const serverTestsSchema = z.object({
  sessionId: z.string(),
  serverId: z.string(),
  /** Where everything is sent, without secrets. */
  url: z.string(),
  state: z.enum(['planned', 'running', 'done', 'stopped', 'failed']),
  /** The revision of the requests; null until it is known. */
  revision: z.string().nullable(),
  /** The transport that answered; null until it is known. */
  transport: z.enum(['streamable-http', 'http-sse']).nullable(),
  /** Requests that a run makes at most. */
  requests: z.number().int(),
  /** Whether there is a token to compare with; without one only the tests that need none run. */
  hasToken: z.boolean(),
  /** The answer to the right token, in one sentence; empty before a run. */
  control: z.string(),
  controlRow: z.number().int().nullable(),
  tests: z.array(serverTestSchema),
  /** The further tokens that a run would send. */
  tokens: z.array(testTokenSchema),
  /** Credentials of other servers at the same issuer, one of which the user may let a run send. */
  foreign: z.array(z.object({ id: z.string(), serverId: z.string(), resource: z.string() })),
  fault: faultSchema.nullable(),
});
export type ServerTests = z.infer<typeof serverTestsSchema>;

const ofServer = z.object({ serverId: z.string() });
const enteredToken = z.string().min(1).max(65_536);

export const serverTestsArea = defineArea({
  commands: {
    /** The last run of a session, or what a run would send. Sends nothing. Null for a session that does not authorize. */
    'server-tests/get': { params: z.object({ sessionId: z.string() }), result: serverTestsSchema.nullable() },
    /**
     * Runs the tests; resolves when they have begun. Each request is one of `initialize`, `ping`, `tools/list` and `server/discover`, or
     * opens an event stream, or ends a session that a test began. Without an open session of the server it opens one that only authorizes.
     */
    'server-tests/run': {
      params: ofServer.extend({
        /** The user has seen what is sent to whom. */
        consent: z.literal(true),
        /** Stored credentials of another server at the same issuer whose token may be sent to this server; null for none. */
        foreignCredentials: z.string().nullable(),
      }),
      result: serverTestsSchema,
    },
    /** Ends the run after the request that is under way. */
    'server-tests/stop': { params: z.object({ sessionId: z.string() }), result: z.null() },
    /** Takes a token of the user for the tests of this run of the app; it is never stored. */
    'server-tests/use-token': {
      params: ofServer.extend({ kind: z.enum(testTokenKinds), token: enteredToken }),
      result: serverTestsSchema,
    },
    /** Forgets a token for the tests. */
    'server-tests/drop-token': {
      params: z.object({ sessionId: z.string(), kind: z.enum(testTokenKinds) }),
      result: serverTestsSchema,
    },
    /** Begins a flow whose token only the tests use: nothing of it replaces the token in use. */
    'server-tests/authorize': {
      params: ofServer.extend({
        kind: z.enum(['other-identity', 'other-audience', 'less-scope']),
        /** The other `resource`, or the scopes; null for `other-identity`. */
        value: z.string().nullable(),
        revision: z.string().nullable(),
        settings: authorizationOverridesSchema,
      }),
      result: flowSchema,
    },
  },
  events: {
    'server-tests/changed': serverTestsSchema,
  },
});
