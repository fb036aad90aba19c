import { expect, test } from 'vitest';
import type { TracedCall } from '#shared/contract/trace.ts';
import { joinRounds } from './rounds.ts';

const call = (row: number, params: unknown, response: unknown): TracedCall => ({
  row,
  responseRow: row + 1,
  method: 'tools/call',
  direction: 'out',
  target: 'pay',
  params: JSON.stringify(params),
  outcome: 'ok',
  response: JSON.stringify(response),
  isTooLarge: false,
  at: row * 10,
  duration: 5,
});

const args = { name: 'pay', arguments: { sum: 7 } };
const asks = (requestState: string | undefined) => ({
  resultType: 'input_required',
  inputRequests: {
    pin: { method: 'elicitation/create', params: { message: 'Pay?' } },
    roots: { method: 'roots/list' },
  },
  requestState,
});
const answer = { action: 'accept', content: { pin: '0815' } };
const further = (requestState: string | undefined) => ({
  ...args,
  inputResponses: { pin: answer, roots: { roots: [] } },
  requestState,
});
const done = { resultType: 'complete', content: [] };

test('the rounds of a call become one call, and its questions requests of the server', () => {
  const joined = joinRounds([
    call(1, args, asks('one')),
    call(3, further('one'), asks('two')),
    call(5, further('two'), done),
  ]);
  expect(joined).toEqual([
    { ...call(1, args, done), responseRow: 6, duration: 45 },
    expect.objectContaining({ row: 2, method: 'elicitation/create', direction: 'in', duration: 15 }),
    expect.objectContaining({ row: 4, responseRow: 5, response: JSON.stringify(answer) }),
  ]);
});

test('two such calls at the same time are told apart by their state', () => {
  const joined = joinRounds([
    call(1, args, asks('one')),
    call(3, args, asks('two')),
    call(5, further('two'), { of: 'two' }),
    call(7, further('one'), { of: 'one' }),
  ]);
  const out = joined.filter(({ direction }) => direction === 'out');
  expect(out.map(({ row, response }) => [row, response])).toEqual([
    [1, '{"of":"one"}'],
    [3, '{"of":"two"}'],
  ]);
});

test('a call that nobody continued keeps its response', () => {
  const calls = [call(1, args, asks(undefined)), call(3, args, done)];
  expect(joinRounds(calls)).toEqual(calls);
});
