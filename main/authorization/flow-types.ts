import type {
  AssertionChoice,
  AuthorizationFinding,
  AuthorizationParty,
  AuthorizationSettings,
  AuthorizationStep,
  FlowQuestion,
  StepName,
  StepRequest,
  TokenSignature,
} from '#shared/contract/authorization.ts';
import type { WrongValue } from '#shared/authorization/wrong-values.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { RecordCallback, AwaitedRedirect } from './callback-listener.ts';
import type { ClientAuthMethod } from './client-authentication.ts';
import type { DpopProver } from './dpop.ts';
import type { DroppedParameters } from './dropped-parameters.ts';
import type { FlowResponse, SendRequest } from './exchange.ts';
import type { TokenKind } from './grants.ts';
import type { OwnCredential } from './issuer-bindings.ts';
import type { RevisionRules } from './revision-rules.ts';
import type { ArrivedCallback, ExpectedCallback } from './received-callback.ts';
import type { PreparedRequest } from './step-request.ts';
import type { TokenSet } from './tokens.ts';

/** The response of the MCP server that demands authorization. */
export interface Demand {
  readonly status: number;
  readonly headers: HeaderLines;
  /** Row of its exchange; null if it is not known. */
  readonly row: number | null;
}

/** A JSON object of a server as it was received. Untrusted. */
export type Metadata = Readonly<Record<string, unknown>>;

/** Our client as one authorization server knows it. */
export interface RegisteredClient {
  readonly issuer: string;
  readonly kind: 'pre-registered' | 'metadata-document' | 'dynamic';
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** `token_endpoint_auth_method` of the registration response; null if it has none. */
  readonly authMethod: string | null;
  /** The redirect URI that was registered; null if any loopback one may be used. */
  readonly redirectUri: string | null;
}

/** A URL at which metadata was requested, and why it is not used. */
export interface TriedUrl {
  readonly url: string;
  readonly why: string;
}

/** What a flow knows before a step. It is never changed: a step makes a new one, so that one can go back and fork. */
export interface FlowContext {
  /** Null before the server has been asked. */
  readonly demand: Demand | null;
  readonly resourceTried: readonly TriedUrl[];
  /** Undefined before it is found; null if the server has none. */
  readonly resourceMetadata: Metadata | null | undefined;
  /** Resource metadata that lacks something, which counts if no URL has better; null without it. */
  readonly incompleteMetadata: Metadata | null;
  /** The issuer of the chosen authorization server. */
  readonly issuer: string | null;
  /** Whether the user chose it. */
  readonly isIssuerChosen: boolean;
  /** The authorization servers before it, whose metadata cannot be had. */
  readonly otherServers: readonly { readonly issuer: string; readonly tried: readonly TriedUrl[] }[];
  readonly serverTried: readonly TriedUrl[];
  /** Undefined before it is found; null if default endpoints are used. */
  readonly serverMetadata: Metadata | null | undefined;
  /** The issuer that may get what the user entered; null before that was decided. */
  readonly allowedIssuer: string | null;
  /** Whether the query of the server's URL, without what is secret in it, is a part of `resource`; null before that was decided. */
  readonly sendsQuery: boolean | null;
  readonly client: RegisteredClient | null;
  /** Whether this flow has registered it. */
  readonly hasRegistered: boolean;
  /** Whether the authorization server does not know it any more, so that the flow ended. */
  readonly isClientLost: boolean;
  /** Whether the user entered the client in this flow. */
  readonly isClientManual: boolean;
  /** Whether the hosted client ID metadata document was looked at. */
  readonly isDocumentChecked: boolean;
  /** Scopes of earlier authorization requests of this operation; they are requested again (step-up). */
  readonly scopesBefore: readonly string[];
  /** Whether the flow asks for more scopes, after others were granted. */
  readonly isStepUp: boolean;
  /** The authorization request that was given to the browser; null before it. */
  readonly authorizationRequest: SentAuthorization | null;
  readonly code: string | null;
  /** What the user switched off, or on again, in a request to the authorization server: later ones follow it. */
  readonly dropped: DroppedParameters;
  /** The metadata of the identity provider; undefined before it is found. */
  readonly providerMetadata: Metadata | undefined;
  readonly providerTried: readonly TriedUrl[];
  readonly signIn: SignIn;
  /** The issuer of the test identity provider; null before it runs, or without it. */
  readonly testIssuer: string | null;
  /** The assertion of the identity provider for the authorization server (enterprise-managed authorization). */
  readonly assertion: string | null;
  readonly tokens: TokenSet | null;
  /** Whether the flow has sent a request with the token. */
  readonly isTokenUsed: boolean;
  /** Whether the signatures of the tokens were verified, or cannot be. */
  readonly isSignatureChecked: boolean;
  /** The tokens whose revocation was requested; null once revoked, else what the server said. */
  readonly revocations: Readonly<Partial<Record<TokenKind, RevocationError | null>>>;
  /** How often the token request was sent again because a DPoP nonce was demanded. */
  readonly nonceTries: number;
  /** Whether the server rejected its issuer as `aud` of a client assertion, so that the token endpoint is the audience now. */
  readonly isIssuerRejected: boolean;
}

