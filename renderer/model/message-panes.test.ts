import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { type Answers, fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aCall, aList, anEntry, aTask } from '#fixtures/page/samples.ts';
import { entry } from '#fixtures/page/fake-tools.ts';
import { aRow } from '#fixtures/page/trace-rows.ts';
import type { RowDetail } from '#shared/contract/trace.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { useShownEntry } from './inbox.ts';
import { openInPane, openInPaneLabel, paneOfMessage, useOpenedCall } from './message-panes.ts';
import { useSelection } from './selection.ts';
import { useShownTask } from './tasks.ts';

const request = (method: string, direction: 'in' | 'out', facts: Partial<TraceRow> = {}) =>
  aRow({ row: 4, kind: 'request', method, direction, ...facts });

/** The response of that request, in row 7. */
const response = (method: string, direction: 'in' | 'out', facts: Partial<TraceRow> = {}) =>
  aRow({ row: 7, kind: 'result', method, direction, pair: 4, ...facts });

test.each([
  [request('tools/call', 'out'), 'Open in Tools', 4],
  [response('tools/call', 'in'), 'Open in Tools', 4],
  [response('tools/call', 'in', { kind: 'error' }), 'Open in Tools', 4],
  [request('resources/subscribe', 'out'), 'Open in Resources', 4],
  [aRow({ row: 9, method: 'notifications/resources/updated' }), 'Open in Resources', 9],
  [request('prompts/get', 'out'), 'Open in Prompts', 4],
  [request('elicitation/create', 'in'), 'Open in Inbox', 4],
  [response('sampling/createMessage', 'out'), 'Open in Inbox', 4],
  [response('tools/call', 'in', { status: 'input-required' }), 'Open in Inbox', 7],
  [request('tasks/get', 'in'), 'Open in Tasks', 4],
  [aRow({ row: 3, method: 'notifications/tasks/status' }), 'Open in Tasks', 3],
])('a message is in the pane of its method, a response in that of its request: %#', (row, label, of) => {
  const found = paneOfMessage(row);
  expect(found && [openInPaneLabel(found), found.row]).toEqual([label, of]);
});

test.each([
  request('tools/list', 'out'),
  // From the wrong side, and an answer to nothing.
  request('tools/call', 'in'),
  request('sampling/createMessage', 'out'),
  response('tools/call', 'in', { pair: null }),
  aRow({ kind: 'stderr', method: null }),
])('other rows are in no pane: %#', (row) => {
  expect(paneOfMessage(row)).toBeNull();
});

/** Opens a row whose message has these params, in an engine with these answers. */
async function open(row: TraceRow, params: object, answers: Answers): Promise<void> {
  useSelection.setState({ openedId: null, pane: 'overview' });
  const found = paneOfMessage(row);
  if (found === null) throw new Error('The row is in no pane');
  fakeEngine({
    'trace/detail': () => ({ ...aDetail, row, text: JSON.stringify({ params }) }),
    'trace/rows-by-number': () => [row],
    ...answers,
  });
  await act(() => openInPane('s1', found));
}

const aDetail: RowDetail = {
  row: aRow(),
  text: null,
  truncated: false,
  encoding: 'utf-8',
  badByteAt: null,
  error: null,
  serverEnd: null,
  process: null,
  phase: null,
  exchange: null,
  sse: null,
  pair: null,
  parent: null,
  children: [],
  childCount: 0,
};

const pane = () => useSelection.getState().pane;

test('a call is handed to the pane of its method once, when the pane can take it', async () => {
  const opened = aCall({ id: 'row-4', sessionId: 's1', state: 'ok' });
  await open(
    request('tools/call', 'out'),
    {},
    {
      'calls/of-row': () => opened,
      'catalog/tools': () => ({ ...aList, entries: [entry({ name: 'echo' })] }),
    },
  );
  expect(pane()).toBe('tools');
  const taken: string[] = [];
  const render = (method: string, takes: boolean) =>
    renderHook(() =>
      useOpenedCall('s1', method, ({ id }) => {
        taken.push(id);
        return takes;
      }),
    );
  render('prompts/get', true);
  expect(taken).toEqual([]);
  render('tools/call', false).unmount();
  render('tools/call', true);
  render('tools/call', true);
  expect(taken).toEqual(['row-4', 'row-4']);
});

test('a tool that the server does not list is named, and the pane on screen stays', async () => {
  const opening = open(
    request('tools/call', 'out'),
    {},
    {
      'calls/of-row': () => aCall({ tool: 'gone' }),
      'catalog/tools': () => ({ ...aList, entries: [] }),
    },
  );
  await expect(opening).rejects.toThrow('The tool gone is not in the list of the server');
  expect(pane()).toBe('overview');
});

test('nothing is opened once the user has gone to another server, there or later', async () => {
  const opened = aCall({ sessionId: 's1', tool: 'echo' });
  await open(
    request('tools/call', 'out'),
    {},
    {
      'calls/of-row': () => opened,
      'catalog/tools': () => {
        useSelection.setState({ serverId: 'other', pane: 'resources' });
        return { ...aList, entries: [entry({ name: 'echo' })] };
      },
    },
  );
  expect(pane()).toBe('resources');
  const take = vi.fn<() => boolean>(() => true);
  renderHook(() => useOpenedCall('s1', 'tools/call', take));
  expect(take).not.toHaveBeenCalled();
  useSelection.setState({ serverId: null });
});

test('an update leads to its resource, though nothing read it', async () => {
  const update = aRow({ row: 9, method: 'notifications/resources/updated' });
  await open(update, { uri: 'demo://weather' }, { 'calls/of-row': () => null });
  expect(pane()).toBe('resources');
  expect(useSelection.getState().resourceUri.s1).toBe('demo://weather');
});

test('a question leads to its entry; one that the app answered itself says so', async () => {
  const question = request('roots/list', 'in');
  await open(question, {}, { 'inbox/list': () => [anEntry({ id: 'e3', row: 4 }), anEntry({ row: 5 })] });
  expect(pane()).toBe('inbox');
  expect(renderHook(() => useShownEntry('s1')).result.current).toBe('e3');
  await expect(open(question, {}, { 'inbox/list': () => [] })).rejects.toThrow('it was not put to you');
});

test('a request about a task leads to the task of who executes it, a notification to that of its sender', async () => {
  const tasks = [aTask({ id: 't', owner: 'client' }), aTask({ id: 't', owner: 'server' })];
  const shown = async (row: TraceRow) => {
    await open(row, { taskId: 't' }, { 'tasks/list': () => tasks });
    return renderHook(() => useShownTask('s1')).result.current;
  };
  expect(await shown(request('tasks/get', 'out'))).toBe('server t');
  expect(await shown(request('tasks/get', 'in'))).toBe('client t');
  expect(await shown(aRow({ method: 'notifications/tasks/status', direction: 'in' }))).toBe('server t');
});
