import { expect, expectGone, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving, typed } from './servers.ts';
import { Window } from './window.ts';

test.describe('a server that misbehaves', () => {
  test(
    'stays connected, and each thing it did wrong is a row that says what it is',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      const command = misbehaving('noise', 'half-json', 'invalid-utf8', 'huge-frame:20', 'stderr-lines:5000');
      await window.connectTo('odd', typed(command));
      // The detail of a long message needs the room.
      await window.page.keyboard.press('Alt+Shift+T');

      await window.trace.filter('Listening for requests');
      await expect(window.trace.rows('stdout noise')).toHaveCount(1);
      await window.trace.rows('stdout noise').click();
      await expect(window.trace.detail.getByRole('note')).toContainText('console.log()');

      await window.trace.filter(String.raw`text:"{\"jsonrpc\":\"2.0\",\"method\":\"notifications"`);
      await expect(window.trace.rows('half JSON')).toHaveCount(1);

      await window.trace.filter('0123456789abcdef0123456789abcdef');
      const huge = window.trace.rows('notifications/message');
      await expect(huge).toHaveCount(1);
      await huge.click();
      await expect(window.trace.detail).toContainText('0123456789abcdef');
      await expect(window.trace.detail).toContainText(/2[01](\.\d)? MB/);

      await window.trace.filter('kind:stderr "stderr line"');
      await window.trace.expectCount(5000);
      await window.trace.table.press('End');
      await expect(window.trace.rows('stderr', 'stderr line 5000 of 5000')).toBeVisible();

      await window.trace.filter('');
      await window.trace.table.press('Home');
      const total = await window.trace.count();
      expect(total).toBeGreaterThan(5000);
      await window.expectPhase('ready');
    },
  );

  test(
    'bytes that are not UTF-8 are shown as bytes, with the place of the first bad one',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('odd', typed(misbehaving('invalid-utf8')));
      const row = window.trace.rows('invalid UTF-8');
      await expect(row).toHaveCount(1);
      await row.click();
      await window.trace.detail.getByRole('button', { name: /^byte \d+$/ }).click();
      await expect(window.trace.detail.getByRole('tabpanel', { name: 'Hex' })).toContainText(/e9/i);
    },
  );

  test('sends ten thousand notifications, and all are listed', async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('flood', typed(misbehaving('flood:10000:200')));
    await window.trace.filter('notifications/message');
    await window.trace.expectCount(10_000);
    await window.trace.table.press('End');
    await window.trace.table.press('Enter');
    await expect(window.trace.detail).toContainText('9999');
    await window.expectPhase('ready');
  });

  test('that will not end is killed when it is disconnected', async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('stubborn', typed(misbehaving('ignores-sigterm', 'grandchild')));
    const servers = app.serversRunning('misbehaving', 'setTimeout');
    expect(servers).toHaveLength(2);
    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    await expect(window.trace.rows('process', 'ended', 'SIGKILL')).toHaveCount(1);
    await expectGone(servers);
    await window.show('Overview');
    const steps = window.pane('Overview').getByRole('list', { name: 'Steps of the shutdown' });
    await expect(steps.getByRole('listitem')).toContainText([
      'standard input closed',
      /SIGTERM sent after/,
      /SIGKILL sent after/,
      /process exited after/,
    ]);
  });
});
