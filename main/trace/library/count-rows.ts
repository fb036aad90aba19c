import { createReadStream } from 'node:fs';
import { type CutLine, LineCutter } from '#trace/opened/line-cutter.ts';
import { bytesOfRecord, readLine } from '#trace/opened/read-line.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import { readHeaderLine } from './header-line.ts';
import type { Counts } from './row-counts.ts';

/** Bytes read at a time: a few milliseconds of work, after which others have their turn. */
const PIECE = 64 * 1024;

/** Counts the rows of a file, and which of them are errors. */
export type CountRows = (path: string, signal: AbortSignal) => Promise<Counts>;

/**
 * Counts in this thread, a little at a time, by the very code that rows of sessions and of opened files come from; what
 * it knows of them is dropped at the end. @throws when the file cannot be read or the counting was aborted
 */
export const countRows: CountRows = async (path, signal) => {
  const { upgrade, end } = await readHeaderLine(path);
  const index = new RowIndex();
  const cutter = new LineCutter(end);
  const take = (line: CutLine): void => {
    const reading = readLine(line, upgrade);
    if (reading === null || 'why' in reading) return;
    const { record, offset, length } = reading;
    index.add(record, { offset, length }, bytesOfRecord(record));
  };
  for await (const piece of createReadStream(path, { start: end, highWaterMark: PIECE, signal })) {
    cutter.push(Buffer.from(piece), take);
  }
  const { rest, offset } = cutter;
  take({ bytes: rest, from: 0, to: rest.length, offset, length: rest.length });
  return { rows: index.columns.count, errors: index.errors };
};
