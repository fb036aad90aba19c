import { z } from 'zod';
import { findingSeveritySchema } from '../trace/row.ts';
import { defineArea } from './area.ts';
import { entryValuesSchema, flowEntrySchema } from '../authorization/manual-entry.ts';
import { ownCredentialKinds } from '../authorization/own-credentials.ts';
import { callbackSchema } from './authorization-callback.ts';
import { faultSchema } from './fault.ts';

/** The steps of an authorization flow. A flow has some of them, in this order, and some again after `use-token`. */
export const stepNames = [
  /** The response of the MCP server that demands authorization (RFC 6750 section 3). */
  'challenge',
  /** Protected resource metadata (RFC 9728). */
  'resource-metadata',
  /** Metadata of the authorization server (RFC 8414, OpenID Connect Discovery). */
  'server-metadata',
  /** Whether what the user entered for one authorization server may go to the one that the server names now. */
  'credentials',
  /** Whether the query of the server's URL is a part of `resource`. */
  'resource',
  /** The client's own metadata document, fetched and checked if it is hosted. */
  'client-metadata',
  /** Dynamic client registration (RFC 7591). */
  'registration',
  /** Opened in the browser (OAuth 2.1 section 4.1.1). */
  'authorization-request',
  /** The redirect back to the client. */
  'callback',
  /** Sign-in at the identity provider, and its assertion for the authorization server (enterprise-managed authorization). */
  'sign-in',
  'assertion',
  'token',
  /** The keys of the issuer, with which the tokens are verified (RFC 7517). */
  'verify-signature',
  /** The request to the MCP server, with the token. */
  'use-token',
  /** An authorization with more scopes, after a 403. */
  'step-up',
  'refresh',
  'revoke',
  'introspect',
  /** Whether pages of browsers could use an endpoint (Fetch, CORS protocol). */
  'check-cors',
] as const;
export type StepName = (typeof stepNames)[number];

/** Who an exchange is with. */
export const authorizationParties = [
  'client',
  'mcp-server',
  'authorization-server',
  'identity-provider',
  'browser',
] as const;
export type AuthorizationParty = (typeof authorizationParties)[number];

/** One parameter of a query, a form or a JSON body. */
export const parameterSchema = z.object({
  name: z.string(),
  /** Null for a secret that the page does not know; sent back as null, it stays as it is. */
  value: z.string().nullable(),
  /** The first 6 hex digits of the SHA-256 of a secret, by which equal ones are recognized; null if it is none. */
  fingerprint: z.string().nullable(),
  /** Whether it is sent. */
  isOn: z.boolean(),
  /** Why it has this value, such as `from the challenge`; empty if it goes without saying. */
  note: z.string(),
  /** Row of the trace that it comes from; null if from none. */
  row: z.number().int().nullable(),
});
export type AuthorizationParameter = z.infer<typeof parameterSchema>;

/** A request of a step, which the user may edit before it is sent. */
export const stepRequestSchema = z.object({
  method: z.string(),
  /** Without the query. */
  url: z.string(),
  /** Who sends it: we, or the browser, which gets the whole URL. */
  sentBy: z.enum(['client', 'browser']),
  query: z.array(parameterSchema),
  headers: z.array(parameterSchema),
  /** How `body` is written; `none` without one. */
  bodyKind: z.enum(['none', 'form', 'json']),
  /** Fields of a form; the members of a JSON object, their values as JSON. */
  body: z.array(parameterSchema),
});
export type StepRequest = z.infer<typeof stepRequestSchema>;

/** What the user may choose of the client assertion of a step, which is signed again then (RFC 7523 section 3). */
export const assertionChoiceSchema = z.object({
  /** `aud`. */
  audience: z.string(),
  /** `kid` of its header; null for none. */
  keyId: z.string().nullable(),
});
export type AssertionChoice = z.infer<typeof assertionChoiceSchema>;

/** What the user made of the request of a stopped step. */
export const stepDraftSchema = z.object({
  /** Null for no change. */
  request: stepRequestSchema.nullable(),
  /** A wrong value chosen from the menu; null for none. */
  wrongValue: z.string().nullable(),
  /** Without it the client assertion stays as it is. */
  assertion: assertionChoiceSchema.optional(),
});
export type StepDraft = z.infer<typeof stepDraftSchema>;

