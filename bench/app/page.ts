import type { Locator, Page } from 'playwright';
import { installProbe, type ProbeReading } from './page-probe.ts';

/** Milliseconds for what takes a moment: connecting, listing, one call. */
const SOON = 30_000;
/** Milliseconds without a further row after which no more are expected. */
const GIVE_UP = 15_000;
/** Milliseconds between two keys of someone who types fast. */
const BETWEEN_KEYS = 100;

/**
 * How long a filter took, from the page's command on, where that can be seen, and from the last key to the first
 * matches on screen.
 */
export interface FilterTimes {
  readonly first: number | null;
  readonly done: number | null;
  readonly drawn: number;
  readonly matches: number;
}

/** The page of the app, used as a user uses it. */
export class AppPage {
  readonly #page: Page;
  readonly #run: Locator;

  private constructor(page: Page) {
    this.#page = page;
    this.#run = page.getByRole('button', { name: /^Run(?! again)/ });
  }

  /** Waits until the app is on screen and knows its servers. */
  static async shown(page: Page): Promise<AppPage> {
    await page.getByRole('navigation').first().waitFor({ timeout: SOON });
    await page.getByRole('contentinfo').waitFor({ timeout: SOON });
    await page.evaluate(installProbe);
    return new AppPage(page);
  }

  /** Waits until the server is connected and its tools can be called. */
  async showTools(): Promise<void> {
    await this.#page.getByRole('tab', { name: 'Tools' }).click({ timeout: SOON });
    await this.#run.waitFor({ timeout: SOON });
  }

