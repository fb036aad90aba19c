import type { HttpSettings } from '#shared/contract/servers.ts';
import type { HttpSession, SessionView } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import type { Certificate, HeaderLines } from '#shared/trace/record.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { HttpTransport } from '#transports/http-transport.ts';
import type { StdioTarget } from '#transports/stdio.ts';
import type { OwnHeaders } from '#transports/streamable-http.ts';
import type { Outgoing, Sending, Transport, WireEvent, WireSink } from '#transports/transport.ts';
import type { ConnectTarget } from './diagnosis/diagnose.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import type { PeerMessage } from './rpc/peer.ts';
import type { SessionState } from './session-state.ts';
import { deleteHeaders, getHeaders, type HeaderState, postHeaders } from './headers/request-headers.ts';

/** What a transport gets from its session. */
interface TransportLink {
  readonly sink: WireSink;
  readonly headers: OwnHeaders;
  readonly onStreams: () => void;
  readonly redacted: (text: string) => string;
}

/** Rows between an exchange and the one it was redirected to. */
const MAX_BETWEEN = 64;

/** The transport to a server, with its settings. */
type ConnectedTransport =
  | { readonly kind: 'stdio'; readonly transport: Transport; readonly target: StdioTarget }
  | {
      readonly kind: 'http';
      readonly transport: HttpTransport;
      readonly settings: HttpSettings;
      /** Header lines set by the user, including secret values. */
      readonly headers: HeaderLines;
    };

/** Creates the transport, which reports everything to the sink of the link. */
export type MakeTransport = (link: TransportLink) => ConnectedTransport;

interface ConnectionOptions {
  readonly state: SessionState;
  readonly connect: MakeTransport;
  readonly behavior: ClientBehavior;
  readonly userAgent: string;
  /** The revision that our `server/discover` request declares before one is negotiated. */
  readonly probeRevision: string;
  /** Called after each event of the transport was recorded, with the messages it completed. */
  readonly onRecorded: (event: WireEvent, recorded: readonly RecordedMessage[]) => void;
  /** The session has expired on the server. */
  readonly onExpired: () => void;
}

/** An event of the transport, and the messages it completed. */
interface Recorded {
  readonly event: WireEvent;
  readonly recorded: readonly RecordedMessage[];
}

/** The connection to a server: its transport, recorded in the trace, with the headers that HTTP needs. */
export class Connection {
  readonly transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #connected: ConnectedTransport;
  readonly #serverSession = new ServerSession();
  /** Events of one read, recorded but not handled yet; null outside a read. */
  #read: Recorded[] | null = null;
  #refusedCertificate: Certificate | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#connected = options.connect({
      sink: Object.assign((event: WireEvent) => void this.#record(event), {
        together: (report: () => void) => this.#recordTogether(report),
      }),
      headers: (method, lastEventId) =>
        method === 'GET' ? getHeaders(this.#headerState(), lastEventId) : deleteHeaders(this.#headerState()),
      onStreams: () => options.state.changed(),
      redacted: (text) => options.state.redacted(text),
    });
    this.transport = this.#connected.transport;
  }

  /** The transport, if it is HTTP. */
  get http(): HttpTransport | null {
    return this.#connected.kind === 'http' ? this.#connected.transport : null;
  }

  get httpChoice(): HttpSettings['transport'] {
    return this.#connected.kind === 'http' ? this.#connected.settings.transport : 'auto';
  }

  /** Where it connects to, to explain why it failed. */
  get target(): ConnectTarget {
    if (this.#connected.kind === 'stdio') return { kind: 'stdio', target: this.#connected.target };
    const { transport, settings } = this.#connected;
    return { kind: 'http', url: settings.url, challengeOf: (exchange) => transport.challengeOf(exchange) };
  }

  /** The certificate of the server, if it was rejected. */
  get refusedCertificate(): Certificate | null {
    return this.#refusedCertificate;
  }

  /** Sends one message, with its headers. */
  send({ text, origin, isAwaited }: PeerMessage): { recorded: RecordedMessage; sending: Sending } {
    const headers = this.http === null ? [] : postHeaders(this.#headerState(), text);
    const { recorded, sending } = this.#transmit({ bytes: Buffer.from(text), origin, headers, isAwaited });
    const [message] = recorded;
    if (message === undefined) throw new Error('What was sent is no message on the record');
    return { recorded: message, sending };
  }

  /** Sends bytes unchanged. Returns their first row, and the messages in them. */
  sendRaw(bytes: Buffer, headers: HeaderLines | null): { row: number; recorded: readonly RecordedMessage[] } {
    const { columns } = this.#options.state.trace.index;
    const before = columns.count;
    const isAwaited = () => recorded.some(({ row }) => columns.status(row) === 'pending');
    const { recorded } = this.#transmit({
      bytes,
      origin: 'user',
      headers: headers ?? (this.http === null ? [] : postHeaders(this.#headerState(), bytes.toString())),
      isAwaited,
    });
    // Over HTTP the row of the exchange precedes that of its body.
    const isBody = columns.kind(before) === 'http' && columns.count > before + 1;
    return { row: isBody ? before + 1 : before, recorded };
  }

  /** The challenge of the HTTP response that carried an error; undefined if it had none. */
  challengeOf({ exchange }: RecordedMessage): string | undefined {
    return exchange === null ? undefined : this.http?.challengeOf(exchange);
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
    let exchange = columns.exchange(row);
    if (exchange === null) return null;
    // The exchanges of redirects are in later rows.
    for (let next = exchange + 1; next < columns.count && next < exchange + MAX_BETWEEN; next++) {
      if (columns.kind(next) === 'http' && columns.parent(next) === exchange) exchange = next;
    }
    return columns.code(exchange);
  }

  get transportName(): SessionView['transport'] {
    const { http } = this;
    if (http === null) return 'stdio';
    const isKnown = this.#options.state.agreement !== null;
    return isKnown || http.mode === 'http-sse' ? http.mode : 'http';
  }

  get httpView(): HttpSession | null {
    if (this.#connected.kind === 'stdio') return null;
    const { transport, settings } = this.#connected;
    return {
      url: settings.url,
      endpoint: transport.endpoint && withoutUrlSecrets(transport.endpoint),
      sessionId: this.#serverSession.id,
      renewed: this.#options.state.renewed,
      streams: transport.streams.map((stream) => ({
        ...stream,
        row: this.#options.state.trace.index.exchanges.row(stream.exchange) ?? 0,
      })),
    };
  }

  /** Sends one unit. The transport reports its bytes before this returns, so they are recorded by then. */
  #transmit(unit: Outgoing): { recorded: readonly RecordedMessage[]; sending: Sending } {
    const recorded: RecordedMessage[] = [];
    const sink = (event: WireEvent) => void recorded.push(...this.#record(event));
    const sending = this.transport.send({ ...unit, sink });
    return { recorded, sending };
  }

  #recordTogether(report: () => void): void {
    if (this.#read !== null) return report();
    const read: Recorded[] = [];
    this.#read = read;
    try {
      report();
    } finally {
      this.#read = null;
      for (const { event, recorded } of read) this.#act(event, recorded);
    }
  }

  /** Records an event of the transport, of either direction, before anything acts on it. */
  #record(event: WireEvent): readonly RecordedMessage[] {
    const recorded = this.#options.state.trace.record(event);
    if (this.#read === null) this.#act(event, recorded);
    else this.#read.push({ event, recorded });
    return recorded;
  }

  #act(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind === 'http-end') this.#refusedCertificate = event.failure?.certificate ?? null;
    for (const message of recorded) this.#noteServerSession(message);
    const hasExpired = this.#serverSession.handle(event);
    this.#options.onRecorded(event, recorded);
    if (hasExpired) this.#options.onExpired();
  }

  #noteServerSession({ envelope, exchange, direction }: RecordedMessage): void {
    if (exchange === null || 'defect' in envelope) return;
    const { message } = envelope;
    const opens = direction === 'out' && message.type === 'request' && message.method === 'initialize';
    if (opens) this.#serverSession.opensBy(exchange);
    // An unknown method may come with status 404 too.
    const isSessionKnown = message.type === 'error' && message.error.code === errorCodes.methodNotFound;
    if (isSessionKnown) this.#serverSession.isStillOpen(exchange);
  }

  #headerState(): HeaderState {
    const { state, probeRevision, userAgent, behavior } = this.#options;
    return {
      era: state.agreement?.era ?? null,
      revision: state.agreement?.revision ?? probeRevision,
      sessionId: this.#serverSession.id,
      switches: state.switches,
      custom: this.#connected.kind === 'http' ? this.#connected.headers : [],
      userAgent,
      paramHeadersOf: (tool) => behavior.paramHeadersOf(tool),
    };
  }
}

