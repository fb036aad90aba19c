import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { againWhenStuck, SLOW, sayWhenSlow, STUCK } from './slow-step.ts';

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

test('a step that is stuck is started again, once, and the second attempt counts', async () => {
  const attempts: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const step = againWhenStuck(
    'the page',
    () => new Promise((resolve, reject) => attempts.push({ resolve, reject })),
  );
  const ended = vi.fn<() => void>();
  void step.then(ended);
  await vi.advanceTimersByTimeAsync(STUCK - 1);
  expect(attempts).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(attempts).toHaveLength(2);
  expect(printed.mock.calls.flat()).toContain('sightglass: waited 30 s for the page, so it is started again');
  // As a load that another one replaces.
  attempts[0]?.reject(new Error('ERR_ABORTED'));
  await vi.advanceTimersByTimeAsync(2 * STUCK);
  expect(ended).not.toHaveBeenCalled();
  expect(attempts).toHaveLength(2);
  attempts[1]?.resolve();
  await step;
});

test('a step that ends or fails in time is not started again', async () => {
  const work = vi.fn<() => Promise<void>>();
  work.mockResolvedValueOnce();
  await againWhenStuck('the page', work);
  work.mockRejectedValueOnce(new Error('gone'));
  await expect(againWhenStuck('the page', work)).rejects.toThrow('gone');
  await vi.advanceTimersByTimeAsync(2 * STUCK);
  expect(work).toHaveBeenCalledTimes(2);
  expect(printed).not.toHaveBeenCalled();
});
