import { findings } from './axe.ts';
import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
import { demo, everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test.describe('the trace', () => {
  test('is filtered by its language: completed by key, refused in place, and folded by call', async ({
    app,
  }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
    const { trace, page } = window;
    const box = trace.region.getByRole('combobox', { name: 'Filter the trace' });

    await box.fill('meth');
    await box.press('ArrowDown');
    await box.press('Enter');
    await expect(box).toHaveValue('method:');
    await box.pressSequentially('tools/c');
    await page.getByRole('option', { name: /^tools\/call/ }).click();
    await expect(box).toHaveValue('method:tools/call');
    await trace.expectCount(2);

    await box.fill('method:tools/call colour:red');
    await expect(box).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByRole('main')).toContainText('There is no field colour');
    // What was found before stays visible.
    await trace.expectCount(2);
    await trace.filter('method:tools/call dir:in');
    await expect(trace.rows('response', 'echo')).toHaveCount(1);
    await trace.filter('method:tools/call -dir:in tool:no-such');
    await trace.expectCount(0);

    await trace.filter('method:tools/call');
    await trace.region.getByRole('radio', { name: 'Calls' }).click();
    await trace.expectCount(1);
    await expect(trace.rows('tools/call', 'echo')).toContainText('ok');
  });

  test(
    'leads from a request to its answer and back, and sets two rows side by side',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open(...everything));
      await window.expectPhase('ready');
      const tools = new ToolsPane(window);
      for (const message of ['one', 'two']) {
        await tools.call('echo', { message });
        await tools.expectOutcome('ok');
      }
      const { trace } = window;
      await trace.filter('method:tools/call');
      await trace.expectCount(4);
      await trace.rows('tools/call').first().click();
      await expect(trace.detail).toContainText('"one"');
      await trace.table.press('Alt+P');
      await expect(trace.detail).toContainText('Echo: one');
      await trace.table.press('Alt+P');
      await expect(trace.rows('tools/call').first()).toHaveAttribute('aria-selected', 'true');

      await trace.rows('response').first().click();
      await trace
        .rows('response')
        .last()
        .click({ modifiers: ['ControlOrMeta'] });
      const chosen = trace.region.getByRole('toolbar', { name: 'Selected rows' });
      await expect(chosen).toContainText('2 rows selected');
      await chosen.getByRole('button', { name: 'Compare' }).click();
      const comparison = trace.region.getByRole('region', { name: /compared$/ });
      await expect(comparison).toContainText('Echo: one');
      await expect(comparison).toContainText('Echo: two');

      await chosen.getByRole('button', { name: 'Sequence' }).click();
      const diagram = trace.region.getByRole('region', { name: 'Sequence diagram' });
      await expect(diagram.getByRole('listitem')).toHaveCount(2);
      await diagram.getByRole('button', { name: 'Close the diagram' }).click();
      await expect(trace.table).toBeVisible();
    },
  );

  test('has statistics of what its filter shows, and keeps marks with the file', async ({ app }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
    const { trace, page } = window;
    await trace.region.getByRole('radio', { name: 'Statistics' }).click();
    const statistics = trace.region.getByRole('region', { name: 'Statistics' });
    const calls = statistics.getByRole('table', { name: 'Calls' });
    await expect(statistics).toContainText(/\d+ rows: \d+ requests, \d+ responses, /);
    const echo = calls.getByRole('row', { name: /tools\/call echo/ });
    await expect(echo).toContainText('1');
    // One call has no percentile, and says so.
    await expect(echo.getByTitle('1 response: p99 is shown from 100 on')).toHaveText('–');
    await expect(calls.getByRole('columnheader', { name: 'sent' })).toBeVisible();
    const durations = statistics.getByRole('list', { name: 'Durations' });
    await durations
      .getByRole('button', { name: /requests? took from/ })
      .first()
      .press('Enter');
    await expect(trace.region.getByRole('combobox', { name: 'Filter the trace' })).toHaveValue(
      /^kind:request dur:/,
    );
    await trace.filter('');
    await trace.region.getByRole('radio', { name: 'Statistics' }).click();
    await expect(statistics.getByRole('img', { name: /^Bytes sent and received/ })).toBeVisible();
    await expect(statistics.getByRole('table', { name: 'Sizes of tool definitions' })).toContainText('echo');
    await calls.getByRole('button', { name: /tools\/call echo/ }).click();
    await expect(trace.rows('tools/call', 'echo')).toHaveCount(1);

    await trace.rows('tools/call', 'echo').click();
    await trace.table.press('Alt+M');
    await trace.filter('is:marked');
    await trace.expectCount(1);

    await page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    const again = new Window(await app.restart());
    await new RecordedList(again.page).region.locator('[data-trace]').click();
    await expect(again.status).toContainText('recorded');
    await again.trace.filter('is:marked');
    await expect(again.trace.rows('tools/call', 'echo')).toHaveCount(1);
  });

  test('groups the errors that repeat, and leads to their rows', only.page, async ({ app }) => {
    const window = new Window(await app.open(...demo));
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    for (let time = 1; time <= 2; time++) {
      await tools.call('fail');
      await tools.expectOutcome('tool error');
    }
    const { trace, page } = window;
    await trace.region.getByRole('radio', { name: 'Statistics' }).click();
    const errors = trace.region.getByRole('table', { name: 'Errors by what they say' });
    await expect(errors.getByRole('row', { name: /fail/ })).toContainText('tool error2');
    if (app.host === 'web') expect(await findings(page)).toEqual([]);
    await errors.getByRole('button', { name: /fail/ }).press('Enter');
    await expect(trace.rows('tools/call', 'fail')).toHaveCount(2);
  });
});
