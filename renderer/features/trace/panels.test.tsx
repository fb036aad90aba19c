import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { beginOnSession, choose, rowWith, table } from '#fixtures/page/trace-dock.ts';
import { engine, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from './trace-dock.tsx';

beginOnSession();

const counted = () => engine.asked('trace/statistics');
const showStatistics = () => userEvent.click(screen.getByRole('radio', { name: 'Statistics' }));
const chooseTwo = async () => {
  await choose('one');
  fireEvent.mouseDown(await rowWith('three'), { button: 0, ctrlKey: true });
};
const toolbar = () => within(screen.getByRole('toolbar', { name: 'Selected rows' }));

const threeRows = () =>
  reset(
    ['one', 'two', 'three'].map((summary, row) => aRow({ row, summary, method: 'notifications/message' })),
  );

test('statistics are of every row, or of those the filter shows', async () => {
  threeRows();
  render(<TraceDock />);
  await rowWith('one');
  await showStatistics();
  await screen.findByRole('region', { name: 'Statistics' });
  expect(counted().at(-1)).toEqual({ sessionId: SESSION, rows: { of: 'all' }, filterId: null });
  fireEvent.change(screen.getByRole('combobox', { name: 'Filter the trace' }), { target: { value: 't' } });
  await waitFor(() =>
    expect(counted().at(-1)).toEqual({
      sessionId: SESSION,
      rows: { of: 'filter', filterId: 'filter-1' },
      filterId: null,
    }),
  );
});

test('statistics of the chosen rows say so, and lead to those of all', async () => {
  threeRows();
  render(<TraceDock />);
  await chooseTwo();
  await userEvent.click(toolbar().getByRole('button', { name: 'Statistics' }));
  await screen.findByText('Statistics of 2 selected rows');
  await waitFor(() =>
    expect(counted().at(-1)).toEqual({
      sessionId: SESSION,
      rows: { of: 'rows', rows: [0, 2] },
      filterId: null,
    }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Count all rows' }));
  await waitFor(() =>
    expect(counted().at(-1)).toEqual({ sessionId: SESSION, rows: { of: 'all' }, filterId: null }),
  );
});

test('the chosen rows are drawn as a sequence, from which the rows come back', async () => {
  threeRows();
  render(<TraceDock />);
  await chooseTwo();
  await userEvent.click(toolbar().getByRole('button', { name: 'Sequence' }));
  await screen.findByRole('region', { name: 'Sequence diagram' });
  expect(screen.queryByRole('treegrid', { name: 'Messages' })).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'Trace' }));
  expect(table()).toBeTruthy();
});

test('a row that another pane chose is shown in place of the statistics', async () => {
  threeRows();
  render(<TraceDock />);
  await rowWith('two');
  await showStatistics();
  await screen.findByRole('region', { name: 'Statistics' });
  useSelection.setState({ traceRow: { [SESSION]: 1 } });
  await screen.findByRole('region', { name: 'Row #2' });
  expect(table()).toBeTruthy();
});
