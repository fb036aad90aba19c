import type { HttpSettings } from '#shared/contract/servers.ts';
import type { HttpSession, SessionView } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/jsonrpc.ts';
import type { Certificate, HeaderLines } from '#shared/trace/record.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { HttpTransport } from '#transports/http-transport.ts';
import type { OwnHeaders } from '#transports/streamable-http.ts';
import type { Outgoing, Sending, Transport, WireEvent, WireSink } from '#transports/transport.ts';
import type { ClientBehavior } from './era/client-behavior.ts';
import type { PeerMessage } from './rpc/peer.ts';
import type { SessionState } from './session-state.ts';
import { deleteHeaders, getHeaders, type HeaderState, postHeaders } from './headers/request-headers.ts';

/** What a transport needs from its session. */
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
  | { readonly kind: 'stdio'; readonly transport: Transport }
  | {
      readonly kind: 'http';
      readonly transport: HttpTransport;
      readonly settings: HttpSettings;
      /** Header lines the user set, secret values included. */
      readonly headers: HeaderLines;
    };

/** Creates the transport, which reports everything to the sink of the link. */
export type MakeTransport = (link: TransportLink) => ConnectedTransport;

interface ConnectionOptions {
  readonly state: SessionState;
  readonly connect: MakeTransport;
  readonly behavior: ClientBehavior;
  readonly userAgent: string;
  /** The revision that `server/discover` declares before one is negotiated. */
  readonly probeRevision: string;
  /** Called with each event of the transport after it was recorded, and the messages it completed. */
  readonly onRecorded: (event: WireEvent, recorded: readonly RecordedMessage[]) => void;
  /** The server let its session expire. */
  readonly onExpired: () => void;
}

/** What crossed, and the messages it completed. */
interface Recorded {
  readonly event: WireEvent;
  readonly recorded: readonly RecordedMessage[];
}

/** The connection to a server: its transport, recorded in the trace, with the headers that HTTP needs. */
export class Connection {
  readonly transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #connected: ConnectedTransport;
  readonly #server = new ServerSession();
  /** What was read in one go and recorded, and is still to be acted on; null while nothing is read. */
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

  /** The transport when it is HTTP. */
  get http(): HttpTransport | null {
    return this.#connected.kind === 'http' ? this.#connected.transport : null;
  }

  get httpChoice(): HttpSettings['transport'] {
    return this.#connected.kind === 'http' ? this.#connected.settings.transport : 'auto';
  }

  /** The certificate that the server showed and that was not accepted. */
  get refusedCertificate(): Certificate | null {
    return this.#refusedCertificate;
  }

  /** Sends one message, with the headers that go with it. */
  send({ text, origin, isAwaited }: PeerMessage): { recorded: RecordedMessage; sending: Sending } {
    const headers = this.http === null ? [] : postHeaders(this.#headerState(), text);
    const { recorded, sending } = this.#transmit({ bytes: Buffer.from(text), origin, headers, isAwaited });
    const [message] = recorded;
    if (message === undefined) throw new Error('What was sent is no message on the record');
    return { recorded: message, sending };
  }

  /** Sends bytes unchanged. Returns the row at which they begin, and the messages they turned out to be. */
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
    // Over HTTP the exchange has a row of its own before that of its body.
    const isBody = columns.kind(before) === 'http' && columns.count > before + 1;
    return { row: isBody ? before + 1 : before, recorded };
  }

  /** The challenge of the HTTP response that carried an error; undefined if it had none. */
  challengeOf({ exchange }: RecordedMessage): string | undefined {
    return exchange === null ? undefined : this.http?.challengeOf(exchange);
  }

  /** Whether the server accepted its session id at least once. */
  get isServerSessionHonoured(): boolean {
    return this.#server.isHonoured;
  }

  forgetServerSession(): void {
    this.#server.forget();
  }

  /** The HTTP status that the exchange of this row was answered with, after its redirects. */
  statusAt(row: number): number | null {
    const { columns } = this.#options.state.trace.index;
    let exchange = columns.exchange(row);
    if (exchange === null) return null;
    // Redirects stand a few rows on, each below the one before.
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
      sessionId: this.#server.id,
      renewed: this.#options.state.renewed,
      streams: transport.streams.map((stream) => ({
        ...stream,
        row: this.#options.state.trace.index.exchanges.row(stream.exchange) ?? 0,
      })),
    };
  }

  /** Sends one unit. The transport reports its bytes before this returns, and so they are recorded by then. */
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
    const hasExpired = this.#server.see(event);
    this.#options.onRecorded(event, recorded);
    if (hasExpired) this.#options.onExpired();
  }

  #noteServerSession({ envelope, exchange, direction }: RecordedMessage): void {
    if (exchange === null || 'fault' in envelope) return;
    const { message } = envelope;
    const opens = direction === 'out' && message.type === 'request' && message.method === 'initialize';
    if (opens) this.#server.opensBy(exchange);
    // An unknown method may come with status 404 too.
    const isKnown = message.type === 'error' && message.error.code === errorCodes.methodNotFound;
    if (isKnown) this.#server.wasAnswered(exchange);
  }

  #headerState(): HeaderState {
    const { state, probeRevision, userAgent, behavior } = this.#options;
    return {
      era: state.agreement?.era ?? null,
      revision: state.agreement?.revision ?? probeRevision,
      sessionId: this.#server.id,
      switches: state.switches,
      custom: this.#connected.kind === 'http' ? this.#connected.headers : [],
      userAgent,
      paramHeadersOf: (tool) => behavior.paramHeadersOf(tool),
    };
  }
}

const SESSION_ID = 'mcp-session-id';

/**
 * The session that a server of the legacy era keeps for us behind HTTP: its id, from the answer to `initialize`
 * until the server has forgotten it (MCP 2025-06-18 transports, session management).
 */
class ServerSession {
  #id: string | null = null;
  /** Exchanges that carry `initialize`; those they are redirected to as well. */
  readonly #opening = new Set<number>();
  /** Requests that name our session, by their method; the server answers 404 when it has forgotten it. */
  readonly #naming = new Map<number, string>();
  readonly #expired = new Set<number>();
  /** It has answered a GET, so that a later 404 to one does not mean that it has no such stream. */
  #hasStream = false;
  #isHonoured = false;

  get id(): string | null {
    return this.#id;
  }

  /** Whether the server accepted its id at least once. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** Clears the session until the next response to `initialize`. Responses to requests in flight belong to the old one. */
  forget(): void {
    this.#id = null;
    this.#naming.clear();
    this.#expired.clear();
    this.#hasStream = false;
    this.#isHonoured = false;
  }

  /** The answer of this exchange may open a session. */
  opensBy(exchange: number): void {
    this.#opening.add(exchange);
  }

  /** It was answered as a request of a session is, whatever the status. */
  wasAnswered(exchange: number): void {
    this.#expired.delete(exchange);
  }

  /** Takes what the transport saw. True once the server has let the session expire. */
  see(event: WireEvent): boolean {
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
        this.#answered(event.exchange, event.status);
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
  #answered(exchange: number, status: number): void {
    const method = this.#naming.get(exchange);
    const isPost = method === 'POST';
    const isGet = method === 'GET';
    if (status === 404 && (isPost || (isGet && this.#hasStream))) this.#expired.add(exchange);
    if (status >= 400) return;
    this.#hasStream ||= isGet;
    this.#isHonoured ||= isPost;
  }
}
