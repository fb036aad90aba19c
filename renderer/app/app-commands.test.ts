import { fireEvent, renderHook } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { useCommands } from '#model/commands.ts';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aServer, aSession } from '#fixtures/page/samples.ts';
import { appCommands, useCommandKeys } from './app-commands.ts';

const servers = Array.from({ length: 12 }, (_, index) =>
  aServer({ id: `v${index}`, name: `server ${index}` }),
);
const first = servers[0]!;

const titles = (...[given]: Parameters<typeof appCommands>) => appCommands(given).map(({ title }) => title);

describe('only what works is offered', () => {
  test('without a server', () => {
    expect(titles({ servers: [], server: null, session: null, trace: null })).toEqual([
      'Settings…',
      'Keyboard shortcuts…',
      'Add a server…',
    ]);
  });

  test('before, while and after a session', () => {
    const offered = (session: ReturnType<typeof aSession> | null) =>
      titles({ servers, server: first, session, trace: null }).filter((title) => /onnect/.test(title));
    expect(offered(null)).toEqual(['Connect']);
    expect(offered(aSession())).toEqual(['Reconnect', 'Disconnect']);
    expect(offered(aSession({ phase: 'closed' }))).toEqual(['Reconnect']);
  });
});

test('a trace opened from a file can be exported and closed; what is about servers is not offered', async () => {
  const engine = fakeEngine({ 'traces/close': () => null });
  const commands = appCommands({ servers, server: null, session: null, trace: anOpenedTrace() });
  const groups = commands.filter(({ group }) => group !== 'Go to').map(({ title }) => title);
  expect(groups).toEqual([
    'Export trace…',
    'Close trace',
    'Settings…',
    'Keyboard shortcuts…',
    'Add a server…',
  ]);
  commands.find(({ id }) => id === 'trace.export')?.run();
  expect(useSelection.getState().exporting).toEqual({ sessionId: 'file-1', rows: { of: 'all' } });
  commands.find(({ id }) => id === 'trace.close')?.run();
  await expect.poll(() => engine.asked('traces/close')).toEqual([{ sessionId: 'file-1' }]);
});

test('a session is compared with the one before it, if that is recorded', () => {
  const given = { servers, server: first, session: aSession(), trace: null };
  expect(titles(given)).not.toContain('Compare with the session before');
  expect(titles({ ...given, before: '/before.mcptrace' })).toContain('Compare with the session before');
});

test('no two commands have the same id or the same keys', () => {
  const commands = appCommands({ servers, server: first, session: aSession(), trace: null });
  const keys = commands.flatMap(({ shortcut }) => (shortcut === undefined ? [] : [shortcut]));
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
});

test.each([
  ['a session', { server: first, session: aSession(), trace: null }],
  ['an opened trace', { server: null, session: null, trace: anOpenedTrace() }],
])('the keys of each command run it and no other, with %s', (_, state) => {
  const runs: string[] = [];
  const commands = appCommands({ servers, ...state }).map((command) => ({
    ...command,
    run: () => void runs.push(command.id),
  }));
  const { unmount } = renderHook(() => {
    useCommands(commands);
    useCommandKeys();
  });
  const withKeys = commands.filter(({ shortcut }) => shortcut !== undefined);
  expect(withKeys.length).toBeGreaterThan(10);
  for (const { shortcut = '' } of withKeys) {
    const keys = shortcut.split('+');
    fireEvent.keyDown(document.body, {
      key: keys.at(-1),
      ctrlKey: keys.includes('Mod'),
      altKey: keys.includes('Alt'),
      shiftKey: keys.includes('Shift'),
    });
  }
  expect(runs).toEqual(withKeys.map(({ id }) => id));
  unmount();
});

test('each does what it says', async () => {
  const engine = fakeEngine({
    'sessions/open': ({ serverId }) => ({ outcome: 'opened', session: aSession({ serverId }) }),
    'sessions/close': () => null,
  });
  const run = (id: string) =>
    appCommands({ servers, server: first, session: aSession(), trace: null })
      .find((command) => command.id === id)
      ?.run();
  run('pane.tools');
  expect(useSelection.getState().pane).toBe('tools');
  run('server.v3');
  expect(useSelection.getState().serverId).toBe('v3');
  run('server.add');
  expect(useSelection.getState().editor).toEqual({ serverId: null });
  run('session.connect');
  run('session.disconnect');
  await expect.poll(() => engine.asked('sessions/close')).toEqual([{ sessionId: 's1' }]);
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'v0' }]);
});
