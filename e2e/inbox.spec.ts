import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { legacyOverStdio } from '#fixtures/legacy/start.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { InboxPane } from './inbox-pane.ts';
import { everything, typed } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const nested = [legacyOverStdio.command, ...legacyOverStdio.args];

const said = (text: string) => `{"role":"assistant","content":{"type":"text","text":"${text}"},"model":"me"}`;

test.describe('what a server asks', () => {
  test(
    'waits with a badge and takes no focus; answered manually, the tool ends',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.connectTo('everything', typed(everything));
      const tools = new ToolsPane(window);
      const inbox = new InboxPane(window);
      await tools.call('trigger-sampling-request', { prompt: 'What is a sightglass?' });
      await expect(inbox.tab).toHaveText('Inbox1');
      await expect(tools.run).toBeFocused();
      await expect(tools.result.getByRole('status').first()).toHaveText('running');

      await window.status.getByRole('button', { name: '1 question waiting' }).click();
      await expect(inbox.question).toContainText('What is a sightglass?');
      await expect(inbox.question).toContainText('during trigger-sampling-request');
      await inbox.list.focus();
      await window.page.keyboard.press('Enter');
      await inbox.write(said('a window in a pipe'));
      await window.page.keyboard.press('ControlOrMeta+Enter');
      await expect(inbox.answer).toContainText('You answered, in row');
      await expect(inbox.list).toBeFocused();
      await expect(inbox.tab).toHaveText('Inbox');
      await window.show('Tools');
      await tools.expectOutcome('ok');
      await expect(tools.result).toContainText('a window in a pipe');
    },
  );

  test('is declined, and the row of the answer shows what was sent', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('everything', typed(everything));
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('trigger-elicitation-request');
    await inbox.open();
    await expect(inbox.question).toContainText('asks you to fill in a form');
    const size = window.page.viewportSize();
    await window.page.setViewportSize({ width: 1024, height: 700 });
    for (const way of ['Decline', 'Cancel', 'Send an error…'])
      await expect(inbox.answer.getByRole('button', { name: way })).toBeInViewport({ ratio: 1 });
    if (size !== null) await window.page.setViewportSize(size);
    await inbox.press('Decline');
    await inbox.answer.getByRole('button', { name: /^Row #/ }).click();
    await expect(window.trace.detail).toContainText('"decline"');
    await window.show('Tools');
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('declined');
  });

  test('several at once are answered one after the other, from the keyboard', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('nested', typed(nested));
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('ask-three');
    // The roots are sent by a rule.
    await expect(inbox.tab).toHaveText('Inbox2');
    await inbox.open();
    await expect(inbox.list.getByRole('option', { name: /by rule$/ })).toHaveCount(1);
    await inbox.press('Decline');
    await expect(inbox.tab).toHaveText('Inbox1');
    await expect(inbox.list).toBeFocused();
    await expect(inbox.list.getByRole('option', { selected: true })).toHaveAccessibleName(/waiting$/);
    await window.page.keyboard.press('ControlOrMeta+K');
    await window.page.getByRole('option', { name: 'Decline', exact: true }).click();
    await expect(inbox.tab).toHaveText('Inbox');
    await window.show('Tools');
    await expect(tools.result).not.toContainText('running');
  });

  test('a question that the server takes back waits no more', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.connectTo('nested', typed(nested));
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('ask-and-cancel');
    await tools.expectOutcome('ok');
    await inbox.open();
    await expect(inbox.answer).toContainText('withdrew the question');
  });

  test('input for a call of the modern era is sent with the next try of it', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const tools = new ToolsPane(window);
    const inbox = new InboxPane(window);
    await tools.call('ask_user');
    await expect(tools.result).toContainText('Waiting for your answer in the Inbox');
    await tools.result.getByRole('button', { name: 'Inbox' }).click();
    await expect(inbox.question).toContainText('Last inspected');
    await inbox.field('Name').fill('Main');
    await inbox.field('Diameter').fill('100');
    await expect(inbox.answer).toContainText('"diameter": 100');
    await inbox.press(/^Send answer/);
    await window.show('Tools');
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('Main');
  });

  test('is answered by a rule of the settings', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.servers.getByRole('button', { name: 'Add server' }).click();
    const form = window.page.getByRole('form', { name: 'Add a server' });
    await form.getByLabel('Command line').fill(typed(nested));
    const profile = form.getByRole('region', { name: 'Client profile' });
    await profile.getByRole('button', { name: 'Client profile' }).click();
    await profile.getByRole('button', { name: 'Add a rule' }).click();
    await profile
      .getByRole('combobox', { name: 'Question of rule 2' })
      .selectOption('sampling/createMessage');
    await profile.getByRole('combobox', { name: 'Answer of rule 2' }).selectOption('this result');
    await profile.getByRole('textbox', { name: 'Result of rule 2 as JSON' }).fill(said('by rule'));
    await profile.getByRole('button', { name: 'Add a root' }).click();
    await profile.getByRole('textbox', { name: 'URI of root 1' }).fill('file:///here');
    await form.getByRole('button', { name: 'Save and connect' }).click();
    await window.approve();
    await window.expectPhase('ready');

    const tools = new ToolsPane(window);
    await tools.call('ask-sampling');
    await tools.expectOutcome('ok');
    await expect(tools.result).toContainText('by rule');
    await tools.call('ask-roots');
    await expect(tools.result).toContainText('file:///here');
    const inbox = new InboxPane(window);
    await inbox.open();
    await expect(inbox.answer).toContainText('A rule of this server’s settings answered');
    await expect(inbox.answer.getByRole('listitem')).toHaveText(/file:\/\/\/here.*There is no such folder/);
  });

  test(
    'a root says what is there, and the server is notified from the keyboard',
    only.page,
    async ({ app }) => {
      const folder = join(app.home, 'work');
      await mkdir(folder);
      const window = new Window(await app.open());
      await window.connectTo('nested', typed(nested));
      await window.show('Overview');
      const roots = window.pane('Overview').getByRole('region', { name: 'Roots' });
      await expect(roots).toContainText('None.');
      await roots.getByRole('button', { name: 'Change…' }).click();
      const profile = window.page.getByRole('region', { name: 'Client profile' });
      await profile.getByRole('button', { name: 'Add a root' }).press('Enter');
      await profile.getByRole('textbox', { name: 'URI of root 1' }).fill(pathToFileURL(folder).href);
      await expect(profile.getByRole('listitem').filter({ hasText: 'exists' })).toHaveCount(1);
      await window.page.getByRole('button', { name: /^Save (Ctrl|⌘)/ }).click();
      await expect(window.trace.rows('notifications/roots/list_changed')).toHaveCount(1);

      await expect(roots.getByRole('listitem')).toContainText('exists');
      await rmdir(folder);
      await expect(roots.getByRole('listitem')).toContainText('There is no such folder on this machine.');
      await mkdir(folder);
      await expect(roots.getByRole('listitem')).toContainText('exists');
      if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);

      const notify = roots.getByRole('button', { name: 'Notify server' });
      await window.tabTo(notify);
      await window.page.keyboard.press('Enter');
      await expect(roots.getByRole('status')).toContainText('sent in row');
      await expect(window.trace.rows('notifications/roots/list_changed')).toHaveCount(2);
    },
  );
});

