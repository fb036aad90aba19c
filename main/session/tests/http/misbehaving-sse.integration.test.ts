import { beforeAll, describe, expect, test } from 'vitest';
import type { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type Expected, checkExchange, showsRows } from '#fixtures/engine/observed-exchange.ts';
import { misbehavingBench } from '#fixtures/http/misbehaving-http/bench.ts';
import type { sseScenarios } from '#fixtures/http/misbehaving-http/scenarios/http-sse.ts';
import type { MisbehavingHttpServer } from '#fixtures/http/misbehaving-http/server.ts';
import { defaultTimeouts } from '#shared/contract/servers.ts';

const bench = misbehavingBench();
let engine: EngineFixture;
let server: MisbehavingHttpServer;
beforeAll(() => {
  ({ engine, server } = bench);
});

type SseName = keyof typeof sseScenarios;
type OfCalls = Extract<SseName, 'answer-in-post' | 'bad-json-on-stream' | 'post-refused'>;

const accepted = { kind: 'body', summary: 'Accepted' } as const;

const calls: Readonly<Record<OfCalls, Expected>> = {
  'answer-in-post': { state: 'ok', check: showsRows(200, { kind: 'result', status: 'ok' }) },
  'bad-json-on-stream': {
    state: 'ok',
    check: async (seen) => {
      showsRows(202, accepted)(seen);
      const { engine: of, sessionId, call } = seen;
      const noise = await of.row(sessionId, (row) => row.kind === 'noise');
      expect(noise).toMatchObject({ noise: 'half-json', summary: '{"half": ' });
      const rows = await of.rows(sessionId);
      expect(rows[call?.responseRow ?? -1]).toMatchObject({ kind: 'result', exchange: noise.exchange });
    },
  },
  'post-refused': {
    state: 'lost',
    code: 'http-status-500',
    check: showsRows(500, { kind: 'body', summary: 'out of order' }),
  },
};

describe('over HTTP+SSE, a call that goes wrong is on record, and nothing else is lost', () => {
  test.each(Object.entries<Expected>(calls))('%s', (name, expected) => bench.misbehave(name, expected));

  test('stream-lost: the session ends with its stream, and says so', async () => {
    const { id } = await engine.connectUrl(server.url('stream-lost'));
    const call = await engine.callTool(id, 'misbehave');
    expect(call).toMatchObject({ state: 'lost', fault: { code: 'session-ended' } });
    const { phase, reason } = await engine.settled(id, ['failed', 'closed']);
    expect({ phase, reason }).toEqual({ phase: 'failed', reason: expect.stringContaining('stream ended') });
    const get = await engine.row(id, (row) => row.kind === 'http' && row.method === 'GET');
    const { exchange } = await engine.call('trace/detail', { sessionId: id, row: get.row });
    expect(exchange?.end).toMatchObject({ how: 'complete' });
    expect((await engine.rows(id))[call.requestRow]?.status).toBe('unanswered');
  });
});

describe('the endpoint event', () => {
  test('endpoint-late: what comes before it is on record, and does no harm', async () => {
    const { id, phase, transport } = await engine.connectUrl(server.url('endpoint-late'));
    expect({ phase, transport }).toEqual({ phase: 'ready', transport: 'http-sse' });
    const get = await engine.row(id, (row) => row.kind === 'http' && row.method === 'GET');
    const first = (await engine.rows(id)).filter(
      ({ exchange, kind }) => exchange === get.row && kind !== 'http',
    );
    expect(first.slice(0, 2)).toMatchObject([
      { kind: 'notification', method: 'notifications/message', summary: 'info · first of all' },
      { kind: 'sse', summary: expect.stringMatching(/^event endpoint: /) },
    ]);
    expect((await engine.callTool(id, 'echo', {})).state).toBe('ok');
  });

  test.each([
    ['endpoint-elsewhere', 'endpoint-cross-origin', 'http://localhost:9/endpoint-elsewhere'],
    ['endpoint-no-uri', 'endpoint-invalid', 'http://[::oops'],
  ] as const)('%s: it is shown, and nothing is posted there', async (name, code, named) => {
    const { id, phase, fault } = await engine.connectUrl(server.url(name));
    expect({ phase, code: fault?.code }).toEqual({ phase: 'failed', code });
    expect(fault?.evidence).toContain(named);
    const event = await engine.row(id, (row) => row.kind === 'sse');
    expect(event.summary).toContain(`event endpoint: ${named}`);
    const exchanges = (await engine.rows(id)).filter(({ kind }) => kind === 'http');
    for (const { row } of exchanges) {
      const { exchange } = await engine.call('trace/detail', { sessionId: id, row });
      expect(exchange?.request.url).toBe(server.url(name));
    }
  });

  test('endpoint-missing: the failure says what was waited for, and the stream is on record', async () => {
    const timeouts = { ...defaultTimeouts, initialize: 200 };
    const { id, phase, fault } = await engine.connectUrl(server.url('endpoint-missing'), {
      timeouts,
    });
    expect({ phase, code: fault?.code }).toEqual({ phase: 'failed', code: 'endpoint-missing' });
    const get = await engine.row(id, (row) => row.kind === 'http' && row.method === 'GET');
    await checkExchange(engine, id, get.row, {
      check: ({ exchange, came }) => {
        expect(exchange.responses.at(-1)?.headers).toContainEqual(['Content-Type', 'text/event-stream']);
        expect(exchange.end).toMatchObject({ how: 'dropped', size: 0 });
        expect(came).toEqual([]);
      },
    });
  });
});
