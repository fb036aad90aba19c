import { beforeAll, describe, expect, test } from 'vitest';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import {
  answered,
  bytesOf,
  type Expected,
  checkExchange,
  noise,
  type ObservedExchange,
  showsFailure,
  showsRows,
} from '#fixtures/engine/observed-exchange.ts';
import { misbehavingBench } from '#fixtures/http/misbehaving-http/bench.ts';
import type { HttpScenarioName } from '#fixtures/http/misbehaving-http/scenarios/index.ts';
import type { sessionScenarios } from '#fixtures/http/misbehaving-http/scenarios/sessions.ts';
import type { streamScenarios } from '#fixtures/http/misbehaving-http/scenarios/streams.ts';
import type { MisbehavingHttpServer } from '#fixtures/http/misbehaving-http/server.ts';
import type { RowDetail } from '#shared/contract/trace.ts';

const bench = misbehavingBench();
let engine: EngineFixture;
let server: MisbehavingHttpServer;
beforeAll(() => {
  ({ engine, server } = bench);
});

const sse = (summary: string) => ({ kind: 'sse', summary }) as const;

/** What came by the exchange that took the stream up again. */
async function resumption({ engine: of, sessionId, exchange }: ObservedExchange): Promise<RowDetail> {
  const rows = await of.rows(sessionId);
  const row = rows.find((one) => one.kind === 'http' && one.method === 'GET' && one.row > exchange.row);
  return of.call('trace/detail', { sessionId, row: row?.row ?? -1 });
}

const streams: Readonly<Record<Exclude<keyof typeof streamScenarios, 'noise-on-get-stream'>, Expected>> = {
  'closed-stream': { state: 'lost', code: 'stream-ended', check: showsRows(200) },
  'cut-stream': { state: 'lost', code: 'http-body', check: showsFailure('cut', 'body', noise('half-json')) },
  'never-resumed': {
    state: 'lost',
    code: 'resume-refused',
    check: async (seen) => {
      showsRows(200, sse('id: prime-1 · retry: 10'))(seen);
      const { exchange } = await resumption(seen);
      expect(exchange?.request.headers).toContainEqual(['Last-Event-ID', 'prime-1']);
      expect(exchange?.responses.at(-1)?.status).toBe(400);
    },
  },
  'resumed-answer': {
    state: 'ok',
    check: async (seen) => {
      showsRows(200, sse('id: prime-1 · retry: 10'))(seen);
      const { exchange } = await resumption(seen);
      expect(exchange?.request.headers).toContainEqual(['Last-Event-ID', 'prime-1']);
      expect(exchange?.carried).toMatchObject([{ ...answered, row: seen.call?.responseRow }]);
    },
  },
  'bad-json-event': { state: 'ok', check: showsRows(200, noise('half-json'), answered) },
  'invalid-utf8-event': {
    state: 'ok',
    check: async (seen) => {
      showsRows(200, noise('not-utf8'), answered)(seen);
      expect(await bytesOf(seen, seen.came[0]?.row ?? -1)).toEqual(
        Buffer.from('"caf\u00e9\u00ff"', 'latin1'),
      );
    },
  },
  'odd-events': {
    state: 'ok',
    check: showsRows(
      200,
      sse(': keep-alive'),
      sse('retry: 1234'),
      sse('id: odd-1'),
      sse('event time: half past ten'),
      answered,
      sse(': bye'),
    ),
  },
  'odd-modern-events': {
    state: 'ok',
    check: showsRows(
      200,
      sse(': keep-alive'),
      sse('retry: 1234'),
      sse('id: odd-1'),
      sse('event time: half past ten'),
      answered,
    ),
  },
  'odd-lines': {
    state: 'ok',
    check: async (seen) => {
      showsRows(200, { kind: 'sse', size: 3 }, sse(': begin'), answered)(seen);
      expect([...(await bytesOf(seen, seen.came[0]?.row ?? -1))]).toEqual([0xef, 0xbb, 0xbf]);
      const { sse: written } = await seen.engine.call('trace/detail', {
        sessionId: seen.sessionId,
        row: seen.came[2]?.row ?? -1,
      });
      expect(written?.frame.join('|')).toContain('unknown-field: x\n');
    },
  },
  'left-open': {
    state: 'ok',
    staysOpen: true,
    check: ({ exchange, came }) => {
      expect(came).toMatchObject([answered]);
      expect(exchange.end).toBeNull();
    },
  },
  'answer-on-get-stream': {
    state: 'ok',
    staysOpen: true,
    check: async ({ engine: of, sessionId, call }) => {
      const { exchange } = await of.call('trace/detail', { sessionId, row: call?.responseRow ?? -1 });
      expect(exchange?.request).toMatchObject({ method: 'GET' });
    },
  },
  'request-on-two-streams': {
    state: 'ok',
    check: async (seen) => {
      showsRows(200, { kind: 'request', method: 'ping' }, answered)(seen);
      const pings = await seen.engine.until(async () => {
        const rows = (await seen.engine.rows(seen.sessionId)).filter(({ method }) => method === 'ping');
        return rows.length === 4 ? rows : null;
      });
      expect(pings.filter(({ kind }) => kind === 'result').map(({ pair }) => pair)).toEqual(
        pings.filter(({ kind }) => kind === 'request').map(({ row }) => row),
      );
    },
  },
};

