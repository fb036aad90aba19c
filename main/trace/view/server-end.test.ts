import { expect, onTestFinished, test } from 'vitest';
import { TraceOf } from '#fixtures/trace/trace-of.ts';
import type { ReadableTrace } from '#trace/readable-trace.ts';
import { readServerEnd, withServerEnd } from './server-end.ts';
import { readRows } from './row-reader.ts';

test('a failed read is repeated the next time, and the rows are shown without it', async () => {
  const trace = await TraceOf.begin();
  onTestFinished(() => trace.close());
  trace.message('out', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report"}}');
  trace.add({ kind: 'process', change: { what: 'exit', code: 1, signal: null } });
  trace.add({ kind: 'phase', phase: 'failed', reason: 'The server exited.' });
  const rows = await readRows(trace, [0]);
  const [row] = rows;
  expect(row?.status).toBe('unanswered');

  let isReadable = false;
  const { index, header, findings, durations, file } = trace;
  const flaky: ReadableTrace = {
    index,
    header,
    findings,
    durations,
    file: {
      path: file.path,
      size: file.size,
      readSpan: (from, end) => file.readSpan(from, end),
      read: (spans) => (isReadable ? file.read(spans) : Promise.reject(new Error('cannot be read'))),
    },
    redacted: (value) => value,
    mark: () => {},
  };
  await expect(readServerEnd(flaky)).rejects.toThrow('cannot be read');
  expect(await withServerEnd(flaky, rows)).toEqual(rows);
  isReadable = true;
  expect(await withServerEnd(flaky, rows)).toEqual([{ ...row, serverEnd: 'the server exited with code 1' }]);
});
