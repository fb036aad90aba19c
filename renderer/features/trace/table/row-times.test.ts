import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { sinceStart } from '#model/trace-clock.ts';
import { barOf, spanOf } from './row-times.ts';

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
  const span = spanOf([request, undefined, answer, later]);
  expect(barOf(request, span)).toEqual({ left: 0, width: 50 });
  expect(barOf(answer, span)).toEqual({ left: 50, width: 0 });
});

test('a request without an answer lasts to the end', () => {
  const request = aRow({ at: 1000, kind: 'request', status: 'pending' });
  expect(barOf(request, { from: 0, to: 2000 })).toEqual({ left: 50, width: 50 });
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
      const span = spanOf(all);
      for (const row of all) {
        const { left, width } = barOf(row, span);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + width).toBeLessThanOrEqual(100.1);
        expect(width).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
