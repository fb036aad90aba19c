import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { FaultError } from '#shared/contract/fault.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import { type CutLine, LineCutter } from '#trace/opened/line-cutter.ts';
import { OpenedFile } from '#trace/opened/opened-file.ts';
import { bytesOfRecord, readLine } from '#trace/opened/read-line.ts';
import { readerFile } from '#trace/opened/reader-file.ts';
import { RowIndex } from '#trace/rows/row-index.ts';
import { withResolvers } from '#wire/async.ts';
import { readHeaderLine } from './header-line.ts';
import type { Counts } from './row-counts.ts';

/** Bytes read at a time: a few milliseconds of work, after which others have their turn. */
const PIECE = 64 * 1024;
/** Bytes up to which a file, should it be a single message, is read quicker than a thread for it begins. */
const SMALL = 1024 * 1024;

/** Counts the rows of a file, and which of them are errors. */
export type CountRows = (path: string, signal: AbortSignal) => Promise<Counts>;

/**
 * Counts by the very code that rows of sessions and of opened files come from; what it knows of them is dropped at the
 * end. @throws when the file cannot be read or the counting was aborted
 */
export const countRows: CountRows = async (path, signal) => {
  const { size } = await stat(path);
  signal.throwIfAborted();
  return size <= SMALL ? countHere(path, signal) : countInThread(path, signal);
};

/** In this thread, a little at a time. */
const countHere: CountRows = async (path, signal) => {
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

/** In a thread of its own, as an opened file is read: a single message may take seconds. */
const countInThread: CountRows = async (path, signal) => {
  const read = withResolvers<OpenedTrace>();
  const file = new OpenedFile(
    readerFile(),
    { sessionId: 'counted', path, keepsIndex: true },
    {
      changed: (view) => {
        const fault = view.faults.find(({ code }) => unreadable.has(code));
        if (fault !== undefined) read.reject(new FaultError(fault));
        else if (view.isRead) read.resolve(view);
      },
      event: () => undefined,
    },
  );
  const abort = () => read.reject(new Error('the counting was aborted'));
  signal.addEventListener('abort', abort);
  try {
    const [{ counts }] = await Promise.all([read.promise, file.opened()]);
    return { rows: counts.rows, errors: counts.errors };
  } finally {
    signal.removeEventListener('abort', abort);
    await file.close();
  }
};

/** Faults of a file that was not read to its end. */
const unreadable: ReadonlySet<string> = new Set(['trace-not-read', 'trace-truncated', 'trace-reader-failed']);
