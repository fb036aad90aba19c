import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { type TraceClock } from '#shared/trace/filter/instants.ts';
import { matchesRow } from '#shared/trace/filter/match.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { randomFilters, randomSteps } from '#fixtures/trace/random-steps.ts';
import { readRows } from '#trace/view/row-reader.ts';
import { clockOf } from './predicate.ts';
import { readFilter, RowFilter } from './row-filter.ts';
import { seek } from './seek.ts';
import { RowTexts } from './texts.ts';

const sessions = ['under test', 's'];
const view = fc.constantFrom<TraceViewName>('messages', 'calls');

/** Every row looked at by itself. */
async function naive(
  http: HttpRecording,
  text: string,
  shown: TraceViewName,
  clock: TraceClock,
): Promise<number[]> {
  const { trace } = http;
  const filter = readFilter(text);
  const rows = await readRows(trace, [...Array(trace.index.columns.count).keys()]);
  const matching: number[] = [];
  for (const row of rows) {
    const facts = {
      row,
      subject: trace.index.columns.subject(row.row),
      texts: await new RowTexts(trace).of(row.row),
      rules: trace.findings.ofRow(row.row).map(({ rule }) => rule),
      clock,
      sessions,
    };
    if (matchesRow(filter, facts)) matching.push(row.row);
  }
  if (shown === 'messages') return matching;
  const isMatching = new Set(matching);
  const all = rows.map((row) => ({ ...row, subject: trace.index.columns.subject(row.row) }));
  const isFolded = (row: number): boolean => {
    const head = headOf(all, row);
    return head !== row && (isMatching.has(head) || isFolded(head));
  };
  return matching.filter((row) => !isFolded(row));
}

/** The row that a row folds into, which may fold itself; the row itself if none. */
function headOf(all: readonly FoldableRow[], row: number): number {
  const one = all[row];
  if (one === undefined) return row;
  const { pair, kind, exchange } = one;
  if (pair !== null && pair < row) return pair;
  if (one.error || one.finding !== null || one.mark !== null) return row;
  if (kind === 'http') {
    const carried = all.find((other) => other.row > row && other.exchange === row && isSent(other));
    return carried?.row ?? row;
  }
  if (kind === 'sse') return one.subject !== null || exchange === null ? row : exchange;
  const key = foldKeyOf(one);
  return key === null ? row : (all.find((other) => foldKeyOf(other) === key)?.row ?? row);
}

type FoldableRow = TraceRow & { readonly subject: string | null };

const isSent = ({ direction, channel }: TraceRow): boolean => direction === 'out' && channel !== null;

/** Rows with the same key fold into the first of them. */
function foldKeyOf({ kind, method, direction, automatic, subject }: FoldableRow): string | null {
  if (kind === 'phase') return ['closing', 'closed', 'failed'].includes(subject ?? '') ? null : 'phase';
  if (kind !== 'request' || method !== 'ping') return null;
  return direction === 'in' || automatic ? `ping ${direction}` : null;
}

function filterOf(http: HttpRecording, text: string, shown: TraceViewName): RowFilter {
  const listener = { progressed: () => {}, matchesChanged: () => {} };
  return new RowFilter(http.trace, { filter: readFilter(text), view: shown, sessions }, listener);
}

test('a filter finds in a trace what a look at each of its rows finds', async () => {
  await fc.assert(
    fc.asyncProperty(
      randomSteps,
      fc.array(fc.tuple(randomFilters, view), { minLength: 5, maxLength: 12 }),
      async (steps, asked) => {
        const http = await HttpRecording.begin();
        try {
          for (const step of steps) step(http);
          for (const [text, shown] of asked) {
            const filter = filterOf(http, text, shown);
            await filter.catchUp();
            expect(filter.page(0, 10_000)).toEqual(await naive(http, text, shown, clockOf(http.trace)));
            expect(filter.isDone).toBe(true);
          }
        } finally {
          await http.close();
        }
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test('a filter finds in a trace that grows under it what a look at each row finds in the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      randomSteps,
      fc.array(fc.nat(8), { minLength: 1, maxLength: 10 }),
      fc.array(fc.tuple(randomFilters, view), { minLength: 3, maxLength: 6 }),
      async (steps, waits, asked) => {
        const http = await HttpRecording.begin();
        try {
          const clock = clockOf(http.trace);
          const filters = asked.map(([text, shown]) => ({
            text,
            shown,
            filter: filterOf(http, text, shown),
          }));
          for (const [order, step] of steps.entries()) {
            step(http);
            // Each starts again or goes on in the middle of what happens.
            if (order % 3 === 0) for (const { filter } of filters) void filter.catchUp();
            for (let turns = waits[order % waits.length] ?? 0; turns > 3; turns--) await nextTurn();
          }
          for (const { text, shown, filter } of filters) {
            while (!filter.isDone) await filter.catchUp();
            expect(filter.page(0, 10_000)).toEqual(await naive(http, text, shown, clock));
          }
        } finally {
          await http.close();
        }
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test('from any row the next one of a list, and the one before, are those that a look at each row finds', async () => {
  await fc.assert(
    fc.asyncProperty(randomSteps, randomFilters, randomFilters, view, async (steps, listed, text, shown) => {
      const http = await HttpRecording.begin();
      try {
        for (const step of steps) step(http);
        const { trace } = http;
        const list = filterOf(http, listed, shown);
        await list.catchUp();
        const clock = clockOf(trace);
        const places = await naive(http, listed, shown, clock);
        const wanted = new Set(await naive(http, text, 'messages', clock));
        const inBoth = places.filter((row) => wanted.has(row));
        const sought = { trace, list, filter: readFilter(text), sessions };
        for (let from = -1; from <= trace.index.columns.count; from += 3) {
          const after = inBoth.find((row) => row > from) ?? null;
          const before = inBoth.findLast((row) => row < from) ?? null;
          expect(await seek({ ...sought, from, step: 1 })).toBe(after);
          expect(await seek({ ...sought, from, step: -1 })).toBe(before);
        }
      } finally {
        await http.close();
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);
