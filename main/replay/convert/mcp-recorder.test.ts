import { expect, test } from 'vitest';
import { traceHeaderSchema, traceRecordSchema } from '#shared/trace/record.ts';
import { convertCassette } from './mcp-recorder.ts';

const interaction = (request: string, response: string, more = '') =>
  `    {\n      "type": "${response === 'null' ? 'notification' : 'jsonrpc_request'}",\n      "request": ${request},\n      "response": ${response},${more}\n      "latency_ms": 7\n    }`;

/** Redacts nothing. */
const asItIs = { json: (texts: readonly string[]) => texts, text: (text: string) => text };

const cassette = (interactions: readonly string[], version = '"1.0"') => `{
  "version": ${version},
  "metadata": { "recorded_at": "2026-03-01T10:00:00Z", "server_url": "http://127.0.0.1:8000", "server_info": { "name": "shop" } },
  "interactions": [
${interactions.join(',\n')}
  ]
}
`;

const order = `{ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "order", "arguments": { "count": 9007199254740993 } } }`;
const ordered = '{ "jsonrpc": "2.0", "id": 1, "result": { "content": [] } }';

function converted(text: string) {
  const read = convertCassette(text, '1.2.3', asItIs);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  const [header, ...records] = read.value.text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  return {
    ...read.value,
    header: traceHeaderSchema.parse(header),
    records: records.map((record) => traceRecordSchema.parse(record)),
  };
}

test('a cassette becomes a trace with its messages, byte for byte but for whitespace', () => {
  const { header, records, entries, unsupported } = converted(
    cassette([
      interaction(
        '{ "jsonrpc": "2.0", "id": 0, "method": "initialize" }',
        '{ "jsonrpc": "2.0", "id": 0, "result": {} }',
      ),
      interaction('{ "jsonrpc": "2.0", "method": "notifications/initialized" }', 'null'),
      interaction(order, ordered),
    ]),
  );
  expect(unsupported).toEqual([]);
  expect(entries).toBe(5);
  expect(header).toMatchObject({ createdAt: '2026-03-01T10:00:00.000Z', server: { name: 'shop' } });
  expect(records.map((record) => (record.kind === 'phase' ? record.phase : record.kind))).toEqual([
    'connecting',
    'initializing',
    'unit',
    'unit',
    'unit',
    'ready',
    'unit',
    'unit',
    'closed',
  ]);
  const [sent, received] = records.filter((record) => record.kind === 'unit').slice(-2);
  expect(sent?.text).toBe(order.replaceAll(/ (?=["{}])|(?<=[:,]) /g, ''));
  expect(sent).toMatchObject({ direction: 'out', channel: 'stdin', origin: 'user' });
  expect((received?.at ?? 0) - (sent?.at ?? 0)).toBeGreaterThanOrEqual(7000);
});

test('a message of several MiB comes in pieces', () => {
  const long = `{ "jsonrpc": "2.0", "id": 1, "result": "${'é😀'.repeat(500_000)}" }`;
  const { records } = converted(cassette([interaction(order, long)]));
  const pieces = records.filter(
    ({ kind, ...record }) => kind === 'chunk' || ('more' in record && record.more),
  );
  expect(pieces.length).toBeGreaterThan(3);
  const text = records
    .map((record) => ('text' in record && record.kind !== 'stderr' ? (record.text ?? '') : ''))
    .join('');
  expect(text).toContain('é😀'.repeat(500_000));
});

test('what a trace cannot have is named with its line', () => {
  const { unsupported, entries } = converted(
    cassette([
      interaction(order, ordered, '\n      "response_is_sse": true,\n      "response_status": 500,'),
      '    { "type": "lifecycle", "http_method": "DELETE", "http_path": "/mcp", "tags": [1] }',
    ]),
  );
  expect(entries).toBe(2);
  expect(unsupported.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '10 response_status 500: the trace has no HTTP status',
    '13 tags: is not known, and left out',
    '13 DELETE /mcp: an HTTP request without a message, left out',
    '9 response_is_sse: the trace has messages, not how HTTP carried them',
  ]);
});

test.each([
  [cassette([], '"2.0"'), 2, 'version "2.0" of a cassette of mcp-recorder cannot be read, only "1.0"'],
  [cassette([interaction(order, '{ "id": 1 }')]), 8, 'interactions.0.response.jsonrpc: '],
  ['{\n  "version": "1.0",\n  oops', 3, ''],
  ['{}', 1, ''],
])('a damaged or newer file is refused with its line', (text, line, message) => {
  const read = convertCassette(text, '1.2.3', asItIs);
  expect(read.ok).toBe(false);
  if (read.ok) return;
  expect(read.errors[0]?.line).toBe(line);
  expect(read.errors[0]?.message).toContain(message);
});
