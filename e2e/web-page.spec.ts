import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving } from './servers.ts';
import { Window } from './window.ts';

test.describe('the page of the web host', only.web, () => {
  test('can be reloaded, and the session goes on', async ({ app }) => {
    const window = new Window(await app.open(...misbehaving()));
    await window.expectPhase('ready');
    const pid = await window.serverPid();
    expect(window.page.url()).not.toContain('token');
    await window.page.reload();
    await window.expectPhase('ready');
    expect(await window.serverPid()).toBe(pid);
    await expect(window.trace.rows('initialize', '→')).toHaveCount(1);
  });

  test('takes its address once', async ({ app }) => {
    const window = new Window(await app.open());
    await expect(window.servers).toBeVisible();
    const second = await app.page.context().newPage();
    app.watch(second);
    await second.goto(app.address);
    await expect(second.getByRole('alert')).toContainText('This page is not let in');
    await expect(window.servers).toBeVisible();
  });

  test('is nothing without an address, and keeps nothing but its own secret', async ({ app }) => {
    const window = new Window(await app.open());
    await expect(window.servers).toBeVisible();
    const stored = await window.page.evaluate(() => ({
      session: Object.keys(sessionStorage),
      local: Object.keys(localStorage),
      cookies: document.cookie,
    }));
    expect(stored).toEqual({ session: ['sightglass-session'], local: [], cookies: '' });
    const other = await app.page.context().newPage();
    app.watch(other);
    await other.goto(new URL('/', app.address).href);
    await expect(other.getByRole('alert')).toContainText('This page is not let in');
  });

  test('cannot be spoken to from another origin', async ({ app }) => {
    await app.open();
    const { host } = new URL(app.address);
    const wrongHost = await fetch(`http://${host}/`, { headers: { origin: 'http://evil.example' } });
    expect(wrongHost.headers.get('access-control-allow-origin')).toBeNull();
    const upgrade = await fetch(`http://${host}/engine`, { headers: { origin: 'http://evil.example' } });
    expect(upgrade.ok).toBe(false);
  });
});
