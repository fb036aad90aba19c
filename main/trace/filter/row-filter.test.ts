import { rm, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { readFilter, RowFilter } from './row-filter.ts';
import { TraceFeed } from '#trace/trace-feed.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** A session with a few thousand rows on disk, and its file. */
async function connect() {
  const { id, traceFile } = await engine.connect(misbehavingServer('flood:3000:200'));
  await engine.until(async () => {
    const { rows } = await engine.call('trace/summary', { sessionId: id });
    return rows > 3000 ? true : null;
  });
  return { sessionId: id, path: traceFile.path };
}

/** The fault that asking for rows comes to. */
function faultOfRows(sessionId: string, filterId: string | null) {
  return engine.until(async () => {
    try {
      await engine.call('trace/rows', { sessionId, filterId, from: 0, count: 100 });
      return null;
    } catch (error) {
      if (error instanceof FaultError) return error.fault;
      throw error;
    }
  });
}

test('a trace file that is deleted gives a fault that says what to do, and the engine goes on', async () => {
  const { sessionId, path } = await connect();
  await engine.call('sessions/close', { sessionId });
  await rm(path);
  const { filterId } = await engine.call('trace/filter', { sessionId, text: 'padding', view: 'messages' });
  expect(await faultOfRows(sessionId, filterId)).toMatchObject({
    code: 'trace-not-searched',
    next: expect.any(String),
  });
  const notRead = { code: 'trace-not-read', next: expect.any(String), evidence: path };
  expect(await faultOfRows(sessionId, null)).toMatchObject(notRead);
  await expect(engine.call('trace/detail', { sessionId, row: 3 })).rejects.toMatchObject({ fault: notRead });
  await connect();
});

test('a trace file that is emptied under a running filter gives a fault, and the session goes on', async () => {
  const { sessionId, path } = await connect();
  const { filterId } = await engine.call('trace/filter', { sessionId, text: 'padding', view: 'messages' });
  await engine.until(async () => ((await engine.rows(sessionId, filterId)).length >= 3000 ? true : null));
  await engine.callTool(sessionId, 'echo');
  await truncate(path, 0);
  const again = await engine.call('trace/filter', { sessionId, text: 'padding', view: 'messages' });
  expect((await faultOfRows(sessionId, again.filterId)).code).toBe('trace-not-searched');
  expect((await engine.callTool(sessionId, 'echo')).state).toBe('ok');
});

test('a page that never ends its filters does not keep them all', async () => {
  const { sessionId } = await connect();
  const filters: string[] = [];
  for (let count = 0; count < 30; count++) {
    filters.push(
      (await engine.call('trace/filter', { sessionId, text: `text ${count}`, view: 'messages' })).filterId,
    );
  }
  expect((await faultOfRows(sessionId, filters[0] ?? '')).code).toBe('no-such-filter');
  await engine.call('trace/rows', { sessionId, filterId: filters.at(-1) ?? '', from: 0, count: 1 });
});

describe('a filter over HTTP exchanges', () => {
  let http: HttpRecording;
  beforeEach(async () => {
    http = await HttpRecording.begin();
  });
  afterEach(() => http.close());

  function filterOf(text: string, matchesChanged: (row: number) => void = () => {}): RowFilter {
    const question = { filter: readFilter(text), view: 'messages' as const, sessions: [] };
    return new RowFilter(http.trace, question, { progressed: () => {}, matchesChanged });
  }

  /** The rows that a filter finds, once it has looked at all that is there. */
  async function find(text: string): Promise<number[]> {
    const filter = filterOf(text);
    await filter.catchUp();
    return filter.page(0, 1000);
  }

  test.each([
    ['delete', [3]],
    ['3000/MCP', [0, 3]],
    ['x-asked: yes', [0]],
    ['x-told: maybe', [0]],
    ['418 teapot', [3]],
    ['never', [1]],
    ['<html>', [2]],
    ['http', [0, 3]],
    ['keep-alive', [4]],
    ['nowhere', []],
  ])('%j is found in method, address, header lines and what they carried', async (text, rows) => {
    const exchange = http.request({ headers: [['X-Asked', 'Yes']] });
    http.response(exchange, 103, { interim: true });
    http.response(exchange, 200, { headers: [['X-TOLD', 'maybe']] });
    http.body(exchange, '{"jsonrpc":"2.0","method":"never"}');
    http.body(exchange, '<html>hi</html>', 'body');
    const other = http.request({ method: 'DELETE' });
    http.response(other, 418, { reason: 'Teapot' });
    http.stream(other, ': keep-alive\n\n');
    expect(await find(JSON.stringify(text))).toEqual(rows);
  });

  test('a match in a later response is inserted at its row', async () => {
    const inserted: number[] = [];
    const filter = filterOf('needle', (row) => inserted.push(row));
    const [first, second, third] = [http.request(), http.request(), http.request()];
    http.stderr('needle');
    await filter.catchUp();
    expect(filter.page(0, 10)).toEqual([3]);
    http.response(second, 200, { headers: [['X', 'needle']] });
    http.response(first, 200, { headers: [['X', 'hay']] });
    http.end(third, 'failed');
    http.stderr('another needle');
    await filter.catchUp();
    expect(filter.page(0, 10)).toEqual([1, 3, 4]);
    expect([1, 3, 0].map((row) => filter.placeOf(row))).toEqual([
      { place: 0, isListed: true },
      { place: 1, isListed: true },
      { place: 0, isListed: false },
    ]);
    expect(inserted).toEqual([1]);
    expect(filter.isDone).toBe(true);
  });

  test('changed matches are reported to the page', async () => {
    const reported: unknown[] = [];
    const feed = new TraceFeed('s', http.trace, (name, change) => reported.push([name, change]));
    const exchange = http.request();
    http.stderr('needle');
    const filterId = feed.startFilter('needle', 'messages');
    await feed.filter(filterId)?.catchUp();
    http.response(exchange, 200, { headers: [['X', 'needle']] });
    feed.changed(1);
    await expect
      .poll(() => reported)
      .toContainEqual(['trace/grew', expect.objectContaining({ sessionId: 's', rows: 2, changedFrom: 0 })]);
    const found = { sessionId: 's', filterId, matches: 2, scanned: 2, done: true, order: 0 };
    await expect.poll(() => reported).toContainEqual(['trace/filtered', found]);
  });
});
