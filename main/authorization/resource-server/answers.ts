import { z } from 'zod';
import { challengesOf, oauthChallenge } from '#shared/authorization/challenge.ts';
import type { Fault } from '#shared/contract/fault.ts';
import { truncate } from '#shared/format.ts';
import { eraOf } from '#shared/protocol/revisions.ts';
import type { HeaderLines } from '#shared/trace/record.ts';
import type { FlowResponse } from '#authorization/exchange.ts';

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
  const text = body.toString();
  const texts = isEventStream(head) ? eventsOf(text).map(({ data }) => data) : [text];
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
  readonly name: string;
  readonly id: string | null;
  readonly data: string;
}

/** The events of a stream that are complete (HTML standard, server-sent events). */
export function eventsOf(text: string): StreamEvent[] {
  const blocks = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n\n').slice(0, -1);
  return blocks.map((block) => {
    const fields = block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(':');
      return colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
    });
    const all = (name: string) => fields.flatMap(([own, value]) => (own === name ? [value] : []));
    return {
      name: all('event').at(-1) ?? 'message',
      id: all('id').at(-1) ?? null,
      data: all('data').join('\n'),
    };
  });
}

/** The last event id in the response, with which its stream can be resumed; null without one. */
export const lastEventIdOf = ({ response }: Pick<TestAnswer, 'response'>): string | null =>
  response === null || !isEventStream(response)
    ? null
    : (eventsOf(response.body.toString()).findLast(({ id }) => id !== null && id !== '')?.id ?? null);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Not JSON, so not a message.
  }
}

/** Limit of characters of the words of a server. */
const MAX_WORDS = 300;

const errorSchema = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string() })]),
  error_description: z.string().optional(),
});
const saidSchema = z.looseObject({
  error_description: z.string().optional(),
  message: z.string().optional(),
  detail: z.string().optional(),
  title: z.string().optional(),
});

/** The server's own words about a request, from the copy without secrets; empty if it said nothing. Untrusted. */
export function wordsOf({ shown: { headers, text } }: FlowResponse): string {
  const challenge = oauthChallenge(challengesOf(headers));
  const inChallenge = ['error', 'error_description']
    .map((name) => challenge?.parameters.get(name) ?? '')
    .filter((one) => one !== '');
  const inBody = wordsOfBody({ headers }, text);
  const all = inChallenge.includes(inBody) || inBody === '' ? inChallenge : [...inChallenge, inBody];
  return truncate(all.join(': ').replaceAll(/\s+/g, ' ').trim(), MAX_WORDS);
}

function wordsOfBody(head: Head, text: string): string {
  const whole = isEventStream(head) ? (eventsOf(text).at(-1)?.data ?? '') : text;
  const value = parsed(whole);
  const error = errorSchema.safeParse(value).data;
  if (error !== undefined) {
    const { error: what, error_description: why } = error;
    if (typeof what !== 'string') return what.message;
    return why === undefined ? what : `${what}: ${why}`;
  }
  if (value !== null) {
    const said = saidSchema.safeParse(value).data;
    return said?.error_description ?? said?.message ?? said?.detail ?? said?.title ?? '';
  }
  const title = /<title[^>]{0,200}>([^<]{1,400})/i.exec(whole)?.[1];
  if (title !== undefined) return title;
  return /^\s*</.test(whole) ? '' : (whole.trim().split('\n', 1)[0] ?? '');
}
