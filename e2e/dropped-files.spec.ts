import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { Pane } from './pane.ts';
import { RecordedList } from './recorded-list.ts';
import { everything, typed } from './servers.ts';
import { Window } from './window.ts';

const [command, ...args] = everything;
const configuration = JSON.stringify({ mcpServers: { dropped: { command, args } } });
const calls = `version: 1
steps:
  - name: Echoes
    call: echo
    arguments: { message: hello }
`;

test.describe('a file that is dropped on the window', () => {
  test('is imported if it is the configuration of another client', async ({ app }) => {
    const window = new Window(await app.open());
    const list = new RecordedList(window.page);
    const form = window.page.getByRole('region', { name: 'Import servers' });
    const text = form.getByRole('textbox', { name: 'Configuration or command line' });
    await list.drop({ name: '.mcp.json', text: configuration });
    await expect(form.getByRole('checkbox', { name: 'dropped' })).toBeChecked();
    await expect(form).toContainText('Claude Code');
    // Another one takes its place.
    await list.drop({ name: 'mcp.json', text: configuration.replace('dropped', 'other') });
    await expect(text).toHaveValue(/"other"/);
    await form.getByRole('button', { name: 'Import 1 server' }).click();
    await expect(window.server('other')).toBeVisible();
  });

  test('opens in the Tests pane if it holds saved calls, and runs there', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    const list = new RecordedList(window.page);
    const tests = new Pane(window, 'Tests');
    await list.drop({ name: 'calls.mcptest.yaml', text: calls });
    await expect(window.page.getByText('holds calls for a server, and there is none')).toBeVisible();
    await window.connectTo('everything', typed(everything));
    if (app.host === 'web') {
      await list.drop({ name: 'calls.mcptest.yaml', text: calls });
    } else {
      const path = join(app.home, 'calls.mcptest.yaml');
      await writeFile(path, calls);
      await list.dropPath(path);
      await expect(tests.pane.getByRole('textbox', { name: 'Test file' })).toHaveValue(path);
    }
    await tests.pane.getByRole('button', { name: 'Run all' }).click();
    await expect(tests.pane.getByRole('listitem', { name: 'Echoes: Passed' })).toBeVisible();
  });
});

test.describe('what was opened last', () => {
  test('is in the palette, also after a restart', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const list = new RecordedList(window.page);
    await list.drop({ name: 'calls.mcptest.yaml', text: calls });
    await expect(window.pane('Tests').getByRole('listitem', { name: /^Echoes/ })).toBeVisible();
    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    const row = list.region.locator('[data-trace]');
    // The trace is listed once the session has ended.
    await expect(row).toHaveCount(1);
    await row.click();
    await expect(window.status).toContainText('recorded');

    const again = new Window(await app.restart());
    const { keyboard } = again.page;
    const open = async (title: RegExp) => {
      await keyboard.press('ControlOrMeta+K');
      await keyboard.type('recent');
      const option = again.page.getByRole('option', { name: title });
      await expect(option).toBeVisible();
      await option.click();
    };
    await open(/^Open .+\.mcptrace/);
    await expect(again.status).toContainText('recorded');
    await open(/^Open calls\.mcptest\.yaml for everything/);
    await expect(again.pane('Tests').getByRole('listitem', { name: /^Echoes/ })).toBeVisible();
    await open(/^Connect to everything/);
    await again.expectPhase('ready');
    await open(/^Clear recent items/);
    await keyboard.press('ControlOrMeta+K');
    await keyboard.type('recent');
    await expect(again.page.getByRole('dialog', { name: 'Commands' })).toBeVisible();
    await expect(again.page.getByRole('option', { name: /^Connect to everything/ })).toHaveCount(0);
  });

  test('is in File > Open Recent', only.electron, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    const recent = async () =>
      (await app.menus.items()).filter(({ submenu }) => submenu === 'Open Recent').map(({ label }) => label);
    await expect.poll(recent).toEqual(['Connect to everything', 'Clear recent items']);
    await app.menus.choose('Connect to everything');
    await window.expectPhase('ready');
  });
});
