import { expect, test } from 'vitest';
import type { ReplayRun } from '#shared/contract/replay.ts';
import type { TracedCall } from '#shared/contract/trace.ts';
import { compareSessions } from './compare-sessions.ts';

const call = (row: number, responseRow: number, of: Partial<TracedCall> = {}): TracedCall => ({
  row,
  responseRow,
  method: 'tools/call',
  direction: 'out',
  target: 'meet',
  params: `{"name":"meet","arguments":{"n":${row}}}`,
  outcome: 'ok',
  response: '{}',
  isTooLarge: false,
  at: row,
  duration: 1,
  ...of,
});

const asked = (row: number, responseRow: number): TracedCall =>
  call(row, responseRow, { direction: 'in', method: 'roots/list', target: null, params: '{}' });

const catalog = {
  revision: null,
  capabilities: null,
  lists: { tool: [], resource: [], template: [], prompt: [] },
};

test('what a server asks belongs to a run until its last call ends, whichever that is', async () => {
  const recorded = [call(0, 1), asked(2, 3), call(4, 5)];
  // The first call ends after the second, and asks in between; what is asked after it is not of the run.
  const other = [call(0, 6), call(1, 2), asked(4, 5), asked(8, 9)];
  const replayed = (recordedRow: number, row: number) => ({
    recordedRow,
    method: 'tools/call',
    target: 'meet',
    row,
    skipped: null,
    replaced: [],
  });
  const replay: ReplayRun = {
    calls: [replayed(0, 0), replayed(4, 1)],
    values: [],
    answered: 1,
    declined: 0,
    duration: 1,
  };
  const { calls } = await compareSessions(
    { calls: recorded, catalog },
    { calls: other, catalog },
    { rules: [], replay },
    () => ({ state: 'valid' }),
  );
  const asks = calls.filter(({ direction }) => direction === 'in');
  expect(calls.find(({ target }) => target === 'meet')?.paramsPreview).toBe('n: 0');
  expect(asks.map((one) => [one.class, one.other?.row])).toEqual([['same', 4]]);
});
