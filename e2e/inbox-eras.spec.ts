import { legacyOverStdio } from '#fixtures/legacy/start.ts';
import { expect, test } from './app.ts';
import { InboxPane } from './inbox-pane.ts';
import { type Command, demo, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

interface Asking {
  /** The tool that asks for a form, and the one that asks for the model. */
  readonly form: string;
  readonly sampling: string;
  /** Shown in the status bar. */
  readonly era: string;
  readonly command: Command;
}

/** Servers that ask, one of each era. */
const servers: Readonly<Record<'legacy' | 'modern', Asking>> = {
  legacy: {
    form: 'ask-elicitation',
    sampling: 'ask-sampling',
    era: 'legacy 2025-11-25',
    command: [legacyOverStdio.command, ...legacyOverStdio.args],
  },
  modern: { form: 'ask_user', sampling: 'ask_model', era: 'modern 2026-07-28', command: demo },
};

/** Scrolls the trace to its first row and back, and reads a row of it. */
async function useTrace(window: Window): Promise<void> {
  const { table, detail } = window.trace;
  const first = table.locator('[role=row][data-place="0"]');
  await table.hover();
  await window.page.mouse.wheel(0, -100_000);
  await expect(first).toBeInViewport();
  await first.click();
  await expect(detail).toBeVisible();
  await window.page.mouse.wheel(0, 100_000);
  await table.hover();
  await window.page.mouse.wheel(0, 100_000);
  await expect(first).not.toBeInViewport();
}

for (const era of ['legacy', 'modern'] as const) {
  const { form, sampling, command, era: shownEra } = servers[era];

  /** Connects, with more rows in the trace than fit. */
  const connect = async (window: Window): Promise<[ToolsPane, InboxPane]> => {
    await window.connectTo('asking', typed(command));
    await expect(window.status).toContainText(shownEra);
    const tools = new ToolsPane(window);
    await tools.call('echo', { message: 'a row' });
    await tools.expectOutcome('ok');
    await tools.pane.getByRole('button', { name: 'Parallel calls' }).click();
    await tools.pane.getByRole('button', { name: 'Run 10 in parallel' }).click();
    await expect(tools.pane.getByText('10 ok')).toBeVisible();
    return [tools, new InboxPane(window)];
  };

  test.describe(`a server of the ${era} era`, () => {
    test('gets a form answered as JSON, by the form and by a rule, while the trace stays usable', async ({
      app,
    }) => {
      const window = new Window(await app.open());
      const [tools, inbox] = await connect(window);
      const expectResult = async (name: string) => {
        await tools.show();
        await tools.expectOutcome('ok');
        await expect(tools.result).toContainText(name);
      };
      await tools.call(form);
      await expect(inbox.tab).toHaveText('Inbox1');
      await useTrace(window);
      await expect(inbox.tab).toHaveText('Inbox1');
      await inbox.open();
      const content = { name: 'By hand', ...(era === 'legacy' ? { size: 'm' } : { diameter: 100 }) };
      await inbox.write(JSON.stringify({ action: 'accept', content }));
      await inbox.press(/^Send answer/);
      await expectResult('By hand');

      await tools.run.click();
      await expect(inbox.tab).toHaveText('Inbox1');
      await inbox.open();
      await useTrace(window);
      await inbox.field('Name').fill('By form');
      if (era === 'legacy')
        await inbox.answer.getByRole('combobox', { name: /^size/i }).selectOption({ index: 1 });
      await inbox.press(/^Send answer/);
      await inbox.press('Always answer like this');
      await expect(inbox.answer).toContainText('A rule answers questions with this message like this.');
      await expectResult('By form');

      await tools.run.click();
      await inbox.open();
      await expect(inbox.list.getByRole('option', { name: /by rule$/ })).toHaveCount(1);
      await expect(inbox.list.getByRole('option')).toHaveCount(3);
      await expectResult('By form');
    });

    test('gets sampling answered as JSON, by text and by a rule, while the trace stays usable', async ({
      app,
    }) => {
      const window = new Window(await app.open());
      const [tools, inbox] = await connect(window);
      const expectResult = async (text: string) => {
        await tools.show();
        await tools.expectOutcome('ok');
        await expect(tools.result).toContainText(text);
      };
      await tools.call(sampling);
      await expect(inbox.tab).toHaveText('Inbox1');
      await inbox.open();
      await useTrace(window);
      await expect(inbox.tab).toHaveText('Inbox1');
      const result = { role: 'assistant', content: { type: 'text', text: 'By hand' }, model: 'me' };
      await inbox.write(JSON.stringify(result));
      await inbox.press(/^Send answer/);
      await expectResult('By hand');

      await tools.run.click();
      await expect(inbox.tab).toHaveText('Inbox1');
      await inbox.open();
      await inbox.answer.getByRole('textbox', { name: 'Text' }).fill('By form');
      await inbox.answer.getByRole('combobox', { name: 'Model' }).fill('the-user');
      await inbox.press(/^Send answer/);
      await inbox.press('Always answer like this');
      await expect(inbox.answer).toContainText('A rule answers such questions like this.');
      await expectResult('By form');

      await tools.run.click();
      await inbox.open();
      await expect(inbox.list.getByRole('option', { name: /by rule$/ })).toHaveCount(1);
      await expect(inbox.list.getByRole('option')).toHaveCount(3);
      await expectResult('By form');
      // The server is told the model that the rule names.
      if (era === 'modern') await expect(tools.result).toContainText('the-user');
    });
  });
}
