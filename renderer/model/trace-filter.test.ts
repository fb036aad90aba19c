import { expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { FilterSwitch } from './trace-filter.ts';

/** Closes a filter that the engine fails to end with this code; resolves once it has ended. */
async function closeFailing(code: string): Promise<void> {
  fakeEngine({
    'trace/filter': () => ({ filterId: 'f1' }),
    'trace/end-filter': () => {
      throw new FaultError({ code, what: 'It cannot be ended.' });
    },
  });
  const endings: Promise<void>[] = [];
  const ignored = () => undefined;
  const filter = new FilterSwitch({
    sessionId: 's1',
    viewName: 'calls',
    onLeave: ignored,
    onProgress: ignored,
    onAwaited: ignored,
    onError: ignored,
    onEnding: (ending) => endings.push(ending),
  });
  await vi.waitFor(() => expect(filter.current).not.toBeNull());
  filter.close();
  expect(endings).toHaveLength(1);
  await Promise.all(endings);
}

test('a filter that the engine has forgotten ends without a fault', async () => {
  await closeFailing('no-such-session');
  await closeFailing('no-such-filter');
  await expect(closeFailing('trace-not-read')).rejects.toThrow('It cannot be ended.');
});
