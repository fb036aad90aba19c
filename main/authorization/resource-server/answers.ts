import { z } from 'zod';
import type { Fault } from '#shared/contract/fault.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { FlowResponse } from '#authorization/exchange.ts';
import { challengeWords, wordsOfBody } from '#authorization/server-words.ts';
import { SseParser } from '#transports/sse.ts';

/** What came of one request of a test. */
export type TestAnswer =
  | { readonly response: FlowResponse; readonly fault: null }
  | { readonly response: null; readonly fault: Fault };

/**
 * How a server took a request. `refused-in-body`: with a status of success, and an error or a page in its body. `redirected`, `failed`
 * (5xx) and `busy` (429, and 502 to 504) say so by their status.
 */
export type Reception =
  | 'accepted'
  | 'refused'
  | 'refused-in-body'
  | 'redirected'
  | 'failed'
  | 'busy'
  | 'nothing';

const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** @param wants what a request that is accepted gets: a JSON-RPC result, an event stream, or any status of success */
export function receptionOf(
  { response }: Pick<TestAnswer, 'response'>,
  wants: 'result' | 'stream' | 'success',
): Reception {
  if (response === null) return 'nothing';
  const { status } = response;
  if (BUSY.has(status)) return 'busy';
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  if (status >= 300) return 'redirected';
  if (wants === 'success') return 'accepted';
  if (wants === 'stream') return isEventStream(response) ? 'accepted' : 'refused-in-body';
  const messages = messagesIn(response, response.body);
  // A request that is processed may be answered later, on another stream.
  if (status === 202 && response.body.length === 0) return 'accepted';
  return messages.some(({ result }) => result !== undefined) ? 'accepted' : 'refused-in-body';
}

interface Head {
  readonly headers: HeaderLines;
}

/** The value of a header, whatever its case; null without it. */
export const headerOf = ({ headers }: Head, name: string): string | null =>
  headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;

/** The id of the session that a response begins (MCP Streamable HTTP, session management); null without one. */
export const sessionIdOf = ({ response }: Pick<TestAnswer, 'response'>): string | null =>
  response !== null && response.status < 300 ? headerOf(response, 'mcp-session-id') : null;

const isEventStream = (head: Head): boolean =>
  /^\s*text\/event-stream\b/i.test(headerOf(head, 'content-type') ?? '');

const messageSchema = z.looseObject({
  id: z.unknown(),
  result: z.unknown(),
  error: z.looseObject({ message: z.unknown() }).optional(),
});
type Message = z.infer<typeof messageSchema>;

/** The JSON objects of a body: one, those of a batch, or those of the events of a stream. */
function messagesIn(head: Head, body: Buffer): Message[] {
  const texts = isEventStream(head) ? readEvents(body).events.map(({ data }) => data) : [body.toString()];
  return texts.flatMap((one) => {
    const value = parsed(one);
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.flatMap((item) => messageSchema.safeParse(item).data ?? []);
  });
}

/** Whether an event stream has the answer to a request, so that the rest need not be read. Other bodies end by themselves. */
export const isAnswered = (head: Head, body: Buffer, id: string): boolean =>
  isEventStream(head) && messagesIn(head, body).some((message) => message.id === id);

const agreedSchema = z.looseObject({
  protocolVersion: z.string().refine((text) => eraOf(text) === 'legacy'),
});

/** The revision in the result of `initialize`; null if it names none that we know. */
export const protocolVersionOf = (response: FlowResponse): string | null =>
  messagesIn(response, response.body)
    .map(({ result }) => agreedSchema.safeParse(result).data?.protocolVersion)
    .find((revision) => revision !== undefined) ?? null;

interface StreamEvent {
  /** Empty if the stream names none. */
  readonly name: string;
  readonly data: string;
}

interface EventStream {
  readonly events: readonly StreamEvent[];
  readonly lastEventId: string | null;
}

/** What of an event stream is complete. */
export function readEvents(body: Buffer): EventStream {
  const events: StreamEvent[] = [];
  let data: Buffer[] = [];
  const parser = new SseParser({
    data: ({ bytes, sse }) => {
      data.push(bytes);
      if (sse === undefined) return;
      events.push({ name: sse.name ?? '', data: Buffer.concat(data).toString() });
      data = [];
    },
    lines: () => undefined,
  });
  parser.push(body);
  return { events, lastEventId: parser.lastEventId === '' ? null : parser.lastEventId };
}

/** The last event id in the response, with which its stream can be resumed; null without one. */
export const lastEventIdOf = ({ response }: Pick<TestAnswer, 'response'>): string | null =>
  response === null || !isEventStream(response) ? null : readEvents(response.body).lastEventId;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not JSON, so not a message.
  }
}

/** The server's own words about a request that it rejected, from the copy without secrets; empty if it said nothing. Untrusted. */
export function wordsOf({ shown: { headers, text } }: FlowResponse): string {
  const head = { headers };
  const body = Buffer.from(text);
  if (messagesIn(head, body).some(({ result }) => result !== undefined)) return '';
  const said = isEventStream(head) ? (readEvents(body).events.at(-1)?.data ?? '') : text;
  const inChallenge = challengeWords(headers).quote;
  const inBody = wordsOfBody(said, headerOf(head, 'content-type') ?? '').quote;
  return [...new Set([inChallenge, inBody])].filter((one) => one !== null).join(': ');
}