/** Why a token was not revoked: the OAuth error, and the text of the server. */
export interface RevocationError {
  readonly error: string | null;
  readonly quote: string;
}

/** An authorization request that was given to the browser. */
export interface SentAuthorization {
  readonly verifier: string;
  readonly state: string;
  readonly redirectUri: string;
  readonly scope: string | null;
  readonly resource: string | null;
  /** Whether the user changed nothing of it. */
  readonly isAsPlanned: boolean;
  /** Of OpenID Connect, for the ID token; null if none was sent. */
  readonly nonce: string | null;
  /** What was left out of it, and so is left out of the token request for its code. */
  readonly dropped: DroppedParameters;
  /** The whole URL, as the browser got it. */
  readonly url: string;
}

/** How far the sign-in at the identity provider is. */
export interface SignIn {
  readonly request: SentAuthorization | null;
  readonly code: string | null;
  readonly idToken: string | null;
  /** Whether the keys of the identity provider were asked for. */
  readonly isVerified: boolean;
}

/** How a flow ended. */
export type FlowEnd =
  | { readonly state: 'done'; readonly context: FlowContext }
  | { readonly state: 'failed'; readonly fault: Fault; readonly context: FlowContext }
  | { readonly state: 'cancelled' };

/** What surrounds a flow before it begins: its mode may change while it runs. */
export type FlowSetup = Omit<FlowEnvironment, 'isStepped'>;

