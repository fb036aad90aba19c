import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import {
  beginOnSession,
  choose,
  drawn,
  notifications,
  rowWith,
  scrollTo,
  selectedText,
  showSession,
  table,
} from '#fixtures/page/trace-dock.ts';
import { emit } from '#fixtures/page/fake-engine.ts';
import { DETAIL_CHARS, engine, grow, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from './trace-dock.tsx';
import { traceViews } from './trace-views.ts';

beginOnSession();

const aCall: TraceRow[] = [
  aRow({
    row: 0,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    id: '7',
    status: 'ok',
    duration: 3100,
    pair: 2,
  }),
  aRow({ row: 1, method: 'notifications/progress', summary: '1 / 2', parent: 0 }),
  aRow({
    row: 2,
    kind: 'result',
    method: 'tools/call',
    summary: 'echo',
    id: '7',
    status: 'ok',
    duration: 3100,
    pair: 0,
  }),
];

const live = () => screen.getByRole('button', { name: /follow the newest row/ });

test('draws only the visible rows, and shows how many there are', async () => {
  reset(notifications(100_000));
  render(<TraceDock />);
  await rowWith('note 99999');
  expect(drawn().length).toBeLessThan(15);
  expect(table().getAttribute('aria-rowcount')).toBe('100001');
  expect((await rowWith('note 99999')).getAttribute('aria-rowindex')).toBe('100001');
  expect(screen.getByText('100,000 rows')).toBeTruthy();
});

test('follows the end, stops when the user scrolls up, and End follows again', async () => {
  reset(notifications(100));
  render(<TraceDock />);
  await rowWith('note 99');
  grow(notifications(50, 100));
  await rowWith('note 149');

  scrollTo(240);
  await rowWith('note 10');
  expect(live().getAttribute('aria-pressed')).toBe('false');
  grow(notifications(50, 150));
  await screen.findByText('200 rows');
  await rowWith('note 10');

  table().focus();
  await userEvent.keyboard('{End}');
  await rowWith('note 199');
  expect(live().getAttribute('aria-pressed')).toBe('true');
});

test('goes on to follow the end when the window grows, which moves the list by itself', async () => {
  reset(notifications(100));
  render(<TraceDock />);
  await rowWith('note 99');
  Object.defineProperty(table(), 'clientHeight', { value: 2000, configurable: true });
  scrollTo(table().scrollTop - 500);
  expect(live().getAttribute('aria-pressed')).toBe('true');
});

test('a column sorts the rows by click and by key, reversed by the next, and in the order of the trace by the third', async () => {
  const took = [300, null, 2000, 40].map((duration, row) =>
    aRow({ row, kind: 'request', method: `m${row}`, duration, finding: row === 1 ? 'error' : null }),
  );
  reset(took);
  render(<TraceDock />);
  await rowWith('m3');
  const order = () => drawn().map((row) => Number(row.dataset.row));
  const head = (name: string) => screen.getByRole('columnheader', { name });
  expect(head('#').getAttribute('aria-sort')).toBe('ascending');
  expect(screen.getByRole('button', { name: 'Findings 1' })).toBeTruthy();
  const click = (name: string) => {
    fireEvent.pointerDown(head(name), { button: 0 });
    fireEvent.pointerUp(head(name));
  };
  // On macOS, this opens the menu.
  fireEvent.pointerDown(head('duration'), { button: 0, ctrlKey: true });
  fireEvent.pointerUp(head('duration'));
  expect(head('duration').getAttribute('aria-sort')).toBe('none');
  expect(head('duration').title).toMatch(/Click to sort descending$/);
  click('duration');
  await waitFor(() => expect(order()).toEqual([2, 0, 3, 1]));
  expect(head('duration').getAttribute('aria-sort')).toBe('descending');
  expect(live().getAttribute('aria-pressed')).toBe('false');
  click('duration');
  await waitFor(() => expect(order()).toEqual([3, 0, 2, 1]));
  click('duration');
  await waitFor(() => expect(order()).toEqual([0, 1, 2, 3]));
  expect(live().getAttribute('aria-pressed')).toBe('true');

  act(() => head('#').focus());
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(order()).toEqual([3, 2, 1, 0]));
  await userEvent.keyboard('{End}{Home}{ArrowRight}');
  expect(document.activeElement).toBe(head('time'));
  // Other keys of the table are not those of its head.
  await userEvent.keyboard('{Control>}a{/Control}m');
  expect(drawn().filter((row) => row.getAttribute('aria-selected') === 'true')).toEqual([]);
  expect(engine.asked('trace/mark')).toEqual([]);
  await userEvent.keyboard('{Shift>}{F10}{/Shift}');
  await screen.findByRole('dialog', { name: 'Columns' });
  await userEvent.keyboard('{Escape}');
  act(() => head('time').focus());
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(table());
  // Following the end means the order of the trace.
  await userEvent.click(live());
  await waitFor(() => expect(order()).toEqual([0, 1, 2, 3]));
});

