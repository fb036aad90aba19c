import type { Locator } from 'playwright/test';
import { legacyOverStdio } from '#fixtures/legacy/start.ts';
import { startFakeModel } from '#fixtures/fake-model.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { InboxPane } from './inbox-pane.ts';
import { RecordedList } from './recorded-list.ts';
import { typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const nested = [legacyOverStdio.command, ...legacyOverStdio.args];

test(
  'a form with a field of every kind is answered by keyboard alone, while the trace stays usable',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open());
    const { page } = window;
    await window.connectTo('nested', typed(nested));
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('ask-elicitation');
    await expect(inbox.tab).toHaveText('Inbox1');
    // The trace can be used meanwhile.
    await window.trace.filter('method:elicitation/create');
    await window.trace.expectCount(1);
    await page.keyboard.press('ControlOrMeta+6');
    await expect(inbox.field('Name')).toBeVisible();
    await inbox.list.focus();
    await page.keyboard.press('Enter');
    await expect(inbox.field('Name')).toBeFocused();
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(inbox.pane.getByRole('button', { name: 'Send anyway' })).toBeVisible();
    await page.keyboard.type('Ada');
    await window.tabTo(inbox.field('Age'));
    await page.keyboard.type('200');
    await expect(inbox.answer).toContainText('must be');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('7');
    await window.tabTo(inbox.answer.getByRole('combobox', { name: /^size/i }));
    await page.keyboard.press('ArrowDown');
    await expect(inbox.pane.getByRole('button', { name: 'Send anyway' })).toHaveCount(0);
    await expect(inbox.answer).toContainText('"age": 27');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect(inbox.answer).toContainText('You answered, in row');
    await window.show('Tools');
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Ada');
  },
);

test(
  'an answer becomes a rule with one click, and the next question is answered by it',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('nested', typed(nested));
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('ask-sampling');
    await inbox.open();
    await inbox.answer.getByRole('textbox', { name: 'Text' }).fill('Paris, by the form');
    await inbox.press(/^Send answer/);
    await inbox.press('Always answer like this');
    await expect(inbox.answer).toContainText('A rule answers such questions like this.');
    await window.show('Tools');
    await tools.expectOutcome('ok');
    await tools.run.click();
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Paris, by the form');
    await inbox.open();
    await expect(inbox.list.getByRole('option', { name: /by rule$/ })).toHaveCount(1);

    // The rules are edited by keyboard alone.
    const { keyboard } = window.page;
    const use = async (place: Locator) => {
      await window.tabTo(place);
      await keyboard.press('Enter');
    };
    const rules = inbox.pane.getByRole('region', { name: 'Rules' });
    const button = (name: string) => rules.getByRole('button', { name });
    await use(inbox.pane.getByRole('button', { name: 'Rules…' }));
    await use(button('Move rule 1 down'));
    await expect(button('Move rule 2 up')).toBeFocused();
    await window.tabTo(rules.getByRole('textbox', { name: 'Text in the questions of rule 2' }));
    await keyboard.type('capital');
    await use(button('Add a rule'));
    await keyboard.press('Shift+Tab');
    await expect(rules.getByRole('textbox', { name: 'Delay of rule 3 in milliseconds' })).toBeFocused();
    await keyboard.press('ControlOrMeta+A');
    await keyboard.type('20');
    if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);
    await use(button('Save the rules'));
    await expect(button('Save the rules')).toBeDisabled();
    await use(button('Remove rule 2'));
    await expect(button('Add a rule')).toBeFocused();
    await use(button('Save the rules'));
    await expect(button('Save the rules')).toBeDisabled();
    await use(button('Close'));
    await expect(rules).toBeHidden();
    await expect(inbox.list).toBeFocused();
    await tools.show();
    await tools.run.click();
    await expect(inbox.tab).toHaveText('Inbox1');
    await inbox.open();
    await inbox.press('Decline all');
    await expect(inbox.pane).toContainText('Everything this server requests is declined.');
    await tools.show();
    await tools.run.click();
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('User rejected sampling request');
  },
);

