import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright/test';
import { expect, test } from './app.ts';
import { PromptsPane } from './prompts-pane.ts';
import { RecordedList } from './recorded-list.ts';
import { demo, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const SECRET = 'planted-Zq81vRt04LmXb27c';

/** The files below a folder that hold a text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const held = await Promise.all(paths.map(async (path) => (await readFile(path, 'latin1')).includes(text)));
  return paths.filter((_, place) => held[place]);
}

const storageOf = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));

const duration = ({ trace }: Window) => trace.table.getByRole('columnheader', { name: 'duration' });

const raw = (result: Locator) => result.getByRole('radio', { name: 'Raw' });

const exportForm = (page: Page) => page.getByRole('form', { name: 'Export' });

const field = ({ pane }: ToolsPane, name: string) => pane.getByRole('textbox', { name, exact: true });

test('a reload and a restart find the window as it was left, but not the secret that was typed', async ({
  app,
}) => {
  const window = new Window(await app.open());
  await window.connectTo('first', typed(demo));
  // The same command needs no second approval.
  await window.addServer('second', typed(demo));
  await expect(window.server('second')).toContainText('ready');
  const tools = new ToolsPane(window);
  const prompts = new PromptsPane(window);
  const width = (page: Page) =>
    page.getByRole('separator', { name: 'Width of the tool list' }).getAttribute('aria-valuenow');
  let left: string | null = null;

  await test.step('I fill in forms, choose a row, and make the list of tools wider', async () => {
    await tools.call('echo', { message: 'sent once' });
    await expect(tools.result).toContainText('sent once');
    await raw(tools.result).click();
    await field(tools, 'message').fill('a draft that was never sent');
    await tools.choose('plan_trip');
    await field(tools, 'traveller').fill(`Bearer ${SECRET}`);
    await window.page.getByRole('separator', { name: 'Width of the tool list' }).focus();
    const before = await width(window.page);
    for (let press = 0; press < 3; press++) await window.page.keyboard.press('ArrowRight');
    await expect.poll(() => width(window.page)).not.toBe(before);
    left = await width(window.page);
    await prompts.choose('Describe a picture');
    await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
    await raw(prompts.messages).click();
    await prompts.choose('Compare two cities');
    await prompts.complete('country', 'Ja', 'Japan');
    await window.trace.filter('method:tools/call');
    await window.trace.rows('tools/call', '→').click();
    await expect(window.trace.detail).toContainText('"sent once"');
    await window.trace.detail.getByRole('tab', { name: 'Raw' }).click();
    await duration(window).click();
    await expect(duration(window)).toHaveAttribute('aria-sort', 'descending');
  });

  await test.step('after a reload, everything is there again', async () => {
    await window.page.reload();
    await expect(prompts.pane.getByRole('combobox', { name: 'country' })).toHaveValue('Japan');
    await prompts.choose('Describe a picture');
    await expect(raw(prompts.messages)).toBeChecked();
    await expect(window.server('second')).toHaveAttribute('aria-current', 'true');
    await window.trace.expectFilter('method:tools/call');
    await expect(window.trace.detail).toContainText('"sent once"');
    await expect(window.trace.detail.getByRole('tab', { name: 'Raw' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await expect(duration(window)).toHaveAttribute('aria-sort', 'descending');
    await tools.show();
    await expect(field(tools, 'traveller')).toHaveValue('');
    expect(await width(window.page)).toBe(left);
  });

  await test.step('the session after a reconnect lists the same, and says that the filter hides all rows', async () => {
    await window.trace.filter('method:tools/call row:1..1000');
    await window.page.keyboard.press('Alt+R');
    // The numbers were those of the previous session.
    await window.trace.expectFilter('method:tools/call');
    await expect(window.trace.region).toContainText('Kept from the previous session. It hides');
    await expect(duration(window)).toHaveAttribute('aria-sort', 'descending');
    await window.trace.region.getByRole('button', { name: 'Clear the filter' }).click();
    await window.trace.expectFilter('');
    await expect.poll(() => window.trace.count()).toBeGreaterThan(0);
  });

  await test.step('I have it connected whenever Sightglass starts, and start it again', async () => {
    await window.page.keyboard.press('Alt+E');
    const form = window.page.getByRole('form', { name: 'Settings of second' });
    await form.getByRole('checkbox', { name: /^Connect at start/ }).check();
    await form.getByRole('button', { name: /^Save Ctrl|^Save ⌘|^Save$/ }).click();
    await expect(form).toHaveCount(0);
    await tools.choose('echo');
    await expect(field(tools, 'message')).toHaveValue('a draft that was never sent');
    // What is chosen is on disk a moment later.
    await expect.poll(() => chosen(app.home, 'tool ')).toContain('echo');
    await app.restart();
  });

  const again = new Window(app.page);
  const toolsAgain = new ToolsPane(again);
  await test.step('it is connected, with the server, the pane, the drafts and the layout as before', async () => {
    await again.expectPhase('ready');
    await expect(again.server('second')).toHaveAttribute('aria-current', 'true');
    await expect(field(toolsAgain, 'message')).toHaveValue('a draft that was never sent');
    expect(await width(again.page)).toBe(left);
    await expect(again.server('first')).not.toContainText('ready');
  });

  await test.step('the trace of the session before opens on the row that I had chosen', async () => {
    const list = new RecordedList(again.page);
    await list.rows('second').last().click();
    await expect(again.status).toContainText('recorded');
    await again.trace.expectFilter('method:tools/call row:1..1000');
    await expect(again.trace.detail).toContainText('"sent once"');
    await toolsAgain.choose('echo');
    await expect(raw(toolsAgain.result)).toBeChecked();
    await again.trace.region.getByRole('button', { name: 'Export the rows of the list…' }).click();
    const form = exportForm(again.page);
    await form.getByRole('radio', { name: 'JSON Lines' }).check();
    await form.getByRole('textbox', { name: 'File' }).fill('left-open.jsonl');
    await form.getByRole('checkbox', { name: 'Replace secrets' }).uncheck();
    // A desktop window hands over what it has gathered when it is closed. A tab stays when the web host ends.
    if (app.host === 'web') await expect.poll(() => chosen(app.home, 'export')).toContain('"redacts":false');
    await app.restart();
    const third = new Window(app.page);
    await expect(third.status).toContainText('recorded');
    await third.trace.expectFilter('method:tools/call row:1..1000');
    await expect(duration(third)).toHaveAttribute('aria-sort', 'descending');
    const reopened = exportForm(third.page);
    await expect(reopened.getByRole('radio', { name: 'The filtered rows, 2' })).toBeChecked();
    await expect(reopened.getByRole('radio', { name: 'JSON Lines' })).toBeChecked();
    await expect(reopened.getByRole('textbox', { name: 'File' })).toHaveValue('left-open.jsonl');
    await expect(reopened.getByRole('checkbox', { name: 'Replace secrets' })).not.toBeChecked();
    await reopened.getByRole('button', { name: 'Close' }).click();
    await expect(third.trace.detail).toContainText('"sent once"');
  });

  await test.step('the secret is in no file of the data folder and in no storage of the page', async () => {
    expect(await storageOf(app.page)).not.toContain(SECRET);
    await app.close();
    expect((await stat(join(app.home, 'place.json'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(app.home, 'place.json'), 'utf8')).toContain('a draft that was never sent');
    expect(await filesWith(app.home, SECRET)).toEqual([]);
  });
});

interface KeptPlace {
  readonly entries: Readonly<Record<string, { readonly chosen: unknown }>>;
}

/** What place.json has as chosen in the entries of this name, as JSON. */
async function chosen(home: string, prefix: string): Promise<string> {
  const { entries }: KeptPlace = JSON.parse(await readFile(join(home, 'place.json'), 'utf8'));
  return Object.entries(entries)
    .filter(([name]) => name.startsWith(prefix))
    .map(([, entry]) => JSON.stringify(entry.chosen))
    .join(' ');
}
