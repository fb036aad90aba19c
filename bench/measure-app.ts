import { chromium } from 'playwright';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { findOrInstallBrowser } from '#scripts/browser.ts';
import { AppPage } from './app-page.ts';
import { AppProcess } from './app-process.ts';
import type { FloodSettings } from './flood.ts';
import { median } from './median.ts';

export interface AppFigures {
  /** Milliseconds from the click on Run until every row is listed and the last one is on screen. */
  readonly floodTime: number;
  /** Rows the flood added to the table, beside the request and the answer of the call that set it off. */
  readonly listed: number;
  /** Milliseconds between two frames at most: while nothing happens, and during the flood. */
  readonly idleGap: number;
  readonly longestGap: number;
  /** Median microseconds of a call of `echo`, as the table shows them. */
  readonly callTime: number;
  /** The most bytes the engine's process ever held; null where it cannot be told. */
  readonly engineMemory: number | null;
  /** Bytes of JavaScript objects alive in the page after the flood. */
  readonly pageHeap: number;
}

/** A call adds its request and its answer to the table. */
const ROWS_OF_A_CALL = 2;
/** Frames of a page at rest, to see what the machine itself does to them. */
const IDLE_FRAMES = 120;

/** The real app with its trace on screen, driven as a user drives it. */
export async function measureApp(settings: FloodSettings): Promise<AppFigures> {
  const { command, args } = misbehavingServer('on-call', `flood:${settings.count}:${settings.size}`);
  const app = await AppProcess.open(command, args);
  try {
    return await withBrowser((page) => measurePage(page, app, settings), app.address);
  } finally {
    await app.close();
  }
}

async function withBrowser<T>(use: (page: AppPage) => Promise<T>, address: string): Promise<T> {
  const browser = await chromium.launch({
    executablePath: findOrInstallBrowser(),
    // The sandbox of Chromium does not work for root, as in a container.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    return await use(await AppPage.open(page, address));
  } finally {
    await browser.close();
  }
}

async function measurePage(
  page: AppPage,
  app: AppProcess,
  { count, calls }: FloodSettings,
): Promise<AppFigures> {
  await page.chooseTool('echo');
  const callTimes: number[] = [];
  for (let call = 0; call < calls; call++) {
    await page.run(ROWS_OF_A_CALL);
    callTimes.push(await page.lastDuration());
  }
  await page.chooseTool('flood');
  const idleGap = await page.idleGap(IDLE_FRAMES);
  const { time, longestGap, rowsMore } = await page.run(count + ROWS_OF_A_CALL);
  return {
    floodTime: time,
    listed: rowsMore - ROWS_OF_A_CALL,
    idleGap,
    longestGap,
    callTime: median(callTimes),
    engineMemory: await app.mostMemory(),
    pageHeap: await page.heap(),
  };
}
