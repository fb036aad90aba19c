import { describe, expect, test } from 'vitest';
import { brushAfter, brushOf, type TimeRange, withBrush } from './brush.ts';
import { axisOf, spreadOver } from './draw-overview.ts';

const noon = new Date(2026, 10, 21, 12, 0, 0).getTime();
const clock = { at: 0, wall: noon };
const hour = 3_600_000_000;
const whole: TimeRange = { from: 0, to: hour };

describe('a brushed stretch', () => {
  test('is two terms of the filter, beside those that were there', () => {
    const range = { from: 131_000_000, to: 836_400_000 };
    const text = withBrush('is:error or kind:stderr', range, clock, whole);
    expect(text).toBe('(is:error or kind:stderr) since:12:02:11 until:12:13:57');
    expect(brushOf(text, clock, whole)).toEqual({ from: 131_000_000, to: 837_000_000 });
  });

  test('replaces the stretch before, and leaves the rest of the filter when it is cleared', () => {
    const text = 'tool:echo since:12:01 until:12:02';
    const moved = withBrush(text, { from: hour / 2, to: hour / 2 + 1_234_567 }, clock, whole);
    expect(moved).toBe('tool:echo since:12:30:00 until:12:30:01.235');
    expect(withBrush(moved, null, clock, whole)).toBe('tool:echo');
    expect(withBrush('  "as typed"', null, clock, whole)).toBe('  "as typed"');
  });

  test('can be typed, with one end only or relative to the end', () => {
    expect(brushOf('since:12:30', clock, whole)).toEqual({ from: hour / 2, to: hour });
    expect(brushOf('until:-15m is:error', clock, whole)).toEqual({ from: 0, to: 0.75 * hour });
    expect(brushOf('is:error', clock, whole)).toBeNull();
    // Not a condition that every listed row must fulfil.
    expect(brushOf('since:12:30 or is:error', clock, whole)).toBeNull();
  });

  test('has a date where the time of day would mean another day', () => {
    const days = { from: 0, to: 50 * hour };
    const text = withBrush('', { from: 26 * hour, to: 49 * hour }, clock, days);
    expect(text).toBe('since:2026-11-22T14:00:00 until:2026-11-23T13:00:00');
    expect(brushOf(text, clock, days)).toEqual({ from: 26 * hour, to: 49 * hour });
  });
});

describe('by keyboard', () => {
  const brush = { from: 0.4 * hour, to: 0.5 * hour };

  test('an arrow begins a stretch, moves it, and stops at the ends', () => {
    expect(brushAfter('ArrowLeft', false, null, whole)).toEqual({ from: 0.9 * hour, to: hour });
    expect(brushAfter('ArrowRight', false, null, whole)).toEqual({ from: 0, to: 0.1 * hour });
    expect(brushAfter('ArrowRight', false, brush, whole)).toEqual({ from: 0.42 * hour, to: 0.52 * hour });
    expect(brushAfter('Home', false, brush, whole)).toEqual({ from: 0, to: 0.1 * hour });
    expect(brushAfter('ArrowRight', false, { from: 0.9 * hour, to: hour }, whole)).toEqual({
      from: 0.9 * hour,
      to: hour,
    });
  });

  test('Shift extends it, Escape clears it, and other keys are not its own', () => {
    expect(brushAfter('ArrowRight', true, brush, whole)).toEqual({ from: 0.4 * hour, to: 0.52 * hour });
    expect(brushAfter('End', true, brush, whole)).toEqual({ from: 0.4 * hour, to: hour });
    expect(brushAfter('Home', true, brush, whole)).toEqual({ from: 0, to: 0.5 * hour });
    expect(brushAfter('Escape', false, brush, whole)).toBeNull();
    expect(brushAfter('a', false, brush, whole)).toBeUndefined();
    expect(brushAfter('Tab', false, null, whole)).toBeUndefined();
  });
});

test('counts of buckets are spread over the columns without losing or inventing any', () => {
  const counts = [4, 0, 8, 2];
  const spread = spreadOver(counts, {
    overview: { from: 0, width: 30 },
    whole: { from: 0, to: 120 },
    columns: 7,
  });
  expect(spread.reduce((sum, one) => sum + one, 0)).toBeCloseTo(14);
  expect(spread[0]).toBeGreaterThan(2);
  expect(spread[6]).toBeGreaterThan(0);
  const same = spreadOver(counts, {
    overview: { from: 0, width: 30 },
    whole: { from: 0, to: 120 },
    columns: 4,
  });
  expect(same).toEqual(counts);
});

test('the axis has round times, as many as have room', () => {
  const labels = axisOf({ whole, clock, times: 'wall', width: 700 });
  expect(labels.map(({ label }) => label)).toEqual([
    '12:00',
    '12:10',
    '12:20',
    '12:30',
    '12:40',
    '12:50',
    '13:00',
  ]);
  const relative = axisOf({ whole: { from: 0, to: 10_000_000 }, clock, times: 'relative', width: 250 });
  expect(relative.map(({ label }) => label)).toEqual(['+0', '+5', '+10']);
});
