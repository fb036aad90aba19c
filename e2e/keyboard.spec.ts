import { expect } from 'playwright/test';
import { type App, test } from './app.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** Adds the reference server without a pointer. */
async function connect(app: App): Promise<Window> {
  const window = new Window(await app.open());
  const { keyboard } = window.page;
  await expect(window.servers).toBeVisible();
  await keyboard.press('Alt+N');
  await expect(window.page.getByLabel('Command line')).toBeFocused();
  await keyboard.type(typed(everything));
  await keyboard.press('ControlOrMeta+Enter');
  const question = window.page.getByRole('region', { name: 'Run this command?' });
  await expect(question).toBeFocused();
  await window.tabTo(question.getByRole('button', { name: 'Run it' }));
  await keyboard.press('Enter');
  await window.expectPhase('ready');
  return window;
}

test.describe('with the keyboard alone', () => {
  test('a server is added, a tool is called and its answer is read', async ({ app }) => {
    const window = await connect(app);
    const { keyboard } = window.page;
    const tools = new ToolsPane(window);

    await expect(tools.pane.getByRole('searchbox', { name: 'Find a tool' })).toBeFocused();
    await keyboard.type('echo');
    await window.tabTo(tools.pane.getByRole('textbox', { name: 'message' }));
    await keyboard.type('by hand');
    await keyboard.press('ControlOrMeta+Enter');
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('by hand');
  });

  test('the trace is filtered, walked and read', async ({ app }) => {
    const window = await connect(app);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+F');
    await keyboard.type('initialize');
    await expect(window.trace.rows('phase', 'connecting')).toHaveCount(0);
    await expect(window.trace.rows('initialize', '→')).toHaveCount(1);
    await keyboard.press('Enter');
    await expect(window.trace.table).toBeFocused();
    await keyboard.press('Home');
    await keyboard.press('ArrowDown');
    await expect(window.trace.table.getByRole('row', { selected: true })).toHaveCount(1);
    await keyboard.press('Home');
    await expect(window.trace.detail).toContainText(/answered by #\d+/);
    await keyboard.press('p');
    await expect(window.trace.detail).toContainText(/answers #\d+/);
    await keyboard.press('Enter');
    await expect(window.trace.detail.getByRole('tab', { name: 'Message' })).toBeFocused();
    await keyboard.press('ArrowRight');
    await expect(window.trace.detail.getByRole('tabpanel', { name: 'Raw' })).toBeVisible();
    await keyboard.press('Escape');
    await expect(window.trace.table).toBeFocused();
    await expect(window.trace.detail).toBeHidden();
  });

  test('the palette lists every command with its keys and runs one', async ({ app }) => {
    const window = await connect(app);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+K');
    const palette = window.page.getByRole('dialog', { name: 'Commands' });
    for (const command of ['Reconnect', 'Disconnect', 'Show Tools', 'Filter the trace', 'Add a server…']) {
      await expect(palette.getByRole('option', { name: command })).toBeVisible();
    }
    await keyboard.type('disconnect');
    await keyboard.press('Enter');
    await window.expectPhase('closed');
  });
});
