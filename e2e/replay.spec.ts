import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
import { Billing, ReplayPane } from './replay-pane.ts';
import { typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const search = 'search_invoices_of_a_customer_by_number_date_or_amount';

test('two recordings are compared and their differences walked by keyboard', async ({ app }) => {
  const billing = new Billing(app);
  await billing.record('old');
  await billing.record('new');
  const window = new Window(await app.open());
  const { page } = window;
  const replay = new ReplayPane(window);
  // The newest is the first.
  const recorded = new RecordedList(page).region.locator('[data-trace]').nth(1);
  await recorded.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();
  await replay.pane.getByRole('combobox', { name: 'Compare with' }).selectOption({ index: 1 });
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
  await replay.pane.getByRole('button', { name: 'Compare', exact: true }).click();

  await expect(replay.pane).toContainText('13 calls·4 differ·1 breaking');
  await expect(replay.selected).toContainText('structuredContent.tax is required');
  await expect(replay.pane.getByRole('status').filter({ hasText: 'Difference' })).toHaveText(
    'Difference 1 of 4',
  );
  await replay.calls.focus();
  await page.keyboard.press('n');
  await expect(replay.selected).toContainText('a result is now error -32602');
  await page.keyboard.press('F7');
  await expect(replay.selected).toContainText('$.structuredContent.items in another order');
  await page.keyboard.press('ArrowDown');
  await expect(replay.selected).toContainText('$.content[0].text changed');
  await page.keyboard.press('n');
  await expect(replay.selected).toContainText('breaking');
  await page.keyboard.press('p');
  await expect(replay.selected).toContainText('$.content[0].text changed');
  await page.keyboard.press('Home');

  // Six calls differ by noise: three are listed, and Enter unfolds the rest.
  await expect(replay.calls.getByRole('row', { name: 'noise' })).toHaveCount(4);
  for (let row = 0; row < 7; row++) await page.keyboard.press('ArrowDown');
  await expect(replay.selected).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('Enter');
  await expect(replay.selected).toHaveAttribute('aria-expanded', 'true');
  await expect(replay.calls.getByRole('row', { name: 'noise' })).toHaveCount(7);

  await page.keyboard.press('Home');
  await expect(replay.responses).toContainText('ignored: id');
  await page.keyboard.press('Enter');
  await expect(replay.responses.locator(':focus')).toHaveCount(1);
  const catalog = replay.pane.getByRole('list', { name: 'Changes of the catalog' });
  await expect(catalog).toContainText('1 of 2 recorded calls would break');
  await catalog.getByRole('button', { name: 'Show the call' }).click();
  await expect(replay.calls.getByRole('row').filter({ hasText: 'create_invoice' })).toHaveCount(1);
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);

  await replay.pane.getByRole('button', { name: 'Swap' }).click();
  await expect(catalog).toContainText('list_payoutsTool removed');

  // From the other one in the list: the older recording is on the left again.
  const newest = new RecordedList(page).region.locator('[data-trace]').first();
  await newest.click();
  await recorded.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Compare the trace on screen with this one' }).click();
  await expect(catalog).toContainText('list_payoutsTool added');
});

test(
  'a recording is replayed against a changed server, a path ignored and a response accepted',
  only.page,
  async ({ app }) => {
    const billing = new Billing(app);
    await billing.record('old');
    await billing.build('new');
    const window = new Window(await app.open());
    const { page } = window;
    const replay = new ReplayPane(window);
    await window.connectTo('billing', typed(billing.command));
    await replay.show();
    await expect(replay.pane).toContainText('Nothing to replay');
    await replay.pane.getByRole('combobox', { name: 'Recording' }).selectOption({ index: 1 });
    const plan = replay.pane.getByRole('region', { name: 'What will be sent' });
    // Tools that may destroy, or do not say, have to be ticked.
    await expect(plan.getByRole('checkbox', { name: 'Send tools/call list_customers' })).toBeChecked();
    await expect(plan.getByRole('checkbox', { name: 'Send tools/call delete_invoice' })).not.toBeChecked();
    const invoices = plan.getByRole('checkbox', { name: 'Send tools/call get_invoice' });
    await expect(invoices).not.toBeChecked();
    await invoices.check();
    if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
    await replay.pane.getByRole('button', { name: 'Send 12 calls' }).click();

    await expect(replay.pane).toContainText('13 calls·4 differ·1 breaking');
    await expect(replay.pane).toContainText('1 skipped');
    await replay.calls.focus();
    await page.keyboard.press('F7');
    await page.keyboard.press('F7');
    await expect(replay.selected).toContainText('in another order');
    await replay.responses.getByRole('button', { name: 'Ignore this path' }).click();
    await expect(replay.pane).toContainText('13 calls·3 differ');
    await replay.pane.getByRole('button', { name: 'Rules 1' }).click();
    await expect(page.getByRole('list', { name: 'Rules' })).toContainText('$.structuredContent.items');
    await page.keyboard.press('Escape');

    await replay.calls.focus();
    await page.keyboard.press('Home');
    await expect(replay.selected).toContainText('get_invoice');
    await replay.responses.getByRole('button', { name: 'Accept as baseline' }).click();
    await expect(replay.pane).toContainText('13 calls·2 differ');
    await replay.pane.getByRole('button', { name: 'Replay again' }).click();
    await expect(replay.pane).toContainText('13 calls·2 differ');

    const downloading = page.waitForEvent('download');
    await replay.pane.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'JUnit' }).click();
    const report = await readFile(await (await downloading).path(), 'utf8');
    expect(report).toContain('skipped="1"');
    expect(report).toContain('<failure type="flipped"');

    await page.keyboard.press('Alt+Shift+T');
    await window.trace.rows('tools/call', 'get_balance').last().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Replay this call…' }).click();
    await expect(replay.pane).toContainText('1 call of the selected rows');
    await replay.pane.getByRole('button', { name: 'Send 1 call' }).click();
    await expect(replay.pane).toContainText('1 call·none differs');

    await test.step('the value of a secret is asked for, sent, and kept out of the trace and the page', async () => {
      const tools = new ToolsPane(window);
      await tools.call(search, { reason: '[secret member pin, 8 characters, 0011aabb]' });
      await tools.expectOutcome('ok');
      await page.keyboard.press('Alt+Shift+T');
      await window.trace.filter('0011aabb dir:out');
      await window.trace.rows('tools/call', search).click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Replay this call…' }).click();
      await expect(replay.pane.getByRole('button', { name: 'Send 0 calls' })).toBeDisabled();
      const pin = replay.pane.getByLabel('member pin 0011aabb');
      await pin.fill('081');
      await expect(replay.pane).toContainText('At least 4 characters');
      await pin.fill('wombat-4711');
      if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
      await replay.pane.getByRole('button', { name: 'Send 1 call' }).click();
      await expect(replay.pane).toContainText('1 call·none differs');
      const traces = join(app.home, 'traces');
      const files = (await readdir(traces)).filter((name) => name.endsWith('.mcptrace'));
      const texts = await Promise.all(files.map((name) => readFile(join(traces, name), 'utf8')));
      expect(texts.some((text) => text.includes('[secret member pin, 11 characters, '))).toBe(true);
      expect(texts.filter((text) => text.includes('wombat'))).toEqual([]);
    });
  },
);
