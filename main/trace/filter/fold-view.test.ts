import { afterEach, beforeEach, expect, test } from 'vitest';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { readFilter, RowFilter } from './row-filter.ts';

let http: HttpRecording;
beforeEach(async () => {
  http = await HttpRecording.begin();
});
afterEach(() => http.close());

function calls(text = ''): { filter: RowFilter; rows: () => Promise<number[]> } {
  const listener = { progressed: () => {}, matchesChanged: () => {} };
  const filter = new RowFilter(
    http.trace,
    { filter: readFilter(text), view: 'calls', sessions: [] },
    listener,
  );
  const rows = async () => {
    while (!filter.isDone) await filter.catchUp();
    return filter.page(0, 1000);
  };
  return { filter, rows };
}

const say = (direction: 'in' | 'out', body: object, exchange?: number, origin?: 'automatic') =>
  http.piece(
    { direction, ...(exchange !== undefined && { exchange }), ...(origin && { origin }) },
    JSON.stringify({ jsonrpc: '2.0', ...body }),
  );

/** A stream of the server that has begun. */
function stream(): number {
  const exchange = http.request({ method: 'GET', origin: 'automatic' });
  http.response(exchange, 200, { headers: [['Content-Type', 'text/event-stream']] });
  return exchange;
}

test('an hour of keepalives is one row, the stream, and says how many they were', async () => {
  const { filter, rows } = calls();
  const exchange = stream();
  for (let minute = 0; minute < 60; minute++) {
    http.stream(exchange, ': keepalive\n\n');
    expect(await rows()).toEqual([0]);
  }
  http.stream(exchange, 'retry: 3000\n\n');
  http.stream(exchange, 'id: 7\n\n');
  expect(await rows()).toEqual([0]);
  const { columns } = http.trace.index;
  const until = columns.at(columns.count - 1);
  expect(filter.foldOf(0)).toEqual({ keepalives: 60, streamEvents: 2, phases: 0, until, isOpen: false });
});

test('a fold is opened in its place, and closed again', async () => {
  const { filter, rows } = calls();
  const exchange = stream();
  http.stream(exchange, ': keepalive\n\n');
  http.stderr('between');
  http.stream(exchange, ': keepalive\n\n');
  expect(await rows()).toEqual([0, 2]);
  filter.setOpen(0, true);
  expect(await rows()).toEqual([0, 1, 2, 3]);
  expect([filter.isInOpenFold(1), filter.isInOpenFold(2), filter.foldOf(0)?.isOpen]).toEqual([
    true,
    false,
    true,
  ]);
  http.stream(exchange, ': keepalive\n\n');
  expect(await rows()).toEqual([0, 1, 2, 3, 4]);
  filter.setOpen(0, false);
  expect(await rows()).toEqual([0, 2]);
});

