import { afterEach, beforeEach, expect, test } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import { Patterns } from './redact/patterns.ts';
import { Redaction } from './redact/redaction.ts';
import { Source } from './source.ts';
import { addStderr, lastStderrDuring } from './stderr-of-calls.ts';

let trace: TraceOf;
beforeEach(async () => {
  trace = await TraceOf.begin();
  trace.message('out', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}');
  trace.message('in', '{"jsonrpc":"2.0","id":1,"result":{}}');
});
afterEach(() => trace.close());

test('of many lines printed right after a response only the first are of the call', () => {
  const { columns } = trace.index;
  for (let seq = 2; seq < 5000; seq++)
    trace.addAs({ seq, at: 20, kind: 'stderr', text: `line ${seq}`, size: 9 });
  const { rows, more } = lastStderrDuring(columns, 0, { most: 20, count: columns.count });
  expect({ last: rows.at(-1), all: rows.length + more }).toEqual({ last: 1001, all: 1000 });
});

test('the search for standard error ends when the export is cancelled', async () => {
  const extent = { size: trace.file.size, rows: trace.index.columns.count, isAll: false };
  const learned = Redaction.toLearn(false, new Patterns([]));
  const source = new Source(trace, { count: 1, at: () => 0 }, extent, learned, () => {
    throw new Error('superseded');
  });
  await expect(addStderr(source, new Uint8Array(extent.rows))).rejects.toThrow('superseded');
});
