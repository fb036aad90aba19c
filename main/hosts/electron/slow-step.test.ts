import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SLOW, sayWhenSlow } from './slow-step.ts';

const printed = vi.spyOn(console, 'error');

beforeEach(() => {
  vi.useFakeTimers();
  printed.mockReset();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a step that takes long is named once, and still gives its result', async () => {
  let settle: (value: string) => void = () => {};
  const step = sayWhenSlow(
    'the engine',
    new Promise<string>((resolve) => {
      settle = resolve;
    }),
  );
  await vi.advanceTimersByTimeAsync(SLOW - 1);
  expect(printed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5 * SLOW);
  expect(printed.mock.calls).toEqual([['sightglass: still waiting for the engine after 10 s']]);
  settle('started');
  expect(await step).toBe('started');
});

test('a step in time says nothing, failed or not', async () => {
  expect(await sayWhenSlow('the page', Promise.resolve('loaded'))).toBe('loaded');
  await expect(sayWhenSlow('the page', Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  await vi.advanceTimersByTimeAsync(2 * SLOW);
  expect(printed).not.toHaveBeenCalled();
});
