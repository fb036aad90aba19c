import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { stopLoad, useLoadRun } from './load-run.ts';

test('a load that was started before the page was loaded is shown until its last event, and can be stopped', async () => {
  const engine = fakeEngine({ 'load/stop': () => null });
  // The page listens from its first command on.
  await stopLoad('session-a');
  const { result } = renderHook(() => useLoadRun('session-a'));
  const advanced = (done: number, isRunning: boolean) =>
    act(() =>
      engine.emit('load/advanced', { sessionId: 'session-a', done, failed: 1, total: 100, isRunning }),
    );
  advanced(100, false);
  expect(result.current).toBeNull();
  advanced(20, true);
  expect(result.current).toMatchObject({ done: 20, failed: 1, total: 100, isRunning: true, startedAt: null });
  await act(() => stopLoad('session-a'));
  expect(engine.asked('load/stop')).toHaveLength(2);
  expect(result.current).toMatchObject({ isRunning: true, isStopping: true });
  advanced(23, false);
  expect(result.current).toMatchObject({ done: 23, isRunning: false, isStopping: false, report: null });
});
