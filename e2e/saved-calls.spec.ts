import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { Pane } from './pane.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test('a call is saved with what came of it, run again, edited until it fails, opened in the form and removed', async ({
  app,
}) => {
  const window = new Window(await app.open());
  const { page } = window;
  await window.connectTo('everything', typed(everything));
  const tools = new ToolsPane(window);
  await tools.call('echo', { message: 'hello' });
  await tools.expectOutcome('ok');
  await tools.result.getByRole('button', { name: 'Save call…' }).click();

  const tests = new Pane(window, 'Tests');
  const saving = tests.pane.getByRole('form', { name: 'Save call' });
  await expect(saving.getByRole('textbox', { name: 'Path of value 1' })).toHaveValue('$.content[0].text');
  await expect(saving.getByRole('textbox', { name: 'Expected of value 1' })).toHaveValue('"Echo: hello"');
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
  await saving.getByRole('textbox', { name: 'Name' }).fill('Echoes');
  await saving.getByRole('button', { name: 'Save' }).click();
  await expect(saving).toBeHidden();
  await tests.pane.getByRole('button', { name: 'Run all' }).click();
  await expect(tests.pane.getByRole('listitem', { name: 'Echoes: Passed' })).toBeVisible();
  await expect(tests.pane.getByRole('status')).toContainText('1 passed, 0 failed');

  await tests.pane.getByRole('button', { name: 'More for Echoes' }).click();
  await page.getByRole('menuitem', { name: 'Edit expectations' }).click();
  const editing = tests.pane.getByRole('form', { name: 'Edit the saved call' });
  await editing.getByRole('textbox', { name: 'Expected of value 1' }).fill('"Echo: other"');
  await editing.getByRole('textbox', { name: 'At most' }).fill('60000');
  await editing.getByRole('button', { name: 'Save' }).click();
  // It closes once the file is written.
  await expect(editing).toBeHidden();
  await tests.pane.getByRole('button', { name: 'Run Echoes' }).click();
  const failed = tests.pane.getByRole('listitem', { name: 'Echoes: Failed' });
  await expect(failed).toContainText('$.content[0].text: expected "Echo: other", got "Echo: hello"');
  await expect(failed).toContainText('everything.mcptest.yaml:11:11');
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
  const file = await readFile(join(app.home, 'tests', 'everything.mcptest.yaml'), 'utf8');
  expect(file).toContain('duration: 60000ms');

  await failed.getByRole('button', { name: /^Row .* of the trace/ }).click();
  await expect(window.trace.detail).toContainText('tools/call');
  await tests.pane.getByRole('button', { name: 'More for Echoes' }).click();
  await page.getByRole('menuitem', { name: 'Open in the form' }).click();
  await expect(tools.pane.getByRole('textbox', { name: 'message', exact: true })).toHaveValue('hello');

  // By keyboard alone from here.
  await page.keyboard.press('ControlOrMeta+9');
  await tests.pane.getByRole('button', { name: 'More for Echoes' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Edit expectations' })).toBeFocused();
  await page.keyboard.press('End');
  await expect(page.getByRole('menuitem', { name: 'Remove from the file' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(tests.pane).toContainText('No saved calls yet');
  const other = join(app.home, 'tests', 'other.mcptest.yaml');
  await writeFile(other, 'version: 1\nsteps:\n  - call: echo\n');
  await tests.pane.getByRole('textbox', { name: 'Test file' }).focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(other);
  await page.keyboard.press('Enter');
  await expect(tests.pane).toContainText('other.mcptest.yaml:3:5: steps.0.name:');
});