test('a sorted list is left for the newest row, not for the selected one', async () => {
  reset(notifications(100));
  render(<TraceDock />);
  await rowWith('note 99');
  fireEvent.change(screen.getByRole('combobox', { name: 'Filter the trace' }), { target: { value: 'note' } });
  await screen.findByText('100 of 100');
  scrollTo(0);
  await choose('note 3');
  act(() => screen.getByRole('columnheader', { name: '#' }).focus());
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(drawn()[0]?.dataset.row).toBe('99'));
  await userEvent.click(live());
  await waitFor(() => expect(drawn().at(-1)?.dataset.row).toBe('99'));
  expect(live().getAttribute('aria-pressed')).toBe('true');
});

test('a row that changes is drawn again', async () => {
  const request = aRow({ kind: 'request', direction: 'out', method: 'tools/call', status: 'pending' });
  reset([request]);
  render(<TraceDock />);
  await rowWith('waiting');
  grow([{ ...request, status: 'error', code: -32602, duration: 2400 }]);
  const row = await rowWith('-32602');
  expect(within(row).getByText('2.4 ms')).toBeTruthy();
});

test('keys move the selection, jump to the other half of a call, and open and close the detail', async () => {
  reset(aCall);
  render(<TraceDock />);
  await rowWith('1 / 2');
  table().focus();
  await userEvent.keyboard('{Home}');
  expect(selectedText()).toContain('tools/call');
  expect(table().getAttribute('aria-activedescendant')).toBe(drawn()[0]?.id);
  const detail = await screen.findByRole('region', { name: 'Row #1' });
  await within(detail).findByText('answered by', { exact: false });

  await userEvent.keyboard('p');
  await waitFor(() => expect(selectedText()).toContain('response'));
  await screen.findByRole('region', { name: 'Row #3' });
  expect(drawn().map((row) => row.dataset.relation)).toEqual(['pair', 'child', undefined]);

  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Message'));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('region', { name: /^Row/ })).toBeNull();
  expect(document.activeElement).toBe(table());
  await userEvent.keyboard('{ArrowUp}');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));
});

test('the numbers in the detail lead to the other rows of the call', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('response');
  await userEvent.click(await screen.findByRole('button', { name: 'Row #1 of the trace' }));
  await waitFor(() => expect(selectedText()).toContain('tools/call'));
  await userEvent.click(await screen.findByRole('button', { name: '1 child row' }));
  await userEvent.click(await screen.findByRole('button', { name: /^#2/ }));
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));
});

test('a link to a row that the filter hides says so; clearing the filter shows it', async () => {
  reset(notifications(50));
  render(<TraceDock />);
  await rowWith('note 49');
  const note = () => screen.queryByText(/is hidden by the filter/);
  await userEvent.type(screen.getByRole('combobox', { name: 'Filter the trace' }), '"note 4"');
  await waitFor(() => expect(document.querySelector('[data-filter=\'"note 4"\']')).not.toBeNull());
  const link = (row: number) => act(() => useSelection.setState({ traceRow: { [SESSION]: row } }));
  link(47);
  await waitFor(() => expect(selectedText()).toContain('note 47'));
  expect(note()).toBeNull();
  link(12);
  await waitFor(() => expect(note()?.textContent).toBe('Row #13 is hidden by the filter.'));
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
  await waitFor(() => expect(selectedText()).toContain('note 12'));
  expect(note()).toBeNull();
  expect(document.activeElement).toBe(table());
});

test('a kept filter that hides the row of a link says so, until the row is listed', async () => {
  const request = { kind: 'request', method: 'tools/call', status: 'pending' } as const;
  reset([aRow({ row: 0, ...request, summary: 'slow' }), ...notifications(20, 1)]);
  useSelection.setState({ traceRow: { [SESSION]: 0 } });
  traceViews.of(SESSION).setFilter('is:error');
  render(<TraceDock />);
  await screen.findByText(/is hidden by the filter/);
  // It fails, and the list gets it.
  engine.filters.set('filter-1', [aRow({ row: 0, ...request, status: 'error', error: true })]);
  const progress = { matches: 1, scanned: 21, done: true, order: 0 };
  act(() => emit('trace/filtered', { sessionId: SESSION, filterId: 'filter-1', ...progress }));
  await waitFor(() => expect(screen.queryByText(/is hidden by the filter/)).toBeNull());
  await waitFor(() => expect(selectedText()).toContain('tools/call'));
});

