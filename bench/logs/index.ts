import { manyLogsServer } from '#fixtures/many-logs/command.ts';
import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { bareFlood, withBareClient } from '../bare/client.ts';
import { count, milliseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { bothLine, ownLine, type Table } from '../report/table.ts';

const MESSAGES = 100_000;
const FEW_MESSAGES = 5000;
/** Milliseconds over the longest gap of an idle page beside the bare client. */
const GAP_GOAL = 50;
/** Frames of a page at rest, to see what the machine itself does to them. */
const IDLE_FRAMES = 120;
/** Places of the list to scroll to, as parts of it. */
const places = [0, 0.5, 0.25, 0.99, 0.01, 0.75];

/** Many log messages while the Logs pane is on screen, next to a bare client and an idle page. */
export async function logsTable(host: Host, rounds: number, isQuick: boolean): Promise<Table> {
  const messages = isQuick ? FEW_MESSAGES : MESSAGES;
  const server = { kind: 'command' as const, ...manyLogsServer(messages) };
  const bare: { readonly time: number; readonly gap: number }[] = [];
  const app: Awaited<ReturnType<typeof measureApp>>[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(
      await withApp(host, { kind: 'nothing' }, ({ page }) =>
        withBareClient(server, async (client) => {
          const { result, gap } = await page.gapDuring(() => bareFlood(client, 'flood', messages));
          return { time: result.time, gap };
        }),
      ),
    );
    app.push(await measureApp(host, server, messages));
  }
  const listed = Math.min(...app.map((one) => one.listed));
  const gap = Math.max(...app.map((one) => one.gap));
  const idlePageGap = Math.max(...bare.map((one) => one.gap));
  const filterGap = Math.max(...app.map((one) => one.filterGap));
  const scrollGap = Math.max(...app.map((one) => one.scrollGap));
  const goal = (worst: number) => ({
    text: `at most ${GAP_GOAL} ms more`,
    isMet: worst <= idlePageGap + GAP_GOAL,
  });
  const gapLine = (what: string, worst: number) =>
    bothLine(what, worst, idlePageGap, milliseconds, goal(worst));
  return {
    title: `logs: ${count(messages)} messages over stdio, the Logs pane on screen; rounds: ${rounds}`,
    lines: [
      bothLine('sent, and in the pane listed', listed, messages, count, {
        text: 'all',
        isMet: listed === messages,
      }),
      bothLine(
        'time until the last is drawn',
        median(app.map((one) => one.time)),
        median(bare.map((one) => one.time)),
        milliseconds,
      ),
      gapLine('longest gap between two frames while they come; of an idle page', gap),
      gapLine('  while the list is filtered by level, logger and text', filterGap),
      gapLine('  while the list is scrolled', scrollGap),
      ownLine('  while nothing happens', Math.max(...app.map((one) => one.idleGap)), milliseconds),
    ],
  };
}

function measureApp(
  host: Host,
  server: { readonly command: string; readonly args: readonly string[] },
  messages: number,
) {
  return withApp(host, { kind: 'command', ...server }, async ({ page }) => {
    await page.showLogs();
    const idleGap = await page.idleGap(IDLE_FRAMES);
    const flood = await page.logFlood(messages);
    const { gap: filterGap } = await page.gapDuring(() => page.filterLogs(messages));
    const { gap: scrollGap } = await page.gapDuring(async () => {
      for (const part of places) await page.scrollLogs(part);
    });
    return { ...flood, idleGap, filterGap, scrollGap };
  });
}
