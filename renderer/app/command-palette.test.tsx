import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useLayoutEffect } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { entry } from '#fixtures/page/fake-tools.ts';
import { aList, aServer, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { useToolsState } from '#features/tools/drafts.ts';
import { useCommands } from '#model/commands.ts';
import { readPlace } from '#model/place.ts';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import { useSettings } from '#model/settings.ts';
import { useTraces } from '#model/traces.ts';
import type { ToolEntry } from '#shared/contract/catalog.ts';
import { Header } from './header.tsx';
import { useCommandKeys } from './app-commands.ts';

// cmdk scrolls the chosen line into view and watches the list's size, which needs a layout.
beforeAll(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(cleanup);

const ping = vi.fn<() => void>();
const focusFilter = () => document.getElementById('filter')?.focus();

function Window() {
  useCommandKeys();
  useCommands([
    { id: 'trace.filter', title: 'Filter the trace', group: 'Trace', shortcut: 'Mod+F', run: focusFilter },
    { id: 'session.ping', title: 'Ping', group: 'Session', keywords: ['alive'], run: ping },
  ]);
  return (
    <>
      <Header server={null} session={null} trace={null} />
      <input id="filter" aria-label="Filter" />
      <input aria-label="Elsewhere" />
    </>
  );
}

test('lists every command with its keys, group by group', async () => {
  render(<Window />);
  await userEvent.keyboard('{Control>}k{/Control}');
  const options = await screen.findAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual(['Ping', 'Filter the traceCtrl F']);
});

test('nothing is chosen while nothing was typed: Enter runs nothing, an arrow goes to the first', async () => {
  ping.mockClear();
  render(<Window />);
  const user = userEvent.setup();
  await user.keyboard('{Control>}k{/Control}');
  await screen.findAllByRole('option');
  expect(screen.queryByRole('option', { selected: true })).toBeNull();
  await user.keyboard('{Enter}');
  expect(ping).not.toHaveBeenCalled();
  expect(screen.queryByRole('combobox')).not.toBeNull();
  await user.keyboard('p');
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('Ping');
  await user.keyboard('{Backspace}');
  await expect.poll(() => screen.queryByRole('option', { selected: true })).toBeNull();
  await user.keyboard('{ArrowDown}');
  expect(screen.getByRole('option', { selected: true }).textContent).toBe('Ping');
  await user.keyboard('{Enter}');
  await expect.poll(() => ping.mock.calls.length).toBe(1);
});

test('finds a command by other words and runs it once', async () => {
  ping.mockClear();
  render(<Window />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: /Search commands/ }));
  await user.type(await screen.findByRole('combobox'), 'aliv');
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Ping']);
  await user.keyboard('{Enter}');
  await expect.poll(() => ping.mock.calls.length).toBe(1);
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('finds tools of all connected servers, and tells equal names apart by the name of the server', async () => {
  const tool = (name: string, title?: string) => entry({ name, ...(title !== undefined && { title }) });
  const tools: Readonly<Record<string, ToolEntry[]>> = {
    'session-a': [tool('echo', 'Echo'), tool('add')],
    'session-b': [tool('echo', 'Echo')],
    'session-c': [tool('echo', 'Echo')],
  };
  const engine = fakeEngine({
    'catalog/tools': ({ sessionId }) => ({ ...aList, entries: tools[sessionId] ?? [] }),
  });
  const sessions = ['a', 'b', 'c'].map((one) =>
    aSession({
      id: `session-${one}`,
      serverId: `server-${one}`,
      serverName: `name at connect ${one}`,
      phase: one === 'c' ? 'closed' : 'ready',
    }),
  );
  useSessions.setState({ sessions: Object.fromEntries(sessions.map((one) => [one.id, one])) });
  useServers.setState({
    servers: [aServer({ id: 'server-a', name: 'alpha' }), aServer({ id: 'server-b', name: 'beta' })],
  });
  render(<Window />);
  const user = userEvent.setup();
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), 'echo');
  const found = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  await expect.poll(found).toEqual(['Tool: Echo (echo) — alpha', 'Tool: Echo (echo) — beta']);
  // Only of sessions that are connected, and only now.
  expect(engine.asked('catalog/tools')).toEqual([{ sessionId: 'session-a' }, { sessionId: 'session-b' }]);
  await user.type(screen.getByRole('combobox'), ' beta');
  await expect.poll(found).toEqual(['Tool: Echo (echo) — beta']);
  await user.keyboard('{Enter}');
  await expect.poll(() => useToolsState.getState().selected['server-b']).toBe('["echo",1]');
  expect(useSelection.getState()).toMatchObject({ serverId: 'server-b', pane: 'tools' });
});

