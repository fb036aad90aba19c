import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { readCalls } from './call-reader.ts';

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
const created = () =>
  exchange('tools/call', { name: 'work' }, { result: { task: { taskId, status: 'working' } } });
const poll = (task: object) => exchange('tasks/get', { taskId }, { result: { taskId, ...task } });
const requestResult = (response: { readonly result: object } | { readonly error: object }) =>
  exchange('tasks/result', { taskId }, response);

const error = { code: -32000, message: 'out of stock' };
const result = { content: [] };
const callOfTask = async () => (await readCalls(trace, 0, 1)).calls[0];

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

test('the trace is not read on for a task that was cancelled', async () => {
  created();
  poll({ status: 'cancelled' });
  for (let other = 0; other < 400; other++)
    exchange('tasks/get', { taskId: `other ${other}` }, { result: { status: 'working' } });
  const read = vi.spyOn(trace.file, 'read');
  expect(await callOfTask()).toMatchObject({ outcome: 'ok', responseRow: 1 });
  const lines = read.mock.calls.reduce((sum, [spans]) => sum + spans.length, 0);
  expect(lines).toBeLessThan(trace.index.columns.count * 0.75);
});
