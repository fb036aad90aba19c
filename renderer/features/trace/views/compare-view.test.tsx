import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { beginOnSession, choose, rowWith, table } from '#fixtures/page/trace-dock.ts';
import { engine, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

const compare = async (left: string, right: string) => {
  engine.texts.set(0, left);
  engine.texts.set(1, right);
  render(<TraceDock />);
  await choose('one');
  fireEvent.mouseDown(await rowWith('two'), { button: 0, ctrlKey: true });
  await userEvent.click(screen.getByRole('button', { name: 'Compare' }));
  return screen.findByRole('region', { name: 'Rows #1 and #2 compared' });
};

const twoCalls = () =>
  reset([
    aRow({
      row: 0,
      kind: 'request',
      direction: 'out',
      method: 'tools/call',
      summary: 'one',
      size: 100,
      duration: 2000,
    }),
    aRow({
      row: 1,
      kind: 'request',
      direction: 'out',
      method: 'tools/call',
      summary: 'two',
      size: 150,
      duration: 1000,
    }),
  ]);

test('two rows are compared by their figures and line by line, with numbers as they were sent', async () => {
  twoCalls();
  const view = await compare('{"a":1,"n":12345678901234567890}', '{"a":1,"n":12345678901234567891}');
  await within(view).findByText('1 line differs');
  expect(within(view).getByText('−1.0 ms · −50 %')).toBeTruthy();
  expect(within(view).getByText('+50 B · +50 %')).toBeTruthy();
  const [left, right] = within(view).getAllByText(/^only (left|right):$/);
  expect(left?.closest('td')?.textContent).toContain('"n": 12345678901234567890');
  expect(right?.closest('td')?.textContent).toContain('"n": 12345678901234567891');
});

test('with sorted keys the order of members is no difference', async () => {
  twoCalls();
  const view = await compare('{"a":1,"b":{"d":1,"c":2}}', '{"b":{"c":2,"d":1},"a":1}');
  await within(view).findByText(/lines? differs?$/);
  await userEvent.click(within(view).getByRole('checkbox', { name: 'Sort keys' }));
  await within(view).findByText('No line differs');
});

test('it replaces the detail, which returns with a single row', async () => {
  twoCalls();
  await compare('{"a":1}', '{"a":2}');
  expect(screen.queryByRole('region', { name: /^Row #/ })).toBeNull();
  expect(table()).toBeTruthy();
  await choose('one');
  await screen.findByRole('region', { name: 'Row #1' });
  expect(screen.queryByRole('region', { name: /compared$/ })).toBeNull();
});

test('Escape closes it, and leaves the two rows selected', async () => {
  twoCalls();
  const view = await compare('{"a":1}', 'no JSON <b>at all</b>');
  await within(view).findByText(/no JSON <b>at all<\/b>/);
  view.focus();
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('region', { name: /compared$/ })).toBeNull();
  expect(document.activeElement).toBe(table());
  expect(screen.getByRole('toolbar', { name: 'Selected rows' }).textContent).toContain('2 rows selected');
});