test('finds resources, recorded traces and saved filters, by letters in their order, too', async () => {
  fakeEngine({
    'catalog/tools': () => ({ ...aList, entries: [] }),
    'catalog/prompts': () => ({ ...aList, entries: [] }),
    'catalog/resources': () => ({
      ...aList,
      entries: [
        {
          usable: true,
          raw: '{}',
          index: 0,
          duplicate: false,
          resource: { uri: 'file:///welcome.md', name: 'welcome', title: 'Welcome page' },
        },
      ],
    }),
  });
  useSessions.setState({
    sessions: { a: aSession({ id: 'session-a', serverId: 'server-a', phase: 'ready' }) },
  });
  useServers.setState({ servers: [aServer({ id: 'server-a', name: 'alpha' })] });
  useTraces.setState({
    files: [aTraceFile({ name: 'the bug', createdAt: new Date(2026, 2, 12).getTime() })],
  });
  useSettings.setState({ savedFilters: [{ name: 'slow calls', text: 'dur:>1s' }] });
  render(<Window />);
  const user = userEvent.setup();
  await user.keyboard('{Control>}k{/Control}');
  const found = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  await user.type(await screen.findByRole('combobox'), 'rwlc');
  await expect.poll(found).toEqual(['Resource: Welcome page (file:///welcome.md) — alpha']);
  await user.clear(screen.getByRole('combobox'));
  await user.type(screen.getByRole('combobox'), 'bug');
  await expect.poll(found).toEqual(['Trace: the bug — 2026-03-12 00:00']);
  await user.clear(screen.getByRole('combobox'));
  await user.type(screen.getByRole('combobox'), 'slow');
  await expect.poll(found).toEqual(['Filter: slow calls']);
  await user.clear(screen.getByRole('combobox'));
  await user.type(screen.getByRole('combobox'), 'welcome');
  await expect.poll(found).toEqual(['Resource: Welcome page (file:///welcome.md) — alpha']);
  await user.keyboard('{Enter}');
  await expect.poll(() => useSelection.getState().resourceUri['server-a']).toBe('file:///welcome.md');
  expect(useSelection.getState()).toMatchObject({ serverId: 'server-a', pane: 'resources' });
});

test('a tool chosen lately comes first in the next session, too; the URI of a resource is not kept', async () => {
  const resource = { uri: 'file:///notes?token=Zq81vRt04LmXb27c', name: 'notes' };
  const engine = fakeEngine({
    'place/read': () => ({ entries: {}, isOfThisRun: false }),
    'place/keep': () => null,
    'catalog/tools': () => ({ ...aList, entries: [entry({ name: 'echo' }), entry({ name: 'note' })] }),
    'catalog/prompts': () => ({ ...aList, entries: [] }),
    'catalog/resources': () => ({
      ...aList,
      entries: [{ usable: true, raw: '{}', index: 0, duplicate: false, resource }],
    }),
  });
  await readPlace();
  useServers.setState({ servers: [aServer({ id: 'server-a', name: 'alpha' })] });
  useTraces.setState({ files: [] });
  useSettings.setState({ savedFilters: [] });
  const inSession = (id: string) =>
    useSessions.setState({ sessions: { [id]: aSession({ id, serverId: 'server-a', phase: 'ready' }) } });
  inSession('session-a');
  render(<Window />);
  const user = userEvent.setup();
  const found = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  for (const typed of ['tool: note', 'resource: notes']) {
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), typed);
    await expect.poll(found).toHaveLength(1);
    await user.keyboard('{Enter}');
    await expect.poll(() => screen.queryByRole('combobox')).toBeNull();
  }
  inSession('session-b');
  await user.keyboard('{Control>}k{/Control}');
  await expect.poll(() => found()[0]).toBe('Tool: note — alpha');
  expect(screen.getByText('Recent')).toBeDefined();
  await expect.poll(() => engine.asked('place/keep')).toHaveLength(1);
  expect(JSON.stringify(engine.asked('place/keep'))).toContain('tool.server-a.');
  expect(JSON.stringify(engine.asked('place/keep'))).not.toContain(resource.uri);
});

test('a command may move the focus; Escape puts it back where it was', async () => {
  render(<Window />);
  const user = userEvent.setup();
  screen.getByLabelText('Elsewhere').focus();
  await user.keyboard('{Control>}k{/Control}');
  await screen.findByRole('combobox');
  await user.keyboard('{Escape}');
  await expect.poll(() => document.activeElement).toBe(screen.getByLabelText('Elsewhere'));

  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), 'filter{Enter}');
  await expect.poll(() => document.activeElement).toBe(screen.getByLabelText('Filter'));
});

test('keys run a command from wherever the focus is', async () => {
  render(<Window />);
  const user = userEvent.setup();
  await user.click(screen.getByLabelText('Elsewhere'));
  await user.keyboard('{Control>}f{/Control}');
  expect(document.activeElement).toBe(screen.getByLabelText('Filter'));
});

test('keys run a command from the moment when the window is drawn', () => {
  function PressedAtOnce() {
    useLayoutEffect(() => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true }));
    }, []);
    return <Window />;
  }
  render(<PressedAtOnce />);
  expect(document.activeElement).toBe(screen.getByLabelText('Filter'));
});
