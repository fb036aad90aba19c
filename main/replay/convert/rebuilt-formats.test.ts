import { describe, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { foreignFormats } from '#shared/contract/convert.ts';
import { type TraceRecord, traceHeaderSchema, traceRecordSchema } from '#shared/trace/record.ts';
import { redactJsonTexts, redactText } from '#trace/export/redact/redact-text.ts';
import { convertText } from './convert-text.ts';
import { rebuiltFormats } from './rebuilt-formats.ts';

const redact = {
  json: (texts: readonly string[]) => redactJsonTexts(texts).texts,
  text: (text: string) => redactText(text, []),
};

function rebuilt(text: string) {
  const converted = convertText({ name: 'file', text, appVersion: '1.2.3' }, redact);
  const [header, ...lines] = converted.text.trimEnd().split('\n');
  const records = lines.map((line) => traceRecordSchema.parse(JSON.parse(line)));
  return { ...converted, header: traceHeaderSchema.parse(JSON.parse(header ?? '')), records };
}

/** Each record in short: `out tools/call`, `in result`, `noise …`, `stderr …`. */
const inShort = (records: readonly TraceRecord[]): string[] =>
  records.flatMap((record) => {
    if (record.kind === 'stderr') return [`stderr ${record.text}`];
    if (record.kind === 'http-response') return [`status ${record.status}`];
    if (record.kind !== 'unit') return [];
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(record.text ?? '');
    } catch {
      return [`noise ${record.direction} ${record.text}`];
    }
    const what =
      typeof message.method === 'string' ? message.method : 'error' in message ? 'error' : 'result';
    return [`${record.direction} ${what}`];
  });

const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}';
const agreed = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}';
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const call =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"count":9007199254740993,"password":"hunter2-hunter2"}}}';
const paid = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
const asks = '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"sure?"}}';
const answers = '{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}';

const plain = ['out initialize', 'in result', 'out notifications/initialized', 'out tools/call', 'in result'];
const snoop = (second: number, direction: string, rest: string): string =>
  `{"session_id":"a","server_label":"shop","seq":${second},"ts":"2026-05-01T10:00:0${second}Z","direction":"${direction}","transport":"stdio",${rest}}`;
const listed = [initialize, agreed, initialized, call, paid];

/** A file of each format, with what its trace has. `broken` is a line of it that cannot be read. */
const files: Readonly<
  Record<string, { readonly text: string; readonly has: readonly string[]; readonly line?: number }>
