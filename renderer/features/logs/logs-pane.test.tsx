import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { SessionView } from '#shared/contract/sessions.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { engine, grow, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aCall, anAgreement, aSession } from '#fixtures/page/samples.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { logData } from './log-list.tsx';
import { logViews, logFilter } from './log-view.ts';
import { LogsPane } from './logs-pane.tsx';

const HEIGHT = 240;

const log = (row: number, facts: Partial<TraceRow>): TraceRow => {
  const { level = 'info', logger = null } = facts;
  const summary = [level, logger, `message ${row}`].filter(Boolean).join(' · ');
  return aRow({ row, level, logger, summary, ...facts });
};
const rows = [
  log(0, { level: 'debug', logger: 'db' }),
  log(1, { level: 'warning', logger: 'ui' }),
  aRow({ row: 2, kind: 'stderr', method: null, summary: 'a line of stderr' }),
  log(3, { level: 'error', logger: 'db', parent: 5 }),
  log(4, { level: null, summary: 'loud · message 4' }),
  aRow({ row: 5, kind: 'request', method: 'tools/call', summary: 'echo' }),
];

beforeAll(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => HEIGHT });
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1000 });
});
beforeEach(() => {
  reset(rows);
  logViews.forget();
});
afterEach(cleanup);

function show(facts: Partial<SessionView> = {}) {
  useSelection.setState({ serverId: 'server-1', openedId: null, traceRow: {}, exporting: null });
  const session = aSession({ id: SESSION, serverId: 'server-1', agreement: anAgreement(), ...facts });
  useSessions.setState({ sessions: { [SESSION]: session } });
  render(<LogsPane />);
}

const list = () => screen.getByRole('listbox', { name: 'Log messages' });
const lines = () => within(list()).getAllByRole('option');
const texts = () => lines().map(({ textContent }) => textContent?.replace(/^[\d:.]+/, ''));
/** Waits until these texts are the list. */
const shows = (expected: string[]) => waitFor(() => expect(texts()).toEqual(expected), { timeout: 3000 });
const everyMessage = [
  'debugdbmessage 0',
  'warninguimessage 1',
  'errordbmessage 3',
  'no levelloud · message 4',
];

test('log messages are listed with time, level, logger and data', async () => {
  show();
  await shows(everyMessage);
  expect(lines()[0]?.textContent).toMatch(/^\d\d:\d\d:\d\d\.\d{3}debug/);
});

test('the list is filtered by level, by logger and by text, with lines of stderr if wanted', async () => {
  engine.logCounts = {
    count: 4,
    perSecond: 0.3,
    loggers: [
      { logger: 'db', count: 2, perSecond: 12.34 },
      { logger: null, count: 1, perSecond: 0 },
    ],
    unlisted: 1,
  };
  show();
  await shows(everyMessage);
  const level = screen.getByRole('combobox', { name: 'Show from level' });
  await userEvent.selectOptions(level, 'warning and up');
  await shows(['warninguimessage 1', 'errordbmessage 3']);
  await userEvent.selectOptions(level, 'every level');
  await userEvent.click(screen.getByRole('checkbox', { name: 'stderr' }));
  await shows([...everyMessage.slice(0, 2), 'stderra line of stderr', ...everyMessage.slice(2)]);
  await userEvent.click(screen.getByRole('checkbox', { name: 'stderr' }));

  const loggers = screen.getByRole('region', { name: 'Loggers' });
  const db = within(loggers).getByRole('button', { name: 'db: 2 messages, 12 per second' });
  within(loggers).getByText('1 message of further loggers');
  await userEvent.click(db);
  await shows(['debugdbmessage 0', 'errordbmessage 3']);
  await userEvent.click(within(loggers).getByRole('button', { name: /^no logger: 1/ }));
  await shows(['debugdbmessage 0', 'errordbmessage 3', 'no levelloud · message 4']);
  await userEvent.click(within(loggers).getByRole('button', { name: /^all loggers: 4/ }));
  await shows(everyMessage);

  await userEvent.type(screen.getByRole('searchbox', { name: 'Search the logs' }), 'nowhere');
  await userEvent.click(await screen.findByRole('button', { name: 'Show all messages' }));
  await shows(everyMessage);
});

