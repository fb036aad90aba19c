import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import type { RowSort, SortColumn, TraceViewName } from '#shared/contract/trace.ts';
import { handlersOf } from '#trace/handlers.ts';
import { TraceFeed } from '#trace/trace-feed.ts';
import { nextTurn } from '#transports/async.ts';
import { sortedRows } from './sorted-rows.ts';

const SESSION = 'session-1';
const rowsUpTo = (count: number) => Uint32Array.from({ length: count }, (_, row) => row);
const shown = (text: string) => text;

test('many rows are sorted by numbers, then texts, then none; equal ones stay in the order of the trace', async () => {
  const count = 20_000;
  const keyOf = (row: number) =>
    [row % 7, `tool ${row % 11}`, null, -row, `tool ${row % 3}`][row % 5] ?? null;
  const classOf = (row: number) => ['number', 'string', 'object'].indexOf(typeof keyOf(row));
  const byKey = (one: number, other: number) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return a === b || a === null || b === null ? 0 : a < b ? -1 : 1;
  };
  const rows = [...rowsUpTo(count)];
  const rising = await sortedRows(rowsUpTo(count), { keyOf, shown, isDescending: false }, () => true);
  expect([...(rising ?? [])]).toEqual(
    rows.toSorted((a, b) => classOf(a) - classOf(b) || byKey(a, b) || a - b),
  );
  const falling = await sortedRows(rowsUpTo(count), { keyOf, shown, isDescending: true }, () => true);
  const isNone = (row: number) => Number(keyOf(row) === null);
  expect([...(falling ?? [])]).toEqual(
    rows.toSorted((a, b) => isNone(a) - isNone(b) || classOf(b) - classOf(a) || byKey(b, a) || a - b),
  );
});

test('numbers of any size come before texts', async () => {
  const values = ['b', 1e300, 5, 'a', 2 ** 53 + 2, Number.POSITIVE_INFINITY];
  const keyOf = (row: number) => values[row] ?? null;
  const order = await sortedRows(rowsUpTo(values.length), { keyOf, shown, isDescending: false }, () => true);
  expect([...(order ?? [])]).toEqual([2, 1, 4, 5, 3, 0]);
});

test('a sort that is not wanted any more ends at its next step', async () => {
  let steps = 0;
  const keys = { keyOf: (row: number) => row, shown, isDescending: true };
  expect(await sortedRows(rowsUpTo(1_000_000), keys, () => ++steps < 3)).toBeNull();
  expect(steps).toBe(3);
});

