import { expect, test } from 'vitest';
import type { TracedCall } from '#shared/contract/trace.ts';
import { alignCalls } from './align-calls.ts';

/** Calls by `tool:argument`, in their order; `<name` is a request of the server. */
function calls(...names: string[]): TracedCall[] {
  return names.map((name, row) => {
    const [target = '', argument] = name.replace('<', '').split(':');
    return {
      row,
      responseRow: null,
      method: name.startsWith('<') ? target : 'tools/call',
      direction: name.startsWith('<') ? 'in' : 'out',
      target: name.startsWith('<') ? null : target,
      params: argument === undefined ? null : JSON.stringify({ name: target, arguments: { argument } }),
      outcome: 'none',
      response: null,
      isTooLarge: false,
      at: 0,
      duration: null,
    };
  });
}

const aligned = (recorded: TracedCall[], other: TracedCall[]): string[] =>
  alignCalls(recorded, other).map((pair) => `${pair.recorded?.row ?? '-'}/${pair.other?.row ?? '-'}`);

test('equal calls belong together, in their order', () => {
  expect(aligned(calls('a:1', 'b:1', 'a:1'), calls('a:1', 'b:1', 'a:1'))).toEqual(['0/0', '1/1', '2/2']);
});

test('params decide before the order does', () => {
  expect(aligned(calls('a:1', 'a:2'), calls('a:2', 'a:1'))).toEqual(['0/1', '1/0']);
});

test('a call with other params stays the same call', () => {
  expect(aligned(calls('a:1', 'b:1'), calls('a:2', 'b:1'))).toEqual(['0/0', '1/1']);
});

test('the order of members does not matter', () => {
  const [one, other] = [calls('a'), calls('a')];
  const at = (list: TracedCall[], params: string) => [{ ...list[0], params } as TracedCall, ...calls('a:1')];
  const left = at(one, '{"name":"a","arguments":{"x":1,"y":2}}');
  const right = [
    ...calls('a:1'),
    { ...other[0], row: 1, params: '{"arguments":{"y":2,"x":1},"name":"a"}' } as TracedCall,
  ];
  expect(alignCalls(left, right).map((pair) => [pair.recorded === left[0], pair.other === right[1]])).toEqual(
    [
      [true, true],
      [false, false],
    ],
  );
});

test('missing calls stay at their place, extra ones come where they were made', () => {
  expect(aligned(calls('a', 'b', 'c'), calls('a', 'x', 'c', 'y'))).toEqual([
    '0/0',
    '1/-',
    '-/1',
    '2/2',
    '-/3',
  ]);
});

test('requests of the server and of the client never belong together', () => {
  expect(aligned(calls('<ping2'), calls('ping2'))).toEqual(['0/-', '-/0']);
});

test('a hundred thousand equal calls are aligned in a moment', () => {
  const many = calls(...Array.from({ length: 100_000 }, () => 'a:1'));
  const pairs = alignCalls(many, many);
  expect(pairs).toHaveLength(100_000);
  expect(pairs.every(({ recorded, other }) => recorded === other)).toBe(true);
});