  /**
   * Reads the list of tools again, until it has so many; gives the milliseconds from the response of the server to
   * the frame that shows the list.
   */
  async reloadTools(count: number): Promise<number> {
    const pane = this.#page.getByRole('tabpanel', { name: /^Tools/ });
    const shown = this.#page.waitForFunction(
      (text) =>
        [...document.querySelectorAll('[role=tabpanel] [role=status]')].some(
          ({ textContent }) => textContent === text,
        )
          ? performance.now()
          : null,
      `${count.toLocaleString('en-US')} tools`,
      { timeout: SOON, polling: 'raf' },
    );
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    await pane.getByRole('button', { name: 'Reload the tools' }).click();
    const shownAt = await (await shown).jsonValue();
    const { actedAt } = await this.reading();
    return (shownAt ?? Number.NaN) - (actedAt ?? Number.NaN) - (await this.lastDuration()) / 1000;
  }

  /**
   * Types into the search field of the tools and clears it again; gives for each key, and for the clearing, the milliseconds
   * until the frame after it was drawn.
   */
  async searchTools(text: string): Promise<{ readonly keys: number[]; readonly cleared: number }> {
    const field = this.#page.getByRole('searchbox', { name: 'Find a tool' });
    await field.fill('');
    const probe = await field.evaluateHandle((input) => {
      const times: number[] = [];
      const listener = ({ timeStamp }: Event) =>
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp)));
      input.addEventListener('keydown', listener);
      return { times, end: () => input.removeEventListener('keydown', listener) };
    });
    await field.pressSequentially(text, { delay: BETWEEN_KEYS });
    await field.press('Control+a');
    await field.press('Delete');
    // Control, A and Delete are keys too.
    const count = text.length + 3;
    await this.#page.waitForFunction(
      ({ measured, keys }) => measured.times.length === keys,
      { measured: probe, keys: count },
      { timeout: SOON },
    );
    const times = await probe.evaluate((measured) => {
      measured.end();
      return measured.times;
    });
    return { keys: times.slice(0, text.length), cleared: times.at(-1) ?? Number.NaN };
  }

  /**
   * Composes a call in the composer, and asks so often for the names of tools; gives for each time the milliseconds until
   * some were drawn.
   */
  async completeTools(times: number): Promise<number[]> {
    await this.#page.getByRole('tab', { name: /^Composer/ }).click({ timeout: SOON });
    const editor = this.#page.getByRole('code').getByRole('textbox', { name: 'Message as JSON' });
    await editor.waitFor({ timeout: SOON });
    await editor.press('ControlOrMeta+A');
    await editor.press('Delete');
    const { keyboard } = this.#page;
    const [before, after] = ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"', '"}}'];
    await keyboard.insertText(before + after);
    for (let step = 0; step < after.length; step++) await keyboard.press('ArrowLeft');
    const taken: number[] = [];
    for (let time = 0; time < times; time++) {
      const drawn = await this.#page.evaluateHandle(() => {
        const seen: { at: number | null } = { at: null };
        // The editor shows the list before it calls it visible.
        const rows = '.suggest-widget[monaco-visible-content-widget] .monaco-list-row';
        const isDrawn = () => document.querySelector(rows)?.textContent?.includes('_') ?? false;
        const onKey = ({ timeStamp, code }: KeyboardEvent) => {
          if (code !== 'Space') return;
          window.removeEventListener('keydown', onKey, true);
          const look = () => {
            // The frame is on screen once it has been drawn.
            if (isDrawn()) setTimeout(() => (seen.at = performance.now() - timeStamp));
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        };
        window.addEventListener('keydown', onKey, true);
        return seen;
      });
      await keyboard.press('Control+Space');
      await this.#page.waitForFunction((seen) => seen.at !== null, drawn, { timeout: SOON });
      taken.push((await drawn.jsonValue()).at ?? Number.NaN);
      await this.#page.locator('.suggest-widget.visible').waitFor({ timeout: SOON });
      await keyboard.press('Escape');
      await this.#page.locator('.suggest-widget').waitFor({ state: 'hidden', timeout: SOON });
    }
    return taken;
  }

  /** Waits until the server is connected and its log level can be set. */
  async showLogs(): Promise<void> {
    await this.#page.getByRole('tab', { name: /^Logs/ }).click({ timeout: SOON });
    await this.#logLevel.waitFor({ timeout: SOON });
    // Connecting shows the tools, unless the user has begun to use another pane.
    await this.#logList.waitFor({ timeout: SOON });
  }

  /**
   * Sets a log level, upon which the server sends so many messages; waits until the last is drawn in the pane, or no more
   * come. Times are milliseconds.
   */
  async logFlood(messages: number): Promise<{ time: number; listed: number; gap: number }> {
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    const startedAt = await this.#page.evaluate(() => performance.now());
    await this.#logLevel.selectOption('debug');
    const drawnAt = await this.#lastLogDrawn(messages);
    const { longestGap } = await this.reading();
    const shown = await this.#logsPane.getByText(/ shown$/).innerText();
    return {
      time: drawnAt - startedAt,
      listed: Number(shown.replaceAll(/\D/g, '')),
      gap: longestGap,
    };
  }

  /** Filters the messages by level, by logger and by text, and shows all of them again. */
  async filterLogs(messages: number): Promise<void> {
    const level = this.#logsPane.getByRole('combobox', { name: 'Show from level' });
    await level.selectOption('error and up');
    await this.#lastLogDrawn(messages / 2);
    await level.selectOption('every level');
    await this.#lastLogDrawn(messages);
    await this.#logsPane.getByRole('button', { name: /^http: / }).click();
    await this.#lastLogDrawn(messages / 4);
    await this.#logsPane.getByRole('button', { name: /^all loggers: / }).click();
    await this.#logsPane.getByRole('searchbox', { name: 'Search the logs' }).fill('"message 77"');
    await this.#lastLogDrawn(1);
    await this.#logsPane.getByRole('searchbox', { name: 'Search the logs' }).fill('');
    await this.#lastLogDrawn(messages);
  }

  /** Scrolls to a part of the messages, from 0 to 1, and waits until those there are drawn. */
  async scrollLogs(part: number): Promise<void> {
    await this.#logList.evaluate((list, to) => {
      list.scrollTop = to * (list.scrollHeight - list.clientHeight);
    }, part);
    await this.#page.waitForFunction(
      () => {
        const lines = [...document.querySelectorAll('[aria-label="Log messages"] [role=option]')];
        return lines.length > 1 && lines.every((line) => line.textContent !== '');
      },
      undefined,
      { timeout: SOON, polling: 'raf' },
    );
  }

  /** When the last of so many log messages was drawn; NaN if it never was. */
  async #lastLogDrawn(messages: number): Promise<number> {
    return this.#page
      .waitForFunction(
        (count) => {
          const last = document.querySelector(
            `[aria-label="Log messages"] [role=option][aria-setsize="${count}"][aria-posinset="${count}"]`,
          );
          return last !== null && last.textContent !== '' ? performance.now() : null;
        },
        messages,
        { timeout: SOON, polling: 'raf' },
      )
      .then((found) => found.jsonValue())
      .then((at) => at ?? Number.NaN)
      .catch(() => Number.NaN);
  }

  get #logsPane(): Locator {
    return this.#page.getByRole('tabpanel', { name: /^Logs/ });
  }

  get #logLevel(): Locator {
    return this.#logsPane.getByRole('combobox', { name: 'Log level' });
  }

  get #logList(): Locator {
    return this.#logsPane.getByRole('listbox', { name: 'Log messages' });
  }

  async chooseTool(name: string): Promise<void> {
    await this.#page.getByRole('option', { name }).click();
  }

  /**
   * Clicks Run and waits until the table has so many rows more and the last of them is on screen, or no more
   * come. The reading covers just that time, which is NaN when rows are missing.
   */
  async run(rowsMore: number): Promise<ProbeReading & { readonly time: number; readonly rowsMore: number }> {
    const { rows } = await this.reading();
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
    const reading = await this.reading();
    return {
      ...reading,
      time: (reading.listedAt ?? Number.NaN) - (reading.actedAt ?? Number.NaN),
      rowsMore: reading.rows - rows,
    };
  }

  /** The longest gap between two of so many frames while nothing is asked of the page. */
  async idleGap(frames: number): Promise<number> {
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    await this.#page.waitForFunction((count) => (window.benchProbe?.read().frames ?? 0) >= count, frames);
    return (await this.reading()).longestGap;
  }

  /** The longest gap between two frames while something else is done and nothing is asked of the page. */
  async gapDuring<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly gap: number }> {
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    const result = await work();
    return { result, gap: (await this.reading()).longestGap };
  }

  /** Scrolls to a part of the table, from 0 to 1; gives the milliseconds until its rows were drawn. */
  async jump(part: number): Promise<number> {
    const time = await this.#page.evaluate((to) => window.benchProbe?.jump(to), part);
    return time ?? Number.NaN;
  }

  /** Sorts the table by a column, until its rows are drawn in that order; milliseconds. Then clears the order again. */
  async sort(column: string): Promise<number> {
    const table = this.#page.getByRole('treegrid', { name: 'Messages' });
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    const drawn = this.#page.waitForFunction(
      () => {
        // Without a filter or an order nothing has this role.
        const isDone =
          document.querySelector('[role=status][data-filter]')?.getAttribute('aria-busy') === 'false';
        const isDrawn = document.querySelector('[role=treegrid] [data-place="0"][data-row]') !== null;
        return isDone && isDrawn ? performance.now() : null;
      },
      undefined,
      { timeout: SOON, polling: 'raf' },
    );
    await table.getByRole('columnheader', { name: column, exact: true }).click();
    const drawnAt = await (await drawn).jsonValue();
    const { actedAt } = await this.reading();
    // The head of the numbers stands for the order of the trace.
    await table.getByRole('columnheader', { name: '#', exact: true }).click();
    await this.#page.locator('[role=status][data-filter]').waitFor({ state: 'detached', timeout: SOON });
    return (drawnAt ?? Number.NaN) - (actedAt ?? Number.NaN);
  }

  /** Shows the trace again after its statistics; gives the milliseconds until its overview was drawn. */
  async showOverview(): Promise<number> {
    const trace = this.#page.getByRole('region', { name: 'Trace', exact: true });
    await trace.getByRole('radio', { name: 'Statistics' }).click();
    await trace.locator('[aria-label="Statistics"][aria-busy=false]').waitFor({ timeout: SOON });
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    const drawn = this.#page.waitForFunction(
      () => (document.querySelector('.trace-overview canvas[data-drawn]') ? performance.now() : null),
      undefined,
      { timeout: SOON, polling: 'raf' },
    );
    await trace.getByRole('radio', { name: 'Trace' }).click();
    const drawnAt = await (await drawn).jsonValue();
    const { actedAt } = await this.reading();
    return (drawnAt ?? Number.NaN) - (actedAt ?? Number.NaN);
  }

  /** Opens the one recorded trace there is; times are milliseconds until some rows are drawn, and all are listed. */
  async openTrace(rows: number): Promise<ProbeReading & { readonly first: number; readonly all: number }> {
    const entry = this.#page.locator('button[data-trace]');
    await entry.waitFor({ timeout: SOON });
    await this.#page.evaluate((until) => window.benchProbe?.reset(until), rows);
    await entry.click();
    await this.#page.waitForFunction(
      (giveUp) => {
        const seen = window.benchProbe?.read();
        const isThere = seen?.countedAt !== null && seen?.anyAt !== null;
        return isThere || (seen?.stillFor ?? 0) > giveUp;
      },
      GIVE_UP,
      { timeout: 0, polling: 'raf' },
    );
    const reading = await this.reading();
    const since = (at: number | null) => (at ?? Number.NaN) - (reading.actedAt ?? Number.NaN);
    return { ...reading, first: since(reading.anyAt), all: since(reading.countedAt) };
  }

  /** Selects a row and waits until its detail shows the text; the time is NaN when that never comes. */
  async openRow(place: number, text: string): Promise<ProbeReading & { readonly time: number }> {
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    await this.#page.locator(`[role=row][data-place="${place}"]`).click();
    const shownAt = await this.#page
      .waitForFunction((wanted) => window.benchProbe?.shownAt(wanted), text, {
        timeout: SOON,
        polling: 'raf',
      })
      .then((found) => found.jsonValue())
      .catch(() => null);
    const reading = await this.reading();
    return { ...reading, time: (shownAt ?? Number.NaN) - (reading.actedAt ?? Number.NaN) };
  }

  /** Filters the table; times are milliseconds. */
  async filter(text: string): Promise<FilterTimes> {
    await this.clearFilter();
    await this.#page.evaluate(() => window.benchProbe?.reset(Number.POSITIVE_INFINITY));
    await this.#filterBox.fill(text);
    await this.#page.waitForFunction(
      () => {
        const seen = window.benchProbe?.filtered();
        return seen?.doneAt !== null && (seen?.drawnAt !== null || seen.matches === 0);
      },
      undefined,
      { timeout: SOON, polling: 'raf' },
    );
    const seen = await this.#page.evaluate(() => window.benchProbe?.filtered());
    const { actedAt } = await this.reading();
    const sinceAsked = (at: number | null | undefined) =>
      typeof seen?.askedAt === 'number' && typeof at === 'number' ? at - seen.askedAt : null;
    return {
      first: sinceAsked(seen?.firstAt),
      done: sinceAsked(seen?.doneAt),
      drawn: (seen?.drawnAt ?? Number.NaN) - (actedAt ?? Number.NaN),
      matches: seen?.matches ?? Number.NaN,
    };
  }

  /** Shows the whole table again. */
  async clearFilter(): Promise<void> {
    await this.#filterBox.fill('');
  }

  get #filterBox(): Locator {
    return this.#page.getByLabel('Filter the trace', { exact: true });
  }

  /** The duration the table shows in its last row, in microseconds. */
  async lastDuration(): Promise<number> {
    const row = this.#page.getByRole('treegrid', { name: 'Messages' }).getByRole('row').last();
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

  /** Addresses of the scripts that the page had asked for when it first showed something. */
  async firstScripts(): Promise<string[]> {
    return this.#page.evaluate(() => {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return performance
        .getEntriesByType('resource')
        .filter(({ startTime }) => paint === undefined || startTime < paint.startTime)
        .map(({ name }) => name)
        .filter((name) => new URL(name).pathname.endsWith('.js'));
    });
  }

  async reading(): Promise<ProbeReading> {
    const reading = await this.#page.evaluate(() => window.benchProbe?.read());
    if (reading === undefined) throw new Error('the page was reloaded, and the probe is gone');
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
