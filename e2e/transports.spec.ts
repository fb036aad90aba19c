import { startEverything } from '#fixtures/http/start-server.ts';
import { startModernServer } from '#fixtures/modern/start.ts';
import { expect, test } from './app.ts';
import { connectToUrl } from './http-servers.ts';
import { PromptsPane } from './prompts-pane.ts';
import { ResourcesPane } from './resources-pane.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

for (const transport of ['stdio', 'streamableHttp', 'sse'] as const) {
  test.describe(`server-everything over ${transport}`, () => {
    test('tools, resources and prompts are used', async ({ app }) => {
      const server = transport === 'stdio' ? null : await startEverything(transport);
      try {
        const window = new Window(await app.open());
        if (server === null) await window.connectTo('everything', typed(everything));
        else await connectToUrl(window, 'everything', server.url);
        const tools = new ToolsPane(window);
        await tools.call('get-sum', { a: '2', b: '3' });
        await tools.expectOutcome('ok');
        await expect(tools.result).toContainText('is 5');

        const resources = new ResourcesPane(window);
        await resources.read('architecture.md');
        await expect(resources.contents).toContainText('# Everything Server');
        await resources.pane.getByRole('button', { name: 'Subscribe', exact: true }).click();
        await expect(resources.tree.getByRole('treeitem', { name: 'architecture.md' })).toContainText(
          'subscribed',
        );
        await resources.template('demo://resource/dynamic/text/{resourceId}').click();
        const id = resources.pane.getByRole('combobox', { name: 'resourceId' });
        await id.pressSequentially('7');
        await resources.suggestion('7').click();
        await id.press('Enter');
        await expect(resources.contents).toContainText('Resource 7: This is a plaintext resource');

        const prompts = new PromptsPane(window);
        await prompts.choose('Team Management');
        await prompts.complete('department', 'Eng', 'Engineering');
        await prompts.complete('name', 'A', 'Alice');
        await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
        await expect(prompts.messages).toContainText('Alice');
      } finally {
        await server?.close();
      }
    });
  });
}

test('resources and prompts of a modern server are used, and its questions wait in the Inbox', async ({
  app,
}) => {
  const server = await startModernServer();
  try {
    const window = new Window(await app.open());
    await connectToUrl(window, 'modern', server.url);
    const prompts = new PromptsPane(window);
    await prompts.choose('greet');
    await prompts.pane.getByRole('combobox', { name: 'language' }).fill('English');
    await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
    await expect(prompts.messages).toContainText('Greet "nobody" in "English".');

    const resources = new ResourcesPane(window);
    await resources.read('fixture://bytes');
    await expect(resources.contents).toContainText('000000');
    await resources.template('fixture://item/{id}').click();
    await resources.pane.getByRole('combobox', { name: 'id' }).fill('12');
    await resources.pane.getByRole('combobox', { name: 'id' }).press('Enter');
    await expect(resources.contents).toContainText('12');
    await resources.read('fixture://ask');
    await expect(window.page.getByRole('tab', { name: 'Inbox 1' })).toBeVisible();
  } finally {
    await server.close();
  }
});
