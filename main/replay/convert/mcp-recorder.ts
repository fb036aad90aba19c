import { z } from 'zod';
import type { Converted } from '#shared/contract/convert.ts';
import type { FileError } from '#shared/contract/saved-calls.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { compactJson } from '#shared/json/tokens.ts';
import { rangeOf, treeOf } from '#shared/json/tree.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import {
  PIECE_BYTES,
  TRACE_FORMAT,
  TRACE_VERSION,
  type TraceHeader,
  type TraceRecord,
} from '#shared/trace/record.ts';
import { placeIn, readPlacedJson, type PlacedJson } from '#replay/placed-json.ts';

const VERSION = '1.0';

const message = z.looseObject({ jsonrpc: z.literal('2.0') });

const interactionShape = z.looseObject({
  type: z.enum(['jsonrpc_request', 'notification', 'lifecycle']),
  request: message.nullish(),
  response: message.nullish(),
  response_is_sse: z.boolean().nullish(),
  response_status: z.number().int().nullish(),
  latency_ms: z.number().nonnegative().nullish(),
  http_method: z.string().nullish(),
  http_path: z.string().nullish(),
});
type Interaction = z.infer<typeof interactionShape>;

const metadataShape = z.looseObject({
  recorded_at: z.string().nullish(),
  server_url: z.string().nullish(),
  transport_type: z.string().nullish(),
  protocol_version: z.string().nullish(),
  server_info: z.looseObject({ name: z.string().optional() }).nullish(),
});

const cassetteShape = z.looseObject({
  version: z.literal(VERSION, {
    error: ({ input }) =>
      `version ${JSON.stringify(input)} of a cassette of mcp-recorder cannot be read, only ${JSON.stringify(VERSION)}`,
  }),
  metadata: metadataShape.nullish(),
  interactions: z.array(interactionShape),
});

/** Requests that a client sends by itself. */
const automatic: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized', 'ping']);

/** Converts a cassette of mcp-recorder to a trace. A cassette has messages and nothing of HTTP, so it becomes a trace on stdio. */
export function convertCassette(text: string, appVersion: string): PlacedJson<Converted> {
  const read = readPlacedJson(text, cassetteShape);
  if (!read.ok) return read;
  const { metadata, interactions } = read.value;
  const unsupported = unsupportedIn(text, read.value);
  const trace = new TraceText(metadata?.recorded_at ?? null);
  const texts = elementTexts(memberText(text, ['interactions']) ?? '[]');
  trace.phase('connecting');
  for (const [index, { type, request, latency_ms: latency }] of interactions.entries()) {
    if (type === 'lifecycle') continue;
    const written = texts[index] ?? '{}';
    const method = typeof request?.method === 'string' ? request.method : '';
    if (method === 'initialize') trace.phase('initializing');
    trace.message('out', memberText(written, ['request']), automatic.has(method) ? 'automatic' : 'user');
    trace.pass(latency ?? 0);
    trace.message('in', memberText(written, ['response']));
    if (method === 'notifications/initialized') trace.phase('ready');
  }
  trace.phase('closed', 'The cassette ends here.');
  const url = metadata?.server_url ?? '';
  const header = {
    format: TRACE_FORMAT,
    version: TRACE_VERSION,
    app: { name: 'sightglass', version: appVersion },
    createdAt: new Date(trace.wall).toISOString(),
    clock: { at: 0, wall: trace.wall },
    server: {
      name: metadata?.server_info?.name ?? 'cassette',
      transport: 'stdio',
      command: 'mcp-recorder',
      args: url === '' ? [] : [url],
    },
  } satisfies TraceHeader;
  return {
    ok: true,
    value: {
      format: 'mcp-recorder',
      ending: '.mcptrace',
      text: `${[JSON.stringify(header), ...trace.lines].join('\n')}\n`,
      entries: trace.messages,
      unsupported,
    },
  };
}

const known = {
  cassette: ['version', 'metadata', 'interactions'],
  metadata: Object.keys(metadataShape.shape),
  interaction: Object.keys(interactionShape.shape),
};

