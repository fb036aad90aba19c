import { expect, test } from 'vitest';
import { DurationSample } from './duration-sample.ts';

test('the median is the middle one, or lies between the two in the middle', () => {
  const sample = new DurationSample();
  expect(sample.median()).toBeNull();
  sample.add(900);
  expect(sample.median()).toBe(900);
  sample.add(100);
  expect(sample.median()).toBe(500);
  sample.add(200);
  expect(sample.median()).toBe(200);
});

test('old durations make room for new ones', () => {
  const sample = new DurationSample();
  for (let count = 0; count < 1000; count++) sample.add(1);
  for (let count = 0; count < 1000; count++) sample.add(7);
  expect(sample.median()).toBe(7);
});
