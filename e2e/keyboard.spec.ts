import { join } from 'node:path';
import { expect } from 'playwright/test';
import { type App, test } from './app.ts';
import { findings } from './axe.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
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

  test('the trace is filtered, walked and read', only.page, async ({ app }) => {
    const window = await connect(app);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+F');
    await keyboard.type('initialize');
    await window.trace.expectFiltered();
    await expect(window.trace.rows('phase', 'connecting')).toHaveCount(0);
    await expect(window.trace.rows('initialize', '→')).toHaveCount(1);
    await keyboard.press('Enter');
    await expect(window.trace.table).toBeFocused();
    // The first matches may still be coming.
    await expect(async () => {
      await keyboard.press('Home');
      await keyboard.press('ArrowDown');
      await expect(window.trace.table.getByRole('row', { selected: true })).toHaveCount(1, { timeout: 2000 });
    }).toPass();
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

  test(
    'a trace is exported, opened, renamed and deleted, and axe finds nothing on the way',
    only.page,
    async ({ app }) => {
      const window = await connect(app);
      const { page } = window;
      const { keyboard } = page;
      const clean = async (screen: string, part?: string) => {
        if (app.host === 'web') expect.soft(await findings(page, part), screen).toEqual([]);
      };
      const command = async (title: string) => {
        // A dialog that has just closed may still take the keys for a moment.
        await expect(async () => {
          await keyboard.press('ControlOrMeta+K');
          await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused({ timeout: 5000 });
        }).toPass();
        await keyboard.type(title);
        const chosen = page.getByRole('dialog', { name: 'Commands' }).getByRole('option', { selected: true });
        await expect(chosen).toContainText(title);
        await keyboard.press('Enter');
      };
      const list = new RecordedList(page);
      await command('Export trace');
      const form = page.getByRole('form', { name: 'Export' });
      await window.tabTo(form.getByRole('button', { name: 'Add a pattern' }));
      await keyboard.press('Enter');
      await window.tabTo(form.getByRole('textbox', { name: 'Pattern 1' }));
      await keyboard.type('secret-(');
      await expect(form).toContainText('Not a valid regular expression');
      await clean('export with an invalid pattern');
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type('secret-[0-9]+');
      await window.tabTo(form.getByRole('textbox', { name: 'File' }));
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type(join(app.home, 'shared.mcptrace'));
      await keyboard.press('ControlOrMeta+Enter');
      const outcome = form.getByRole('status', { name: 'Exported' });
      await expect(outcome).toContainText('shared.mcptrace');
      await clean('exported', 'form');
      await window.tabTo(outcome.getByRole('button', { name: 'Open', exact: true }));
      await keyboard.press('Enter');
      await expect(window.status).toContainText('recorded');
      await window.show('Overview');
      await expect(page.getByRole('region', { name: 'Origin' })).toBeVisible();
      await clean('opened trace');

      await command('Keep traces');
      const retention = page.getByRole('dialog', { name: 'Keep traces' });
      await expect(retention).toBeVisible();
      await clean('which traces are kept', '[role=dialog]');
      await keyboard.press('Escape');
      await expect(retention).toBeHidden();

      await command('Close trace');
      await expect(window.status).not.toContainText('recorded');
      await command('Disconnect');
      await window.expectPhase('closed');
      const row = list.rows('server-everything|everything|node');
      // The trace is listed once the session has ended.
      await expect(row).toHaveCount(1);
      await window.tabTo(row);
      await keyboard.press('F2');
      await expect(page.getByRole('textbox', { name: /^New name of/ })).toBeFocused();
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type('the bug');
      await keyboard.press('Enter');
      await expect(list.rows('the bug')).toBeFocused();
      await keyboard.press('Delete');
      const question = list.dialog('Delete the bug');
      await expect(question).toBeVisible();
      await clean('deletion', '[role=dialog]');
      await window.tabTo(question.getByRole('button', { name: 'Delete' }));
      await keyboard.press('Enter');
      await expect(list.rows('the bug')).toHaveCount(0);
    },
  );
});
