import { expect, test } from 'vitest';
import { sinceStart } from './trace-clock.ts';

const clock = { at: 1_000_000, wall: 0 };

test('the time since the first row has minutes and hours only when there are some', () => {
  expect(sinceStart(clock, 1_000_000)).toBe('+0.000');
  expect(sinceStart(clock, 2_204_000)).toBe('+1.204');
  expect(sinceStart(clock, 76_204_000)).toBe('+1:15.204');
  expect(sinceStart(clock, 1_000_000 + 7_275_204_000)).toBe('+2:01:15.204');
});
