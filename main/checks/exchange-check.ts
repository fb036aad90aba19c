import type { Message } from '#shared/protocol/jsonrpc.ts';
import { CANCELLED } from '#shared/protocol/methods.ts';
import { eraOf, type Revision } from '#shared/protocol/revisions.ts';
import type { HttpEndRecord, HttpRequestRecord, HttpResponseRecord } from '#shared/trace/record.ts';
import type { NewFinding } from '#trace/findings.ts';
import type { RecordedSseEvent, RecordedExchangeStep, RecordedMessage } from '#trace/recorded-message.ts';
import { headerOf, mediaTypeOf } from '#trace/rows/exchanges.ts';
import type { RowColumns } from '#trace/rows/row-columns.ts';
import { newFinding, type Rule } from './rules.ts';

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';
/** Limit of exchanges that have not ended, and of redirects that may still be followed. */
const MAX_EXCHANGES = 10_000;

/** The state of an exchange until it ends. */
interface Exchange {
  readonly row: number;
  /** Whether it is a GET for an event stream. */
  readonly isListening: boolean;
  /** Rows of the open requests that its POST carried. */
  readonly waiting: Set<number>;
  /** The first request that it carried; null for a POST of notifications and responses only. */
  request: number | null;
  carriesNotification: boolean;
  isModern: boolean;
  status: number | null;
  /** In lower case, without parameters. */
  contentType: string | null;
  /** Whether it carried a response to any request. */
  hasAnswer: boolean;
  isResumable: boolean;
  /** Rules already reported, for rules reported once per stream. */
  readonly reported: Set<Rule>;
}

/**
 * Checks HTTP exchanges: how the server responds to a POST with a request, and what its event streams contain
 * (MCP 2025-03-26 to 2026-07-28, Streamable HTTP).
 */
export class ExchangeCheck {
  readonly #columns: RowColumns;
  readonly #exchanges = new Map<number, Exchange>();
  /** The exchange of each open request, by the row of the request. */
  readonly #carrier = new Map<number, Exchange>();
  /** Whether the transport is HTTP+SSE (MCP 2024-11-05): a POST gets any 2xx status, and the response comes on the one stream. */
  #isHttpSse = false;

  constructor(columns: RowColumns) {
    this.#columns = columns;
  }

  /** Checks the next step of an exchange. */
  step(step: RecordedExchangeStep): readonly NewFinding[] {
    return [...this.#follow(step), ...checkHeaders(step)];
  }

  #follow({ row, record }: RecordedExchangeStep): readonly NewFinding[] {
    switch (record.kind) {
      case 'http-request':
        this.#request(row, record);
        return NOTHING;
      case 'http-response':
        return this.#response(record);
      case 'http-end':
        return this.#end(record);
    }
  }

  /** Checks the fields of an event other than its data. */
  event({ row, exchange: id, event }: RecordedSseEvent): readonly NewFinding[] {
    if (event.name === 'endpoint') this.#isHttpSse = true;
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return NOTHING;
    if (event.id !== undefined) exchange.isResumable = true;
    if (!exchange.isModern) return NOTHING;
    const found: NewFinding[] = [];
    const add = (rule: Rule, text: string) => {
      exchange.reported.add(rule);
      found.push(
        newFinding(rule, { row, direction: 'in' }, text, { revision: '2026-07-28', other: exchange.row }),
      );
    };
    // Streams cannot be resumed, so an id and a retry time have no effect (MCP 2026-07-28 Streamable HTTP, receiving messages).
    if (event.id !== undefined && !exchange.reported.has('sse/event-id')) {
      add(
        'sse/event-id',
        'An event with an id: streams cannot be resumed in this revision, clients ignore it',
      );
    }
    if (event.retry !== undefined && !exchange.reported.has('sse/retry')) {
      add('sse/retry', 'A "retry" time: streams cannot be resumed in this revision, clients ignore it');
    }
    if (event.name !== undefined && event.name !== 'message') {
      const text = `An event named ${JSON.stringify(event.name)}: clients take messages from events without a name, or named "message"`;
      add('sse/unknown-event-type', text);
    }
    return found;
  }

