import { type BrowserContext, type ElectronApplication, _electron, type Page } from 'playwright/test';
import { findElectron } from '#scripts/electron-binary.ts';
import { MachineBrowser } from './browser.ts';
import {
  type AppHost,
  type NativeItem,
  type NativeMenus,
  endOf,
  projectRoot,
  type RunningApp,
  showsApp,
  startInTime,
  type StartSettings,
  stateOf,
} from './host.ts';

/** Milliseconds for the first start and for the second, which both fit into the time of a test. */
const FIRST_START_TIME = 45_000;
const SECOND_START_TIME = 60_000;

/** The app in Electron. */
export class ElectronApps implements AppHost {
  /** Where URLs for the system's browser are opened. */
  readonly #browser = new MachineBrowser();

  /**
   * Starts the app. About one start in 250 has never loaded its page, with a renderer that waits for a GPU process that
   * hangs in its exit, and that a reload does not free; such a start is reported and made once more.
   */
  async start(settings: StartSettings): Promise<RunningApp> {
    try {
      return await this.#start(settings, FIRST_START_TIME);
    } catch (error) {
      process.stderr.write(`Electron is started a second time. The first start failed: ${String(error)}\n`);
      return this.#start(settings, SECOND_START_TIME);
    }
  }

  async #start({ home, command, launch, beforeLoad }: StartSettings, time: number): Promise<RunningApp> {
    // Without a binary the package `electron` would fetch one.
    if (!findElectron())
      throw new Error('No Electron binary: npx install-electron, or ELECTRON_OVERRIDE_DIST_PATH');
    const target = command.length > 0 ? ['--', ...command] : [];
    // No `executablePath`: with one, Playwright leaves out what has the app wait until Playwright listens.
    const app = await _electron.launch({
      // Without a GPU its process tries and exits three times, and once in a while hangs in its exit: the page waits for ever.
      args: ['--disable-gpu', ...launch.switches, projectRoot, ...target],
      cwd: projectRoot,
      env: { ...(process.env as Record<string, string>), ...launch.env, SIGHTGLASS_HOME: home },
      // Electron does not run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
      timeout: time,
    });
    const child = app.process();
    const browser = this.#browser;
    let profile: Promise<BrowserContext> | undefined;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (more) => (output += String(more)));
    const ended = endOf(child);
    const pages: string[] = [];
    app.on('window', (page) => {
      page.on('console', (message) => pages.push(`${page.url()}: ${message.text()}`));
      void beforeLoad(page);
    });
    const known = async () =>
      [stateOf(child, output), await windowState(app), 'The page said:', ...pages].join('\n');
    const page = await startInTime(shownWindow(app), { child, ended, known, time });
    return {
      page,
      enginePid: child.pid ?? -1,
      address: null,
      ended,
      output: () => output,
      crashPage: () =>
        app.evaluate(async ({ webContents }) => {
          const [contents] = webContents.getAllWebContents();
          const gone = new Promise((resolve) => contents?.once('render-process-gone', resolve));
          contents?.forcefullyCrashRenderer();
          await gone;
        }),
      pageText: () =>
        app.evaluate(async ({ webContents }) => {
          const [contents] = webContents.getAllWebContents();
          // A script given to a page that is not there is never answered.
          if (!contents || contents.isCrashed() || contents.isLoading()) return 'no page yet';
          return String(await contents.executeJavaScript('document.body.innerText'));
        }),
      menus: nativeMenus(app),
      keptUrls: () =>
        app.evaluate(({ shell }) => {
          const keeper = shell as typeof shell & { keptUrls?: string[] };
          const kept = (keeper.keptUrls ??= []);
          shell.openExternal = async (url) => void kept.push(url);
          return kept;
        }),
      keptDialogs: () =>
        app.evaluate(({ dialog }) => {
          const keeper = dialog as typeof dialog & { keptDialogs?: string[] };
          const kept = (keeper.keptDialogs ??= []);
          const show = async (...given: readonly unknown[]) => {
            const { title } = given.at(-1) as { readonly title?: string };
            kept.push(title ?? '');
            return { canceled: true, filePaths: [] };
          };
          dialog.showOpenDialog = show;
          return kept;
        }),
      async openTab(url) {
        profile ??= browser.open().then((opened) => opened.newContext());
        const tab = await (await profile).newPage();
        await tab.goto(url);
        return tab;
      },
      async close() {
        await (await profile)?.close();
        await app.close();
        await ended;
      },
    };
  }

  async end(): Promise<void> {
    await this.#browser.close();
  }
}