export const stepResponseSchema = z.object({
  status: z.number().int(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** With secrets replaced, at most `MAX_BODY` characters. Untrusted. Null if only the trace has it. */
  body: z.string().nullable(),
});
export type StepResponse = z.infer<typeof stepResponseSchema>;

/** Limit of characters of a body in a step; the trace has all. */
export const MAX_BODY = 65_536;

/** What is wrong with a response, in the words of the table of rules. */
export const authorizationFindingSchema = z.object({
  /** Stable name of the rule, such as `issuer-differs`. */
  rule: z.string(),
  severity: findingSeveritySchema,
  /** One sentence. May quote untrusted text. */
  text: z.string(),
  /** The requirement, such as `RFC 8414 3.3`. */
  source: z.string(),
  expected: z.string().nullable(),
  received: z.string().nullable(),
  /** Row of the exchange that shows it; null if none does. */
  row: z.number().int().nullable(),
  /** What oauth4webapi says about the same response: accepted, or its message; null if it was not asked. */
  library: z.string().nullable(),
});
export type AuthorizationFinding = z.infer<typeof authorizationFindingSchema>;

/** `planned`: comes later. `stopped`: waits for the user to send it. `waiting`: for the browser, or for a choice. */
export const stepStates = [
  'planned',
  'stopped',
  'running',
  'waiting',
  'done',
  'failed',
  'skipped',
  'taken-back',
] as const;

export const stepSchema = z.object({
  /** Counts the steps of a flow from 1, in the order in which they came up. */
  id: z.number().int(),
  /** The step before it; null for the first. Two steps after the same one are branches. */
  after: z.number().int().nullable(),
  /** Number of the branch, from 0 for the first. */
  branch: z.number().int(),
  name: z.enum(stepNames),
  /** What distinguishes it from other steps of its name, such as `second URL tried`; empty if nothing does. */
  label: z.string(),
  state: z.enum(stepStates),
  /** The parties of the step, the sender first. */
  parties: z.array(z.enum(authorizationParties)),
  /** The request as it will be sent, or was sent; null if the step has none. */
  request: stepRequestSchema.nullable(),
  /** `aud` and `kid` of the client assertion in it; null without one. */
  assertion: assertionChoiceSchema.nullable().default(null),
  /** The request before the user changed it; null if it is as it was. */
  original: z
    .object({ request: stepRequestSchema, assertion: assertionChoiceSchema.nullable() })
    .nullable()
    .default(null),
  response: stepResponseSchema.nullable(),
  /** Row of the exchange in the trace; null if it has none. */
  row: z.number().int().nullable(),
  /** Milliseconds since the Unix epoch; null before it begins. */
  startedAt: z.number().nullable(),
  /** Microseconds; null until it has ended. */
  duration: z.number().nullable(),
  /** What came of it, in one sentence; empty until it has ended. */
  outcome: z.string(),
  /** The rule that decided it, and where that rule stands. */
  decidedBy: z.object({ text: z.string(), source: z.string() }).nullable(),
  /** What was not done, and why not. */
  alternatives: z.array(z.object({ label: z.string(), why: z.string() })),
  findings: z.array(authorizationFindingSchema),
  /** A wrong value that was chosen from the menu, such as `verifier-wrong`; null for a correct request. */
  wrongValue: z.string().nullable(),
  /** Whether the server accepted the wrong value; null if there was none, or before the response. */
  isWrongAccepted: z.boolean().nullable(),
  /** Whether the flow stopped here, and the user continued anyway. */
  isOverridden: z.boolean().default(false),
  /** What came to the redirect URI while the step waited, at most `MAX_CALLBACKS`; the answer is the last. */
  callbacks: z.array(callbackSchema).default([]),
  /** How many more requests came there, which were not the answer. */
  moreCallbacks: z.number().int().default(0),
  /** Until when the request is held back, because it is sent late on purpose, in milliseconds since the Unix epoch; else null. */
  lateUntil: z.number().nullable().default(null),
});
export type AuthorizationStep = z.infer<typeof stepSchema>;

export const flowModes = ['automatic', 'stepped'] as const;
export const grantKinds = [
  'authorization-code',
  'client-credentials',
  'enterprise',
  'workload-identity',
] as const;
export const registrationChoices = ['auto', 'pre-registered', 'metadata-document', 'dynamic'] as const;
export const clientAuthMethods = [
  'auto',
  'none',
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
] as const;

/** Parameters that a client may be told never to send, in no request of a flow. */
export const droppableParameters = ['resource', 'scope', 'nonce', 'redirect_uri'] as const;
export type DroppableParameter = (typeof droppableParameters)[number];

/**
 * The `aud` of a client assertion (RFC 7523 section 3): the issuer, or the token endpoint, as some servers demand. `auto`: the issuer,
 * and the token endpoint once a server has rejected that.
 */
export const assertionAudiences = ['auto', 'issuer', 'token-endpoint'] as const;

/** Authorization servers whose behavior is documented well enough to say what they need (`authorization/providers/`). */
export const knownProviderIds = [
  'auth0',
  'cognito',
  'entra',
  'github',
  'google',
  'keycloak',
  'okta',
] as const;
export type KnownProviderId = (typeof knownProviderIds)[number];

const secretSchema = z.object({ isSet: z.boolean(), value: z.string().nullable() });

/** The test identity provider of the enterprise and workload grants. */
const testProviderSchema = z.object({
  /** Name of the test user, or of the workload. */
  user: z.string().min(1).max(200),
  /** Null for a free one. */
  port: z.number().int().min(1).max(65_535).nullable(),
});

const noSecret = { isSet: false, value: null };

/** How to authorize at a server. A secret is null from the engine, and from the page to keep the stored one. */
export const authorizationSettingsSchema = z.object({
  /** `off`: a 401 is a fault, as for a client that cannot authorize. */
  mode: z.enum(['off', ...flowModes]),
  grant: z.enum(grantKinds),
  registration: z.enum(registrationChoices),
  clientId: z.string().nullable(),
  clientSecret: secretSchema,
  /** A private key for `private_key_jwt`, as PEM (PKCS #8) or JWK. */
  privateKey: secretSchema,
  authMethod: z.enum(clientAuthMethods),
  /** `client_name` of dynamic registration; null for that of Sightglass. */
  clientName: z.string().nullable().default(null),
  /** URL of the hosted client ID metadata document. */
  metadataDocument: z.string().nullable(),
  /** Initial access token of dynamic registration (RFC 7591 section 3). */
  initialAccessToken: secretSchema,
  /** The token of the workload, or of the user at the identity provider; without it the user signs in there. */
  identityToken: secretSchema.default(noSecret),
  /** Null for those that the server asks for. */
  scopes: z.string().nullable(),
  /** Further parameters of the authorization request. */
  extra: z.array(z.object({ name: z.string(), value: z.string() })),
  /** Further parameters of the token request, and of a refresh. */
  tokenExtra: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  /** Parameters that are never sent: not in the authorization request, the token request or a refresh. */
  dropped: z.array(z.enum(droppableParameters)).default([]),
  assertionAudience: z.enum(assertionAudiences).default('auto'),
  /** `kid` of the client assertions that we sign; null for that of the JWK, or none. */
  keyId: z.string().nullable().default(null),
  redirect: z.object({
    host: z.enum(['127.0.0.1', 'localhost', '[::1]']),
    /** Null for a free one. */
    port: z.number().int().min(1).max(65_535).nullable(),
    path: z.string().startsWith('/'),
  }),
  dpop: z.boolean(),
  /** The identity provider of the enterprise grant: its issuer, and our client there. */
  identityProvider: z.object({ issuer: z.string(), clientId: z.string() }).nullable(),
  /** The one that the engine runs for a flow, in place of a real one; null for none. */
  testIdentityProvider: testProviderSchema.nullable().default(null),
  /** What the authorization server is, as the user says; null to recognize it. */
  knownProvider: z.enum(knownProviderIds).nullable().default(null),
  /**
   * Whether PKCE is used although the metadata does not advertise it. MCP has clients refuse such a server since 2025-11-25, so this is
   * for servers that are documented to support S256.
   */
  assumesPkce: z.boolean().default(false),
});
export type AuthorizationSettings = z.infer<typeof authorizationSettingsSchema>;

/** Settings for one flow, or for one run. What is missing stays as the server has it, so nothing has a default. */
export const authorizationOverridesSchema = authorizationSettingsSchema
  .extend({
    clientName: z.string().nullable(),
    identityToken: secretSchema,
    testIdentityProvider: testProviderSchema.nullable(),
    tokenExtra: z.array(z.object({ name: z.string(), value: z.string() })),
    dropped: z.array(z.enum(droppableParameters)),
    assertionAudience: z.enum(assertionAudiences),
    keyId: z.string().nullable(),
    knownProvider: z.enum(knownProviderIds).nullable(),
    assumesPkce: z.boolean(),
  })
  .partial();

export type AuthorizationOverrides = z.infer<typeof authorizationOverridesSchema>;

export const defaultAuthorization: AuthorizationSettings = {
  mode: 'automatic',
  grant: 'authorization-code',
  registration: 'auto',
  clientId: null,
  clientSecret: noSecret,
  privateKey: noSecret,
  authMethod: 'auto',
  clientName: null,
  metadataDocument: null,
  initialAccessToken: noSecret,
  identityToken: noSecret,
  scopes: null,
  extra: [],
  tokenExtra: [],
  dropped: [],
  assertionAudience: 'auto',
  keyId: null,
  redirect: { host: '127.0.0.1', port: null, path: '/callback' },
  dpop: false,
  identityProvider: null,
  testIdentityProvider: null,
  knownProvider: null,
  assumesPkce: false,
};

/** What a flow asks the user before it sends something. Texts of servers in it are untrusted. */
export const flowQuestionSchema = z.discriminatedUnion('kind', [
  /** The server names another authorization server than the one that these credentials went to. */
  z.object({
    kind: z.literal('other-issuer'),
    credentials: z.array(z.enum(ownCredentialKinds)),
    /** The issuers that got them, or are known to belong to the server. */
    before: z.array(z.string()),
    issuer: z.string(),
  }),
  /** The server has no resource metadata, and its URL has a query. */
  z.object({
    kind: z.literal('resource-query'),
    /** The names of its parameters, without those that are secret. */
    parameters: z.array(z.string()),
    issuer: z.string(),
  }),
  /** The next step leads to this machine or its network, although the server is elsewhere. */
  z.object({
    kind: z.literal('private-address'),
    /** Where it leads, without the query. */
    url: z.string(),
    fault: faultSchema,
  }),
]);
export type FlowQuestion = z.infer<typeof flowQuestionSchema>;

/** `stopped`: before a step. `waiting`: for the browser, or for a choice or an answer of the user. */
export const flowStates = ['running', 'stopped', 'waiting', 'done', 'failed', 'cancelled'] as const;

/** One authorization flow, from the challenge on. Texts of servers in it are untrusted. */
export const flowSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  serverId: z.string(),
  /** Counts the flows of a session from 1. */
  number: z.number().int(),
  mode: z.enum(flowModes),
  grant: z.enum(grantKinds),
  registration: z.enum(registrationChoices),
  /** The revision whose rules apply. */
  revision: z.string(),
  /** Whether it was chosen or negotiated; else rules that only some revisions have do not stop the flow. */
  isRevisionKnown: z.boolean().default(true),
  /** The settings that differ from the default, by name, without secrets; missing in traces of older versions. */
  changedSettings: z.array(z.object({ name: z.string(), value: z.string() })).exactOptional(),
  state: z.enum(flowStates),
  /** The step that is stopped, runs or waits; null when the flow has ended. */
  currentStep: z.number().int().nullable(),
  steps: z.array(stepSchema),
  /** The authorization servers to choose from, if it waits for that. */
  issuers: z.array(z.string()),
  /** What it waits to be told by `authorization/answer`; null if nothing. */
  question: flowQuestionSchema.nullable().default(null),
  /** The URL for the browser while it waits for the callback; the page opens it only on a click. */
  browserUrl: z.string().nullable(),
  /** What the user said the authorization server is; null to recognize it. */
  knownProvider: z.enum(knownProviderIds).nullable().default(null),
  /** The issuer of the test identity provider that takes part, or took part; null without one. */
  testProvider: z.string().nullable().default(null),
  fault: faultSchema.nullable(),
  /** Whether the user may continue anyway. */
  canOverride: z.boolean().default(false),
  /** What the user may enter by hand to go on after the fault; null if nothing. */
  entry: flowEntrySchema.nullable().default(null),
});
export type AuthorizationFlow = z.infer<typeof flowSchema>;

