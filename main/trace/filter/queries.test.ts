import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TraceViewName } from '#shared/contract/trace.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { handlersOf } from '#trace/handlers.ts';
import { HttpRecording } from '#fixtures/trace/http-recording.ts';
import { TraceFeed } from '#trace/trace-feed.ts';

let http: HttpRecording;
let feed: TraceFeed;
beforeEach(async () => {
  http = await HttpRecording.begin();
  feed = new TraceFeed('session-1', http.trace, () => {});
});
afterEach(async () => {
  feed.close();
  await http.close();
});

const say = (direction: 'in' | 'out', message: object, exchange?: number): void =>
  http.piece(
    {
      direction,
      channel: exchange === undefined ? 'stdout' : 'http',
      ...(exchange !== undefined && { exchange }),
    },
    JSON.stringify({ jsonrpc: '2.0', ...message }),
  );

async function start(text: string, view: TraceViewName = 'messages') {
  const filterId = feed.startFilter(text, view);
  const rows = async () => {
    await feed.filter(filterId)?.catchUp();
    return feed.filter(filterId)?.page(0, 100);
  };
  return { filterId, rows };
}

test('rows come and go as they change', async () => {
  say('out', { id: 1, method: 'tools/call', params: { name: 'echo' } });
  say('out', { id: 2, method: 'tools/call', params: { name: 'echo' } });
  const [pending, ok, marked, found] = [
    await start('status:pending'),
    await start('status:ok kind:request'),
    await start('mark:later'),
    await start('finding:a/*'),
  ];
  expect([await pending.rows(), await ok.rows(), await marked.rows(), await found.rows()]).toEqual([
    [0, 1],
    [],
    [],
    [],
  ]);
  say('in', { id: 1, result: {} });
  http.trace.mark(1, 'see later');
  const violation = {
    rule: 'a/b',
    severity: 'error' as const,
    source: 'schema' as const,
    text: 't',
    pointer: null,
    revision: null,
  };
  http.trace.findings.add({ violation, row: 2, other: 0 });
  expect([await pending.rows(), await ok.rows(), await marked.rows(), await found.rows()]).toEqual([
    [1],
    [0],
    [1],
    [0, 2],
  ]);
  http.trace.mark(1, null);
  say('in', { id: 2, result: {} });
  expect([await pending.rows(), await ok.rows(), await marked.rows()]).toEqual([[], [0, 1], []]);
});

test('a call is one row: its answer and the exchange that carried it are folded away', async () => {
  const calls = await start('', 'calls');
  const stream = http.request({ method: 'GET' });
  const post = http.request();
  expect(await calls.rows()).toEqual([0, 1]);
  say('out', { id: 1, method: 'ping' }, post);
  expect(await calls.rows()).toEqual([0, 2]);
  say('in', { id: 1, result: {} }, post);
  say('in', { id: 9, method: 'roots/list' }, stream);
  say('in', { id: 8, result: {} }, stream);
  http.stderr('x');
  // A stream by which the server asks stays, as does an answer to nothing.
  expect(await calls.rows()).toEqual([0, 2, 4, 5, 6]);
  // What a filter does not find the call of is listed by itself.
  expect(await (await start('kind:result', 'calls')).rows()).toEqual([3, 5]);
});

test('an invalid filter is rejected with the position of the error', () => {
  const starting = (text: string) => () => feed.startFilter(text, 'messages');
  expect(starting('kind:stderr knd:x')).toThrow(FaultError);
  try {
    starting('kind:stderr knd:x')();
  } catch (error) {
    expect(error instanceof FaultError && error.fault).toEqual({
      code: 'bad-filter',
      what: 'The filter cannot be read.',
      why: 'There is no field knd. Did you mean kind:? To look for the text itself, put it in quotes.',
      next: 'Change it at character 13.',
      evidence: 'kind:stderr knd:x\n            ^^^',
    });
  }
});

