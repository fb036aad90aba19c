import { type App, expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { demo, misbehaving, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** The window on the demo server, whose call reports progress all the time until it is cancelled. */
async function openInCall(app: App) {
  // Not the server that the app was opened on, which a new window would show.
  const window = new Window(await app.open(...misbehaving()));
  await window.expectPhase('ready');
  await window.connectTo('demo', typed(demo));
  const tools = new ToolsPane(window);
  await tools.call('count_slowly', { steps: '1000', interval: '150' });
  await expect(tools.result).toContainText(/Step \d+ of 1000/);
  return { window, tools };
}

test.describe('a page that goes away in the middle of a call', () => {
  test('comes back from a reload with its server, its pane and the call', async ({ app }) => {
    const { window, tools } = await openInCall(app);
    await window.page.reload();
    await expect(tools.pane).toBeVisible();
    await window.expectPhase('ready');
    await tools.choose('count_slowly');
    await expect(tools.result).toContainText(/Step \d+ of 1000/);
    await tools.result.getByRole('button', { name: 'Cancel' }).click();
    await tools.expectOutcome('cancelled');
  });

  test('comes back from a crash with its server and its pane', only.electron, async ({ app }) => {
    await openInCall(app);
    await app.crashPage();
    await expect(async () => expect(await app.pageText()).toMatch(/count_slowly[\s\S]*ready/)).toPass({
      timeout: 60_000,
    });
    expect(app.printed).toContain('the page ended (crashed)');
  });
});
