import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { LatencyHistogram } from './latency-histogram.ts';
import { type LoadedCall, type LoadOptions, LoadRun, type LoadTask } from './load-run.ts';

const fine: LoadedCall = { error: null, isSkipped: false, duration: 100, requestRow: 7 };

const load = (task: LoadTask, options: Partial<LoadOptions> = {}) =>
  new LoadRun(task, {
    count: 100,
    schedule: { kind: 'concurrency', concurrency: 4 },
    stop: new AbortController().signal,
    onAdvance: () => undefined,
    mustBeReady: () => undefined,
    ...options,
  });

/** Resolves in a later turn. */
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('percentiles are those of the sorted latencies, at most 2.2 % more', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1 }), (latencies) => {
      const histogram = new LatencyHistogram();
      for (const latency of latencies) histogram.add(latency);
      const sorted = latencies.toSorted((a, b) => a - b);
      for (const share of [0.5, 0.9, 0.99, 1]) {
        const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const found = histogram.percentile(share);
        expect(found).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
        expect(found).toBeLessThanOrEqual((exact + 1) * 1.022);
      }
      const { buckets, max } = histogram.view('end');
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(latencies.length);
      expect(max).toBe(sorted.at(-1));
    }),
  );
});

test('keeps as many calls under way as it may, and never more', async () => {
  let underWay = 0;
  let most = 0;
  const run = load(async () => {
    most = Math.max(most, ++underWay);
    await soon();
    underWay--;
    return [fine];
  });
  expect(await run.run()).toMatchObject({
    done: 100,
    calls: 100,
    failed: 0,
    mostAtOnce: 4,
    isStopped: false,
  });
  expect(most).toBe(4);
});

test('names the rows of the load and that of the slowest call, in whatever order they end', async () => {
  const rows = [40, 12, 31];
  const run = load(
    (number) =>
      Promise.resolve([
        { ...fine, requestRow: rows[number - 1] ?? null, duration: number === 2 ? 900 : 5 },
        // Not sent, and without a response.
        { ...fine, isSkipped: true, requestRow: null, duration: null },
        { ...fine, error: 'timed out', requestRow: 20, duration: null },
      ]),
    { count: 3 },
  );
  expect(await run.run()).toMatchObject({ rows: { first: 12, last: 40 }, slowest: 12 });
  expect(await load(() => Promise.resolve([])).run()).toMatchObject({ rows: null, slowest: null });
});

test('at a rate, starts calls when they are due although others are under way, up to the limit', async () => {
  const waiting: (() => void)[] = [];
  let started = 0;
  const run = load(
    async () => {
      // The last one that fits lets all others end, once a further one has become due.
      if (++started === 256) setTimeout(() => waiting.forEach((resolve) => resolve()), 20);
      if (started <= 256) await new Promise<void>((resolve) => waiting.push(resolve));
      return [fine];
    },
    { count: 300, schedule: { kind: 'rate', rate: 10_000 } },
  );
  const figures = await run.run();
  expect(figures).toMatchObject({ done: 300, mostAtOnce: 256 });
  expect(figures.waits).toBeGreaterThan(0);
  expect(run.waited.count).toBe(300);
});

test('counts errors by kind, with few kinds, and keeps few samples of many calls', async () => {
  let place = 0;
  const run = load(
    async () => {
      place++;
      return [{ ...fine, error: place % 2 === 0 ? `error ${place}` : 'the same', requestRow: place }];
    },
    { count: 10_000 },
  );
  const { errors, failed } = await run.run();
  expect(failed).toBe(10_000);
  expect(errors).toHaveLength(21);
  expect(errors.slice(0, 2)).toEqual([
    { kind: 'the same', count: 5000 },
    { kind: 'others', count: 4981 },
  ]);
  expect(run.samples).toHaveLength(2000);
});

test('samples all calls of runs from the whole load, of which only the first waited', async () => {
  let row = 0;
  const run = load(async () => [fine, fine, fine].map((call) => ({ ...call, requestRow: row++ })), {
    count: 3000,
    schedule: { kind: 'rate', rate: 100_000 },
  });
  await run.run();
  expect(run.samples).toHaveLength(1800);
  expect(run.samples.at(-1)?.row).toBeGreaterThan(8900);
  const [first = [], ...others] = [0, 1, 2].map((index) =>
    run.samples.filter((one) => one.row % 3 === index),
  );
  expect(first.some(({ waited }) => waited > 0)).toBe(true);
  expect(others.map((samples) => samples.length)).toEqual([first.length, first.length]);
  expect(others.flat().every(({ waited }) => waited === 0)).toBe(true);
});

test('stops after the calls under way, at the request of the user or when the session has ended', async () => {
  const stop = new AbortController();
  let started = 0;
  const stopped = await load(
    async () => {
      if (++started === 10) stop.abort();
      await soon();
      return [fine];
    },
    { stop: stop.signal },
  ).run();
  expect(stopped).toMatchObject({ done: 10, isStopped: true, fault: null });

  const fault = { code: 'ended', what: 'The session has ended.' };
  const lost = await load(async () => [{ ...fine, error: 'lost', duration: null }], {
    mustBeReady: () => {
      throw new FaultError(fault);
    },
  }).run();
  expect(lost).toMatchObject({ fault, isStopped: false });
  expect(lost.done).toBeLessThan(10);
});
