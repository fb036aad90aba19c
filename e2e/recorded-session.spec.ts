import type { Locator } from 'playwright/test';
import { type App, expect, test } from './app.ts';
import { PromptsPane } from './prompts-pane.ts';
import { RecordedList } from './recorded-list.ts';
import { ResourcesPane } from './resources-pane.ts';
import { everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** The parts of the Overview that say what was agreed on. */
const overviewParts = ['Server', 'Connection', 'Server capabilities', 'Instructions'];

/** Parts of the panes, by name, as they read on the screen. */
async function shown(window: Window): Promise<Record<string, string>> {
  const { page } = window;
  const read = async (part: Locator, content = /./): Promise<string> => {
    await expect(part).toContainText(content);
    return part.innerText();
  };
  const texts: Record<string, string> = {};
  const overview = page.getByRole('tabpanel', { name: 'Overview' });
  await page.getByRole('tab', { name: 'Overview' }).click();
  for (const part of overviewParts) {
    texts[part] = await read(overview.getByRole('region', { name: part, exact: true }));
  }
  const client = overview.getByRole('region', { name: 'Client capabilities' });
  texts.client = await read(client.getByRole('table'));
  const tools = new ToolsPane(window);
  await tools.choose('echo');
  texts.tools = await read(tools.pane.getByRole('listbox', { name: 'Tools' }));
  // Only a call of a session that may still run can be saved.
  texts.result = (await read(tools.result, /Echo/)).replace('Save call…\n', '');
  const resources = new ResourcesPane(window);
  await resources.show();
  texts.resources = await read(resources.tree);
  await resources.tree.getByRole('treeitem', { name: 'architecture.md' }).click();
  texts.contents = await read(resources.contents, /How It Works/);
  const prompts = new PromptsPane(window);
  await prompts.choose('args-prompt');
  texts.prompts = await read(prompts.list);
  texts.messages = await read(prompts.messages, /Bern/);
  return texts;
}

async function record(app: App): Promise<Record<string, string>> {
  const window = new Window(await app.open(...everything));
  await window.expectPhase('ready');
  const tools = new ToolsPane(window);
  await tools.call('echo', { message: 'kept' });
  await tools.expectOutcome('ok');
  const resources = new ResourcesPane(window);
  await resources.read('architecture.md');
  await expect(resources.contents).toBeVisible();
  const prompts = new PromptsPane(window);
  await prompts.choose('args-prompt');
  await prompts.pane.getByRole('combobox', { name: 'city' }).fill('Bern');
  await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
  await expect(prompts.messages).toContainText('Bern');
  await window.page.getByRole('button', { name: 'Disconnect' }).click();
  await window.expectPhase('closed');
  return shown(window);
}

test('a recorded trace shows the panes of its session after a restart, without the server', async ({
  app,
}) => {
  const live = await record(app);
  expect(live.result).toContain('Echo: kept');
  const window = new Window(await app.restart());
  const list = new RecordedList(window.page);
  await list.region.locator('[data-trace]').click();
  await expect(window.status).toContainText('recorded');
  expect(await shown(window)).toEqual(live);
  // Nothing can be sent to a server that is gone.
  const prompts = new PromptsPane(window);
  await expect(prompts.pane.getByRole('button', { name: /^Get/ })).toBeDisabled();
  await expect(prompts.pane).toContainText('This session was recorded');
  await window.page.keyboard.press('ControlOrMeta+1');
  await expect(window.page.getByRole('region', { name: 'Origin' })).toContainText('closed');
});
