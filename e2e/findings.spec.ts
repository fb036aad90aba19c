import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving, typed } from './servers.ts';
import { Window } from './window.ts';

test.describe('what the checks find', () => {
  test(
    'is marked on its row, explained in the detail and counted in the status bar',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('odd', typed(misbehaving('tools-not-a-list', 'noise')));
      const status = window.page.getByRole('contentinfo');
      await expect(status.getByRole('button', { name: '2 findings' })).toBeVisible();

      await window.trace.filter('tools/list');
      const answer = window.trace.rows('response', 'tools/list');
      await expect(answer.getByRole('img', { name: 'error found' })).toBeVisible();
      await answer.click();
      const { detail } = window.trace;
      await detail.getByRole('tab', { name: '1 finding' }).click();
      const finding = detail.getByRole('list', { name: 'Findings' }).getByRole('listitem');
      await expect(finding).toHaveCount(1);
      await expect(finding).toContainText('tools/list result: expected array, got object');
      await expect(finding).toContainText('schema/invalid');
      await expect(finding).toContainText('/result/tools');
      await expect(finding).toContainText('revision 2025-11-25');

      // The tab that was chosen stays as long as the next row has it.
      await window.trace.filter('Listening for requests');
      await window.trace.rows('stdout noise').click();
      await expect(finding).toContainText('stdio/non-mcp-stdout');
      await window.trace.filter('');
      await window.trace.rows('notifications/initialized').click();
      await expect(detail.getByRole('tab', { name: /finding/ })).toHaveCount(0);
      await expect(detail.getByRole('tab', { name: 'Message' })).toHaveAttribute('aria-selected', 'true');
    },
  );

  test('is nothing with a server that does everything right', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('good', typed(misbehaving()));
    await expect(window.trace.rows('response', 'tools/list')).toHaveCount(1);
    await expect(window.page.getByRole('contentinfo')).not.toContainText('finding');
    await expect(window.trace.table.getByRole('img', { name: /found$/ })).toHaveCount(0);
  });
});
