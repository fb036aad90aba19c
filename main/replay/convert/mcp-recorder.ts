import { z } from 'zod';
import type { Converted } from '#shared/contract/convert.ts';
import type { FileError } from '#shared/contract/saved-calls.ts';
import { elementTexts, memberText } from '#shared/json/members.ts';
import { rangeOf, treeOf } from '#shared/json/tree.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { placeIn, readPlacedJson, type PlacedJson } from '#replay/placed-json.ts';
import { type RedactTexts, RebuiltTrace } from './rebuilt-trace.ts';

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

const lacks = ['how HTTP carried the messages', 'when each was sent', 'standard error'];

/** Converts a cassette of mcp-recorder to a trace. A cassette has messages and nothing of HTTP, so it becomes a trace on stdio. */
export function convertCassette(
  text: string,
  appVersion: string,
  redact: RedactTexts,
): PlacedJson<Converted> {
  const read = readPlacedJson(text, cassetteShape);
  if (!read.ok) return read;
  const { metadata, interactions } = read.value;
  const unsupported = unsupportedIn(text, read.value);
  const trace = new RebuiltTrace(Date.parse(metadata?.recorded_at ?? ''), 'The cassette ends here.');
  const texts = elementTexts(memberText(text, ['interactions']) ?? '[]');
  for (const [index, { type, latency_ms: latency }] of interactions.entries()) {
    if (type === 'lifecycle') continue;
    const written = texts[index] ?? '{}';
    trace.message('out', memberText(written, ['request']));
    trace.pass(latency ?? 0);
    trace.message('in', memberText(written, ['response']));
  }
  const url = metadata?.server_url ?? '';
  const server = {
    name: metadata?.server_info?.name ?? 'cassette',
    transport: 'stdio',
    command: 'mcp-recorder',
    args: url === '' ? [] : [redact.text(url)],
  } as const;
  return {
    ok: true,
    value: {
      format: 'mcp-recorder',
      ending: '.mcptrace',
      text: trace.write(
        { appVersion, server, rebuilt: { from: 'a cassette of mcp-recorder', lacks } },
        redact,
      ),
      entries: trace.messages,
      lacks,
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