test('the next match is found from anywhere, in all rows or in a list', async () => {
  const handlers = handlersOf(feed);
  for (let line = 0; line < 3000; line++) http.stderr(line % 1000 === 500 ? 'needle' : 'hay');
  const { filterId, rows } = await start('row:..2000');
  await rows();
  const seek = async (from: number, step: 1 | -1, list: string | null = null, text = 'needle') => {
    const { row } = await handlers['trace/seek']({
      sessionId: 'session-1',
      filterId: list,
      from,
      step,
      text,
    });
    return row;
  };
  expect([await seek(-1, 1), await seek(500, 1), await seek(1500, 1), await seek(2500, 1)]).toEqual([
    500,
    1500,
    2500,
    null,
  ]);
  expect([await seek(3000, -1), await seek(2500, -1), await seek(500, -1)]).toEqual([2500, 1500, null]);
  expect([await seek(1500, 1, filterId), await seek(2999, -1, filterId)]).toEqual([null, 1500]);
  await expect(seek(0, 1, null, 'a:b')).rejects.toMatchObject({ fault: { code: 'bad-filter' } });
  await expect(seek(0, 1, 'ended')).rejects.toMatchObject({ fault: { code: 'no-such-filter' } });
});

test('the vocabulary of a trace lists the most frequent words first', async () => {
  const words = () => handlersOf(feed)['trace/vocabulary']({ sessionId: 'session-1' });
  say('out', { id: 1, method: 'resources/read', params: { uri: 'file:///a' } });
  for (const name of ['echo', 'add', 'add']) say('out', { id: name, method: 'tools/call', params: { name } });
  const violation = {
    rule: 'a/b',
    severity: 'info' as const,
    source: 'schema' as const,
    text: 't',
    pointer: null,
    revision: null,
  };
  http.trace.findings.add({ violation, row: 0, other: null });
  for (const logger of ['db', 'ui', 7]) {
    say('in', { method: 'notifications/message', params: { level: 'info', logger, data: '' } });
  }
  expect(await words()).toEqual({
    methods: ['tools/call', 'notifications/message', 'resources/read'],
    tools: ['add', 'echo'],
    names: ['add', 'file:///a', 'echo'],
    loggers: ['db', 'ui'],
    rules: ['a/b'],
  });
  for (let count = 0; count < 3; count++) say('in', { method: 'ping' });
  expect((await words()).methods[0]).toBe('tools/call');
  say('in', { method: 'ping' });
  expect((await words()).methods[0]).toBe('ping');
});

test('queries about a filter are answered once it has checked every row', async () => {
  for (let row = 0; row < 3000; row++) http.stderr(row % 1000 === 999 ? 'needle' : 'hay');
  const handlers = handlersOf(feed);
  const sessionId = 's';
  const filter = () => feed.startFilter('kind:stderr', 'messages');
  const ask = { sessionId, text: 'text:needle' };
  expect(await handlers['trace/seek']({ ...ask, filterId: filter(), from: -1, step: 1 })).toEqual({
    row: 999,
  });
  expect(await handlers['trace/seek']({ ...ask, filterId: filter(), from: 3000, step: -1 })).toEqual({
    row: 2999,
  });
  const chosen = { of: 'filter' as const, filterId: feed.startFilter('text:needle', 'messages') };
  expect(await handlers['trace/statistics']({ sessionId, rows: chosen })).toMatchObject({
    rows: 3,
    listed: 3,
  });
  const listed = {
    sessionId,
    rows: { of: 'all' },
    filterId: feed.startFilter('text:needle', 'messages'),
  } as const;
  expect(await handlers['trace/statistics'](listed)).toMatchObject({ rows: 3000, listed: 3 });
});

test('an open fold stays open when the trace is read again; a row that does not exist has none', async () => {
  for (const phase of ['connecting', 'initializing', 'ready'] as const) http.trace.phase(phase, null);
  const { filterId, rows } = await start('', 'calls');
  expect(await rows()).toEqual([0]);
  const fold = (row: number) => () =>
    handlersOf(feed)['trace/fold']({ sessionId: 'session-1', filterId, row, isOpen: true });
  expect(fold(3)).toThrow(FaultError);
  await fold(0)();
  expect(await rows()).toEqual([0, 1, 2]);
  const again = new TraceFeed('session-1', http.trace, () => {});
  again.continueFrom(feed);
  feed.close();
  feed = again;
  expect(await rows()).toEqual([0, 1, 2]);
});
