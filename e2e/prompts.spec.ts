import { expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { PromptsPane } from './prompts-pane.ts';
import { Window } from './window.ts';

test.describe('the prompts of the demo server', () => {
  test('are filled in with completion, and shown as messages', async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const prompts = new PromptsPane(window);

    await prompts.choose('Compare two cities');
    await expect(prompts.pane).toContainText('Required and empty: country, first, second');
    await prompts.complete('country', 'Ja', 'Japan');
    await prompts.complete('first', 'K', 'Kyoto');
    await prompts.complete('second', 'O', 'Osaka');
    await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
    await expect(prompts.messages.getByRole('article', { name: 'Message 1, user' })).toContainText(
      'Compare Kyoto with Osaka in Japan.',
    );
    await expect(prompts.messages.getByRole('article', { name: 'Message 2, assistant' })).toContainText(
      'Let us begin with Kyoto.',
    );
    await prompts.messages.getByRole('radio', { name: 'Raw' }).click();
    await expect(prompts.messages).toContainText('"messages"');
    await prompts.messages.getByRole('radio', { name: 'Messages' }).click();

    await prompts.choose('Describe a picture');
    await prompts.pane.getByRole('button', { name: 'Get prompt' }).click();
    await expect(prompts.messages.getByRole('img')).toBeVisible();
    await expect(prompts.messages).toContainText('# Welcome');
  });

  test(
    'are requested without a required argument on demand, and the error is shown',
    only.page,
    async ({ app }) => {
      const window = new Window(await app.open());
      await window.page.getByRole('button', { name: 'Try the demo server' }).click();
      await window.expectPhase('ready');
      const prompts = new PromptsPane(window);
      await prompts.choose('Compare two cities');
      await prompts.pane.getByRole('button', { name: 'Get anyway' }).click();
      await expect(prompts.messages.getByRole('region', { name: 'Protocol error' })).toContainText('-32602');
    },
  );

  test('are requested with the keyboard alone', only.page, async ({ app }) => {
    const window = new Window(await app.open());
    await window.page.getByRole('button', { name: 'Try the demo server' }).click();
    await window.expectPhase('ready');
    const prompts = new PromptsPane(window);
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+4');
    await expect(prompts.list).toBeVisible();
    await keyboard.press('ControlOrMeta+Shift+F');
    await keyboard.type('introduce');
    await keyboard.press('Enter');
    await expect(prompts.pane.getByRole('button', { name: 'Get prompt' })).toBeFocused();
    await keyboard.press('ControlOrMeta+Enter');
    await expect(prompts.messages).toContainText('Please introduce yourself in two sentences.');

    // Each prompt is a command of the palette.
    await keyboard.press('ControlOrMeta+1');
    await keyboard.press('ControlOrMeta+K');
    await keyboard.type('Prompt: compare');
    await keyboard.press('Enter');
    await expect(prompts.pane.getByRole('heading', { name: 'Compare two cities' })).toBeVisible();
  });
});