test('axe finds nothing in the Inbox and the profile, dark and light', only.web, async ({ app }) => {
  const window = new Window(await app.open());
  const clean = async (screen: string, part = PANE) =>
    expect.soft(await findings(window.page, part), screen).toEqual([]);
  await window.page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  await window.show('Inbox');
  await expect(window.pane('Inbox')).toContainText('No questions from the server');
  await clean('nothing asked', 'html');

  const tools = new ToolsPane(window);
  const inbox = new InboxPane(window);
  await tools.call('ask_user', { message: 'Tell me your password.' });
  for (const tool of ['ask_model', 'ask_user_to_visit']) await tools.call(tool);
  await expect(window.page.getByRole('tab', { name: 'Inbox 3' })).toBeVisible();
  await inbox.open();
  await expect(inbox.question.getByRole('note')).toContainText('asks for a secret');
  await clean('form that asks for a secret');
  await inbox.press(/^Send answer/);
  await expect(inbox.pane).toContainText('By the schema');
  await clean('form with errors');
  await inbox.press('Send anyway');
  await clean('second question before a secret is sent');
  await inbox.press('Back');
  for (const key of ['ArrowDown', 'ArrowDown']) {
    await inbox.list.press(key);
    await clean(`question after ${key}`);
  }
  await inbox.press('Decline');
  await expect(inbox.list).toBeFocused();
  await inbox.list.press('End');
  await expect(inbox.answer).toContainText('You declined');
  await clean('answered');

  await window.show('Overview');
  const declared = window.pane('Overview').getByRole('region', { name: 'Client capabilities' });
  await declared.getByRole('button', { name: 'Change…' }).click();
  const profile = window.page.getByRole('region', { name: 'Client profile' });
  await expect(profile.getByRole('button', { name: 'Client profile' })).toBeFocused();
  await profile.getByRole('button', { name: 'Add a root' }).click();
  await profile.getByRole('textbox', { name: 'URI of root 1' }).fill('/here');
  await profile.getByRole('button', { name: 'Add a rule' }).click();
  await profile.getByRole('combobox', { name: 'Answer of rule 2' }).selectOption('this error');
  await clean('profile', 'html');
});
