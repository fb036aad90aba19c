import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { RecordedList } from './recorded-list.ts';
import { typed } from './servers.ts';
import { Window } from './window.ts';

const billing = fileURLToPath(import.meta.resolve('#fixtures/replay/billing-server.ts'));

test('says how many tools there are and which changed since the last connection, and so does its recording', async ({
  app,
}) => {
  const build = join(app.home, 'build');
  await writeFile(build, 'old');
  const window = new Window(await app.open());
  const { page } = window;
  await window.connectTo('billing', typed([process.execPath, billing, build]));
  await window.show('Overview');
  const overview = window.pane('Overview');
  const offers = overview.getByRole('region', { name: 'What it offers' });

  await test.step('its seven tools are one click away', async () => {
    await offers.getByRole('button', { name: '7 tools' }).press('Enter');
    await expect(window.pane('Tools').getByRole('listbox', { name: 'Tools' })).toContainText('get_balance');
  });

  await test.step('what it cannot do is one line', async () => {
    await window.show('Overview');
    const declared = overview.getByRole('region', { name: 'Server capabilities' });
    await expect(declared.getByRole('row', { name: /^yes tools / })).toBeVisible();
    await expect(declared.getByRole('row', { name: /prompts/ })).toHaveCount(0);
    await declared.getByRole('button', { name: /not declared: .*prompts/ }).press('Enter');
    await expect(declared.getByRole('row', { name: /^no prompts / })).toBeVisible();
  });

  await test.step('another build is deployed: the Overview names what it changed', async () => {
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    await writeFile(build, 'new');
    await overview.getByRole('button', { name: 'Reconnect' }).click();
    await window.expectPhase('ready');
    await window.show('Overview');
    await expect(offers).toContainText('8 tools');
    const changes = overview.getByRole('region', { name: 'Since the last connection' });
    await changes.getByText(/^Tools:/).click();
    await expect(changes).toContainText('list_payouts');
    if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
    await changes.getByRole('button', { name: 'Compare with the session before' }).click();
    const catalog = window.pane('Replay').getByRole('list', { name: 'Changes of the catalog' });
    await expect(catalog).toContainText('list_payouts');
  });

  await test.step('a recording opens on the same Overview', async () => {
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    await window.show('Overview');
    await expect(offers).toContainText('8 tools');
    const [server, offered] = [
      await overview.getByRole('heading').first().innerText(),
      await offers.innerText(),
    ];
    const recorded = new RecordedList(page).region.locator('[data-trace]');
    // The session that has just ended is listed above the one before it.
    await expect(recorded).toHaveCount(2);
    await recorded.first().click();
    await expect(window.status).toContainText('recorded');
    await expect(overview.getByRole('region', { name: 'Server', exact: true })).toContainText(server);
    await expect(offers).toHaveText(offered);
    const changes = overview.getByRole('region', { name: 'Since the last connection' });
    await changes.getByText(/^Tools:/).click();
    await expect(changes).toContainText('list_payouts');
    await offers.getByRole('button', { name: '8 tools' }).click();
    await expect(window.pane('Tools').getByRole('listbox', { name: 'Tools' })).toContainText('list_payouts');
  });
});
