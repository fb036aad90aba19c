import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import {
  beginOnSession,
  choose,
  detail,
  drawn,
  rowWith,
  selectedText,
  table,
} from '#fixtures/page/trace-dock.ts';
import { aCallOverHttp, anHttpRow, showCall } from '#fixtures/page/trace-exchanges.tsx';
import { reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from './trace-dock.tsx';

beginOnSession();

const cells = async (text: string): Promise<string[]> =>
  within(await rowWith(text))
    .getAllByRole('gridcell')
    .map(({ textContent }) => textContent);

test('an exchange reads like a row of a network panel, with its status and why it is an error', async () => {
  reset([
    anHttpRow({ row: 0 }),
    anHttpRow({ row: 1, method: 'GET', status: 'receiving', summary: '/open', duration: null }),
    anHttpRow({ row: 2, status: 'error', code: 404, summary: '/gone' }),
    anHttpRow({ row: 3, status: 'failed', code: null, summary: '/failed' }),
    anHttpRow({ row: 4, status: 'failed', code: 200, summary: '/cut' }),
    anHttpRow({ row: 5, status: 'pending', code: null, summary: '/asked', duration: null }),
    anHttpRow({ row: 6, status: 'cancelled', code: 200, summary: '/dropped' }),
    anHttpRow({ row: 7, status: 'error', code: 499, summary: '/odd' }),
  ]);
  render(<TraceDock />);
  expect((await cells('/mcp')).slice(2)).toEqual(['→', 'POST', '/mcp', '200', '4.0 ms', '100 B', '', '', '']);
  expect(screen.getByText('200').title).toBe('200 OK');
  expect((await cells('/open'))[5]).toBe('200 open');
  expect(screen.getByText('404').title).toBe('404 Not Found');
  expect(screen.getByText('404').className).toContain('err');
  expect((await cells('/failed'))[5]).toBe('failed');
  expect((await cells('/cut'))[5]).toBe('200 cut');
  expect((await cells('/asked'))[5]).toBe('waiting');
  expect((await cells('/dropped'))[5]).toBe('dropped');
  expect(screen.getByText('499').title).toBe('499 Client Error');
});

test('what a stream or a body carried beside messages has words of its own', async () => {
  const carried = { exchange: 0 } as const;
  reset([
    anHttpRow({ row: 0 }),
    aRow({ row: 1, kind: 'sse', method: null, summary: ': keep-alive', ...carried }),
    aRow({ row: 2, kind: 'sse', method: null, summary: 'id: 41 · retry: 3000', ...carried }),
    aRow({ row: 3, kind: 'sse', method: null, summary: 'event ping: {}', ...carried }),
    aRow({ row: 4, kind: 'body', method: null, summary: '<!doctype html>', ...carried }),
    aRow({ row: 5, kind: 'switches', method: null, direction: null, summary: 'client switches: omit-id' }),
    aRow({
      row: 6,
      kind: 'noise',
      method: null,
      noise: 'not-json',
      status: 'invalid',
      summary: 'oops',
      ...carried,
    }),
    aRow({ row: 7, kind: 'noise', method: null, noise: 'not-json', status: 'invalid', summary: 'print' }),
  ]);
  render(<TraceDock />);
  await rowWith('POST');
  expect(drawn().map((row) => within(row).getAllByRole('gridcell')[3]?.textContent)).toEqual([
    'POST',
    'comment',
    'event id',
    'event',
    'body',
    'switches',
    'not JSON',
    'stdout noise',
  ]);
  await choose('not JSON');
  await within(detail()).findByText(/HTTP tab shows its status/);
  await choose('switches');
  await within(detail()).findByText('client switches: omit-id');
});

test('the messages of an exchange are marked as carried, and tinted while it is selected', async () => {
  reset([...aCallOverHttp, aRow({ row: 4, summary: 'elsewhere' })]);
  render(<TraceDock />);
  await choose('POST');
  const facts = () => drawn().map(({ dataset }) => [dataset.carried !== undefined, dataset.relation]);
  await waitFor(() =>
    expect(facts()).toEqual([
      [false, undefined],
      [true, 'exchange'],
      [true, 'exchange'],
      [true, 'exchange'],
      [false, undefined],
    ]),
  );
  await choose('1 / 2');
  await waitFor(() => expect(facts()[0]).toEqual([false, 'exchange']));
  expect(screen.getByText('tools/call').title).toBe('tools/call, in HTTP exchange #1 (E)');
});

test('when exchanges overlap, rows of an earlier one are set apart from rows of the last', async () => {
  reset([
    anHttpRow({ row: 0, method: 'GET', status: 'receiving' }),
    aRow({ row: 1, exchange: 0 }),
    anHttpRow({ row: 2 }),
    aRow({ row: 3, exchange: 2 }),
    aRow({ row: 4, exchange: 0 }),
    ...Array.from({ length: 30 }, (_, place) =>
      aRow({ row: 5 + place, exchange: 2, summary: `note ${place}` }),
    ),
  ]);
  render(<TraceDock />);
  const carried = () => drawn().map((row) => row.dataset.carried);
  // The exchange itself has scrolled out of sight.
  await rowWith('note 29');
  expect(new Set(carried())).toEqual(new Set(['here']));
  table().focus();
  await userEvent.keyboard('{Home}');
  await rowWith('GET');
  expect(carried().slice(0, 6)).toEqual([undefined, 'here', undefined, 'here', 'apart', 'here']);
});

test('a key leads from a message to its exchange and back, and so do the palette and a link', async () => {
  showCall();
  await choose('1 / 2');
  table().focus();
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('POST'));
  await within(detail()).findByText('200 OK');
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('1 / 2'));

  const command = () => currentCommands().find(({ id }) => id === 'trace.exchange');
  await waitFor(() => expect(command()?.title).toContain('Go to the HTTP exchange'));
  expect(command()?.shortcut).toBe('Mod+E');
  command()?.run();
  await waitFor(() => expect(selectedText()).toContain('POST'));
  expect(command()?.title).toContain('Go back');

  await choose('1 / 2');
  await userEvent.click(await within(detail()).findByRole('button', { name: 'Row #1 of the trace' }));
  await waitFor(() => expect(selectedText()).toContain('POST'));
});

