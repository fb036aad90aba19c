import { isUtf8 } from 'node:buffer';
import { isDistinct } from '#shared/secret-names.ts';
import type { PhaseName, ProcessChange, SseEvent, TraceRecord, HeaderLines } from '#shared/trace/record.ts';
import { bothClocks, now, type Piece, type WireEvent } from '#wire/transport.ts';
import {
  redactHeaders,
  redactServerHeaders,
  redactServerUrl,
  redactUntrusted,
  redactUrl,
  headerRules,
} from './credentials.ts';
import { isJson, JSON_START, JsonPlaces } from './json-places.ts';
import { PieceRedactor, type Redactor } from './redaction.ts';

type Bytes = Extract<WireEvent, Piece>;
type MessageBytes = Extract<WireEvent, { kind: 'message-bytes' }>;

/** Makes records of what a session saw and did: numbered in their order, secrets replaced. */
export class Recorder {
  readonly #redactor: Redactor;
  readonly #pieces: PieceRedactor;
  /** `seq` of the record that a unit of the transport began with, while more of it is to come. */
  readonly #begun = new Map<number, number>();
  readonly #serverValues = new ServerValues();
  #seq = 0;
  #hasReplaced = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#pieces = new PieceRedactor(redactor);
  }

  /** Bytes are not on record as they were on the wire, so a row may be another when it is read from the file. */
  get hasReplaced(): boolean {
    return this.#hasReplaced;
  }

  /** What a transport saw. */
  wireEvent(event: WireEvent): TraceRecord {
    switch (event.kind) {
      case 'message-bytes':
      case 'body-bytes':
      case 'sse-bytes':
      case 'stderr-bytes':
        return event.first ? this.#first(event) : this.#further(event);
      case 'http-request': {
        // A redirect, or the endpoint of HTTP+SSE, may have given it; the user's own was learned before.
        const url = redactServerUrl(this.#redactor, event.url);
        return { seq: this.#seq++, ...event, url, headers: redactHeaders(this.#redactor, event.headers) };
      }
      case 'http-connected': {
        const { proxy } = event;
        const redacted = proxy === undefined ? {} : { proxy: redactUrl(this.#redactor, proxy) };
        return { seq: this.#seq++, ...event, ...redacted };
      }
      case 'http-response': {
        const headers = redactServerHeaders(this.#redactor, event.headers);
        const reason = this.#redactor.redactByteText(event.reason);
        const tornJson = this.#serverValues.see(event.headers);
        return { seq: this.#seq++, ...event, headers, reason, ...(tornJson.length > 0 && { tornJson }) };
      }
      case 'http-end': {
        const { failure, trailers } = event;
        const alsoInMessages = this.#serverValues.end(event.exchange);
        return {
          seq: this.#seq++,
          ...event,
          ...(failure && {
            failure: { ...failure, message: redactUntrusted(this.#redactor, failure.message) },
          }),
          ...(trailers && { trailers: redactServerHeaders(this.#redactor, trailers) }),
          ...(alsoInMessages.length > 0 && { alsoInMessages }),
        };
      }
      case 'process':
        return { seq: this.#seq++, ...event, change: this.#change(event.change) };
    }
  }

  /** The session entered a phase. */
  phase(phase: PhaseName, reason: string | null): TraceRecord {
    const record = { seq: this.#seq++, at: now(), kind: 'phase' as const, phase };
    return reason === null ? record : { ...record, reason: redactUntrusted(this.#redactor, reason) };
  }

  /** These client switches are on from here. */
  switches(on: readonly string[]): TraceRecord {
    return { seq: this.#seq++, at: now(), kind: 'switches', on: [...on] };
  }

  /** The user marks what a record holds, or takes the mark away. */
  mark(of: number, position: number, note: string | null): TraceRecord {
    const record = { seq: this.#seq++, at: now(), kind: 'mark' as const, of };
    const told = note === null ? null : redactUntrusted(this.#redactor, note);
    return position === 0 ? { ...record, note: told } : { ...record, position, note: told };
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
        const { direction, channel, origin, exchange, sse } = event;
        const isReceived = direction === 'in' && exchange !== undefined;
        if (isReceived && sse?.name !== 'endpoint') this.#serverValues.look(exchange, event.bytes);
        return {
          seq,
          at,
          kind: 'unit',
          direction,
          channel,
          ...(origin && { origin }),
          ...(exchange !== undefined && { exchange }),
          ...(sse && { sse: this.#sse(sse) }),
          ...(isEndpoint(event) ? this.#url(event) : this.#bytes(event)),
        };
      }
      case 'body-bytes': {
        // The answers of token endpoints will be redacted here, by the exchanges that an authorization names.
        const { exchange, direction } = event;
        return { seq, at, kind: 'http-body', exchange, direction, ...this.#bytes(event) };
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
    return {
      seq: this.#seq++,
      at: event.at,
      kind: 'chunk',
      of,
      ...(sse && { sse: this.#sse(sse) }),
      ...this.#bytes(event),
    };
  }

  #bytes(piece: Piece) {
    return this.#written(this.#pieces.redact(piece.unit, piece.bytes, piece.more), piece);
  }

  #url(piece: Piece) {
    return this.#written(Buffer.from(redactServerUrl(this.#redactor, piece.bytes.toString())), piece);
  }

  #written(bytes: Buffer, piece: Piece) {
    this.#hasReplaced ||= bytes !== piece.bytes && !bytes.equals(piece.bytes);
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

/** Bytes of a piece as a record has them; the size is that of the piece as it was on the wire. */
const written = (bytes: Buffer, { bytes: before, more, cut }: Piece) => ({
  ...(isUtf8(bytes) ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') }),
  size: before.length,
  ...(more && { more: true as const }),
  ...(cut && { cut: true as const }),
});

/** The address to post to, which may carry credentials of its own (MCP 2024-11-05 transports, HTTP with SSE). */
const isEndpoint = ({ sse, more, bytes }: MessageBytes): boolean =>
  sse?.name === 'endpoint' && !more && isUtf8(bytes);

/** Values of one session that are looked for in its messages; a server may set a new cookie with each answer. */
const MOST_VALUES = 32;

/**
 * The values that a server sends in headers where secrets belong. They are replaced there and nowhere else, so that
 * a server can hide nothing with them; one that seems to try is told by the names of these headers.
 */
class ServerValues {
  /** What is looked for, with the header it stood in; the newest last. */
  readonly #headers = new Map<string, string>();
  /** By exchange, headers whose values stood in messages. */
  readonly #found = new Map<number, Set<string>>();

  /** Takes the header lines of a response; gives the names of those whose value is a torn piece of JSON. */
  see(lines: HeaderLines): string[] {
    const torn = new Set<string>();
    for (const [name, value] of lines) {
      for (const part of headerRules.get(name.toLowerCase())?.(value) ?? []) {
        if (typeof part === 'string') continue;
        for (const secret of new Set([part.value, ...part.learned])) {
          if (isTornJson(secret)) torn.add(name);
          this.#keep(secret, name);
        }
      }
    }
    return [...torn];
  }

  /** Takes a message of an exchange. */
  look(exchange: number, bytes: Buffer): void {
    for (const [value, name] of this.#headers) {
      if (!bytes.includes(value)) continue;
      const found = this.#found.get(exchange);
      if (found === undefined) this.#found.set(exchange, new Set([name]));
      else found.add(name);
    }
  }

  /** The exchange has ended; gives the headers whose values stood in its messages. */
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
    if (this.#headers.size > MOST_VALUES && oldest !== undefined) this.#headers.delete(oldest);
  }
}

/**
 * Whether it could stand across the punctuation of JSON, from within a string or from between values. Cookies of
 * settings do not: they are whole values, or begin with what no JSON has there, such as `j:{"theme":"dark"}`.
 */
const isTornJson = (value: string): boolean =>
  /"\s*[:,\]}]|[:,[{]\s*"/.test(value) &&
  !isJson(value) &&
  !isJson(`"${value}"`) &&
  [false, true].some((isInString) =>
    new JsonPlaces(value, { ...JSON_START, isInString }).isPlausible(0, value.length),
  );
