import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { CallReader } from './call-reader.ts';

let trace: TraceOf;
let lastId = 0;
beforeEach(async () => {
  trace = await TraceOf.begin();
});
afterEach(() => trace.close());

/** Records a request with its response, a result or an error; returns the row of the response. */
function exchange(
  method: string,
  params: object,
  response: { readonly result: object } | { readonly error: object },
): number {
  const id = ++lastId;
  trace.message('out', JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return trace.message('in', JSON.stringify({ jsonrpc: '2.0', id, ...response }));
}

const taskId = 'task';
const created = (of = taskId) =>
  exchange('tools/call', { name: 'work' }, { result: { task: { taskId: of, status: 'working' } } });
const poll = (task: object, of = taskId) =>
  exchange('tasks/get', { taskId: of }, { result: { taskId: of, ...task } });
/** The records that are read of the file while this runs. */
async function readDuring<T>(work: () => Promise<T>): Promise<{ result: T; records: number }> {
  const read = vi.spyOn(trace.file, 'read');
  const done = await work();
  const records = read.mock.calls.reduce((sum, [spans]) => sum + spans.length, 0);
  read.mockRestore();
  return { result: done, records };
}
const requestResult = (response: { readonly result: object } | { readonly error: object }) =>
  exchange('tasks/result', { taskId }, response);

const error = { code: -32000, message: 'out of stock' };
const result = { content: [] };
const callOfTask = async () => (await new CallReader(trace).read(0, 1)).calls[0];

test('a task ends with its first failure, however often it is requested afterwards', async () => {
  created();
  poll({ status: 'working' });
  const responseRow = poll({ status: 'failed', error });
  poll({ status: 'failed', error });
  expect(await callOfTask()).toMatchObject({
    outcome: 'error',
    response: JSON.stringify(error),
    responseRow,
  });
});

test('a failed task without its error ends with the first error of tasks/result', async () => {
  created();
  poll({ status: 'failed' });
  const responseRow = requestResult({ error });
  requestResult({ error: { code: -32602, message: 'expired' } });
  expect(await callOfTask()).toMatchObject({
    outcome: 'error',
    response: JSON.stringify(error),
    responseRow,
  });
});

test('a result replaces an error that only said that the task still runs', async () => {
  created();
  requestResult({ error: { code: -32600, message: 'still running' } });
  poll({ status: 'completed' });
  const responseRow = requestResult({ result });
  expect(await callOfTask()).toMatchObject({ outcome: 'ok', response: JSON.stringify(result), responseRow });
});

const cancelTask = () => exchange('tasks/cancel', { taskId }, { result: { taskId, status: 'cancelled' } });
const notifyCancelled = () =>
  trace.message(
    'in',
    JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/tasks/status',
      params: { taskId, status: 'cancelled' },
    }),
  );

test.each([
  ['tasks/get', () => poll({ status: 'cancelled' })],
  ['tasks/cancel', cancelTask],
  ['a notification', notifyCancelled],
])('the trace is not read on for a task that was cancelled, as %s says', async (_, cancelled) => {
  created();
  cancelled();
  for (let other = 0; other < 400; other++) poll({ status: 'working' }, `other ${other}`);
  const { result: call, records } = await readDuring(callOfTask);
  expect(call).toMatchObject({ outcome: 'ok', responseRow: 1 });
  expect(records).toBeLessThan(trace.index.columns.count * 0.75);
});

test('messages about tasks are read once, also for a task that never ends', async () => {
  for (let task = 0; task < 20; task++) created(`never ${task}`);
  for (let task = 0; task < 300; task++) poll({ status: 'completed', result }, `other ${task}`);
  const calls = new CallReader(trace);
  const { result: first } = await readDuring(() => calls.read(0, 10));
  const { result: second, records } = await readDuring(() => calls.read(first.next ?? 0, 10));
  expect(second.calls.map(({ outcome, task }) => [outcome, task])).toEqual(
    Array.from({ length: 10 }, () => ['ok', undefined]),
  );
  // Ten requests and their responses.
  expect(records).toBe(20);
});

test('an end that is recorded after the calls were read is found', async () => {
  created();
  created('second');
  const calls = new CallReader(trace);
  expect((await calls.read(0, 2)).calls).toMatchObject([{ responseRow: 1 }, { responseRow: 3 }]);
  const id = ++lastId;
  trace.message('out', JSON.stringify({ jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId } }));
  expect((await calls.read(0, 2)).calls).toMatchObject([{ responseRow: 1 }, { responseRow: 3 }]);
  const text = JSON.stringify({ jsonrpc: '2.0', id, result });
  const piece = (from: number, to?: number) => {
    const part = text.slice(from, to);
    return { text: part, size: part.length };
  };
  const of = trace.add({
    kind: 'unit',
    direction: 'in',
    channel: 'stdout',
    ...piece(0, 20),
    more: true,
  });
  poll({ status: 'working' });
  expect((await calls.read(0, 2)).calls).toMatchObject([{ responseRow: 1 }, { responseRow: 3 }]);
  trace.add({ kind: 'chunk', of, ...piece(20) });
  const responseRow = trace.index.columns.rowOf(of);
  expect((await calls.read(0, 2)).calls).toMatchObject([{ responseRow }, { responseRow: 3 }]);
});

test('a later task with the id of an earlier one has its own result', async () => {
  created();
  requestResult({ result: { content: ['first'] } });
  created();
  const responseRow = requestResult({ result: { content: ['second'] } });
  const calls = new CallReader(trace);
  const { calls: first } = await calls.read(0, 1);
  expect(first).toMatchObject([{ responseRow: 3 }]);
  expect((await calls.read(4, 1)).calls).toMatchObject([{ responseRow }]);
  expect((await calls.read(0, 1)).calls).toEqual(first);
});

test('a page holds no more than its limit of bytes, results of tasks included', async () => {
  const large = { content: ['x'.repeat(10_000)] };
  for (const of of ['a', 'b', 'c']) {
    created(of);
    exchange('tasks/result', { taskId: of }, { result: large });
  }
  const calls = new CallReader(trace, { maxHeld: 15_000 });
  const first = await calls.read(0, 10);
  expect(first).toMatchObject({ calls: [{ row: 0, responseRow: 3 }, { row: 2 }], next: 4 });
  const second = { calls: [{ row: 4, responseRow: 7 }, { row: 6 }], next: 8 };
  expect(await calls.read(first.next ?? 0, 10)).toMatchObject(second);
});
