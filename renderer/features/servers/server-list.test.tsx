import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { selectServer, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { useSessions } from '#model/sessions.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anHttpServer, aServer, aSession, stdioSettings } from '#fixtures/page/samples.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { requestRemoval } from './remove-server.tsx';
import { ServerList } from './server-list.tsx';

const servers = [aServer(), aServer({ id: 'v2', name: 'billing' }), aServer({ id: 'v3', name: 'staging' })];

beforeEach(() => {
  useServers.setState({ servers });
  useSessions.setState({ sessions: {} });
  requestRemoval(null);
  selectServer('v1');
});
afterEach(cleanup);

const row = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) });

test('says of each server how it is doing, in words', () => {
  const failed = aSession({
    id: 's2',
    serverId: 'v2',
    phase: 'failed',
    process: { pid: 7, exitCode: 1, signal: null, shutdown: [] },
  });
  const killed = aSession({
    id: 's3',
    serverId: 'v3',
    phase: 'failed',
    process: { pid: 8, exitCode: null, signal: 'SIGKILL', shutdown: [] },
  });
  useSessions.setState({ sessions: { s1: aSession(), s2: failed, s3: killed } });
  render(<ServerList />);
  expect(row('notes').textContent).toBe('notesready · stdio');
  expect(row('billing').textContent).toBe('billingexit 1 · stdio');
  expect(row('staging').textContent).toBe('stagingSIGKILL · stdio');
});

test('says what each connected server offers', () => {
  const offers = { toolCount: 19, resourceCount: 1, promptCount: null };
  const ended = aSession({ id: 's2', serverId: 'v2', phase: 'closed', ...offers });
  useSessions.setState({ sessions: { s1: aSession(offers), s2: ended } });
  render(<ServerList />);
  expect(row('notes').title.split('\n')).toEqual(['node notes.js', '19 tools, 1 resource']);
  expect(row('billing').title).not.toContain('tools');
});

test('says how many questions of a server wait, whichever is on screen', () => {
  useSessions.setState({ sessions: { s2: aSession({ id: 's2', serverId: 'v2', waiting: 2 }) } });
  render(<ServerList />);
  expect(row('billing').textContent).toBe('billing2 questions waitingready');
  expect(row('notes').textContent).not.toContain('question');
});

test('says of a server that was never connected how it is reached, and where on hover', () => {
  const http = plainHttpSettings('https://api.example.com:8443/v1/mcp');
  useServers.setState({
    servers: [
      aServer({ transport: stdioSettings({ command: '/usr/bin/node', args: ['a b.js'] }) }),
      anHttpServer({ id: 'v2', name: 'billing', transport: http }),
      anHttpServer({ id: 'v3', name: 'api.example.com:8443', transport: http }),
    ],
  });
  render(<ServerList />);
  expect(row('notes').textContent).toBe('notesstdio');
  expect(row('notes').title).toBe("/usr/bin/node 'a b.js'");
  expect(row('billing').textContent).toBe('billinghttp');
  expect(row('billing').title).toBe('https://api.example.com:8443/v1/mcp');
  expect(row('api').textContent).toBe('api.example.com:8443http');
});

test('arrow keys choose a server and take the focus along', async () => {
  render(<ServerList />);
  const user = userEvent.setup();
  row('notes').focus();
  await user.keyboard('{ArrowDown}');
  expect(useSelection.getState().serverId).toBe('v2');
  expect(document.activeElement).toBe(row('billing'));
  await user.keyboard('{End}{ArrowDown}');
  expect(document.activeElement).toBe(row('staging'));
  await user.keyboard('{Home}');
  expect(document.activeElement).toBe(row('notes'));
});

test('only one row is a stop of the Tab key', () => {
  render(<ServerList />);
  expect(['notes', 'billing', 'staging'].map((name) => row(name).tabIndex)).toEqual([0, -1, -1]);
});

test('removing asks first, says that the session is ended, and shows the next server', async () => {
  const engine = fakeEngine({ 'servers/remove': () => null });
  useSessions.setState({ sessions: { s1: aSession() } });
  render(<ServerList />);
  const user = userEvent.setup();
  row('notes').focus();
  await user.keyboard('{Delete}');
  const question = await screen.findByRole('dialog', { name: 'Remove notes' });
  expect(question.textContent).toContain('its session is ended');
  await expect.poll(() => document.activeElement?.textContent).toBe('Keep');
  expect(engine.asked('servers/remove')).toEqual([]);
  await user.click(within(question).getByRole('button', { name: 'Remove' }));
  expect(engine.asked('servers/remove')).toEqual([{ id: 'v1' }]);
  expect(useSelection.getState().serverId).toBe('v2');
});

test('a second press of Enter after Delete removes nothing', async () => {
  const engine = fakeEngine({ 'servers/remove': () => null });
  render(<ServerList />);
  const user = userEvent.setup();
  row('notes').focus();
  await user.keyboard('{Delete}');
  await screen.findByRole('dialog', { name: 'Remove notes' });
  await user.keyboard('{Enter}');
  expect(engine.asked('servers/remove')).toEqual([]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(row('notes'));
});

test('a right click says what can be done', async () => {
  const engine = fakeEngine({ 'sessions/close': () => null });
  useSessions.setState({ sessions: { s1: aSession() } });
  render(<ServerList />);
  fireEvent.contextMenu(row('notes'));
  const entries = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
  expect(entries).toEqual(['Reconnect', 'Disconnect', 'Edit…', 'Export…', 'Remove…']);
  await userEvent.click(screen.getByRole('menuitem', { name: 'Disconnect' }));
  expect(engine.asked('sessions/close')).toEqual([{ sessionId: 's1' }]);
});
