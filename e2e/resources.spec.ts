import { readFile } from 'node:fs/promises';
import { type App, expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { ResourcesPane } from './resources-pane.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

async function openDemo(app: App): Promise<{ window: Window; resources: ResourcesPane }> {
  const window = new Window(await app.open());
  await window.page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  return { window, resources: new ResourcesPane(window) };
}

test.describe('the resources of the demo server', () => {
  test('are read with a click, with what the server says about them', async ({ app }) => {
    const { window, resources } = await openDemo(app);
    await resources.read('Welcome');
    await expect(resources.contents).toContainText('# Welcome');
    await expect(resources.pane).toContainText('text/markdown');
    const listed = resources.pane.getByRole('region', { name: 'Listed as' });
    await expect(listed).toContainText('What there is to read here.');
    await expect(listed).toContainText('user');
    await expect(listed).toContainText('2026-01-01T00:00:00Z');
    await expect(listed).not.toContainText('were read');

    await resources.pane.getByRole('radio', { name: 'Hex' }).click();
    await expect(resources.contents).toContainText('23 20 57 65 6c 63 6f 6d 65');
    await resources.pane.getByRole('radio', { name: 'Result' }).click();
    await expect(resources.contents).toContainText('"contents"');
    await resources.pane.getByRole('radio', { name: 'Preview' }).click();

    await resources.read('Picture');
    await expect(resources.contents.getByRole('img')).toBeVisible();
    await expect(window.trace.rows('resources/read', '→')).toHaveCount(2);

    const choose = async (name: string) => {
      await resources.pane.getByRole('button', { name: 'Sort and filter' }).click();
      await window.page.getByRole('menuitemcheckbox', { name }).click();
    };
    await choose('Name');
    await expect(resources.tree.getByRole('treeitem').nth(1)).toHaveAccessibleName(/^Clock/);
    await choose('Priority');
    await expect(resources.tree.getByRole('treeitem').nth(1)).toHaveAccessibleName(/^Welcome/);
    await choose('For the assistant');
    await expect(resources.tree.getByRole('treeitem', { name: 'Welcome' })).toHaveCount(0);
    await expect(resources.pane).toContainText('for the assistant · by priority');
  });

  test('are saved to a file byte for byte', only.web, async ({ app }) => {
    const { window, resources } = await openDemo(app);
    await resources.read('Picture');
    await expect(resources.contents.getByRole('img')).toBeVisible();
    const download = window.page.waitForEvent('download');
    await resources.pane.getByRole('button', { name: 'Save' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toBe('picture.png');
    const bytes = await readFile(await saved.path());
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  });

  test('are read again on each update while subscribed, with what changed', only.page, async ({ app }) => {
    const { resources } = await openDemo(app);
    await resources.read('Clock');
    await expect(resources.contents).toContainText('secondsUp');
    await resources.pane.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await expect(resources.pane.getByRole('region', { name: 'Subscription' })).toContainText(
      /[1-9]\d* updates?/,
    );
    await expect(resources.reads.getByRole('listitem').nth(1)).toBeVisible();
    await expect(resources.reads).toContainText(/\+\d+ −\d+/);
    await expect(resources.pane.getByRole('region', { name: 'Changes since the read before' })).toContainText(
      'now',
    );

    await resources.pane.getByRole('button', { name: 'Unsubscribe' }).click();
    await expect(resources.pane.getByRole('region', { name: 'Subscription' })).toHaveCount(0);
  });

  test('are reached by a template whose variables complete each other', only.page, async ({ app }) => {
    const { resources } = await openDemo(app);
    await resources.show();
    await resources.template('demo://city/{country}/{city}').click();
    const country = resources.pane.getByRole('combobox', { name: 'country' });
    await country.pressSequentially('Fr');
    await resources.suggestion('France').click();
    const city = resources.pane.getByRole('combobox', { name: 'city' });
    await city.pressSequentially('P');
    await resources.suggestion('Paris').click();
    await expect(resources.template('demo://city/France/Paris')).toBeVisible();
    await city.press('Enter');
    await expect(resources.contents).toContainText('Paris is a city in France.');

    await city.fill('Atlantis');
    await city.press('Enter');
    await expect(resources.pane.getByRole('region', { name: 'Error' })).toContainText(/-32\d{3}/);
  });

  test('are where a resource link of a tool leads', only.page, async ({ app }) => {
    const { window, resources } = await openDemo(app);
    const tools = new ToolsPane(window);
    await tools.call('link_resource');
    await tools.result.getByRole('button', { name: 'Show in Resources' }).first().click();
    await expect(resources.pane).toContainText('Not read yet');
    await resources.pane
      .getByRole('region', { name: 'Resource' })
      .getByRole('button', { name: 'Read' })
      .click();
    await expect(resources.contents).not.toBeEmpty();
  });

  test('are found and read with the keyboard alone', only.page, async ({ app }) => {
    const { window, resources } = await openDemo(app);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+3');
    await expect(resources.tree).toBeVisible();
    await keyboard.press('ControlOrMeta+Shift+F');
    await keyboard.type('welcome');
    await expect(resources.tree.getByRole('treeitem', { name: 'Welcome' })).toBeVisible();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expect(resources.contents).toContainText('# Welcome');
    // All the room for the pane, and back.
    await keyboard.press('Alt+Shift+P');
    await expect(window.trace.table).toBeHidden();
    await keyboard.press('Alt+Shift+P');
    await expect(window.trace.table).toBeVisible();
  });
});
