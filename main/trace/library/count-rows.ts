import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type TraceRecord, traceRecordSchema } from '#shared/trace/record.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import type { Counts } from './row-counts.ts';

/** Milliseconds of work before others have their turn. */
const SLICE = 8;
const NEWLINE = 0x0a;

/** Counts the rows of a file, and which of them are errors. */
export type CountRows = (path: string, signal: AbortSignal) => Promise<Counts>;

/**
 * Counts in this thread, a little at a time, with the very code that a live session counts by; what it knows of the rows
 * is dropped at the end. @throws when the file cannot be read or the counting was aborted
 */
export const countRows: CountRows = async (path, signal) => {
  const index = new RowIndex();
  let isHeader = true;
  let until = performance.now() + SLICE;
  for await (const line of linesOf(path, signal)) {
    if (isHeader) isHeader = false;
    else count(index, line);
    if (performance.now() < until) continue;
    await setImmediate();
    signal.throwIfAborted();
    until = performance.now() + SLICE;
  }
  return { rows: index.columns.count, errors: index.errors };
};

/** What is no record counts for nothing, as when the file is opened. */
function count(index: RowIndex, line: Buffer): void {
  const record = recordOf(line);
  if (record !== null) index.add(record, NOWHERE, bytesOf(record));
}

function bytesOf(record: TraceRecord): Buffer {
  if ('text' in record && record.text !== undefined) return Buffer.from(record.text);
  return Buffer.from('base64' in record ? (record.base64 ?? '') : '', 'base64');
}

function recordOf(line: Buffer): TraceRecord | null {
  try {
    return traceRecordSchema.safeParse(JSON.parse(line.toString())).data ?? null;
  } catch {
    return null;
  }
}

/** Nobody reads the lines again. */
const NOWHERE = { offset: 0, length: 0 };

async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const read of createReadStream(path, { highWaterMark: 256 * 1024, signal })) {
    const bytes = Buffer.from(read);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, bytes.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
  }
}
