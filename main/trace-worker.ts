import { parentPort, workerData } from 'node:worker_threads';
import { Checks } from '#checks/checks.ts';
import { readTrace } from '#trace/opened/trace-reader.ts';
import { readerTaskSchema } from '#trace/opened/reader-protocol.ts';

// The thread that reads one trace file: joins what reads it with what looks at its messages.
if (parentPort !== null) {
  await readTrace(parentPort, readerTaskSchema.parse(workerData), (columns) => new Checks(columns));
}
