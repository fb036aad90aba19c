import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page, type TestInfo } from 'playwright/test';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';
import { ElectronApps } from './hosts/electron.ts';
import type { AppHost, Launch, NativeMenus, RunningApp } from './hosts/host.ts';
import { WebApps } from './hosts/web.ts';
import { descendantsOf, type ProcessRef, stillRunning } from './processes.ts';

export interface HostOption {
  host: 'web' | 'electron';
}

/** The app under test, with a data folder of its own. */
export class App {
  readonly host: HostOption['host'];
  readonly home: string;
  readonly #apps: AppHost;
  #running: RunningApp | undefined;
  #printed = '';
  /** What went wrong in the page: errors on its console, a broken Content-Security-Policy among them. */
  readonly #complaints: string[] = [];
  readonly #expected: RegExp[] = [];
  /** Done to a page before it loads for the first time; in the browser alone, where pages are ours. */
  beforeLoad: (page: Page) => Promise<void> = () => Promise.resolve();
  /** What the trace lists at the first start: most specs look at every message. */
  traceView: Settings['traceView'] = 'messages';
  /** What else the next start gets. */
  launch: Launch = { env: {}, switches: [] };

  constructor(host: HostOption['host'], home: string, apps: AppHost) {
    this.host = host;
    this.home = home;
    this.#apps = apps;
  }

  /** Starts the app, with a server's command line behind `--` if one is given. */
  async open(...command: readonly string[]): Promise<Page> {
    await this.#chooseView();
    this.#running = await this.#apps.start({
      home: this.home,
      command,
      launch: this.launch,
      beforeLoad: async (page) => {
        this.watch(page);
        await this.beforeLoad(page);
      },
    });
    return this.page;
  }

  /** Writes what the trace lists to the settings, unless there are some. */
  async #chooseView(): Promise<void> {
    if (this.traceView === defaultSettings.traceView) return;
    const text = JSON.stringify({ version: 1, traceView: this.traceView });
    await writeFile(join(this.home, 'settings.json'), text, { flag: 'wx', mode: 0o600 }).catch(() => null);
  }

  /** Has a page's complaints fail the test. */
  watch(page: Page): void {
    page.on('pageerror', (error) => this.#complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#complaints.push(message.text());
    });
  }

  /** Says that the page may complain of this. */
  expectComplaint(pattern: RegExp): void {
    this.#expected.push(pattern);
  }

  get page(): Page {
    return this.#now.page;
  }

  /** Every page that is open; none when the app is not. */
  get pages(): Page[] {
    return this.#running?.page.context().pages() ?? [];
  }

  get enginePid(): number {
    return this.#now.enginePid;
  }

  /** The address that let the page in. */
  get address(): string {
    const { address } = this.#now;
    if (address === null) throw new Error('This host has no address');
    return address;
  }

  /** Ends the page's process as a crash does. */
  async crashPage(): Promise<void> {
    const { crashPage } = this.#now;
    if (crashPage === undefined) throw new Error('This host does not bring back its page');
    await crashPage();
  }

  /** What the page shows, also after a crash. */
  async pageText(): Promise<string> {
    const { pageText } = this.#now;
    if (pageText === undefined) throw new Error('This host does not bring back its page');
    return pageText();
  }

  /** Keeps the URLs for the system's browser instead of opening them; returns those so far. */
  keptUrls(): Promise<readonly string[]> {
    const { keptUrls } = this.#now;
    if (keptUrls === undefined) throw new Error('This host opens no URLs');
    return keptUrls();
  }

  /** Cancels the dialogs of the system that choose files; returns the titles of those so far. */
  keptDialogs(): Promise<readonly string[]> {
    const { keptDialogs } = this.#now;
    if (keptDialogs === undefined) throw new Error('This host opens no dialogs of the system');
    return keptDialogs();
  }

  /** Opens a URL that the app gave to the system's browser, in a browser of this machine. */
  openTab(url: string): Promise<Page> {
    const { openTab } = this.#now;
    if (openTab === undefined) throw new Error('This host opens no URLs');
    return openTab(url);
  }

  get menus(): NativeMenus {
    const { menus } = this.#now;
    if (menus === undefined) throw new Error('This host has no native menus');
    return menus;
  }

  /** Resolves when the app's process has ended, which something else brought about. */
  get ended(): Promise<void> {
    return this.#now.ended;
  }

  /** What the app's process has printed, of this start and those before. */
  get printed(): string {
    return this.#printed + (this.#running?.output() ?? '');
  }

  /** Processes below the engine whose command line holds one of the words. */
  serversRunning(...words: readonly string[]): ProcessRef[] {
    return descendantsOf(this.enginePid).filter(({ command }) =>
      words.some((word) => command.includes(word)),
    );
  }

  /** Ends the app and starts it again on the same data, without a command line. */
  async restart(): Promise<Page> {
    await this.close();
    return this.open();
  }

  /** Ends the app as its user does and checks that nothing of it still runs. Idempotent. */
  async close(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    const children = descendantsOf(running.enginePid);
    await running.close();
    this.#printed += running.output();
    await expectGone(children);
  }

  /** The complaints that no test announced. */
  complaints(): string[] {
    return this.#complaints.filter((complaint) => !this.#expected.some((pattern) => pattern.test(complaint)));
  }

  get #now(): RunningApp {
    if (!this.#running) throw new Error('The app is not open');
    return this.#running;
  }
}

/** Waits until all the processes have ended; kills those that have not, and fails. */
export async function expectGone(processes: readonly ProcessRef[]): Promise<void> {
  const names = () => stillRunning(processes).map(({ pid, command }) => `${pid} ${command}`);
  try {
    await expect.poll(names, { message: 'processes left behind', timeout: 20_000 }).toEqual([]);
  } finally {
    for (const { pid } of stillRunning(processes)) process.kill(pid, 'SIGKILL');
  }
}

/** What one needs to find a failure; `--trace on` of a second run shows each step. */
async function attachState(app: App, testInfo: TestInfo): Promise<void> {
  const attach = (name: string, body: string | Buffer, contentType = 'text/plain') =>
    testInfo.attach(name, { body, contentType });
  await attach('printed', app.printed);
  await attach('complaints', app.complaints().join('\n'));
  for (const [place, page] of app.pages.entries()) {
    try {
      await attach(`page ${place}`, await page.locator('body').ariaSnapshot({ timeout: 5000 }));
      await attach(`screenshot ${place}`, await page.screenshot({ timeout: 5000 }), 'image/png');
    } catch (error) {
      await attach(`page ${place}`, `could not be looked at: ${String(error)}`);
    }
  }
}

const hostsByName = { web: () => new WebApps(), electron: () => new ElectronApps() } as const;

export const test = base.extend<{ app: App }, HostOption & { apps: AppHost }>({
  host: ['web', { option: true, scope: 'worker' }],

  apps: [
    async ({ host }, use) => {
      const apps = hostsByName[host]();
      await use(apps);
      await apps.end();
    },
    { scope: 'worker' },
  ],

  app: async ({ host, apps }, use, testInfo) => {
    const home = await mkdtemp(join(tmpdir(), 'sightglass-e2e-'));
    const app = new App(host, home, apps);
    await use(app);
    if (testInfo.status !== testInfo.expectedStatus) await attachState(app, testInfo);
    await app.close();
    await rm(home, { recursive: true, force: true });
    expect(app.complaints(), 'complaints of the page').toEqual([]);
  },
});

export { expect };