const sessions: Readonly<Record<'expires' | 'says-expired', Expected>> &
  Partial<Record<keyof typeof sessionScenarios, Expected>> = {
  expires: { state: 'protocol-error', check: showsRows(404, { kind: 'error', code: -32001 }) },
  'says-expired': { state: 'protocol-error', check: showsRows(404, { kind: 'error', code: -32001 }) },
};

describe.each([
  ['stream', streams],
  ['session', sessions],
] as const)('a call that goes wrong in its %s is on record, and nothing else is lost', (_where, table) => {
  test.each(Object.entries<Expected>(table))('%s', (name, expected) => bench.misbehave(name, expected));
});

/** Connects to a server that goes wrong by itself, and gives the session. */
async function connect(name: HttpScenarioName): Promise<string> {
  const { id, phase, fault } = await engine.connectUrl(server.url(name));
  expect({ phase, fault }).toEqual({ phase: 'ready', fault: null });
  return id;
}

async function seesEcho(id: string): Promise<void> {
  expect(await engine.callTool(id, 'echo', { message: 'still here' })).toMatchObject({
    state: 'ok',
    fault: null,
  });
}

describe('what goes wrong without a call is on record, and the session goes on', () => {
  test('noise-on-get-stream', async () => {
    const id = await connect('noise-on-get-stream');
    const stray = await engine.row(id, (row) => row.kind === 'noise');
    expect(stray).toMatchObject({ summary: 'hello there', noise: 'not-json' });
    const beat = await engine.row(id, (row) => row.kind === 'sse' && row.summary === 'event heartbeat: {}');
    expect(beat.exchange).toBe(stray.exchange);
    await engine.row(id, (row) => row.method === 'notifications/message' && row.exchange === stray.exchange);
    await seesEcho(id);
  });

  test('get-stream-is-html', async () => {
    const id = await connect('get-stream-is-html');
    const get = await engine.row(
      id,
      (row) => row.kind === 'http' && row.method === 'GET' && row.status === 'ok',
    );
    await checkExchange(engine, id, get.row, {
      check: showsRows(200, { kind: 'body', summary: '<h1>It works!</h1>' }),
    });
    expect((await engine.session(id)).http?.streams).toMatchObject([{ kind: 'standing', state: 'refused' }]);
    await seesEcho(id);
  });

  test('notification-refused', async () => {
    const id = await connect('notification-refused');
    const refused = await engine.row(id, (row) => row.kind === 'http' && row.code === 500);
    const body = { kind: 'body', summary: 'no notifications here' } as const;
    await checkExchange(engine, id, refused.row, { check: showsRows(500, body) });
    await seesEcho(id);
  });

  test('notification-answered', async () => {
    const id = await connect('notification-answered');
    const error = await engine.row(id, (row) => row.code === -32601);
    expect(error).toMatchObject({ code: -32601, status: 'orphan', finding: 'error' });
    await seesEcho(id);
  });

  test('bad-session-id: it is sent back byte by byte', async () => {
    const id = await connect('bad-session-id');
    await seesEcho(id);
    const { requests } = server.app('bad-session-id');
    expect(requests.at(-1)?.header('Mcp-Session-Id')).toBe('caf\u00e9 au lait');
    expect((await engine.session(id)).http?.sessionId).toBe('caf\u00e9 au lait');
  });

  test('changing-session-id: each is on record with its response', async () => {
    const id = await connect('changing-session-id');
    await seesEcho(id);
    const posts = (await engine.rows(id)).filter((row) => row.kind === 'http' && row.method === 'POST');
    const given = await Promise.all(
      posts.map(async ({ row }) => {
        const { exchange } = await engine.call('trace/detail', { sessionId: id, row });
        return exchange?.responses.at(-1)?.headers.find(([name]) => name === 'Mcp-Session-Id')?.[1];
      }),
    );
    expect(new Set(given).size).toBe(posts.length);
  });

  test('withheld-session-id: every answer says what is missing', async () => {
    const id = await connect('withheld-session-id');
    const call = await engine.callTool(id, 'echo', {});
    expect(call).toMatchObject({ state: 'protocol-error', error: { code: -32000 } });
    await checkExchange(engine, id, call.requestRow, {
      check: showsRows(400, { kind: 'error', code: -32000 }),
    });
    expect((await engine.session(id)).phase).toBe('ready');
  });
});

test.each(['expires', 'says-expired'] as const)(
  '%s: a new session takes the place of the old one',
  async (name) => {
    const before = await connect(name).then((id) => engine.session(id));
    await engine.callTool(before.id, 'misbehave');
    const after = await engine.until(async () => {
      const view = await engine.session(before.id);
      return view.phase === 'ready' && view.http?.renewed === 1 ? view : null;
    });
    expect(after.http?.sessionId).not.toBe(before.http?.sessionId);
    await seesEcho(before.id);
    const requests = server.app(name).requests.filter(({ method }) => method === 'POST');
    expect(requests.at(-1)?.header('Mcp-Session-Id')).toBe(after.http?.sessionId);
  },
);
