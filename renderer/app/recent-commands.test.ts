import { beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aServer, aSession } from '#fixtures/page/samples.ts';
import { followRecent, noteRecent } from '#model/recent.ts';
import { selectOpened, selectServer } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useSettings } from '#model/settings.ts';
import { useTraces } from '#model/traces.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { recentCommands } from './recent-commands.ts';

const servers = [aServer({ id: 'v1', name: 'notes' })];
const recent = () => useSettings.getState().recent;
const titles = () => recentCommands(recent(), servers).map(({ title }) => title);

beforeEach(() => {
  useSettings.setState(defaultSettings);
  useTraces.setState({ files: [], opened: {}, fault: null });
  useSessions.setState({ sessions: {} });
  selectServer(null);
  fakeEngine({ 'settings/write': ({ recent: changed = [] }) => ({ ...defaultSettings, recent: changed }) });
});

test('what was opened last is first, once, and at most twelve are kept', () => {
  for (let number = 1; number <= 14; number++) noteRecent({ kind: 'trace', path: `/t/${number}.mcptrace` });
  noteRecent({ kind: 'trace', path: '/t/10.mcptrace' });
  expect(titles()).toHaveLength(13);
  expect(titles().slice(0, 2)).toEqual(['Open 10.mcptrace', 'Open 14.mcptrace']);
  expect(titles().at(-1)).toBe('Clear recent items');
});

test('files of one name are told apart by their folders; those of a removed server are left out', () => {
  noteRecent({ kind: 'calls', path: '/b/notes.mcptest.yaml', serverId: 'v1' });
  noteRecent({ kind: 'calls', path: '/c/gone.mcptest.yaml', serverId: 'v9' });
  noteRecent({ kind: 'trace', path: '/b/a.mcptrace' });
  noteRecent({ kind: 'trace', path: String.raw`C:\c\a.mcptrace` });
  noteRecent({ kind: 'server', serverId: 'v1' });
  expect(titles()).toEqual([
    'Connect to notes',
    'Open c/a.mcptrace',
    'Open b/a.mcptrace',
    'Open notes.mcptest.yaml for notes',
    'Clear recent items',
  ]);
});

test('traces that are shown and servers that are connected are noted', () => {
  followRecent();
  selectServer('v1');
  expect(recent()).toEqual([]);
  useSessions.setState({ sessions: { s1: aSession({ serverId: 'v1' }) } });
  const trace = anOpenedTrace({ path: '/t/a.mcptrace' });
  useTraces.setState({ opened: { [trace.sessionId]: trace } });
  selectOpened(trace.sessionId);
  expect(recent()).toEqual([
    { kind: 'trace', path: '/t/a.mcptrace' },
    { kind: 'server', serverId: 'v1' },
  ]);
});

test('a trace that cannot be opened any more is no longer listed', async () => {
  fakeEngine({
    'settings/write': ({ recent: changed = [] }) => ({ ...defaultSettings, recent: changed }),
    'traces/open': () => {
      throw new FaultError({ code: 'trace-not-found', what: 'There is no such file.' });
    },
  });
  noteRecent({ kind: 'trace', path: '/t/gone.mcptrace' });
  recentCommands(recent(), servers)[0]?.run();
  await expect.poll(recent).toEqual([]);
  expect(titles()).toEqual([]);
});
