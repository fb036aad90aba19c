// Makes the pictures of README and docs/ from sessions of the built app on the web host, in both themes.
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
import { Window } from './window.ts';

/** The trace of a day with an hour of keepalives. */
async function longTrace(app: App): Promise<void> {
  await mkdir(join(app.home, 'traces'));
  const text = longDay(Date.parse('2026-11-22T14:02:11'));
  await writeFile(join(app.home, 'traces/warehouse.mcptrace'), text);
  const window = new Window(await app.open());
  const { page, trace } = window;
  await new RecordedList(page).rows('warehouse').click();
  await expect(window.status).toContainText('recorded');
  await page.keyboard.press('Alt+Shift+T');
  await trace.table.press('End');
  await trace.rows('tools/call', 'reserve_stock').last().click();
  await trace.detail.getByRole('radio', { name: 'Response' }).click();
  await expect(trace.detail).toContainText('SQLITE_BUSY');
  await take(app, 'trace');
}

/** Two servers that are connected: a tool of one, a resource of the other, a composed message. */
async function connectedServers(app: App): Promise<void> {
  const window = new Window(await app.open());
  const { page, trace } = window;
  await page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  await window.connectTo('everything', typed(everything));
  const tools = new ToolsPane(window);
  await tools.call('echo', { message: 'hello' });
  await tools.expectOutcome('ok');
  await tools.call('trigger-long-running-operation', { duration: '2', steps: '4' });
  await tools.expectOutcome('ok');
  await tools.pane.getByRole('searchbox', { name: 'Find a tool' }).fill('');
  await trace.rows('tools/call', 'trigger-long-running-operation').click();
  await trace.detail.getByRole('radio', { name: 'Response' }).click();
  await expect(trace.detail).toContainText('Steps: 4');
  // The row of the process names the program with its folder.
  await trace.filter('-kind:process');
  await take(app, 'window');

  const composer = new ComposerPane(window);
  await composer.show();
  await composer.template('tools/call');
  const params = { name: 'get-sum', arguments: { a: 20.5, b: 21.5 } };
  const message = { jsonrpc: '2.0', id: 'sum', method: 'tools/call', params };
  await composer.write('');
  await paste(page, JSON.stringify(message, null, 2));
  await composer.send.click();
  await expect(composer.response).toContainText('"result"');
  await composer.pane.getByRole('button', { name: 'Use a new id' }).click();
  await trace.rows('tools/call', 'get-sum').click();
  await expect(trace.detail).toContainText('20.5');
  await take(app, 'composer');

  await window.server('Demo server').click();
  const resources = new ResourcesPane(window);
  await resources.read('Welcome');
  await expect(resources.contents).toContainText('# Welcome');
  await trace.filter('-kind:process');
  await take(app, 'resources');
}

/** The recordings of two builds of a server, compared. */
async function comparedBuilds(app: App): Promise<void> {
  const billing = new Billing(app);
  await billing.record('old');
  await billing.record('new');
  const window = new Window(await app.open());
  const { page } = window;
  // The newest is the first.
  await new RecordedList(page).region.locator('[data-trace]').nth(1).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  const replay = new ReplayPane(window);
  await replay.pane.getByRole('combobox', { name: 'Compare with' }).selectOption({ index: 1 });
  await replay.pane.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(replay.selected).toContainText('structuredContent.tax is required');
  // The editor that compares them takes the place of their plain text once it is loaded, and shows its scroll bars for a moment.
  await expect(replay.responses).toContainText('ignored: id');
  await expect(replay.responses.locator('.line-delete').first()).toBeVisible();
  await expect(replay.responses.locator('.scrollbar.vertical.visible')).toHaveCount(0);
  await take(app, 'comparing');
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

/** Saves what the window shows, in each theme. Throws if it shows a path of this machine. */
async function take({ page, home }: App, name: string): Promise<void> {
  // Without the tooltip, the hover and the focus ring of what was used last.
  await page.mouse.move(720, 1);
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  });
  await page.evaluate(async () => void (await document.fonts.ready));
  const shown = await page.locator('body').innerText();
  const paths = [projectRoot, process.execPath, home, `${homedir()}${sep}`];
  for (const path of paths) expect(shown).not.toContain(path);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const path = `docs/images/${name}-${colorScheme}.png`;
    await page.screenshot({ path: join(projectRoot, path), animations: 'disabled' });
    process.stdout.write(`${path}\n`);
  }
}

findOrInstallBrowser();
const apps = new WebApps();
try {
  for (const story of [longTrace, connectedServers, comparedBuilds]) {
    const home = await mkdtemp(join(tmpdir(), 'sightglass-pictures-'));
    const app = new App('web', home, apps);
    app.traceView = 'calls';
    try {
      await story(app);
    } finally {
      await app.close();
      await rm(home, { recursive: true, force: true });
    }
  }
} finally {
  await apps.end();
}
