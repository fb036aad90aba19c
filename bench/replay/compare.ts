import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenedFiles } from '#fixtures/engine/opened-files.ts';
import { count, milliseconds } from '../report/figures.ts';
import { ownLine, type Table, under } from '../report/table.ts';
import { runCli } from './cli.ts';
import { invoiceCall, writeRecording } from './recording.ts';

const GOAL = 5000;

/** Two traces with so many calls, which differ in a time everywhere and in one total of a thousand, are compared. */
export async function compareTable(calls: number): Promise<Table> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-bench-compare-'));
  try {
    const paths = [join(folder, 'one.mcptrace'), join(folder, 'other.mcptrace')] as const;
    for (const [index, path] of paths.entries()) {
      await writeRecording(path, calls, invoiceCall(index + 1), index + 1);
    }
    const opened = await compareOpened(paths);
    const startedAt = performance.now();
    await runCli(['diff', ...paths, '--json'], [1]);
    const terminal = performance.now() - startedAt;
    return {
      title: `two traces of ${count(calls)} calls each are compared`,
      lines: [
        ownLine('traces that are open, until the differences are known', opened.time, milliseconds, {
          ...under(opened.time, GOAL, milliseconds),
        }),
        ownLine('  calls that differ', opened.differ, count, {
          text: count(Math.ceil(calls / 1000)),
          isMet: opened.differ === Math.ceil(calls / 1000),
        }),
        ownLine('sightglass diff, which reads both files first, and prints all', terminal, milliseconds),
      ],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareOpened([one, other]: readonly [string, string]) {
  const files = await OpenedFiles.begin();
  try {
    const [recorded, compared] = await Promise.all([files.read(one), files.read(other)]);
    const startedAt = performance.now();
    const { counts } = await files.engine.call('comparison/compare', {
      recorded: recorded.sessionId,
      other: compared.sessionId,
      rules: [],
      replay: null,
    });
    return { time: performance.now() - startedAt, differ: counts.behavior };
  } finally {
    await files.close();
  }
}
