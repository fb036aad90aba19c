import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UserEvent } from '@testing-library/user-event';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import type { Call } from '#shared/contract/calls.ts';
import { engine, entry } from '#fixtures/page/fake-tools.ts';
import { aCall, anOpenedTrace, aTraceFile } from '#fixtures/page/samples.ts';
import { useTraces } from '#model/traces.ts';
import { run, showPane } from '#fixtures/page/tools-pane.tsx';
import { ToolsPane } from '../tools-pane.tsx';

vi.mock('#ui/json-editor/monaco.ts', () => {
  throw new Error('no editor here');
});

beforeEach(() => {
  engine.reset();
  useTraces.setState({ files: null, opened: {} });
});
afterEach(cleanup);

const tool = entry({ name: 'x' });
const result = () => within(screen.getByRole('region', { name: 'Result' }));
const history = () => within(screen.getByRole('dialog', { name: 'Calls of this tool' }));
const text = (...texts: string[]) => ({ content: texts.map((one) => ({ type: 'text', text: one })) });

/** Calls the tool, which ends with this result. */
async function called(user: UserEvent, value: unknown, change: Partial<Call> = {}) {
  await run(user);
  act(() => engine.finish({ state: 'ok', ...change }, value));
}

test('earlier calls are chosen from the history, run again and edited', async () => {
  const user = await showPane([tool]);
  await called(user, text('first'));
  await called(user, text('second'), { arguments: '{"n":2}' });
  expect(await result().findByText('second')).toBeTruthy();
  await user.click(result().getByRole('button', { name: 'id 3, show another' }));
  expect(history().getByRole('button', { name: /id 3/ }).textContent).toMatch(/n: 2$/);
  expect(history().getByTitle('n: 2')).toBeTruthy();
  await user.click(history().getByRole('button', { name: /id 2/ }));
  expect(await result().findByText('first')).toBeTruthy();
  await user.click(result().getByRole('button', { name: 'Run again' }));
  expect(engine.started.at(-1)?.arguments).toBe('{}');
  expect(result().getByText('running')).toBeTruthy();
  await user.click(result().getByRole('button', { name: 'id 4, show another' }));
  await user.click(history().getByRole('button', { name: /id 3/ }));
  await user.click(result().getByRole('button', { name: 'Edit arguments' }));
  await run(user);
  expect(engine.started.at(-1)?.arguments).toBe('{"n":2}');
});

test('a result says what it was called with, and whether the form has other arguments', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number', default: 2 } } };
  const user = await showPane([entry({ name: 'x', inputSchema })]);
  await called(user, text('first'));
  expect(await result().findByTitle('n: 2')).toBeTruthy();
  const other = 'Other arguments than in the form:';
  expect(result().queryByText(other)).toBeNull();
  await user.type(await screen.findByRole('textbox', { name: 'n' }), '5');
  expect(result().getByText(other).parentElement?.textContent).toBe(`${other}n: 2`);
  await user.click(result().getByRole('button', { name: 'Edit arguments' }));
  expect(result().queryByText(other)).toBeNull();
  await called(user, text('second'), { arguments: '{}' });
  expect(result().getByText(other).parentElement?.textContent).toBe(`${other}no arguments`);
});

/** Two calls with these results, compared. */
async function compared(one: unknown, other: unknown, change: Partial<Call> = {}) {
  const user = await showPane([tool]);
  await called(user, one);
  await called(user, other, change);
  await user.click(result().getByRole('button', { name: 'id 3, show another' }));
  await user.click(history().getByRole('button', { name: 'Compare call 2 with the one shown' }));
  const comparison = within(await screen.findByRole('region', { name: 'Calls 2 and 3 compared' }));
  await comparison.findByText(/differ/, { selector: '[role=status]' });
  return { user, comparison };
}

const cells = (row: HTMLElement | undefined) => [...(row?.children ?? [])].map((cell) => cell.textContent);

