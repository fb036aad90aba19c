import { truncate } from '#shared/format.ts';
import type { Stream } from '#shared/contract/sessions.ts';
import { type BodyReader, EventStream, WholeBody } from './body-readers.ts';
import type { HttpResponse, HttpClient } from './http-client.ts';
import { deliveryOf } from './http-response-faults.ts';
import { quoteBytes, type Redact } from './quote.ts';
import type { WireSink } from './transport.ts';

const EVENT_STREAM = 'text/event-stream';

/** The media type of a response without parameters, in lower case; empty if missing. */
const mediaType = (response: Pick<HttpResponse, 'header'>): string =>
  (response.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isSuccess = ({ status }: Pick<HttpResponse, 'status'>): boolean => status >= 200 && status < 300;

export const isEventStream = (response: Pick<HttpResponse, 'status' | 'header'>): boolean =>
  isSuccess(response) && mediaType(response) === EVENT_STREAM;

export function hasJsonType(response: HttpResponse): boolean {
  const type = mediaType(response);
  return type === 'application/json' || type.endsWith('+json');
}

/** What the readers of a client's bodies need. */
interface ReadingContext {
  readonly client: HttpClient;
  readonly sink: WireSink;
  readonly streams: Streams;
}

/** Reads a body as one unit: as a message, or as other bytes. */
export function wholeBody(
  { client, sink }: ReadingContext,
  { exchange }: HttpResponse,
  as: 'message' | 'body',
): BodyReader {
  return new WholeBody({ sink, unit: () => client.nextUnit(), exchange, as });
}

/** Reads a body as an event stream and keeps the stream's entry up to date. */
export function eventStream(
  { client, sink, streams }: ReadingContext,
  { exchange }: HttpResponse,
  stream: WireStream,
  onEvent?: (name: string | null, data: Buffer | null) => void,
): BodyReader {
  const reader = new EventStream({
    sink,
    unit: () => client.nextUnit(),
    exchange,
    ...(onEvent !== undefined && { onEvent }),
  });
  const before = stream.events;
  const note = () =>
    streams.change(stream, {
      events: before + reader.events,
      // An empty id resets the one before (HTML standard, server-sent events).
      lastEventId: (reader.lastEventId ?? stream.lastEventId) || null,
      retry: reader.retry ?? stream.retry,
    });
  return {
    push: (bytes, at) => {
      reader.push(bytes, at);
      note();
    },
    end: (at, cut) => {
      reader.end(at, cut);
      note();
    },
  };
}

/** Ended streams kept for display. */
const MAX_ENDED = 20;

/** The state of an event stream; `exchange` is its current or last exchange. */
export type WireStream = { -readonly [K in keyof Omit<Stream, 'row'>]: Stream[K] };

/** The open event streams of a session, and the last ended ones. */
export class Streams {
  readonly #onChange: () => void;
  #streams: WireStream[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get all(): readonly WireStream[] {
    return this.#streams;
  }

  add(kind: WireStream['kind'], exchange: number): WireStream {
    const stream: WireStream = {
      exchange,
      kind,
      state: 'open',
      events: 0,
      lastEventId: null,
      retry: null,
      resumed: 0,
    };
    const ended = this.#streams.filter(isEnded);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)));
    this.#streams = [...this.#streams.filter((one) => !forgotten.has(one)), stream];
    this.#onChange();
    return stream;
  }

  change(stream: WireStream, change: Partial<WireStream>): void {
    Object.assign(stream, change);
    this.#onChange();
  }
}

const isEnded = ({ state }: WireStream): boolean => state === 'closed' || state === 'refused';

/** Bytes of a body kept for quoting, and the number of bodies. */
const MAX_HELD = 16 * 1024;
const MAX_BODIES = 200;
/** Challenges that are quoted. */
const MAX_CHALLENGES = 6;
/** Characters read of a header line, and quoted of one of its parameters. */
const MAX_HEADER_LENGTH = 8 * 1024;
const MAX_VALUE_LENGTH = 300;

