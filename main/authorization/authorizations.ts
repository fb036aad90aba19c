import type {
  AuthorizationFlow,
  AuthorizationStep,
  AuthorizationSettings,
} from '#shared/contract/authorization.ts';
import type { BodyKind } from '#shared/body-secrets.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { Emit } from '#shared/contract/index.ts';
import type { Redacted } from '#shared/contract/redacted.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import type { CredentialStore } from './credentials.ts';
import { DpopProvers } from './dpop.ts';
import { EXCHANGE_LIMIT, MAX_RESPONSE, type RawRequest, type ShownResponse } from './exchange.ts';
import type { Flow } from './flow.ts';
import type { FlowSurroundings } from './flow-environment.ts';
import type { IssuerBindings } from './issuer-bindings.ts';
import { noSuchFlow, SessionAuthorization } from './session-authorization.ts';

/** An exchange over the connection of a session. */
interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderLines;
  readonly body: Buffer | null;
  readonly maxBody: number;
  readonly timeout: number;
  readonly refusesPrivate: boolean;
  readonly answers: BodyKind;
  readonly isAlone?: boolean;
  readonly isEnough?: RawRequest['isEnough'] & {};
  readonly end?: AbortSignal;
}

/** What a session hands over, as `AuthorizerLink` of the session has it. */
export interface SessionLink {
  readonly sessionId: string;
  readonly trace: {
    markSecret(kind: string, value: string): void;
    redacted<T>(value: T): T;
    responseCopy(
      response: { readonly headers: HeaderLines; readonly body: Buffer },
      answers: BodyKind,
    ): ShownResponse;
    mark(row: number, note: string | null): void;
    authorization(what: string, flow: AuthorizationFlow, steps: readonly AuthorizationStep[]): void;
  };
  readonly revision: () => string | null;
  readonly exchange: (request: Exchange) => Promise<{
    readonly status: number;
    readonly headers: HeaderLines;
    readonly body: Buffer;
    readonly isCut: boolean;
    readonly duration: number;
    readonly row: number;
  }>;
  /** Records a request that came to a flow; returns its row. */
  readonly recordReceived: (request: ReceivedRequest) => number | null;
  /** The fault of a URL that leads to this machine or its network although the server is elsewhere; null if it does not. */
  readonly faultOfPrivate: (url: URL) => Promise<Fault | null>;
  /** Header lines of the user for the server, which replace ours. */
  readonly customHeaders: HeaderLines;
  readonly onState: () => void;
}

/** A server, as far as authorization depends on it. */
export interface AuthorizedServer {
  readonly id: string;
  /** Its whole URL. */
  readonly url: string;
  /** The settings, with the values of their secrets. */
  readonly settings: AuthorizationSettings;
  /** As `SessionAuthorizationOptions` has it. */
  readonly isUnattended: boolean;
  /** As `FlowEnvironment` has them. */
  readonly allowedIssuers: readonly string[];
  readonly sendsResourceQuery: boolean;
  /** As `FlowEnvironment` has it. */
  readonly browserLimit: FlowSurroundings['browserLimit'];
}

export interface AuthorizationsOptions {
  readonly store: CredentialStore;
  readonly emit: Emit;
  readonly clientName: string;
  readonly userAgent: string;
  readonly openBrowser: ((url: string) => Promise<void>) | null;
  readonly waitToBeLate?: FlowSurroundings['waitToBeLate'];
  /** Whether a page shows the flows. */
  readonly isWatched: boolean;
  /** Hosts, with or without a port, on this machine or its network that any server may lead to. */
  readonly allowedAddresses: readonly string[];
  /** Whether a question of a flow can be answered: on a page, or on the terminal. */
  readonly canAsk: boolean;
  /** Which issuers got what the user entered. */
  readonly bindings: IssuerBindings;
}

/** The flows of all sessions of this run. */
export class Authorizations {
  readonly store: CredentialStore;
  readonly #options: AuthorizationsOptions;
  readonly #provers = new DpopProvers();
  readonly #sessions = new Map<string, SessionAuthorization>();

  constructor(options: AuthorizationsOptions) {
    this.store = options.store;
    this.#options = options;
  }

  /** What authorizes the requests of a session. */
  begin(server: AuthorizedServer, link: SessionLink): SessionAuthorization {
    const { emit, clientName, userAgent, openBrowser, isWatched, canAsk, bindings, waitToBeLate } =
      this.#options;
    const allows = ({ host, hostname, port, protocol }: URL) => {
      const whole = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host;
      return this.#options.allowedAddresses.some((one) => one === whole || one === hostname);
    };
    const { trace } = link;
    const authorization = new SessionAuthorization({
      sessionId: link.sessionId,
      serverId: server.id,
      serverUrl: new URL(server.url),
      settings: server.settings,
      isUnattended: server.isUnattended,
      revision: link.revision,
      clientName,
      userAgent,
      store: this.store,
      provers: this.#provers,
      send: async (request, isConfirmed) => {
        const { answers = 'tokens', limit = EXCHANGE_LIMIT } = request;
        const limits = { maxBody: MAX_RESPONSE, timeout: limit };
        const response = await link.exchange({
          ...request,
          ...limits,
          answers,
          refusesPrivate: !isConfirmed && !allows(request.url),
        });
        return { url: request.url, ...response, shown: trace.responseCopy(response, answers) };
      },
      recordReceived: (request) => link.recordReceived(request),
      markSecret: (kind, value) => trace.markSecret(kind, value),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the trace has replaced the secrets
      redacted: <T>(value: T) => trace.redacted(value) as Redacted<T>,
      markRow: (row, note) => trace.mark(row, note),
      customHeaders: link.customHeaders,
      onServerTests: (tests) => emit('server-tests/changed', tests),
      record: (what, flow, steps) => trace.authorization(what, flow, steps),
      onState: link.onState,
      onChange: (flow) => emit('authorization/changed', flow),
      openBrowser,
      isWatched,
      faultOfPrivate: async (url) => (allows(url) ? null : link.faultOfPrivate(url)),
      canAsk,
      bindings,
      allowedIssuers: server.allowedIssuers,
      sendsResourceQuery: server.sendsResourceQuery,
      browserLimit: server.browserLimit,
      holdsSecret: (text) => trace.redacted(text) !== text,
      ...(waitToBeLate !== undefined && { waitToBeLate }),
    });
    this.#sessions.set(link.sessionId, authorization);
    return authorization;
  }

  /** The flows of a session; undefined if it does not authorize. */
  flowsOf(sessionId: string): Redacted<AuthorizationFlow>[] | undefined {
    return this.#sessions.get(sessionId)?.flows;
  }

  /** @throws FaultError if the session does not authorize */
  session(sessionId: string): SessionAuthorization {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new FaultError(doesNotAuthorize);
    return session;
  }

  /** The stored credentials of a server have changed. */
  async reload(serverId: string): Promise<void> {
    for (const session of this.#sessions.values()) if (session.serverId === serverId) await session.reload();
  }

  /** @throws FaultError if there is no such flow */
  flow(flowId: string): Flow {
    for (const session of this.#sessions.values()) {
      const flow = session.flow(flowId);
      if (flow !== null) return flow;
    }
    return noSuchFlow();
  }
}

const doesNotAuthorize = {
  code: 'authorization-not-possible',
  what: 'This session does not authorize.',
  why: 'The server is not on HTTP, or its settings have an Authorization header or a password in the URL.',
};
