import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
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
    const { origin, port } = new URL(app.address);
    const page = await fetch(origin, { headers: { origin: 'http://evil.example' } });
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    // The same request each time, but for where it comes from.
    expect(await upgradeFrom(origin, port)).toBe(101);
    for (const foreign of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      'http://127.0.0.1:1',
    ]) {
      expect(await upgradeFrom(foreign, port), foreign).toBe(403);
    }
  });

  test('fails its test by a complaint of its first load too', async ({ app }) => {
    app.beforeLoad = async (page) => {
      await page.addInitScript({ content: "console.error('said before all else')" });
    };
    await app.open();
    expect(app.complaints()).toEqual(['said before all else']);
    app.expectComplaint(/^said before all else$/);
    expect(app.complaints()).toEqual([]);
  });
});

/** Asks for the page's WebSocket as a browser does for a page of this origin; gives the status of the answer. */
function upgradeFrom(origin: string, port: string): Promise<number | undefined> {
  const headers = {
    origin,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/engine', headers });
    asked.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    asked.once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.once('error', reject).end();
  });
}
