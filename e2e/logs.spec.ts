import type { Locator } from 'playwright/test';
import { manyLogsServer } from '#fixtures/many-logs/command.ts';
import { expect, test } from './app.ts';
import { findings, PANE } from './axe.ts';
import { only } from './hosts/only.ts';
import { RecordedList } from './recorded-list.ts';
import { everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const MESSAGES = 400;
const { command, args } = manyLogsServer(MESSAGES);

/** The Logs pane as its user sees it. */
class LogsPane {
  readonly pane: Locator;
  readonly list: Locator;
  readonly message: Locator;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
    this.pane = window.pane('Logs');
    this.list = this.pane.getByRole('listbox', { name: 'Log messages' });
    this.message = this.pane.getByRole('region', { name: 'Log message' });
  }

  async show(): Promise<void> {
    await this.#window.show('Logs');
    await expect(this.list).toBeVisible();
  }

  get serverLevel(): Locator {
    return this.pane.getByRole('combobox', { name: 'Log level' });
  }

  get level(): Locator {
    return this.pane.getByRole('combobox', { name: 'Show from level' });
  }

  get search(): Locator {
    return this.pane.getByRole('searchbox', { name: 'Search the logs' });
  }

  logger(name: string): Locator {
    return this.pane.getByRole('button', { name: new RegExp(`^${name}: `) });
  }

  /** The last line of the list, once it has this text. */
  async newest(text: string): Promise<string> {
    const line = this.list.getByRole('option').last();
    await expect(line).toContainText(text);
    return line.innerText();
  }

  async expectCount(count: number): Promise<void> {
    await expect(this.pane.getByText(/^[\d,]+ shown$/)).toHaveText(`${count} shown`);
  }
}

/** What the pane shows of many log messages, as it reads on the screen. */
async function shown(window: Window): Promise<Record<string, unknown>> {
  const logs = new LogsPane(window);
  await logs.show();
  await logs.expectCount(MESSAGES);
  await expect(logs.logger('all loggers')).toContainText(String(MESSAGES));
  await logs.list.press('End');
  const last = await logs.newest('message 399');
  await expect(logs.message.getByRole('tree', { name: 'Data' })).toContainText('"place": 399');
  const facts = await logs.message.locator('dl').innerText();
  await logs.level.selectOption('alert and up');
  await logs.expectCount(MESSAGES / 4);
  await logs.logger('http').click();
  await logs.expectCount(0);
  await logs.level.selectOption('every level');
  await logs.expectCount(MESSAGES / 4);
  const http = await logs.newest('message 397');
  await logs.pane.getByRole('checkbox', { name: 'stderr' }).check();
  await logs.expectCount(MESSAGES / 4 + 4);
  await logs.search.fill('line 300');
  await logs.expectCount(1);
  const stderr = await logs.newest('line 300 of standard error');
  await logs.search.fill('');
  await logs.pane.getByRole('checkbox', { name: 'stderr' }).uncheck();
  await logs.logger('all loggers').click();
  await logs.expectCount(MESSAGES);
  return { last, facts, http, stderr };
}

test('server-everything logs once a level is set, and a message leads to its row', async ({ app }) => {
  const window = new Window(await app.open(...everything));
  await window.expectPhase('ready');
  const logs = new LogsPane(window);
  await logs.show();
  await expect(logs.serverLevel).toHaveValue('');
  await logs.serverLevel.selectOption('debug');
  await expect(logs.serverLevel).toHaveValue('debug');
  const tools = new ToolsPane(window);
  await tools.call('toggle-simulated-logging');
  await tools.expectOutcome('ok');
  await logs.show();
  const first = logs.list.getByRole('option').first();
  await expect(first).toContainText(/debug|info|notice|warning|error|critical|alert|emergency/, {
    timeout: 15_000,
  });
  await first.click();
  await expect(logs.message).toContainText('Data');
  const link = logs.message.getByRole('button', { name: /^Row #\d+ of the trace$/ }).first();
  const number = /\d+/.exec((await link.getAttribute('aria-label')) ?? '')?.[0];
  await link.click();
  await expect(window.page.getByRole('region', { name: `Row #${number}` })).toContainText(
    'notifications/message',
  );
});

test(
  'messages are filtered by level, logger and text, and a saved trace shows them as they were',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open(command, ...args));
    await window.expectPhase('ready');
    const logs = new LogsPane(window);
    await logs.show();
    await logs.serverLevel.selectOption('debug');
    await logs.expectCount(MESSAGES);
    await window.page.getByRole('button', { name: 'Disconnect' }).click();
    await window.expectPhase('closed');
    const live = await shown(window);
    const again = new Window(await app.restart());
    await new RecordedList(again.page).region.locator('[data-trace]').click();
    await expect(again.status).toContainText('recorded');
    expect(await shown(again)).toEqual(live);
    await expect(new LogsPane(again).pane).toContainText('Server sends from');
    await expect(new LogsPane(again).pane).toContainText('debug');
  },
);

