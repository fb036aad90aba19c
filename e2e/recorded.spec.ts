import { appendFile, copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type App, expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
import { everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** Records a session in which a tool was told this, and ends it. */
async function record(
  app: App,
  message: string,
): Promise<{ window: Window; list: RecordedList; rows: number }> {
  const window = new Window(await app.open(...everything));
  await window.expectPhase('ready');
  const tools = new ToolsPane(window);
  await tools.call('echo', { message });
  await tools.expectOutcome('ok');
  await window.page.getByRole('button', { name: 'Disconnect' }).click();
  await window.expectPhase('closed');
  await expect(window.trace.rows('phase', 'closed')).toHaveCount(1);
  return { window, list: new RecordedList(window.page), rows: await window.trace.count() };
}

test.describe('recorded traces', () => {
  test('one is opened from the list with the same rows, renamed, closed and deleted', async ({ app }) => {
    const { window, list, rows } = await record(app, 'hello');
    const { page } = window;
    await expect(list.rows('server-everything|everything|node')).toHaveCount(1);
    await list.region.locator('[data-trace]').click();
    await expect(window.status).toContainText('recorded');
    await window.trace.expectCount(rows);
    await expect(page.getByRole('region', { name: 'Origin' })).toContainText('closed');

    await list.region.locator('[data-trace]').press('F2');
    await page.getByRole('textbox', { name: /^New name of/ }).fill('the bug');
    await page.keyboard.press('Enter');
    await expect(list.rows('the bug')).toBeFocused();
    await expect(page.getByRole('heading', { name: 'the bug' })).toBeVisible();

    await list.command('Close trace');
    await window.expectPhase('closed');
    await expect(list.rows('the bug')).not.toHaveAttribute('aria-current');

    await list.rows('the bug').press('Delete');
    const question = list.dialog('Delete the bug');
    await expect(question).toContainText('permanently');
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect(list.rows('the bug')).toHaveCount(0);
    await expect(list.region).toContainText('Every session is recorded');
  });

  test(
    'one is exported without what a pattern matches, and the file opens to the same rows',
    only.page,
    async ({ app }) => {
      const { window, list, rows } = await record(app, 'planted-12345');
      const { page } = window;
      await list.command('Export trace…');
      const form = page.getByRole('form', { name: 'Export' });
      await expect(form.getByRole('radio', { name: /HTTP archive/ })).toBeDisabled();
      await form.getByRole('button', { name: 'Add a pattern' }).click();
      await form.getByRole('textbox', { name: 'Pattern 1' }).fill('planted-(');
      await expect(form).toContainText('Not a valid regular expression');
      await form.getByRole('textbox', { name: 'Pattern 1' }).fill(String.raw`planted-\d+`);
      await expect(form.getByRole('row', { name: /pattern 1/ })).toBeVisible();

      const path = join(app.home, 'shared.mcptrace');
      await form.getByRole('textbox', { name: 'File' }).fill(path);
      await form.getByRole('button', { name: 'Export' }).click();
      const outcome = form.getByRole('status', { name: 'Exported' });
      await expect(outcome).toContainText(path);
      expect(await readFile(path, 'utf8')).not.toContain('planted-12345');

      await outcome.getByRole('button', { name: 'Open', exact: true }).click();
      await expect(window.status).toContainText('recorded');
      await window.trace.expectCount(rows);
      await expect(page.getByRole('region', { name: 'Origin' })).toContainText(path);
      await expect(list.rows('shared')).toHaveAttribute('aria-current', 'true');
    },
  );

  test('files that are dropped are opened, and one that is no trace says so', async ({ app }) => {
    const { window, list, rows } = await record(app, 'hello');
    const file = await list.region.locator('[data-trace]').getAttribute('data-trace');
    const text = await readFile(file ?? '', 'utf8');
    await list.drop({ name: 'shopping.txt', text: 'eggs\nmilk\n' });
    const rejection = list.dialog('Open trace');
    await expect(rejection).toContainText('shopping.txt was not opened');
    await expect(rejection.getByRole('alert')).toContainText('no trace');
    await rejection.getByRole('button', { name: 'Close' }).click();

    await list.drop({ name: 'from a friend.mcptrace', text });
    await expect(list.rows('from a friend')).toHaveAttribute('aria-current', 'true');
    await window.trace.expectCount(rows);
  });

  // A browser does not tell its page where a dropped file lies.
  test('a file that is dropped is followed where it lies', only.electron, async ({ app }) => {
    const { window, list, rows } = await record(app, 'hello');
    const file = await list.region.locator('[data-trace]').getAttribute('data-trace');
    const path = join(app.home, 'elsewhere.mcptrace');
    await copyFile(file ?? '', path);
    await list.dropPath(path);
    await expect(window.page.getByRole('region', { name: 'Origin' })).toContainText(path);
    await window.trace.expectCount(rows);
    const last = z
      .object({ seq: z.number(), at: z.number() })
      .parse(JSON.parse((await readFile(path, 'utf8')).trim().split('\n').at(-1) ?? ''));
    const more = { seq: last.seq + 1, at: last.at + 1, kind: 'stderr', text: 'later', size: 5 };
    await appendFile(path, `${JSON.stringify(more)}\n`);
    await window.trace.expectCount(rows + 1);
  });

  test(
    'what the filter shows of a running session is exported as bare messages',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open(...everything));
      await window.expectPhase('ready');
      const list = new RecordedList(window.page);
      // It is with its server while it is live.
      await expect(list.region.locator('[data-trace]')).toHaveCount(0);
      await window.trace.filter('method:initialize');
      const rows = await window.trace.count();
      await list.command('Export trace…');
      const form = window.page.getByRole('form', { name: 'Export' });
      await form.getByRole('radio', { name: /filtered rows/ }).click();
      await form.getByRole('radio', { name: /JSON Lines/ }).click();
      await expect(form.getByRole('region', { name: 'Preview' })).toContainText(`${rows} messages`);
      const path = join(app.home, 'some.jsonl');
      await form.getByRole('textbox', { name: 'File' }).fill(path);
      // Its key works where the form has the focus only.
      await window.trace.region.getByRole('combobox', { name: 'Filter the trace' }).focus();
      await window.page.keyboard.press('ControlOrMeta+Enter');
      await form.getByRole('textbox', { name: 'File' }).focus();
      await expect(form.getByRole('status', { name: 'Exported' })).toHaveCount(0);
      await window.page.keyboard.press('ControlOrMeta+Enter');
      await expect(form.getByRole('status', { name: 'Exported' })).toContainText(path);
      const lines = (await readFile(path, 'utf8')).trim().split('\n');
      expect(lines).toHaveLength(rows);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ method: 'initialize' });
    },
  );
});
