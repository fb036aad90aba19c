import { describe, expect, test } from 'vitest';
import { misbehavingBench } from '#fixtures/http/misbehaving-http/bench.ts';
import type { answerScenarios } from '#fixtures/http/misbehaving-http/scenarios/answers.ts';
import type { bodyScenarios } from '#fixtures/http/misbehaving-http/scenarios/bodies.ts';
import type { statusScenarios } from '#fixtures/http/misbehaving-http/scenarios/statuses.ts';
import {
  answered,
  bytesOf,
  type Expected,
  headerOf,
  noise,
  type ObservedExchange,
  showsFailure,
  showsRows,
  statusOf,
} from '#fixtures/engine/observed-exchange.ts';

const orphan = { kind: 'result', status: 'orphan' } as const;
const log = { kind: 'notification', method: 'notifications/message' } as const;

const rowOf = ({ came }: ObservedExchange): number => came[0]?.row ?? -1;

const answers: Readonly<Record<keyof typeof answerScenarios, Expected>> = {
  'accepted-request': { state: 'lost', code: 'no-answer', check: showsRows(202) },
  'empty-body': { state: 'lost', code: 'no-answer', check: showsRows(200) },
  'wrong-id': { state: 'lost', code: 'no-answer', check: showsRows(200, { ...orphan, id: '987654' }) },
  'string-id': {
    state: 'protocol-error',
    code: 'invalid-answer',
    check: (seen) => showsRows(200, { ...orphan, id: `"${seen.call?.requestId}"` })(seen),
  },
  'two-answers': { state: 'ok', check: showsRows(200, answered, orphan) },
  'batch-answer': { state: 'ok', check: showsRows(200, { ...log, batch: 2 }, { ...answered, batch: 2 }) },
  'exact-numbers': {
    state: 'ok',
    check: async (seen) => {
      showsRows(200, answered)(seen);
      expect(String(await bytesOf(seen, rowOf(seen)))).toContain('12345678901234567890,"twice":1,"twice":2}');
    },
  },
  'message-after-answer': { state: 'ok', check: showsRows(200, answered, log) },
  'no-json-rpc': { state: 'lost', code: 'no-answer', check: showsRows(200, { kind: 'invalid', size: 17 }) },
};

const bodies: Readonly<Record<keyof typeof bodyScenarios, Expected>> = {
  'bad-json-body': {
    state: 'protocol-error',
    code: 'invalid-answer',
    check: showsRows(200, noise('half-json')),
  },
  'html-page': {
    state: 'lost',
    code: 'no-answer',
    check: (seen) => {
      expect(headerOf(seen, 'content-type')).toEqual(['text/html']);
      showsRows(200, { direction: 'in', summary: expect.stringContaining('<title>') })(seen);
    },
  },
  'wrong-content-type': {
    state: 'ok',
    check: (seen) => {
      expect(headerOf(seen, 'content-type')).toEqual(['text/plain']);
      showsRows(200, answered)(seen);
    },
  },
  'cookie-with-json': {
    state: 'ok',
    check: (seen) => {
      expect(headerOf(seen, 'set-cookie')).toHaveLength(1);
      showsRows(200, answered)(seen);
    },
  },
  'no-content-type': {
    state: 'ok',
    check: (seen) => {
      expect(headerOf(seen, 'content-type')).toEqual([]);
      showsRows(200, answered)(seen);
    },
  },
  'invalid-utf8-body': {
    state: 'protocol-error',
    code: 'invalid-answer',
    check: async (seen) => {
      showsRows(200, noise('not-utf8'))(seen);
      expect(await bytesOf(seen, rowOf(seen))).toContain(0xff);
    },
  },
  'gzip-unasked': {
    state: 'ok',
    check: async (seen) => {
      expect(headerOf(seen, 'content-encoding')).toEqual(['gzip']);
      showsRows(200, answered)(seen);
      expect(String(await bytesOf(seen, rowOf(seen)))).toContain('"Done."');
    },
  },
  'short-body': { state: 'lost', code: 'http-body', check: showsFailure('cut', 'body', noise('half-json')) },
  'reset-after-head': { state: 'lost', code: 'http-body', check: showsFailure('cut', 'body') },
  'bad-status-line': {
    state: 'lost',
    code: 'http-response',
    check: async (seen) => {
      showsFailure('failed', 'response', { kind: 'body' })(seen);
      expect(String(await bytesOf(seen, rowOf(seen)))).toMatch(/^HTTQ\/9 fine\r\n/);
    },
  },
  'no-response': { state: 'lost', code: 'http-response', check: showsFailure('failed', 'response') },
  'huge-header': {
    state: 'ok',
    check: (seen) => expect(headerOf(seen, 'x-huge')).toEqual(['h'.repeat(100_000)]),
  },
  'slow-drip': {
    state: 'timed-out',
    code: 'timed-out',
    timeout: 100,
    staysOpen: true,
    check: (seen) => expect(statusOf(seen)).toBe(200),
  },
};

