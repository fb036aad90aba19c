import { expect, test, vi } from 'vitest';
import { emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { FilterSwitch } from './trace-filter.ts';

const ignored = () => undefined;

/** The filter of the calls of session `s1`, once it has started. */
async function startedFilter(onEnding: (ending: Promise<void>) => void = ignored): Promise<FilterSwitch> {
  const filter = new FilterSwitch({
    sessionId: 's1',
    list: { text: '', viewName: 'calls', sort: null },
    onLeave: ignored,
    onProgress: ignored,
    onAwaited: ignored,
    onError: ignored,
    onEnding,
  });
  await vi.waitFor(() => expect(filter.current).not.toBeNull());
  return filter;
}

/** Closes a filter that the engine fails to end with this code; resolves once it has ended. */
async function closeFailing(code: string): Promise<void> {
  fakeEngine({
    'trace/filter': () => ({ filterId: 'f1' }),
    'trace/end-filter': () => {
      throw new FaultError({ code, what: 'It cannot be ended.' });
    },
  });
  const endings: Promise<void>[] = [];
  const filter = await startedFilter((ending) => endings.push(ending));
  filter.close();
  expect(endings).toHaveLength(1);
  await Promise.all(endings);
}

test('a filter that the engine has forgotten ends without a fault', async () => {
  await closeFailing('no-such-session');
  await closeFailing('no-such-filter');
  await expect(closeFailing('trace-not-read')).rejects.toThrow('It cannot be ended.');
});

test('progress of a filter of another trace, which has the same id there, is not its own', async () => {
  fakeEngine({
    'trace/filter': () => ({ filterId: 'filter-1' }),
    'trace/rows': () => ({ total: 0, rows: [] }),
    'trace/end-filter': () => null,
  });
  const filter = await startedFilter();
  const progress = { filterId: 'filter-1', done: true, order: 0 };
  emit('trace/filtered', { ...progress, sessionId: 's1', matches: 14, scanned: 20 });
  emit('trace/filtered', { ...progress, sessionId: 's2', matches: 315, scanned: 624 });
  expect(filter.current?.progress).toEqual({ matches: 14, scanned: 20, isDone: true, order: 0 });
  filter.close();
});
