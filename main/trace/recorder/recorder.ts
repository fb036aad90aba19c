import { isUtf8 } from 'node:buffer';
import type { BodyKind } from '#shared/body-secrets.ts';
import type { DefinitionChanges } from '#shared/contract/definitions.ts';
import { isJson } from '#shared/json/tokens.ts';
import { isDistinct } from '#shared/secret-names.ts';
import type {
  AuthorizationRecord,
  HeaderLines,
  PhaseName,
  PhaseRecord,
  ProcessChange,
  SseEvent,
  TraceRecord,
} from '#shared/trace/record.ts';
import { bothClocks, now, type Piece, type WireEvent } from '#transports/transport.ts';
import {
  redactAndLearnHeaders,
  redactHeaders,
  redactUrl,
  redactProse,
  redactAndLearnUrl,
  headerRules,
  redactTexts,
} from './credentials.ts';
import { JSON_START, JsonRanges } from './json-ranges.ts';
import { PieceRedactor, type Redactor } from './redaction.ts';
import { bodyCopy, furtherPiece, headerCopy, otherBodyCopy, textCopy } from './response-copy.ts';

/** What changed in an authorization flow, as its record has it. */
export type AuthorizationChange = Pick<AuthorizationRecord, 'what' | 'flow' | 'steps'>;

type Bytes = Extract<WireEvent, Piece>;
type BodyBytes = Extract<WireEvent, { kind: 'body-bytes' }>;
type MessageBytes = Extract<WireEvent, { kind: 'message-bytes' }>;