/** What a flow breaks of another revision than its own, without anything being sent. */
export const revisionCheckSchema = z.object({
  revision: z.string(),
  /** Every step of the flow, in its order. */
  steps: z.array(
    z.object({
      id: z.number().int(),
      findings: z.array(
        z.object({
          finding: authorizationFindingSchema,
          /** `comes`: only with this revision. `goes`: not with this revision. */
          change: z.enum(['same', 'comes', 'goes']),
        }),
      ),
      /** Whether this revision forbids going on after it, and the recorded one does not. */
      stops: z.boolean(),
      /** What a client of this revision does otherwise, in one sentence; null if nothing. */
      difference: z.string().nullable(),
    }),
  ),
});
export type RevisionCheck = z.infer<typeof revisionCheckSchema>;

/** Whether a signature was verified with a key of the issuer; `unverified` with the reason. */
const signatureSchema = z.object({
  state: z.enum(['verified', 'wrong', 'unverified', 'none']),
  detail: z.string(),
});
export type TokenSignature = z.infer<typeof signatureSchema>;

/** An access token, and the refresh token that came with it, without either. */
export const tokenGenerationSchema = z.object({
  /** Counts from 1. */
  number: z.number().int(),
  accessFingerprint: z.string(),
  refreshFingerprint: z.string().nullable(),
  tokenType: z.string(),
  scope: z.string().nullable(),
  /** Milliseconds since the Unix epoch. */
  receivedAt: z.number(),
  expiresAt: z.number().nullable(),
  /** Row of the token response; null if it is of an earlier session. */
  row: z.number().int().nullable(),
  state: z.enum(['in-use', 'replaced', 'revoked', 'expired']),
  /** The claims of a JWT, as JSON; null for an opaque token. Untrusted. */
  claims: z.string().nullable(),
  signature: signatureSchema,
  /** The ID token that came with it, or with an earlier one; null without. */
  idToken: z
    .object({ fingerprint: z.string(), claims: z.string().nullable(), signature: signatureSchema })
    .nullable()
    .default(null),
});
export type TokenGeneration = z.infer<typeof tokenGenerationSchema>;

