import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { sinceStart } from '#model/trace-clock.ts';
import { barOf, pauseBefore, scaleOf } from './row-times.ts';

const clock = { at: 1_000_000, wall: 0 };

test('the time since the first row has minutes and hours only when there are some', () => {
  expect(sinceStart(clock, 1_000_000)).toBe('+0.000');
  expect(sinceStart(clock, 2_204_000)).toBe('+1.204');
  expect(sinceStart(clock, 76_204_000)).toBe('+1:15.204');
  expect(sinceStart(clock, 1_000_000 + 7_275_204_000)).toBe('+2:01:15.204');
});

test('a request lasts until its answer, an answer is an instant', () => {
  const request = aRow({ at: 1000, kind: 'request', status: 'ok', duration: 500 });
  const answer = aRow({ at: 1500, kind: 'result', status: 'ok', duration: 500 });
  const later = aRow({ at: 2000 });
  const span = scaleOf([request, undefined, answer, later]);
  expect(barOf(request, span)).toEqual({ left: 0, width: 50 });
  expect(barOf(answer, span)).toEqual({ left: 50, width: 0 });
});

test('a request without an answer lasts to the end', () => {
  const request = aRow({ at: 1000, kind: 'request', status: 'pending' });
  expect(barOf(request, { from: 0, to: 2000, pauses: [] })).toEqual({ left: 50, width: 50 });
});

test('no bar leaves the column', () => {
  const instant = fc.integer({ min: 0, max: 1e12 });
  const duration = fc.option(fc.integer({ min: 0, max: 1e12 }));
  const rows = fc.array(
    fc.record({ at: instant, duration, status: fc.constantFrom('pending' as const, 'ok' as const) }),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(rows, (facts) => {
      const all = facts.map((fact) => aRow({ kind: 'request', ...fact }));
      const span = scaleOf(all);
      for (const row of all) {
        const { left, width } = barOf(row, span);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(100.1);
        expect(width).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('a pause takes little room, so that what was before and after it keeps its width', () => {
  const second = 1_000_000;
  const before = aRow({ at: 0, kind: 'request', status: 'ok', duration: 0.4 * second });
  const answer = aRow({ at: 0.4 * second, kind: 'result' });
  const after = aRow({ at: 24.4 * second, kind: 'request', status: 'ok', duration: 0.4 * second });
  const last = aRow({ at: 24.8 * second, kind: 'result' });
  const scale = scaleOf([before, answer, after, last]);
  expect(barOf(before, scale)).toEqual({ left: 0, width: 47.5 });
  expect(barOf(after, scale)).toEqual({ left: 52.5, width: 47.5 });
  expect(pauseBefore(after.at, scale)).toBe(24 * second);
  expect(pauseBefore(last.at, scale)).toBeNull();
  expect(barOf(after, scaleOf([before, answer, after, last], null, false)).left).toBeGreaterThan(95);
});

test('time in which nothing stands out is not omitted', () => {
  const rows = [0, 2, 4, 6, 8].map((seconds) => aRow({ at: seconds * 1_000_000 }));
  expect(scaleOf(rows).pauses).toEqual([]);
  // Pauses below a second belong to the traffic.
  expect(scaleOf([aRow({ at: 0 }), aRow({ at: 10 }), aRow({ at: 900_000 })]).pauses).toEqual([]);
});
