import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { useSelection } from '#model/selection.ts';
import { Traffic } from './traffic.tsx';

beforeEach(() => useSelection.setState({ traceRow: {} }));
afterEach(cleanup);

test('shows the bytes of both directions; stdio has no statuses', async () => {
  fakeEngine({ 'trace/traffic': () => ({ bytesIn: 1_234_000, bytesOut: 512, statuses: [] }) });
  render(<Traffic session={aSession()} />);
  const traffic = await screen.findByRole('region', { name: 'Traffic' });
  expect(traffic.textContent).toContain('Sent512 B of messages');
  expect(traffic.textContent).toContain('Received1.2 MB of messages');
  expect(screen.queryByRole('table')).toBeNull();
});

test('what each HTTP method got is a table, with a link to the newest exchange', async () => {
  fakeEngine({
    'trace/traffic': () => ({
      bytesIn: 1,
      bytesOut: 1,
      statuses: [
        { method: 'POST', status: 200, count: 1200, row: 40 },
        { method: 'GET', status: 405, count: 1, row: 6 },
        { method: 'POST', status: null, count: 1, row: 41 },
      ],
    }),
  });
  render(<Traffic session={aSession()} />);
  const table = await screen.findByRole('table', { name: 'HTTP statuses' });
  const rows = within(table).getAllByRole('row').slice(1);
  const cells = rows.map((row) =>
    within(row)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent),
  );
  expect(cells).toEqual([
    ['POST', '200', '1,200', '#41'],
    ['GET', '405', '1', '#7'],
    ['POST', 'none', '1', '#42'],
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Row #7 of the trace' }));
  expect(useSelection.getState().traceRow).toEqual({ s1: 6 });
});
