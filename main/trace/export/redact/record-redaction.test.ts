import { expect, test } from 'vitest';
import { recordsIn, TraceOf, withPatterns } from '#fixtures/trace/trace-of.ts';

const HOST = 'db.acme.test';
const certificate = {
  subject: `CN=${HOST}`,
  issuer: `O=${HOST}`,
  validFrom: '',
  validTo: '',
  altNames: `DNS:${HOST}`,
  fingerprint: '',
};

test('a match of a pattern of the user is replaced in every external text of a record', async () => {
  const trace = await TraceOf.begin({ name: HOST, transport: 'http', url: `https://${HOST}/mcp` });
  try {
    const text = `see ${HOST}`;
    const bytes = { text, size: text.length };
    const headers: [string, string][] = [[`X-${HOST}`, HOST]];
    const url = `https://${HOST}/${HOST}?a=${HOST}`;
    trace.add({
      kind: 'http-request',
      exchange: 1,
      method: 'GET',
      url,
      headers,
      bodySize: 0,
      origin: 'user',
    });
    trace.add({
      kind: 'http-connected',
      exchange: 1,
      reused: false,
      remote: `${HOST}:443`,
      proxy: `http://${HOST}:8080`,
      took: {},
      tls: { protocol: 'TLSv1.3', cipher: '', certificate },
    });
    trace.add({ kind: 'http-response', exchange: 1, status: 200, reason: HOST, httpVersion: '1.1', headers });
    trace.add({ kind: 'http-body', exchange: 1, direction: 'in', ...bytes });
    trace.add({ kind: 'sse', exchange: 1, id: HOST, ...bytes });
    const sse = { name: HOST, id: HOST, frame: [`: ${HOST}\ndata: `, '\n\n'] };
    trace.add({ kind: 'unit', direction: 'in', channel: 'sse', exchange: 1, sse, ...bytes });
    const failure = { step: 'tls' as const, code: HOST, message: HOST, certificate };
    trace.add({ kind: 'http-end', exchange: 1, how: 'failed', size: 0, failure, trailers: headers });
    trace.add({ kind: 'stderr', ...bytes });
    const started = { command: HOST, args: [HOST], cwd: `/${HOST}` };
    trace.add({ kind: 'process', change: { what: 'spawn', ...started, env: [HOST], pid: 1 } });
    trace.add({ kind: 'process', change: { what: 'spawn-failed', ...started, code: '', message: HOST } });
    trace.add({ kind: 'process', change: { what: 'stdin-failed', message: HOST } });
    trace.add({ kind: 'phase', phase: 'failed', reason: HOST });
    trace.add({ kind: 'mark', of: 0, note: HOST });
    trace.add({ kind: 'switches', on: [HOST] });
    trace.add({
      kind: 'authorization',
      what: HOST,
      flow: { fault: { what: HOST } },
      steps: [{ names: [HOST] }],
    });
    for (const format of ['mcptrace', 'har'] as const) {
      const exported = await trace.export(format, withPatterns('[a-z]+\\.acme\\.test'));
      expect(exported.text).not.toContain(HOST);
    }
  } finally {
    await trace.close();
  }
});

const key = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
  'MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu',
  'Qg==',
];

test.each([
  ['standard error', 'stderr', ''],
  ['standard error with a time before each line', 'stderr', '2026-11-22T08:00:00Z INFO '],
  ['standard output', 'unit', ''],
] as const)(
  'a private key over several lines of %s is left out, whichever rows are exported',
  async (_, kind, before) => {
    const trace = await TraceOf.begin();
    try {
      const say = (line: string) => {
        const text = before + line;
        const bytes = { text, size: text.length };
        if (kind === 'stderr') trace.add({ kind, ...bytes });
        else trace.add({ kind, direction: 'in', channel: 'stdout', ...bytes });
      };
      say('loading the key');
      say('-----BEGIN PRIVATE KEY-----');
      // Something else may come between its lines.
      trace.message('in', '{"jsonrpc":"2.0","method":"between"}');
      for (const line of key) say(line);
      say('-----END PRIVATE KEY-----');
      say('the key was loaded');
      const all = await trace.export('mcptrace', withPatterns());
      for (const line of key) expect(all.text).not.toContain(line);
      for (const kept of ['loading the key', 'between', 'the key was loaded'])
        expect(all.text).toContain(kept);
      const last = await trace.export('mcptrace', withPatterns(), { of: 'rows', rows: [5] });
      expect(last.text).not.toContain('Qg==');
      expect(last.removed).toBe(1);
    } finally {
      await trace.close();
    }
  },
);

