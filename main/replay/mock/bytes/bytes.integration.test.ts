import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import type { HttpScenarioName } from '#fixtures/http/misbehaving-http/scenarios/index.ts';
import { MisbehavingHttpServer } from '#fixtures/http/misbehaving-http/server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { recordsIn } from '#fixtures/trace/trace-of.ts';
import { ByteMock } from '#main/mock.ts';
import type { TraceRecord } from '#shared/trace/record.ts';
import type { TraceRow } from '#shared/trace/row.ts';

let engine: EngineFixture;
let folder: string;
beforeAll(async () => {
  engine = await EngineFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'sightglass-bytes-'));
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const digest = (bytes: Uint8Array) => `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;

/** A command line that also copies all it prints to files of a folder. */
const copying = (to: string, { args }: { args: readonly string[] }) => {
  const copies = `
    import { appendFileSync } from 'node:fs';
    for (const name of ['stdout', 'stderr']) {
      const write = process[name].write;
      process[name].write = (bytes, ...more) => {
        appendFileSync(${JSON.stringify(to)} + '-' + name, bytes);
        return write.call(process[name], bytes, ...more);
      };
    }`;
  return {
    command: process.execPath,
    args: ['--import', `data:text/javascript,${encodeURIComponent(copies)}`, ...args],
  };
};

/** Ends a session and reads its records. */
async function recordsOf(sessionId: string): Promise<{ path: string; records: TraceRecord[] }> {
  await engine.call('sessions/close', { sessionId });
  const { path } = (await engine.session(sessionId)).traceFile;
  return { path, records: recordsIn(await readFile(path, 'utf8')) };
}

const textOf = (record: TraceRecord): string => ('text' in record ? (record.text ?? '') : '');

/** Sends the recorded lines to a mock of the bytes, and gives what it printed. */
async function play(path: string, lines: readonly string[], ...options: string[]) {
  return playIn(process.env, path, lines, ...options);
}

async function playIn(env: NodeJS.ProcessEnv, path: string, lines: readonly string[], ...options: string[]) {
  const child = spawn(process.execPath, [cliEntry, 'mock', path, '--bytes', ...options], { env });
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (bytes: Buffer) => printed.stdout.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => printed.stderr.push(bytes));
  child.stdin.on('error', () => undefined);
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  return { stdout: Buffer.concat(printed.stdout), stderr: Buffer.concat(printed.stderr), exitCode };
}

const linesIn = (records: readonly TraceRecord[]): string[] =>
  records.filter((one) => one.kind === 'unit' && one.channel === 'stdin').map(textOf);

describe('on stdio', () => {
  test('a misbehaving server prints the same bytes again, on both streams', async () => {
    const to = join(folder, 'misbehaving');
    const server = misbehavingServer(
      ...([
        'half-json',
        'blank-lines',
        'two-on-a-line',
        'stderr-lines',
        'control-characters',
        'exact-numbers',
      ] as const),
    );
    const { id } = await engine.connect(copying(to, server));
    await engine.callTool(id, 'echo', { message: 'Grüße' });
    // What is still on its way when the session is closed is lost.
    await engine.until(async () => {
      const rows = await engine.rows(id);
      for (const channel of ['stdout', 'stderr'] as const) {
        const isLine = (row: TraceRow) =>
          channel === 'stderr' ? row.kind === 'stderr' : row.channel === 'stdout' && row.position === 0;
        const read = rows.filter(isLine).reduce((sum, { size }) => sum + size + 1, 0);
        if (read !== (await stat(`${to}-${channel}`)).size) return null;
      }
      return true;
    });
    const { path, records } = await recordsOf(id);
    const report = join(folder, 'report.jsonl');
    const { stdout, stderr, exitCode } = await play(path, linesIn(records), '--report', report);
    expect(digest(stdout)).toBe(digest(await readFile(`${to}-stdout`)));
    expect(digest(stderr)).toBe(digest(await readFile(`${to}-stderr`)));
    expect(stdout.length).toBeGreaterThan(500);
    expect(stderr.length).toBeGreaterThan(10);
    const objects = (await readFile(report, 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(objects.at(-1) ?? '')).toMatchObject({
      inexact: 0,
      misses: 0,
      unused: [],
      placeholders: [],
    });
    expect(exitCode).toBe(0);
  }, 20_000);

  test('where a runner reads standard error, no line of the recording is a command of it', async () => {
    const server = scriptedServer(`
      'tools/call'(request) {
        process.stderr.write('::error::of the recording\\n ##[add-mask]of the recording\\n');
        answer(request, { content: [] });
      },
    `);
    const { id } = await engine.connect(server);
    await engine.callTool(id, 'echo', {});
    await engine.until(
      async () => (await engine.rows(id)).filter(({ kind }) => kind === 'stderr').length === 2,
    );
    const { path, records } = await recordsOf(id);
    const played = await playIn({ ...process.env, GITHUB_ACTIONS: 'true' }, path, linesIn(records));
    expect(played.stderr.toString()).toBe(
      ':\\u003aerror::of the recording\n ##\\u005badd-mask]of the recording\n',
    );
  });

  test('of a server that was started twice, only what its last process printed comes again', async () => {
    const server = scriptedServer(`'server/discover'() { console.log('too early'); process.exit(1); },`);
    const { id } = await engine.connect(server, { era: 'auto' });
    await engine.call('sessions/close', { sessionId: id });
    const { path, records } = await recordsOf(id);
    const [discover, ...lines] = linesIn(records);
    expect(discover).toContain('server/discover');
    const { stdout, exitCode } = await play(path, lines);
    expect(stdout.toString()).toContain('"serverInfo":{"name":"scripted"');
    expect(stdout.toString()).not.toContain('too early');
    expect(exitCode).toBe(0);
  }, 20_000);

  test('a server dies again in the middle of an answer; another line is inexact', async () => {
    const to = join(folder, 'dying');
    const server = scriptedServer(`
      'tools/call'() {
        process.stderr.write('I am going');
        process.stdout.write('"' + '\\u00e9'.repeat(1_300_000) + '"\\n{"jsonrpc":"2.0","half', () => process.exit(3));
      },
    `);
    const { id } = await engine.connect(copying(to, server));
    await engine.startTool(id, 'die');
    await engine.settled(id, ['closed', 'failed']);
    const { path, records } = await recordsOf(id);
    const lines = linesIn(records);
    const whole = await play(path, lines);
    expect(digest(whole.stdout)).toBe(digest(await readFile(`${to}-stdout`)));
    expect(whole.stderr.toString()).toBe('I am going');
    expect(whole.exitCode).toBe(3);
    const report = join(folder, 'other.jsonl');
    const part = await play(
      path,
      [...lines.slice(0, -2), '{"jsonrpc":"2.0","id":"other","method":"ping"}'],
      '--report',
      report,
    );
    // What followed the lines that did not come was not printed.
    expect(part.stdout.toString()).not.toContain('"half');
    expect(part.exitCode).toBe(1);
    const objects = (await readFile(report, 'utf8')).trimEnd().split('\n');
    expect(objects.map((line) => (JSON.parse(line) as { match?: string }).match)).toContain('inexact');
  }, 20_000);
});

interface Got {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Everything of a response that must be the same, from the records of an exchange. */
function recorded(records: readonly TraceRecord[], exchange: number): Got | null {
  const own = records.filter((one) => 'exchange' in one && one.exchange === exchange);
  const head = own.find((one) => one.kind === 'http-response' && one.interim !== true);
  if (head?.kind !== 'http-response') return null;
  const parts = own.map((one) => {
    if (one.kind === 'unit' && one.direction === 'in' && one.sse !== undefined) {
      const values = Buffer.from(textOf(one)).toString('latin1').split('\n');
      return Buffer.from(one.sse.frame.map((part, place) => part + (values[place] ?? '')).join(''), 'latin1');
    }
    const isIn =
      one.kind === 'sse' || ((one.kind === 'unit' || one.kind === 'http-body') && one.direction === 'in');
    if (!isIn) return Buffer.alloc(0);
    return one.base64 === undefined ? Buffer.from(textOf(one)) : Buffer.from(one.base64, 'base64');
  });
  return { status: head.status, headers: withoutDate(head.headers), body: digest(Buffer.concat(parts)) };
}

const withoutDate = (headers: readonly (readonly [string, string])[]) =>
  headers.filter(([name]) => !/^date$/i.test(name));

/** Sends a recorded request; resolves with the head of the response, and later with all of it. Null if there is none. */
function send(
  url: string,
  { method, headers }: TraceRecord & { kind: 'http-request' },
  body: string,
  size: number,
): Promise<{ readonly all: Promise<Got> } | null> {
  const own = headers.filter(([name]) => !/^(?:host|connection|content-length)$/i.test(name));
  return new Promise((resolve) => {
    const sent = request(url, { method, headers: Object.fromEntries(own), agent: false }, (response) => {
      const parts: Buffer[] = [];
      const lines = response.rawHeaders.flatMap((name, place, all) =>
        place % 2 === 0 ? [[name, all[place + 1] ?? ''] as const] : [],
      );
      const all = new Promise<Got>((done) => {
        const finish = () => {
          sent.destroy();
          done({
            status: response.statusCode ?? 0,
            headers: withoutDate(lines),
            body: digest(Buffer.concat(parts)),
          });
        };
        response.on('data', (bytes: Buffer) => {
          parts.push(bytes);
          // A stream that the client ended in the recording ends here by its size.
          if (Buffer.concat(parts).length >= size && size > 0) setTimeout(finish, 20);
        });
        response.once('close', finish);
        response.once('error', finish);
      });
      resolve({ all });
    });
    sent.once('error', () => resolve(null));
    sent.end(body);
  });
}

/** A response as it comes, without the framing of chunks. */
const fetched = async (url: string, body: string) => {
  const response = await fetch(url, { method: 'POST', body });
  return {
    cookie: response.headers.get('set-cookie'),
    body: digest(new Uint8Array(await response.arrayBuffer())),
  };
};

const scenarios: readonly HttpScenarioName[] = [
  'odd-lines',
  'odd-events',
  'cut-stream',
  'short-body',
  'reset-after-head',
  'no-response',
  'html-page',
  'slow-drip',
  'gzip-unasked',
  'bad-json-body',
  'exact-numbers',
  'closed-stream',
];

describe('over HTTP', () => {
  let server: MisbehavingHttpServer;
  beforeAll(async () => {
    server = await MisbehavingHttpServer.open();
  });
  afterAll(() => server.close());

  test.each(scenarios)(
    '%s is the same again: status, header lines in their order, and every byte of the bodies',
    async (name) => {
      const { id } = await engine.connectUrl(server.url(name), { era: 'legacy' });
      await engine.callTool(id, 'misbehave', {}, 500);
      await engine.callTool(id, 'echo', { message: 'hi' }, 500);
      const { path, records } = await recordsOf(id);
      const mock = await ByteMock.open({ path, latency: 'none', onExchange: () => undefined });
      const url = await mock.serveHttp(0);
      const got: Promise<Got | null>[] = [];
      const expected: (Got | null)[] = [];
      for (const one of records) {
        if (one.kind !== 'http-request') continue;
        const own = records.filter((other) => 'exchange' in other && other.exchange === one.exchange);
        const body = own
          .filter((other) => other.kind === 'unit' && other.direction === 'out')
          .map(textOf)
          .join('');
        const end = own.find((other) => other.kind === 'http-end');
        const size = end?.kind === 'http-end' && end.how === 'dropped' ? end.size : 0;
        const answer = await send(new URL(new URL(one.url).pathname, url).href, one, body, size);
        // An open stream on which nothing came has nothing to be compared.
        const isIdle = end?.kind === 'http-end' && end.how === 'dropped' && end.size === 0;
        got.push(answer === null || isIdle ? Promise.resolve(null) : answer.all);
        expected.push(isIdle ? null : recorded(records, one.exchange));
      }
      expect(await Promise.all(got)).toEqual(expected);
      expect(expected.filter((one) => one !== null).length).toBeGreaterThan(2);
      expect(mock.summary).toMatchObject({ inexact: 0, misses: 0, unused: [] });
      await mock.close();
    },
    20_000,
  );

  test('large bodies and events are whole, and what only has a placeholder is listed', async () => {
    const recording = await HttpRecording.begin();
    const body = JSON.stringify({ text: 'é'.repeat(1_300_000) });
    const json = recording.request({ body: '{"id":1}' });
    recording.response(json, 200, {
      headers: [
        ['Content-Type', 'application/json'],
        ['set-cookie', 'session=hidden-value'],
      ],
    });
    recording.body(json, body);
    recording.end(json);
    const stream = `: hello\nretry: 5\nid: 1\ndata: ${body}\n\n`;
    const events = recording.request({ body: '{"id":2}' });
    recording.response(events, 200, { headers: [['Content-Type', 'text/event-stream']] });
    recording.stream(events, stream);
    recording.end(events);
    await recording.trace.file.flush();
    const { path } = recording.trace.file;
    const mock = await ByteMock.open({ path, latency: 'none', onExchange: () => undefined });
    const url = await mock.serveHttp(0);
    const placeholder = expect.stringMatching(/session=\[secret .*\]/);
    expect(await fetched(url, '{"id":1}')).toEqual({ cookie: placeholder, body: digest(Buffer.from(body)) });
    expect(await fetched(url, '{"id": 2}')).toEqual({ cookie: null, body: digest(Buffer.from(stream)) });
    expect(mock.summary).toMatchObject({
      exact: 2,
      placeholders: [{ where: 'header set-cookie of exchange 1' }],
    });
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(mock.summary).toMatchObject({ misses: 1 });
    const tooLarge = await fetch(url, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024 + 1, 'x') });
    expect([tooLarge.status, await tooLarge.text()]).toEqual([
      413,
      expect.stringMatching(/larger than 64 MiB/),
    ]);
    expect(mock.summary).toMatchObject({ misses: 2 });
    expect(() =>
      mock.serveStdio(
        process.stdin,
        { write: async () => {}, closeStdout() {}, die() {} },
        new AbortController().signal,
      ),
    ).toThrow(/recorded over HTTP/);
    await mock.close();
    await recording.close();
  });
});