/** Makes the records of a session: numbered in order, with secrets replaced. */
export class Recorder {
  readonly #redactor: Redactor;
  readonly #pieces: PieceRedactor;
  /** `seq` of the first record of each unit that is still incomplete. */
  readonly #begun = new Map<number, number>();
  readonly #headerSecrets = new ServerHeaderSecrets();
  readonly #exchanges = new OpenExchanges();
  #seq = 0;
  #hasReplacedContent = false;
  #hasReplacedLast = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#pieces = new PieceRedactor(redactor);
  }

  /**
   * Whether a secret was replaced in the content of a unit, body, event or line of stderr, so that rows derived from the
   * file may differ. Those in headers, URLs and commands do not count.
   */
  get hasReplacedContent(): boolean {
    return this.#hasReplacedContent;
  }

  /** Whether a secret was replaced in the content of the last record. */
  get hasReplacedLast(): boolean {
    return this.#hasReplacedLast;
  }

  /** The record of a transport's event. */
  wireEvent(event: WireEvent): TraceRecord {
    switch (event.kind) {
      case 'message-bytes':
      case 'body-bytes':
      case 'sse-bytes':
      case 'stderr-bytes':
        return event.first ? this.#first(event) : this.#further(event);
      case 'http-request': {
        // Does not add what it finds to the known secrets, which are replaced everywhere: the server may have supplied this
        // URL, by a redirect or the endpoint of HTTP+SSE. The secrets in the URL of the user are known already.
        const url = redactUrl(this.#redactor, event.url);
        const { answers, ...request } = event;
        this.#exchanges.begin(event.exchange, { answers: answers ?? null, sent: event.headers });
        return {
          seq: this.#seq++,
          ...request,
          url,
          // Learns nothing from headers of strangers, such as the cookies of other programs on this machine.
          headers:
            event.received === undefined
              ? redactAndLearnHeaders(this.#redactor, event.headers)
              : redactHeaders(this.#redactor, event.headers),
        };
      }
      case 'http-connected': {
        const { proxy } = event;
        const redacted = proxy === undefined ? {} : { proxy: redactAndLearnUrl(this.#redactor, proxy) };
        return { seq: this.#seq++, ...event, ...redacted };
      }
      case 'http-response': {
        const kind = this.#exchanges.respond(event.exchange, event.headers);
        const headers = headerCopy(this.#redactor, event.headers, kind);
        const reason = textCopy(this.#redactor, event.reason, kind);
        // A server can choose a header value that is a fragment of JSON. A tool that replaces secrets wherever they occur
        // would then tear messages apart; we replace such a value in its header only. The record names the header
        // (`tornJson`), and a check reports it as `http/header-hides-content`.
        const headersWithJsonFragment = this.#headerSecrets.watchFor(event.headers);
        return {
          seq: this.#seq++,
          ...event,
          headers,
          reason,
          ...(headersWithJsonFragment.length > 0 && { tornJson: headersWithJsonFragment }),
        };
      }
      case 'http-end': {
        const { failure, trailers } = event;
        const repeatedHeaders = this.#headerSecrets.end(event.exchange);
        const kind = this.#exchanges.end(event.exchange);
        return {
          seq: this.#seq++,
          ...event,
          ...(failure && {
            failure: { ...failure, message: textCopy(this.#redactor, failure.message, kind) },
          }),
          ...(trailers && { trailers: headerCopy(this.#redactor, trailers, kind) }),
          ...(repeatedHeaders.length > 0 && { alsoInMessages: repeatedHeaders }),
        };
      }
      case 'process':
        return { seq: this.#seq++, ...event, change: this.#change(event.change) };
    }
  }

  /** The session entered a phase. */
  phase(
    phase: PhaseName,
    reason: string | null,
    evidence: NonNullable<PhaseRecord['evidence']> = [],
  ): TraceRecord {
    const redact = (text: string) => redactProse(this.#redactor, text);
    return {
      seq: this.#seq++,
      at: now(),
      kind: 'phase' as const,
      phase,
      ...(reason !== null && { reason: redact(reason) }),
      ...(evidence.length > 0 && {
        evidence: evidence.map(({ text, ...place }) => ({ text: redact(text), ...place })),
      }),
    };
  }

  /** The client switches that are on from now. */
  switches(on: readonly string[]): TraceRecord {
    return { seq: this.#seq++, at: now(), kind: 'switches', on: [...on] };
  }

  /** A step of an authorization flow has ended, or the flow itself. Replaces known secrets. */
  authorization({ what, flow, steps }: AuthorizationChange): TraceRecord {
    return {
      seq: this.#seq++,
      at: now(),
      kind: 'authorization',
      ...redactTexts(this.#redactor, { what, flow, steps: [...steps] }),
    };
  }

  /** What the server defines differently from its last connection. Replaces known secrets. */
  definitions({ since, changes }: DefinitionChanges): TraceRecord {
    return {
      seq: this.#seq++,
      at: now(),
      kind: 'definitions',
      since,
      changes: redactTexts(this.#redactor, changes),
    };
  }

  /** Marks a record, or removes its mark. */
  mark(of: number, position: number, note: string | null): TraceRecord {
    const record = { seq: this.#seq++, at: now(), kind: 'mark' as const, of };
    const redacted = note === null ? null : redactProse(this.#redactor, note);
    return position === 0 ? { ...record, note: redacted } : { ...record, position, note: redacted };
  }

  /** Ties the clock of the records to the wall clock. */
  anchor(): TraceRecord {
    const { at, wall } = bothClocks();
    return { seq: this.#seq++, at, kind: 'anchor', wall };
  }

  #first(event: Bytes): TraceRecord {
    const seq = this.#seq++;
    if (event.more) this.#begun.set(event.unit, seq);
    const { at } = event;
    switch (event.kind) {
      case 'message-bytes': {
        const { direction, channel, origin, composed, retryOf, exchange, sse } = event;
        this.#searchHeaderSecrets(event);
        return {
          seq,
          at,
          kind: 'unit',
          direction,
          channel,
          ...(origin && { origin }),
          ...(composed && { composed }),
          ...(retryOf !== undefined && { retryOf }),
          ...(exchange !== undefined && { exchange }),
          ...(sse && { sse: this.#sse(sse) }),
          ...(isEndpoint(event) ? this.#url(event) : this.#bytes(event)),
        };
      }
      case 'body-bytes': {
        const { exchange, direction } = event;
        return { seq, at, kind: 'http-body', exchange, direction, ...this.#body(event) };
      }
      case 'sse-bytes': {
        const { exchange, id, retry } = event;
        return {
          seq,
          at,
          kind: 'sse',
          exchange,
          ...(id !== undefined && { id: this.#redactor.redact(id) }),
          ...(retry !== undefined && { retry }),
          ...this.#bytes(event),
        };
      }
      case 'stderr-bytes':
        return { seq, at, kind: 'stderr', ...this.#bytes(event) };
    }
  }

  #further(event: Bytes): TraceRecord {
    const of = this.#begun.get(event.unit);
    if (of === undefined) throw new Error('a piece of a unit that never began');
    if (!event.more) this.#begun.delete(event.unit);
    const sse = event.kind === 'message-bytes' ? event.sse : undefined;
    if (event.kind === 'message-bytes') this.#searchHeaderSecrets(event);
    return {
      seq: this.#seq++,
      at: event.at,
      kind: 'chunk',
      of,
      ...(sse && { sse: this.#sse(sse) }),
      ...(event.kind === 'body-bytes' ? this.#body(event) : this.#bytes(event)),
    };
  }

  #searchHeaderSecrets({ direction, exchange, sse, bytes }: MessageBytes): void {
    if (direction === 'in' && exchange !== undefined && sse?.name !== 'endpoint') {
      this.#headerSecrets.search(exchange, bytes);
    }
  }

  #bytes(piece: Piece) {
    return this.#written(this.#pieces.redact(piece.unit, piece.bytes, piece.more), piece);
  }

  /** Replaces what is secret by the kind of the body first, and known secrets after that. */
  #body(piece: BodyBytes) {
    return this.#written(this.#pieces.redact(piece.unit, this.#copyOf(piece), piece.more), piece);
  }

  #copyOf({ exchange, direction, first, isStray = false, bytes }: BodyBytes): Buffer {
    const { answers, sent, received } = this.#exchanges.get(exchange);
    const headers = (direction === 'out' ? sent : received) ?? [];
    if (answers === null) {
      return otherBodyCopy(this.#redactor, bytes, {
        kind: direction === 'out' ? 'sent' : 'document',
        headers,
      });
    }
    if (answers === 'tokens' && (!first || isStray)) return furtherPiece(this.#redactor, bytes);
    return bodyCopy(this.#redactor, bytes, { kind: direction === 'out' ? 'request' : answers, headers });
  }

  #url(piece: Piece) {
    return this.#written(Buffer.from(redactUrl(this.#redactor, piece.bytes.toString())), piece);
  }

  #written(bytes: Buffer, piece: Piece) {
    this.#hasReplacedLast = bytes !== piece.bytes && !bytes.equals(piece.bytes);
    this.#hasReplacedContent ||= this.#hasReplacedLast;
    return written(bytes, piece);
  }

  #sse({ name, id, retry, unframed, frame }: SseEvent): SseEvent {
    return {
      ...(name !== undefined && { name: this.#redactor.redact(name) }),
      ...(id !== undefined && { id: this.#redactor.redact(id) }),
      ...(retry !== undefined && { retry }),
      ...(unframed !== undefined && { unframed }),
      frame: frame.map((part) => this.#redactor.redactByteText(part)),
    };
  }

  #change(change: ProcessChange): ProcessChange {
    const redact = (text: string) => this.#redactor.redact(text);
    switch (change.what) {
      case 'spawn':
        return { ...change, command: redact(change.command), args: change.args.map(redact) };
      case 'spawn-failed': {
        const { command, args, message } = change;
        return { ...change, command: redact(command), args: args.map(redact), message: redact(message) };
      }
      case 'stdin-failed':
        return { ...change, message: redact(change.message) };
      case 'stdout-closed':
      case 'shutdown':
      case 'exit':
        return change;
    }
  }
}

interface OpenExchange {
  /** What the response may hold; null if the exchange is not one with an authorization server. */
  readonly answers: BodyKind | null;
  readonly sent: HeaderLines;
  /** The headers of the response; null before its head. */
  received: HeaderLines | null;
}

/** The exchanges that have not ended: how much of their bodies and headers can be recorded. */
class OpenExchanges {
  readonly #open = new Map<number, OpenExchange>();

  begin(exchange: number, { answers, sent }: Pick<OpenExchange, 'answers' | 'sent'>): void {
    this.#open.set(exchange, { answers, sent, received: null });
  }

  /** The head of a response; what its headers may hold. */
  respond(exchange: number, headers: HeaderLines): BodyKind {
    const open = this.#open.get(exchange);
    if (open !== undefined) open.received = headers;
    return open?.answers ?? 'document';
  }

  get(exchange: number): OpenExchange {
    return this.#open.get(exchange) ?? { answers: null, sent: [], received: null };
  }

  /** Ends an exchange; what its trailers may hold. */
  end(exchange: number): BodyKind {
    const answers = this.#open.get(exchange)?.answers;
    this.#open.delete(exchange);
    return answers ?? 'document';
  }
}

/** The recorded bytes of a piece; `size` is its size on the wire. */
const written = (bytes: Buffer, { bytes: before, more, cut }: Piece) => ({
  ...(isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') }),
  size: before.length,
  ...(more && { more: true as const }),
  ...(cut && { cut: true as const }),
});

/** Whether an event names the URL to post to, which may contain credentials (MCP 2024-11-05 transports, HTTP with SSE). */
const isEndpoint = ({ sse, more, bytes }: MessageBytes): boolean =>
  sse?.name === 'endpoint' && !more && isUtf8(bytes);

/** Limit of values to search for in the messages of a session; a server may set a new cookie with each response. */
const MAX_VALUES = 32;

/**
 * The values of a server's secret headers. They are replaced in the headers only, so that a server cannot hide other
 * content with them. If a message contains such a value, the trace names the header.
 */
class ServerHeaderSecrets {
  /** The name of the header of each value, by the value as a JSON string contains it; the newest last. */
  readonly #headers = new Map<string, string>();
  /** The headers whose values were found in messages, by exchange. */
  readonly #found = new Map<number, Set<string>>();

  /** Adds the header lines of a response; returns the names of those whose value is a fragment of JSON. */
  watchFor(lines: HeaderLines): string[] {
    const fragments = new Set<string>();
    for (const [name, value] of lines) {
      for (const part of headerRules.get(name.toLowerCase())?.(value) ?? []) {
        if (typeof part === 'string') continue;
        for (const secret of new Set([part.value, ...part.repeatedAs])) {
          if (isJsonFragment(secret)) fragments.add(name);
          this.#keep(secret, name);
        }
      }
    }
    return [...fragments];
  }

  /** Searches a message of an exchange for the values. */
  search(exchange: number, bytes: Buffer): void {
    for (const [value, name] of this.#headers) {
      if (!bytes.includes(value)) continue;
      const found = this.#found.get(exchange);
      if (found === undefined) this.#found.set(exchange, new Set([name]));
      else found.add(name);
    }
  }

  /** Ends an exchange; returns the headers whose values were found in its messages. */
  end(exchange: number): string[] {
    const found = this.#found.get(exchange);
    this.#found.delete(exchange);
    return [...(found ?? [])];
  }

  #keep(value: string, name: string): void {
    if (!isDistinct(value)) return;
    const quoted = JSON.stringify(value).slice(1, -1);
    this.#headers.delete(quoted);
    this.#headers.set(quoted, name);
    const [oldest] = this.#headers.keys();
    if (this.#headers.size > MAX_VALUES && oldest !== undefined) this.#headers.delete(oldest);
  }
}

/**
 * Whether a value is a fragment of JSON that could match across punctuation, starting inside a string or between values.
 * A cookie that holds preferences as JSON is not a fragment: it is a whole value, or has a prefix, as in
 * `j:{"theme":"dark"}`.
 */
const isJsonFragment = (value: string): boolean =>
  /"\s*[:,\]}]|[:,[{]\s*"/.test(value) &&
  !isJson(value) &&
  !isJson(`"${value}"`) &&
  [false, true].some((isInString) =>
    new JsonRanges(value, { ...JSON_START, isInString }).isPlausible(0, value.length),
  );
