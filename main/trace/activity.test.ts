import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { MAX_LIST_CHANGES, MAX_RUNNING } from '#shared/contract/logs.ts';
import { ActivityReader } from './activity.ts';

let http: HttpRecording;
let activity: ActivityReader;
beforeEach(async () => {
  http = await HttpRecording.begin();
  activity = new ActivityReader(http.trace);
});
afterEach(() => http.close());

const say = (direction: 'in' | 'out', message: object) =>
  http.piece(
    { direction, channel: direction === 'in' ? 'stdout' : 'stdin' },
    JSON.stringify({ jsonrpc: '2.0', ...message }),
  );
const call = (id: number) =>
  say('out', { id, method: 'tools/call', params: { name: 'slow', _meta: { progressToken: id } } });
const progress = (id: number, done: number) =>
  say('in', {
    method: 'notifications/progress',
    params: { progressToken: id, progress: done, total: 10, message: `step ${done}` },
  });

/** Each running request with its newest progress. */
const running = async () =>
  (await activity.read()).running.map(({ row, progress: newest }) => [
    row.direction,
    row.method,
    newest?.summary,
  ]);

test('requests of both sides run until they are answered or cancelled, with their newest progress', async () => {
  call(1);
  call(2);
  say('in', { id: 's-1', method: 'sampling/createMessage', params: {} });
  progress(1, 3);
  progress(1, 4);
  expect(await running()).toEqual([
    ['out', 'tools/call', '4 / 10  step 4'],
    ['out', 'tools/call', undefined],
    ['in', 'sampling/createMessage', undefined],
  ]);
  progress(2, 9);
  say('in', { id: 1, result: {} });
  say('out', { id: 's-1', result: {} });
  expect(await running()).toEqual([['out', 'tools/call', '9 / 10  step 9']]);
  say('out', { method: 'notifications/cancelled', params: { requestId: 2 } });
  expect(await running()).toEqual([]);
});

test('many requests are listed up to a limit, and all are counted', async () => {
  for (let id = 0; id < MAX_RUNNING + 5; id++) call(id);
  const { running: listed, runningCount } = await activity.read();
  expect([listed.length, runningCount]).toEqual([MAX_RUNNING, MAX_RUNNING + 5]);
});

test('changes of lists are told, the newest first', async () => {
  say('in', { method: 'notifications/tools/list_changed' });
  say('out', { method: 'notifications/roots/list_changed' });
  say('in', { method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
  const { listChanges } = await activity.read();
  expect(listChanges.map(({ direction, method }) => [direction, method])).toEqual([
    ['out', 'notifications/roots/list_changed'],
    ['in', 'notifications/tools/list_changed'],
  ]);
  const more = 3 * MAX_LIST_CHANGES;
  for (let one = 0; one < more; one++) say('in', { method: 'notifications/prompts/list_changed' });
  const later = await activity.read();
  expect([later.listChanges.length, later.listChangeCount]).toEqual([MAX_LIST_CHANGES, more + 2]);
  expect(later.listChanges[0]?.row).toBe(http.trace.index.columns.count - 1);
});
