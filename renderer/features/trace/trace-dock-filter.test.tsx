import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { filterTrace, useSelection } from '#model/selection.ts';
import type { TraceList } from '#model/trace-filter.ts';
import {
  beginOnSession,
  choose,
  drawn,
  notifications,
  rowWith,
  scrollTo,
  selectedText,
  table,
} from '#fixtures/page/trace-dock.ts';
import { engine, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from './trace-dock.tsx';
import { TraceView } from './trace-view.ts';
import { traceViews } from './trace-views.ts';

beginOnSession();

test('the filter shows matching rows, keeps the selection, and ends in the engine when it is cleared', async () => {
  reset([...notifications(200), aRow({ row: 200, kind: 'request', method: 'tools/call', summary: 'echo' })]);
  render(<TraceDock />);
  await choose('note 195');
  const filter = screen.getByRole('combobox', { name: 'Filter the trace' });
  await userEvent.type(filter, '"note 19"');
  await screen.findByText('11 of 201');
  await rowWith('note 199');
  await waitFor(() => expect(selectedText()).toContain('note 195'));
  expect((await rowWith('note 195')).getAttribute('aria-rowindex')).toBe('8');

  await userEvent.click(screen.getByRole('button', { name: 'Clear' }));
  await screen.findByText('201 rows');
  await waitFor(() => expect(selectedText()).toContain('note 195'));
  const started = engine.asked('trace/filter').length;
  const ended = engine.asked('trace/end-filter').length;
  expect(ended).toBe(started);
});

test('every message stays listed, at its place, until a typed filter has started', async () => {
  reset(notifications(200));
  render(<TraceDock />);
  await rowWith('note 199');
  scrollTo(240);
  await rowWith('note 10');
  const filter = screen.getByRole('combobox', { name: 'Filter the trace' });
  fireEvent.change(filter, { target: { value: 'kind:' } });
  await rowWith('note 10');
  let release = (): void => undefined;
  engine.held = { name: 'trace/filter', until: new Promise((resolve) => (release = resolve)) };
  fireEvent.change(filter, { target: { value: '"note 19"' } });
  await waitFor(() => expect(engine.filters.size).toBe(1));
  expect(drawn().length).toBeGreaterThan(9);
  await rowWith('note 10');
  release();
  await screen.findByText('11 of 200');
});

test('a filter whose start is answered late does not take over from a newer one', async () => {
  reset([aRow({ row: 0, summary: 'alpha' }), aRow({ row: 1, summary: 'beta' })]);
  render(<TraceDock />);
  let release = (): void => undefined;
  engine.held = { name: 'trace/filter', until: new Promise((resolve) => (release = resolve)) };
  const filter = screen.getByRole('combobox', { name: 'Filter the trace' });
  fireEvent.change(filter, { target: { value: 'alpha' } });
  await waitFor(() => expect(engine.filters.size).toBe(1));
  fireEvent.change(filter, { target: { value: 'beta' } });
  await screen.findByText('1 of 2');
  await rowWith('beta');
  release();
  await waitFor(() =>
    expect(engine.asked('trace/end-filter')).toEqual([{ sessionId: SESSION, filterId: 'filter-1' }]),
  );
  await rowWith('beta');
  expect(within(table()).queryByText('alpha')).toBeNull();
});

/** A view of the trace that begins with this list. */
const aView = (list: TraceList): TraceView =>
  new TraceView(SESSION, { list, isCarriedOver: false, onChange: () => undefined });

test('a half-typed filter that was kept lists every row, which can be sorted', async () => {
  reset(notifications(3));
  const view = aView({ text: '"note', viewName: 'calls', sort: null });
  expect(view.isStarting).toBe(true);
  // Typed on before anything is listed: valid for a moment, and then not again.
  view.setFilter('note');
  view.setFilter('note kind:');
  await waitFor(() => expect(view.window.total).toBe(3));
  expect(view.shownFilterText).toBe('');
  view.setSort({ column: 'number', isDescending: true });
  await waitFor(() => expect(view.isSorted).toBe(true));
  expect(engine.asked('trace/filter').at(-1)).toMatchObject({ text: 'note', sort: view.sort });

  // A text that was valid before it was typed on stays the one that is listed.
  view.setFilter('"note 1"');
  await waitFor(() => expect(view.window.total).toBe(1));
  view.setFilter('"note 1" kind:');
  view.setSort(null);
  await waitFor(() => expect(view.isSorted).toBe(false));
  expect(view.shownFilterText).toBe('"note 1"');
  view.close();
});

test('a row pressed while a filter takes over is the row that is chosen', async () => {
  reset(notifications(200));
  const view = aView({ text: '', viewName: 'messages', sort: null });
  view.setFilter('"note 19"');
  await waitFor(() => expect(view.filterProgress?.isDone).toBe(true));
  // Pressed in the list that was still drawn, where note 195 stood at place 195.
  view.select(195, 195);
  expect(view.selected).toBe(195);
  await waitFor(() => expect(view.selection.cursor).toBe(6));
  view.close();
});

test('a filter without matches says so and offers all rows again', async () => {
  reset([aRow({ row: 0, summary: 'alpha' }), aRow({ row: 1, summary: 'beta' })]);
  render(<TraceDock />);
  await userEvent.type(screen.getByRole('combobox', { name: 'Filter the trace' }), 'gamma');
  await screen.findByText('No row matches this filter');
  await screen.findByText('It hides 2 rows.');
  await userEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
  await rowWith('beta');
});

test('a filter that a pane asks for is taken once, and replaces statistics', async () => {
  reset([aRow({ row: 0, summary: 'alpha' }), aRow({ row: 1, summary: 'beta' })]);
  act(() => filterTrace('session-other', 'beta'));
  render(<TraceDock />);
  await rowWith('alpha');
  act(() => traceViews.of(SESSION).setPanel({ of: 'statistics', rows: null }));
  act(() => filterTrace(SESSION, 'alpha'));
  await screen.findByText('1 of 2');
  await rowWith('alpha');
  const filter = screen.getByRole<HTMLInputElement>('combobox', { name: 'Filter the trace' });
  expect(filter.value).toBe('alpha');
  expect(useSelection.getState().filterRequest).toBeNull();
});

test('an empty list names the filter that found nothing, not one typed since that cannot be read', async () => {
  reset([aRow({ row: 0, summary: 'alpha' }), aRow({ row: 1, summary: 'beta' })]);
  render(<TraceDock />);
  const field = screen.getByRole('combobox', { name: 'Filter the trace' });
  await userEvent.type(field, 'gamma');
  await screen.findByText('No row matches this filter');
  await waitFor(() => expect(document.querySelector('[data-filter=gamma]')).not.toBeNull());
  await userEvent.type(field, ' kind:reqest');
  const empty = screen.getByRole('heading', { name: /^No row matches/ }).parentElement;
  expect(empty?.textContent).toContain('gamma');
  expect(empty?.textContent).not.toContain('reqest');
  expect(empty?.textContent).toContain('No row matches the previous filter');
  expect(empty?.textContent).toContain('is not a valid filter yet');
});
