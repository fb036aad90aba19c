import type { Locator, Page } from 'playwright';
import { installProbe, type ProbeReading } from './page-probe.ts';

/** Milliseconds for what takes a moment: connecting, listing, one call. */
const SOON = 30_000;
/** Milliseconds without a further row after which no more are expected. */
const GIVE_UP = 15_000;

/** The page of the app, used as a user uses it. */
export class AppPage {
  readonly #page: Page;
  readonly #run: Locator;

  private constructor(page: Page) {
    this.#page = page;
    this.#run = page.getByRole('button', { name: /^Run(?! again)/ });
  }

  /** Opens the address and waits until the server is connected and its tools can be called. */
  static async open(page: Page, address: string): Promise<AppPage> {
    await page.goto(address);
    await page.getByRole('tab', { name: 'Tools' }).click({ timeout: SOON });
    const opened = new AppPage(page);
    await opened.#run.waitFor({ timeout: SOON });
    await page.evaluate(installProbe);
    return opened;
  }

  async chooseTool(name: string): Promise<void> {
    await this.#page.getByRole('option', { name }).click();
  }

  /**
   * Clicks Run and waits until the table has so many rows more and the last of them is on screen, or no more
   * come. The reading covers just that time, which is NaN when rows are missing.
   */
  async run(rowsMore: number): Promise<ProbeReading & { readonly time: number; readonly rowsMore: number }> {
    const { rows } = await this.#read();
    await this.#page.evaluate((until) => window.benchProbe?.reset(until), rows + rowsMore);
    await this.#run.click();
    await this.#page.waitForFunction(
      (giveUp) => {
        const seen = window.benchProbe?.read();
        return seen === undefined || seen.listedAt !== null || seen.stillFor > giveUp;
      },
      GIVE_UP,
      { timeout: 0 },
    );
    const reading = await this.#read();
    return {
      ...reading,
      time: (reading.listedAt ?? Number.NaN) - (reading.clickedAt ?? Number.NaN),
      rowsMore: reading.rows - rows,
    };
  }

  /** The longest gap between two of so many frames while nothing is asked of the page. */
  async idleGap(frames: number): Promise<number> {
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    await this.#page.waitForFunction((count) => (window.benchProbe?.read().frames ?? 0) >= count, frames);
    return (await this.#read()).longestGap;
  }

  /** The duration the table shows in its last row, in microseconds. */
  async lastDuration(): Promise<number> {
    const row = this.#page.getByRole('grid', { name: 'Messages' }).getByRole('row').last();
    return readDuration(await row.innerText());
  }

  /** Bytes of the JavaScript objects that are alive once the garbage has been taken out. */
  async heap(): Promise<number> {
    const devtools = await this.#page.context().newCDPSession(this.#page);
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    await devtools.detach();
    return usedSize;
  }

  async #read(): Promise<ProbeReading> {
    const reading = await this.#page.evaluate(() => window.benchProbe?.read());
    if (reading === undefined) throw new Error('the page was loaded anew, and the probe is gone');
    return reading;
  }
}

const units = { µs: 1, ms: 1000, s: 1_000_000 } as const;

/** Reads `312 µs`, `1.1 ms` or `5.012 s` out of a text, in microseconds. */
export function readDuration(text: string): number {
  const found = /([\d.]+)\s(µs|ms|s)\b/u.exec(text);
  const [, figure, unit] = found ?? [];
  if (unit !== 'µs' && unit !== 'ms' && unit !== 's') throw new Error(`There is no duration in "${text}"`);
  return Number(figure) * units[unit];
}
