import { expect, test } from 'vitest';
import { DurationHistogram, SizesOverTime } from './statistics-charts.ts';

test('durations are counted in classes of 1, 2 and 5, with the empty ones between', () => {
  const histogram = new DurationHistogram();
  for (const duration of [1000, 1999, 2000, 9999, 10_000, 0, 1]) histogram.add(duration);
  const classes = histogram.toView();
  expect(classes.filter(({ count }) => count > 0)).toEqual([
    { from: 1, to: 2, count: 2 },
    { from: 1000, to: 2000, count: 2 },
    { from: 2000, to: 5000, count: 1 },
    { from: 5000, to: 10_000, count: 1 },
    { from: 10_000, to: 20_000, count: 1 },
  ]);
  expect(classes).toHaveLength(13);
  for (const [index, { from }] of classes.slice(1).entries()) expect(from).toBe(classes[index]?.to);
  expect(new DurationHistogram().toView()).toEqual([]);
});

test('bytes are counted in the part of the span in which they crossed', () => {
  const sizes = new SizesOverTime(1000, 6000);
  sizes.add(1000, 'out', 10);
  sizes.add(1150, 'in', 5);
  sizes.add(7000, 'in', 7);
  sizes.add(900, 'in', 1);
  const parts = sizes.toView();
  expect(parts).toHaveLength(60);
  expect(parts.filter(({ bytesIn, bytesOut }) => bytesIn + bytesOut > 0)).toEqual([
    { at: 0, bytesIn: 1, bytesOut: 10 },
    { at: 100, bytesIn: 5, bytesOut: 0 },
    { at: 5900, bytesIn: 7, bytesOut: 0 },
  ]);
  const single = new SizesOverTime(5, 0);
  single.add(5, 'out', 3);
  expect(single.toView()).toEqual([{ at: 0, bytesIn: 0, bytesOut: 3 }]);
});
