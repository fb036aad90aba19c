import { expect, test } from './app.ts';
import { findings } from './axe.ts';
import { Window } from './window.ts';

test('settings and shortcuts are changed by keyboard and outlive a restart', async ({ app }) => {
  const window = new Window(await app.open());
  const { page } = window;
  await window.page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  await page.keyboard.press('ControlOrMeta+,');
  const settings = page.getByRole('region', { name: 'Settings', exact: true });
  await expect(settings.getByRole('searchbox', { name: 'Find a setting' })).toBeFocused();
  if (app.host === 'web') expect(await findings(page, 'html')).toEqual([]);
  await page.keyboard.type('theme');
  await expect(settings.getByRole('heading', { level: 3 })).toHaveText(['Theme']);
  await window.tabTo(settings.getByRole('radio', { name: 'System' }));
  for (const name of ['Light', 'Dark']) {
    await page.keyboard.press('ArrowRight');
    await expect(settings.getByRole('radio', { name })).toBeFocused();
  }
  await page.keyboard.press('Space');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.keyboard.press('Escape');
  await expect(settings).toBeHidden();

  // The filter of the tools has the focus after connecting, where ? is text.
  await window.show('Overview');
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toBeVisible();
  if (app.host === 'web') expect(await findings(page, '[role=dialog]')).toEqual([]);
  await expect(sheet.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('reconnect');
  const change = sheet.getByRole('button', { name: 'Change the shortcut of Reconnect' });
  await window.tabTo(change);
  await page.keyboard.press('Enter');
  await expect(change).toHaveText('Press keys…');
  await page.keyboard.press('ControlOrMeta+K');
  await expect(sheet.getByRole('alert')).toContainText('already belongs to');
  if (app.host === 'web') expect(await findings(page, '[role=dialog]')).toEqual([]);
  await window.tabTo(sheet.getByRole('button', { name: 'Keep' }));
  await page.keyboard.press('Enter');
  await expect(sheet.getByRole('alert')).toBeHidden();
  await window.tabTo(change);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Alt+Shift+Z');
  await expect(change).toContainText('Z');
  await expect(change).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  const before = await window.serverPid();
  await page.keyboard.press('Alt+Shift+Z');
  await expect.poll(() => window.serverPid()).not.toBe(before);

  const again = new Window(await app.restart());
  await expect(again.page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await again.page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).hover();
  await expect(again.page.getByRole('tooltip')).toContainText('Z');
});
