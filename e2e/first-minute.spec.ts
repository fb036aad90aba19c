import type { Page } from 'playwright/test';
import { expect, test } from './app.ts';
import { demo, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** Counts the clicks of the user from now on. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  const counter = await page.evaluateHandle(() => {
    const count = { clicks: 0 };
    addEventListener('click', (click) => (count.clicks += click.isTrusted ? 1 : 0), true);
    return count;
  });
  return () => counter.evaluate(({ clicks }) => clicks);
}

test('the first result takes two clicks with the demo, and four with a server of my own', async ({ app }) => {
  const window = new Window(await app.open());
  const { page } = window;
  const tools = new ToolsPane(window);
  const find = tools.pane.getByRole('searchbox', { name: 'Find a tool' });
  const message = tools.pane.getByRole('textbox', { name: 'message', exact: true });

  await test.step('I try the demo server, and Enter takes me from the list to the first field', async () => {
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Try the demo server' }).click();
    await expect(find).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(message).toBeFocused();
    await page.keyboard.type('hello');
    await tools.run.click();
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Echo: hello');
    expect(await clicks()).toBe(2);
  });

  await test.step('I add my own server by its command line, and call its first tool', async () => {
    const clicks = await countClicks(page);
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    await expect(page.getByLabel('Command line')).toBeFocused();
    await page.keyboard.type(typed(demo));
    await page.getByRole('button', { name: 'Save and connect' }).click();
    await expect(page.getByRole('region', { name: 'Run this command?' })).toBeVisible();
    // The card has the only button that connects.
    await expect(page.getByRole('button', { name: /^(Re)?[Cc]onnect$/ })).toHaveCount(0);
    await window.approve();
    await expect(find).toBeFocused();
    await page.keyboard.type('ech');
    await expect(tools.pane.getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(message).toBeFocused();
    await page.keyboard.type('mine');
    await tools.run.click();
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Echo: mine');
    expect(await clicks()).toBe(4);
  });

  await test.step('I paste the configuration of another client, wherever I am', async () => {
    const paste = (text: string) =>
      page.evaluate((pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text', pasted);
        const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
        (document.activeElement ?? document.body).dispatchEvent(event);
      }, text);
    const form = page.getByRole('region', { name: 'Import servers' });
    await tools.pane.getByRole('option').first().focus();
    await paste('"from-a-readme": { "command": "npx", "args": ["-y", "some-server"] },');
    await expect(form.getByRole('checkbox', { name: /^from-a-readme/ })).toBeVisible();
    await page.keyboard.press('Alt+N');
    await expect(page.getByLabel('Command line')).toBeFocused();
    await paste('{ "mcpServers": { "from-a-file": { "url": "https://example.com/mcp" } } }');
    await expect(form.getByRole('checkbox', { name: /^from-a-file/ })).toBeVisible();
  });
});
