import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { selectServer, useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useSettings } from '#model/settings.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession, aTraceFile } from '#fixtures/page/samples.ts';
import { useTraces } from '#model/traces.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { openPrompt } from './entries.ts';
import { endOpening } from './opening.ts';
import { RecordedList } from './recorded-list.tsx';

const now = new Date(2026, 2, 12, 18).getTime();
const hour = 60 * 60 * 1000;
const file = (name: string, hours: number, change = {}) =>
  aTraceFile({ path: `/traces/${name}.mcptrace`, name, createdAt: now - hours * hour, ...change });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  Element.prototype.scrollIntoView ??= () => undefined;
  useTraces.setState({ files: [], opened: {}, fault: null });
  useSessions.setState({ sessions: {} });
  useSettings.setState(defaultSettings);
  selectServer('v1');
  openPrompt(null);
  endOpening();
});
afterEach(cleanup);
afterEach(() => vi.useRealTimers());

const rows = () => [...document.querySelectorAll<HTMLElement>('[data-trace]')];
const row = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) });

test('lists traces with when, how many rows and how many errors, in words', () => {
  useTraces.setState({
    files: [
      file('notes-20260312-170000', 1, { sessionId: 's1' }),
      file('notes-20260312-160000', 2),
      file('the bug', 2, { errors: 3, rows: 38 }),
      file('notes-20260311-120000', 30, { rows: 1_000_412 }),
      file('new', 40, { fault: { code: 'trace-too-new', what: 'Too new.' }, server: null, rows: null }),
    ],
  });
  useSessions.setState({ sessions: { s1: aSession() } });
  render(<RecordedList />);
  expect(rows().map(({ textContent }) => textContent)).toEqual([
    'notes 16:0012.4k rows',
    'the bug 16:003 errors38 rows',
    'notes 12:001.0M rows',
    'new 02:00newer version',
  ]);
  const headings = screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
  expect(headings).toEqual(['notestoday', 'notesyesterday', 'newyesterday']);
  expect(row('new').title).toContain('Too new.');
});

test('a click opens a trace, and leads to one that is open; one that is still written is with its server', async () => {
  const engine = fakeEngine({
    'traces/open': ({ path }) => anOpenedTrace({ path, sessionId: 'file-1' }),
  });
  useTraces.setState({ files: [file('a', 1), file('live', 2, { sessionId: 's9' })] });
  useSessions.setState({ sessions: { s9: aSession({ id: 's9', serverId: 'v9' }) } });
  render(<RecordedList />);
  const user = userEvent.setup();
  await user.click(row('a'));
  expect(useSelection.getState().openedId).toBe('file-1');
  expect(row('a').getAttribute('aria-current')).toBe('true');

  expect(screen.queryByRole('button', { name: /^live/ })).toBeNull();
  selectServer('v9');
  await expect.poll(() => row('a').textContent).toContain('open');

  await user.click(row('a'));
  expect(useSelection.getState().openedId).toBe('file-1');
  expect(engine.asked('traces/open')).toEqual([{ path: '/traces/a.mcptrace' }]);
});

test('why a trace cannot be opened is said beside the list', async () => {
  fakeEngine({
    'traces/open': () => {
      throw new FaultError({ code: 'no-trace', what: 'This file is no trace.' });
    },
  });
  useTraces.setState({ files: [file('a', 1)] });
  render(<RecordedList />);
  await userEvent.setup().click(row('a'));
  const dialog = await screen.findByRole('dialog', { name: 'Open trace' });
  expect(dialog.textContent).toContain('a.mcptrace was not opened');
  expect(dialog.textContent).toContain('This file is no trace.');
});

