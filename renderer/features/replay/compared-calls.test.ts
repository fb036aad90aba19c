import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import type { CallComparison } from '#shared/contract/comparison.ts';
import { ComparedCalls } from './compared-calls.ts';

const compared = (row: number): CallComparison => ({
  class: 'same',
  method: 'ping',
  target: null,
  paramsPreview: '',
  direction: 'out',
  recorded: { row, responseRow: row, outcome: 'ok', duration: 1 },
  other: null,
  differences: [],
  ignored: [],
  summary: '',
  isAccepted: false,
});

test('a call that is wanted all the time is kept, and those of earlier screens are not', async () => {
  fakeEngine({ 'comparison/calls': ({ places }) => places.map(compared) });
  const calls = new ComparedCalls('c1');
  const read = (places: readonly number[]) =>
    new Promise<void>((resolve) => {
      calls.listen(resolve);
      calls.want(places);
    });
  await read([0]);
  for (let from = 1; from < 4000; from += 100) {
    // The end of a read is one turn after its answer.
    await Promise.resolve();
    await read([...Array.from({ length: 100 }, (_, index) => from + index), 0]);
    expect(calls.at(0)?.recorded?.row).toBe(0);
  }
  expect(calls.at(3950)?.recorded?.row).toBe(3950);
  expect(calls.at(50)).toBeUndefined();
});
