import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEverything } from '#fixtures/http/start-server.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { connectToUrl } from './http-servers.ts';
import { only } from './hosts/only.ts';
import { Pane } from './pane.ts';
import { RecordedList } from './recorded-list.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const savedCalls = `version: 1
steps:
  - { name: Echoes, call: echo, arguments: { message: hi } }
  - name: Differs
    call: echo
    arguments: { message: hi }
    expect: { values: [ { path: "$.content[0].text", equals: "Echo: other" } ] }
`;

test(
  'a call of the Tools pane and saved calls are made many times: latency by step, errors by kind, and a load that is stopped',
  only.page,
  async ({ app }) => {
    const server = await startEverything('streamableHttp');
    try {
      const window = new Window(await app.open());
      const { page } = window;
      const tools = new ToolsPane(window);
      const tests = new Pane(window, 'Tests');
      const form = tests.pane.getByRole('form', { name: 'Load' });
      const status = tests.pane.getByRole('status');
      await connectToUrl(window, 'server', server.url);

      await test.step('so many at a time', async () => {
        await tools.choose('echo');
        await tools.pane.getByRole('textbox', { name: 'message', exact: true }).fill('again ${n}');
        await tools.pane.getByRole('button', { name: 'Parallel calls' }).click();
        await tools.pane.getByRole('button', { name: 'Run many times…' }).click();
        await expect(form.getByRole('combobox', { name: 'Run' })).toHaveValue('{"of":"tool"}');
        await form.getByRole('textbox', { name: 'Times' }).fill('40');
        await form.getByRole('textbox', { name: 'At a time' }).fill('0');
        await expect(form).toContainText('A whole number from 1 to 256.');
        await form.getByRole('textbox', { name: 'At a time' }).fill('4');
        await form.getByRole('textbox', { name: 'At a time' }).press('Enter');
        await expect(status).toContainText('ended · 40 of 40 runs');
        await expect(status).toContainText('0 failed');
        // Each call differs by the number of its run.
        await window.trace.filter('tool:echo kind:request "again 40"');
        await window.trace.expectCount(1);
        await window.trace.filter('');
        const steps = tests.pane.getByRole('region', { name: 'Latency by step' });
        for (const step of ['Queued', 'Connected', 'First byte', 'Response'])
          await expect(steps.getByRole('row', { name: step })).toBeVisible();
        await steps.getByRole('combobox', { name: 'Step of the histogram' }).selectOption('First byte');
        await expect(steps.getByRole('list', { name: 'Histogram of First byte' })).toContainText('%');
        if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
      });

      await test.step('so many a second, until it is stopped', async () => {
        await form.getByRole('textbox', { name: 'Times' }).fill('100000');
        await form.getByRole('combobox', { name: 'Schedule' }).selectOption('so many a second');
        await form.getByRole('textbox', { name: 'A second' }).fill('20');
        await form.getByRole('button', { name: 'Run 100,000 calls' }).click();
        await expect(status).toContainText('running');
        await form.getByRole('button', { name: 'Stop' }).click();
        await expect(status).toContainText('stopped');
        await expect(tests.pane).toContainText('at most');
      });

      await test.step('errors are grouped', async () => {
        // Without its arguments.
        await tools.choose('get-sum');
        await expect(tools.pane.getByRole('heading', { name: 'Get Sum Tool' })).toBeVisible();
        await new RecordedList(page).command('Run Get Sum Tool many times…');
        await expect(form.getByRole('combobox', { name: 'Run' })).toContainText('get-sum');
        await form.getByRole('textbox', { name: 'Times' }).fill('5');
        await form.getByRole('textbox', { name: 'Times' }).press('Enter');
        await expect(status).toContainText('ended · 5 of 5 runs');
        await expect(tests.pane.getByRole('region', { name: 'Errors' }).getByRole('listitem')).toHaveCount(1);
        await expect(tests.pane.getByRole('region', { name: 'Errors' })).toContainText('5');
      });

      await test.step('one saved call, and all of a file', async () => {
        const file = join(app.home, 'many.mcptest.yaml');
        await writeFile(file, savedCalls);
        await tests.pane.getByRole('radio', { name: 'Saved calls' }).click();
        const field = tests.pane.getByRole('textbox', { name: 'Test file' });
        await field.fill(file);
        await field.press('Enter');
        await tests.pane.getByRole('button', { name: 'More for Echoes' }).click();
        await page.getByRole('menuitem', { name: 'Run many times…' }).click();
        const choice = form.getByRole('combobox', { name: 'Run' });
        await expect(choice).toHaveValue('{"of":"file","name":"Echoes"}');
        await form.getByRole('textbox', { name: 'Times' }).fill('6');
        await form.getByRole('textbox', { name: 'Times' }).press('Enter');
        await expect(status).toContainText('ended · 6 of 6 runs');
        await expect(status).toContainText('0 failed');

        // A run of the file fails if one of its calls is not as expected.
        await choice.selectOption('all 2 saved calls');
        await form.getByRole('textbox', { name: 'Times' }).fill('7');
        await form.getByRole('button', { name: 'Run 14 calls' }).click();
        await expect(status).toContainText('ended · 7 of 7 runs');
        await expect(status).toContainText('7 failed');
        await expect(tests.pane.getByRole('region', { name: 'Errors' })).toContainText('expected');
      });
    } finally {
      await server.close();
    }
  },
);
