import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { Pane } from './pane.ts';
import { typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** The source of a server with a tool that tells the price, and one that orders. */
const source = (price: string, inputSchema: string, annotations = '{ readOnlyHint: true }'): string =>
  scriptedServer(`
    'server/discover': (request) => write({ id: request.id, error: { code: -32601, message: 'unknown' } }),
    'tools/list': (request) => answer(request, { tools: [
      { name: 'price', annotations: ${annotations}, inputSchema: ${inputSchema} },
      { name: 'order', inputSchema: { type: 'object' } },
    ] }),
    'tools/call': (request) => answer(request, { content: [{ type: 'text', text: ${JSON.stringify(price)} }] }),
  `).args[1] ?? '';

test('a change of the source restarts the server, and shows what it lists and answers differently', async ({
  app,
}) => {
  const folder = join(app.home, 'source');
  await mkdir(folder);
  const script = join(folder, 'server.cjs');
  await writeFile(script, source('12 EUR', `{ type: 'object' }`));

  const window = new Window(await app.open());
  const { page } = window;
  await window.connectTo('shop', typed([process.execPath, script]));
  const tools = new ToolsPane(window);
  for (const tool of ['price', 'order']) {
    await tools.call(tool);
    await tools.expectOutcome('ok');
  }

  const overview = new Pane(window, 'Overview');
  await overview.show();
  const section = overview.pane.getByRole('region', { name: 'Restart on change' });
  await section.getByRole('checkbox', { name: /^Restart when watched files change/ }).check();
  await expect(section.getByRole('status')).toHaveText('watching 1 file');
  await expect(section.getByRole('list', { name: 'Watched paths' })).toContainText(script);
  await section.getByRole('button', { name: 'Choose calls…' }).click();
  // A tool without annotations is left out until it is ticked.
  await expect(section.getByRole('checkbox', { name: 'order' })).not.toBeChecked();
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);
  await section.getByRole('button', { name: 'Run 1 call after each restart' }).click();
  await expect(section.getByRole('group', { name: 'Calls that run again' })).toContainText(
    '1 call runs again',
  );

  await window.trace.filter('method:tools/call');
  const pid = await window.serverPid();
  // From here on only the source is touched.
  await writeFile(script, source('13 EUR', `{ type: 'object', required: ['of'] }`));
  const last = section.getByRole('group', { name: 'Last restart' });
  await expect(last).toContainText('files changed');
  await expect(last.getByRole('list', { name: 'What the server lists differently' })).toContainText(
    /breaking\s*tool price.*1 of 1 recorded call would break/,
  );
  const calls = last.getByRole('list', { name: 'The calls, compared with those before' });
  await expect(calls).toContainText('"12 EUR" → "13 EUR"');
  await expect(calls.getByRole('listitem')).toHaveCount(1);
  await expect(window.status).toContainText(/watching 1 file · rebuilt \d\d:\d\d:\d\d · \d changes/);
  expect(await window.serverPid()).not.toBe(pid);
  await window.trace.expectFilter('method:tools/call');
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);

  // A tool that is no longer read-only is not called until the user chooses it again.
  await writeFile(script, source('14 EUR', `{ type: 'object' }`, '{ destructiveHint: true }'));
  await expect(section.getByRole('alert')).toContainText('The annotations of price changed');
  await section.getByRole('button', { name: 'Choose calls…' }).click();
  await section.getByRole('checkbox', { name: 'price' }).check();
  await section.getByRole('button', { name: 'Run 1 call after each restart' }).click();
  await expect(calls).toContainText('"13 EUR" → "14 EUR"');

  // A build that does not start is tried a few times; the next change starts it again.
  await writeFile(script, 'process.exit(1)');
  await expect(
    section.getByText('The server ended 5 times in a row, so it is not started again.'),
  ).toBeVisible();
  await expect(window.status).toContainText('ended 5 times, stopped');
  await writeFile(script, source('14 EUR', `{ type: 'object' }`, '{ destructiveHint: true }'));
  await expect(last).toContainText('nothing differs');

  // The same by one key.
  const before = await window.serverPid();
  await page.keyboard.press('Alt+B');
  await expect(last).toContainText('at your request');
  expect(await window.serverPid()).not.toBe(before);
});
