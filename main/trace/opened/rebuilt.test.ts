import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { Checks } from '#checks/checks.ts';
import { TraceFromFile } from './trace-from-file.ts';
import { LateChecks } from './late-checks.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { randomSteps, type Step } from '#fixtures/trace/random-steps.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { readRows } from '#trace/view/row-reader.ts';

/** What the sides agree on decides by which schemas their messages are judged from there on. */
const asks = (revision: string): Step => {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return sends('out', { id: `hello ${revision}`, method: 'initialize', params });
};
const agrees = (revision: string): Step => {
  const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: 's', version: '1' } };
  return sends('in', { id: `hello ${revision}`, result });
};
const sends =
  (direction: 'in' | 'out', message: object): Step =>
  (recording) =>
    recording.piece(
      { direction, channel: direction === 'in' ? 'stdout' : 'stdin' },
      JSON.stringify({ jsonrpc: '2.0', ...message }),
    );

/** A stream that ends inside a unit, and inside a piece of one. */
const cuts: readonly Step[] = [
  (recording) => recording.piece({ direction: 'in', channel: 'stdout', cut: true }, '{"half'),
  (recording) => {
    recording.piece({ direction: 'in', channel: 'stdout', unit: 1e6, more: true }, '{"jsonrpc":"2.0",');
    recording.stderr('between');
    recording.piece({ direction: 'in', channel: 'stdout', unit: 1e6, first: false, cut: true }, '"method');
  },
];

const meta = { _meta: { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
const bodies = [
  { id: 1, method: 'tools/call', params: { name: 'echo', _meta: { progressToken: 1 } } },
  { id: 2, method: 'tools/list', params: meta },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
];
const streamed = [
  'id: 1\ndata: \n\n',
  'retry: 10\n\n',
  'event: endpoint\ndata: /messages\n\n',
  'event: time\ndata: x\n\n',
  ...[
    { id: 1, result: {} },
    { id: 2, error: { code: -32601, message: 'no' }, extra: 1 },
    { error: { code: -32601, message: 'no' } },
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } },
    { method: 'notifications/message', params: { level: 'info', data: 1 } },
  ].map((message) => `event: message\nid: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`),
];

/** What happens to one exchange, in its order. */
const exchange: fc.Arbitrary<Step[]> = fc
  .record({
    body: fc.constantFrom(...bodies),
    status: fc.constantFrom(200, 200, 202, 204, 307, 400),
    type: fc.constantFrom(null, 'text/event-stream', 'application/json', 'text/html'),
    events: fc.array(fc.constantFrom(...streamed), { maxLength: 4 }),
    how: fc.constantFrom('complete', 'complete', 'cut', 'dropped'),
    redirectOf: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    size: fc.nat(1),
  })
  .map(({ body, status, type, events, how, redirectOf, size }) => {
    let id = 0;
    const headers: [string, string][] = type === null ? [] : [['Content-Type', type]];
    return [
      (recording) => {
        const sent = { body: JSON.stringify({ jsonrpc: '2.0', ...body }) };
        id = recording.request(redirectOf === undefined ? sent : { redirectOf });
      },
      (recording) => recording.response(id, status, { headers }),
      ...events.map(
        (event): Step =>
          (recording) =>
            recording.stream(id, event),
      ),
      (recording) => recording.end(id, how, { size }),
    ];
  });

const revision = fc.constantFrom('2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '1999-01-01');

/**
 * Whatever may happen, and at some places of it the steps of exchanges, a revision that is asked for or agreed on, or a
 * cut.
 */
const session: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.tuple(randomSteps, fc.array(fc.tuple(exchange, fc.nat(9)), { maxLength: 4 })).map(mixed),
    fc.array(
      fc.tuple(fc.nat(), fc.oneof(revision.map(asks), revision.map(agrees), fc.constantFrom(...cuts))),
      { maxLength: 8 },
    ),
  )
  .map(([steps, extra]) =>
    extra.reduce((all, [place, step]) => all.toSpliced(place % (all.length + 1), 0, step), steps),
  );

/** The steps of each exchange in their order, with steps of others between them. */
function mixed([steps, exchanges]: [Step[], [Step[], number][]]): Step[] {
  const all = steps.map((step, at) => ({ step, at: at * 4 }));
  for (const [own, gap] of exchanges) {
    all.push(...own.map((step, order) => ({ step, at: order * (gap + 1) + gap })));
  }
  return all.sort((a, b) => a.at - b.at).map(({ step }) => step);
}

/** All that is derived of a trace. */
async function factsOf(trace: ReadableTrace) {
  const { columns, messages, invalid, errors } = trace.index;
  const numbers = [...Array(columns.count).keys()];
  const rows = await readRows(trace, numbers);
  return {
    counts: { messages, invalid, errors },
    median: trace.durations.median(),
    rows: rows.map(({ finding: _, ...row }) => row),
    subjects: numbers.map(columns.subject),
    // The steps of other tests make some up, which no file can tell; their text is the name of their rule.
    findings: trace.findings
      .page(0, 10_000)
      .filter(({ rule, text }) => rule !== text)
      .map(({ id: _, ...finding }) => finding),
  };
}

test('rows, findings and counts of a file are those of the session that wrote it', async () => {
  await fc.assert(
    fc.asyncProperty(session, async (steps) => {
      const live = await HttpRecording.begin({ makeChecker: (columns) => new Checks(columns) });
      try {
        for (const step of steps) step(live);
        await live.trace.file.flush();
        const opened = await TraceFromFile.open(live.trace.file.path, () => {});
        try {
          const checks = new LateChecks(
            opened,
            (columns) => new Checks(columns),
            () => {},
          );
          await opened.readAll();
          await checks.catchUp();
          expect(checks.isDone).toBe(true);
          expect(opened.view().faults).toEqual([]);
          expect(await factsOf(opened)).toEqual(await factsOf(live.trace));
        } finally {
          await opened.close();
        }
      } finally {
        await live.close();
      }
    }),
    { numRuns: 200 },
  );
}, 240_000);

test('exchanges without an end are not looked for again with each row after them', async () => {
  const live = await HttpRecording.begin();
  try {
    const count = 8000;
    for (let made = 0; made < count; made++) live.request({});
    const looked = vi.spyOn(live.trace.index.exchanges, 'record');
    const checks = new LateChecks(
      live.trace,
      (columns) => new Checks(columns),
      () => {},
    );
    await checks.catchUp();
    expect(checks.isDone).toBe(true);
    expect(looked.mock.calls.length).toBeLessThan(20 * count);
  } finally {
    await live.close();
  }
});
