import type { Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { bareCallTime, withBareClient } from '../bare/client.ts';
import { microseconds } from '../report/figures.ts';
import { median } from '../report/median.ts';
import { bothLine, type Line, type Table } from '../report/table.ts';
import { floodServers, type TransportName, transports } from '../servers/flood-server.ts';

const GOAL = 1000;
/** The goal is of calls over stdio: an HTTP request takes its own time, which both sides spend elsewhere. */
const withGoal: ReadonlySet<TransportName> = new Set(['stdio']);

/** The time shown for a call that takes no time, against what a bare client measures. */
export async function callTable(host: Host, calls: number): Promise<Table> {
  const lines: Line[] = [];
  for (const transport of transports) lines.push(await callLine(host, transport, calls));
  return { title: `calls of echo, which takes no time; median of ${calls}`, lines };
}

async function callLine(host: Host, transport: TransportName, calls: number): Promise<Line> {
  const server = await floodServers[transport]({ count: 1, size: 200 });
  try {
    const bare = await withBareClient(server.opened, (client) => bareCallTime(client, calls));
    const app = await withApp(host, server.opened, async ({ page }) => {
      await page.showTools();
      await page.chooseTool('echo');
      const times: number[] = [];
      for (let call = 0; call < calls; call++) {
        await page.run(server.rowsOfCall);
        times.push(await page.lastDuration());
      }
      return median(times);
    });
    const goal = { text: 'within 1 ms', isMet: Math.abs(app - bare) <= GOAL };
    return bothLine(
      `time shown over ${transport}`,
      app,
      bare,
      microseconds,
      withGoal.has(transport) ? goal : undefined,
    );
  } finally {
    await server.close();
  }
}