test('a link to a row that a sorted list has not placed yet scrolls to it once it has', async () => {
  reset(notifications(100));
  render(<TraceDock />);
  await rowWith('note 99');
  act(() => screen.getByRole('columnheader', { name: '#' }).focus());
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(drawn()[0]?.dataset.row).toBe('99'));
  const sorted = engine.filters.get('filter-1') ?? [];
  const progress = { sessionId: SESSION, filterId: 'filter-1', matches: 100, scanned: 100 };
  // All but the last one are sorted.
  const last = sorted.pop();
  act(() => emit('trace/filtered', { ...progress, matches: 99, done: false, order: 2 }));
  act(() => useSelection.setState({ traceRow: { [SESSION]: 0 } }));
  await waitFor(() => expect(engine.asked('trace/place')).not.toEqual([]));
  if (last !== undefined) sorted.push(last);
  act(() => emit('trace/filtered', { ...progress, done: true, order: 3 }));
  await rowWith('note 0');
  expect(selectedText()).toContain('note 0');
});

test('a row that another pane chose is brought into view', async () => {
  reset(notifications(500));
  render(<TraceDock />);
  await rowWith('note 499');
  useSelection.setState({ traceRow: { [SESSION]: 42 } });
  await rowWith('note 42');
  expect(selectedText()).toContain('note 42');
  expect(live().getAttribute('aria-pressed')).toBe('false');
});

test('a row that is selected already is brought into view when another pane chooses it again', async () => {
  reset(notifications(500));
  render(<TraceDock />);
  await rowWith('note 499');
  const chooseElsewhere = () => useSelection.setState({ traceRow: { [SESSION]: 42 } });
  chooseElsewhere();
  await rowWith('note 42');
  table().focus();
  await userEvent.click(live());
  await rowWith('note 499');
  chooseElsewhere();
  await rowWith('note 42');

  await userEvent.click(live());
  await rowWith('note 499');
  // A row chosen in another trace leaves this one where it is.
  act(() => useSelection.setState({ traceRow: { [SESSION]: 42, 'session-2': 7 } }));
  grow(notifications(1, 500));
  await rowWith('note 500');
  expect(live().getAttribute('aria-pressed')).toBe('true');
});