/** What surrounds a flow: the server, the settings, and what it may use. */
export interface FlowEnvironment {
  readonly serverId: string;
  /** The URL of the MCP server. */
  readonly serverUrl: URL;
  readonly rules: RevisionRules;
  /** Whether the revision was chosen or negotiated. */
  readonly isRevisionKnown: boolean;
  /**
   * Whether a flow goes on where only some revisions stop: the revision is not known, or the session was authorized at this issuer
   * before it was.
   */
  readonly allowsOlder: (issuer: string) => boolean;
  /** Whether the flow is in the stepped mode now, in which its user decides whether it goes on after a fault. */
  readonly isStepped: () => boolean;
  readonly settings: AuthorizationSettings;
  readonly secrets: AuthorizationSecrets;
  readonly clientName: string;
  readonly userAgent: string;
  readonly send: SendRequest;
  /** Waits before a request that is sent late on purpose; a timer by default. */
  readonly waitToBeLate?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Keeps a value out of the trace. */
  readonly markSecret: (kind: string, value: string) => void;
  /** The redirect URI of this flow; its listener is started by the first call. @throws FaultError if the port is busy */
  readonly redirectUri: () => Promise<string>;
  /** The URL that answers the authorization request, once the browser is redirected to it. */
  readonly nextCallback: (signal: AbortSignal, awaited: AwaitedRedirect) => Promise<ArrivedCallback>;
  /** Records what came to the redirect URI, or was pasted; the answer always, of the others only some. */
  readonly recordCallback: RecordCallback;
  /** Opens a URL in the system's browser; null if this host cannot. */
  readonly openBrowser: ((url: string) => Promise<void>) | null;
  /** Limit of milliseconds for the redirect of the browser, as the user chose it; null for that of the automatic mode, and none in the stepped one. */
  readonly browserLimit: number | null;
  /**
   * Whether the flow itself sends the requests to the MCP server, because no request of a session waits. Such a flow also verifies
   * signatures.
   */
  readonly asksServer: boolean;
  /** Whether an automatic flow opens the browser by itself, and waits for it only until the limit; else the user opens it. */
  readonly opensBrowser: boolean;
  /** Whether the user sees the flow, and can open its URL or paste the callback. */
  readonly isWatched: boolean;
  /** The fault of a URL that leads to this machine or its network although the server is elsewhere; null if it does not. */
  readonly faultOfPrivate: (url: URL) => Promise<Fault | null>;
  /** Whether a question of a flow can be answered: on the page, or on a terminal. Without it the answer is no. */
  readonly canAsk: boolean;
  /** The issuers that the user named for this run: they, and no others, may get what the user entered. Empty for no limit. */
  readonly allowedIssuers: readonly string[];
  /** Whether a text has a secret of the server in it that is known by its value. */
  readonly holdsSecret: (text: string) => boolean;
  /** Whether the user allowed the query of the server's URL in `resource`. */
  readonly sendsResourceQuery: boolean;
  /** The issuers that have got this credential; before its first use, those that are known to belong to the server. */
  readonly issuersOf: (credential: OwnCredential) => Promise<readonly string[]>;
  /** Notes that an issuer gets these credentials. */
  readonly bindIssuer: (credentials: readonly OwnCredential[], issuer: string) => Promise<void>;
  /** The client registered before at this issuer; null if none is. */
  readonly knownClient: (issuer: string) => RegisteredClient | null;
  readonly keepClient: (client: RegisteredClient) => void;
  /** Forgets a client that its authorization server does not know any more, with its tokens. */
  readonly dropClient: (client: RegisteredClient | null) => Promise<void>;
  /** @param resource what the tokens were requested for */
  readonly keepTokens: (
    tokens: TokenSet,
    context: FlowContext,
    received: { readonly row: number | null; readonly resource: string },
  ) => Promise<void>;
  /** The `resource` to ask for in place of the server's, to test what it does with such a token; null or undefined for its own. */
  readonly otherResource?: string | null;
  /** Notes what came of verifying an access token or ID token that was kept. */
  readonly keepSignature: (token: string, signature: TokenSignature) => Promise<void>;
  /** Opens the test identity provider, unless it is open; its issuer. @throws FaultError if its port is busy */
  readonly testProvider: () => Promise<string>;
  readonly prover: (issuer: string) => Promise<DpopProver>;
}

export interface AuthorizationSecrets {
  readonly clientSecret: string | null;
  readonly privateKey: string | null;
  readonly initialAccessToken: string | null;
  /** The identity token that the enterprise and workload grants present. */
  readonly identityToken: string | null;
}

/** What came of a step. */
export interface Conclusion {
  readonly context: FlowContext;
  readonly outcome: string;
  readonly decidedBy?: AuthorizationStep['decidedBy'];
  readonly alternatives?: AuthorizationStep['alternatives'];
  readonly findings?: readonly AuthorizationFinding[];
  /** Why the flow cannot go on; null if it can. */
  readonly fault?: Fault | null;
  /** Whether `context` has what is needed to continue after the fault, if the user wants to. */
  readonly canOverride?: boolean;
}

