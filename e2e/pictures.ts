import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import type { Page } from 'playwright/test';
import { longDay } from '#fixtures/trace/long-day.ts';
import { findOrInstallBrowser } from '#scripts/browser.ts';
import { App, expect } from './app.ts';
import { ComposerPane } from './composer-pane.ts';
import { projectRoot } from './hosts/host.ts';
import { WebApps } from './hosts/web.ts';
import { RecordedList } from './recorded-list.ts';
import { Billing, ReplayPane } from './replay-pane.ts';
import { ResourcesPane } from './resources-pane.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { NO_EXCESS, Window } from './window.ts';

/** The folder of the pictures, from the root of the project. */
export const PICTURE_FOLDER = 'docs/images';

/** Pixels of CSS of each picture. */
export const PICTURE_SIZE = { width: 1440, height: 900 };

export const colorSchemes = ['dark', 'light'] as const;

/** A picture of the window. */
export interface Picture {
  /** Such as `trace-dark.png`. */
  readonly file: string;
  readonly colorScheme: (typeof colorSchemes)[number];
  readonly png: Buffer;
}

type Keep = (picture: Picture) => Promise<void>;

/**
 * Makes the pictures of README and docs/ from sessions of one running app: each scene in both themes. Fails if a scene does not
 * come to what its picture is of, or if it shows an error, a scroll bar below, or a path of this machine.
 */
export async function makePictures(app: App, keep: Keep): Promise<void> {
  await mkdir(join(app.home, 'traces'));
  await writeFile(join(app.home, 'traces/warehouse.mcptrace'), longDay(Date.parse('2026-11-22T14:02:11')));
  const billing = new Billing(app);
  await billing.record('old');
  await billing.record('new');
  app.traceView = 'calls';
  const window = new Window(await app.open());
  await window.page.setViewportSize(PICTURE_SIZE);
  await window.page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  await window.connectTo('everything', typed(everything));
  for (const [name, scene] of Object.entries(scenes)) {
    await scene(window);
    await take(app, name, keep);
  }
}

/** What each picture is of, by its name, in the order in which one leads to the next. */
const scenes: Readonly<Record<string, (window: Window) => Promise<void>>> = {
  window: toolCalled,
  composer: messageComposed,
  resources: resourceRead,
  trace: longTraceOpened,
  comparing: buildsCompared,
};
/** A tool is called in its form; its row is selected in the trace, and its response open. */
async function toolCalled(window: Window): Promise<void> {
  const { trace } = window;
  const tools = new ToolsPane(window);
  await tools.call('trigger-long-running-operation', { duration: '1', steps: '4' });
  await tools.expectOutcome('ok');
  await tools.choose('get-structured-content');
  await tools.pane.getByRole('combobox', { name: 'location' }).selectOption('New York');
  await tools.run.click();
  await tools.expectOutcome('ok');
  await expect(tools.result).toContainText('Cloudy');
  await tools.pane.getByRole('searchbox', { name: 'Find a tool' }).fill('');
  await trace.rows('tools/call', 'get-struct').click();
  await trace.detail.getByRole('radio', { name: 'Response' }).click();
  await expect(trace.detail).toContainText('Cloudy');
}

/** A call is written as JSON, and sent. */
async function messageComposed(window: Window): Promise<void> {
  const { page, trace } = window;
  const composer = new ComposerPane(window);
  await composer.show();
  await composer.template('tools/call');
  const params = { name: 'get-sum', arguments: { a: 20.5, b: 21.5 } };
  const template = await composer.pane.getByRole('code').innerText();
  const id = Number(/"id":\s*(\d+)/.exec(template)?.[1]);
  const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
  await composer.write('');
  await paste(page, JSON.stringify(message, null, 2));
  await composer.send.click();
  await expect(composer.response).toContainText('"result"');
  await expect(composer.pane.getByText('the next one has id')).toBeVisible();
  await trace.rows('tools/call', 'get-sum').click();
  await expect(trace.detail).toContainText('20.5');
}

/** A resource of the other server is read. */
async function resourceRead(window: Window): Promise<void> {
  await window.server('Demo server').click();
  const resources = new ResourcesPane(window);
  await resources.read('Welcome');
  await expect(resources.contents).toContainText('# Welcome');
  // Without the row of the process, which names the program with its folder.
  await window.trace.filter('is:call');
}

/** The trace of a day with an hour of keepalives fills the window; the response of a failed call is open. */
async function longTraceOpened({ page, status, trace }: Window): Promise<void> {
  await new RecordedList(page).rows('warehouse').click();
  await expect(status).toContainText('recorded');
  await page.keyboard.press('Alt+Shift+T');
  await trace.table.press('End');
  await trace.rows('tools/call', 'reserve_stock').last().click();
  await trace.detail.getByRole('radio', { name: 'Response' }).click();
  await expect(trace.detail).toContainText('SQLITE_BUSY');
  await expect(trace.detail.getByRole('tab', { name: 'HTTP' })).toBeInViewport({ ratio: 1 });
}

/** The recordings of two builds of a server are compared. */
async function buildsCompared(window: Window): Promise<void> {
  const { page } = window;
  // The newer one is above the older one.
  await new RecordedList(page).rows('billing').nth(1).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  const replay = new ReplayPane(window);
  const choice = replay.pane.getByRole('combobox', { name: 'Compare with' });
  await choice.selectOption(await choice.getByRole('option', { name: /^billing/ }).textContent());
  await replay.pane.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(replay.selected).toContainText('structuredContent.tax is required');
  // The editor that compares them takes the place of their plain text once it is loaded, and shows its scroll bars for a moment.
  await expect(replay.responses).toContainText('ignored: id');
  await expect(replay.responses.locator('.line-delete').first()).toBeVisible();
  await expect(replay.responses.locator('.scrollbar.vertical.visible')).toHaveCount(0);
}

/** Pastes a text where the focus is: the editor would indent what is typed. */
const paste = (page: Page, text: string): Promise<void> =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);

/** Takes what the window shows, in each theme. */
async function take({ page, home }: App, name: string, keep: Keep): Promise<void> {
  // Without the tooltip, the hover and the focus ring of what was used last.
  await page.mouse.move(720, 1);
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.evaluate(async () => void (await document.fonts.ready));
  // What the editor says to a screen reader is not on the screen.
  const errors = page.getByRole('alert').and(page.locator(':not(.monaco-alert)'));
  await expect(errors, `errors shown in ${name}`).toHaveCount(0);
  expect(await new Window(page).excess(), `what is too wide in ${name}`).toEqual(NO_EXCESS);
  const shown = await page.locator('body').innerText();
  const paths = [projectRoot, process.execPath, home, `${homedir()}${sep}`];
  for (const path of paths) expect(shown, name).not.toContain(path);
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    // In pixels of CSS, also on a screen that has several for each.
    const png = await page.screenshot({ animations: 'disabled', scale: 'css' });
    await keep({ file: `${name}-${colorScheme}.png`, colorScheme, png });
  }
}

/** Makes them on the web host, and writes them to the repository. */
async function writePictures(): Promise<void> {
  findOrInstallBrowser();
  const apps = new WebApps();
  const home = await mkdtemp(join(tmpdir(), 'sightglass-pictures-'));
  const app = new App('web', home, apps);
  try {
    await makePictures(app, async ({ file, png }) => {
      await writeFile(join(projectRoot, PICTURE_FOLDER, file), png);
      process.stdout.write(`${PICTURE_FOLDER}/${file}\n`);
    });
  } finally {
    await app.close();
    await rm(home, { recursive: true, force: true });
    await apps.end();
  }
}

if (import.meta.main) await writePictures();
