import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { mostMemory } from '../app/process-figures.ts';
import { megabytes, milliseconds } from '../report/figures.ts';
import { ownLine, type Table } from '../report/table.ts';

/** The request, the large unit, the answer. */
const ROWS = 3;
const PAGE_GOAL = 100;
const ENGINE_GOAL = 250;
const TOOL = 'huge-frame';
/** What the large unit repeats. */
const PATTERN = '0123456789abcdef';

/**
 * One unit of so many MiB: on record, listed and opened, while page and engine go on with other things. A bare client
 * has no figure: it gives up at 10 MiB, and with a higher limit copies all it has with each chunk, which takes minutes.
 */
export async function largeUnitTable(host: Host, mebibytes: number): Promise<Table> {
  const server = { kind: 'command' as const, ...misbehavingServer('on-call', `${TOOL}:${mebibytes}`) };
  return withApp(host, server, async ({ page, engine }) => {
    await page.showTools();
    await page.chooseTool(TOOL);
    const idle = await engine.longestStall(() => page.idleGap(120));
    const { result: listed, stall } = await engine.longestStall(() => page.run(ROWS));
    const { result: opened, stall: openStall } = await engine.longestStall(() =>
      page.openRow(listed.rows - 2, PATTERN),
    );
    const atMost = (value: number, limit: number) => ({
      text: `at most ${limit} ms`,
      isMet: value <= limit,
    });
    return {
      title: `one unit of ${mebibytes} MiB over stdio`,
      lines: [
        ownLine('until it is listed, and the answer after it', listed.time, milliseconds, {
          text: 'listed',
          isMet: listed.rowsMore === ROWS,
        }),
        ownLine(
          '  longest gap between two frames',
          listed.longestGap,
          milliseconds,
          atMost(listed.longestGap, PAGE_GOAL),
        ),
        ownLine('  longest stall of the engine', stall, milliseconds, atMost(stall, ENGINE_GOAL)),
        ownLine('opened in part', opened.time, milliseconds, {
          text: 'shown',
          isMet: Number.isFinite(opened.time),
        }),
        ownLine(
          '  longest gap between two frames',
          opened.longestGap,
          milliseconds,
          atMost(opened.longestGap, PAGE_GOAL),
        ),
        ownLine('  longest stall of the engine', openStall, milliseconds, atMost(openStall, ENGINE_GOAL)),
        ownLine('at rest: longest gap between two frames', idle.result, milliseconds),
        ownLine('  longest stall of the engine', idle.stall, milliseconds),
        ownLine('memory of the engine, at most', await mostMemory(engine.pid), megabytes),
      ],
    };
  });
}