test(
  'a model of the user writes the answer, after approval, and the server gets it from the user',
  only.page,
  async ({ app }) => {
    const model = await startFakeModel();
    try {
      const window = new Window(await app.open());
      await window.page.getByRole('button', { name: 'Try the demo server' }).click();
      await window.expectPhase('ready');
      const tools = new ToolsPane(window);
      const inbox = new InboxPane(window);
      await tools.call('ask_model');
      await expect(inbox.tab).toHaveText('Inbox1');
      await inbox.open();
      await expect(inbox.pane.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
      // From here to the answer by keyboard alone.
      const { keyboard } = window.page;
      const use = async (name: string) => {
        await window.tabTo(inbox.pane.getByRole('button', { name, exact: true }));
        await keyboard.press('Enter');
      };
      await use('Model…');
      for (const [label, text] of [
        [/^Address/, model.url],
        [/^Key/, 'sk-of-a-test'],
        [/^Names/, 'fake-1'],
      ] as const) {
        await window.tabTo(inbox.pane.getByLabel(label));
        await keyboard.type(text);
      }
      if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);
      await use('Save');
      await expect(inbox.list).toBeFocused();

      await use('Edit the prompt');
      await window.tabTo(inbox.question.getByLabel('Temperature'));
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type('0.3');
      if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);
      await use('Done');
      await expect(inbox.question).toContainText('changed: temperature');
      await use('Approve and ask the model');
      await expect(inbox.answer).toContainText('34 tokens in, 12 out');
      expect(model.requests).toMatchObject([
        {
          path: '/v1/chat/completions',
          headers: { authorization: 'Bearer sk-of-a-test' },
          body: { model: 'fake-1', temperature: 0.3 },
        },
      ]);
      await expect(inbox.answer.getByRole('textbox', { name: 'Text' })).toHaveValue(/^You said: /);
      if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);
      await inbox.press(/^Send answer/);
      await window.show('Tools');
      await tools.expectOutcome('ok');
      await expect(tools.result).toContainText('You said: ');
    } finally {
      await model.close();
    }
  },
);

test('a recorded trace shows the Inbox as it was', only.page, async ({ app }) => {
  const live = new Window(await app.open(...nested));
  await live.expectPhase('ready');
  const tools = new ToolsPane(live);
  await tools.call('ask-sampling');
  const before = new InboxPane(live);
  await before.open();
  await before.answer.getByRole('textbox', { name: 'Text' }).fill('Paris');
  await before.press(/^Send answer/);
  await expect(before.answer).toContainText('You answered, in row');
  await live.show('Tools');
  await tools.expectOutcome('ok');
  await live.page.getByRole('button', { name: 'Disconnect' }).click();
  await live.expectPhase('closed');

  const window = new Window(await app.restart());
  const list = new RecordedList(window.page);
  await list.region.locator('[data-trace]').click();
  await expect(window.status).toContainText('recorded');
  const inbox = new InboxPane(window);
  await inbox.open();
  await expect(inbox.question).toContainText('What is the capital of France?');
  await expect(inbox.question).toContainText('during ask-sampling');
  await expect(inbox.answer).toContainText('You answered, in row');
  await expect(inbox.answer).toContainText('Paris');
  await expect(inbox.pane.getByRole('button', { name: /Rules|Model|Decline|Always/ })).toHaveCount(0);
});

test('axe finds nothing in the form and in the answer to sampling', only.web, async ({ app }) => {
  const window = new Window(await app.open());
  await window.connectTo('nested', typed(nested));
  const tools = new ToolsPane(window);
  const inbox = new InboxPane(window);
  await tools.call('ask-elicitation');
  await inbox.open();
  await inbox.field('Age').fill('200');
  await expect(inbox.answer).toContainText('must be');
  expect(await findings(window.page, PANE)).toEqual([]);
  await inbox.press('Decline');
  await expect(inbox.answer).toContainText('You declined');
  expect(await findings(window.page, PANE)).toEqual([]);
});
