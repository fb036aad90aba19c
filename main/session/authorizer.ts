import type { Fault } from '#shared/contract/fault.ts';
import type { AuthorizationState } from '#shared/contract/sessions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { Trace } from '#trace/trace.ts';
import type { OutOfBandRequest, OutOfBandResponse } from '#transports/http-out-of-band.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';

/** A request to the MCP server, as far as authorization depends on it. */
export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
}

/** A response of the MCP server that may demand authorization. */
export interface ServerResponse {
  readonly request: AuthorizedRequest;
  /** The header `Authorization` of the request; null if the request had none. */
  readonly authorization: string | null;
  readonly status: number;
  readonly headers: HeaderLines;
  /** Row of the exchange; null if its request was not recorded. */
  readonly row: number | null;
}

/** What to do about a response with status 401 or 403: send again, show the fault, or null for the usual fault. */
export type AuthorizationDecision = 'retry' | Fault | null;

/** Faults about the response that demanded authorization, which the authorizer knows without its body. */
const aboutResponse: ReadonlySet<string> = new Set([
  'fresh-token-rejected',
  'scope-refused',
  'authorization-limit',
  'http-status-403',
]);

/** The fault of a decision, with what the server says in the body. @param usual the fault of the response itself */
export const decidedFault = (decision: Fault, usual: Fault | null): Fault =>
  decision.quote !== undefined || usual?.quote === undefined || !aboutResponse.has(decision.code)
    ? decision
    : { ...decision, quote: usual.quote };

/** Authorizes the requests of one session. The engine supplies it. */
export interface Authorizer {
  /** Extensions to declare in the capabilities of the client. */
  readonly extensions: Readonly<Record<string, object>>;
  readonly state: AuthorizationState;
  /** Loads what is stored for the server. */
  restore(): Promise<void>;
  /** The header lines that authorize a request now; new ones for each request. */
  headers(request: AuthorizedRequest): HeaderLines;
  /** Learns from every response of the server. */
  noteResponse(response: ServerResponse): void;
  /**
   * Runs an authorization flow if the response demands one.
   *
   * @param attempts how many this request has had before
   * @param isWanted whether the request was not cancelled meanwhile
   */
  authorize(
    response: ServerResponse,
    attempts: number,
    isWanted?: () => boolean,
  ): Promise<AuthorizationDecision>;
  /** Ends running flows. Idempotent. */
  close(): Promise<void>;
}

/** What an authorizer gets from its session. */
export interface AuthorizerLink {
  readonly sessionId: string;
  readonly trace: Trace;
  /** The negotiated revision, or the one that the user chose; null if neither is known. */
  readonly revision: () => string | null;
  /** Makes an exchange with any URL, recorded in the trace. @throws FaultError if there is no response */
  readonly exchange: (request: OutOfBandRequest) => Promise<OutOfBandResponse & { readonly row: number }>;
  /** Records a request that came to a flow, such as the redirect of the browser; returns its row. */
  readonly recordReceived: (request: ReceivedRequest) => number | null;
  /** The fault of a URL that leads to this machine or its network although the server is elsewhere; null if it does not. */
  readonly faultOfPrivate: (url: URL) => Promise<Fault | null>;
  /** Header lines of the user for this server, which replace ours. */
  readonly customHeaders: HeaderLines;
  /** The state has changed. */
  readonly onState: () => void;
}

export type MakeAuthorizer = (link: AuthorizerLink) => Authorizer;
