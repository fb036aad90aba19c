import { expect, test } from 'vitest';
import type { EventFrame } from '#shared/contract/index.ts';
import { createOutbox } from './page-connection.ts';

const changed = (sessionId: string, list: string): EventFrame => ({
  event: 'catalog/changed',
  payload: { sessionId, list },
});
const drained = (...frames: EventFrame[]): EventFrame[] => {
  const outbox = createOutbox();
  for (const frame of frames) outbox.add(frame);
  const held = outbox.drain();
  expect(outbox.isEmpty).toBe(true);
  return held;
};

test('the last notification of every list of every session is held', () => {
  const frames = [changed('s1', 'tools'), changed('s1', 'prompts'), changed('s2', 'tools')];
  expect(drained(...frames, changed('s1', 'tools'))).toEqual([frames[1], frames[2], frames[0]]);
});

test('calls of two sessions are two, although they have the same id', () => {
  const call = (sessionId: string, state: string): EventFrame => ({
    event: 'calls/changed',
    payload: { sessionId, id: 'call-2', state },
  });
  expect(drained(call('s1', 'running'), call('s2', 'running'), call('s1', 'ok'))).toEqual([
    call('s2', 'running'),
    call('s1', 'ok'),
  ]);
});

test('the last notification of the list of servers is held', () => {
  const [older, newer] = [[], [{ id: 'v1' }]].map((payload) => ({ event: 'servers/changed', payload }));
  expect(drained(older!, newer!)).toEqual([newer]);
});

test('notices of growth become one that reaches back to the first change', () => {
  const grew = (rows: number, changedFrom: number): EventFrame => ({
    event: 'trace/grew',
    payload: { sessionId: 's1', rows, changedFrom, counts: { errors: 0, found: 0, asks: 0 } },
  });
  expect(drained(grew(5, 2), grew(9, 5))).toEqual([grew(9, 2)]);
});

test('what a payload was made from is not held with it', () => {
  const frame = { ...changed('s1', 'tools'), madeFrom: 'a whole response' };
  expect(drained(frame)).toEqual([changed('s1', 'tools')]);
});

test('what is no event of the contract is not held', () => {
  expect(drained({ event: 'nothing/known', payload: {} })).toEqual([]);
});
