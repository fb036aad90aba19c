import { describe, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer } from '#fixtures/page/samples.ts';
import type { Call } from '#shared/contract/calls.ts';
import { anyResult } from '#shared/contract/saved-calls.ts';
import { choice, readPlace } from './place.ts';
import { useServers } from './servers.ts';
import { changeLoadNumbers, proposedExpectations, useTesting } from './tests-pane.ts';

const ended = (part: Partial<Call>): Call => ({
  id: 'call-1',
  sessionId: 's',
  method: 'tools/call',
  tool: 'echo',
  arguments: '{}',
  state: 'ok',
  startedAt: 0,
  duration: 1000,
  size: 10,
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

const textResult = (text: string) => JSON.stringify({ content: [{ type: 'text', text }] });

describe('the expectations that are proposed for a call', () => {
  test('are its status and its first text', () => {
    expect(proposedExpectations(ended({}), textResult('Echo: hi'))).toEqual({
      ...anyResult,
      values: [{ path: '$.content[0].text', check: { kind: 'equals', value: '"Echo: hi"' } }],
    });
  });

  test.each(['x'.repeat(1000), 'costs ${price}'])(
    'leave the text open if it cannot be compared: %s',
    (text) => {
      const { values } = proposedExpectations(ended({ state: 'tool-error' }), textResult(text));
      expect(values).toEqual([{ path: '$.content[0].text', check: { kind: 'type', type: 'string' } }]);
    },
  );

  test('are the output schema if the structured content is valid by it', () => {
    const call = ended({ outputValidation: { state: 'valid' } });
    expect(proposedExpectations(call, '{"content":[],"structuredContent":{}}')).toMatchObject({
      schema: 'output',
      values: [],
    });
  });

  test('are the code of an error', () => {
    const call = ended({ state: 'protocol-error', error: { code: -32602, message: 'no', data: null } });
    expect(proposedExpectations(call, null)).toMatchObject({
      status: 'protocol-error',
      code: -32602,
      values: [],
    });
  });

  test('are a result if the call never ended', () => {
    expect(proposedExpectations(ended({ state: 'cancelled' }), null).status).toBe('ok');
  });
});

test('the kind of tests and the numbers of a load are kept, and there after a reload', async () => {
  const kept = { count: '300', concurrency: '1', rate: '25' };
  const engine = fakeEngine({
    'place/read': () => ({
      entries: {
        'tests-view': choice({ value: 'load' }),
        'load server-1': { serverId: 'server-1', chosen: { schedule: 'rate' }, typed: kept },
      },
      isOfThisRun: true,
    }),
    'place/keep': () => null,
  });
  useServers.setState({ servers: [aServer({ id: 'server-1' })] });
  await readPlace();
  await expect.poll(() => useTesting.getState().view).toBe('load');
  expect(useTesting.getState().loadNumbers['server-1']).toEqual({ ...kept, schedule: 'rate' });
  changeLoadNumbers('server-1', { count: '500' });
  const entry = { serverId: 'server-1', chosen: { schedule: 'rate' }, typed: { ...kept, count: '500' } };
  await expect.poll(() => engine.asked('place/keep')).toEqual([{ entries: { 'load server-1': entry } }]);
});
