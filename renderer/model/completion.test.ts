import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Call } from '#shared/contract/calls.ts';
import { emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aCall, anAgreement, aSession } from '#fixtures/page/samples.ts';
import { type CompletionQuestion, hasCompletion, useCompletion } from './completion.ts';
import { statusOf } from './sessions.ts';

const question = (value: string, change: Partial<CompletionQuestion> = {}): CompletionQuestion => ({
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: 'name',
  value,
  others: { name: value, language: 'en', empty: '' },
  ...change,
});

let count = 0;
/** A session of its own for each test, because answers are kept. */
const sessionOf = (revision: string, capabilities: Record<string, unknown> = { completions: {} }) =>
  statusOf(
    aSession({
      id: `completion-${++count}`,
      agreement: anAgreement({ revision, serverCapabilities: capabilities }),
    }),
  );

const started = (sessionId: string, params: string): Call =>
  aCall({ id: `c${params}`, sessionId, method: 'completion/complete', arguments: params, state: 'running' });

const engine = () =>
  fakeEngine({
    'calls/request': ({ sessionId, params }) => started(sessionId, params ?? ''),
    'calls/cancel': () => null,
  });

const ended = (sessionId: string, params: string, change: Partial<Call>) =>
  act(() => emit('calls/changed', { ...started(sessionId, params), state: 'ok', ...change }));

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('asks once after a pause, with the other values, and keeps the answer', async () => {
  const { asked } = engine();
  const session = sessionOf('2025-06-18');
  const view = renderHook(({ value }) => useCompletion(session, question(value)), {
    initialProps: { value: 'a' },
  });
  view.rerender({ value: 'al' });
  await act(() => vi.advanceTimersByTimeAsync(300));
  const params =
    '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"al"},"context":{"arguments":{"language":"en"}}}';
  expect(asked('calls/request')).toMatchObject([{ method: 'completion/complete', params }]);

  ended(session.id, params, {
    result: '{"completion":{"values":["alice","alan"],"total":9,"hasMore":true}}',
  });
  await waitFor(() =>
    expect(view.result.current).toMatchObject({
      values: ['alice', 'alan'],
      total: 9,
      hasMore: true,
      error: null,
    }),
  );
  view.rerender({ value: 'ali' });
  view.rerender({ value: 'al' });
  expect(view.result.current?.values).toEqual(['alice', 'alan']);
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(asked('calls/request')).toHaveLength(1);
});

test('cancels a question that is out of date', async () => {
  const { asked } = engine();
  const session = sessionOf('2025-03-26');
  const view = renderHook(({ value }) => useCompletion(session, question(value)), {
    initialProps: { value: 'a' },
  });
  await act(() => vi.advanceTimersByTimeAsync(300));
  // Other values are sent since 2025-06-18 only.
  expect(asked('calls/request')).toMatchObject([{ params: expect.not.stringContaining('context') }]);
  view.rerender({ value: 'ab' });
  await waitFor(() => expect(asked('calls/cancel')).toHaveLength(1));
});

test('asks a server of 2024-11-05 until it says that it does not know the method', async () => {
  const { asked } = engine();
  const session = sessionOf('2024-11-05', {});
  expect(hasCompletion(session)).toBe(true);
  const view = renderHook(({ value }) => useCompletion(session, question(value)), {
    initialProps: { value: 'a' },
  });
  await act(() => vi.advanceTimersByTimeAsync(300));
  const params = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"a"}}';
  ended(session.id, params, {
    state: 'protocol-error',
    error: { code: -32601, message: 'Method not found', data: undefined },
  });
  await waitFor(() => expect(hasCompletion(session)).toBe(false));
  view.rerender({ value: 'ab' });
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(asked('calls/request')).toHaveLength(1);
});

test('asks no server of a later revision that does not declare completions', async () => {
  const { asked } = engine();
  const session = sessionOf('2025-06-18', { prompts: {} });
  expect(hasCompletion(session)).toBe(false);
  const view = renderHook(() => useCompletion(session, question('a')));
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(view.result.current).toBeNull();
  expect(asked('calls/request')).toEqual([]);
});

test('says why there are no suggestions', async () => {
  engine();
  const session = sessionOf('2025-06-18');
  const view = renderHook(() => useCompletion(session, question('x', { others: {} })));
  await act(() => vi.advanceTimersByTimeAsync(300));
  const params = '{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"x"}}';
  ended(session.id, params, { result: '{"completion":{}}' });
  await waitFor(() =>
    expect(view.result.current).toMatchObject({ values: [], error: 'The answer has no list of values.' }),
  );
});
