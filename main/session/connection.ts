import type { HttpSettings } from '#shared/contract/servers.ts';
import type { Agreement, HttpSession, SessionView, Switches } from '#shared/contract/sessions.ts';
import { errorCodes } from '#shared/protocol/error-codes.ts';
import type { Certificate, HeaderLines } from '#shared/trace/record.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import type { RecordedMessage } from '#trace/recorded-message.ts';
import type { Trace } from '#trace/trace.ts';
import type { HttpTransport } from '#wire/http-transport.ts';
import type { OwnHeaders } from '#wire/streamable-http.ts';
import type { Outgoing, Sending, Transport, WireEvent, WireSink } from '#wire/transport.ts';
import type { ParamHeader } from './headers/param-headers.ts';
import { deleteHeaders, getHeaders, type HeaderState, postHeaders } from './headers/request-headers.ts';

/** What a transport needs from its session. */
interface TransportLink {
  readonly sink: WireSink;
  readonly headers: OwnHeaders;
  readonly onStreams: () => void;
  readonly redacted: (text: string) => string;
}

/** Rows between an exchange and the one it was redirected to. */
const MOST_BETWEEN = 64;

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
  readonly trace: Trace;
  readonly connect: MakeTransport;
  readonly userAgent: string;
  readonly switches: () => Switches;
  readonly agreement: () => Agreement | null;
  /** What `server/discover` declares before anything is agreed on. */
  readonly probeRevision: string;
  readonly paramHeadersOf: (tool: string) => readonly ParamHeader[];
  /** Called with everything that crosses, after it is on the record, and the messages it completed. */
  readonly onRecorded: (event: WireEvent, recorded: readonly RecordedMessage[]) => void;
  /** The server has let its session with us expire. */
  readonly onExpired: () => void;
  readonly onStreams: () => void;
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
  /** Messages that one call of `send` recorded. */
  #sent: readonly RecordedMessage[] = [];
  /** What is read in one go and on the record, and still to be acted on; null while nothing is read. */
  #read: Recorded[] | null = null;
  #refusedCertificate: Certificate | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#connected = options.connect({
      sink: Object.assign((event: WireEvent) => this.#see(event), {
        together: (report: () => void) => this.#seeTogether(report),
      }),
      headers: (method, lastEventId) =>
        method === 'GET' ? getHeaders(this.#headerState(), lastEventId) : deleteHeaders(this.#headerState()),
      onStreams: options.onStreams,
      redacted: (text) => options.trace.redacted(text),
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
  send(unit: Outgoing, text: string): { recorded: RecordedMessage | undefined; sending: Sending } {
    this.#sent = [];
    const headers = this.http === null ? undefined : postHeaders(this.#headerState(), text);
    const sending = this.transport.send({ ...unit, ...(headers && { headers }) });
    return { recorded: this.#sent[0], sending };
  }

  /** Sends bytes as they are; gives the row they begin and the messages they turned out to be. */
  sendRaw(bytes: Buffer, headers: HeaderLines | null): { row: number; recorded: readonly RecordedMessage[] } {
    const { columns } = this.#options.trace.index;
    const before = columns.count;
    this.#sent = [];
    const lines = headers ?? (this.http === null ? [] : postHeaders(this.#headerState(), bytes.toString()));
    const sent: { rows: readonly number[] } = { rows: [] };
    const isAwaited = () => sent.rows.some((row) => columns.status(row) === 'pending');
    this.transport.send({ bytes, origin: 'user', headers: lines, isAwaited });
    const recorded = this.#sent;
    sent.rows = recorded.map(({ row }) => row);
    // Over HTTP the exchange has a row of its own before that of its body.
    const isBody = columns.kind(before) === 'http' && columns.count > before + 1;
    return { row: isBody ? before + 1 : before, recorded };
  }

  /** Whether the server has taken a message of the session it gave us at least once. */
  get isServerSessionHonoured(): boolean {
    return this.#server.isHonoured;
  }

  forgetServerSession(): void {
    this.#server.forget();
  }

  /** The HTTP status that the exchange of this row was answered with, after its redirects. */
  statusAt(row: number): number | null {
    const { columns } = this.#options.trace.index;
    let exchange = columns.exchange(row);
    if (exchange === null) return null;
    // Redirects stand a few rows on, each below the one before.
    for (let next = exchange + 1; next < columns.count && next < exchange + MOST_BETWEEN; next++) {
      if (columns.kind(next) === 'http' && columns.parent(next) === exchange) exchange = next;
    }
    return columns.code(exchange);
  }

  /** @param isKnown whether era and transport have been found out */
  transportName(isKnown: boolean): SessionView['transport'] {
    const { http } = this;
    if (http === null) return 'stdio';
    return isKnown || http.mode === 'http-sse' ? http.mode : 'http';
  }

  httpView(renewed: number): HttpSession | null {
    if (this.#connected.kind === 'stdio') return null;
    const { transport, settings } = this.#connected;
    return {
      url: settings.url,
      endpoint: transport.endpoint && withoutUrlSecrets(transport.endpoint),
      sessionId: this.#server.id,
      renewed,
      streams: transport.streams.map((stream) => ({
        ...stream,
        row: this.#options.trace.index.exchanges.row(stream.exchange) ?? 0,
      })),
    };
  }

  #seeTogether(report: () => void): void {
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

  /** Everything that crosses the wire: first on the record, then acted on. */
  #see(event: WireEvent): void {
    const recorded = this.#options.trace.record(event);
    if (this.#read === null) this.#act(event, recorded);
    else this.#read.push({ event, recorded });
  }

  #act(event: WireEvent, recorded: readonly RecordedMessage[]): void {
    if (event.kind === 'message-bytes' && event.direction === 'out')
      this.#sent = [...this.#sent, ...recorded];
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
    const { agreement, probeRevision, switches, userAgent, paramHeadersOf } = this.#options;
    const agreed = agreement();
    return {
      era: agreed?.era ?? null,
      revision: agreed?.revision ?? probeRevision,
      sessionId: this.#server.id,
      switches: switches(),
      custom: this.#connected.kind === 'http' ? this.#connected.headers : [],
      userAgent,
      paramHeadersOf,
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

  /** Whether a message that named it was taken at least once. */
  get isHonoured(): boolean {
    return this.#isHonoured;
  }

  /** From now on there is none, until `initialize` is answered again. What comes of requests under way is of the old one. */
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
