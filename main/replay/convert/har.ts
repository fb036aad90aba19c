import { elementTexts, memberText } from '#shared/json/members.ts';
import { isJson } from '#shared/json/tokens.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isSecretHeader } from '#shared/secret-names.ts';
import { type Begin, type Reading, RebuiltTrace, textOfValue } from './rebuilt-trace.ts';

/** An entry of a HAR file (HTTP Archive 1.2), as far as a trace has it. */
interface Entry {
  readonly method: string;
  readonly url: string;
  readonly headers: [string, string][];
  readonly sent: string | null;
  readonly status: number;
  readonly reason: string;
  readonly httpVersion: string;
  readonly responseHeaders: [string, string][];
  readonly body: string;
  readonly isStream: boolean;
  readonly startedAt: number | null;
  readonly took: number;
}

/** The exchanges of a HAR file that carry messages of MCP; a browser records many others. */
export function readHar(text: string, { document }: Begin): Reading {
  const written = elementTexts(memberText(text, ['log', 'entries']) ?? '[]');
  const all = written.map((one) => entryOf(JSON.parse(one)));
  const kept = all.filter((entry): entry is Entry => entry !== null && carriesMessages(entry));
  const trace = new RebuiltTrace(kept[0]?.startedAt ?? null, 'The HAR file ends here.');
  for (const [index, entry] of kept.entries()) addExchange(trace, entry, index + 1);
  const left = all.length - kept.length;
  const unsupported =
    left === 0
      ? []
      : [
          {
            line: 1,
            column: 1,
            message: `${left} of ${all.length} entries carry no message, and are left out`,
          },
        ];
  const creator = isObject(document) && isObject(document.log) ? document.log.creator : null;
  const name = isObject(creator) && typeof creator.name === 'string' ? creator.name : 'HAR';
  const url = withoutQuery(kept[0]?.url ?? 'http://unknown.invalid/');
  return { trace, unsupported, server: { name: `HAR of ${name}`, transport: 'http', url } };
}

function addExchange(trace: RebuiltTrace, entry: Entry, exchange: number): void {
  trace.goTo(entry.startedAt);
  const over = { exchange, channel: 'http' } as const;
  trace.http({
    kind: 'http-request',
    exchange,
    method: entry.method,
    url: withoutQuery(entry.url),
    headers: entry.headers,
    bodySize: Buffer.byteLength(entry.sent ?? ''),
    origin: 'automatic',
  });
  if (entry.sent !== null && isJson(entry.sent)) trace.message('out', entry.sent, over);
  trace.pass(entry.took);
  trace.http({
    kind: 'http-response',
    exchange,
    status: entry.status,
    reason: entry.reason,
    httpVersion: entry.httpVersion,
    headers: entry.responseHeaders,
  });
  if (entry.isStream)
    for (const data of eventsOf(entry.body)) trace.message('in', data, { exchange, channel: 'sse' });
  else if (isJson(entry.body)) trace.message('in', entry.body, over);
  trace.http({ kind: 'http-end', exchange, how: 'complete', size: Buffer.byteLength(entry.body) });
}

/** Null for what is no entry, and for an exchange that got no response. */
function entryOf(value: unknown): Entry | null {
  if (!isObject(value) || !isObject(value.request) || !isObject(value.response)) return null;
  const { request, response } = value;
  const content = isObject(response.content) ? response.content : {};
  const raw = typeof content.text === 'string' ? content.text : '';
  const body = content.encoding === 'base64' ? Buffer.from(raw, 'base64').toString('utf8') : raw;
  const { postData } = request;
  const responseHeaders = headersOf(response.headers);
  const status = Number(response.status);
  return {
    method: textOfValue(request.method) || 'POST',
    url: textOfValue(request.url),
    headers: headersOf(request.headers),
    sent: isObject(postData) && typeof postData.text === 'string' ? postData.text : null,
    status: Number.isInteger(status) ? status : 0,
    reason: textOfValue(response.statusText),
    httpVersion: textOfValue(response.httpVersion),
    responseHeaders,
    body,
    isStream: /^text\/event-stream\b/i.test(
      textOfValue(content.mimeType ?? responseHeaders.find(([name]) => /^content-type$/i.test(name))?.[1]),
    ),
    startedAt: typeof value.startedDateTime === 'string' ? Date.parse(value.startedDateTime) : null,
    took: typeof value.time === 'number' ? value.time : 0,
  };
}

const carriesMessages = ({ sent, body }: Entry): boolean =>
  /"jsonrpc"/.test(sent ?? '') || /"jsonrpc"/.test(body);

/** Header lines, without the values of those that hold secrets. */
const headersOf = (value: unknown): [string, string][] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown): [string, string][] => {
    if (!isObject(one) || typeof one.name !== 'string') return [];
    const text = textOfValue(one.value);
    return [
      [one.name, isSecretHeader(one.name) ? `[secret header ${one.name}, ${text.length} characters]` : text],
    ];
  });

/** A query may hold keys, and user and password stand in front of the host. */
function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The data of the events of a stream that are messages. */
function* eventsOf(stream: string): Generator<string> {
  for (const block of stream.split(/\r\n\r\n|\n\n|\r\r/)) {
    const data = block
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).replace(/^ /, '')] : []))
      .join('\n');
    if (isJson(data)) yield data;
  }
}