  /** Checks the next message. */
  check(message: Message, recorded: RecordedMessage, revision: Revision | null): NewFinding | null {
    if (recorded.direction === 'out') {
      const carrier = recorded.exchange === null ? undefined : this.#exchanges.get(recorded.exchange);
      if (carrier !== undefined) this.#carry(message, recorded, { carrier, revision });
    }
    if (message.type === 'notification') {
      // A cancelled request needs no response. The trace has related the cancellation to its request.
      if (message.method === CANCELLED) this.#settle(this.#columns.parent(recorded.row));
      return null;
    }
    if (message.type === 'request' || recorded.direction === 'out') return null;
    this.#settle(recorded.pair);
    return this.#answer(message, recorded);
  }

  /** Notes that the request in this row needs no response any more. */
  #settle(request: number | null): void {
    if (request === null) return;
    this.#carrier.get(request)?.waiting.delete(request);
    this.#carrier.delete(request);
  }

  /** Notes an invalid message, which may still be a response. */
  checkInvalid({ pair, exchange, direction }: RecordedMessage): void {
    this.#settle(pair);
    const carrier = exchange === null || direction === 'out' ? undefined : this.#exchanges.get(exchange);
    if (carrier !== undefined) carrier.hasAnswer = true;
  }

  #request(row: number, { exchange: id, method, headers, redirectOf, received }: HttpRequestRecord): void {
    // The response to it is ours.
    if (received !== undefined) return;
    const redirecting = redirectOf === undefined ? undefined : this.#exchanges.get(redirectOf);
    if (redirectOf !== undefined) this.#exchanges.delete(redirectOf);
    const exchange: Exchange = {
      row,
      isListening: method === 'GET' && (headerOf(headers, 'accept') ?? '').toLowerCase().includes(SSE_TYPE),
      // A redirected request carries the same messages, whose body is recorded only once.
      waiting: redirecting?.waiting ?? new Set(),
      request: redirecting?.request ?? null,
      carriesNotification: redirecting?.carriesNotification ?? false,
      isModern: redirecting?.isModern ?? false,
      status: null,
      contentType: null,
      hasAnswer: false,
      isResumable: false,
      reported: new Set(),
    };
    for (const request of exchange.waiting) this.#carrier.set(request, exchange);
    this.#exchanges.set(id, exchange);
    const [oldest] = this.#exchanges.keys();
    if (this.#exchanges.size > MAX_EXCHANGES && oldest !== undefined) this.#forget(oldest);
  }

  #carry(message: Message, { row }: RecordedMessage, { carrier, revision }: Carried): void {
    if (message.type === 'notification') carrier.carriesNotification = true;
    if (message.type !== 'request') return;
    carrier.request ??= row;
    carrier.waiting.add(row);
    this.#carrier.set(row, carrier);
    // A legacy server need not understand a modern probe.
    carrier.isModern = revision !== null && eraOf(revision) === 'modern' && !this.#columns.isProbe(row);
  }

  #response({ exchange: id, status, headers, interim }: HttpResponseRecord): readonly NewFinding[] {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined || interim) return NOTHING;
    exchange.status = status;
    exchange.contentType = mediaTypeOf(headers);
    const { request, contentType } = exchange;
    if (status === 202 && request !== null && !this.#isHttpSse) {
      const text =
        'Answered a request with 202 Accepted, which is for notifications and responses: no answer can follow';
      return [this.#newFinding('http/202-for-request', exchange, text)];
    }
    if (contentType === null) return NOTHING;
    return this.#wrongType(exchange, `has the Content-Type ${JSON.stringify(contentType)}`);
  }

  /** @param what the wrong Content-Type of the response */
  #wrongType(exchange: Exchange, what: string): readonly NewFinding[] {
    const { request, isListening, status, contentType } = exchange;
    if (status === null || !isSuccess(status) || status === 202) return NOTHING;
    const expected = isListening ? LISTENED : request !== null && !this.#isHttpSse ? ANSWERED : null;
    if (expected === null || expected.types.includes(contentType ?? '')) return NOTHING;
    const text = `The response to ${expected.to} ${what}: it must be ${expected.types.join(' or ')}`;
    return [this.#newFinding('http/wrong-content-type', exchange, text)];
  }

  #end({ exchange: id, how, size }: HttpEndRecord): readonly NewFinding[] {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return NOTHING;
    const isRedirect = exchange.status !== null && exchange.status >= 300 && exchange.status < 400;
    // The redirected request is recorded after the end of this exchange.
    if (isRedirect && how === 'complete') return NOTHING;
    this.#forget(id);
    // A connection may break at any time (MCP 2025-11-25 transports, sending messages); only a clean end is checked.
    if (how !== 'complete' || exchange.status === null || !isSuccess(exchange.status)) return NOTHING;
    if (exchange.contentType === null && size > 0) return this.#wrongType(exchange, 'has no Content-Type');
    return this.#unanswered(exchange, size);
  }

  /** Checks whether an ended response has answered the request that the POST carried. */
  #unanswered(exchange: Exchange, size: number): readonly NewFinding[] {
    const { contentType, waiting, hasAnswer, isResumable, isModern, status } = exchange;
    const [request] = waiting;
    // A response to another id is reported by its own rule.
    if (request === undefined || hasAnswer || status === 202 || this.#isHttpSse) return NOTHING;
    if (contentType === SSE_TYPE) {
      // A client with an event id resumes the stream (MCP 2025-11-25 transports, sending messages).
      if (isResumable && !isModern) return NOTHING;
      const text = 'The server closed the stream without the answer to the request that opened it';
      return [this.#newFinding('sse/closed-without-response', exchange, text, request)];
    }
    if (size > 0) return NOTHING;
    const text = `Answered a request with status ${status} and an empty body`;
    return [this.#newFinding('http/empty-response-to-request', exchange, text, request)];
  }

  /** Checks a response that the exchange of a POST carried. */
  #answer(message: Message & { type: 'result' | 'error' }, recorded: RecordedMessage): NewFinding | null {
    const exchange = recorded.exchange === null ? undefined : this.#exchanges.get(recorded.exchange);
    if (exchange === undefined) return null;
    exchange.hasAnswer = true;
    const { request, carriesNotification, status } = exchange;
    const isErrorWithoutId = message.type === 'error' && message.id === null && recorded.pair === null;
    // A server that refuses a notification says so by an error status (MCP 2025-03-26 to 2026-07-28, sending messages).
    if (
      !isErrorWithoutId ||
      request !== null ||
      !carriesNotification ||
      status === null ||
      !isSuccess(status)
    )
      return null;
    const text = `Answers a notification with an error and status ${status}: a notification is not answered`;
    return newFinding('jsonrpc/response-to-notification', recorded, text, { other: exchange.row });
  }

  /** A finding at the row of the exchange, and the request that it is about. */
  #newFinding(rule: Rule, exchange: Exchange, text: string, request = exchange.request): NewFinding {
    return newFinding(rule, { row: exchange.row, direction: 'in' }, text, { other: request });
  }

  #forget(id: number): void {
    for (const request of this.#exchanges.get(id)?.waiting ?? []) this.#carrier.delete(request);
    this.#exchanges.delete(id);
  }
}