test('an exchange chosen by itself leads to the first message it carried', async () => {
  showCall();
  await choose('POST');
  await screen.findByLabelText('Rows it carried');
  table().focus();
  await userEvent.keyboard('e');
  await waitFor(() => expect(selectedText()).toContain('tools/call'));
});

test('a row that no exchange carried offers no way to one', async () => {
  reset([aRow({ row: 0, summary: 'alone' })]);
  render(<TraceDock />);
  await choose('alone');
  await within(detail()).findByText('#1');
  expect(screen.queryByRole('tab', { name: 'HTTP' })).toBeNull();
  expect(currentCommands().some(({ id }) => id === 'trace.exchange')).toBe(false);
  table().focus();
  await userEvent.keyboard('e');
  expect(selectedText()).toContain('alone');
});

test('an exchange says whether its response is JSON or an event stream, and so does the detail of a message', async () => {
  reset([
    anHttpRow({ row: 0, summary: '/json', responseMode: 'json' }),
    aRow({ row: 1, kind: 'result', summary: 'as JSON', channel: 'http', exchange: 0 }),
    anHttpRow({ row: 2, summary: '/stream', responseMode: 'sse' }),
    aRow({ row: 3, kind: 'result', summary: 'as event', channel: 'sse', exchange: 2 }),
    anHttpRow({ row: 4, summary: '/page' }),
    aRow({ row: 5, kind: 'result', summary: 'over stdio', channel: 'stdout' }),
  ]);
  render(<TraceDock />);
  expect((await cells('/json'))[4]).toBe('/jsonJSON');
  expect((await cells('/stream'))[4]).toBe('/streamSSE');
  expect((await cells('/page'))[4]).toBe('/page');
  const mode = () => within(detail()).queryByTitle(/^The response is/)?.textContent;
  for (const [row, text] of [
    ['as JSON', 'JSON'],
    ['as event', 'SSE'],
    ['/stream', 'SSE'],
    ['over stdio', undefined],
  ] as const) {
    await choose(row);
    await waitFor(() => expect(mode()).toBe(text));
  }
});

test('a message on a resumed stream is marked as replayed, in the table and in its detail', async () => {
  reset([
    aRow({ row: 0, summary: 'new', channel: 'sse' }),
    aRow({ row: 1, summary: 'old', channel: 'sse', replayed: true }),
  ]);
  render(<TraceDock />);
  expect((await cells('new'))[4]).toBe('new');
  expect((await cells('old'))[4]).toBe('replayed old');
  await choose('old');
  await within(detail()).findByText(/its stream was resumed with Last-Event-ID/);
});