test('the newest message is followed until the user scrolls up', async () => {
  const many = Array.from({ length: 100 }, (_, row) => log(row, { logger: 'db' }));
  reset(many);
  show();
  await waitFor(() => expect(texts().at(-1)).toContain('message 99'), { timeout: 3000 });
  const follow = screen.getByRole('button', { name: /follow the newest message/ });
  expect(follow.getAttribute('aria-pressed')).toBe('true');
  list().focus();
  await userEvent.keyboard('{Home}');
  expect(follow.getAttribute('aria-pressed')).toBe('false');
  await waitFor(() => expect(texts()[0]).toContain('message 0'));
  await userEvent.keyboard('{End}');
  await waitFor(() => expect(texts().at(-1)).toContain('message 99'));
  expect(follow.getAttribute('aria-pressed')).toBe('true');
});

test('a message is shown with its data as a tree, its row and the call it belongs to, by keyboard', async () => {
  engine.texts.set(
    3,
    '{"jsonrpc":"2.0","params":{"level":"error","data":{"big":9007199254740993,"list":[1]}}}',
  );
  show();
  await shows(everyMessage);
  list().focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  const detail = await screen.findByRole('region', { name: 'Log message' });
  await within(detail).findByRole('button', { name: 'Row #4 of the trace' });
  const tree = await within(detail).findByRole('tree', { name: 'Data' });
  expect(tree.textContent).toContain('9007199254740993');
  expect(detail.textContent).toContain('tools/call echo');
  await userEvent.click(within(detail).getByRole('button', { name: 'Row #6 of the trace' }));
  expect(useSelection.getState().traceRow[SESSION]).toBe(5);
  list().focus();
  await userEvent.keyboard('{Enter}');
  expect(document.activeElement).toBe(detail);
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('region', { name: 'Log message' })).toBeNull();
  expect(document.activeElement).toBe(list());
});

test('where several calls were under way on stdio, a message names all of them', async () => {
  const round = { requestId: 1, responseRow: null };
  const done = { requestId: 2, requestRow: 1, responseRow: 2 };
  const calls = [
    aCall({ id: 'a', tool: 'slow', requestRow: 0, rounds: [{ ...round, requestRow: 0 }] }),
    aCall({ id: 'b', tool: 'slower', requestRow: 2, rounds: [done, { ...round, requestRow: 2 }] }),
    aCall({ id: 'c', tool: 'ended', requestRow: 1, rounds: [done] }),
    aCall({ id: 'd', tool: 'later', requestRow: 5, rounds: [{ ...round, requestRow: 5 }] }),
  ];
  engine.calls = calls.map((call) => ({ ...call, sessionId: SESSION }));
  engine.texts.set(4, '{"params":{"data":"two\\nlines"}}');
  show();
  await shows(everyMessage);
  list().focus();
  await userEvent.keyboard('{End}');
  const detail = await screen.findByRole('region', { name: 'Log message' });
  await within(detail).findByText('slow');
  await within(detail).findByText('slower');
  expect(detail.textContent).not.toMatch(/ended|later/);
  expect(detail.textContent).toContain('two\nlines');
  engine.calls = [];
});

test('what is shown is exported by its filter', async () => {
  show();
  await shows(everyMessage);
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Show from level' }), 'error and up');
  await shows(['errordbmessage 3']);
  await userEvent.click(screen.getByRole('button', { name: 'Export…' }));
  const { exporting } = useSelection.getState();
  const filterId = `filter-${engine.filters.size}`;
  expect(exporting).toMatchObject({ rows: { of: 'filter', filterId }, filter: { filterId, matches: 1 } });
});

test('secrets in the messages are searched on demand, and shown by their surroundings', async () => {
  show();
  await shows(everyMessage);
  const removal = { kind: 'bearer token', count: 2, row: 3, sample: 'Bearer ‹bearer token›' };
  const ofRows = { listed: 4, chosen: 4, added: 0, addedMessages: 0, addedStderr: 0 };
  const counts = { entries: 4, leftOut: 0, removals: [removal], removed: 2, hasStderr: false };
  const preview = { ...counts, ...ofRows, findings: [], findingCount: 0 };
  const asking = fakeEngine({
    'exports/preview': () => preview,
    'trace/end-filter': () => null,
    'logs/counts': () => engine.logCounts,
  });
  await userEvent.click(screen.getByRole('button', { name: 'Search these messages for secrets' }));
  const found = await screen.findByRole('region', { name: 'Secrets in the logs' });
  await within(found).findByText('2 values in the logs look like secrets:');
  await within(found).findByText('Bearer ‹bearer token›');
  expect(asking.asked('exports/preview')).toMatchObject([
    { rows: { of: 'filter' }, redaction: { isOn: true } },
  ]);
  await userEvent.click(within(found).getByRole('button', { name: 'Row #4 of the trace' }));
  expect(useSelection.getState().traceRow[SESSION]).toBe(3);
});