interface ReceivedBody {
  readonly response: HttpResponse;
  readonly pieces: Buffer[];
  size: number;
}

/**
 * Keeps how the bodies of responses begin, for quoting: the challenge (RFC 9110 section 11.6.1) and the first lines.
 * Secrets are replaced before the text is shortened, so that none is cut in two.
 */
export class ReceivedBodies {
  readonly redacted: Redact;
  /** The last responses, by exchange; the oldest first. */
  readonly #bodies = new Map<number, ReceivedBody>();

  constructor(redacted: Redact) {
    this.redacted = redacted;
  }

  /** Wraps the reader of a response, keeping how its body begins. */
  capture(response: HttpResponse, reader: BodyReader): BodyReader {
    const body: ReceivedBody = { response, pieces: [], size: 0 };
    this.#bodies.set(response.exchange, body);
    const [oldest] = this.#bodies.keys();
    if (this.#bodies.size > MAX_BODIES && oldest !== undefined) this.#bodies.delete(oldest);
    return {
      push: (bytes, at) => {
        // A copy, because chunks may share a large buffer.
        if (body.size < MAX_HELD) body.pieces.push(Buffer.from(bytes.subarray(0, MAX_HELD - body.size)));
        body.size += bytes.length;
        reader.push(bytes, at);
      },
      end: (at, cut) => reader.end(at, cut),
    };
  }

  /** The quotable text of an exchange's response; undefined if there is none. */
  quote(exchange: number): string | undefined {
    const body = this.#bodies.get(exchange);
    if (body === undefined) return undefined;
    const quoted = quoteBytes(Buffer.concat(body.pieces), this.redacted);
    return [...this.#challengeLines(body), ...(quoted === undefined ? [] : [quoted])].join('\n') || undefined;
  }

  /** The quotable text of bytes that came in place of a response; undefined if there are none. */
  quoteBytes(bytes: Buffer): string | undefined {
    return quoteBytes(bytes, this.redacted);
  }

  /** The challenge alone, for a response whose body was understood. */
  challenge(exchange: number): string | undefined {
    const body = this.#bodies.get(exchange);
    return (body && this.#challengeLines(body).join('\n')) || undefined;
  }

  /** How the response came, in sentences: after redirects, or encoded; undefined if neither. */
  delivery(exchange: number): string | undefined {
    const response = this.#bodies.get(exchange)?.response;
    return response && deliveryOf(response);
  }

  #challengeLines({ response }: ReceivedBody): string[] {
    if (isSuccess(response)) return [];
    return response.headers
      .filter(([name]) => name.toLowerCase() === 'www-authenticate')
      .flatMap(([, value]) => challengesIn(this.redacted(value).slice(0, MAX_HEADER_LENGTH)))
      .slice(0, MAX_CHALLENGES)
      .map((challenge) => `WWW-Authenticate: ${challenge}`);
  }
}

/** Quoted parameters: they say what is missing (RFC 6750 section 3, RFC 9728 section 5.1). Others may hold anything. */
const quotedParameters: ReadonlySet<string> = new Set([
  'realm',
  'error',
  'error_description',
  'scope',
  'resource_metadata',
]);

/** A parameter with its value, or a bare word: the scheme of the next challenge. */
const PART = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w!#$%&'*+.^`|~-]+)/g;

/** The challenges in a header line with their quoted parameters. */
function challengesIn(value: string): string[] {
  const challenges: { scheme: string; parameters: string[] }[] = [];
  for (const [, name = '', quoted, token = '', scheme] of value.matchAll(PART)) {
    if (scheme !== undefined) challenges.push({ scheme, parameters: [] });
    else if (quotedParameters.has(name.toLowerCase())) {
      const plain = quoted?.replaceAll(/\\(.)/g, '$1') ?? token;
      challenges.at(-1)?.parameters.push(`${name.toLowerCase()}="${truncate(plain, MAX_VALUE_LENGTH)}"`);
    }
  }
  return challenges.map(({ scheme, parameters }) =>
    [truncate(scheme, 40), parameters.join(', ')].join(' ').trim(),
  );
}
