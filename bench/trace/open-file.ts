import { join } from 'node:path';
import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { mostMemory } from '../app/process-figures.ts';
import { count, megabytes, milliseconds } from '../report/figures.ts';
import { ownLine, type Table, under } from '../report/table.ts';
import { scrollTable } from './scroll.ts';
import { writeTraceFile } from './trace-file.ts';

const FIRST_GOAL = 1000;
const ALL_GOAL = 3000;
const ENGINE_GOAL = 400e6;

/** A recorded trace of so many records, opened from the list of traces, and jumped about in. */
export async function openTables(host: Host, records: number): Promise<Table[]> {
  const prepare = (home: string) => writeTraceFile(join(home, 'traces', 'recorded.mcptrace'), records);
  return withApp(
    host,
    { kind: 'nothing' },
    async (app) => {
      const { result: opened, stall } = await app.engine.longestStall(() => app.page.openTrace(records));
      const memory = await mostMemory(app.engine.pid);
      const lines = [
        ownLine(
          'until the first rows are drawn',
          opened.first,
          milliseconds,
          under(opened.first, FIRST_GOAL, milliseconds),
        ),
        ownLine('until all are listed', opened.all, milliseconds, under(opened.all, ALL_GOAL, milliseconds)),
        ownLine('  rows', opened.rows, count, { text: count(records), isMet: opened.rows === records }),
        ownLine('  longest gap between two frames', opened.longestGap, milliseconds),
        ownLine('  longest stall of the engine', stall, milliseconds),
        ownLine('memory of the engine, at most', memory, megabytes, under(memory, ENGINE_GOAL, megabytes)),
      ];
      const title = `a recorded trace of ${count(records)} records, opened from the list`;
      return [{ title, lines }, await scrollTable(app)];
    },
    prepare,
  );
}
