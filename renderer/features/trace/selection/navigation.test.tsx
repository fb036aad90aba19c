import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { beginOnSession, choose, detail, rowWith, selectedText, table } from '#fixtures/page/trace-dock.ts';
import { engine, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

/** Runs a command, once what has it is on screen. */
async function run(id: string): Promise<void> {
  const command = await waitFor(() => {
    const found = currentCommands().find((one) => one.id === id);
    expect(found, id).toBeDefined();
    return found;
  });
  command?.run();
}

const aCall: TraceRow[] = [
  aRow({
    row: 0,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    pair: 3,
    status: 'ok',
  }),
  aRow({ row: 1, method: 'notifications/progress', summary: '1 / 2', parent: 0 }),
  aRow({ row: 2, kind: 'error', status: 'error', error: true, code: -32602, summary: 'broken' }),
  aRow({ row: 3, kind: 'result', method: 'tools/call', pair: 0, status: 'ok' }),
  aRow({ row: 4, method: 'notifications/progress', summary: '2 / 2' }),
];

test('the next error and back, until there are no more', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('echo');
  await run('trace.next-error');
  await waitFor(() => expect(selectedText()).toContain('broken'));
  await run('trace.next-error');
  await waitFor(() => expect(engine.asked('trace/seek')).toHaveLength(2));
  expect(selectedText()).toContain('broken');
});

test('with nothing chosen, the search begins with the first visible row', async () => {
  reset([aRow({ row: 0, kind: 'error', status: 'error', error: true, summary: 'broken' }), aRow({ row: 1 })]);
  render(<TraceDock />);
  await rowWith('broken');
  await run('trace.next-error');
  await waitFor(() => expect(selectedText()).toContain('broken'));
});

test('a key leads to the next row of the same method, and back', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('1 / 2');
  table().focus();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  await waitFor(() => expect(selectedText()).toContain('2 / 2'));
  await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));
});

test('arrows lead from a row to what it belongs to, and to what belongs to it', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('1 / 2');
  table().focus();
  await userEvent.keyboard('{ArrowLeft}');
  await waitFor(() => expect(selectedText()).toContain('echo'));
  await within(detail()).findByText('answered by', { exact: false });
  await userEvent.keyboard('{ArrowRight}');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));
});

test('commands about the selected row are there only while they work', async () => {
  reset(aCall);
  render(<TraceDock />);
  const ids = () => currentCommands().map(({ id }) => id);
  await rowWith('echo');
  expect(ids()).toContain('trace.next-error');
  expect(ids()).not.toContain('trace.pair');
  await choose('echo');
  await waitFor(() =>
    expect(ids()).toEqual(expect.arrayContaining(['trace.pair', 'trace.child', 'trace.mark'])),
  );
  expect(ids()).not.toContain('trace.parent');
  await choose('broken');
  await waitFor(() => expect(ids()).not.toContain('trace.pair'));
});

test('a number or a time that was written down leads to its row, or what is wrong is said', async () => {
  reset(Array.from({ length: 400 }, (_, row) => aRow({ row, summary: `note ${row}` })));
  render(<TraceDock />);
  await rowWith('note 399');
  const go = async (text: string) => {
    await run('trace.go-to');
    const field = await screen.findByRole('textbox', { name: 'Row or time' });
    await userEvent.clear(field);
    await userEvent.type(field, `${text}{Enter}`);
  };
  await go('#43');
  await waitFor(() => expect(selectedText()).toContain('note 42'));
  expect(document.activeElement).toBe(table());
  await go('+0.1s');
  await waitFor(() => expect(selectedText()).toContain('note 100'));
  await go('5000');
  await screen.findByText('There are only 400 rows.');
  await go('nowhere');
  await screen.findByText('Not a row number or a time.');
});

test('a bookmark is put and taken away by a key, and found again', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('1 / 2');
  table().focus();
  await userEvent.keyboard('m');
  await within(await rowWith('1 / 2')).findByRole('img', { name: 'bookmark' });
  await choose('2 / 2');
  await run('trace.previous-mark');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Row #2' })).not.toBeNull());
  table().focus();
  await userEvent.keyboard('m');
  await waitFor(() => expect(engine.rows[1]?.mark).toBeNull());
});

test('a note is written at the row, kept by a key, and not lost to the key for bookmarks', async () => {
  reset(aCall);
  render(<TraceDock />);
  await choose('broken');
  table().focus();
  await userEvent.keyboard('{Shift>}M{/Shift}');
  await userEvent.type(
    await screen.findByRole('textbox', { name: 'Note on row #3' }),
    'why?{Control>}{Enter}{/Control}',
  );
  await within(await rowWith('broken')).findByRole('img', { name: 'note: why?' });
  await waitFor(() => expect(document.activeElement).toBe(table()));
  await userEvent.keyboard('m');
  const field = await screen.findByRole('textbox', { name: 'Note on row #3' });
  expect(field).toHaveProperty('value', 'why?');
  await userEvent.click(screen.getByRole('button', { name: 'Remove the mark' }));
  await waitFor(() => expect(engine.rows[2]?.mark).toBeNull());
});
