import { expect, test } from './app.ts';
import { findings } from './axe.ts';
import { everything } from './servers.ts';
import { Window } from './window.ts';

const SECRET = 'sesame-opens-it';

test('servers of another client are imported, approved at their first start, and exported again', async ({
  app,
}) => {
  const window = new Window(await app.open());
  const { page } = window;
  const [command, ...args] = everything;
  const configuration = `{
    // Comments and trailing commas are fine.
    "mcpServers": {
      "imported": ${JSON.stringify({ command, args, env: { API_TOKEN: SECRET } })},
      "not wanted": { "command": "nothing", "disabled": true, },
      "broken": { "args": 7 },
    }
  }`;
  await page.getByRole('button', { name: 'Import servers' }).click();
  const form = page.getByRole('region', { name: 'Import servers' });
  const text = form.getByRole('textbox', { name: 'Configuration or command line' });
  await text.fill(configuration);
  const preview = form.getByRole('region', { name: 'Servers to import' });
  await expect(preview.getByRole('checkbox')).toHaveCount(2);
  await expect(preview).toContainText('API_TOKEN');
  await expect(preview).not.toContainText(SECRET);
  await expect(preview.getByRole('list', { name: 'Problems' })).toContainText('broken');
  // Electron draws the same page.
  if (app.host === 'web') expect(await findings(page)).toEqual([]);
  await preview.getByRole('checkbox', { name: 'not wanted' }).press('Space');
  await preview.getByRole('button', { name: 'Import 1 server' }).press('Enter');
  await expect(window.server('imported')).toBeVisible();
  await expect(window.server('not wanted')).toBeHidden();

  await window.pane('Overview').getByRole('button', { name: 'Connect' }).click();
  const question = page.getByRole('region', { name: 'Run this command?' });
  await expect(question).toContainText('API_TOKEN');
  await expect(question).not.toContainText(SECRET);
  await window.approve();
  await window.expectPhase('ready');

  await page.keyboard.press('ControlOrMeta+K');
  await page.keyboard.type('Export imported');
  await page.keyboard.press('Enter');
  const exporting = page.getByRole('region', { name: 'Export server' });
  await exporting.getByRole('combobox', { name: 'For' }).selectOption('vscode');
  const exported = exporting.getByRole('region', { name: 'Exported text' });
  await expect(exported).toContainText('"servers"');
  await expect(exported).toContainText('API_TOKEN');
  await expect(exported).not.toContainText(SECRET);
  if (app.host === 'web') expect(await findings(page)).toEqual([]);
  await exporting.getByRole('button', { name: 'Close' }).press('Escape');
  await expect(exporting).toBeHidden();
});
