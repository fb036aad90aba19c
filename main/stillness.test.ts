import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Stillness } from './stillness.ts';

const told: string[] = [];
const tell = (stillness: Stillness, word: string) => stillness.tell(() => void told.push(word));

beforeEach(() => {
  told.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

test('while no request is out, everything is told at once', async () => {
  const stillness = new Stillness();
  tell(stillness, 'one');
  expect(told).toEqual(['one']);
  await stillness.turn();
});

test('what is told after a request waits for its answer, in its order, and the results of commands with it', async () => {
  const stillness = new Stillness();
  stillness.begin();
  tell(stillness, 'before');
  const handed = stillness.turn().then(() => told.push('result'));
  tell(stillness, 'after');
  expect(told).toEqual([]);
  stillness.end();
  tell(stillness, 'last');
  await handed;
  await vi.waitFor(() => expect(told).toEqual(['before', 'result', 'after', 'last']));
  tell(stillness, 'at once');
  expect(told.at(-1)).toBe('at once');
});

test('an answer that does not come is not waited for', async () => {
  const stillness = new Stillness();
  stillness.begin();
  tell(stillness, 'one');
  stillness.begin();
  await vi.advanceTimersByTimeAsync(8);
  expect(told).toEqual(['one']);
});
