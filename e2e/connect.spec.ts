import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { everything, misbehaving, typed } from './servers.ts';
import { Window } from './window.ts';

test.describe('connecting', () => {
  test(
    'shows the command line before it runs for the first time, and not again',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.addServer('under test', typed(misbehaving()));
      const question = window.page.getByRole('region', { name: 'Run this command?' });
      await expect(question.getByRole('list', { name: 'Command and arguments' })).toContainText(
        'misbehaving',
      );
      expect(app.serversRunning('misbehaving')).toEqual([]);
      await window.approve();
      await window.expectPhase('ready');
      expect(app.serversRunning('misbehaving')).toHaveLength(1);

      await window.page.getByRole('button', { name: 'Reconnect' }).first().click();
      await expect(question).toBeHidden();
      await window.expectPhase('ready');
    },
  );

  test('opens the server named on the command line at once', async ({ app }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    // The table follows what comes; that the server lists has moved the beginning out of sight.
    await window.trace.table.press('Home');
    await expect(window.trace.rows('initialize').first()).toBeVisible();
  });

  test('shows who the server is and what both sides announced', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    await window.show('Overview');
    const overview = window.pane('Overview');
    await expect(overview.getByRole('region', { name: 'Server', exact: true })).toContainText('2025-11-25');
    const declared = overview.getByRole('region', { name: 'Server capabilities' });
    await expect(
      declared
        .getByRole('row')
        .filter({ hasText: /^\s*yes\s*tools/ })
        .first(),
    ).toBeVisible();
    await expect(overview.getByRole('region', { name: 'Client capabilities' })).toContainText('roots');
    await expect(overview.getByRole('region', { name: 'Instructions' })).toBeVisible();
  });

  test('the demo server is one click away', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
  });
});
