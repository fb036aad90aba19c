import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manyToolsServer } from '#fixtures/many-tools/command.ts';
import { expect, test } from './app.ts';
import { PromptsPane } from './prompts-pane.ts';
import { ResourcesPane } from './resources-pane.ts';
import { published, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

test('server-filesystem and server-memory are used side by side', async ({ app }) => {
  const folder = join(app.home, 'shared-folder');
  await mkdir(folder);
  await writeFile(join(folder, 'notes.txt'), 'two glasses');
  const window = new Window(await app.open());
  const tools = new ToolsPane(window);
  await window.connectTo('files', typed(published('server-filesystem', folder)));
  await tools.call('list_directory', { path: folder });
  await tools.expectOutcome('ok');
  await expect(tools.result).toContainText('notes.txt');
  // The server says that it is destructive.
  await tools.call('write_file', { path: join(folder, 'new.txt'), content: 'three' });
  const question = tools.pane.getByRole('region', { name: 'Run write_file?' });
  await expect(question.getByRole('button', { name: 'Do not run' })).toBeFocused();
  await expect(question).toContainText('three');
  await window.page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await tools.run.click();
  await question.getByRole('checkbox', { name: 'Do not ask again for this tool' }).click();
  await question.getByRole('button', { name: 'Run it' }).click();
  await tools.expectOutcome('ok');
  await tools.call('write_file', { path: join(folder, 'other.txt'), content: 'four' });
  await expect.poll(() => readFile(join(folder, 'other.txt'), 'utf8').catch(() => null)).toBe('four');
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('three');
  await tools.call('read_text_file', { path: '/etc/hostname' });
  await tools.expectOutcome('tool error');

  const memory = join(app.home, 'memory.jsonl');
  // Without it the server writes into its own package.
  const command = ['env', `MEMORY_FILE_PATH=${memory}`, ...published('server-memory')];
  await window.connectTo('memory', typed(command));
  await tools.choose('create_entities');
  await tools.pane.getByRole('radio', { name: 'JSON' }).click();
  const entity = { name: 'Lens', entityType: 'part', observations: ['curved'] };
  await tools.writeJson('Arguments as JSON', JSON.stringify({ entities: [entity] }));
  await tools.run.click();
  await tools.expectOutcome('ok');
  await tools.call('read_graph');
  await tools.expectOutcome('ok');
  await expect(tools.result).toContainText('Lens');

  const resources = new ResourcesPane(window);
  await resources.read('knowledge-graph');
  await expect(resources.contents).toContainText('curved');
  // What a server does not offer is said in its pane.
  await new PromptsPane(window).show();
  await expect(window.pane('Prompts')).toContainText('offers no prompts');
  await window.server('files').click();
  await resources.show();
  await expect(resources.pane).toContainText('offers no resources');
  await tools.choose('read_text_file');
  await tools.expectOutcome('tool error');
});

test('a thousand tools are listed, searched and called', async ({ app }) => {
  const { command, args } = manyToolsServer(1000);
  const window = new Window(await app.open(command, ...args));
  await window.expectPhase('ready');
  const tools = new ToolsPane(window);
  await tools.show();
  await expect(tools.pane.getByText('1,000 tools', { exact: true })).toBeVisible();
  const list = tools.pane.getByRole('listbox', { name: 'Tools' });
  await tools.pane.getByRole('searchbox', { name: 'Find a tool' }).fill('export invoice 0');
  await tools.pane.getByRole('searchbox', { name: 'Find a tool' }).press('ArrowDown');
  await expect(list.getByRole('option').first()).toContainText('Export invoice');
  await tools.call('export_customer_0905', { id: '7' });
  await tools.expectOutcome('ok');
  await expect(tools.result).toContainText('export_customer_0905 was called');
});