const redirected = (status: number, where: RegExp) => (seen: ObservedExchange) => {
  expect(statusOf(seen)).toBe(status);
  expect(headerOf(seen, 'location')).toEqual([expect.stringMatching(where)]);
};

/** Every exchange that carried the call, in their order. */
async function exchangesOf({ engine, sessionId, exchange }: ObservedExchange) {
  const rows = await engine.rows(sessionId);
  const later = rows.filter(
    ({ kind, method, row }) => kind === 'http' && method === 'POST' && row > exchange.row,
  );
  return Promise.all(
    later.map(async ({ row }) => {
      const detail = await engine.call('trace/detail', { sessionId, row });
      return detail.exchange?.request.redirectOf;
    }),
  );
}

const statuses: Readonly<
  Record<
    Exclude<
      keyof typeof statusScenarios,
      'notification-refused' | 'notification-answered' | 'get-stream-is-html'
    >,
    Expected
  >
> = {
  'html-error': {
    state: 'lost',
    code: 'http-status-500',
    check: showsRows(500, { kind: 'body', summary: '<h1>Internal Server Error</h1>' }),
  },
  'unknown-method-404': { state: 'protocol-error', check: showsRows(404, { kind: 'error', code: -32601 }) },
  'header-mismatch-null-id': {
    state: 'protocol-error',
    check: showsRows(400, { kind: 'error', code: -32020, id: null }),
  },
  'header-mismatch-no-id': {
    state: 'protocol-error',
    check: showsRows(400, { kind: 'error', code: -32020, id: null }),
  },
  'answer-with-500': { state: 'ok', check: showsRows(500, answered) },
  unauthorized: {
    state: 'lost',
    code: 'http-status-401',
    check: (seen) => {
      const challenges = [expect.stringMatching(/^Bearer/), expect.stringMatching(/^Basic/)];
      expect(headerOf(seen, 'www-authenticate')).toEqual(challenges);
      showsRows(401)(seen);
    },
  },
  'post-not-allowed': { state: 'lost', code: 'http-status-405', check: showsRows(405) },
  'redirect-to-itself': {
    state: 'lost',
    code: 'http-redirect',
    check: async (seen) => {
      redirected(307, /redirect-to-itself$/)(seen);
      const first = seen.exchange.request.exchange;
      expect(await exchangesOf(seen)).toEqual([0, 1, 2, 3, 4].map((step) => first + step));
    },
  },
  'redirect-here': {
    state: 'ok',
    check: async (seen) => {
      redirected(308, /landing$/)(seen);
      expect(await exchangesOf(seen)).toEqual([seen.exchange.request.exchange]);
    },
  },
  'redirect-elsewhere': {
    state: 'lost',
    code: 'http-redirect',
    check: async (seen) => {
      redirected(307, /^http:\/\/localhost:/)(seen);
      expect(await exchangesOf(seen)).toEqual([]);
    },
  },
};

const bench = misbehavingBench();

describe.each([
  ['messages', answers],
  ['bodies and heads', bodies],
  ['statuses', statuses],
] as const)('a call that goes wrong in its %s is on record, and nothing else is lost', (_where, table) => {
  test.each(Object.entries<Expected>(table))('%s', (name, expected) => bench.misbehave(name, expected));
});

test('a redirect to another origin is not followed, not even with a harmless request', async () => {
  const { id } = await bench.engine.connectUrl(bench.server.url('redirect-elsewhere'));
  const { requests } = bench.server.app('redirect-elsewhere');
  const before = requests.length;
  await bench.engine.callTool(id, 'misbehave');
  // What is answered later came after whatever the redirect could have brought about.
  expect((await bench.engine.callTool(id, 'echo', { message: 'hi' })).state).toBe('ok');
  const since = requests.slice(before).filter(({ method }) => method === 'POST');
  expect(since.map(({ messages, url }) => [messages[0]?.params?.name, url.endsWith('/landing')])).toEqual([
    ['misbehave', false],
    ['echo', false],
  ]);
});
