import { fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { TraceRow } from '#shared/trace/row.ts';
import { beginOnSession, choose, detail, rowWith, showTab } from '#fixtures/page/trace-dock.ts';
import { engine, reset, SESSION } from '#fixtures/page/fake-trace.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import { TraceDock } from '../trace-dock.tsx';

beginOnSession();

/** Shows a message with this text. */
async function show(text: string, facts: Partial<TraceRow> = {}): Promise<void> {
  reset([aRow({ row: 0, summary: 'the message', ...facts })]);
  engine.texts.set(0, text);
  render(<TraceDock />);
  await choose('the message');
  await screen.findByRole('tree', { name: 'Message' });
}

const tree = () => screen.getByRole('tree', { name: 'Message' });
const lines = () => within(tree()).getAllByRole('treeitem');
const texts = () => lines().map(({ textContent }) => textContent);
const current = () =>
  document.getElementById(tree().getAttribute('aria-activedescendant') ?? '')?.textContent;
const copied = () => navigator.clipboard.readText();
const pick = async (name: string | RegExp) => {
  await userEvent.click(await screen.findByRole('menuitem', { name }));
};

test('numbers, duplicate keys and key order are shown as they were sent', async () => {
  await show('{"b":9007199254740993,"a":1.0,"a":1e400}');
  expect(texts()).toEqual(['{', '"b": 9007199254740993,', '"a": 1.0,', '"a": 1e400']);
});

test('a request that waits for its response says how long it may still take', async () => {
  const request = { kind: 'request', direction: 'out', method: 'tools/list', status: 'pending' } as const;
  reset([aRow({ row: 0, ...request, summary: 'waits' }), aRow({ row: 1, ...request, summary: 'ended' })]);
  engine.timeLeft.set(0, { left: 29_400, atMost: 29_400, isPaused: false });
  render(<TraceDock />);
  await choose('waits');
  expect((await within(detail()).findByRole('timer')).textContent).toBe('times out in 0:30');
  await choose('ended');
  await waitFor(() => expect(engine.asked('calls/time-left')).toContainEqual({ sessionId: SESSION, row: 1 }));
  expect(within(detail()).queryByRole('timer')).toBeNull();
});

test('the arrow keys walk, fold and unfold; what is folded says how much it holds', async () => {
  await show('{"list":[1,2,3],"one":{"two":2},"last":true}');
  tree().focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(current()).toBe('"list": [');
  await userEvent.keyboard('{ArrowLeft}');
  expect(current()).toBe('"list": [ 3 items ],');
  expect(lines()[1]?.getAttribute('aria-expanded')).toBe('false');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(current()).toBe('"two": 2');
  await userEvent.keyboard('{ArrowLeft}');
  expect(current()).toBe('"one": {');
  await userEvent.keyboard('-');
  expect(texts()).toEqual(['{', '"list": [ 3 items ],', '"one": { 1 member },', '"last": true']);
  await userEvent.keyboard('*');
  expect(texts().length).toBe(8);
  await userEvent.keyboard('{End}');
  expect(current()).toBe('"last": true');
});

test('only the visible part of a message of 25,000 lines is in the page', async () => {
  const raw = JSON.stringify(Array.from({ length: 25_000 }, (_, place) => place));
  reset([aRow({ row: 0, summary: 'the message' })]);
  engine.texts.set(0, raw);
  render(<TraceDock />);
  await choose('the message');
  await userEvent.click(await screen.findByRole('button', { name: 'Load more' }));
  await waitFor(() => expect(screen.queryByRole('note')).toBeNull());
  expect(lines().length).toBeLessThan(40);
  tree().focus();
  // It is read a little at a time, so the end comes later.
  await waitFor(async () => {
    await userEvent.keyboard('{End}');
    expect(current()).toBe('24999');
  });
  expect(lines().length).toBeLessThan(40);
});

test('a search counts what it finds, goes from one to the next and opens what is folded', async () => {
  await show('{"a":{"deep":"Needle"},"b":["needle","other"]}');
  await userEvent.click(screen.getByRole('button', { name: 'Fold all' }));
  tree().focus();
  await userEvent.keyboard('/');
  const field = await screen.findByRole('searchbox', { name: 'Find in the message' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  await userEvent.type(field, 'needle');
  await screen.findByText('2 matches');
  // With Mod it is a command of the window, which the field leaves to it.
  expect(fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })).toBe(true);
  expect(fireEvent.keyDown(field, { key: 'Enter', metaKey: true })).toBe(true);
  await userEvent.keyboard('{Enter}');
  await screen.findByText('1 of 2');
  expect(current()).toBe('"deep": "Needle"');
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(current()).toBe('"needle",'));
  await userEvent.keyboard('{Enter}');
  await screen.findByText('1 of 2');
  await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
  await screen.findByText('2 of 2');
  expect([...tree().querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual([
    'Needle',
    'needle',
  ]);
  // Escape empties the field, then closes the search, then the detail.
  await userEvent.keyboard('{Escape}');
  expect(tree().querySelector('mark')).toBeNull();
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('searchbox', { name: 'Find in the message' })).toBeNull();
  expect(document.activeElement).toBe(tree());
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('region', { name: /^Row #/ })).toBeNull();
});

test('a value and its JSON pointer can be copied', async () => {
  await show('{"a":[{"x/y": 1.50 }]}');
  tree().focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  await userEvent.keyboard('{Control>}c{/Control}');
  await waitFor(async () => expect(await copied()).toBe('{"x/y": 1.50 }'));
  await userEvent.keyboard('{ArrowDown}');
  await userEvent.pointer({ keys: '[MouseRight]', target: lines()[3] ?? tree() });
  await pick('Copy the JSON pointer');
  await waitFor(async () => expect(await copied()).toBe('/a/0/x~1y'));
});

test('findings stand below the line they are about, and lead there from their list', async () => {
  const where = [
    { pointer: '/result/tools', text: 'expected array, got object', severity: 'error' as const },
    { pointer: '/result/missing', text: '"missing" is missing', severity: 'warning' as const },
  ];
  reset([aRow({ row: 0, summary: 'the message', finding: 'error' })]);
  engine.texts.set(0, '{"result":{"tools":{"a":1}}}');
  engine.findings = where.map((one, id) => ({
    ...one,
    id,
    rule: 'schema/invalid',
    source: 'schema',
    revision: null,
    rows: [0],
  }));
  render(<TraceDock />);
  await choose('the message');
  await screen.findByText(/got object/);
  expect(texts().slice(0, 3)).toEqual([
    '{',
    '"result": {Warning: "missing" is missing',
    '"tools": {Error: expected array, got object',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Fold all' }));
  await showTab('2 findings');
  await userEvent.click(screen.getByRole('button', { name: '/result/tools' }));
  await waitFor(() => expect(current()).toMatch(/^"tools": \{/));
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test('a JWT is decoded after a click, and never said to be verified', async () => {
  const jwt = `${part({ alg: 'none' })}.${part({ sub: '<b>me</b>', exp: 1_000_000_000 })}.c2ln`;
  await show(JSON.stringify({ token: jwt }));
  expect(screen.queryByRole('region', { name: 'Decoded value' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Decode the JWT' }));
  const panel = await screen.findByRole('region', { name: 'Decoded value' });
  await within(panel).findByText('"<b>me</b>"');
  expect(panel.textContent).toContain('2001-09-09 01:46:40 UTC (expired)');
  expect(panel.textContent).toContain('was not verified');
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('region', { name: 'Decoded value' })).toBeNull();
  expect(document.activeElement).toBe(tree());
});

test('an image is shown after a click, base64 as text or bytes', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const text = Buffer.from('plain text, once decoded 42').toString('base64');
  await show(JSON.stringify({ content: [{ type: 'image', mimeType: 'image/png', data: png }], other: text }));
  expect(document.querySelector('img')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Show the image' }));
  const image = await screen.findByRole('img', { name: 'Sent by the server' });
  expect(image.getAttribute('src')).toBe(`data:image/png;base64,${png}`);
  await userEvent.click(screen.getByRole('button', { name: 'Decode the base64' }));
  await screen.findByText('plain text, once decoded 42');
});

test('an SVG is no image but text', async () => {
  const uri = `data:image/svg+xml;base64,${Buffer.from('<svg onload="alert(1)"/>').toString('base64')}`;
  await show(JSON.stringify({ icons: [{ src: uri }] }));
  await userEvent.click(screen.getByRole('button', { name: 'Show what the data URI holds' }));
  await screen.findByText('<svg onload="alert(1)"/>');
  expect(document.querySelector('[role=region] img, [role=region] svg[onload]')).toBeNull();
});

const aCall = [
  aRow({
    row: 0,
    kind: 'request',
    direction: 'out',
    method: 'tools/call',
    summary: 'echo',
    id: '7',
    pair: 1,
  }),
  aRow({ row: 1, kind: 'result', method: 'tools/call', summary: 'echo', id: '7', pair: 0, at: 5000 }),
];

test('one key shows the other half of a call, and the selection stays', async () => {
  reset(aCall);
  engine.texts.set(0, '{"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}');
  engine.texts.set(1, '{"result":{"ok":true}}');
  render(<TraceDock />);
  await choose('tools/call');
  await within(detail()).findByText('"method"');
  screen.getByRole('tab', { name: 'Message' }).focus();
  await userEvent.keyboard('p');
  await within(detail()).findByText('"result"');
  expect((await rowWith('tools/call')).getAttribute('aria-selected')).toBe('true');
  expect(screen.getByRole('radio', { name: 'Response' }).getAttribute('aria-checked')).toBe('true');
  await userEvent.click(screen.getByRole('radio', { name: 'Request' }));
  await within(detail()).findByText('"method"');

  await userEvent.click(screen.getByRole('button', { name: 'Copy as…' }));
  await pick('Copy as sightglass command');
  await waitFor(async () => expect(await copied()).toBe('sightglass call echo message=hi -- node server.js'));
});

test('many rows that belong to a call are listed page by page, with their times', async () => {
  const progress = Array.from({ length: 250 }, (_, place) =>
    aRow({
      row: place + 2,
      method: 'notifications/progress',
      summary: `step ${place}`,
      parent: 0,
      at: place * 1000,
    }),
  );
  reset([...aCall, ...progress]);
  render(<TraceDock />);
  await rowWith('step 249');
  document.querySelector<HTMLElement>('[role=treegrid]')?.focus();
  await userEvent.keyboard('{Home}');
  await userEvent.click(await screen.findByRole('button', { name: '250 child rows' }));
  const list = await screen.findByRole('list', { name: 'Child rows' });
  expect(within(list).getAllByRole('button').length).toBe(200);
  expect(within(list).getAllByRole('button')[3]?.textContent).toContain('+3.0 ms');
  await userEvent.click(screen.getByRole('button', { name: 'Show more (50)' }));
  await within(list).findByText('step 249');
});

test('a row is bookmarked, and its note read and written', async () => {
  await show('{"a":1}');
  await userEvent.click(screen.getByRole('button', { name: 'Bookmark this row' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Add a note' }));
  await userEvent.type(screen.getByRole('textbox', { name: /^Note/ }), 'look here');
  await userEvent.click(screen.getByRole('button', { name: /^Save note/ }));
  const note = await screen.findByRole('note', { name: 'Note' });
  await within(note).findByText('look here');
  expect(engine.rows[0]?.mark).toBe('look here');
});

test('keys that the revision does not define are dimmed and counted, not marked as wrong', async () => {
  const raw =
    '{"jsonrpc":"2.0","id":1,"result":{"_meta":{"own":1},"tools":[{"name":"a","cost":{"unit":"EUR"},"inputSchema":{"type":"object","x":1}}]}}';
  await show(raw, { kind: 'result', method: 'tools/list', direction: 'in' });
  expect(await screen.findByText(/1 key unknown to MCP\s+2025-11-25, which is allowed/)).toBeTruthy();
  const dimmed = () =>
    lines()
      .filter((line) => line.querySelector('.italic') !== null)
      .map(({ textContent }) => textContent);
  await waitFor(() => expect(dimmed()).toEqual(['"cost": {', '"unit": "EUR"']));
  expect(texts()).toContain('"own": 1');
});