> = {
  mcpsnoop: {
    text: [
      snoop(0, 'meta', '"raw":{"command":["node","shop.js"]}'),
      snoop(1, 'c2s', `"raw":${initialize}`),
      snoop(2, 's2c', `"raw":${agreed}`),
      snoop(3, 'c2s', `"raw":${initialized}`),
      snoop(4, 'stderr', '"text":"started"'),
      snoop(5, 's2c', '"text":"printed"'),
      snoop(6, 'c2s', `"raw":${call}`),
      '{"session_id": torn',
      snoop(7, 's2c', `"raw":${paid}`),
    ].join('\n'),
    has: [
      ...plain.slice(0, 3),
      'stderr started',
      'noise in printed',
      'out tools/call',
      'noise in {"session_id": torn',
      'in result',
    ],
    line: 8,
  },
  'mcp-cassette-npm': {
    text: [
      '{"type":"header","cassetteVersion":2,"recorder":"mcp-cassette@1","startedAt":"2026-05-01T10:00:00Z","transport":"stdio","command":["node","shop.js"]}',
      `{"type":"frame","t":1000,"dir":"c2s","frame":${initialize}}`,
      `{"type":"frame","t":2000,"dir":"s2c","frame":${agreed}}`,
      `{"type":"frame","t":2500,"dir":"c2s","frame":${initialized}}`,
      `{"type":"frame","t":3000,"dir":"c2s","frame":${call}}`,
      '{"type":"raw","t":3100,"dir":"s2c","data":"printed"}',
      '{"type":"later","t":3150}',
      `{"type":"chunks","t":3200,"dir":"s2c","id":1,"chunks":[{"t":3200,"frame":${paid}}]}`,
    ].join('\n'),
    has: [...plain.slice(0, 4), 'noise in printed', 'in result'],
    line: 7,
  },
  'mcp-cassette-pypi': {
    text: `{"format_version": 2, "recorded_at": "2026-05-01T10:00:00Z", "transport": "stdio", "server_info": {"name": "shop", "version": "1"}, "messages": [
${listed.map((payload, seq) => `{"seq": ${seq}, "t_offset_ms": ${seq * 1000}, "sender": "${[1, 4].includes(seq) ? 'server' : 'client'}", "kind": "request", "payload": ${payload}}`).join(',\n')},
{"seq": 9, "t_offset_ms": 9000, "sender": "server", "kind": "raw", "payload": "printed"}, {"seq": 10}]}`,
    has: [...plain, 'noise in printed'],
    line: 1,
  },
  inspector: {
    text: `[
{"id":"a","timestamp":"2026-05-01T10:00:01Z","direction":"request","origin":"client","message":${initialize},"response":${agreed},"duration":1000},
{"id":"b","timestamp":"2026-05-01T10:00:03Z","direction":"notification","message":${initialized}},
{"id":"c","timestamp":"2026-05-01T10:00:04Z","direction":"request","message":${call},"response":${paid}},
{"id":"d","timestamp":"2026-05-01T10:00:05Z","direction":"request","origin":"server","message":${asks},"response":${answers}}
]`,
    has: [...plain, 'in elicitation/create', 'out result'],
  },
  har: {
    text: JSON.stringify({
      log: {
        version: '1.2',
        creator: { name: 'Browser', version: '1' },
        entries: [
          entry(initialize, agreed, 'application/json'),
          entry(null, '<html>', 'text/html'),
          entry(initialized, '', 'text/plain', 202),
          entry(call, `: hi\nevent: message\ndata: ${paid}\n\n`, 'text/event-stream'),
        ],
      },
    }),
    has: [
      'out initialize',
      'status 200',
      'in result',
      'out notifications/initialized',
      'status 202',
      'out tools/call',
      'status 200',
      'in result',
    ],
    line: 1,
  },
  jsonl: {
    text: [...listed, 'torn {', asks, answers].join('\n'),
    has: [...plain, 'noise in torn {', 'in elicitation/create', 'out result'],
    line: 6,
  },
  'claude-desktop': {
    text: [
      '2026-05-01T10:00:00.000Z [shop] [info] Initializing server... { metadata: undefined }',
      `2026-05-01T10:00:01.000Z [shop] [info] Message from client: ${initialize} { metadata: undefined }`,
      `2026-05-01T10:00:02.000Z [shop] [info] Message from server: ${agreed} { metadata: undefined }`,
      `2026-05-01T10:00:02.500Z [info] Message from client: ${initialized}`,
      'Traceback (most recent call last):',
      `2026-05-01T10:00:03.000Z [shop] [info] Message from client: ${call}`,
      '2026-05-01T10:00:03.500Z [shop] [info] Message from server: {"jsonrpc":"2.0","id":1,"resu}',
      `2026-05-01T10:00:04.000Z [shop] [info] Message from server: ${paid}`,
    ].join('\r\n'),
    has: [
      'stderr Initializing server... { metadata: undefined }',
      ...plain.slice(0, 3),
      'stderr Traceback (most recent call last):',
      'out tools/call',
      'noise in {"jsonrpc":"2.0","id":1,"resu}',
      'in result',
    ],
    line: 7,
  },
  vscode: {
    text: [
      '2026-05-01 10:00:00.000 [info] Starting server shop',
      `2026-05-01 10:00:01.000 [debug] [editor -> server] ${initialize}`,
      `2026-05-01 10:00:02.000 [debug] [server -> editor] ${agreed}`,
      `2026-05-01 10:00:02.500 [info] [Client Says] ${initialized}`,
      '2026-05-01 10:00:02.600 [warning] [server stderr] started',
      `2026-05-01 10:00:03.000 [info] [Client Says] ${call}`,
      '2026-05-01 10:00:03.500 [debug] [server -> editor] {"jsonrpc":"2.0"',
      `2026-05-01 10:00:04.000 [info] [Server Says] ${paid}`,
    ].join('\n'),
    has: [
      'stderr Starting server shop',
      ...plain.slice(0, 3),
      'stderr started',
      'out tools/call',
      'noise in {"jsonrpc":"2.0"',
      'in result',
    ],
    line: 7,
  },
};

