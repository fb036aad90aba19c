import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { MAX_SELECTED_ROWS } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { beginOnSession, choose, drawn, rowWith, table } from '#fixtures/page/trace-dock.ts';
import { emit } from '#fixtures/page/fake-engine.ts';
import { engine, grow, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

const notes = (count: number): TraceRow[] =>
  Array.from({ length: count }, (_, row) => aRow({ row, summary: `note ${row}` }));

const chosen = () =>
  drawn()
    .filter((row) => row.getAttribute('aria-selected') === 'true')
    .map(({ dataset }) => Number(dataset.row));
const press = async (text: string, modifiers: { shiftKey?: boolean; ctrlKey?: boolean }) =>
  fireEvent.mouseDown(await rowWith(text), { button: 0, ...modifiers });
const bar = () => screen.getByRole('toolbar', { name: 'Selected rows' });
const act = (name: string) => userEvent.click(within(bar()).getByRole('button', { name }));

test('Shift chooses up to the row, Mod one more, a plain click only that', async () => {
  reset(notes(8));
  render(<TraceDock />);
  await choose('note 2');
  expect(screen.queryByRole('toolbar', { name: 'Selected rows' })).toBeNull();
  await press('note 5', { shiftKey: true });
  expect(chosen()).toEqual([2, 3, 4, 5]);
  await press('note 1', { shiftKey: true });
  expect(chosen()).toEqual([1, 2]);
  await press('note 7', { ctrlKey: true });
  await press('note 2', { ctrlKey: true });
  expect(chosen()).toEqual([1, 7]);
  expect(bar().textContent).toContain('2 rows selected');
  expect(table().getAttribute('aria-multiselectable')).toBe('true');
  await choose('note 4');
  expect(chosen()).toEqual([4]);
});

test('keys choose a range, all, single rows apart from each other, and one again', async () => {
  reset(notes(8));
  render(<TraceDock />);
  await choose('note 3');
  table().focus();
  await userEvent.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
  expect(chosen()).toEqual([3, 4, 5]);
  await userEvent.keyboard('{Shift>}{ArrowUp}{/Shift}');
  expect(chosen()).toEqual([3, 4]);
  await userEvent.keyboard('{Control>}{ArrowDown}{ArrowDown}{/Control}x');
  expect(chosen()).toEqual([3, 4, 6]);
  await userEvent.keyboard('{Escape}');
  expect(chosen()).toEqual([6]);
  await userEvent.keyboard('{Control>}a{/Control}');
  expect(bar().textContent).toContain('8 rows selected');
});

test('in a list that is sorted again, a range starts at the chosen row, and a moved cursor stays', async () => {
  reset(notes(6));
  render(<TraceDock />);
  await rowWith('note 5');
  screen.getByRole('columnheader', { name: '#' }).focus();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(drawn()[0]?.dataset.row).toBe('5'));
  await choose('note 4');
  table().focus();
  const cursor = () => document.getElementById(table().getAttribute('aria-activedescendant') ?? '');
  /** A new row comes first, as with the newest one on top. */
  const sortAgain = (row: number) => {
    const list = engine.filters.get('filter-1') ?? [];
    list.unshift(aRow({ row, summary: `note ${row}` }));
    const progress = { matches: list.length, scanned: row + 1, done: true, order: row };
    emit('trace/filtered', { sessionId: SESSION, filterId: 'filter-1', ...progress });
    return waitFor(() => expect(drawn()[0]?.dataset.row).toBe(String(row)));
  };
  await sortAgain(6);
  await waitFor(() => expect(cursor()?.dataset.row).toBe('4'));
  await press('note 2', { shiftKey: true });
  expect(chosen()).toEqual([4, 3, 2]);

  await choose('note 4');
  table().focus();
  await userEvent.keyboard('{Control>}{ArrowDown}{ArrowDown}{/Control}');
  expect(cursor()?.dataset.place).toBe('4');
  // The place of the chosen row is asked for before the rows, so it is known once they are drawn.
  await sortAgain(7);
  expect(cursor()?.dataset.place).toBe('4');
  await press('note 3', { shiftKey: true });
  expect(chosen()).toEqual([4, 3]);
});

test('no more rows are chosen than can be, and that is said', async () => {
  reset(notes(MAX_SELECTED_ROWS + 5));
  render(<TraceDock />);
  await rowWith(`note ${MAX_SELECTED_ROWS}`);
  table().focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  expect(bar().textContent).toContain('10,000 rows selected, the maximum');
});

test('with a filter, a range holds the rows that match, also those not loaded yet', async () => {
  reset([...notes(1200), aRow({ row: 1200, summary: 'other' })]);
  render(<TraceDock />);
  fireEvent.change(screen.getByRole('combobox', { name: 'Filter the trace' }), { target: { value: 'note' } });
  await screen.findByText('1,200 of 1,201');
  await rowWith('note 1199');
  table().focus();
  await userEvent.keyboard('{Control>}a{/Control}');
  await waitFor(() => expect(bar().textContent).toContain('1,200 rows selected'));
});

