import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestTimeout, TimeoutTimer } from './request.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(timeout: number, maxTimeout: number) {
  const over = vi.fn<(waited: number) => void>();
  const timer = new TimeoutTimer(() => [own]);
  const own = new RequestTimeout({ timeout, maxTimeout }, timer, over);
  return { over, timer, timeout: own };
}

test('it is over after the time without progress', () => {
  const { over } = start(1000, 5000);
  vi.advanceTimersByTime(999);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over).toHaveBeenCalledExactlyOnceWith(1000);
});

test('without a limit it is never over, and a long limit is kept', () => {
  const forever = start(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
  const long = start(2 ** 32, 2 ** 32);
  vi.advanceTimersByTime(2 ** 32 - 1);
  expect(long.over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(long.over).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2 ** 34);
  expect(forever.over).not.toHaveBeenCalled();
  forever.timeout.stop();
});

test('progress restarts it, up to the maximum', () => {
  const { over, timeout: own } = start(1000, 2500);
  for (const _ of [1, 2, 3]) {
    vi.advanceTimersByTime(800);
    own.restart();
  }
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(over).toHaveBeenCalledExactlyOnceWith(2500);
});

test('while anybody has it paused, neither time runs', () => {
  const { over, timeout: own } = start(1000, 1500);
  vi.advanceTimersByTime(600);
  const one = own.pause();
  const other = own.pause();
  vi.advanceTimersByTime(60_000);
  one();
  one();
  vi.advanceTimersByTime(60_000);
  expect(over).not.toHaveBeenCalled();
  other();
  vi.advanceTimersByTime(399);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over).toHaveBeenCalledOnce();
});

test('says what is left of both times, which stand still in a pause', () => {
  const { timeout: own } = start(1000, 1800);
  vi.advanceTimersByTime(600);
  expect(own.left).toEqual({ idle: 400, total: 1200, isPaused: false });
  own.restart();
  expect(own.left).toEqual({ idle: 1000, total: 1200, isPaused: false });
  vi.advanceTimersByTime(300);
  const resume = own.pause();
  vi.advanceTimersByTime(5000);
  expect(own.left).toEqual({ idle: 700, total: 900, isPaused: true });
  resume();
  own.restart();
  expect(own.left).toEqual({ idle: 900, total: 900, isPaused: false });
  own.stop();
});

test('progress during a pause counts from its end', () => {
  const { over, timeout: own } = start(1000, 10_000);
  vi.advanceTimersByTime(900);
  const resume = own.pause();
  own.restart();
  vi.advanceTimersByTime(5000);
  resume();
  vi.advanceTimersByTime(999);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over).toHaveBeenCalledOnce();
});

test('once stopped, the end of a pause starts nothing', () => {
  const { over, timeout: own } = start(1000, 1000);
  const resume = own.pause();
  own.stop();
  resume();
  vi.advanceTimersByTime(60_000);
  expect(over).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('one timer serves all requests, however their times end', () => {
  const over: string[] = [];
  const running = new Map<string, RequestTimeout>();
  const timer = new TimeoutTimer(() => running.values());
  const begin = (name: string, timeout: number) => {
    const end = () => {
      running.delete(name);
      over.push(name);
    };
    running.set(name, new RequestTimeout({ timeout, maxTimeout: 60_000 }, timer, end));
  };
  begin('slow', 3000);
  begin('fast', 1000);
  begin('middle', 2000);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(over).toEqual(['fast']);
  running.get('middle')?.restart();
  vi.advanceTimersByTime(1999);
  expect(over).toEqual(['fast']);
  vi.advanceTimersByTime(1);
  expect(over).toEqual(['fast', 'slow', 'middle']);
  begin('late', 1000);
  timer.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('a request whose end throws disarms no other', () => {
  const over: string[] = [];
  const running: RequestTimeout[] = [];
  const timer = new TimeoutTimer(() => running);
  const begin = (timeout: number, end: () => void) =>
    running.push(new RequestTimeout({ timeout, maxTimeout: 60_000 }, timer, end));
  begin(1000, () => {
    throw new Error('cannot end');
  });
  begin(1000, () => over.push('at the same time'));
  begin(2000, () => over.push('later'));
  expect(() => vi.advanceTimersByTime(1000)).toThrow('cannot end');
  vi.advanceTimersByTime(1);
  expect(over).toEqual(['at the same time']);
  vi.advanceTimersByTime(1000);
  expect(over).toEqual(['at the same time', 'later']);
});
