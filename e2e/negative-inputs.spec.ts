import { negativeServer } from '#fixtures/negative/command.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { Pane } from './pane.ts';
import { typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test(
  'negative inputs are sent after consent, and the table names exactly what was mishandled',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open());
    const { page } = window;
    const { command, args } = negativeServer('bad-cursor', 'wrong-type');
    await window.connectTo('negative', typed([command, ...args]));
    const tests = new Pane(window, 'Tests');
    await tests.show();
    await tests.pane.getByRole('radio', { name: 'Negative inputs' }).click();
    const rows = tests.pane.getByRole('table', { name: 'Negative inputs' }).getByRole('row');
    await expect(rows.filter({ hasText: 'Not sent' })).toHaveCount(19);

    const before = await window.trace.count();
    await tests.pane.getByRole('button', { name: 'Send 19 requests…' }).click();
    const consent = tests.pane.getByRole('region', { name: 'Before negative inputs are sent' });
    await expect(consent).toContainText('Send 19 requests to this server?');
    await expect(consent).toContainText('Tools that may be destructive by their annotations are left out.');
    if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
    await consent.getByRole('button', { name: 'Cancel' }).click();
    expect(await window.trace.count()).toBe(before);

    // By keyboard alone: the question takes the focus, and nothing is sent by a second Enter.
    await tests.pane.getByRole('button', { name: 'Send 19 requests…' }).focus();
    await page.keyboard.press('Enter');
    await expect(consent.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(consent.getByRole('button', { name: 'Send 19 requests' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(tests.pane.getByRole('status')).toHaveText('12 passed, 7 mishandled');
    await tests.pane.getByRole('checkbox', { name: 'Hide what passed' }).click();
    await expect(rows.filter({ hasText: 'Passed' })).toHaveCount(0);
    await expect(rows.filter({ hasText: 'Mishandled' })).toHaveCount(7);
    await expect(rows.filter({ hasText: 'a cursor that the server never gave' })).toHaveCount(4);
    await expect(rows.filter({ hasText: 'instead of a' })).toHaveCount(3);
    if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);

    const cursor = rows.filter({ hasText: 'prompts/list' });
    await cursor.getByRole('button', { name: /^Row .* of the trace/ }).click();
    await expect(window.trace.detail).toContainText('sightglass-made-up-cursor');

    const tools = new ToolsPane(window);
    await tools.choose('erase');
    await tools.pane.getByRole('button', { name: 'Negative inputs…' }).click();
    await tests.pane
      .getByRole('checkbox', { name: 'Also 3 inputs of tools that may be destructive' })
      .click();
    await tests.pane.getByRole('button', { name: 'Send 3 requests' }).click();
    await expect(tests.pane.getByRole('status')).toHaveText('1 passed, 2 mishandled');
  },
);
