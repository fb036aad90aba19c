import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useSettings } from '#model/settings.ts';
import { defaultSettings } from '#shared/contract/settings.ts';
import { beginOnSession, rowWith, table } from '#fixtures/page/trace-dock.ts';
import { anHttpRow } from '#fixtures/page/trace-exchanges.tsx';
import { engine, reset } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';
import { cellSpans } from './columns.tsx';

beginOnSession();
beforeEach(() => useSettings.setState({ ...defaultSettings, traceView: 'messages' }));
afterEach(cleanup);

const heads = () => within(table()).getAllByRole('columnheader');
const labels = () => heads().map(({ textContent }) => textContent);
const openMenu = async () => userEvent.click(screen.getByRole('button', { name: 'Columns' }));
const box = (name: string | RegExp) => screen.findByRole('checkbox', { name });
const kept = () => engine.asked('settings/write').at(-1);

test('a column is shown or hidden in the menu, and so in every row', async () => {
  reset([aRow({ row: 0, at: 0, summary: 'first' }), aRow({ row: 1, at: 12_000, summary: 'second' })]);
  render(<TraceDock />);
  expect(labels()).not.toContain('gap');
  await openMenu();
  await userEvent.click(await box(/^Gap/));
  expect(labels()).toContain('gap');
  expect((await rowWith('second')).textContent).toContain('+12.0 ms');
  expect((await rowWith('first')).textContent).not.toContain('+');
  await userEvent.click(await box('Id'));
  expect(labels()).not.toContain('id');
  expect(table().getAttribute('aria-colcount')).toBe(String(heads().length));
});

test('keys move a column and set its width; all is kept, and goes back to how it came', async () => {
  render(<TraceDock />);
  const before = labels();
  await openMenu();
  (await box('Status')).focus();
  await userEvent.keyboard('{Alt>}{ArrowUp}{/Alt}');
  expect(labels().indexOf('status')).toBe(before.indexOf('status') - 1);
  await userEvent.keyboard('{Alt>}{ArrowRight}{/Alt}');
  expect(table().style.getPropertyValue('--trace-columns')).toContain(' 96px ');
  expect(kept()).toMatchObject({
    traceColumns: expect.arrayContaining([{ name: 'status', isShown: true, width: 96 }]),
  });
  await userEvent.click(screen.getByRole('button', { name: 'Reset columns' }));
  expect(labels()).toEqual(before);
  expect(kept()).toEqual({ traceColumns: [] });
});

test('a right click on the head opens the menu', async () => {
  render(<TraceDock />);
  fireEvent.contextMenu(heads()[3] ?? table());
  await box('Method');
});

test('times are those of the day or since the first row', async () => {
  reset([aRow({ row: 0, at: 75_204_000, summary: 'late' })]);
  render(<TraceDock />);
  await rowWith('late');
  await openMenu();
  await userEvent.click(await screen.findByRole('radio', { name: 'Since the first row' }));
  expect((await rowWith('late')).textContent).toContain('+1:15.204');
  expect(kept()).toEqual({ traceTimes: 'relative' });
});

test('the transport column tells the channel and what HTTP carried it', async () => {
  useSettings.setState({ traceColumns: [{ name: 'transport', isShown: true, width: null }] });
  reset([
    anHttpRow({ row: 0, code: 200 }),
    aRow({ row: 1, channel: 'sse', exchange: 0, summary: 'by stream' }),
    aRow({ row: 2, channel: 'stdout', summary: 'by pipe' }),
  ]);
  render(<TraceDock />);
  await rowWith('by stream');
  await waitFor(async () => expect((await rowWith('by stream')).textContent).toContain('sse #1 200'));
  expect((await rowWith('by pipe')).textContent).toContain('stdout');
});

test('an edge is dragged to another width, and a column to another place', async () => {
  render(<TraceDock />);
  // There is no layout in tests: every head is 50 pixels wide, one after the other.
  heads().forEach((head, order) => {
    head.getBoundingClientRect = () => DOMRect.fromRect({ x: order * 50, width: 50, height: 24 });
    Object.defineProperty(head, 'offsetWidth', { value: 50 });
  });
  const head = (label: string) => heads()[labels().indexOf(label)] ?? table();
  const line = head('#').parentElement ?? table();
  line.setPointerCapture = () => undefined;
  const press = { button: 0, pointerId: 1 };

  fireEvent.pointerDown(head('duration').querySelector('.trace-edge') ?? line, { ...press, clientX: 400 });
  fireEvent.pointerMove(line, { ...press, clientX: 480 });
  expect(table().style.getPropertyValue('--trace-columns')).toContain('130px');
  expect(kept()).toBeUndefined();
  fireEvent.pointerUp(line, press);
  expect(kept()).toMatchObject({
    traceColumns: expect.arrayContaining([{ name: 'duration', isShown: true, width: 130 }]),
  });

  const before = labels();
  fireEvent.pointerDown(head('status'), { ...press, clientX: 320 });
  fireEvent.pointerMove(line, { ...press, clientX: 10 });
  fireEvent.pointerUp(line, press);
  expect(labels()).toEqual(['status', ...before.filter((label) => label !== 'status')]);
});

test('a method, a name and a status take the empty cells beside them', () => {
  const names = ['number', 'method', 'name', 'id', 'status', 'duration', 'size'] as const;
  const spans = (change: Parameters<typeof aRow>[0], waited: number | null = null) =>
    cellSpans(aRow({ row: 0, at: 0, id: null, status: 'none', duration: null, ...change }), names, waited);
  const summary = 'echo';
  expect(spans({ summary })).toEqual([1, 1, 4, 0, 0, 0, 1]);
  expect(spans({ summary, id: '7', status: 'unanswered' })).toEqual([1, 1, 1, 1, 2, 0, 1]);
  expect(spans({ summary, status: 'unanswered' })).toEqual([1, 1, 2, 0, 2, 0, 1]);
  expect(spans({ kind: 'process', status: 'failed', summary: 'exited with code 3' })).toEqual([
    1, 1, 4, 0, 0, 0, 1,
  ]);
  expect(spans({ summary, id: '7', status: 'ok', duration: 5 })).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(spans({ summary, id: '7', status: 'pending' }, 900)).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(spans({ kind: 'notification', summary: '' })).toEqual([1, 5, 0, 0, 0, 0, 1]);
  expect(spans({ kind: 'request', summary: '', id: '7', status: 'ok' })).toEqual([1, 2, 0, 1, 2, 0, 1]);
  expect(spans({ kind: 'request', summary: '', paramsPreview: 'a: 1' })).toEqual([1, 1, 4, 0, 0, 0, 1]);
});

test('the name of a call is followed by what it was made with, whole in the tooltip', async () => {
  reset([
    aRow({
      row: 0,
      kind: 'request',
      method: 'tools/call',
      summary: 'echo',
      paramsPreview: 'message: "a\u202e17"',
      serverEnd: 'exited with code 1',
    }),
    aRow({ row: 1, kind: 'request', method: 'completion/complete', summary: '', paramsPreview: 'ref: {}' }),
  ]);
  render(<TraceDock />);
  const name = within(await rowWith('echo')).getByTitle(/^echo/);
  expect(name.textContent).toBe('echo · exited with code 1 message: "a[U+202E]17"');
  expect(name.title).toBe('echo\nmessage: "a[U+202E]17"\nexited with code 1');
  expect(within(await rowWith('ref: {}')).getByTitle('ref: {}')).toBeTruthy();
});
