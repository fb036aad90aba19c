import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useRoots } from '#model/roots.ts';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer, aSession, anAgreement } from '#fixtures/page/samples.ts';
import type { RootState } from '#shared/contract/roots.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { type ClientProfile, defaultClientProfile } from '#shared/contract/servers.ts';
import type { Agreement, SessionView } from '#shared/contract/sessions.ts';
import { Roots } from './roots.tsx';

beforeEach(() => {
  fakeEngine({});
  useRoots.setState({ states: [] });
});
afterEach(cleanup);

const aRoot = (change: Partial<RootState> = {}): RootState => ({
  uri: 'file:///work',
  condition: 'folder',
  path: '/work',
  realPath: '/work',
  ...change,
});
const serverWith = (...roots: ClientProfile['roots']) =>
  aServer({ client: { ...defaultClientProfile, roots } });
const sessionOf = (agreement: Partial<Agreement>, change: Partial<SessionView> = {}) =>
  aSession({ agreement: anAgreement(agreement), ...change });
const notifies = { clientCapabilities: { roots: { listChanged: true } } };
const lines = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);
const notify = () => screen.queryByRole('button', { name: 'Notify server' });

test.each<[Partial<RootState>, string]>([
  [{}, 'exists'],
  [{ uri: 'file:///work/', path: '/work/' }, 'exists'],
  [{ realPath: '/mnt/work' }, 'exists · leads to /mnt/work'],
  [{ condition: 'missing', realPath: null }, 'There is no such folder on this machine.'],
  [{ condition: 'not-a-folder' }, 'This is a file, not a folder.'],
  [{ condition: 'unreadable', realPath: null }, 'This folder cannot be read by Sightglass.'],
  [{ condition: 'parent-segment' }, 'The path has a .. segment, which servers resolve in different ways.'],
  [
    { uri: 'https://a.b/', condition: 'not-a-file-uri', path: null, realPath: null },
    'This is not a file:// URI of this machine, which the specification requires for roots.',
  ],
])('each root says what is there: %j', (change, words) => {
  const state = aRoot(change);
  useRoots.setState({ states: [state] });
  render(<Roots server={serverWith({ uri: state.uri, name: 'mine' })} session={null} />);
  expect(lines()).toEqual([`${state.uri} mine${words}`]);
});

test('a folder that vanishes is shown to be missing', () => {
  useRoots.setState({ states: [aRoot()] });
  render(<Roots server={serverWith({ uri: 'file:///work', name: null })} session={null} />);
  expect(lines()).toEqual(['file:///workexists']);
  act(() => useRoots.setState({ states: [aRoot({ condition: 'missing', realPath: null })] }));
  expect(lines()).toEqual(['file:///workThere is no such folder on this machine.']);
});

test('the server is notified on request, and the row of the notification is shown', async () => {
  const engine = fakeEngine({ 'sessions/notify-roots': () => ({ row: 41 }) });
  render(<Roots server={serverWith()} session={sessionOf(notifies)} />);
  const section = within(screen.getByRole('region', { name: 'Roots' }));
  expect(section.getByText('None.')).toBeTruthy();
  expect(section.getByText('notifications/roots/list_changed')).toBeTruthy();
  await userEvent.click(notify() ?? document.body);
  expect(engine.asked('sessions/notify-roots')).toEqual([{ sessionId: 's1' }]);
  await userEvent.click(await section.findByRole('button', { name: 'Row #42 of the trace' }));
  expect(useSelection.getState().traceRow.s1).toBe(41);
});

test('a notification that was not sent says why', async () => {
  fakeEngine({
    'sessions/notify-roots': () => {
      throw new FaultError({ code: 'not-ready', what: 'The session is closed, so nothing can be sent.' });
    },
  });
  render(<Roots server={serverWith()} session={sessionOf(notifies)} />);
  await userEvent.click(notify() ?? document.body);
  expect((await screen.findByRole('alert')).textContent).toContain('nothing can be sent');
});

test.each<[string, SessionView | null]>([
  ['without a session', null],
  ['that has ended', sessionOf(notifies, { phase: 'closed' })],
  ['of the modern era', sessionOf({ ...notifies, era: 'modern' })],
  ['that did not declare roots', sessionOf({ clientCapabilities: {} })],
  ['that did not declare listChanged', sessionOf({ clientCapabilities: { roots: {} } })],
])('a server %s cannot be notified', (_, session) => {
  const { container } = render(<Roots server={serverWith()} session={session} />);
  expect(container.textContent).toBe('');
  render(<Roots server={serverWith({ uri: 'file:///work', name: null })} session={session} />);
  expect(notify()).toBeNull();
});
