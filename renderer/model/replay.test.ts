import { renderHook } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace } from '#fixtures/page/samples.ts';
import { countClasses, type OpenComparison } from '#shared/contract/comparison.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { PlannedCalls, ReplayRun } from '#shared/contract/replay.ts';
import {
  changeSetup,
  compareSides,
  compareWithFile,
  isTicked,
  proposeComparison,
  replayAgain,
  type ReplayView,
  runReplay,
  sendableOf,
  stepReplay,
  stopUnseenReplay,
  useReplayView,
} from './replay.ts';
import { useSelection } from './selection.ts';
import { useTraces } from './traces.ts';

const planned = (target: string, of: Partial<PlannedCalls> = {}): PlannedCalls => ({
  method: 'tools/call',
  target,
  count: 1,
  unsendable: 0,
  withSecrets: [],
  effect: 'reads',
  isListed: true,
  hints: ['readOnlyHint: true'],
  ...of,
});

const run: ReplayRun = { calls: [], values: [], answered: 0, declined: 0, duration: 3 };
const comparison: OpenComparison = {
  id: 'c1',
  classes: [],
  recordedRows: [],
  counts: countClasses([]),
  catalog: [],
  uncomparedLists: [],
  lostLists: [],
  latency: null,
  steps: [],
  unchanged: { tool: 0, resource: 0, template: 0, prompt: 0 },
};

let calls: PlannedCalls[];
let engine: ReturnType<typeof fakeEngine>;
let paneId = '';
let panes = 0;
const view = (): ReplayView => renderHook(() => useReplayView(paneId)).result.current;
const replay = { recorded: 'old', sessionId: 's1' };

beforeEach(() => {
  paneId = `pane ${++panes}`;
  calls = [planned('show'), planned('erase', { effect: 'destructive', hints: [] })];
  engine = fakeEngine({
    'replay/plan': () => ({ rows: [1, 3], calls, secrets: [] }),
    'replay/run': () => run,
    'replay/step': () => null,
    'comparison/open': () => comparison,
    'comparison/close': () => null,
  });
});

test('only what reads is ticked, or says that it only adds, until the user ticks more', () => {
  const effects = ['request', 'reads', 'writes', 'destructive', 'unannotated'] as const;
  const ticked = effects.filter((effect) => isTicked(planned('one', { effect }), {}));
  expect(ticked).toEqual(['request', 'reads', 'writes']);
  const [erase = planned('erase')] = calls.slice(1);
  expect(isTicked(erase, { '["tools/call","erase"]': true })).toBe(true);
});

test('a run leaves out what is not ticked, has the chosen timing, and ends in a comparison', async () => {
  changeSetup(paneId, { timing: 'times', times: 4 });
  await runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  expect(engine.asked('replay/run')).toEqual([
    {
      ...replay,
      rows: [1, 3],
      allowWrites: true,
      speed: 4,
      leaveOut: [{ method: 'tools/call', target: 'erase' }],
      isStepped: false,
      variables: {},
    },
  ]);
  expect(engine.asked('comparison/open')).toEqual([{ recorded: 'old', other: 's1', replay: run }]);
  expect(view().stage).toMatchObject({ at: 'compared', comparison: { id: 'c1' } });
});

test('calls with secrets are sent once all of their values are given, which go with the run and nowhere else', async () => {
  const [one, two] = [
    '[secret member pin, 4 characters, 0011aabb]',
    '[secret typed, 9 characters, ccddeeff]',
  ];
  const paying = planned('pay', {
    count: 6,
    unsendable: 1,
    withSecrets: [
      { placeholders: [one], count: 2 },
      { placeholders: [one, two], count: 1 },
    ],
  });
  expect(sendableOf(paying, {})).toBe(2);
  expect(sendableOf(paying, { [one]: '0815' })).toBe(4);
  // It could not be kept out of the trace.
  expect(sendableOf(paying, { [one]: '081' })).toBe(2);
  expect(sendableOf(paying, { [one]: '0815', [two]: 'open sesame' })).toBe(5);

  changeSetup(paneId, { secrets: { [one]: '0815', [two]: '', 'of another recording': 'never sent' } });
  const secrets = [one, two].map((placeholder) => ({ placeholder, kind: 'typed' }));
  await runReplay(paneId, { ...replay, plan: { rows: [1], calls: [paying], secrets } });
  expect(engine.asked('replay/run')).toEqual([expect.objectContaining({ variables: { [one]: '"0815"' } })]);
});

test('replaying again asks again only if a tool or its annotations have changed', async () => {
  await runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  await replayAgain(paneId, 'old', 's2');
  expect(engine.asked('replay/run')).toHaveLength(2);
  calls = [planned('show', { effect: 'destructive', hints: ['readOnlyHint: false'] }), ...calls.slice(1)];
  await replayAgain(paneId, 'old', 's2');
  expect(engine.asked('replay/run')).toHaveLength(2);
  expect(view()).toMatchObject({ stage: { at: 'setup' }, mustConsentAgain: true });
});

test('a run shows how far it is, and the call that waits', async () => {
  let end: (result: ReplayRun) => void = () => undefined;
  engine = fakeEngine({
    'replay/run': () => new Promise((resolve) => (end = resolve)),
    'replay/step': () => null,
    'comparison/open': () => comparison,
  });
  const running = runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  emit('replay/advanced', { sessionId: 's1', done: 1, total: 2 });
  emit('replay/advanced', { sessionId: 'another', done: 9, total: 9 });
  const waiting = { sessionId: 's1', recordedRow: 3, method: 'tools/call', target: 'show', params: '{}' };
  emit('replay/waiting', waiting);
  expect(view().stage).toMatchObject({ at: 'running', done: 1, total: 2, waiting });
  await stepReplay(paneId, waiting, 'send');
  expect(engine.asked('replay/step')).toEqual([{ sessionId: 's1', recordedRow: 3, answer: 'send' }]);
  expect(view().stage).toMatchObject({ waiting: null });
  end(run);
  await running;
  expect(view().stage.at).toBe('compared');
});

