import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServerList } from '#features/servers/server-list.tsx';
import { showFlow } from '#model/authorization.ts';
import { useCommands } from '#model/commands.ts';
import { connect, useAttempts } from '#model/connection.ts';
import { selectPane, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { type SessionStatus, statusOf, useSessions } from '#model/sessions.ts';
import { emit, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { engine, entry, session } from '#fixtures/page/fake-tools.ts';
import { steppedUpFlow, waitingFlow } from '#fixtures/page/authorization-samples.ts';
import { anHttpServer, aServer } from '#fixtures/page/samples.ts';
import { appCommands, useCommandKeys } from './app-commands.ts';
import { Panes } from './panes.tsx';

// The plain text area stays: the editor needs a real browser.
vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

const server = aServer({ id: 'v1' });
const start = useSelection.getState();

// The window loads panes when they are shown. On a busy machine the first load takes longer than a wait for what a pane shows.
beforeAll(async () => {
  await import('#features/tools/tools-pane.tsx');
  await import('#features/authorization/authorization-pane.tsx');
});
beforeEach(() => {
  engine.reset();
  engine.setTools({ entries: [entry({ name: 'echo' })] });
  useAttempts.setState({}, true);
  useSessions.setState({ sessions: {} });
  useServers.setState({ servers: [server] });
  useSelection.setState({ ...start, serverId: 'v1' });
});
afterEach(cleanup);

const listed = { ...statusOf({ ...session, toolCount: 1 }), promptCount: null };
const keys = appCommands({ servers: [server], server, session: listed, trace: null });

/** The list of servers beside the panes, with their keys. */
function Window() {
  useCommands(keys);
  useCommandKeys();
  return (
    <>
      <ServerList />
      <Panes server={server} session={listed} />
    </>
  );
}

describe('a key runs only what has the focus', () => {
  const withText = entry({
    name: 'echo',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  });
  const open = async () => {
    engine.tools = { ...engine.tools, entries: [withText] };
    useSessions.setState({ sessions: { s1: { ...session, toolCount: 1 } } });
    useSelection.setState({ pane: 'tools' });
    render(<Window />);
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /text/ });
    const user = userEvent.setup();
    await user.type(field, 'old draft');
    return { field, user, row: screen.getByRole('button', { name: /^notes/ }) };
  };

  test('what is typed on a row of the sidebar goes nowhere, and Ctrl+Enter there runs no tool', async () => {
    const { field, user, row } = await open();
    row.focus();
    await user.keyboard('Z-9{Control>}{Enter}{/Control}');
    await user.click(field);
    // The run, if there were one, has begun by now.
    await user.keyboard('!');
    expect(engine.started).toEqual([]);
    expect(field.value).toBe('old draft!');
  });

  test('nor in the search for a tool, which may hide the selected one', async () => {
    const { field, user } = await open();
    await user.type(screen.getByRole('searchbox', { name: 'Find a tool' }), 'Z-9{Control>}{Enter}{/Control}');
    await user.click(field);
    await user.keyboard('!');
    expect(engine.started).toEqual([]);
  });

  test('after the key of the pane the focus is in its form, where Ctrl+Enter runs', async () => {
    const { field, user, row } = await open();
    row.focus();
    await user.keyboard('{Control>}2{/Control}');
    await vi.waitFor(() => expect(document.activeElement).toBe(field));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await vi.waitFor(() => expect(engine.started).toHaveLength(1));
  });

  test('a press on the form that hits no field, or a button that goes away, leaves the keys to the form', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('heading', { name: 'echo' }));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await vi.waitFor(() => expect(engine.started).toHaveLength(1));
    engine.mustConfirm = 'confirm-destructive';
    await user.keyboard('{Control>}{Enter}{/Control}');
    await user.click(await screen.findByRole('button', { name: 'Do not run' }));
    engine.mustConfirm = null;
    await user.keyboard('{Control>}{Enter}{/Control}');
    await vi.waitFor(() => expect(engine.started).toHaveLength(2));
  });

  test('Enter after Ctrl+Enter does not confirm a tool that destroys', async () => {
    const { field, user } = await open();
    engine.mustConfirm = 'confirm-destructive';
    await user.click(field);
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByRole('region', { name: 'Run echo?' });
    await user.keyboard('{Enter}');
    expect(engine.started).toEqual([]);
  });
});

const connecting = { ...session, phase: 'initializing', agreement: null } as const;

/** Connects, and shows the server as its tools get listed. */
async function connectAndList() {
  fakeEngine({
    'sessions/open': () => ({ outcome: 'opened', session: connecting }),
    'catalog/tools': () => engine.tools,
    'calls/list': () => [],
  });
  const paint = (status: SessionStatus) => <Panes server={server} session={status} />;
  const { rerender } = render(paint(statusOf(connecting)));
  await connect('v1');
  return () => {
    useSessions.setState({ sessions: { s1: { ...session, toolCount: 1 } } });
    rerender(paint(statusOf({ ...session, toolCount: 1 })));
  };
}

