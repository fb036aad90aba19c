import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving, typed } from './servers.ts';
import { Window } from './window.ts';

test.describe('the list of servers', () => {
  test('keeps a server over a restart, with its approval and without its secret in the clear', async ({
    app,
  }) => {
    const window = new Window(await app.open());
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByLabel('Command line').fill(typed(misbehaving()));
    await form.getByLabel('Name', { exact: true }).fill('kept');
    await form.getByRole('button', { name: 'Add a variable' }).click();
    await form.getByRole('textbox', { name: 'Name of new variable' }).pressSequentially('API_TOKEN');
    await form.getByLabel('Value of API_TOKEN', { exact: true }).fill('sesame');
    await expect(form.getByRole('checkbox', { name: 'secret' })).toBeChecked();
    await form.getByRole('button', { name: /^Save (Ctrl|⌘)/ }).click();
    await expect(window.server('kept')).toBeVisible();

    const again = new Window(await app.restart());
    await again.server('kept').click();
    await expect(again.pane('Overview')).toContainText('API_TOKEN');
    await expect(again.page.locator('body')).not.toContainText('sesame');
  });

  test(
    'changes a server, and asks again when its command line is another one',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('first name', typed(misbehaving()));

      await window.page.keyboard.press('Alt+E');
      const form = window.page.getByRole('form', { name: 'Settings of first name' });
      await form.getByLabel('Name', { exact: true }).fill('second name');
      await form.getByRole('button', { name: /^Save (Ctrl|⌘)/ }).click();
      await expect(window.server('second name')).toBeVisible();
      await expect(window.server('first name')).toBeHidden();

      await window.page.keyboard.press('Alt+E');
      await window.page.getByLabel('Command line').fill(typed(misbehaving('noise')));
      await window.page.getByRole('button', { name: 'Save and connect' }).click();
      await window.approve();
      await expect(window.trace.rows('stdout noise')).toHaveCount(1);
    },
  );

  test('reconnects to a new process and keeps what the user was looking at', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('again', typed(misbehaving()));
    await window.show('Tools');
    const before = await window.serverPid();
    await window.page.keyboard.press('Alt+R');
    await expect.poll(() => window.serverPid()).not.toBe(before);
    await window.expectPhase('ready');
    await expect(window.pane('Tools')).toBeVisible();
    expect(app.serversRunning('misbehaving')).toHaveLength(1);
  });

  test('removes a server after asking, and ends its session', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('to go', typed(misbehaving()));
    await window.servers.getByRole('button', { name: 'Actions for to go' }).click();
    await window.page.getByRole('menuitem', { name: 'Remove…' }).click();
    const question = window.page.getByRole('dialog', { name: 'Remove to go' });
    await question.getByRole('button', { name: 'Keep' }).click();
    await expect(window.server('to go')).toBeVisible();

    await window.servers.getByRole('button', { name: 'Actions for to go' }).click();
    await window.page.getByRole('menuitem', { name: 'Remove…' }).click();
    await question.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(window.server('to go')).toBeHidden();
    await expect.poll(() => app.serversRunning('misbehaving')).toEqual([]);
  });

  test('runs several servers side by side', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('one', typed(misbehaving()));
    const one = await window.serverPid();
    await window.connectTo('two', typed(misbehaving('noise')));
    await expect(window.trace.rows('stdout noise')).toHaveCount(1);
    await window.server('one').click();
    expect(await window.serverPid()).toBe(one);
    await expect(window.trace.rows('stdout noise')).toHaveCount(0);

    // The palette finds the tools of both, and tells them apart.
    const { page } = window;
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.type('tool echo');
    const found = page.getByRole('option', { name: 'Tool: ' });
    await expect(found).toHaveText([/— one$/, /— two$/]);
    await page.keyboard.type(' two');
    await expect(found).toHaveCount(1);
    await page.keyboard.press('Enter');
    await expect(window.pane('Tools').getByRole('heading', { name: 'echo' })).toBeVisible();
    expect(await window.serverPid()).not.toBe(one);
  });
});

