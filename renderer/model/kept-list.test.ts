import { beforeEach, describe, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import type { PlaceEntry } from '#shared/contract/place.ts';
import { carriedFilter, keepList, takeList } from './kept-list.ts';
import { readPlace } from './place.ts';
import { useSessions } from './sessions.ts';
import { useSettings } from './settings.ts';
import type { TraceList } from './trace-filter.ts';
import { useTraces } from './traces.ts';

describe('the filter of the next session', () => {
  test('is that of the previous session, as it was typed', () => {
    for (const text of ['', 'is:error  tool:echo', '"half', 'dur:>200ms since:-5m', '-kind:stderr or echo'])
      expect(carriedFilter(text), text).toBe(text);
  });

  test.each([
    ['row:5', ''],
    ['tool:echo row:100..200', 'tool:echo'],
    ['is:error since:10:42 until:10:43:02.5', 'is:error'],
    ['since:2026-11-21T10:42 since:-5m', 'since:-5m'],
    ['session:4f3a is:error id:6', 'is:error'],
    ['exchange:12 -row:7', ''],
    ['mark:later is:error', 'is:error'],
    ['-mark:any is:marked tool:echo', 'tool:echo'],
    ['is:error,marked', ''],
    ['(row:5 or tool:echo) is:error', 'tool:echo is:error'],
    ['(id:1 or id:2) is:error', 'is:error'],
    ['-(row:5 or method:ping)', '-method:ping'],
    // Without the row, it would hide every ping.
    ['is:call -(row:5 method:ping)', 'is:call'],
    ['-(is:error -(row:5 method:ping))', '-(is:error -method:ping)'],
  ])('has nothing of one session: of %s remains %s', (text, carried) => {
    expect(carriedFilter(text)).toBe(carried);
  });
});

describe('what a trace lists at first', () => {
  const session = (id: string, serverId = 'server-1') =>
    aSession({ id, serverId, traceFile: { path: `/traces/${id}.mcptrace`, fault: null } });
  const begin = (...sessions: readonly ReturnType<typeof session>[]) =>
    useSessions.setState({ sessions: Object.fromEntries(sessions.map((one) => [one.id, one])) });
  const unset: TraceList = { text: '', viewName: 'calls', sort: null };
  const chosen: TraceList = {
    text: 'is:error row:5',
    viewName: 'messages',
    sort: { column: 'duration', isDescending: true },
  };

  /** Keeps a list as its view does after the user has changed all of it. */
  const list = (id: string, listed: TraceList) =>
    keepList(id, { list: listed, isCarriedOver: false }, listed);
  const openRecording = (name: string) =>
    useTraces.setState({
      opened: { o: anOpenedTrace({ sessionId: 'o', path: `/traces/${name}.mcptrace` }) },
    });

  let kept: Record<string, PlaceEntry | null>;
  beforeEach(async () => {
    kept = {};
    const entries = () =>
      Object.fromEntries(Object.entries(kept).flatMap(([name, entry]) => (entry ? [[name, entry]] : [])));
    fakeEngine({
      'place/read': () => ({ entries: entries(), isOfThisRun: false }),
      'place/keep': (change) => {
        Object.assign(kept, change.entries);
        return null;
      },
    });
    await readPlace();
    useSettings.setState({ traceView: 'calls' });
    useTraces.setState({ opened: {} });
    begin(session('a'));
  });

  test('is the filter and the order of the previous session of the same server, in the view of the settings', () => {
    expect(takeList('a')).toEqual({ list: unset, isCarriedOver: false });
    list('a', chosen);
    begin(session('a'), session('b'), session('c', 'server-2'));
    const carried = { list: { ...chosen, text: 'is:error', viewName: 'calls' }, isCarriedOver: true };
    expect(takeList('b')).toEqual(carried);
    expect(takeList('c')).toEqual({ list: unset, isCarriedOver: false });
    // Nothing was changed in that session.
    begin(session('d'));
    expect(takeList('d')).toEqual(carried);
  });

  test('is what it listed last itself, also when its file is opened', () => {
    list('a', chosen);
    expect(takeList('a')).toEqual({ list: chosen, isCarriedOver: false });
    begin(session('b'));
    openRecording('a');
    expect(takeList('o')).toEqual({ list: chosen, isCarriedOver: false });
  });

  test('is what it took over, after a reload and in its recording too', async () => {
    list('a', chosen);
    begin(session('a'), session('b'));
    const carried = takeList('b');
    expect(carried.isCarriedOver).toBe(true);
    await expect.poll(() => Object.keys(kept)).toContain('list /traces/b.mcptrace');
    await readPlace();
    expect(takeList('b')).toEqual(carried);
    // Another order leaves the filter what it is.
    const sorted = { ...carried.list, sort: null };
    keepList('b', { list: sorted, isCarriedOver: true }, { sort: null });
    expect(takeList('b')).toEqual({ list: sorted, isCarriedOver: true });
    begin(session('c'));
    list('c', { ...chosen, text: 'tool:echo' });
    openRecording('b');
    expect(takeList('o')).toEqual({ list: sorted, isCarriedOver: true });
  });

  test('is the view of the settings until the user switches it there', () => {
    keepList('a', { list: { ...unset, text: 'is:error' }, isCarriedOver: false }, { text: 'is:error' });
    useSettings.setState({ traceView: 'messages' });
    expect(takeList('a').list).toEqual({ ...unset, text: 'is:error', viewName: 'messages' });
    const switched = { ...unset, viewName: 'calls' } as const;
    keepList('a', { list: switched, isCarriedOver: false }, { viewName: 'calls' });
    keepList('a', { list: { ...switched, text: 'ping' }, isCarriedOver: false }, { text: 'ping' });
    expect(takeList('a').list).toEqual({ ...switched, text: 'ping' });
  });

  test('is every row once the filter was cleared in the previous session', () => {
    list('a', chosen);
    begin(session('a'), session('b'));
    list('b', { ...chosen, text: '', sort: null });
    begin(session('c'));
    expect(takeList('c')).toEqual({ list: unset, isCarriedOver: false });
  });

  test.each(['a', 'z'])('is not what was looked at in a recording of the server: %s', (name) => {
    list('a', { ...chosen, text: 'is:error' });
    begin(session('b'));
    openRecording(name);
    list('o', { ...chosen, text: 'tool:echo' });
    expect(takeList('b').list.text).toBe('is:error');
  });
});