const description = 'Reads every file of the home folder and sends it away.';

/** A trace of another program: a server sets cookies and names its session, the client sends both back. */
async function withServerValue(value: string): Promise<TraceOf> {
  const trace = await TraceOf.begin({ name: 'n', transport: 'http', url: 'http://127.0.0.1/mcp' });
  const origin = 'automatic';
  const url = 'http://127.0.0.1/mcp';
  const sent: [string, string][][] = [
    [],
    [
      ['Cookie', `c0=${value}`],
      ['Mcp-Session-Id', value],
    ],
  ];
  for (const [place, headers] of sent.entries()) {
    const exchange = place + 1;
    trace.add({ kind: 'http-request', exchange, method: 'POST', url, headers, bodySize: 2, origin });
    trace.add({
      kind: 'http-response',
      exchange,
      status: 200,
      reason: 'OK',
      httpVersion: '1.1',
      headers: [
        ['Set-Cookie', `c0=${value}; Path=/`],
        ['Mcp-Session-Id', value],
      ],
    });
    trace.message('in', JSON.stringify({ jsonrpc: '2.0', id: place, result: { description } }));
    const trailers: [string, string][] = [['Set-Cookie', `c0=${value}`]];
    trace.add({ kind: 'http-end', exchange, how: 'complete', size: 2, trailers });
  }
  return trace;
}

test.each([
  ['JSON syntax', 'jsonrpc":"2.0'],
  ['JSON syntax in percent-encoding', 'jsonrpc%22%3A%222.0'],
  ['what a message says', description],
])('a header of a server that holds %s is replaced in the headers and in no message', async (_, value) => {
  const trace = await withServerValue(value);
  try {
    const messages = (await trace.export('jsonl')).text.trimEnd().split('\n');
    expect(messages.map((line): unknown => JSON.parse(line))).toEqual(
      [0, 1].map((id) => ({ jsonrpc: '2.0', id, result: { description } })),
    );
    const { text, removed } = await trace.export('mcptrace');
    expect(removed).toBe(8);
    for (const record of recordsIn(text)) {
      if ('headers' in record) expect(JSON.stringify(record.headers)).not.toContain(JSON.stringify(value));
    }
    expect(text).not.toContain(`c0=${JSON.stringify(value).slice(1, -1)}`);
  } finally {
    await trace.close();
  }
});

test('a value that we sent first stays secret when a server repeats it in a header', async () => {
  const trace = await TraceOf.begin({ name: 'n', transport: 'http', url: 'http://127.0.0.1/mcp' });
  try {
    const secret = 'tok-0123456789-abc';
    const url = 'http://127.0.0.1/mcp';
    const headers: [string, string][] = [['Authorization', `Bearer ${secret}`]];
    trace.add({
      kind: 'http-request',
      exchange: 1,
      method: 'POST',
      url,
      headers,
      bodySize: 0,
      origin: 'user',
    });
    const repeated: [string, string][] = [['Set-Cookie', `c0=${secret}`]];
    const answer = { status: 200, reason: 'OK', httpVersion: '1.1', headers: repeated };
    trace.add({ kind: 'http-response', exchange: 1, ...answer });
    trace.message('in', JSON.stringify({ jsonrpc: '2.0', id: 1, result: { said: secret } }));
    expect((await trace.export('mcptrace')).text).not.toContain(secret);
  } finally {
    await trace.close();
  }
});

test('a member of a message whose value is JSON syntax damages no other message', async () => {
  const trace = await TraceOf.begin();
  try {
    trace.message('in', JSON.stringify({ jsonrpc: '2.0', id: 1, result: { token: 'jsonrpc":"2.0' } }));
    const other = '{"jsonrpc":"2.0","id":2,"result":{}}';
    trace.message('in', other);
    expect((await trace.export('jsonl')).text.split('\n')[1]).toBe(other);
  } finally {
    await trace.close();
  }
});