test('two calls are compared: their figures, and their results as lines of text', async () => {
  const { user, comparison } = await compared(text('same\n<b>left</b>'), text('same\n<b>right</b>'), {
    duration: 10_024,
    arguments: '{"n":2}',
  });
  const figures = within(comparison.getByRole('table', { name: 'Figures' })).getAllByRole('row');
  expect(cells(figures[1])).toEqual(['status', 'ok', 'ok', '']);
  expect(cells(figures[2])).toEqual(['duration', '5.0 ms', '10.0 ms', '+5.0 ms · +100 %']);
  expect(cells(figures[3])).toEqual(['size', '214 B', '214 B', 'same']);
  expect(cells(figures[4])).toEqual(['arguments', '{}', '{"n":2}', 'differ']);
  expect(comparison.getByRole('status').textContent).toBe('1 line differs');
  // A result is text, whatever it holds.
  const lines = comparison.getAllByRole('row').map(({ textContent }) => textContent);
  expect(lines.slice(-2)).toEqual(['2−only left:<b>left</b>', '2+only right:<b>right</b>']);

  await user.click(comparison.getByRole('radio', { name: 'Raw' }));
  expect(await comparison.findByText(/"content"/)).toBeTruthy();
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(result().getByRole('button', { name: 'id 3, show another' }));
});

test('blocks that are no text and structured content are compared as JSON, digit by digit', async () => {
  const structured = (digits: string) =>
    `{"content":[{"type":"odd","n":1}],"structuredContent":{"big":${digits}}}`;
  const { comparison } = await compared(structured('9007199254740993'), structured('9007199254740992'));
  expect(comparison.getByRole('status').textContent).toBe('1 line differs');
  expect(
    comparison.getAllByRole('row').some(({ textContent }) => textContent.includes('9007199254740993')),
  ).toBe(true);
  expect(comparison.getByText('structuredContent')).toBeTruthy();
});

test('a result is compared with an error', async () => {
  const { comparison } = await compared(text('fine'), undefined, {
    state: 'protocol-error',
    error: { code: -32602, message: 'Unknown tool: x', data: { hint: 1 } },
  });
  expect(comparison.getByText('error -32602')).toBeTruthy();
  expect(comparison.getByText('Unknown tool: x')).toBeTruthy();
  expect(comparison.getByText('fine')).toBeTruthy();
});

test('equal results differ in no line', async () => {
  const { comparison } = await compared(text('same'), text('same'));
  expect(comparison.getByRole('status').textContent).toBe('No line differs');
});

/** Ends the session of the pane, and begins another one with the same server. */
async function reconnect(): Promise<void> {
  const { sessions } = useSessions.getState();
  const before = sessions[engine.sessionId];
  if (before === undefined) throw new Error('There is no session');
  const id = `${before.id}-next`;
  engine.sessionId = id;
  act(() =>
    useSessions.setState({
      sessions: {
        ...sessions,
        [before.id]: { ...before, phase: 'closed', traceFile: { path: 'before.mcptrace', fault: null } },
        [id]: { ...before, id, openedAt: before.openedAt + 60_000 },
      },
    }),
  );
  await screen.findByRole('region', { name: 'Result' });
}

test('the calls of earlier sessions stay: shown, compared and run again in the new session', async () => {
  const user = await showPane([tool]);
  const before = engine.sessionId;
  await called(user, text('before'), { arguments: '{"n":1}' });
  await reconnect();
  expect(await result().findByText('before')).toBeTruthy();
  expect(result().getByText('earlier session')).toBeTruthy();

  await user.click(result().getByRole('button', { name: 'Run again' }));
  expect(engine.started.at(-1)?.arguments).toBe('{"n":1}');
  act(() => engine.finish({ state: 'ok' }, text('after')));
  expect(await result().findByText('after')).toBeTruthy();
  expect(result().queryByText('earlier session')).toBeNull();

  await user.click(result().getByRole('button', { name: 'id 3, show another' }));
  const earlier = within(history().getByRole('region', { name: 'Earlier session' }));
  expect(earlier.getByRole('heading').textContent).toMatch(/^Earlier session, connected at \d\d:\d\d:\d\d$/);
  expect(
    within(history().getByRole('region', { name: 'This session' })).getAllByRole('listitem'),
  ).toHaveLength(1);
  await user.click(earlier.getByRole('button', { name: 'Compare call 2 with the one shown' }));
  const comparison = await screen.findByRole('region', { name: 'Calls 2 and 3 compared' });
  await within(comparison).findByText('1 line differs');
  await user.keyboard('{Escape}');

  // A session that the engine forgets takes its calls along.
  act(() => useSessions.setState(({ sessions: { [before]: _, ...others } }) => ({ sessions: others })));
  await user.click(result().getByRole('button', { name: 'id 3, show another' }));
  expect(history().getAllByRole('listitem')).toHaveLength(1);
});

