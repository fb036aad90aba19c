import type { HttpSession, SessionView, Stream } from '#shared/contract/sessions.ts';
import type { HttpRequestRecord, HttpResponseRecord } from '#shared/trace/record.ts';
import { firstValue } from '#transports/http-messages.ts';
import { isEventStream } from '#transports/responses.ts';
import { parseRecord, readRecord } from '#trace/view/row-reader.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** Limits of POST and GET exchanges that are searched for streams, the newest of each. */
const MAX_EXCHANGES = 200;
/** Limit of events of one stream that are read for its last id and its `retry`, from each end. */
const MAX_EVENTS_READ = 20;

/** The part of a recorded session that only HTTP has. */
export async function recordedHttp(
  requests: RecordedRequests,
  url: string,
): Promise<{ readonly http: HttpSession; readonly transport: SessionView['transport'] }> {
  const { columns } = requests.trace.index;
  const initialize = requests.rows('initialize').findLast((row) => columns.pair(row) !== null);
  const answer = initialize === undefined ? null : columns.pair(initialize);
  const sent = initialize === undefined ? null : columns.exchangeRow(initialize);
  const answered = answer === null ? null : columns.exchangeRow(answer);
  // Over HTTP+SSE responses come on the stream of a GET.
  const isSse = answered !== null && columns.method(answered) === 'GET';
  const request = sent === null ? null : await readExchange(requests, sent);
  const wasAnswered =
    answer !== null || requests.rows('server/discover').some((row) => columns.pair(row) !== null);
  return {
    transport: isSse ? 'http-sse' : wasAnswered ? 'streamable-http' : 'http',
    http: {
      url,
      endpoint: isSse ? (request?.request.url ?? null) : null,
      sessionId: request?.response ? firstValue(request.response.headers, 'mcp-session-id') : null,
      renewed: Math.max(
        0,
        requests.rows('initialize').filter((row) => columns.status(row) === 'ok').length - 1,
      ),
      streams: await readStreams(requests),
      authorization: null,
    },
  };
}

interface RecordedExchange {
  readonly row: number;
  readonly exchange: number;
  readonly request: HttpRequestRecord;
  readonly response: HttpResponseRecord | null;
}

async function readExchange(requests: RecordedRequests, row: number): Promise<RecordedExchange | null> {
  const { trace } = requests;
  const request = await readRecord(trace, row);
  if (request.kind !== 'http-request') return null;
  const place = trace.index.exchanges.record(request.exchange, 'response');
  const [line] = place === null ? [] : await trace.file.read([place]);
  const response = line === undefined ? null : parseRecord(line);
  return {
    row,
    exchange: request.exchange,
    request,
    response: response?.kind === 'http-response' ? response : null,
  };
}

async function readStreams(requests: RecordedRequests): Promise<Stream[]> {
  const { columns } = requests.trace.index;
  const rows = { GET: [] as number[], POST: [] as number[] };
  for (let row = columns.count - 1; row >= 0; row--) {
    if (columns.kind(row) !== 'http') continue;
    const method = columns.method(row);
    if ((method === 'GET' || method === 'POST') && rows[method].length < MAX_EXCHANGES)
      rows[method].push(row);
  }
  const chosen = [...rows.GET, ...rows.POST].sort((a, b) => a - b);
  const events = eventsOf(requests, chosen);
  const streams: Stream[] = [];
  for (const row of chosen) {
    const one = await readExchange(requests, row);
    if (one === null || one.response === null) continue;
    const isStanding = one.request.method === 'GET';
    const { status, headers } = one.response;
    const isStream = isEventStream({ status, header: (name) => firstValue(headers, name) });
    const isRefused = isStanding && status === 405;
    if (!isStream && !isRefused) continue;
    const fields = isRefused
      ? { lastEventId: null, retry: null }
      : await fieldsOf(requests, events.get(row) ?? []);
    const after = firstValue(one.request.headers, 'last-event-id');
    const resumed = after === null ? undefined : streams.find(({ lastEventId }) => lastEventId === after);
    const found = { row, exchange: one.exchange, events: events.get(row)?.length ?? 0 };
    if (resumed === undefined) {
      streams.push({
        ...found,
        kind: isStanding ? 'standing' : 'answer',
        state: isRefused ? 'refused' : 'closed',
        ...fields,
        resumed: 0,
      });
    } else {
      Object.assign(resumed, {
        ...found,
        events: resumed.events + found.events,
        lastEventId: fields.lastEventId ?? resumed.lastEventId,
        retry: fields.retry ?? resumed.retry,
        resumed: resumed.resumed + 1,
      });
    }
  }
  return streams;
}

/** The rows of the events that each of these exchanges carried. */
function eventsOf(requests: RecordedRequests, exchanges: readonly number[]): ReadonlyMap<number, number[]> {
  const { columns } = requests.trace.index;
  const events = new Map(exchanges.map((row) => [row, [] as number[]]));
  for (let row = exchanges[0] ?? columns.count; row < columns.count; row++) {
    const isEvent = columns.channel(row) === 'sse' && columns.position(row) === 0;
    const exchange = isEvent || columns.kind(row) === 'sse' ? columns.exchangeRow(row) : null;
    if (exchange !== null) events.get(exchange)?.push(row);
  }
  return events;
}

/** The last id and the last `retry` of a stream, among its first and last events. */
async function fieldsOf(
  { trace }: RecordedRequests,
  rows: readonly number[],
): Promise<Pick<Stream, 'lastEventId' | 'retry'>> {
  let lastEventId: string | null = null;
  let retry: number | null = null;
  for (const row of new Set([...rows.slice(0, MAX_EVENTS_READ), ...rows.slice(-MAX_EVENTS_READ)])) {
    const record = await readRecord(trace, row);
    const fields = record.kind === 'unit' ? record.sse : record.kind === 'sse' ? record : undefined;
    lastEventId = fields?.id ?? lastEventId;
    retry = fields?.retry ?? retry;
  }
  return { lastEventId, retry };
}