test('after connecting, the tools are shown with the focus in their filter', async () => {
  const list = await connectAndList();
  expect(useSelection.getState().pane).toBe('overview');
  list();
  const filter = await screen.findByRole('searchbox', { name: 'Find a tool' });
  expect(document.activeElement).toBe(filter);
});

test('a pane that was selected while connecting stays', async () => {
  const list = await connectAndList();
  selectPane('overview');
  list();
  expect(useSelection.getState().pane).toBe('overview');
});

test('an Overview that is used while connecting stays', async () => {
  const list = await connectAndList();
  const user = userEvent.setup();
  await user.click(screen.getByRole('tabpanel'));
  list();
  expect(useSelection.getState().pane).toBe('overview');
});

test('an Overview whose tab is clicked while connecting stays', async () => {
  const list = await connectAndList();
  const user = userEvent.setup();
  await user.click(screen.getByRole('tab', { name: 'Overview' }));
  list();
  expect(useSelection.getState().pane).toBe('overview');
});

test('a pane that is selected before the engine answers stays', async () => {
  let answer: (opened: { outcome: 'opened'; session: typeof connecting }) => void = () => {};
  fakeEngine({
    'sessions/open': () => new Promise((resolve) => (answer = resolve)),
    'catalog/tools': () => engine.tools,
    'calls/list': () => [],
  });
  const { rerender } = render(<Panes server={server} session={statusOf(connecting)} />);
  const connected = connect('v1');
  selectPane('overview');
  answer({ outcome: 'opened', session: connecting });
  await connected;
  rerender(<Panes server={server} session={statusOf({ ...session, toolCount: 1 })} />);
  expect(useSelection.getState().pane).toBe('overview');
});

test('connecting again stays in the pane', async () => {
  useSessions.setState({ sessions: { s1: { ...session, phase: 'closed' } } });
  const list = await connectAndList();
  list();
  expect(useSelection.getState().pane).toBe('overview');
});

test('the Auth pane is for servers over HTTP, with what its flow found', async () => {
  fakeEngine({ 'authorization/flows': () => [steppedUpFlow()] });
  const { unmount } = render(<Panes server={server} session={null} />);
  expect(screen.queryByRole('tab', { name: /^Auth/ })).toBeNull();
  unmount();
  const status = statusOf({ ...session, transport: 'streamable-http' });
  render(<Panes server={anHttpServer({ id: 'v1' })} session={status} />);
  expect((await screen.findByRole('tab', { name: 'Auth 3' })).textContent).toBe('Auth3');
});

test('a pane that a server does not have is replaced by the Overview', () => {
  useSelection.setState({ pane: 'authorization' });
  render(<Panes server={server} session={null} />);
  expect(screen.getByRole('tab', { name: 'Overview' }).getAttribute('aria-selected')).toBe('true');
});

test('a server that waits for authorization while it is connected shows it', async () => {
  const id = 's-authorizing';
  const authorizing = { ...session, id, transport: 'streamable-http', phase: 'authorizing' } as const;
  fakeEngine({
    'sessions/open': () => ({ outcome: 'opened', session: authorizing }),
    'authorization/flows': () => [],
    'authorization/credentials': () => [],
  });
  const http = anHttpServer({ id: 'v1' });
  render(<Panes server={http} session={statusOf(authorizing)} />);
  useSelection.setState({ pane: 'overview' });
  await connect('v1');
  act(() => emit('authorization/changed', waitingFlow({ sessionId: id })));
  expect(await screen.findByRole('link', { name: 'Open in browser' })).toBeDefined();
  expect(useSelection.getState().awaitsTools).toBe('v1');
});

test('a flow that waits is shown, though the user looked at another one before', async () => {
  const id = 's-refreshed';
  const authorized = { ...session, id, transport: 'streamable-http' } as const;
  const before = steppedUpFlow({ id: 'f-before', sessionId: id, number: 1 });
  fakeEngine({ 'authorization/flows': () => [before], 'authorization/credentials': () => [] });
  useSessions.setState({ sessions: { [id]: authorized } });
  useSelection.setState({ pane: 'authorization' });
  render(<Panes server={anHttpServer({ id: 'v1' })} session={statusOf(authorized)} />);
  await screen.findByRole('tab', { name: 'Auth 3' });
  act(() => showFlow(before));
  act(() => emit('authorization/changed', waitingFlow({ id: 'f-next', sessionId: id, number: 2 })));
  expect(await screen.findByRole('link', { name: 'Open in browser' })).toBeDefined();
});
