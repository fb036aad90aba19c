import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Checks } from '#checks/checks.ts';
import { FileTrace } from './file-trace.ts';
import { LateChecks } from './late-checks.ts';
import { HttpRecording } from '#trace/testing/http-recording.ts';
import { randomSteps, type Step } from '#trace/testing/random-steps.ts';
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

const revision = fc.constantFrom('2024-11-05', '2025-03-26', '2025-11-25', '2026-07-28', '1999-01-01');

/** Whatever may happen, and at some places of it a revision that is asked for or agreed on, or a cut. */
const session: fc.Arbitrary<Step[]> = fc
  .tuple(
    randomSteps,
    fc.array(
      fc.tuple(fc.nat(), fc.oneof(revision.map(asks), revision.map(agrees), fc.constantFrom(...cuts))),
      { maxLength: 8 },
    ),
  )
  .map(([steps, extra]) =>
    extra.reduce((all, [place, step]) => all.toSpliced(place % (all.length + 1), 0, step), steps),
  );

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
      const live = await HttpRecording.begin({ inspect: (columns) => new Checks(columns) });
      try {
        for (const step of steps) step(live);
        await live.trace.file.flush();
        const opened = await FileTrace.open(live.trace.file.path, () => {});
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
