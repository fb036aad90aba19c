import { expect, test } from 'vitest';
import type { TracedCall } from '#shared/contract/trace.ts';
import { callsToRerun } from './rerun.ts';

const aCall = (method: string): TracedCall => ({
  row: 1,
  responseRow: 2,
  method,
  direction: 'out',
  target: null,
  params: null,
  outcome: 'ok',
  response: '{}',
  isTooLarge: false,
  at: 0,
  duration: 1,
});

test('only methods that are known to read run again without being ticked', () => {
  const methods = [
    'resources/read',
    'prompts/list',
    'ping',
    'vendor/delete',
    'resources/delete',
    'tools/call',
  ];
  expect(callsToRerun(methods.map(aCall), []).map(({ method, safety }) => `${method}: ${safety}`)).toEqual([
    'resources/read: no-tool',
    'prompts/list: no-tool',
    'ping: no-tool',
    'vendor/delete: unannotated',
    'resources/delete: unannotated',
    'tools/call: unannotated',
  ]);
});