const SESSION_ID = 'mcp-session-id';

/**
 * The session id of a legacy server over HTTP: from the response to `initialize`
 * until it expires (MCP 2025-06-18 transports, session management).
 */
class ServerSession {
  #id: string | null = null;
  /** Exchanges that carry `initialize`, including redirected ones. */
  readonly #opening = new Set<number>();
  /** Requests with our session id, and their HTTP methods; a 404 means that the session has expired. */
  readonly #naming = new Map<number, string>();
  readonly #expired = new Set<number>();
  /** A GET has succeeded, so a later 404 to a GET means that the session expired, not that there is no stream. */
  #hasStream = false;
  #isHonoured = false;

  get id(): string | null {
    return this.#id;
  }

  /** Whether the server accepted its id at least once. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** Clears the session id until the next response to `initialize`. Pending responses belong to the old one. */
  forget(): void {
    this.#id = null;
    this.#naming.clear();
    this.#expired.clear();
    this.#hasStream = false;
    this.#isHonoured = false;
  }

  /** The response of this exchange may open a session. */
  opensBy(exchange: number): void {
    this.#opening.add(exchange);
  }

  /** The server knew the session in this exchange, whatever the status: it has not expired. */
  isStillOpen(exchange: number): void {
    this.#expired.delete(exchange);
  }

  /** Handles an event of the transport; returns whether the server has let the session expire. */
  handle(event: WireEvent): boolean {
    switch (event.kind) {
      case 'http-request': {
        if (event.redirectOf !== undefined && this.#opening.has(event.redirectOf))
          this.opensBy(event.exchange);
        const named = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
        if (named !== undefined && named === this.#id) this.#naming.set(event.exchange, event.method);
        return false;
      }
      case 'http-response': {
        if (event.interim) return false;
        if (this.#opening.has(event.exchange)) {
          const id = event.headers.find(([name]) => name.toLowerCase() === SESSION_ID)?.[1];
          if (id !== undefined) this.#id = id;
        }
        this.#noteStatus(event.exchange, event.status);
        return false;
      }
      case 'http-end': {
        this.#naming.delete(event.exchange);
        return this.#expired.delete(event.exchange);
      }
      default:
        return false;
    }
  }
  #noteStatus(exchange: number, status: number): void {
    const method = this.#naming.get(exchange);
    const isPost = method === 'POST';
    const isGet = method === 'GET';
    if (status === 404 && (isPost || (isGet && this.#hasStream))) this.#expired.add(exchange);
    if (status >= 400) return;
    this.#hasStream ||= isGet;
    this.#isHonoured ||= isPost;
  }
}