test('another list, or a row chosen elsewhere, ends the choice of several', async () => {
  reset(notes(8));
  render(<TraceDock />);
  await choose('note 2');
  await press('note 5', { shiftKey: true });
  useSelection.setState({ traceRow: { [SESSION]: 7 } });
  await waitFor(() => expect(chosen()).toEqual([7]));
});

test('messages are copied a line each, numbers as they were sent, and what is no message is left out', async () => {
  reset([
    aRow({ row: 0, summary: 'first' }),
    aRow({ row: 1, kind: 'process', method: null, summary: 'started' }),
    aRow({ row: 2, kind: 'noise', method: null, noise: 'not-json', summary: 'oops' }),
    aRow({ row: 3, summary: 'last' }),
  ]);
  engine.texts.set(0, '{ "n":\n 12345678901234567890 }');
  engine.texts.set(2, 'oops');
  engine.texts.set(3, `{"s":"${'x'.repeat(2000)}"}`);
  render(<TraceDock />);
  await choose('first');
  await press('last', { shiftKey: true });
  const user = userEvent.setup();
  await user.click(within(bar()).getByRole('button', { name: 'Copy as JSON lines' }));
  await waitFor(async () =>
    expect(await navigator.clipboard.readText()).toBe(
      `{"n":12345678901234567890}\n{"s":"${'x'.repeat(2000)}"}\n`,
    ),
  );
});

test('a bookmark goes on every chosen row, and leaves the notes there are', async () => {
  reset([
    aRow({ row: 0, summary: 'first' }),
    aRow({ row: 1, mark: 'mine', summary: 'noted' }),
    aRow({ row: 2, summary: 'last' }),
  ]);
  render(<TraceDock />);
  await choose('first');
  await press('last', { shiftKey: true });
  await act('Bookmark');
  await waitFor(() => expect(engine.rows.map(({ mark }) => mark)).toEqual(['', 'mine', '']));
  expect(within(await rowWith('noted')).getByRole('img', { name: 'note: mine' })).toBeTruthy();
});

test('the menu by key is about the row of the cursor, which it brings into view, or all selected rows', async () => {
  reset(
    Array.from({ length: 100 }, (_, row) =>
      aRow({
        row,
        kind: 'request',
        direction: 'out',
        method: 'tools/call',
        summary: row === 0 ? 'first' : `tool\u202e ${row}`,
      }),
    ),
  );
  render(<TraceDock />);
  await rowWith('tool[U+202E] 99');
  table().focus();
  await userEvent.keyboard('{Home}');
  await rowWith('first');
  await userEvent.keyboard('{Control>}{ArrowDown}{/Control}');
  expect(chosen()).toEqual([0]);
  table().scrollTop = 24 * 50;
  fireEvent.scroll(table());
  await rowWith('tool[U+202E] 50');
  await userEvent.keyboard('{Shift>}{F10}{/Shift}');
  const entry = await screen.findByRole('menuitem', { name: /^Hide rows like this/ });
  expect(entry.textContent).toContain('-tool:"tool[U+202E] 1"');
  await rowWith('tool[U+202E] 1');
  expect(chosen()).toEqual([1]);
  await userEvent.keyboard('{Escape}{Shift>}{ArrowDown}{F10}{/Shift}');
  await screen.findByRole('menuitem', { name: 'Replay the selected calls…' });
  expect(chosen()).toEqual([1, 2]);
});

test('an export is offered for the chosen rows', async () => {
  reset(notes(4));
  render(<TraceDock />);
  await choose('note 1');
  await press('note 2', { shiftKey: true });
  await act('Export…');
  expect(useSelection.getState().exporting).toEqual({
    sessionId: SESSION,
    rows: { of: 'rows', rows: [1, 2] },
  });
});

test('calls show their answers folded, with both sizes', async () => {
  const asked = aRow({
    row: 0,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    size: 94,
    pair: 1,
    status: 'ok',
  });
  reset([asked, aRow({ row: 1, kind: 'result', method: 'tools/call', pair: 0, size: 312, status: 'ok' })]);
  render(<TraceDock />);
  await userEvent.click(screen.getByRole('radio', { name: 'Calls' }));
  const cell = await within(table()).findByTitle('94 B sent, 312 B received');
  expect(cell.textContent).toBe('94 B → 312 B');
  expect(engine.asked('trace/filter')).toContainEqual({ sessionId: SESSION, text: '', view: 'calls' });
  // The answer grew, as one that was still arriving does.
  grow([{ ...aRow({ row: 1, kind: 'result', method: 'tools/call', pair: 0, status: 'ok' }), size: 999 }]);
  await within(table()).findByTitle('94 B sent, 999 B received');
  await userEvent.click(screen.getByRole('radio', { name: 'Messages' }));
  await rowWith('response');
});