/** What a step does. */
type Act =
  /** Concludes from what is known, without a request. */
  | { readonly kind: 'local'; conclude(): Conclusion | Promise<Conclusion> }
  | {
      readonly kind: 'exchange';
      conclude(response: FlowResponse, sent: SentRequest): Conclusion | Promise<Conclusion>;
      /** If there was no response. */
      failed?(fault: Fault): Conclusion | Promise<Conclusion>;
      /** Sends it in turn with other flows, or concludes without sending it. @param isDeliberate whether the user sends it */
      inTurn?(send: () => Promise<Conclusion>, isDeliberate: boolean): Promise<Conclusion>;
      /** If the user has to allow the request first, and it is not needed; without it the flow fails. */
      withheld?(fault: Fault): Conclusion | Promise<Conclusion>;
    }
  | {
      readonly kind: 'browser';
      /** @param wrong the wrong value in the URL; null for none */
      conclude(url: URL, wrong: WrongValue | null): Conclusion | Promise<Conclusion>;
    }
  | {
      readonly kind: 'callback';
      /** What the browser was given. */
      readonly url: string;
      readonly expected: ExpectedCallback;
      readonly isAnswer: AwaitedRedirect['isAnswer'];
      /** What is wrong with a redirect that is not the answer. */
      findingsOf(stray: ArrivedCallback): readonly AuthorizationFinding[];
      /** If there is no redirect. */
      failed(fault: Fault): Conclusion | Promise<Conclusion>;
      conclude(answer: ArrivedCallback): Conclusion | Promise<Conclusion>;
    }
  | { readonly kind: 'choice'; readonly options: readonly string[]; conclude(option: string): Conclusion }
  | {
      readonly kind: 'question';
      readonly question: FlowQuestion;
      conclude(isYes: boolean): Conclusion | Promise<Conclusion>;
    };

/** The request of a step as it was sent, with the changes of the user. */
export interface SentRequest {
  readonly shown: StepRequest;
  /** The wrong value in it; null for none. */
  readonly wrongValue: string | null;
  /** Whether the user changed nothing of it. */
  readonly isAsPlanned: boolean;
}

/** Which JWT of a request is signed with other claims, or with a key that the server does not know. */
export interface SignedAgain {
  readonly jwt: 'client-assertion' | 'dpop-proof';
  readonly claims: Readonly<Record<string, unknown>>;
  readonly hasOtherKey: boolean;
  /** `kid` of a client assertion; null for none, undefined for that of the settings. */
  readonly keyId?: string | null;
}

/** The next step of a flow, before it is taken. */
export interface PlannedStep {
  readonly name: StepName;
  readonly label: string;
  readonly parties: readonly AuthorizationParty[];
  readonly request: PreparedRequest | null;
  /** Called right before the request is sent, or given to the browser. */
  readonly beforeSend?: () => Promise<void>;
  /** The request with other claims or another key in a JWT that we sign, to test the server. */
  readonly signedAgain?: (change: SignedAgain) => Promise<PreparedRequest>;
  /** What the client assertion of the request says; without one, absent. */
  readonly assertion?: AssertionChoice | null;
  /** The response that the session had received before, if the step is about one. */
  readonly received?: Demand | null;
  readonly decidedBy: AuthorizationStep['decidedBy'];
  readonly alternatives: AuthorizationStep['alternatives'];
  readonly act: Act;
  /** Whether the user entered what it concludes. */
  readonly isManual?: true;
  /** The context for the next step if this one is skipped; null if the flow cannot go on without it. */
  readonly contextIfSkipped: FlowContext | null;
}

export const emptyContext: FlowContext = {
  demand: null,
  resourceTried: [],
  resourceMetadata: undefined,
  incompleteMetadata: null,
  issuer: null,
  isIssuerChosen: false,
  otherServers: [],
  serverTried: [],
  serverMetadata: undefined,
  allowedIssuer: null,
  sendsQuery: null,
  client: null,
  hasRegistered: false,
  isClientLost: false,
  isClientManual: false,
  isDocumentChecked: false,
  scopesBefore: [],
  isStepUp: false,
  authorizationRequest: null,
  code: null,
  dropped: {},
  providerMetadata: undefined,
  providerTried: [],
  signIn: { request: null, code: null, idToken: null, isVerified: false },
  testIssuer: null,
  assertion: null,
  tokens: null,
  isTokenUsed: false,
  isSignatureChecked: false,
  revocations: {},
  nonceTries: 0,
  isIssuerRejected: false,
};

/** The issuer that a flow asked for, as it was written: never another one that metadata claims (RFC 8414 section 3.3). */
export const issuerOf = (
  { serverUrl }: Pick<FlowEnvironment, 'serverUrl'>,
  { issuer }: Pick<FlowContext, 'issuer'>,
): string => issuer ?? serverUrl.origin;

export type { ClientAuthMethod };
