import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace } from '#fixtures/page/samples.ts';
import { reopenTrace } from './kept-selection.ts';
import { openEditor, useSelection } from './selection.ts';
import { useTraces } from './traces.ts';

test('the trace of before is shown in its pane, but not in place of what the user has opened by then', async () => {
  let answer: () => void = () => undefined;
  fakeEngine({
    'traces/open': async ({ path }) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return anOpenedTrace({ path, sessionId: path });
    },
  });
  const reopen = async (path: string, meanwhile: () => void) => {
    useSelection.setState({ serverId: 'server-a', openedId: null, openedPane: 'logs', editor: null });
    reopenTrace(path);
    meanwhile();
    answer();
    await expect.poll(() => path in useTraces.getState().opened).toBe(true);
  };
  await reopen('/a', () => undefined);
  expect(useSelection.getState()).toMatchObject({ openedId: '/a', openedPane: 'logs' });
  await reopen('/b', () => openEditor(null));
  expect(useSelection.getState()).toMatchObject({ openedId: null, editor: { serverId: null } });
  await reopen('/c', () => useSelection.setState({ serverId: 'server-b' }));
  expect(useSelection.getState()).toMatchObject({ openedId: null, serverId: 'server-b' });
});