test('what the stream of a call carried beside messages folds into the call', async () => {
  const { filter, rows } = calls();
  const post = http.request({ body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' }) });
  http.response(post, 200, { headers: [['Content-Type', 'text/event-stream']] });
  http.stream(post, 'id: 1\n\n: keepalive\n\n');
  http.stream(post, 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  expect(await rows()).toEqual([1]);
  expect(filter.foldOf(1)).toMatchObject({ keepalives: 1, streamEvents: 1 });
  expect(await filter.unfolded()).toEqual([0, 1, 2, 3, 4]);
});

test('pings of the session and of the server fold into the first; one that fails, or that the user sends, does not', async () => {
  const { filter, rows } = calls();
  for (const id of [1, 2, 3]) {
    say('out', { id, method: 'ping' }, undefined, 'automatic');
    say('in', { id, result: {} });
  }
  expect(await rows()).toEqual([0]);
  expect(filter.foldOf(0)).toMatchObject({ keepalives: 2 });
  say('out', { id: 4, method: 'ping' }, undefined, 'automatic');
  expect(await rows()).toEqual([0]);
  say('in', { id: 4, error: { code: -32601, message: 'no' } });
  say('out', { id: 5, method: 'ping' });
  expect(await rows()).toEqual([0, 6, 8]);
  expect(filter.foldOf(0)).toMatchObject({ keepalives: 2 });
});

test('phases fold into the first up to ready; how the session ended keeps its rows', async () => {
  const { rows, filter } = calls();
  for (const phase of ['connecting', 'detecting', 'initializing', 'ready', 'closing', 'closed'] as const)
    http.trace.phase(phase, null);
  expect(await rows()).toEqual([0, 4, 5]);
  expect(filter.foldOf(0)).toMatchObject({ phases: 3 });
});

test('a row folds only into one that the filter finds', async () => {
  const exchange = stream();
  http.stream(exchange, ': keepalive\n\n');
  say('out', { id: 1, method: 'tools/call', params: { name: 'echo' } });
  say('in', { id: 1, result: { text: 'needle' } });
  expect(await calls('kind:sse').rows()).toEqual([1]);
  expect(await calls('needle').rows()).toEqual([3]);
  expect(await calls('tool:echo').rows()).toEqual([2]);
  // The request is found once it has its response; until then the response would not be there either.
  const slow = calls('status:ok');
  say('out', { id: 2, method: 'tools/list' });
  expect(await slow.rows()).toEqual([2]);
  say('in', { id: 2, result: {} });
  expect(await slow.rows()).toEqual([2, 4]);
});

test('the exchange of a message that failed, has a finding or a mark keeps its row', async () => {
  const { filter, rows } = calls();
  const failed = http.request({
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  });
  http.stream(failed, ': keepalive\n\n');
  expect(await rows()).toEqual([1]);
  expect(filter.foldOf(1)).toMatchObject({ keepalives: 1 });
  http.response(failed, 500);
  http.end(failed);
  expect(await rows()).toEqual([0, 1]);
  expect([filter.foldOf(0)?.keepalives, filter.foldOf(1)]).toEqual([1, null]);
  http.request({ body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) });
  expect(await rows()).toEqual([0, 1, 4]);
  http.trace.mark(3, 'odd');
  expect(await rows()).toEqual([0, 1, 3, 4]);
  http.trace.mark(3, null);
  expect(await rows()).toEqual([0, 1, 4]);
});

test('what a negated term rejects is not unfolded; the response comes with its request otherwise', async () => {
  say('out', { id: 1, method: 'tools/call', params: { name: 'echo' } });
  say('in', { id: 1, result: { text: 'needle' } });
  const unfolded = async (text: string) => {
    const { filter, rows } = calls(text);
    expect(await rows()).toEqual([0]);
    return filter.unfolded();
  };
  expect(await unfolded('-needle')).toEqual([0]);
  expect(await unfolded('kind:request -needle')).toEqual([0]);
  expect(await unfolded('kind:request or -needle')).toEqual([0]);
  expect(await unfolded('kind:request (is:call or -needle)')).toEqual([0]);
  expect(await unfolded('kind:request -other')).toEqual([0, 1]);
  expect(await unfolded('kind:request')).toEqual([0, 1]);
});

test('a fold counts and unfolds only rows that match', async () => {
  for (const id of [1, 2, 3]) {
    say('out', { id, method: 'ping' }, undefined, 'automatic');
    say('in', { id, result: {} });
  }
  const first = calls('row:1..2');
  expect(await first.rows()).toEqual([0]);
  expect(first.filter.foldOf(0)).toBe(null);
  expect(await first.filter.unfolded()).toEqual([0, 1]);
  const some = calls('row:1..4');
  expect(await some.rows()).toEqual([0]);
  expect(some.filter.foldOf(0)).toMatchObject({ keepalives: 1, until: http.trace.index.columns.at(2) });
  some.filter.setOpen(0, true);
  expect(await some.rows()).toEqual([0, 1, 2, 3]);
  expect(await some.filter.unfolded()).toEqual([0, 1, 2, 3]);
  // The first ping is outside the filter: each other one is listed, with its response folded into it.
  const later = calls('row:3..6');
  expect(await later.rows()).toEqual([2, 4]);
  expect([3, 5].map((row) => later.filter.placeOf(row).place)).toEqual([0, 1]);
});
