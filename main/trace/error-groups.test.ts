import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { MAX_ERROR_GROUPS, MAX_GROUPED_ERRORS, MAX_ROWS_OF_GROUP } from '#shared/contract/trace.ts';
import { withoutDetails } from './error-groups.ts';
import { statisticsOf } from './statistics.ts';

let trace: TraceOf;
let lastId: number;
beforeEach(async () => {
  trace = await TraceOf.begin();
  lastId = 0;
});
afterEach(() => trace.close());

/** A call of a tool and its response. */
function exchange(tool: string, outcome: Record<string, unknown>): void {
  const id = ++lastId;
  const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: {} } };
  trace.message('out', JSON.stringify(request));
  trace.message('in', JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

const protocolError = (message: string, code = -32602) => ({ error: { code, message } });
const toolError = (text: string) => ({ result: { isError: true, content: [{ type: 'text', text }] } });

const statistics = () => statisticsOf(trace, { count: trace.index.columns.count, at: (place) => place });

describe('errors', () => {
  test('that differ in numbers, ids and quoted strings only are one group', async () => {
    exchange('get', protocolError('No row 17 in "users"'));
    exchange('get', { result: { content: [] } });
    exchange('get', protocolError('No row 4,711 in "a \\" b"'));
    exchange('get', protocolError('No table in "users"'));
    exchange('set', protocolError('No row 17 in "users"'));
    exchange('get', protocolError('No row 17 in "users"', -32000));
    exchange('get', toolError('No row 17\n in "users"'));
    exchange('get', toolError('No row 18 in "users"'));
    const { errorGroups, ungroupedErrors } = await statistics();
    const call = { kind: 'request', method: 'tools/call', tool: 'get', status: 'error', code: -32602 };
    expect(errorGroups.slice(0, 2)).toEqual([
      { ...call, text: 'No row … in "…"', count: 2, rows: [0, 4], last: 4 },
      {
        ...call,
        status: 'tool-error',
        code: null,
        text: 'No row … in "…"',
        count: 2,
        rows: [12, 14],
        last: 14,
      },
    ]);
    expect(errorGroups.slice(2).map(({ tool, code, text, count }) => [tool, code, text, count])).toEqual([
      ['get', -32602, 'No table in "users"', 1],
      ['set', -32602, 'No row 17 in "users"', 1],
      ['get', -32000, 'No row 17 in "users"', 1],
    ]);
    expect(ungroupedErrors).toBe(0);
  });

  test('other than failed calls are grouped too: noise, failed processes, tool errors without a text', async () => {
    trace.message('in', 'listening on port 3001');
    trace.message('in', 'listening on port 3002');
    exchange('get', { result: { isError: true, content: [] } });
    exchange('get', { result: { isError: true, content: 'broken' } });
    const process = { command: 'nodde', args: [], cwd: '/', code: 'ENOENT', message: 'ENOENT' };
    trace.add({ kind: 'process', change: { what: 'spawn-failed', ...process } });
    const { errorGroups } = await statistics();
    expect(errorGroups.map(({ kind, text, count }) => [kind, text, count])).toEqual([
      ['noise', 'listening on port …', 2],
      ['request', null, 2],
      ['process', 'could not start nodde: ENOENT', 1],
    ]);
  });

  test('of too many kinds are counted, not grouped, and a large group lists its first rows', async () => {
    const words = Array.from({ length: MAX_ERROR_GROUPS + 5 }, (_, place) => 'x'.repeat(place + 1));
    for (const word of words) exchange('get', protocolError(word));
    for (let more = 0; more < MAX_ROWS_OF_GROUP; more++) exchange('get', protocolError('x'));
    const { errorGroups, ungroupedErrors } = await statistics();
    expect(errorGroups).toHaveLength(MAX_ERROR_GROUPS);
    expect(ungroupedErrors).toBe(5);
    const [largest] = errorGroups;
    expect(largest?.count).toBe(MAX_ROWS_OF_GROUP + 1);
    expect(largest?.rows).toHaveLength(MAX_ROWS_OF_GROUP);
    expect(largest?.last).toBe(trace.index.columns.count - 2);
  });

  test('beyond those that are read are counted', async () => {
    for (let line = 0; line < MAX_GROUPED_ERRORS + 3; line++) trace.message('in', `line ${line}`);
    expect(await statistics()).toMatchObject({
      errorGroups: [{ text: 'line …', count: MAX_GROUPED_ERRORS }],
      ungroupedErrors: 3,
    });
  });
});

test.each([
  ["can't read 'a b.txt', didn't try", "can't read '…', didn't try"],
  ['session 3f2b8c1e-9d4a-4f6b-8e2d-1a2b3c4d5e6f ended', 'session … ended'],
  ['object 0x7ffee4 and commit 9fceb02d0ae598e9', 'object … and commit …'],
  ['timeout after 1.5 s at 12:30:01', 'timeout after … s at …'],
  ['key `a` of “b” in "c', 'key `…` of “…” in "…"'],
  ['feedback is deadbeef', 'feedback is deadbeef'],
])('%j has in common with others %j', (text, expected) => {
  expect(withoutDetails(text)).toBe(expected);
});