/** What a trace of these messages cannot say. */
function unsupportedIn(
  text: string,
  { metadata, interactions, ...others }: z.infer<typeof cassetteShape>,
): FileError[] {
  const tree = treeOf(text);
  const found: FileError[] = [];
  const note = (path: readonly PropertyKey[], what: string) =>
    found.push({ ...placeIn(text, rangeOf(tree, pointerOf(path))?.start ?? 0), message: what });
  const unknown = (path: readonly PropertyKey[], value: object, names: readonly string[]) => {
    for (const name of Object.keys(value))
      if (!names.includes(name)) note([...path, name], `${name}: is not known, and left out`);
  };
  unknown([], others, known.cassette);
  unknown(['metadata'], metadata ?? {}, known.metadata);
  for (const [index, one] of interactions.entries()) {
    const at = ['interactions', index];
    unknown(at, one, known.interaction);
    for (const [name, what] of unsupportedOf(one)) note([...at, name], what);
  }
  const sse = interactions.findIndex(({ response_is_sse: isSse }) => isSse === true);
  if (sse !== -1)
    note(
      ['interactions', sse, 'response_is_sse'],
      'response_is_sse: the trace has messages, not how HTTP carried them',
    );
  return found;
}

function* unsupportedOf(interaction: Interaction): Generator<[name: string, what: string]> {
  const {
    type,
    request,
    response,
    response_status: status,
    http_method: method,
    http_path: path,
  } = interaction;
  if (type === 'lifecycle') {
    yield [
      'type',
      `${[method, path].filter(Boolean).join(' ')}: an HTTP request without a message, left out`,
    ];
    return;
  }
  if (request == null) yield ['type', `${type} without a request`];
  if (type === 'notification' && response != null)
    yield ['response', 'a notification has a response, which is kept'];
  if (typeof status === 'number' && status !== 200 && status !== 202)
    yield ['response_status', `response_status ${status}: the trace has no HTTP status`];
}

/** Writes the records of a trace. */
class TraceText {
  readonly lines: string[] = [];
  /** Milliseconds since the Unix epoch. */
  readonly wall: number;
  messages = 0;
  #at = 0;

  constructor(recordedAt: string | null) {
    const wall = Date.parse(recordedAt ?? '');
    this.wall = Number.isFinite(wall) ? wall : 0;
  }

  /** @param milliseconds from the request to the response */
  pass(milliseconds: number): void {
    this.#at += Math.round(Math.min(milliseconds, MAX_LATENCY) * 1000);
  }

  phase(phase: 'connecting' | 'initializing' | 'ready' | 'closed', reason?: string): void {
    this.#add({ kind: 'phase', phase, ...(reason !== undefined && { reason }) });
  }

  /** @param json null for none */
  message(direction: 'in' | 'out', json: string | null, origin?: 'user' | 'automatic'): void {
    if (json === null || json === 'null') return;
    this.messages++;
    const pieces = piecesOf(compactJson(json) ?? json);
    const of = this.lines.length;
    for (const [index, text] of pieces.entries()) {
      const bytes = {
        text,
        size: Buffer.byteLength(text),
        ...(index < pieces.length - 1 && { more: true as const }),
      };
      const channel = direction === 'out' ? 'stdin' : 'stdout';
      if (index > 0) this.#add({ kind: 'chunk', of, ...bytes });
      else this.#add({ kind: 'unit', direction, channel, ...(origin !== undefined && { origin }), ...bytes });
    }
  }

  #add(record: DistributedOmit<TraceRecord, 'seq' | 'at'>): void {
    this.lines.push(JSON.stringify({ seq: this.lines.length, at: this.#at++, ...record }));
  }
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A day. */
const MAX_LATENCY = 24 * 3_600_000;

/** A text in pieces that are no longer than those of a trace, without a cut inside a character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length || pieces.length === 0; ) {
    let end = Math.min(text.length, from + PIECE_BYTES / 4);
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}
