import { parentPort, workerData } from 'node:worker_threads';
import { Checks } from '#checks/checks.ts';
import { recordedHandlers } from '#session/recorded/recorded-session.ts';
import { readTrace } from '#trace/opened/trace-reader.ts';
import { readerTaskSchema } from '#trace/opened/reader-protocol.ts';

// The entry of the thread that reads one trace file: joins the reader with the checks and the recorded session.
if (parentPort !== null) {
  await readTrace(
    parentPort,
    readerTaskSchema.parse(workerData),
    (columns) => new Checks(columns),
    recordedHandlers,
  );
}
