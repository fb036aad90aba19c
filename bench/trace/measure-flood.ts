import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TraceViewName } from '#shared/contract/trace.ts';
import type { App, Host } from '../app/app.ts';
import { withApp } from '../app/hosts.ts';
import { mostMemory, processorTime } from '../app/process-figures.ts';
import { type BareFigures, bareFlood, withBareClient } from '../bare/client.ts';
import { type FloodSize, floodServers, type TransportName } from '../servers/flood-server.ts';

export interface AppFigures {
  /** Milliseconds from the click on Run until every row is listed and the last one is on screen. */
  readonly time: number;
  /** Notifications the table has in the end; other rows may have come meanwhile, such as pings. */
  readonly listed: number;
  /** Milliseconds between two frames at most: while nothing happens, and during the flood. */
  readonly idleGap: number;
  readonly longestGap: number;
  /** Milliseconds of processor the engine used, and the most bytes it ever held; null where it cannot be told. */
  readonly processor: number | null;
  readonly engineMemory: number | null;
  /** Bytes of JavaScript objects alive in the page after the flood. */
  readonly pageHeap: number;
}

/** Frames of a page at rest, to see what the machine itself does to them. */
const IDLE_FRAMES = 120;

/** The flood by the bare client, beside a page of the app at which nothing happens. */
export async function measureBare(
  host: Host,
  transport: TransportName,
  flood: FloodSize,
): Promise<BareFigures & { readonly idlePageGap: number }> {
  const server = await floodServers[transport](flood);
  try {
    return await withApp(host, { kind: 'nothing' }, ({ page }) =>
      withBareClient(server.opened, async (client) => {
        const { result, gap } = await page.gapDuring(() => bareFlood(client, 'flood', flood.count));
        return { ...result, idlePageGap: gap };
      }),
    );
  } finally {
    await server.close();
  }
}

/** @param after what else is to be done with the app while its table holds the flood */
export async function measureApp(
  host: Host,
  {
    transport,
    view,
    ...flood
  }: FloodSize & { readonly transport: TransportName; readonly view: TraceViewName },
  after: (app: App) => Promise<void> = async () => {},
): Promise<AppFigures> {
  const server = await floodServers[transport](flood);
  try {
    // In the view of calls, a call is one row.
    const rowsOfCall = view === 'calls' ? 1 : server.rowsOfCall;
    return await withApp(
      host,
      server.opened,
      async (app) => {
        const figures = await floodOf(app, flood.count + rowsOfCall);
        await after(app);
        return figures;
      },
      (home) => writeFile(join(home, 'settings.json'), JSON.stringify({ version: 1, traceView: view })),
    );
  } finally {
    await server.close();
  }
}

async function floodOf({ page, engine }: App, rows: number): Promise<AppFigures> {
  await page.showTools();
  await page.chooseTool('flood');
  const idleGap = await page.idleGap(IDLE_FRAMES);
  const before = await processorTime(engine.pid);
  const { time, longestGap } = await page.run(rows);
  const after = await processorTime(engine.pid);
  const [engineMemory, pageHeap] = [await mostMemory(engine.pid), await page.heap()];
  const { matches } = await page.filter('method:notifications/message');
  await page.clearFilter();
  return {
    time,
    listed: matches,
    idleGap,
    longestGap,
    processor: before === null || after === null ? null : after - before,
    engineMemory,
    pageHeap,
  };
}
