import type { Locator } from 'playwright/test';
import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { everything, misbehaving } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test.describe('the result of a call', () => {
  test('shows each kind of content as what it is', async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);

    await tools.call('make_picture');
    await expect(tools.result.getByRole('img').first()).toBeVisible();
    await expect(tools.result).toContainText('image/png');

    await tools.call('make_sound');
    await expect(tools.result.locator('audio')).toBeVisible();

    await tools.call('link_resource');
    await expect(tools.result).toContainText('demo://');
    await expect(tools.result).toContainText('resource link');

    await tools.call('embed_resource');
    await expect(tools.result).toContainText('resource');

    await tools.call('mix_content');
    await expect(tools.result).toContainText('Five more blocks follow.');
    await tools.result.getByRole('radio', { name: 'Assistant' }).click();
    await expect(tools.result).not.toContainText('Five more blocks follow.');
    await expect(tools.result).toContainText('That was all.');

    await tools.call('measure_text', { text: 'sightglass' });
    await expect(tools.result).toContainText('structuredContent');
    await expect(tools.result).toContainText('matches the output schema');
  });

  test('tells an error of the tool from an error of the protocol', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    await tools.call('fail');
    await tools.expectOutcome('tool error');
    await expect(tools.result).toContainText('the valve is stuck');
    await tools.call('fail_with_protocol_error');
    await tools.expectOutcome('protocol error');
    await expect(tools.result.getByRole('region', { name: 'Protocol error' })).toContainText(/-32\d{3}/);
  });

  test(
    'sends what the schema forbids on request, and shows the response of the server',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open(...everything));
      await window.expectPhase('ready');
      const tools = new ToolsPane(window);
      await tools.choose('echo');
      await tools.pane.getByRole('radio', { name: 'JSON' }).click();
      await tools.writeJson('Arguments as JSON', '{"other": 1}');
      await expect(tools.pane.getByText('By the schema, message is required')).toBeVisible();
      await tools.pane.getByRole('button', { name: 'Run anyway' }).click();
      await expect(tools.result.getByRole('status').first()).toHaveText(/tool error|protocol error/);
    },
  );

  test('of arguments written as JSON: numbers arrive as they were written', only.page, async ({ app }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    await tools.choose('echo');
    await tools.pane.getByRole('radio', { name: 'JSON' }).click();
    await tools.writeJson('Arguments as JSON', '{"message": "exact", "big": 12345678901234567890}');
    await tools.pane.getByRole('button', { name: 'Preview the request' }).click();
    await expect(tools.pane.getByRole('region', { name: 'Request preview' })).toContainText(
      '12345678901234567890',
    );
    await tools.run.click();
    await expect(tools.result).toContainText('exact');
    await window.trace.filter('12345678901234567890');
    await expect(window.trace.rows('tools/call', '→')).toHaveCount(1);

    // From here on by keyboard alone.
    const { keyboard } = window.page;
    const use = async (place: Locator) => {
      await window.tabTo(place);
      await keyboard.press('Enter');
    };
    await use(tools.pane.getByRole('button', { name: 'Parallel calls' }));
    await window.tabTo(tools.pane.getByRole('textbox', { name: 'Calls at once' }));
    await keyboard.press('ControlOrMeta+A');
    await keyboard.type('12');
    await use(tools.pane.getByRole('button', { name: 'Run 12 in parallel' }));
    const parallel = tools.pane.getByRole('region', { name: 'Parallel calls' });
    await expect(parallel.getByRole('status')).toHaveText('12 ok');
    await expect(parallel).toContainText(/min .* · median .* · max /);
    await use(parallel.getByRole('button', { name: /^Show call/ }).nth(1));
    await expect(tools.result).toContainText('exact');
    await use(tools.result.getByRole('button', { name: 'All 12 calls' }));
    await expect(parallel.getByRole('button', { name: /^Show call/ })).toHaveCount(12);
    await use(parallel.getByRole('button', { name: /^Show call/ }).first());

    const another = tools.result.getByRole('button', { name: /show another/ });
    await use(another);
    await use(window.page.getByRole('button', { name: /^Compare call/ }).first());
    const comparison = tools.pane.getByRole('region', { name: /compared$/ });
    await expect(comparison).toBeFocused();
    await expect(comparison.getByRole('status')).toHaveText('No line differs');
    await window.tabTo(comparison.getByRole('radio', { name: 'Content' }));
    await keyboard.press('ArrowRight');
    await keyboard.press('Space');
    await expect(comparison.getByRole('radio', { name: 'Raw' })).toBeChecked();
    await window.tabTo(comparison.getByRole('region', { name: 'Differences' }));
    await keyboard.press('Escape');
    await expect(comparison).toBeHidden();
    await expect(another).toBeVisible();

    await window.trace.filter('12345678901234567890 method:tools/call dir:out');
    await window.trace.expectCount(13);
  });

  test('a malformed tool hides no other and says what is wrong with it', only.page, async ({ app }) => {
    const window = new Window(await app.open(...misbehaving('malformed-tools')));
    await window.expectPhase('ready');
    await window.show('Tools');
    const list = window.pane('Tools').getByRole('listbox', { name: 'Tools' });
    await expect(list.getByRole('option')).toHaveCount(7);
    await expect(list.getByRole('option', { name: 'last' })).toBeVisible();
    await list.getByRole('option', { name: 'no_schema' }).click();
    await expect(window.pane('Tools')).toContainText(/inputSchema/);
  });

  test('many pages of tools are one list', only.page, async ({ app }) => {
    const window = new Window(await app.open(...misbehaving('paged-tools:3:4')));
    await window.expectPhase('ready');
    await window.show('Tools');
    const pane = window.pane('Tools');
    await expect(pane).toContainText(/12 tools.*4 pages/);
    const list = pane.getByRole('listbox', { name: 'Tools' });
    await expect(list).toContainText('page 2 · 3 items');

    // One page at a time, from the next connection on.
    const pages = pane.getByRole('group', { name: 'Pages of the tools' });
    await pages.getByRole('checkbox', { name: 'Page by page' }).click();
    await window.page.getByRole('button', { name: 'Reconnect' }).click();
    await expect(pages).toContainText('page-2');
    await expect(list.getByRole('option')).toHaveCount(3);
    await pages.getByRole('button', { name: 'Next page' }).click();
    await expect(pages).toContainText('page-3');
    await expect(list.getByRole('option')).toHaveCount(6);
    await pages.getByRole('button', { name: 'All' }).click();
    await expect(list.getByRole('option')).toHaveCount(12);
    await expect(pages).not.toContainText('Next cursor');
  });
});
