import type { CallHeader } from '#shared/contract/calls.ts';
import type { Fault } from '#shared/contract/fault.ts';
import type { HttpSettings } from '#shared/contract/servers.ts';
import type { HeaderChange, HttpSession, SessionView } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import type { Certificate, Composed, HeaderLines } from '#shared/trace/record.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { OutOfBandRequest, OutOfBandResponse } from '#transports/http-out-of-band.ts';
import type { HttpTransport } from '#transports/http-transport.ts';
import { quoteBytes, quoteText } from '#transports/quote.ts';
import type { ReceivedRequest } from '#transports/received-request.ts';
import type { StdioTarget } from '#transports/stdio.ts';
import type { StreamHeaders } from '#transports/streamable-http.ts';
import type { Outgoing, Sending, Transport, WireEvent, WireSink } from '#transports/transport.ts';
import type { AuthorizationDecision, Authorizer, ServerResponse } from './authorizer.ts';
import type { ConnectTarget } from './diagnosis/diagnose.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import type { PeerMessage } from './rpc/peer.ts';
import { UnreadOutput } from './rpc/unread-output.ts';
import { ServerSession } from './server-session.ts';
import type { SessionState } from './session-state.ts';
import { withCallHeaders, withChanges } from './headers/header-changes.ts';
import { deleteHeaders, getHeaders, type HeaderState, postHeaders } from './headers/request-headers.ts';

/** What a transport gets from its session. */
interface TransportLink {
  readonly sink: WireSink;
  readonly headers: StreamHeaders;
  readonly onStreams: () => void;
  readonly redacted: (text: string) => string;
  readonly authorizeStream: (exchange: number, attempts: number) => Promise<boolean>;
}

/** Responses with status 401 or 403 that are kept for an authorization. */
const MAX_DEMANDS = 20;

/** Characters of a message that are read to quote it. */
const MAX_QUOTED = 16 * 1024;

/** Rows between an exchange and the one it was redirected to. */
const MAX_BETWEEN = 64;

/** The transport to a server, with its settings. */
type ConfiguredTransport =
  | { readonly kind: 'stdio'; readonly transport: Transport; readonly target: StdioTarget }
  | {
      readonly kind: 'http';
      readonly transport: HttpTransport;
      readonly settings: HttpSettings;
      /** Header lines set by the user, including secret values. */
      readonly headers: HeaderLines;
    };

/** Creates the transport, which reports everything to the sink of the link. */
export type MakeTransport = (link: TransportLink) => ConfiguredTransport;

interface ConnectionOptions {
  readonly state: SessionState;
  readonly makeTransport: MakeTransport;
  readonly behavior: ClientBehavior;
  readonly userAgent: string;
  /** The revision that our `server/discover` request declares before one is negotiated. */
  readonly probeRevision: string;
  /** Called after each event of the transport was recorded, with the messages it completed. */
  readonly onRecorded: (event: WireEvent, recorded: readonly RecordedMessage[]) => void;
  /** The session has expired on the server. */
  readonly onExpired: () => void;
  /** Null if the session does not authorize. */
  readonly authorizer: () => Authorizer | null;
}

/** How the user wants bytes to be sent. */
export interface RawOptions {
  /** Header lines of the HTTP request; null for those of an ordinary message, with these changes. */
  readonly headers: HeaderLines | null;
  readonly headerChanges?: readonly HeaderChange[] | undefined;
  /** Set if they come from the composer. */
  readonly composed?: Composed | undefined;
}

/** What is recorded with the bytes of a unit that we send. */
type SentFacts = Pick<Extract<WireEvent, { kind: 'message-bytes' }>, 'composed' | 'retryOf'>;

/** An event of the transport, and the messages it completed. */
interface Recorded {
  readonly event: WireEvent;
  readonly recorded: readonly RecordedMessage[];
}