test(
  'with the keyboard alone: set a level, follow, filter, read a message and export',
  only.page,
  async ({ app }) => {
    const window = new Window(await app.open(command, ...args));
    await window.expectPhase('ready');
    const { keyboard } = window.page;
    await keyboard.press('ControlOrMeta+7');
    const logs = new LogsPane(window);
    await expect(logs.list).toBeVisible();
    await window.tabTo(logs.serverLevel);
    await keyboard.type('debug');
    await logs.expectCount(MESSAGES);
    // It follows the newest message until the user goes up.
    await expect(logs.list.getByRole('option').last()).toContainText('message 399');
    await window.tabTo(logs.list);
    await keyboard.press('Home');
    await expect(logs.list.getByRole('option').first()).toContainText('message 0');
    await expect(logs.pane.getByRole('button', { name: /follow the newest/ })).toHaveText(/paused/);
    await keyboard.press('ArrowDown');
    await expect(logs.message).toContainText('"place": 1,');
    await keyboard.press('Enter');
    await expect(logs.message).toBeFocused();
    await keyboard.press('Escape');
    await expect(logs.message).toBeHidden();
    await expect(logs.list).toBeFocused();

    await keyboard.press('ControlOrMeta+K');
    await keyboard.type('Search the log messages');
    await keyboard.press('Enter');
    await expect(logs.search).toBeFocused();
    await keyboard.type('message 39');
    await logs.expectCount(11);
    await window.tabTo(logs.logger('ui'));
    await keyboard.press('Space');
    await logs.expectCount(3);
    await window.tabTo(logs.pane.getByRole('button', { name: 'Search these messages for secrets' }));
    await keyboard.press('Enter');
    await expect(logs.pane.getByRole('region', { name: 'Secrets in the logs' })).toContainText(
      'No tokens, passwords or credentials were recognized in 3 rows.',
    );
    await window.tabTo(logs.pane.getByRole('button', { name: 'Export…' }));
    await keyboard.press('Enter');
    const form = window.page.getByRole('form', { name: 'Export' });
    await expect(form.getByRole('radio', { name: 'The filtered rows, 3' })).toBeChecked();
    await expect(form).toContainText('3 rows');
  },
);

test('a running call shows its progress and is cancelled with a reason', only.page, async ({ app }) => {
  const window = new Window(await app.open());
  await window.page.getByRole('button', { name: 'Try the demo server' }).click();
  await window.expectPhase('ready');
  await new ToolsPane(window).call('count_slowly', { steps: '1000' });
  const logs = new LogsPane(window);
  await logs.show();
  const { keyboard } = window.page;
  await window.tabTo(logs.pane.getByRole('radio', { name: 'Messages' }));
  await keyboard.press('ArrowRight');
  await keyboard.press('Space');
  const running = logs.pane.getByRole('region', { name: 'Running requests' });
  await expect(running).toContainText('/ 1000');
  if (app.host === 'web') expect(await findings(window.page, PANE)).toEqual([]);
  await window.tabTo(running.getByRole('textbox', { name: 'Reason of a cancellation' }));
  await keyboard.type('took too long');
  await window.tabTo(running.getByRole('button', { name: 'Cancel tools/call count_slowly' }));
  await keyboard.press('Enter');
  await expect(running).toContainText('No request waits for a response.');
  await window.trace.filter('method:notifications/cancelled');
  await expect(window.page.getByRole('treegrid', { name: 'Messages' })).toContainText('took too long');
});

test('axe finds nothing in the dark and in the light', only.web, async ({ app }) => {
  const window = new Window(await app.open(command, ...args));
  await window.expectPhase('ready');
  const logs = new LogsPane(window);
  await logs.show();
  const clean = async (screen: string) => expect.soft(await findings(window.page, PANE), screen).toEqual([]);
  await clean('no messages');
  await logs.serverLevel.selectOption('debug');
  await logs.expectCount(MESSAGES);
  await logs.list.press('ArrowUp');
  await expect(logs.message.getByRole('tree', { name: 'Data' })).toBeVisible();
  await logs.pane.getByRole('button', { name: 'Search these messages for secrets' }).click();
  await expect(logs.pane).toContainText('No tokens');
  await clean('messages, one of them open');
  await logs.pane.getByRole('radio', { name: 'Activity' }).click();
  await expect(logs.pane).toContainText('No list has changed');
  await clean('activity');
});
