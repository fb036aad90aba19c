import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EventFrame, events } from '#shared/contract/index.ts';
import { EventQueue } from './event-queue.ts';

const sessionSchema = events['sessions/forgotten'];
const delivered: string[] = [];
const reported: unknown[] = [];
const sessionOf = ({ payload }: EventFrame) => sessionSchema.parse(payload).sessionId;
const note = (frame: EventFrame) => void delivered.push(sessionOf(frame));

/** The queue, its events named by the session they are about. */
function queueWith(...listeners: ((frame: EventFrame) => void)[]) {
  const queue = new EventQueue((error, event) => reported.push([event, error]));
  for (const listener of listeners) queue.subscribe(listener);
  return { queue, emit: (sessionId: string) => queue.emit('sessions/forgotten', { sessionId }) };
}

beforeEach(() => {
  delivered.length = 0;
  reported.length = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

test('delivers events at once while no request is waiting', () => {
  const { emit } = queueWith(note);
  emit('one');
  expect(delivered).toEqual(['one']);
});

test('holds events until the response, then delivers them in order', () => {
  const { queue, emit } = queueWith(note);
  queue.hold();
  emit('before');
  emit('after');
  expect(delivered).toEqual([]);
  queue.release();
  emit('last');
  expect(delivered).toEqual(['before', 'after', 'last']);
});

test('holds events for 8 ms at most, however many requests follow', async () => {
  const { queue, emit } = queueWith(note);
  queue.hold();
  emit('one');
  queue.hold();
  await vi.advanceTimersByTimeAsync(8);
  expect(delivered).toEqual(['one']);
});

test('delivers what a listener emits after what it was given, to every listener', () => {
  const { queue, emit } = queueWith((frame) => {
    if (sessionOf(frame) === 'first') emit('second');
  }, note);
  emit('first');
  expect(delivered).toEqual(['first', 'second']);
  queue.release();
});

test('a listener that throws is reported, the others get the event, and the next events are delivered', () => {
  const error = new Error('frame disposed');
  const failing = () => {
    throw error;
  };
  const { queue, emit } = queueWith(failing, note);
  queue.hold();
  emit('held');
  queue.release();
  emit('next');
  expect(delivered).toEqual(['held', 'next']);
  expect(reported).toEqual([
    ['sessions/forgotten', error],
    ['sessions/forgotten', error],
  ]);
});

test('a listener that left gets no more events', () => {
  const { queue, emit } = queueWith(note);
  const leave = queue.subscribe(note);
  leave();
  emit('one');
  expect(delivered).toEqual(['one']);
});