test('the level in force is shown, and set while the server is connected', async () => {
  show({ logLevel: 'warning' });
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Log level' }).value).toBe('warning');
  cleanup();
  show({ phase: 'closed', logLevel: null });
  await screen.findByText('level not set');
});

test('running requests have their progress and are cancelled with a reason; list changes are told', async () => {
  const request = aRow({
    row: 5,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'slow',
    status: 'pending',
  });
  const question = aRow({
    row: 6,
    kind: 'request',
    method: 'sampling/createMessage',
    summary: '',
    status: 'pending',
  });
  engine.activity = {
    running: [
      { row: request, progress: aRow({ row: 7, summary: '4 / 10  step 4' }) },
      { row: question, progress: null },
    ],
    runningCount: 2,
    listChanges: [aRow({ row: 8, method: 'notifications/tools/list_changed' })],
    listChangeCount: 1,
  };
  show();
  await userEvent.click(screen.getByRole('radio', { name: 'Activity' }));
  const running = await screen.findByRole('region', { name: 'Running requests' });
  expect(running.textContent).toContain('4 / 10  step 4');
  expect(within(running).queryByRole('button', { name: /^Cancel sampling/ })).toBeNull();
  within(running).getByRole('button', { name: 'Inbox' });
  const changes = screen.getByRole('region', { name: 'List changes' });
  within(changes).getByText('notifications/tools/list_changed');

  let finish = (): void => {};
  const cancelling = fakeEngine({
    'calls/cancel-request': async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return null;
    },
    'calls/time-left': () => null,
    'logs/activity': () => engine.activity,
  });
  await userEvent.type(within(running).getByRole('textbox', { name: 'Reason of a cancellation' }), 'enough');
  await userEvent.click(within(running).getByRole('button', { name: 'Cancel tools/call slow' }));
  await within(running).findByRole('button', { name: 'Cancelling tools/call slow' });
  expect(cancelling.asked('calls/cancel-request')).toEqual([
    { sessionId: SESSION, row: 5, reason: 'enough' },
  ]);
  engine.activity = { ...engine.activity, running: [], runningCount: 0 };
  await act(async () => finish());
  grow([aRow({ row: 9 })]);
  await screen.findByText('No request waits for a response.');
  await waitFor(() => expect(document.activeElement).toBe(running));
});

test('a list that cannot be read says why, and is filtered again', async () => {
  const fault = { code: 'no-such-filter', what: 'This filter has ended.' };
  engine.failing = { name: 'trace/rows', error: new FaultError(fault) };
  show();
  await screen.findByText('This filter has ended.', undefined, { timeout: 3000 });
  engine.failing = null;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await shows(everyMessage);
  expect(screen.queryByText('This filter has ended.')).toBeNull();
});

test('without a session and without messages the pane says what to do', async () => {
  reset([]);
  useSelection.setState({ serverId: 'server-1', openedId: null });
  useSessions.setState({ sessions: {} });
  render(<LogsPane />);
  await screen.findByText('Not connected');
  cleanup();
  show();
  await screen.findByText('No log messages', undefined, { timeout: 3000 });
});

test.each([
  [{}, 'method:notifications/message'],
  [{ severity: 3 }, 'method:notifications/message level:>=warning'],
  [{ loggers: ['a b', null] }, 'method:notifications/message (logger:"a b" or -logger:*)'],
  [
    { withStderr: true, severity: 4, text: 'x "y"' },
    '(method:notifications/message level:>=error or kind:stderr) text:"x \\"y\\""',
  ],
])('the filter of %j', (choices, filter) => {
  expect(logFilter({ severity: 0, loggers: [], text: '', withStderr: false, ...choices })).toBe(filter);
});

test.each<[Partial<TraceRow>, string]>([
  [{ level: 'info', logger: 'db', summary: 'info · db · a · b' }, 'a · b'],
  [{ level: 'info', summary: 'info · a' }, 'a'],
  [{ level: 'info', logger: 'db', summary: 'info · db' }, ''],
  [{ level: null, summary: 'loud · a' }, 'loud · a'],
  // Cut in the name of the logger.
  [{ level: 'info', logger: 'long name', summary: 'info · long…' }, 'info · long…'],
])('the data of %j in one line', (facts, data) => {
  expect(logData(aRow({ level: null, logger: null, ...facts }))).toBe(data);
});
