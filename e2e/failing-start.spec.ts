import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving, typed } from './servers.ts';
import { Window } from './window.ts';

test.describe('a server that does not start', () => {
  test('is named when its command is not found', async ({ app }) => {
    const window = new Window(await app.open());
    await window.addServer('missing', 'no-such-program-here --stdio');
    await expect(window.page.getByRole('region', { name: 'Run this command?' })).toContainText('not found');
    await window.approve();
    const alert = window.pane('Overview').getByRole('alert');
    await expect(alert).toContainText('no-such-program-here');
    await expect(alert).toContainText('PATH');
    await expect(alert.getByRole('button', { name: /connect/i })).toBeVisible();
  });

  test('that ends before it answers shows its exit code and its last words', async ({ app }) => {
    const window = new Window(await app.open());
    await window.addServer('broken', typed(misbehaving('exit-before-initialize')));
    await window.approve();
    await window.expectPhase('exit 1');
    const alert = window.pane('Overview').getByRole('alert');
    // The error itself is the headline, and its stack is open.
    await expect(alert).toContainText(/^Error: the variable DATABASE_URL is not set/);
    await expect(alert.getByText('at main (server.js:12:9)')).toBeVisible();
    await expect(alert).not.toContainText(/\bera\b|legacy/);
    await expect(window.trace.rows('stderr', 'DATABASE_URL').last()).toBeVisible();

    const steps = window.pane('Overview').getByRole('region', { name: 'Steps of the connection' });
    await expect(steps.getByRole('listitem')).toContainText([
      /Command found: ok.*node/,
      /Executable: ok/,
      /Process started: ok.*pid \d+/,
      /First output: failed.*nothing on standard output.*exit code 1/,
      /MCP handshake: skipped/,
    ]);
    // The evidence of a step opens by keyboard.
    await steps.locator('summary').nth(1).press('Enter');
    await expect(steps.getByText('Permissions')).toBeVisible();
  });

  test('that speaks a revision nobody knows is left, with the reason', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.addServer('newer', typed(misbehaving('unknown-version')));
    await window.approve();
    const alert = window.pane('Overview').getByRole('alert');
    await expect(alert).toContainText('2031-01-01');
    await expect(window.trace.rows('response', 'initialize')).toHaveCount(1);
    await expect.poll(() => app.serversRunning('misbehaving')).toEqual([]);
  });
});