describe('a list in the order of a column', () => {
  let http: HttpRecording;
  let feed: TraceFeed;
  beforeEach(async () => {
    http = await HttpRecording.begin({ secrets: { TOKEN: 'aaa-secret' } });
    feed = new TraceFeed(SESSION, http.trace, () => {});
  });
  afterEach(async () => {
    feed.close();
    await http.close();
  });

  const say = (direction: 'in' | 'out', message: object): void =>
    http.piece({ direction, channel: 'stdout' }, JSON.stringify({ jsonrpc: '2.0', ...message }));

  const called = (id: number | string, name: string) =>
    say('out', { id, method: 'tools/call', params: { name } });
  const answered = (id: number | string, result: object) => say('in', { id, result });

  /** The list, and the numbers of its rows once the order includes every change. */
  function sorted(sort: RowSort, view: TraceViewName = 'calls') {
    const filterId = feed.startFilter('', view, { sort });
    const handlers = handlersOf(feed);
    const of = { sessionId: SESSION, filterId };
    const page = () => handlers['trace/rows']({ ...of, from: 0, count: 100 });
    const rows = async () => {
      await expect.poll(() => feed.sorted(filterId)?.isDone).toBe(true);
      return (await page()).rows.map(({ row }) => row);
    };
    return { rows, page, place: (row: number) => handlers['trace/place']({ ...of, row }) };
  }

  test('calls are sorted by each column, the rest of them by what they have', async () => {
    called(1, 'weigh');
    answered(1, { content: [], isError: true });
    for (let wait = 0; wait < 50; wait++) http.next();
    called(2, 'add');
    for (let wait = 0; wait < 100; wait++) http.next();
    answered(2, { content: [{ type: 'text', text: 'much longer than the other one' }] });
    called('b', 'merge');
    http.stderr('a line');
    const by = (column: SortColumn, isDescending = false) => sorted({ column, isDescending }).rows();
    expect(await by('number', true)).toEqual([5, 4, 2, 0]);
    expect(await by('time')).toEqual([0, 2, 4, 5]);
    // The one that still waits is the longest; what takes no time is last either way.
    expect(await by('duration')).toEqual([0, 2, 4, 5]);
    expect(await by('duration', true)).toEqual([4, 2, 0, 5]);
    expect(await by('name')).toEqual([2, 4, 0, 5]);
    expect(await by('id')).toEqual([0, 2, 4, 5]);
    expect(await by('status')).toEqual([0, 4, 2, 5]);
    // Of a call, what was received counts.
    expect((await by('size', true))[0]).toBe(2);
    expect(await by('method', true)).toEqual([0, 2, 4, 5]);
    http.trace.mark(2, 'look again');
    expect(await by('mark')).toEqual([2, 0, 4, 5]);
    // Standard error comes from the server.
    expect(await by('direction')).toEqual([5, 0, 2, 4]);
  });

  test('it follows the trace: rows that come or change find their place, and rows are found in it', async () => {
    called(1, 'a');
    answered(1, {});
    called(2, 'b');
    const list = sorted({ column: 'duration', isDescending: true });
    expect(await list.rows()).toEqual([2, 0]);
    expect(await list.place(0)).toEqual({ place: 1, isListed: true });
    // A response is in the row of its request.
    expect(await list.place(1)).toEqual({ place: 1, isListed: true });
    for (let wait = 0; wait < 100; wait++) http.next();
    called(3, 'c');
    answered(2, {});
    feed.changed(2);
    await expect.poll(async () => (await list.page()).total, { timeout: 10_000 }).toBe(3);
    expect(await list.rows()).toEqual([3, 2, 0]);
  });

  test('it is sorted while calls keep arriving faster than the filter catches up', async () => {
    // More than its first step, so that it never has tested all rows and all changes.
    const waiting = 2000;
    for (let id = 0; id < waiting; id++) called(id, 'a');
    const ending = new AbortController();
    const traffic = (async () => {
      for (let id = 0; !ending.signal.aborted; id++) {
        answered(id, {});
        called(waiting + id, 'a');
        await nextTurn();
      }
    })();
    try {
      const list = sorted({ column: 'duration', isDescending: true });
      await expect.poll(async () => (await list.page()).total, { timeout: 10_000 }).toBeGreaterThan(0);
    } finally {
      ending.abort();
      await traffic;
    }
  });

  test('what is folded into a row is not listed and not offered', async () => {
    const stream = http.request({ method: 'GET', origin: 'automatic' });
    http.response(stream, 200, { headers: [['Content-Type', 'text/event-stream']] });
    http.stream(stream, ': keepalive\n\n');
    http.stream(stream, ': keepalive\n\n');
    const list = sorted({ column: 'number', isDescending: true });
    expect(await list.rows()).toEqual([0]);
    expect((await list.page()).rows[0]?.fold).toBeUndefined();
    expect(await sorted({ column: 'number', isDescending: true }, 'messages').rows()).toEqual([2, 1, 0]);
  });

  test('a secret is sorted by what is shown in its place', async () => {
    called(1, 'b');
    called(2, 'aaa-secret');
    called(3, '[b');
    const list = sorted({ column: 'name', isDescending: false });
    const rows = await list.rows();
    const names = (await list.page()).rows.map(({ summary }) => summary);
    expect(names).toEqual(names.toSorted());
    expect(names.join()).not.toContain('aaa-secret');
    expect(rows).toHaveLength(3);
  });
});