/** What is stored for one server, issuer and client. */
export const storedCredentialsSchema = z.object({
  id: z.string(),
  serverId: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  /** How the client was registered. */
  registration: z.enum(['pre-registered', 'metadata-document', 'dynamic']),
  hasClientSecret: z.boolean(),
  resource: z.string(),
  /** The newest last. */
  generations: z.array(tokenGenerationSchema),
  /** Whether it survives a restart of the app. */
  isPersistent: z.boolean(),
});
export type StoredCredentials = z.infer<typeof storedCredentialsSchema>;

const ofSession = z.object({ sessionId: z.string() });
const ofFlow = z.object({ flowId: z.string() });
/** What the user made of the stopped step, which is not sent now; it is there again when the flow stops there again. */
const leavingStep = ofFlow.extend({ draft: stepDraftSchema.optional() });
const ofCredentials = z.object({ credentialsId: z.string() });

export const authorizationArea = defineArea({
  commands: {
    /** The flows of a session, in their order; of a recorded one too. */
    'authorization/flows': { params: ofSession, result: z.array(flowSchema) },
    /** Checks the recorded exchanges of a flow, of a recorded session too, by the rules of another revision. */
    'authorization/check-against': {
      params: ofSession.extend({ flowId: z.string(), revision: z.string() }),
      result: revisionCheckSchema,
    },
    /** The client ID metadata document of these settings, as JSON text to host at its URL (MCP 2025-11-25 authorization). */
    'authorization/write-document': {
      params: z.object({
        /** Whose private key is used if the settings have none; null for a server that is not saved yet. */
        serverId: z.string().nullable(),
        settings: authorizationSettingsSchema,
      }),
      result: z.object({ text: z.string() }),
    },
    /** Begins a flow. Without an open session of the server it opens one that only authorizes. */
    'authorization/begin': {
      params: z.object({
        serverId: z.string(),
        mode: z.enum(flowModes),
        /** Null for the negotiated one, or the newest. */
        revision: z.string().nullable(),
        /** Overrides the settings of the server, for this flow only. */
        settings: authorizationOverridesSchema,
      }),
      result: flowSchema,
    },
    /** Sends the step that is stopped, with these changes, and stops before the next. */
    'authorization/send': {
      params: ofFlow.extend(stepDraftSchema.shape),
      result: z.null(),
    },
    /** Runs to the end without stopping. */
    'authorization/run': { params: ofFlow, result: z.null() },
    /** Takes the last step back: the flow stops before it again, with what the user had changed in its request. */
    'authorization/back': { params: leavingStep, result: z.null() },
    /** Goes on without the step that is stopped. */
    'authorization/skip': { params: leavingStep, result: z.null() },
    /** Continues after the fault that stopped a stepped flow. */
    'authorization/override': { params: ofFlow, result: z.null() },
    /** Goes on after the fault of a stepped flow with what the user entered; what is empty or missing was not entered. */
    'authorization/enter': { params: ofFlow.extend({ values: entryValuesSchema }), result: z.null() },
    /** Sends at once what a wrong value holds back, such as an expired code. */
    'authorization/send-early': { params: ofFlow, result: z.null() },
    /** Stops before this step again, in a branch of its own. */
    'authorization/fork': { params: leavingStep.extend({ stepId: z.number().int() }), result: z.null() },
    'authorization/cancel': { params: ofFlow, result: z.null() },
    /**
     * Takes the URL that the browser was redirected to, or its query or fragment alone. With one that is not the answer the flow goes on
     * waiting, and the fault says what is wrong.
     */
    'authorization/callback': { params: ofFlow.extend({ url: z.string() }), result: z.null() },
    /** The browser shows an error page of the authorization server, so no redirect will come: the step fails. */
    'authorization/no-callback': { params: ofFlow, result: z.null() },
    /** Chooses one of several authorization servers. */
    'authorization/choose': { params: ofFlow.extend({ issuer: z.string() }), result: z.null() },
    /** Answers the question of a flow. */
    'authorization/answer': { params: ofFlow.extend({ isYes: z.boolean() }), result: z.null() },
    /** Opens the URL of the authorization request in the system's browser. */
    'authorization/open-browser': { params: ofFlow, result: z.null() },
    /** Tries every URL that metadata could have, and says what each answered. */
    'authorization/scan': { params: ofFlow, result: z.null() },
    /** Asks each endpoint, without credentials, whether pages of this origin could use it; the steps are a branch of their own. */
    'authorization/check-cors': { params: ofFlow.extend({ origin: z.string() }), result: z.null() },
    /** What is stored for a server; for all of them without one. */
    'authorization/credentials': {
      params: z.object({ serverId: z.string().nullable() }),
      result: z.array(storedCredentialsSchema),
    },
    'authorization/forget': { params: ofCredentials, result: z.null() },
    /** Each of the next three commands runs a flow of its own. */
    'authorization/refresh': { params: ofCredentials.extend({ sessionId: z.string() }), result: flowSchema },
    'authorization/revoke': { params: ofCredentials.extend({ sessionId: z.string() }), result: flowSchema },
    'authorization/introspect': {
      params: ofCredentials.extend({ sessionId: z.string() }),
      result: flowSchema,
    },
    /** Verifies the signatures of the tokens with the keys of the issuer. */
    'authorization/verify': { params: ofCredentials.extend({ sessionId: z.string() }), result: flowSchema },
    /** Treats the access token as expired. */
    'authorization/expire': { params: ofCredentials, result: z.null() },
    /** Uses tokens of the user in place of the stored ones. */
    'authorization/replace': {
      params: ofCredentials.extend({ accessToken: z.string().min(1), refreshToken: z.string().nullable() }),
      result: z.null(),
    },
    /** A secret of a step for the user's eyes, such as its verifier; of the running app only. */
    'authorization/reveal': {
      params: ofFlow.extend({ stepId: z.number().int(), name: z.string() }),
      result: z.object({ value: z.string().nullable() }),
    },
  },
  events: {
    'authorization/changed': flowSchema,
    'authorization/credentials-changed': z.object({ serverId: z.string() }),
  },
});
