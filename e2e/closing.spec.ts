import { expect, expectGone, test } from './app.ts';
import { only } from './hosts/only.ts';
import { misbehaving } from './servers.ts';
import { Window } from './window.ts';

/** A server that outlives everything but SIGKILL, with a process of its own. */
const stubborn = misbehaving('ignores-sigterm', 'grandchild');

test.describe('closing', () => {
  test('the app ends its servers and what they started', async ({ app }) => {
    const window = new Window(await app.open(...stubborn));
    await window.expectPhase('ready');
    const servers = app.serversRunning('misbehaving', 'setTimeout');
    expect(servers).toHaveLength(2);
    await app.close();
    await expectGone(servers);
  });

  // The page of the web host comes and goes.
  test('its window ends the app with its servers', only.electron, async ({ app }) => {
    const window = new Window(await app.open(...stubborn));
    await window.expectPhase('ready');
    const servers = app.serversRunning('misbehaving', 'setTimeout');
    expect(servers).toHaveLength(2);
    await app.page.close();
    await app.ended;
    await expectGone(servers);
  });

  for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) {
    // The web host runs in a terminal.
    test(`by ${signal} ends its servers too`, only.web, async ({ app }) => {
      app.expectComplaint(/WebSocket|ERR_CONNECTION|ERR_SOCKET/);
      const window = new Window(await app.open(...stubborn));
      await window.expectPhase('ready');
      // Everything is loaded by then: afterwards nothing can be.
      await expect(window.trace.table).toBeVisible();
      const servers = app.serversRunning('misbehaving', 'setTimeout');
      expect(servers).toHaveLength(2);
      process.kill(app.enginePid, signal);
      await app.ended;
      await expectGone(servers);
      await expect(window.page.getByRole('alert')).toContainText('Sightglass has stopped');
    });
  }
});