/**
 * Reports header values that mislead a tool which replaces secrets everywhere: it would damage messages, or hide parts of
 * them. Sightglass replaces such values only in their own header.
 */
function checkHeaders({ row, record }: RecordedExchangeStep): readonly NewFinding[] {
  const ref = { row, direction: 'in' as const };
  if (record.kind === 'http-response') {
    return (record.tornJson ?? []).map((name) =>
      newFinding('http/header-hides-content', ref, `${TORN} ${name}: ${CREDENTIAL}`),
    );
  }
  if (record.kind !== 'http-end') return NOTHING;
  return (record.alsoInMessages ?? []).map((name) =>
    newFinding('http/header-hides-content', ref, `The value of the header ${name} ${REPEATED}`),
  );
}

const TORN = 'Punctuation of JSON in the header';
const CREDENTIAL =
  'a tool that takes such a value for a secret, and replaces it wherever it stands, would damage every message';
const REPEATED =
  'stands in a message too: a tool that takes it for a secret, and replaces it wherever it stands, would hide that';

interface Carried {
  readonly carrier: Exchange;
  readonly revision: Revision | null;
}

/** The content types that the response to a kind of request may have. */
interface Expected {
  readonly to: string;
  readonly types: readonly string[];
}

const ANSWERED: Expected = { to: 'a request', types: [JSON_TYPE, SSE_TYPE] };
const LISTENED: Expected = { to: 'a GET for an event stream', types: [SSE_TYPE] };

const NOTHING: readonly NewFinding[] = [];

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