describe('while a request waits', () => {
  const waiting = (at: number) =>
    aRow({
      row: 0,
      at,
      kind: 'request',
      direction: 'out',
      method: 'tools/call',
      summary: 'slow',
      id: '7',
      status: 'pending',
    });
  /** Puts the present so many seconds after the beginning of the trace, and lets the window take note. */
  const pass = (seconds: number) =>
    act(() => {
      vi.setSystemTime(Date.UTC(2026, 0, 1) + seconds * 1000);
      vi.advanceTimersByTime(1000);
    });
  const start = () =>
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.UTC(2026, 0, 1) });
  afterEach(() => vi.useRealTimers());
  const widthOf = (row: HTMLElement) =>
    Number.parseFloat(row.querySelector<HTMLElement>('.trace-bar')?.style.width ?? '');

  test('its duration and its bar grow by themselves, until the answer comes', async () => {
    start();
    const done = { kind: 'request', method: 'tools/call', status: 'ok', duration: 3_000_000 } as const;
    reset([waiting(0), aRow({ row: 1, at: 0, summary: 'other', ...done })]);
    render(<TraceDock />);
    await rowWith('slow');
    pass(4);
    expect((await rowWith('slow')).textContent).toContain('5.0 s');
    pass(7);
    expect((await rowWith('slow')).textContent).toContain('8.0 s');
    // Beside it, a call that took three seconds becomes a smaller part of the time on screen.
    const other = () => widthOf(drawn()[1] as HTMLElement);
    expect(other()).toBe(37.5);
    pass(29);
    expect((await rowWith('slow')).textContent).toContain('30 s');
    expect(other()).toBe(10);
    expect(widthOf(await rowWith('slow'))).toBe(100);

    grow([{ ...waiting(0), status: 'ok', duration: 3100 }]);
    await screen.findByText('3.1 ms');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('no clock ticks where nothing waits, or where the trace has ended', async () => {
    start();
    reset(notifications(3));
    const { unmount } = render(<TraceDock />);
    await rowWith('note 1');
    expect(vi.getTimerCount()).toBe(0);
    unmount();
    reset([waiting(0)]);
    traceViews.forget();
    showSession({ phase: 'closed', closedAt: 1 });
    render(<TraceDock />);
    await rowWith('slow');
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a call that waits for input says so', async () => {
  const call = { method: 'tools/call', summary: 'trip', id: '1', status: 'input-required' } as const;
  reset([
    aRow({ row: 0, kind: 'request', direction: 'out', pair: 1, ...call }),
    aRow({ row: 1, kind: 'result', direction: 'in', pair: 0, ...call }),
  ]);
  render(<TraceDock />);
  await rowWith('tools/call');
  for (const row of drawn()) {
    expect(within(row).getByText('needs input')).toBeTruthy();
    expect(within(row).queryByText('ok')).toBeNull();
  }
});

test('says of everything that is no message what it is', async () => {
  reset([
    aRow({ row: 0, kind: 'noise', method: null, noise: 'not-json', status: 'invalid', summary: 'DEBUG' }),
    aRow({ row: 1, kind: 'noise', method: null, noise: 'half-json', status: 'invalid', summary: '{"a' }),
    aRow({ row: 2, kind: 'noise', method: null, noise: 'not-utf8', status: 'invalid', summary: 'caf' }),
    aRow({ row: 3, kind: 'stderr', method: null, summary: 'warming up' }),
    aRow({ row: 4, kind: 'process', method: null, direction: null, size: 0, summary: 'ended by SIGKILL' }),
  ]);
  render(<TraceDock />);
  for (const words of ['stdout noise', 'half JSON', 'invalid UTF-8', 'stderr', 'process'])
    await rowWith(words);

  await choose('stdout noise');
  await screen.findByText(/print\(\) in Python/);
  await choose('invalid UTF-8');
  await userEvent.click(await screen.findByRole('button', { name: 'byte 3' }));
  const bytes = await screen.findByRole('region', { name: 'Bytes' });
  await waitFor(() => expect(bytes.querySelector('mark')?.textContent).toBe('73'));
  await choose('process');
  await screen.findByText('SIGKILL');
});

test('says which message of a batch a row is, and what was sent without being asked for', async () => {
  reset([
    aRow({ row: 0, batch: 3, position: 1, summary: 'second' }),
    aRow({ row: 1, kind: 'error', direction: 'out', code: -32601, status: 'error', automatic: true }),
  ]);
  render(<TraceDock />);
  expect((await rowWith('second')).textContent).toContain('2/3 second');
  await choose('second');
  await screen.findByText('2 of 3 in a batch');
  expect(screen.queryByText('sent automatically')).toBeNull();
  await choose('-32601');
  await screen.findByText('sent automatically');
});

test('text of the server stays text, and its control characters are visible', async () => {
  reset([aRow({ row: 0, summary: '<b>\u001b[31mred\u202e' })]);
  engine.texts.set(0, '{"a":"<img src=x>\\u0000"}');
  render(<TraceDock />);
  await choose('<b>[ESC][31mred[U+202E]');
  const detail = await screen.findByRole('region', { name: 'Row #1' });
  await within(detail).findByText('"<img src=x>\\u0000"');
  expect(detail.querySelector('img')).toBeNull();
});

test('a text that was cut says so, and the rest can be loaded', async () => {
  reset([aRow({ row: 0 })]);
  engine.texts.set(0, `"${'x'.repeat(DETAIL_CHARS)} – the end"`);
  render(<TraceDock />);
  await choose('info');
  await screen.findByText(/Only the first 1,000 characters/);
  expect(screen.queryByText(/the end/)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Load more' }));
  await userEvent.click(await screen.findByRole('button', { name: /^Show all/ }));
  await screen.findByText(/ – the end"$/);
  expect(screen.queryByText(/Only the first/)).toBeNull();
});

test('coming back to a session finds its filter, its selection and its place', async () => {
  reset(notifications(300));
  render(<TraceDock />);
  await rowWith('note 299');
  await userEvent.type(screen.getByRole('combobox', { name: 'Filter the trace' }), '"note 1"');
  await screen.findByText('111 of 300');
  await rowWith('note 199');
  scrollTo(0);
  await choose('note 1');
  useSelection.setState({ serverId: null });
  await screen.findByText('No server selected');
  useSelection.setState({ serverId: 'server-1' });
  await screen.findByText('111 of 300');
  await rowWith('note 1');
  expect(selectedText()).toContain('note 1');
  expect(live().getAttribute('aria-pressed')).toBe('false');
});

test('what the engine cannot answer is said, and can be tried again', async () => {
  reset(aCall);
  engine.failing = { name: 'trace/rows', error: new Error('disk gone') };
  render(<TraceDock />);
  await screen.findByRole('alert');
  engine.failing = null;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await rowWith('response');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a session that has ended stays on screen', async () => {
  reset(aCall);
  showSession({ phase: 'failed', closedAt: 1 });
  render(<TraceDock />);
  await rowWith('response');
  expect(screen.queryByRole('button', { name: /follow the newest row/ })).toBeNull();
});

test('without a session it says what to do', () => {
  useSessions.setState({ sessions: {} });
  const { rerender } = render(<TraceDock />);
  expect(screen.getByRole('button', { name: 'Connect' })).toBeTruthy();
  useSelection.setState({ serverId: null });
  rerender(<TraceDock />);
  expect(screen.getByText('No server selected')).toBeTruthy();
});
