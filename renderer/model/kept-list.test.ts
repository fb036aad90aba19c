import { beforeEach, describe, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import { carriedFilter, keepList, keptList } from './kept-list.ts';
import { readPlace } from './place.ts';
import { useSessions } from './sessions.ts';
import { useSettings } from './settings.ts';
import type { TraceList } from './trace-filter.ts';
import { useTraces } from './traces.ts';

describe('the filter of the next session', () => {
  test('is that of the session before, as it was typed', () => {
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

  beforeEach(async () => {
    fakeEngine({ 'place/read': () => ({ entries: {}, isOfThisRun: false }), 'place/keep': () => null });
    await readPlace();
    useSettings.setState({ traceView: 'calls' });
    useTraces.setState({ opened: {} });
    begin(session('a'));
  });

  test('is what the session before of the same server listed', () => {
    expect(keptList('a')).toEqual({ list: unset, isCarriedOver: false });
    keepList('a', chosen);
    begin(session('a'), session('b'), session('c', 'server-2'));
    const carried = { list: { ...chosen, text: 'is:error' }, isCarriedOver: true };
    expect(keptList('b')).toEqual(carried);
    expect(keptList('c')).toEqual({ list: unset, isCarriedOver: false });
    // Nothing was changed in that session.
    begin(session('d'));
    expect(keptList('d')).toEqual(carried);
  });

  test('is what it listed last itself, also when its file is opened', () => {
    keepList('a', chosen);
    expect(keptList('a')).toEqual({ list: chosen, isCarriedOver: false });
    begin(session('b'));
    useTraces.setState({ opened: { o: anOpenedTrace({ sessionId: 'o', path: '/traces/a.mcptrace' }) } });
    expect(keptList('o')).toEqual({ list: chosen, isCarriedOver: false });
  });

  test('is every row once the filter was cleared in the session before', () => {
    keepList('a', chosen);
    begin(session('a'), session('b'));
    keepList('b', { ...chosen, text: '', sort: null });
    begin(session('c'));
    expect(keptList('c').list).toEqual({ text: '', viewName: 'messages', sort: null });
  });

  test('is not what was looked at in a recording of the server', () => {
    keepList('a', { ...chosen, text: 'is:error' });
    begin(session('b'));
    useTraces.setState({ opened: { o: anOpenedTrace({ sessionId: 'o', path: '/traces/z.mcptrace' }) } });
    keepList('o', { ...chosen, text: 'tool:echo' });
    expect(keptList('b').list.text).toBe('is:error');
  });
});
