import { cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App, Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { mostMemory } from '../app/process-figures.ts';
import { count, megabytes, milliseconds } from '../report/figures.ts';
import { ownLine, type Table, under } from '../report/table.ts';
import { overviewTable } from './overview.ts';
import { scrollTable } from './scroll.ts';
import { writeTraceFile } from './trace-file.ts';

const FIRST_GOAL = 1000;
const ALL_GOAL = 5000;
/** With the index beside it. */
const KEPT_GOAL = 1000;
const ENGINE_GOAL = 400e6;
/** Milliseconds that the index may take to be written once a trace was read. */
const INDEX_WITHIN = 120_000;

/**
 * A recorded trace of so many records, opened from the list of traces and jumped about in; and opened once more by a
 * new start of the app, now that its index lies beside it.
 */
export async function openTables(host: Host, records: number): Promise<Table[]> {
  const trace = (home: string) => join(home, 'traces', 'recorded.mcptrace');
  const kept = await mkdtemp(join(tmpdir(), 'sightglass-bench-kept-'));
  try {
    const first = await withApp(
      host,
      { kind: 'nothing' },
      async (app) => {
        const table = await openTable(app, records, { all: ALL_GOAL, without: true });
        const later = [await scrollTable(app), await overviewTable(app)];
        await indexOf(trace(app.home));
        for (const path of [trace(app.home), `${trace(app.home)}.index`]) {
          await cp(path, join(kept, basename(path)), { preserveTimestamps: true });
        }
        return [table, ...later];
      },
      (home) => writeTraceFile(trace(home), records),
    );
    const again = await withApp(
      host,
      { kind: 'nothing' },
      (app) => openTable(app, records, { all: KEPT_GOAL, without: false }),
      (home) => cp(kept, join(home, 'traces'), { recursive: true, preserveTimestamps: true }),
    );
    return [...first, again];
  } finally {
    await rm(kept, { recursive: true, force: true });
  }
}

async function openTable(
  app: App,
  records: number,
  { all, without }: { all: number; without: boolean },
): Promise<Table> {
  const { result: opened, stall } = await app.engine.longestStall(() => app.page.openTrace(records));
  const memory = await mostMemory(app.engine.pid);
  const lines = [
    ownLine(
      'until the first rows are drawn',
      opened.first,
      milliseconds,
      under(opened.first, FIRST_GOAL, milliseconds),
    ),
    ownLine('until all are listed', opened.all, milliseconds, under(opened.all, all, milliseconds)),
    ownLine('  rows', opened.rows, count, { text: count(records), isMet: opened.rows === records }),
    ownLine('  longest gap between two frames', opened.longestGap, milliseconds),
    ownLine('  longest stall of the engine', stall, milliseconds),
    ownLine('memory of the engine, at most', memory, megabytes, under(memory, ENGINE_GOAL, megabytes)),
  ];
  const how = without ? 'without an index' : 'with its index beside it';
  return { title: `a recorded trace of ${count(records)} records, opened from the list ${how}`, lines };
}

/** Waits until the index of a trace is there. */
async function indexOf(path: string): Promise<void> {
  const end = performance.now() + INDEX_WITHIN;
  for (;;) {
    const isThere = await stat(`${path}.index`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (performance.now() > end) throw new Error('the app wrote no index beside the trace');
    await sleep(100);
  }
}