test.describe('servers behind a URL', () => {
  let server: ScriptedHttpServer;
  test.beforeEach(async () => {
    server = await ScriptedHttpServer.open({ era: 'both' });
  });
  test.afterEach(() => server.close());

  test('sends a header and shows its value to nobody who does not ask', async ({ app }) => {
    const window = new Window(await app.open());
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByLabel('Command line').fill(server.url);
    await form.getByRole('button', { name: 'Use it as the URL' }).click();
    await expect(form.getByRole('textbox', { name: 'URL' })).toHaveValue(server.url);
    await form.getByRole('button', { name: 'Authorization: Bearer …' }).click();
    await expect(form.getByLabel('Value of Authorization', { exact: true })).toBeFocused();
    await window.page.keyboard.type('sesame-7');
    await form.getByLabel('Name', { exact: true }).fill('guarded');
    await form.getByRole('button', { name: 'Save and connect' }).click();
    await window.expectPhase('ready');
    expect(server.requests.map((request) => request.header('authorization'))).toContain('Bearer sesame-7');
    await expect(window.page.locator('body')).not.toContainText('sesame-7');
    expect(await filesHolding(app.home, server.url)).not.toEqual([]);
    expect(await filesHolding(app.home, 'sesame-7')).toEqual([]);

    await window.page.keyboard.press('Alt+E');
    const settings = window.page.getByRole('form', { name: 'Settings of guarded' });
    await expect(settings.getByLabel('Value of Authorization', { exact: true })).toHaveValue('');
    await settings.getByLabel('Name', { exact: true }).fill('still guarded');
    await settings.getByRole('button', { name: /^Save (Ctrl|⌘)/ }).click();
    await expect(window.server('still guarded')).toBeVisible();
    // The list is told of the new name before the form hears that it was saved, and closes.
    await expect(settings).toBeHidden();
    const before = server.requests.length;
    await window.page.keyboard.press('Alt+R');
    await expect.poll(() => server.requests.length).toBeGreaterThan(before);
    expect(server.requests[before]?.header('authorization')).toBe('Bearer sesame-7');

    await window.page.keyboard.press('Alt+E');
    await window.page.getByRole('button', { name: 'Show the value of Authorization' }).click();
    await expect(window.page.getByLabel('Value of Authorization', { exact: true })).toHaveValue(
      'Bearer sesame-7',
    );
  });

  test(
    'are what a server becomes that was a command, without losing what is typed meanwhile',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('moving', typed(misbehaving()));
      await window.page.keyboard.press('Alt+E');
      const form = window.page.getByRole('form', { name: 'Settings of moving' });
      await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
      await form.getByRole('textbox', { name: 'URL' }).fill(server.url);
      await form.getByRole('radio', { name: 'Command (stdio)' }).click();
      await expect(form.getByLabel('Command line')).toHaveValue(/misbehaving/);
      await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
      await expect(form.getByRole('textbox', { name: 'URL' })).toHaveValue(server.url);
      await window.page.keyboard.press('ControlOrMeta+Enter');
      await expect(window.server('moving')).toContainText('http');
      await window.expectPhase('ready');
      await server.receivedMethod('tools/list');
      await expect.poll(() => app.serversRunning('misbehaving')).toEqual([]);

      const again = new Window(await app.restart());
      await expect(again.server('moving')).toHaveAttribute('title', server.url);
    },
  );

  test('ask for the revision and the era that were chosen', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByRole('radio', { name: 'URL (HTTP)' }).click();
    await form.getByRole('textbox', { name: 'URL' }).fill(server.url);
    await form.getByRole('radio', { name: 'legacy' }).click();
    await form.getByRole('combobox', { name: 'Revision' }).click();
    await window.page.getByRole('option', { name: '2025-03-26' }).click();
    await form.getByRole('button', { name: 'Save and connect' }).click();
    await window.expectPhase('ready');
    const [first] = server.requests;
    expect(first?.messages[0]).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-03-26' },
    });
  });
});

/** The files below a folder that hold a text in the clear. */
async function filesHolding(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  // A draft of a file may have taken its place meanwhile.
  const contentOf = (file: string) => readFile(file).catch(() => Buffer.alloc(0));
  const holding = await Promise.all(files.map(async (file) => (await contentOf(file)).includes(text)));
  return files.filter((_, place) => holding[place]);
}
