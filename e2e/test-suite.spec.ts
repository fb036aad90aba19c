import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { Pane } from './pane.ts';
import { typed } from './servers.ts';
import { Window } from './window.ts';

/** A server whose source is in a file, and greets in its own way. Its clock passes every other time. */
const source = (greeting: string) =>
  scriptedServer(`
    'server/discover': ({ id }) => write({ id, error: { code: -32601, message: 'unknown' } }),
    'tools/list': (request) => answer(request, { tools: ['greet', 'tick'].map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    'tools/call': (request) => {
      if (request.params.name === 'tick') server.ticks = (server.ticks ?? 0) + 1;
      answer(request, { content: [{ type: 'text', text: request.params.name === 'greet' ? ${JSON.stringify(greeting)} : String(server.ticks % 2) }] });
    },
  `).args[1] ?? '';

const suite = `version: 1
steps:
  # What users see first.
  - name: Greets
    call: greet
    expect:
      result:
        content:
          - type: text
            text: Hello
  - name: Ticks
    call: tick
    expect:
      values: [ { path: "$.content[0].text", equals: "1" } ]
`;

test('a suite is run, is red when the server is broken, and green again once the new answer is accepted', async ({
  app,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-suite-'));
  const server = join(folder, 'server.cjs');
  const path = join(folder, 'shop.mcptest.yaml');
  await writeFile(server, source('Hello'));
  await writeFile(path, suite);
  await writeFile(join(folder, 'other.mcptest.yaml'), 'version: 1\nsteps: []\n');
  const window = new Window(await app.open());
  const { page } = window;
  await window.connectTo('shop', typed([process.execPath, server]));
  const tests = new Pane(window, 'Tests');
  const row = (name: string) => tests.pane.getByRole('listitem', { name });
  await page.keyboard.press('ControlOrMeta+9');

  // One of the suites in a folder is chosen.
  const field = tests.pane.getByRole('textbox', { name: 'Test file' });
  await field.fill(join(folder, 'other.mcptest.yaml'));
  await field.press('Enter');
  await expect(tests.pane).toContainText('No saved calls yet');
  await tests.pane.getByRole('button', { name: 'Test files in this folder' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'shop.mcptest.yaml' }).click();
  await tests.pane.getByRole('button', { name: 'Run all' }).click();
  await expect(row('Greets: Passed')).toBeVisible();
  await expect(tests.pane.getByRole('status')).toContainText('2 passed, 0 failed');

  await writeFile(server, source('Good day'));
  await page.getByRole('button', { name: 'Reconnect' }).first().click();
  await expect(tests.pane.getByRole('button', { name: 'Run all' })).toBeEnabled();
  await tests.pane.getByRole('combobox', { name: 'How often' }).selectOption('5 times');
  await tests.pane.getByRole('button', { name: 'Run all' }).click();
  await expect(row('Greets: Failed')).toContainText('$.content[0].text: expected "Hello", got "Good day"');
  await expect(row('Greets: Failed')).toContainText('shop.mcptest.yaml:7:7');
  await expect(row('Ticks: Flaky')).toContainText('2 of 5 attempts failed');
  await expect(tests.pane.getByRole('status')).toContainText('0 passed, 1 failed, 1 flaky');
  if (app.host === 'web') expect(await findings(page, PANE)).toEqual([]);

  // By keyboard.
  await tests.pane.getByRole('button', { name: 'Accept the answer to Greets' }).focus();
  await page.keyboard.press('Enter');
  await expect(row('Greets: Passed')).toContainText('Changed in the file: the result is replaced');
  expect(await readFile(path, 'utf8')).toBe(suite.replace('text: Hello', 'text: Good day'));
  await tests.pane.getByRole('combobox', { name: 'How often' }).selectOption('once');
  await tests.pane.getByRole('button', { name: 'Run Greets' }).click();
  await expect(row('Greets: Passed')).not.toContainText('Changed in the file');
  await rm(folder, { recursive: true });
});
