import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MAX_OVERVIEW_BUCKETS, type Overview } from '#shared/contract/trace.ts';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { OverviewCounter } from './overview.ts';

let trace: TraceOf;
beforeEach(async () => {
  trace = await TraceOf.begin();
});
afterEach(() => trace.close());

let seq = 0;
const line = (at: number): void => trace.addAs({ kind: 'stderr', seq: seq++, at, text: 'working', size: 7 });
const message = (at: number, direction: 'in' | 'out', body: object): void => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...body });
  const channel = direction === 'in' ? 'stdout' : 'stdin';
  trace.addAs({ kind: 'unit', seq: seq++, at, direction, channel, text, size: text.length });
};
const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
const at = (overview: Overview, time: number): number => Math.floor((time - overview.from) / overview.width);

test('rows are counted by direction in the stretch of time in which they passed', async () => {
  const counter = new OverviewCounter(trace);
  expect(await counter.read()).toMatchObject({ from: 0, to: 0, in: [], out: [], errors: [], phases: [] });
  message(1_000_000, 'out', { id: 1, method: 'ping' });
  message(1_000_200, 'in', { id: 1, result: {} });
  message(3_000_000, 'out', { id: 2, method: 'ping' });
  const overview = await counter.read();
  expect(overview).toMatchObject({ from: 1_000_000, to: 3_000_000 });
  expect(overview.out[0]).toBe(1);
  expect(overview.in[0]).toBe(1);
  expect(overview.out[at(overview, 3_000_000)]).toBe(1);
  expect([sum(overview.in), sum(overview.out)]).toEqual([1, 2]);
});

test('a day of rows keeps every row in a bounded number of buckets, however often it is read', async () => {
  const counter = new OverviewCounter(trace);
  for (let minute = 0; minute < 24 * 60; minute++) {
    line(minute * 60_000_000);
    if (minute % 100 === 0) await counter.read();
  }
  const whole = await counter.read();
  expect(whole.in.length).toBeLessThanOrEqual(MAX_OVERVIEW_BUCKETS);
  expect(whole.in.length).toBeGreaterThan(MAX_OVERVIEW_BUCKETS / 2);
  expect(sum(whole.in)).toBe(24 * 60);
  expect(whole).toEqual(await new OverviewCounter(trace).read());
});

test('an error is counted where its request was sent, although its response comes after a reading', async () => {
  const counter = new OverviewCounter(trace);
  message(0, 'out', { id: 1, method: 'tools/call', params: { name: 'fail' } });
  line(2_000_000);
  expect(sum((await counter.read()).errors)).toBe(0);
  message(5_000_000, 'in', { id: 1, error: { code: -32602, message: 'no' } });
  const { errors } = await counter.read();
  expect([errors[0], sum(errors)]).toEqual([1, 1]);
});

test('the phases of the session come with their times', async () => {
  const counter = new OverviewCounter(trace);
  trace.addAs({ kind: 'phase', seq: seq++, at: 10, phase: 'connecting' });
  await counter.read();
  trace.addAs({ kind: 'phase', seq: seq++, at: 2000, phase: 'ready' });
  const { phases } = await counter.read();
  expect(phases).toEqual([
    { row: 0, at: 10, phase: 'connecting' },
    { row: 1, at: 2000, phase: 'ready' },
  ]);
});

test('phases that could not be read come with the next reading', async () => {
  const counter = new OverviewCounter(trace);
  trace.addAs({ kind: 'phase', seq: seq++, at: 10, phase: 'connecting' });
  trace.addAs({ kind: 'phase', seq: seq++, at: 2000, phase: 'ready' });
  await trace.file.close();
  const { path } = trace.file;
  await rename(path, `${path}.moved`);
  await expect(counter.read()).rejects.toMatchObject({ fault: { code: 'trace-not-read' } });
  await rename(`${path}.moved`, path);
  const { phases } = await counter.read();
  expect(phases.map(({ phase }) => phase)).toEqual(['connecting', 'ready']);
});
