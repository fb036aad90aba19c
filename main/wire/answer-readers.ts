import { type BodyReader, EventStream, WholeBody } from './body-readers.ts';
import type { HttpClient, HttpResponse } from './http-client.ts';
import type { Streams, WireStream } from './streams.ts';
import type { WireSink } from './transport.ts';

const EVENT_STREAM = 'text/event-stream';

/** The media type of a response without its parameters, in lower case; empty when there is none. */
const mediaType = (response: HttpResponse): string =>
  (response.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

export const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300;

export const isEventStream = (response: HttpResponse): boolean =>
  isSuccess(response) && mediaType(response) === EVENT_STREAM;

export function isJson(response: HttpResponse): boolean {
  const type = mediaType(response);
  return type === 'application/json' || type.endsWith('+json');
}

/** What every reader of a body of one client needs. */
export interface ReadingContext {
  readonly client: HttpClient;
  readonly sink: WireSink;
  readonly streams: Streams;
}

/** Takes a body as one unit that should be a message, or as one that is none. */
export function wholeBody(
  { client, sink }: ReadingContext,
  { exchange }: HttpResponse,
  as: 'message' | 'body',
): BodyReader {
  return new WholeBody({ sink, unit: () => client.nextUnit(), exchange, as });
}

/** Takes a body as an event stream, and keeps the stream's entry up to date. */
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
      // An empty id takes back the one before (HTML standard, server-sent events).
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