/**
 * Fails unless the app was held back until Playwright listened. A debugger that comes upon a page in the middle
 * of its first load once in a while leaves it stuck half way.
 *
 * Asked only once the window is shown: a script evaluated while Node loads `perf_hooks` finds the global `performance`
 * undefined, Node keeps that answer, and `fetch`, which serves the page, then cannot be loaded.
 */
async function expectHeld(app: ElectronApplication): Promise<void> {
  if (await app.evaluate(() => '__playwright_run' in globalThis)) return;
  throw new Error('The app was started without Playwright’s loader, which holds it back');
}

const nativeMenus = (app: ElectronApplication): NativeMenus => ({
  items: () =>
    app.evaluate(({ Menu }) => {
      const itemsOf = (
        menu: Electron.Menu | null | undefined,
        name: string,
        inside: string | null,
      ): NativeItem[] =>
        (menu?.items ?? []).flatMap(({ label, accelerator, role, submenu, type }) => {
          if (submenu) return itemsOf(submenu, name, label);
          if (type === 'separator') return [];
          const keys = accelerator?.toString() ?? null;
          return [{ menu: name, submenu: inside, label, accelerator: keys, role: role ?? null }];
        });
      return (Menu.getApplicationMenu()?.items ?? []).flatMap(({ label, submenu }) =>
        itemsOf(submenu, label.replace('&', ''), null),
      );
    }),
  choose: (wanted) =>
    app.evaluate(({ BrowserWindow, Menu }, label) => {
      const itemsOf = (menu: Electron.Menu | null | undefined): Electron.MenuItem[] =>
        (menu?.items ?? []).flatMap((item) => (item.submenu ? itemsOf(item.submenu) : [item]));
      const item = itemsOf(Menu.getApplicationMenu()).find((one) => one.label === label);
      if (item === undefined) throw new Error(`No menu has an item "${label}"`);
      const [window] = BrowserWindow.getAllWindows();
      item.click(undefined, window, window?.webContents);
    }, wanted),
  hasDeveloperTools: () =>
    app.evaluate(({ webContents }) =>
      webContents.getAllWebContents().some((contents) => contents.isDevToolsOpened()),
    ),
});

/** What Electron knows of its windows and processes, for a start that failed. */
async function windowState(app: ElectronApplication): Promise<string> {
  const asked = app.evaluate(({ app: electron, webContents }) => ({
    contents: webContents.getAllWebContents().map((contents) => ({
      url: contents.getURL(),
      isLoading: contents.isLoading(),
      isWaitingForResponse: contents.isWaitingForResponse(),
      isCrashed: contents.isCrashed(),
      process: contents.getOSProcessId(),
    })),
    processes: electron
      .getAppMetrics()
      .map(({ type, pid, cpu }) => `${type} ${pid} ${cpu.percentCPUUsage} %`),
  }));
  const silent = new Promise<string>((resolve) => setTimeout(() => resolve('no answer in 5 s'), 5_000));
  const state = await Promise.race([asked, silent]).catch(String);
  const windows = app.windows().map((page) => page.url());
  return `Electron says: ${JSON.stringify(state)}; Playwright sees: ${JSON.stringify(windows)}`;
}

async function shownWindow(app: ElectronApplication): Promise<Page> {
  const page = await app.firstWindow();
  await showsApp(page);
  await expectHeld(app);
  return page;
}
