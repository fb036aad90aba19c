import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './app.ts';
import { findings } from './axe.ts';
import { everything, typed } from './servers.ts';
import { only } from './hosts/only.ts';
import { Window } from './window.ts';

const SECRET = 'sesame-opens-it';

test(
  'servers of another client are imported, approved at their first start, and exported again',
  only.page,
  async ({ app }) => {
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
    // By keyboard alone.
    const { keyboard } = page;
    await expect(window.servers).toBeVisible();
    await keyboard.press('ControlOrMeta+K');
    await keyboard.type('Import servers');
    await keyboard.press('Enter');
    const form = page.getByRole('region', { name: 'Import servers' });
    const text = form.getByRole('textbox', { name: 'Configuration or command line' });
    await expect(text).toBeFocused();
    await keyboard.insertText(configuration);
    const preview = form.getByRole('region', { name: 'Servers to import' });
    await expect(preview.getByRole('checkbox')).toHaveCount(2);
    await expect(preview).toContainText('API_TOKEN');
    await expect(preview).not.toContainText(SECRET);
    await expect(preview.getByRole('list', { name: 'Problems' })).toContainText('broken');
    // Electron draws the same page.
    if (app.host === 'web') expect(await findings(page)).toEqual([]);
    await window.tabTo(preview.getByRole('checkbox', { name: 'not wanted' }));
    await keyboard.press('Space');
    await window.tabTo(preview.getByRole('button', { name: 'Import 1 server' }));
    await keyboard.press('Enter');
    await expect(window.server('imported')).toBeVisible();
    await expect(window.server('not wanted')).toBeHidden();

    await window.tabTo(window.pane('Overview').getByRole('button', { name: 'Connect' }));
    await keyboard.press('Enter');
    const question = page.getByRole('region', { name: 'Run this command?' });
    await expect(question).toContainText('API_TOKEN');
    await expect(question).not.toContainText(SECRET);
    await window.approve();
    await window.expectPhase('ready');

    await window.connectTo('second', typed(everything));
    await keyboard.press('ControlOrMeta+K');
    await keyboard.type('Export second');
    await keyboard.press('Enter');
    const exporting = page.getByRole('region', { name: 'Export server' });
    const format = exporting.getByRole('combobox', { name: 'For' });
    await window.tabTo(format);
    await keyboard.type('VS Code');
    await expect(format).toHaveValue('vscode');
    await window.tabTo(exporting.getByRole('checkbox', { name: 'imported' }));
    await keyboard.press('Space');
    const exported = exporting.getByRole('region', { name: 'Exported text' });
    await expect(exported).toContainText('"servers"');
    await expect(exported).toContainText('"second"');
    await expect(exported).toContainText('API_TOKEN');
    await expect(exported).not.toContainText(SECRET);
    if (app.host === 'web') expect(await findings(page)).toEqual([]);
    await exporting.getByRole('button', { name: 'Close' }).press('Escape');
    await expect(exporting).toBeHidden();
  },
);

test('the log of another client is read by keyboard, without its secrets', only.web, async ({ app }) => {
  test.skip(process.platform !== 'linux', 'the folder of the log is set by the environment');
  const { XDG_CONFIG_HOME: before } = process.env;
  const configHome = join(app.home, 'config');
  const logs = join(configHome, 'Claude', 'logs');
  await mkdir(logs, { recursive: true });
  const log = join(logs, 'mcp-server-notes.log');
  await writeFile(log, `[notes] [info] starting with --token ${SECRET}\n`);
  process.env.XDG_CONFIG_HOME = configHome;
  try {
    const window = new Window(await app.open());
    const { page } = window;
    await expect(window.servers).toBeVisible();
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.type('Logs of other');
    await page.keyboard.press('Enter');
    const form = page.getByRole('region', { name: 'Import servers' });
    await window.tabTo(form.getByRole('button', { name: /Claude Desktop notes/ }));
    await page.keyboard.press('Enter');
    const shown = form.getByRole('region', { name: 'Log', exact: true });
    await expect(shown).toContainText('[notes] [info] starting with --token [secret');
    expect(await findings(page)).toEqual([]);
    await writeFile(log, 'a later line\n');
    await window.tabTo(shown.getByRole('button', { name: 'Refresh' }));
    await page.keyboard.press('Enter');
    await expect(shown).toContainText('a later line');
  } finally {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  }
});