function entry(sent: string | null, text: string, mimeType: string, status = 200) {
  const headers = [
    { name: 'Authorization', value: 'Bearer hunter2-hunter2' },
    { name: 'Mcp-Session-Id', value: 'a-session' },
  ];
  return {
    startedDateTime: '2026-05-01T10:00:01Z',
    time: 1000,
    request: {
      method: sent === null ? 'GET' : 'POST',
      url: 'https://user:pass@shop.example/mcp?key=hunter2-hunter2',
      headers,
      ...(sent !== null && { postData: { mimeType: 'application/json', text: sent } }),
    },
    response: { status, statusText: 'OK', httpVersion: 'HTTP/1.1', headers: [], content: { mimeType, text } },
  };
}

describe('a file of another tool becomes a trace that says it is rebuilt', () => {
  test.for(Object.entries(files))('%s', ([format, { text, has, line }]) => {
    const { header, records, unsupported, lacks, ...converted } = rebuilt(text);
    expect(converted.format).toBe(format);
    expect(inShort(records)).toEqual(has);
    const label = rebuiltFormats.find((one) => one.format === format)?.label;
    expect(header.rebuilt).toEqual({ from: label, lacks });
    expect(lacks.length).toBeGreaterThan(1);
    expect(unsupported.map((one) => one.line)).toEqual(line === undefined ? [] : [line]);
    expect(converted.text).toContain('9007199254740993');
    expect(converted.text).not.toContain('hunter2');
    expect(converted.text).not.toContain('user:pass');
    // One second passes from the first request to its response, where the file says so.
    const [first, second] = records.filter(({ kind }) => kind === 'unit');
    if (format !== 'jsonl') expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(999_000);
  });

  test('each format that becomes a trace has a file here', () => {
    const known = foreignFormats.filter((format) => !['mcp-assert', 'mcp-recorder'].includes(format));
    expect(Object.keys(files).toSorted()).toEqual([...known].toSorted());
    expect(rebuiltFormats.map(({ format }) => format).toSorted()).toEqual([...known].toSorted());
  });
});

test('the history of the page of the Inspector before, a list of messages and a mark of UTF-8 are read, too', () => {
  const history = JSON.stringify([{ request: call, response: paid }, { request: 'torn' }]);
  expect(inShort(rebuilt(history).records)).toEqual(['out tools/call', 'in result', 'noise out torn']);
  const list = rebuilt(`\ufeff[${call},\n${paid}]`);
  expect(list.format).toBe('jsonl');
  expect(inShort(list.records)).toEqual(['out tools/call', 'in result']);
});

test.for([1e300, -1e300, 1e15, 'tomorrow', null])(
  'a time of %j, which no session has, stops nothing',
  (timestamp) => {
    const asked = { timestamp, direction: 'request', message: JSON.parse(call), response: JSON.parse(paid) };
    const { header, records } = rebuilt(JSON.stringify([asked, { ...asked, timestamp: 1e300 }]));
    expect(inShort(records)).toEqual(['out tools/call', 'in result', 'out tools/call', 'in result']);
    expect(new Date(header.clock.wall).getTime()).toBe(header.clock.wall);
    expect(records.every(({ at }) => Number.isSafeInteger(at))).toBe(true);
  },
);

test('a file without a message is refused by its name', () => {
  const log = '2026-05-01 10:00:00.000 [info] Starting server shop\n';
  expect(() => rebuilt(log)).toThrow(FaultError);
  expect(() => rebuilt(log)).toThrow(/file is an MCP log of VS Code, and has no message of MCP/);
});
