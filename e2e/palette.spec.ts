import { expect, test } from './app.ts';
import { RecordedList } from './recorded-list.ts';
import { demo, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test('the palette finds tools, resources, prompts, servers, traces and my filters, the recent ones first', async ({
  app,
}) => {
  const window = new Window(await app.open());
  const { page } = window;
  const { keyboard } = page;
  const palette = page.getByRole('dialog', { name: 'Commands' });
  const chosen = palette.getByRole('option', { selected: true });
  const open = async () => {
    // A dialog that has just closed may still take the keys for a moment.
    await expect(async () => {
      await keyboard.press('ControlOrMeta+K');
      await expect(palette.getByRole('combobox')).toBeFocused({ timeout: 5000 });
    }).toPass();
  };
  /** Types into the palette and runs what it has chosen. */
  const goTo = async (text: string, title: RegExp) => {
    await open();
    await keyboard.type(text);
    await expect(chosen).toHaveText(title);
    await keyboard.press('Enter');
    await expect(palette).toHaveCount(0);
  };
  await window.connectTo('first', typed(demo));
  await window.addServer('second', typed(demo));
  await expect(window.server('second')).toContainText('ready');
  const tools = new ToolsPane(window);

  await test.step('nothing is chosen before I type, so Enter runs nothing', async () => {
    await open();
    for (const command of ['Reconnect', 'Disconnect', 'Show Tools', 'Filter the trace', 'Add a server…']) {
      await expect(palette.getByRole('option', { name: command })).toBeVisible();
    }
    await expect(chosen).toHaveCount(0);
    await keyboard.press('Enter');
    await expect(palette).toBeVisible();
  });

  await test.step('what removes something is found, but never chosen first', async () => {
    await keyboard.type('remove second');
    await expect(palette.getByRole('option', { name: 'Remove second…' })).toBeVisible();
    await expect(palette.getByRole('option', { name: 'Remove second…', selected: true })).toHaveCount(0);
    await keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  await test.step('letters in their order find a tool of the other server, by its name', async () => {
    await goTo('cntslw first', /^Tool: Count slowly .* — first$/);
    await expect(window.server('first')).toHaveAttribute('aria-current', 'true');
    await expect(tools.pane.getByRole('heading', { name: 'Count slowly' })).toBeVisible();
  });

  await test.step('a resource, a prompt and a server', async () => {
    await goTo('resource welcome second', /^Resource: Welcome .* — second$/);
    await expect(window.pane('Resources')).toContainText('demo://welcome');
    await expect(window.server('second')).toHaveAttribute('aria-current', 'true');
    await goTo('compare cities second', /^Prompt: Compare two cities$/);
    await expect(window.pane('Prompts').getByRole('heading', { name: 'Compare two cities' })).toBeVisible();
    await goTo('first server', /^first/);
    await expect(window.server('first')).toHaveAttribute('aria-current', 'true');
  });

  await test.step('what I chose lately comes first, before I type', async () => {
    await open();
    await expect(palette.getByRole('option').first()).toHaveText(/^first/);
    await expect(palette.getByRole('option').nth(1)).toHaveText(/^Prompt: Compare two cities/);
    await keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  await test.step('a filter that I saved', async () => {
    await window.trace.filter('method:tools/list');
    await window.trace.region.getByRole('button', { name: 'Usual and saved filters' }).click();
    await page.getByRole('textbox', { name: 'Name of this filter' }).fill('lists of tools');
    await keyboard.press('Enter');
    await keyboard.press('Escape');
    await window.trace.filter('');
    await goTo('lists of', /^Filter: lists of tools$/);
    await window.trace.expectFilter('method:tools/list');
  });

  await test.step('a recorded trace, once its session is over', async () => {
    await goTo('disconnect', /^Disconnect/);
    await window.expectPhase('closed');
    await expect(new RecordedList(page).rows('first')).toHaveCount(1);
    await goTo('trace: first', /^Trace: first — /);
    await expect(window.status).toContainText('recorded');
  });
});
