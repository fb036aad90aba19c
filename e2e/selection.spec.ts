import { expect, test } from './app.ts';
import { ComposerPane } from './composer-pane.ts';
import { InboxPane } from './inbox-pane.ts';
import { PromptsPane } from './prompts-pane.ts';
import { RecordedList } from './recorded-list.ts';
import { ResourcesPane } from './resources-pane.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const message = ({ pane }: ToolsPane) => pane.getByRole('textbox', { name: 'message', exact: true });

test('a row opens its call in Tools, its question, its resource and its prompt, and back; the calls of a tool are still listed after a reload and a restart', async ({
  app,
}) => {
  const window = new Window(await app.open());
  await window.connectTo('everything', typed(everything));
  const { page, trace } = window;
  const { keyboard } = page;
  const tools = new ToolsPane(window);
  const inbox = new InboxPane(window);

  await test.step('I call a tool twice, answer a question, read a resource and get a prompt', async () => {
    for (const text of ['first call', 'second call']) {
      await tools.call('echo', { message: text });
      await expect(tools.result).toContainText(`Echo: ${text}`);
    }
    await tools.call('trigger-elicitation-request');
    await inbox.open();
    await inbox.press('Decline');
    await expect(inbox.answer).toContainText('You declined');
    await tools.show();
    await tools.expectOutcome('ok');
    const resources = new ResourcesPane(window);
    await resources.read('architecture.md');
    await expect(resources.contents).toBeVisible();
    const prompts = new PromptsPane(window);
    await prompts.choose('simple-prompt');
    await prompts.pane.getByRole('button', { name: /^Get prompt/ }).click();
    await expect(prompts.messages).toContainText('This is a simple prompt');
  });

  await test.step('the menu of its row opens the first call in Tools: its result, and its arguments in the form', async () => {
    await trace.filter('tool:echo kind:request');
    await trace.expectCount(2);
    await trace.rows('tools/call').first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open in Tools' }).click();
    await expect(tools.result).toContainText('Echo: first call');
    await expect(message(tools)).toHaveValue('first call');
  });

  await test.step('and back: its response is selected in the trace, by a click and by a key', async () => {
    await tools.result.getByRole('button', { name: 'Show the response in the trace' }).click();
    await expect(trace.detail).toContainText('"Echo: first call"');
    await keyboard.press('Alt+Shift+O');
    await expect(trace.detail).toContainText('"message"');
    await expect(trace.table.getByRole('row', { selected: true })).toHaveCount(1);
  });

  await test.step('a link to a row that the filter hides says so, and shows it on a click', async () => {
    await trace.filter('method:prompts/get');
    await keyboard.press('Alt+Shift+O');
    await tools.result.getByRole('button', { name: 'Show the response in the trace' }).click();
    await expect(trace.region.getByRole('status')).toContainText(['is hidden by the filter.']);
    await trace.region.getByRole('button', { name: 'Clear the filter' }).click();
    await expect(trace.table.getByRole('row', { selected: true })).toHaveCount(1);
    await expect(trace.region.getByText('is hidden by the filter.')).toHaveCount(0);
    await trace.filter('tool:echo kind:request');
  });

  await test.step('by keyboard: the second call from its row, the same from the palette', async () => {
    await trace.table.focus();
    await keyboard.press('End');
    await expect(trace.detail).toContainText('"second call"');
    await keyboard.press('Alt+O');
    await expect(tools.result).toContainText('Echo: second call');
    await expect(message(tools)).toHaveValue('second call');
    await window.show('Overview');
    await new RecordedList(page).command('Open the selected message in its pane');
    await expect(tools.result).toContainText('Echo: second call');
  });

  await test.step('the detail opens the question, the resource and the prompt', async () => {
    const openRow = async (method: string, pane: string) => {
      await trace.filter(`method:${method}`);
      await trace.rows(method).first().click();
      await trace.detail.getByRole('button', { name: `Open in ${pane}` }).click();
    };
    await openRow('elicitation/create', 'Inbox');
    await expect(inbox.answer).toContainText('You declined');
    await openRow('resources/read', 'Resources');
    await expect(new ResourcesPane(window).contents).toContainText('How It Works');
    await openRow('prompts/get', 'Prompts');
    await expect(new PromptsPane(window).messages).toContainText('This is a simple prompt');
    await trace.filter('');
  });

  const history = page.getByRole('dialog', { name: 'Calls of this tool' });
  const openHistory = async () => {
    await tools.result.getByRole('button', { name: /, show another$/ }).click();
    await expect(history).toBeVisible();
  };

  await test.step('after a reload, both calls are listed, and the one that the Composer sent, which only the trace has', async () => {
    const composer = new ComposerPane(window);
    await composer.show();
    await composer.write(
      `{"jsonrpc":"2.0","id":"composed","method":"tools/call","params":{"name":"echo","arguments":{"message":"composed call"}}}`,
    );
    await composer.send.click();
    await expect(composer.response).toContainText('Echo: composed call');
    await page.reload();
    await tools.choose('echo');
    await expect(tools.result).toContainText('Echo: composed call');
    await openHistory();
    await expect(history.getByRole('listitem')).toHaveCount(3);
    await keyboard.press('Escape');
  });

  await test.step('after I connect again, they are listed as those of the earlier session', async () => {
    await keyboard.press('Alt+R');
    await expect(tools.result).toContainText('earlier session');
    await tools.call('echo', { message: 'third call' });
    await expect(tools.result).toContainText('Echo: third call');
    await openHistory();
    await expect(history.getByRole('region', { name: 'Earlier session' }).getByRole('listitem')).toHaveCount(
      3,
    );
    await keyboard.press('Escape');
  });

  await test.step('after a restart, one click lists those of the recording, and each leads to its row there', async () => {
    await app.restart();
    const again = new Window(app.page);
    const toolsAgain = new ToolsPane(again);
    await again.server('everything').click();
    await app.page.keyboard.press('Alt+R');
    await again.expectPhase('ready');
    await toolsAgain.choose('echo');
    await toolsAgain.pane.getByRole('button', { name: /^Show the calls of / }).click();
    await expect(toolsAgain.result).toContainText('Echo: third call');
    await expect(toolsAgain.result).toContainText('recording');
    await toolsAgain.result.getByRole('button', { name: 'Show the request in the trace' }).click();
    await expect(again.status).toContainText('recorded');
    await expect(again.trace.detail).toContainText('"third call"');
    await again.trace.detail.getByRole('button', { name: 'Open in Tools' }).click();
    await expect(toolsAgain.result).toContainText('Echo: third call');
  });
});
