import { expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { PlaceEntry } from '#shared/contract/place.ts';
import { reopen } from './kept-selection.ts';
import { chooseExport, closeExport, keepExport, openExport, useExportChoices } from './exports.ts';
import { readPlace } from './place.ts';
import { openEditor, useSelection } from './selection.ts';
import { useSessions } from './sessions.ts';
import { useTraces } from './traces.ts';

test('the trace of before is shown in its pane, but not in place of what the user has opened by then', async () => {
  let answer: () => void = () => undefined;
  fakeEngine({
    'traces/open': async ({ path }) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return anOpenedTrace({ path, sessionId: path });
    },
  });
  const reopened = async (path: string, meanwhile: () => void) => {
    useSelection.setState({ serverId: 'server-a', openedId: null, openedPane: 'logs', editor: null });
    const done = reopen(path, null);
    meanwhile();
    answer();
    await done;
    expect(useTraces.getState().opened).toHaveProperty([path]);
  };
  await reopened('/a', () => undefined);
  expect(useSelection.getState()).toMatchObject({ openedId: '/a', openedPane: 'logs' });
  await reopened('/b', () => openEditor(null));
  expect(useSelection.getState()).toMatchObject({ openedId: null, editor: { serverId: null } });
  await reopened('/c', () => useSelection.setState({ serverId: 'server-b' }));
  expect(useSelection.getState()).toMatchObject({ openedId: null, serverId: 'server-b' });

  fakeEngine({
    'traces/open': () => {
      throw new FaultError({ code: 'no-such-file', what: 'There is no such file.' });
    },
  });
  await reopen('/gone', null);
  expect(useSelection.getState()).toMatchObject({ openedId: null, serverId: 'server-b' });
});

test('the export form that was open is there again with what was chosen in it, for the session or its recording', async () => {
  let kept: Record<string, PlaceEntry> = {};
  const opened = anOpenedTrace({ sessionId: 'o', path: '/traces/a.mcptrace' });
  fakeEngine({
    'place/read': () => ({ entries: kept, isOfThisRun: true }),
    'place/keep': ({ entries }) => {
      for (const [name, entry] of Object.entries(entries)) {
        const { [name]: _, ...others } = kept;
        kept = entry === null ? others : { ...others, [name]: entry };
      }
      return null;
    },
    'traces/open': ({ path }) =>
      path === opened.path ? opened : anOpenedTrace({ sessionId: 'b', path: '/traces/b.mcptrace' }),
  });
  const live = () =>
    useSessions.setState({
      sessions: { s: aSession({ id: 's', serverId: 'v', traceFile: { path: opened.path, fault: null } }) },
    });
  const asItWas = { of: 'filter', format: 'har', redacts: false, stderr: true, path: '/tmp/a.har' } as const;
  useTraces.setState({ opened: {} });
  live();
  await readPlace();
  expect(keepExport()).toBeNull();
  openExport('s', { of: 'rows', rows: [3, 5] });
  chooseExport(asItWas);
  await expect.poll(() => kept.export?.typed).toEqual({ path: '/tmp/a.har' });

  const startAgain = async () => {
    useSelection.setState({ exporting: null, openedId: null });
    await readPlace();
    await reopen(null, keepExport());
  };
  const before = kept;
  await startAgain();
  expect(useSelection.getState()).toMatchObject({
    serverId: 'v',
    exporting: { sessionId: 's', rows: { of: 'rows', rows: [3, 5] } },
  });
  expect(useExportChoices.getState()).toEqual(asItWas);

  useSessions.setState({ sessions: {} });
  kept = before;
  await startAgain();
  expect(useSelection.getState()).toMatchObject({ openedId: 'o', exporting: { sessionId: 'o' } });
  expect(useExportChoices.getState()).toEqual(asItWas);

  // A start that shows something else forgets the form.
  kept = before;
  useSelection.setState({ exporting: null, openedId: null });
  await readPlace();
  const form = keepExport();
  await expect.poll(() => kept.export).toBeUndefined();
  await reopen('/traces/b.mcptrace', form);
  expect(useSelection.getState()).toMatchObject({ openedId: 'b', exporting: null });

  openExport('o');
  await expect.poll(() => kept.export?.chosen.trace).toBe(opened.path);
  closeExport();
  await expect.poll(() => kept.export).toBeUndefined();
});
