import { expect, test } from 'vitest';
import type { Call } from '#shared/contract/calls.ts';
import type { NegativeOutcome } from '#shared/contract/negative-inputs.ts';
import type { Expectation } from './make-inputs.ts';
import { assessResponse } from './assess-response.ts';

const call = (part: Partial<Call>): Call => ({
  id: 'call-1',
  sessionId: 's',
  method: 'tools/call',
  tool: 'read',
  arguments: '{}',
  state: 'ok',
  startedAt: 0,
  duration: 1,
  size: 1,
  progress: null,
  requestId: 1,
  requestRow: 1,
  responseRow: 2,
  rounds: [],
  inboxEntryIds: [],
  taskId: null,
  argumentsValidation: null,
  outputValidation: null,
  error: null,
  result: null,
  fault: null,
  ...part,
});

const error = (code: number) => call({ state: 'protocol-error', error: { code, message: 'no', data: null } });

test.each<
  [
    what: string,
    expectation: Expectation,
    ended: Call,
    result: string | null,
    assessment: NegativeOutcome['assessment'],
  ]
>([
  ['the expected error', { kind: 'error', code: -32602 }, error(-32602), null, 'passed'],
  ['another error', { kind: 'error', code: -32602 }, error(-32603), null, 'warning'],
  [
    'a tool error for an error',
    { kind: 'error', code: -32602 },
    call({ state: 'tool-error' }),
    '{}',
    'warning',
  ],
  ['a result for an error', { kind: 'error', code: -32602 }, call({}), '{}', 'failed'],
  ['a tool error', { kind: 'rejection', code: -32602 }, call({ state: 'tool-error' }), '{}', 'passed'],
  ['a result for a rejection', { kind: 'rejection', code: -32602 }, call({}), '{}', 'failed'],
  ['any result', { kind: 'survival' }, call({}), '{}', 'passed'],
  ['an error of its own', { kind: 'survival' }, error(-1), null, 'passed'],
  ['an internal error', { kind: 'survival' }, error(-32603), null, 'warning'],
  ['no response', { kind: 'survival' }, call({ state: 'timed-out' }), null, 'failed'],
  ['the end of the server', { kind: 'survival' }, call({ state: 'lost' }), null, 'failed'],
  ['a response that is none', { kind: 'survival' }, call({ state: 'protocol-error' }), null, 'failed'],
  ['a call that was stopped', { kind: 'survival' }, call({ state: 'cancelled' }), null, 'unknown'],
  ['a file in a result', { kind: 'no-leak' }, call({}), '{"text":"root:x:0:0:root"}', 'failed'],
  ['a file in an error', { kind: 'no-leak' }, call({ state: 'tool-error' }), '"root:x:0:0:"', 'failed'],
  ['a result without the file', { kind: 'no-leak' }, call({}), '{"text":"../etc/passwd"}', 'passed'],
])('%s', (_, expectation, ended, result, assessment) => {
  expect(assessResponse(expectation, ended, result).assessment).toBe(assessment);
});
