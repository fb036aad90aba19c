import { afterEach, expect, test } from 'vitest';
import { asItIs, redacted, TraceOf } from '#fixtures/trace/trace-of.ts';

let trace: TraceOf;
afterEach(() => trace.close());

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

test('every message is a line, exactly as it was on the wire but for line ends within it', async () => {
  trace = await TraceOf.begin();
  const odd =
    '{"jsonrpc":"2.0", "id":12345678901234567890,"method":"a","method":"b","params":{"z":1.0,"a":"\\u0041 é"}}';
  trace.message('out', odd);
  trace.message('in', '\ufeff{\r\n "jsonrpc": "2.0",\n\n "id": 1,\n "result": {"t":"a\\nb"}}');
  trace.message('in', '[{"jsonrpc":"2.0","method":"x"}, {"jsonrpc" : "2.0","id":7,"result":{}}]');
  trace.message('in', '{"no":"message"}');
  const { text, entries, leftOut } = await trace.export('jsonl', redacted);
  expect(linesOf(text)).toEqual([
    odd,
    '{  "jsonrpc": "2.0",  "id": 1,  "result": {"t":"a\\nb"}}',
    '{"jsonrpc":"2.0","method":"x"}',
    '{"jsonrpc" : "2.0","id":7,"result":{}}',
    '{"no":"message"}',
  ]);
  expect({ entries, leftOut }).toEqual({ entries: 5, leftOut: 0 });
});

test('a batch of one comes apart like any other', async () => {
  trace = await TraceOf.begin();
  trace.message('in', '[{"jsonrpc":"2.0","method":"alone"}]');
  trace.message('in', '\ufeff [ {"jsonrpc":"2.0","method":"in pieces"} ]', [3, 12]);
  trace.message('in', '[[1]]');
  trace.message('in', '[ ]');
  const { text, entries } = await trace.export('jsonl', redacted);
  expect(linesOf(text)).toEqual([
    '{"jsonrpc":"2.0","method":"alone"}',
    '{"jsonrpc":"2.0","method":"in pieces"}',
    '[1]',
    '[ ]',
  ]);
  expect(entries).toBe(4);
});

test('values of a batch that have no rows are lines all the same, and counted', async () => {
  trace = await TraceOf.begin();
  trace.message('in', `[${'1,'.repeat(24_999)}2]`);
  const { text, entries, leftOut } = await trace.export('jsonl', redacted);
  expect(linesOf(text).length).toBe(25_000);
  expect(linesOf(text).at(-1)).toBe('2');
  expect({ entries, leftOut }).toEqual({ entries: 25_000, leftOut: 0 });
  expect((await trace.export('jsonl', redacted, { of: 'rows', rows: [1] })).text).toBe('1\n');
});

test('rows that are not messages are left out and counted', async () => {
  trace = await TraceOf.begin();
  trace.add({ kind: 'phase', phase: 'ready' });
  trace.message('in', 'Listening…');
  trace.message('in', '{"half":');
  trace.add({ kind: 'stderr', text: 'x', size: 1 });
  trace.message('in', '{"jsonrpc":"2.0","method":"x"}');
  const { text, entries, leftOut } = await trace.export('jsonl');
  expect({ text, entries, leftOut }).toEqual({
    text: '{"jsonrpc":"2.0","method":"x"}\n',
    entries: 1,
    leftOut: 4,
  });
});

test('a message in pieces is one line, and of a batch the chosen messages alone come', async () => {
  trace = await TraceOf.begin();
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { long: '😀\n'.repeat(100_000) } });
  trace.message('in', text, [100_000, 200_000, 300_000]);
  trace.message(
    'in',
    '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"c"}]',
    [40],
  );
  const written = await trace.export('jsonl', redacted, { of: 'rows', rows: [3, 0, 2] });
  expect(linesOf(written.text)).toEqual([
    text,
    '{"jsonrpc":"2.0","method":"b"}',
    '{"jsonrpc":"2.0","method":"c"}',
  ]);
});

test('without redaction secrets stay', async () => {
  trace = await TraceOf.begin();
  const text = '{"jsonrpc":"2.0","method":"x","params":{"password":"hunter22"}}';
  trace.message('in', text);
  expect((await trace.export('jsonl', asItIs)).text).toBe(`${text}\n`);
  expect((await trace.export('jsonl', redacted)).text).not.toContain('hunter22');
});