test('keys walk the list without opening anything; only one row is a stop of the Tab key', async () => {
  fakeEngine({});
  useTraces.setState({ files: [file('a', 1), file('b', 2), file('c', 3)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  row('a').focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(row('c'));
  await user.keyboard('{Home}{ArrowDown}');
  expect(document.activeElement).toBe(row('b'));
  expect(rows().map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1]);
  expect(useSelection.getState().openedId).toBeNull();
});

test('F2 renames in place; a name that is taken says so and stays to be corrected', async () => {
  const engine = fakeEngine({
    'traces/rename': ({ name }) => {
      if (name === 'taken')
        throw new FaultError({ code: 'name-taken', what: 'It is taken.', next: 'Choose.' });
      return file(name, 1);
    },
  });
  useTraces.setState({ files: [file('a', 1)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  row('a').focus();
  await user.keyboard('{F2}');
  const field = await screen.findByRole('textbox', { name: 'New name of a' });
  await user.clear(field);
  await user.type(field, 'taken{Enter}');
  await expect.poll(() => document.body.textContent).toContain('It is taken. Choose.');
  await user.clear(field);
  await user.type(field, 'mine{Enter}');
  await expect.poll(() => rows().map(({ textContent }) => textContent)).toEqual(['mine 17:0012.4k rows']);
  expect(engine.asked('traces/rename')).toEqual([
    { path: '/traces/a.mcptrace', name: 'taken' },
    { path: '/traces/a.mcptrace', name: 'mine' },
  ]);
  await expect.poll(() => document.activeElement).toBe(row('mine'));
});

test('deleting asks first, with the size and that it is for good', async () => {
  const engine = fakeEngine({ 'traces/delete': () => null });
  useTraces.setState({ files: [file('a', 1), file('b', 2)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  row('a').focus();
  await user.keyboard('{Delete}');
  const question = await screen.findByRole('dialog', { name: 'Delete a' });
  expect(question.textContent).toContain('12,408 rows, 4.1 MB. You can undo it for 10 minutes');
  expect(question.textContent).toContain('Then the file is deleted permanently');
  expect(engine.asked('traces/delete')).toEqual([]);
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(engine.asked('traces/delete')).toEqual([{ path: '/traces/a.mcptrace' }]);
  await expect.poll(() => rows().length).toBe(1);
});

test('a second press of Enter after Delete keeps the trace', async () => {
  const engine = fakeEngine({ 'traces/delete': () => null });
  useTraces.setState({ files: [file('a', 1), file('b', 2)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  row('a').focus();
  await user.keyboard('{Delete}');
  await screen.findByRole('dialog', { name: 'Delete a' });
  await user.keyboard('{Enter}');
  expect(engine.asked('traces/delete')).toEqual([]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
});

test('a menu offers what can be done with a trace', async () => {
  useTraces.setState({ files: [file('a', 1)] });
  render(<RecordedList />);
  fireEvent.contextMenu(row('a'));
  const entries = async () => (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
  expect(await entries()).toEqual([
    'Open',
    'Export…',
    'Compare with…',
    'Serve as a mock…',
    'Rename…F2',
    'Copy the path',
    'Delete…Delete',
  ]);
});

test('the trace on screen is compared with another one of the list by one entry of its menu', async () => {
  const engine = fakeEngine({
    'traces/open': ({ path }) => anOpenedTrace({ path, sessionId: `of ${path}` }),
    'comparison/open': () => new Promise(() => undefined),
  });
  useTraces.setState({ files: [file('a', 1), file('b', 2)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  const compare = 'Compare the trace on screen with this one';
  const menuOf = async (name: string) => {
    await user.pointer({ keys: '[MouseRight]', target: row(name) });
    return screen.findByRole('menu');
  };
  // Nothing is on screen yet.
  expect(within(await menuOf('b')).queryByRole('menuitem', { name: compare })).toBeNull();
  await user.keyboard('{Escape}');
  await user.click(row('a'));
  expect(within(await menuOf('a')).queryByRole('menuitem', { name: compare })).toBeNull();
  await user.keyboard('{Escape}');
  await user.click(within(await menuOf('b')).getByRole('menuitem', { name: compare }));
  // The older one is on the left.
  await expect
    .poll(() => engine.asked('comparison/open'))
    .toEqual([{ recorded: 'of /traces/b.mcptrace', other: 'of /traces/a.mcptrace', replay: null }]);
  expect(useSelection.getState().openedId).toBe('of /traces/a.mcptrace');
});

test('a long list is shown in part, and searched', async () => {
  useTraces.setState({ files: Array.from({ length: 75 }, (_, place) => file(`t${place}`, place)) });
  render(<RecordedList />);
  expect(rows()).toHaveLength(10);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Show 50 more' }));
  await user.click(screen.getByRole('button', { name: 'Show 15 more' }));
  expect(rows()).toHaveLength(75);
  await user.type(screen.getByRole('searchbox', { name: 'Find a trace' }), 't74');
  expect(rows()).toHaveLength(1);
});

test('a trace is opened by its path where there is no dialog of the system', async () => {
  const engine = fakeEngine({ 'traces/open': ({ path }) => anOpenedTrace({ path, name: 'bug' }) });
  render(<RecordedList />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Open trace…' }));
  await user.type(
    await screen.findByRole('textbox', { name: 'Path of the trace file' }),
    '/tmp/bug.mcptrace{Enter}',
  );
  expect(engine.asked('traces/open')).toEqual([{ path: '/tmp/bug.mcptrace' }]);
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  expect(row('bug').getAttribute('aria-current')).toBe('true');
});

test('what a limit would delete is said before it is saved', async () => {
  const engine = fakeEngine({
    'settings/write': ({ retention }) => ({ ...defaultSettings, retention: retention! }),
  });
  useTraces.setState({ files: [file('a', 1), file('old', 24 * 40)] });
  render(<RecordedList />);
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Keep traces…' }));
  const form = await screen.findByRole('dialog', { name: 'Keep traces' });
  expect(form.textContent).toContain('Every trace is kept until you delete it.');
  await user.click(within(form).getByRole('checkbox', { name: 'Delete traces older than' }));
  expect(form.textContent).toContain('Saving deletes about 1 trace of them, 4.1 MB.');
  const days = within(form).getByRole('textbox', { name: /older/ });
  await user.clear(days);
  await user.type(days, '0');
  expect(form.textContent).toContain('Enter a whole number of days');
  await user.clear(days);
  await user.type(days, '60');
  await user.click(within(form).getByRole('button', { name: 'Save' }));
  expect(engine.asked('settings/write')).toEqual([{ retention: { days: 60, bytes: null } }]);
});
