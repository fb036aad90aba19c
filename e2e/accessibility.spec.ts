import type { Page } from 'playwright/test';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { misbehaving, typed } from './servers.ts';
import { PromptsPane } from './prompts-pane.ts';
import { ResourcesPane } from './resources-pane.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const TRACE = 'section[aria-label="Trace"]';

test.describe('axe finds nothing in the dark and in the light', only.web, () => {
  const open = async (start: Promise<Page>): Promise<Window> => new Window(await start);
  const clean = async ({ page }: Window, screen: string, part?: string) =>
    expect.soft(await findings(page, part), screen).toEqual([]);

  test('on the way to a server', async ({ app }) => {
    const window = await open(app.open());
    await expect(window.page.getByRole('button', { name: 'Try the demo server' })).toBeVisible();
    await clean(window, 'first start');

    await window.page.keyboard.press('Alt+N');
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByRole('button', { name: 'Save and connect' }).click();
    await clean(window, 'form with mistakes', 'form');
    await form.getByLabel('Command line').fill(`TOKEN=1 ${typed(misbehaving())} $HOME`);
    await form.getByRole('button', { name: 'Add a variable' }).click();
    await clean(window, 'form with hints', 'form');
    await form.getByLabel('Command line').fill(typed(misbehaving('noise', 'exit-after-initialize')));
    await form.getByRole('button', { name: /^Remove new variable/ }).click();
    await form.getByRole('button', { name: 'Save and connect' }).click();

    await expect(window.page.getByRole('region', { name: 'Run this command?' })).toBeVisible();
    await clean(window, 'approval');
    await window.approve();
    await window.expectPhase('exit 3');
    // If its tools were listed before it ended, they are shown.
    await window.show('Overview');
    await window.pane('Overview').getByText('Evidence').click();
    await clean(window, 'ended session', PANE);
  });

  test('on a connection that failed', async ({ app }) => {
    const window = await open(app.open());
    await window.addServer('broken', typed(misbehaving('exit-before-initialize')));
    await window.approve();
    const steps = window.pane('Overview').getByRole('region', { name: 'Steps of the connection' });
    await steps.locator('summary').nth(1).press('Enter');
    await clean(window, 'steps of the connection');
  });

  test('on the tools', async ({ app }) => {
    const window = await open(app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    await window.show('Overview');
    await clean(window, 'overview');

    const tools = new ToolsPane(window);
    await tools.call('count_slowly', { steps: '1000' });
    await expect(tools.result.getByRole('progressbar')).toBeVisible();
    await clean(window, 'running call');
    await tools.result.getByRole('button', { name: 'Cancel' }).click();
    await tools.expectOutcome('cancelled');
    await clean(window, 'cancelled call', PANE);

    for (const tool of ['make_picture', 'make_sound', 'mix_content', 'fail', 'fail_with_protocol_error']) {
      await tools.call(tool);
      await expect(tools.result).not.toContainText('running');
      await clean(window, `result of ${tool}`, PANE);
    }
    await tools.call('fail');
    await tools.result.getByRole('button', { name: /show another/ }).click();
    const compare = window.page.getByRole('button', { name: /^Compare call/ });
    await expect(compare).toBeVisible();
    await clean(window, 'history of calls');
    await compare.click();
    await expect(tools.pane.getByText('No line differs')).toBeVisible();
    await clean(window, 'compared calls', PANE);
    await window.page.keyboard.press('Escape');
    await tools.pane.getByRole('button', { name: 'Parallel calls' }).click();
    await tools.pane.getByRole('button', { name: 'Run 10 in parallel' }).click();
    await expect(tools.pane.getByText('10 tool error')).toBeVisible();
    await clean(window, 'parallel calls', PANE);
    await tools.call('delete_notes');
    await expect(tools.pane.getByRole('region', { name: 'Run delete_notes?' })).toBeVisible();
    await clean(window, 'confirmation', PANE);
    await tools.choose('plan_trip');
    await clean(window, 'large form', PANE);
    await tools.pane.getByRole('button', { name: 'Options' }).click();
    await clean(window, 'options', PANE);
    await tools.pane.getByRole('radio', { name: 'JSON' }).click();
    await tools.pane.getByRole('button', { name: 'Preview the request' }).click();
    await expect(tools.pane.getByRole('textbox', { name: 'Arguments as JSON' })).toBeVisible();
    await clean(window, 'JSON and preview', PANE);
  });

  test('on the trace and what opens over the window', async ({ app }) => {
    const window = await open(
      app.open(...misbehaving('noise', 'invalid-utf8', 'asks-for-the-unknown', 'stderr-lines:20')),
    );
    await window.trace.filter('kind:noise');
    await expect(window.trace.rows('invalid UTF-8')).toHaveCount(1);
    await window.trace.rows('invalid UTF-8').click();
    await expect(window.trace.detail.getByRole('note')).toBeVisible();
    await clean(window, 'noise');
    await window.trace.detail.getByRole('tab', { name: 'Hex' }).click();
    await clean(window, 'hex', TRACE);
    await window.trace.filter('initialize');
    await window.trace.rows('initialize', '→').click();
    await expect(window.trace.detail.getByRole('tab', { name: 'Message' })).toBeVisible();
    await clean(window, 'request', TRACE);
    await window.trace.filter('nothing has this text');
    await expect(window.trace.region).toContainText('No row matches this filter');
    await clean(window, 'empty filter', TRACE);

    await window.page.keyboard.press('ControlOrMeta+K');
    await expect(window.page.getByRole('option', { name: 'Disconnect' })).toBeVisible();
    await clean(window, 'palette');
    await window.page.keyboard.press('Escape');
    await window.servers.getByRole('button', { name: /^Actions for/ }).click();
    await clean(window, 'menu');
    await window.page.getByRole('menuitem', { name: 'Remove…' }).click();
    await expect(window.page.getByRole('dialog', { name: /^Remove/ })).toBeVisible();
    await clean(window, 'removal', '[role="dialog"]');
  });

  test('on resources and prompts', async ({ app }) => {
    const window = await open(app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const resources = new ResourcesPane(window);
    await resources.show();
    await clean(window, 'resources');
    await resources.read('Clock');
    await resources.pane.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await expect(resources.reads.getByRole('listitem').nth(1)).toBeVisible();
    await resources.pane.getByRole('button', { name: 'Unsubscribe' }).click();
    await clean(window, 'reads with a difference', PANE);
    await resources.read('Picture');
    await resources.pane.getByRole('radio', { name: 'Hex' }).click();
    await clean(window, 'hex of a picture', PANE);
    const prompts = new PromptsPane(window);
    await prompts.choose('Introduce yourself');
    await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
    await expect(prompts.messages).toContainText('introduce yourself');
    await clean(window, 'messages of a prompt', PANE);
  });
});