test('the rows of a call of an earlier session are shown in its trace file', async () => {
  const user = await showPane([tool]);
  await called(user, text('before'));
  await reconnect();
  await user.click(await result().findByRole('button', { name: 'Show the request in the trace' }));
  await waitFor(() => expect(useSelection.getState().traceRow['before.mcptrace']).toBe(6));
  useSelection.setState({ openedId: null });
});

test('calls that only the trace has are listed, and those of a recording of the server after a click', async () => {
  engine.recorded = [
    aCall({ id: 'row-2', sessionId: 'file-1', tool: 'x', state: 'ok', requestRow: 2, requestId: 2 }),
    {
      ...aCall({ id: 'row-3', tool: 'x', state: 'ok', requestRow: 3, requestId: 30 }),
      // The pane is shown for a new session each time.
      get sessionId() {
        return engine.sessionId;
      },
    },
  ];
  useTraces.setState({
    files: [aTraceFile({ path: '/t/before.mcptrace', server: 'server', createdAt: 1000 })],
    opened: {},
  });
  const user = await showPane([tool], { openedAt: 5000 });
  await called(user, text('of this session'));
  await user.click(result().getByRole('button', { name: /, show another$/ }));
  expect(history().getAllByRole('listitem')).toHaveLength(2);
  await user.click(history().getByRole('button', { name: /^Show the calls of 1970-01-01/ }));
  const { header } = anOpenedTrace();
  const server = { name: 'server', transport: 'stdio' as const, command: 'x', args: [] };
  const path = '/t/before.mcptrace';
  const recording = anOpenedTrace({ sessionId: 'file-1', path, header: { ...header, server } });
  act(() => useTraces.setState({ opened: { 'file-1': recording } }));
  const [, last] = history().getAllByRole('listitem');
  expect(document.activeElement).toBe(within(last!).getByRole('button', { name: /^id / }));
  expect(await history().findByText(/^Recording of/)).toBeTruthy();
  await waitFor(() => expect(history().getAllByRole('listitem')).toHaveLength(3));
  expect(history().queryByRole('button', { name: /^Show the calls of/ })).toBeNull();

  // Each part of a growing recording that is read is reported. The calls are not read again for that.
  const reads = () => [engine.asked('calls/list').length, engine.asked('calls/history').length];
  const before = reads();
  act(() => useTraces.setState({ opened: { 'file-1': { ...recording, size: recording.size + 1 } } }));
  expect(reads()).toEqual(before);
  expect(history().getAllByRole('listitem')).toHaveLength(3);
});

test('the result of a recording takes the focus of the button that asked for it', async () => {
  const path = '/t/before.mcptrace';
  engine.recorded = [aCall({ id: 'row-2', sessionId: path, tool: 'x', state: 'ok', requestRow: 2 })];
  useTraces.setState({ files: [aTraceFile({ path, server: 'server', createdAt: 1000 })], opened: {} });
  const user = await showPane([tool], { openedAt: 5000 });
  const { header } = anOpenedTrace();
  const server = { name: 'server', transport: 'stdio' as const, command: 'x', args: [] };
  await user.click(screen.getByRole('button', { name: /^Show the calls of 1970-01-01/ }));
  const opened = anOpenedTrace({ sessionId: path, path, header: { ...header, server } });
  act(() => useTraces.setState({ opened: { [path]: opened } }));
  const menu = await screen.findByRole('button', { name: /, show another$/ });
  expect(document.activeElement).toBe(menu);
});

test('a long history is read page by page, the newest calls first', async () => {
  const user = await showPane([tool]);
  cleanup();
  const { sessionId } = engine;
  engine.recorded = Array.from({ length: 120 }, (_, place) =>
    aCall({
      id: `row-${120 - place}`,
      sessionId,
      tool: 'x',
      state: 'ok',
      requestRow: 120 - place,
      requestId: 1,
    }),
  );
  render(<ToolsPane />);
  await user.click(await screen.findByRole('button', { name: /, show another$/ }));
  const listed = () => history().getAllByRole('listitem').length;
  const older = () => history().queryByRole('button', { name: 'Show older calls' });
  const pages: number[] = [listed()];
  for (let press = older(); press !== null; press = older()) {
    const before = listed();
    await user.click(press);
    await waitFor(() => expect(listed()).toBeGreaterThan(before));
    pages.push(listed());
  }
  expect(pages).toEqual([50, 100, 120]);
  // The button has gone: the focus is on the first call that it has added.
  const rows = history().getAllByRole('listitem');
  expect(document.activeElement).toBe(within(rows[100]!).getByRole('button', { name: /^id 1/ }));
});