/** The connection to a server: its transport, recorded in the trace, with the headers that HTTP needs. */
export class Connection {
  readonly transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #configured: ConfiguredTransport;
  readonly #serverSession = new ServerSession();
  /** The requests of the exchanges that have not ended, by exchange. */
  readonly #requests = new Map<number, Pick<ServerResponse, 'request' | 'authorization'>>();
  /** The last responses with status 401 or 403, by exchange. */
  readonly #demands = new Map<number, ServerResponse>();
  /** Exchanges of an authorization flow: they carry no MCP message and say nothing about the connection. */
  readonly #outOfBand = new Set<number>();
  /** True only while such an exchange is being started, which is synchronous and reports its request. */
  #isStartingOutOfBand = false;
  /** Events of one read, recorded but not handled yet; null outside a read. */
  #unhandled: Recorded[] | null = null;
  #refusedCertificate: Certificate | null = null;
  readonly #unread = new UnreadOutput();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#configured = options.makeTransport({
      sink: Object.assign((event: WireEvent) => void this.#record(event), {
        together: (report: () => void) => this.#recordTogether(report),
      }),
      headers: (method, lastEventId) =>
        method === 'GET'
          ? getHeaders(this.#headerState(method), lastEventId)
          : deleteHeaders(this.#headerState(method)),
      onStreams: () => options.state.changed(),
      redacted: (text) => options.state.redacted(text),
      authorizeStream: (exchange, attempts) => this.#authorizeStream(exchange, attempts),
    });
    this.transport = this.#configured.transport;
  }

  /** The transport, if it is HTTP. */
  get http(): HttpTransport | null {
    return this.#configured.kind === 'http' ? this.#configured.transport : null;
  }

  /** Header lines of the user for the server; empty on stdio. */
  get customHeaders(): HeaderLines {
    return this.#configured.kind === 'http' ? this.#configured.headers : [];
  }

  get httpChoice(): HttpSettings['transport'] {
    return this.#configured.kind === 'http' ? this.#configured.settings.transport : 'auto';
  }

  /** What this connects to, from which `diagnose` explains why a connection failed. */
  get target(): ConnectTarget {
    if (this.#configured.kind === 'stdio') return { kind: 'stdio', target: this.#configured.target };
    const { transport, settings } = this.#configured;
    return { kind: 'http', url: settings.url, challengeOf: (exchange) => transport.challengeOf(exchange) };
  }

  /** The certificate of the server if we rejected it; null otherwise. */
  get refusedCertificate(): Certificate | null {
    return this.#refusedCertificate;
  }

  /** Sends one message, with its headers. */
  send({ text, origin, isAwaited, headers: callHeaders = [], retryOf }: PeerMessage): {
    recorded: RecordedMessage;
    sending: Sending;
  } {
    for (const { name, value, secret } of callHeaders) {
      if (secret) this.#options.state.trace.markSecret(`header:${name}`, value);
    }
    const headers = this.http === null ? [] : postHeaders(this.#headerState('POST', callHeaders), text);
    const facts =
      retryOf === undefined ? undefined : { retryOf: this.#options.state.trace.index.columns.seq(retryOf) };
    const { recorded, sending } = this.#transmit(
      { bytes: Buffer.from(text), origin, headers, isAwaited },
      facts,
    );
    const [message] = recorded;
    if (message === undefined) throw new Error('the text that was sent was not recorded as a message');
    return { recorded: message, sending };
  }

  /** Sends bytes unchanged. Returns their first row, and the messages in them. */
  sendRaw(
    bytes: Buffer,
    { headers, headerChanges = [], composed }: RawOptions,
  ): { row: number; recorded: readonly RecordedMessage[]; sending: Sending } {
    const { columns } = this.#options.state.trace.index;
    const before = columns.count;
    const isAwaited = () => recorded.some(({ row }) => columns.status(row) === 'pending');
    const { recorded, sending } = this.#transmit(
      {
        bytes,
        origin: 'user',
        headers: headers ?? withChanges(this.headersFor(bytes.toString()) ?? [], headerChanges),
        isAwaited,
      },
      composed === undefined ? undefined : { composed },
    );
    // Over HTTP the row of the exchange precedes that of its body.
    const isBody = columns.kind(before) === 'http' && columns.count > before + 1;
    return { row: isBody ? before + 1 : before, recorded, sending };
  }

  /** The header lines of the HTTP request with which the client would send this unit; null on stdio. */
  headersFor(unit: string): HeaderLines | null {
    return this.http === null ? null : postHeaders(this.#headerState('POST'), unit);
  }

  /** The challenge of the HTTP response that carried an error; undefined if it had none. */
  challengeOf({ exchange }: RecordedMessage): string | undefined {
    return exchange === null ? undefined : this.http?.challengeOf(exchange);
  }

  /** How the HTTP response that carried a message came: after redirects, or encoded; undefined if neither. */
  deliveryOf({ exchange }: RecordedMessage): string | undefined {
    return exchange === null ? undefined : this.http?.deliveryOf(exchange);
  }

  /** The first lines of what came after a row where messages belong and that was no message, without secrets; undefined if nothing. */
  unreadSince(row: number): string | undefined {
    const { trace } = this.#options.state;
    return quoteBytes(this.#unread.since(trace.index.columns.at(row)), (text) => trace.redacted(text));
  }

  /** The first lines of a message as text to quote, without secrets. */
  quoteOf({ unit }: RecordedMessage): string | undefined {
    const isCut = unit.text.length > MAX_QUOTED;
    return quoteText(unit.text.slice(0, MAX_QUOTED), (text) => this.#options.state.redacted(text), isCut);
  }

  /**
   * Makes an HTTP exchange of an authorization flow. The row is that of the exchange.
   *
   * @throws FaultError if there is no response
   */
  async exchangeOutOfBand(request: OutOfBandRequest): Promise<OutOfBandResponse & { readonly row: number }> {
    const { http } = this;
    if (http === null) throw new Error('only HTTP has exchanges');
    const response = await this.#outOfBandWhile(() => http.exchangeOutOfBand(request));
    return { ...response, row: this.#rowOf(response.exchange) ?? 0 };
  }

  /** Records a request that came to an authorization flow; returns its row. @throws FaultError if the connection is closed */
  recordReceived(request: ReceivedRequest): number | null {
    const { http } = this;
    if (http === null) return null;
    return this.#rowOf(this.#outOfBandWhile(() => http.reportReceived(request)));
  }

  /** Runs what reports the request of an exchange of an authorization flow at once. */
  #outOfBandWhile<T>(start: () => T): T {
    this.#isStartingOutOfBand = true;
    try {
      return start();
    } finally {
      this.#isStartingOutOfBand = false;
    }
  }

  /** The fault of a URL that leads to this machine or its network although the server is elsewhere; null if it does not. */
  async faultOfPrivate(url: URL): Promise<Fault | null> {
    return (await this.http?.faultOfPrivate(url)) ?? null;
  }

  /** Whether an event belongs to an exchange of an authorization flow. */
  isOutOfBand(event: WireEvent): boolean {
    return 'exchange' in event && event.exchange !== undefined && this.#outOfBand.has(event.exchange);
  }

  /** The last response with status 401 or 403; null if there was none. */
  get lastDemand(): ServerResponse | null {
    return [...this.#demands.values()].at(-1) ?? null;
  }

  /** Decides what to do about the response to a request that was sent in this exchange. */
  async authorize(
    exchange: number | null,
    attempts: number,
    isWanted: () => boolean,
  ): Promise<AuthorizationDecision> {
    const demand = exchange === null ? undefined : this.#demands.get(exchange);
    const authorizer = this.#options.authorizer();
    if (demand === undefined || authorizer === null || !this.#options.state.isReady) return null;
    return authorizer.authorize(demand, attempts, isWanted);
  }

  /**
   * Authorizes a stream that the server refused; returns whether to request it again. If the authorization does not help,
   * the reason becomes evidence of the session, because no caller would show it.
   */
  async #authorizeStream(exchange: number, attempts: number): Promise<boolean> {
    const { state, authorizer } = this.#options;
    const demand = this.#demands.get(exchange);
    if (demand === undefined || !state.isOpen) return false;
    const decision = (await authorizer()?.authorize(demand, attempts)) ?? null;
    if (!state.isOpen) return false;
    if (decision === 'retry') return true;
    const why = decision?.what ?? `The server answered GET with HTTP status ${demand.status}.`;
    state.noteEvidence(`No stream for messages of the server. ${why}`, demand.row);
    return false;
  }

  /** Whether requests may be sent again after an authorization. */
  get canAuthorize(): boolean {
    return this.#options.authorizer() !== null;
  }

  /** Whether the server has accepted its session id at least once. */
  get isServerSessionHonoured(): boolean {
    return this.#serverSession.isHonoured;
  }

  forgetServerSession(): void {
    this.#serverSession.forget();
  }

  /** The final HTTP status of the exchange in this row, after redirects. */
  statusAt(row: number): number | null {
    const { columns } = this.#options.state.trace.index;
    let exchangeRow = columns.exchangeRow(row);
    if (exchangeRow === null) return null;
    // The exchanges of redirects are in later rows.
    for (let next = exchangeRow + 1; next < columns.count && next < exchangeRow + MAX_BETWEEN; next++) {
      if (columns.kind(next) === 'http' && columns.parent(next) === exchangeRow) exchangeRow = next;
    }
    return columns.code(exchangeRow);
  }

  get transportName(): SessionView['transport'] {
    const { http } = this;
    if (http === null) return 'stdio';
    const isKnown = this.#options.state.agreement !== null;
    return isKnown || http.mode === 'http-sse' ? http.mode : 'http';
  }

  get httpView(): HttpSession | null {
    if (this.#configured.kind === 'stdio') return null;
    const { transport, settings } = this.#configured;
    return {
      url: settings.url,
      endpoint: transport.endpoint && withoutUrlSecrets(transport.endpoint),
      sessionId: this.#serverSession.id,
      renewed: this.#options.state.renewed,
      streams: transport.streams.map((stream) => ({
        ...stream,
        row: this.#options.state.trace.index.exchanges.row(stream.exchange) ?? 0,
      })),
      authorization: this.#options.authorizer()?.state ?? null,
    };
  }

  /** Sends one unit. The transport reports its bytes before this returns, so they are recorded by then. */
  #transmit(unit: Outgoing, facts?: SentFacts): { recorded: readonly RecordedMessage[]; sending: Sending } {
    const recorded: RecordedMessage[] = [];
    const sink = (event: WireEvent) => {
      const isOwn = event.kind === 'message-bytes' && event.direction === 'out';
      recorded.push(...this.#record(isOwn && facts !== undefined ? { ...event, ...facts } : event));
    };
    const sending = this.transport.send({ ...unit, sink });
    return { recorded, sending };
  }

  #recordTogether(report: () => void): void {
    if (this.#unhandled !== null) return report();
    const read: Recorded[] = [];
    this.#unhandled = read;
    try {
      report();
    } finally {
      this.#unhandled = null;
      for (const { event, recorded } of read) this.#act(event, recorded);
    }
  }

  /** Records an event of the transport, of either direction, before anything acts on it. */
  #record(event: WireEvent): readonly RecordedMessage[] {
    if (this.#isStartingOutOfBand && event.kind === 'http-request') this.#outOfBand.add(event.exchange);
    const recorded = this.#options.state.trace.record(event);
    this.#unread.add(event, recorded);
    if (this.#unhandled === null) this.#act(event, recorded);
    else this.#unhandled.push({ event, recorded });
    return recorded;
  }

  #act(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (this.isOutOfBand(event)) {
      this.#options.onRecorded(event, recorded);
      if (event.kind === 'http-end') this.#outOfBand.delete(event.exchange);
      return;
    }
    if (event.kind === 'http-end') this.#refusedCertificate = event.failure?.certificate ?? null;
    for (const message of recorded) this.#noteServerSession(message);
    this.#noteAuthorization(event);
    const hasExpired = this.#serverSession.handle(event);
    this.#options.onRecorded(event, recorded);
    if (hasExpired) this.#options.onExpired();
  }

  #rowOf(exchange: number): number | null {
    return this.#options.state.trace.index.exchanges.row(exchange);
  }

  #noteAuthorization(event: WireEvent): void {
    const authorizer = this.#options.authorizer();
    if (authorizer === null) return;
    if (event.kind === 'http-request') {
      const { method, url, headers, exchange } = event;
      const line = headers.find(([name]) => name.toLowerCase() === 'authorization');
      this.#requests.set(exchange, {
        request: { method, url: new URL(url) },
        authorization: line?.[1] ?? null,
      });
    } else if (event.kind === 'http-end') {
      this.#requests.delete(event.exchange);
    } else if (event.kind === 'http-response' && event.interim !== true) {
      const request = this.#requests.get(event.exchange);
      if (request === undefined) return;
      const { status, headers, exchange } = event;
      const response = { ...request, status, headers, row: this.#rowOf(exchange) };
      if (status === 401 || status === 403) {
        this.#demands.set(exchange, response);
        const [oldest] = this.#demands.keys();
        if (this.#demands.size > MAX_DEMANDS && oldest !== undefined) this.#demands.delete(oldest);
      }
      authorizer.noteResponse(response);
    }
  }

  #noteServerSession({ envelope, exchange, direction }: RecordedMessage): void {
    if (exchange === null || 'defect' in envelope) return;
    const { message } = envelope;
    const opens = direction === 'out' && message.type === 'request' && message.method === 'initialize';
    if (opens) this.#serverSession.noteOpening(exchange);
    // A 404 may also mean that the method is unknown, not the session.
    const isSessionKnown = message.type === 'error' && message.error.code === errorCodes.methodNotFound;
    if (isSessionKnown) this.#serverSession.noteStillOpen(exchange);
  }

  /** @param callHeaders header lines of the user for one message; they replace those set for the server */
  #headerState(method: string, callHeaders: readonly CallHeader[] = []): HeaderState {
    const { state, probeRevision, userAgent, behavior, authorizer } = this.#options;
    const { http } = this;
    return {
      era: state.agreement?.era ?? null,
      revision: state.agreement?.revision ?? probeRevision,
      sessionId: this.#serverSession.id,
      switches: state.switches,
      custom: this.#configured.kind === 'http' ? withCallHeaders(this.#configured.headers, callHeaders) : [],
      authorization: (http && authorizer()?.headers({ method, url: http.target })) ?? [],
      userAgent,
      paramHeadersOf: (tool) => behavior.paramHeadersOf(tool),
    };
  }
}
