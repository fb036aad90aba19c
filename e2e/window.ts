import { expect, type Locator, type Page } from 'playwright/test';

/** More stops than any screen has. */
const STOPS = 80;

/** What `Window.excess` gives while nothing is too wide. */
export const NO_EXCESS = { document: 0, body: 0, shell: 0, parts: 0 };

/** The window as its user sees it: places by role and name, and what is done there. */
export class Window {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  get servers(): Locator {
    return this.page.getByRole('navigation', { name: 'Servers' });
  }

  get status(): Locator {
    return this.page.getByRole('contentinfo', { name: 'Session status' });
  }

  get trace(): Trace {
    return new Trace(this.page.getByRole('region', { name: 'Trace', exact: true }));
  }

  server(name: string): Locator {
    return this.servers.getByRole('button', { name: new RegExp(`^${escaped(name)}`) });
  }

  pane(name: string): Locator {
    return this.page.getByRole('tabpanel', { name: new RegExp(`^${name}`) });
  }

  async show(pane: string): Promise<void> {
    await this.page
      .getByRole('tablist', { name: 'Panes' })
      .getByRole('tab', { name: new RegExp(`^${pane}`) })
      .click();
  }

  /** Adds a server by its command line; stops where the app asks whether it may be run. */
  async addServer(name: string, commandLine: string): Promise<void> {
    await this.servers.getByRole('button', { name: 'Add server' }).click();
    const form = this.page.getByRole('form', { name: 'Add a server' });
    await form.getByLabel('Command line').fill(commandLine);
    await form.getByLabel('Name', { exact: true }).fill(name);
    await form.getByRole('button', { name: 'Save and connect' }).click();
  }

  /** Says yes to the command line that the app shows. */
  async approve(): Promise<void> {
    await this.page
      .getByRole('region', { name: 'Run this command?' })
      .getByRole('button', { name: 'Run it' })
      .click();
  }

  /** Adds a server, approves it and waits until it is ready. */
  async connectTo(name: string, commandLine: string): Promise<void> {
    await this.addServer(name, commandLine);
    await this.approve();
    await this.expectPhase('ready');
  }

  /** Goes on with Tab until the place has the focus. */
  async tabTo(place: Locator): Promise<void> {
    for (let stop = 0; stop < STOPS; stop++) {
      if (await place.evaluate((element) => element === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    await expect(place, 'reached with Tab').toBeFocused();
  }

  async expectPhase(word: string): Promise<void> {
    await expect(this.status).toContainText(word);
  }

  /** By how many pixels the document, the shell, or what the shell holds is wider than the window. */
  excess(): Promise<typeof NO_EXCESS> {
    return this.page.evaluate(() => {
      const shell = document.querySelector('main')?.parentElement;
      const root = document.documentElement;
      return {
        document: root.scrollWidth - innerWidth,
        body: document.body.scrollWidth - innerWidth,
        shell: (shell?.scrollWidth ?? Number.NaN) - innerWidth,
        parts: Math.max(
          ...[...(shell?.children ?? [])].map(
            (part) => Math.ceil(part.getBoundingClientRect().right) - innerWidth,
          ),
        ),
      };
    });
  }

  /** The pid of the server's process, as the status bar tells it. */
  async serverPid(): Promise<number> {
    await expect(this.status).toContainText(/pid \d+/);
    return Number(/pid (\d+)/.exec((await this.status.textContent()) ?? '')?.[1]);
  }
}

/** The trace under the pane: the filter, the rows that are drawn, the detail of one. */
export class Trace {
  readonly region: Locator;

  constructor(region: Locator) {
    this.region = region;
  }

  get table(): Locator {
    return this.region.getByRole('treegrid', { name: 'Messages' });
  }

  /** Drawn rows with this in one cell, such as a method or `stderr`, that hold the texts besides. */
  rows(cell: string, ...texts: readonly (string | RegExp)[]): Locator {
    const page = this.region.page();
    return texts.reduce<Locator>(
      (rows, text) => rows.filter({ hasText: text }),
      this.table
        .locator('[role=row][data-place]')
        .filter({ has: page.getByRole('gridcell', { name: cell, exact: true }) }),
    );
  }

  /** The detail of the chosen row. */
  get detail(): Locator {
    return this.region.getByRole('region', { name: /^Row/ });
  }

  /** Filters the rows, and waits until all were looked through. */
  async filter(text: string): Promise<void> {
    const box = this.region.getByRole('combobox', { name: 'Filter the trace' });
    await box.fill('');
    await expect(this.#filtered).toHaveAttribute('data-filter', '');
    if (text !== '') {
      await box.fill(text);
      await this.expectFilter(text);
    }
    // On to the rows, which the completions would cover.
    await box.press('Enter');
  }

  /** Waits until all rows were looked through by this filter. */
  async expectFilter(text: string): Promise<void> {
    await expect(this.#filtered).toHaveAttribute('data-filter', text);
    await this.expectFiltered();
  }

  get #filtered(): Locator {
    return this.region.locator('[data-filter]');
  }

  /** Waits until all rows were looked through by the filter that was typed. */
  async expectFiltered(): Promise<void> {
    await expect(this.#found).toHaveText(/^[\d,]+ of [\d,]+$/);
  }

  /** How many rows match, such as `3 of 40`; more comes behind it while rows are looked through. */
  get #found(): Locator {
    return this.region.getByRole('status').filter({ hasText: /\d of \d/ });
  }

  /** Waits until the table has this many rows. The header is a row too. */
  async expectCount(count: number): Promise<void> {
    await expect(this.table).toHaveAttribute('aria-rowcount', String(count + 1));
  }

  async count(): Promise<number> {
    return Number(await this.table.getAttribute('aria-rowcount')) - 1;
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
