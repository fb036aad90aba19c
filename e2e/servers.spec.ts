import { expect, test } from './app.ts';
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

  test('changes a server, and asks again when its command line is another one', async ({ app }) => {
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
  });

  test('reconnects to a new process and keeps what the user was looking at', async ({ app }) => {
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

  test('removes a server after asking, and ends its session', async ({ app }) => {
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

  test('runs several servers side by side', async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('one', typed(misbehaving()));
    const one = await window.serverPid();
    await window.connectTo('two', typed(misbehaving('noise')));
    await expect(window.trace.rows('stdout noise')).toHaveCount(1);
    await window.server('one').click();
    expect(await window.serverPid()).toBe(one);
    await expect(window.trace.rows('stdout noise')).toHaveCount(0);
  });
});