test('a run that was begun before the page was loaded again can be stopped', async () => {
  const fault = { code: 'already-replaying', what: 'A recording is being replayed in this session.' };
  engine = fakeEngine({
    'replay/run': () => {
      throw new FaultError(fault);
    },
    'replay/stop': () => null,
  });
  await runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  expect(view().fault).toEqual(fault);
  await stopUnseenReplay(paneId, 's1');
  expect(engine.asked('replay/stop')).toEqual([{ sessionId: 's1' }]);
  expect(view().fault).toBeNull();
});

test('a recording that cannot be opened is a fault of the pane', async () => {
  const fault = { code: 'not-a-trace', what: 'This file is no trace.' };
  engine = fakeEngine({
    'traces/open': () => {
      throw new FaultError(fault);
    },
  });
  await compareSides(paneId, { of: 'session', sessionId: 's1' }, { of: 'file', path: '/damaged.mcptrace' });
  expect(view()).toMatchObject({ stage: { at: 'setup' }, fault });
  expect(engine.asked('comparison/open')).toEqual([]);
});

test('a run that fails leads back to the choice, with the reason', async () => {
  const fault = { code: 'not-ready', what: 'The session is not ready.' };
  fakeEngine({
    'replay/run': () => {
      throw new FaultError(fault);
    },
  });
  await runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  expect(view()).toMatchObject({ stage: { at: 'setup' }, fault });
});

test('of two recordings the older one is on the left, whichever the user started from', async () => {
  const { header } = anOpenedTrace();
  const older = anOpenedTrace({ sessionId: 'older', path: '/a.mcptrace' });
  const newer = anOpenedTrace({
    sessionId: 'newer',
    path: '/b.mcptrace',
    header: { ...header, createdAt: '2026-01-01T12:01:00.000Z' },
  });
  useTraces.setState({ opened: { older, newer } });
  const [one, other] = [
    { of: 'session', sessionId: 'newer' },
    { of: 'session', sessionId: 'older' },
  ] as const;
  await compareSides(paneId, one, other);
  await compareSides(paneId, other, one);
  const sides = { recorded: 'older', other: 'newer', replay: null };
  expect(engine.asked('comparison/open')).toEqual([sides, sides]);
});

/** Opens the pane's trace, and holds the answer to the opening of another file. */
function slowOpening(): (fault?: Fault) => void {
  const shown = anOpenedTrace({ sessionId: paneId, path: '/shown.mcptrace' });
  useTraces.setState({ opened: { [paneId]: shown } });
  const file = anOpenedTrace({ sessionId: 'before', path: '/before.mcptrace', isRead: true });
  let end: (fault?: Fault) => void = () => undefined;
  const opening = new Promise<typeof file>((resolve, reject) => {
    end = (fault) => (fault === undefined ? resolve(file) : reject(new FaultError(fault)));
  });
  engine = fakeEngine({
    'traces/open': () => opening,
    'comparison/open': () => comparison,
    'comparison/close': () => null,
  });
  return (fault) => end(fault);
}

test('while a file is opened for a comparison the pane says so, and does not begin another', async () => {
  const end = slowOpening();
  const comparing = compareWithFile(paneId, '/before.mcptrace');
  expect(view().stage).toEqual({ at: 'comparing' });
  useSelection.setState({ openedPane: 'overview' });
  await compareWithFile(paneId, '/before.mcptrace');
  expect(useSelection.getState().openedPane).toBe('replay');
  expect(engine.asked('traces/open')).toHaveLength(1);
  end();
  await comparing;
  expect(view().stage).toMatchObject({ at: 'compared', comparison: { id: 'c1' } });
});

test('a comparison takes the room of the trace only while its pane is on screen', async () => {
  for (const [openedPane, maximized] of [
    ['overview', null],
    ['replay', 'top'],
  ] as const) {
    useSelection.setState({ maximized: null });
    const end = slowOpening();
    const comparing = compareWithFile(paneId, '/before.mcptrace');
    useSelection.setState({ openedPane });
    end();
    await comparing;
    expect(view().stage.at).toBe('compared');
    expect(useSelection.getState().maximized).toBe(maximized);
  }
});

test('a file that cannot be opened leads back to the form, with the reason', async () => {
  const end = slowOpening();
  const comparing = compareWithFile(paneId, '/before.mcptrace');
  const fault = { code: 'not-a-trace', what: 'This file is no trace.' };
  end(fault);
  await comparing;
  expect(view()).toMatchObject({ stage: { at: 'setup' }, fault });
});

test('a comparison does not replace the form that the user went back to while its file was opened', async () => {
  const end = slowOpening();
  const comparing = compareWithFile(paneId, '/before.mcptrace');
  proposeComparison(paneId);
  end();
  await comparing;
  expect(view().stage).toEqual({ at: 'setup' });
  expect(engine.asked('comparison/open')).toEqual([]);
});

test('a comparison with a file leaves a run alone', async () => {
  slowOpening();
  let end: (result: ReplayRun) => void = () => undefined;
  engine = fakeEngine({
    'replay/run': () => new Promise((resolve) => (end = resolve)),
    'comparison/open': () => comparison,
  });
  const replaying = runReplay(paneId, { ...replay, plan: { rows: [1, 3], calls, secrets: [] } });
  await compareWithFile(paneId, '/before.mcptrace');
  expect(view().stage).toMatchObject({ at: 'running', total: 2 });
  end(run);
  await replaying;
});
