import type { Locator } from 'playwright/test';
import { startEverything } from '#fixtures/http/start-server.ts';
import { type App, expect, test } from './app.ts';
import { ComposerPane } from './composer-pane.ts';
import { connectToUrl } from './http-servers.ts';
import { paletteCommands, type Shown } from './palette.ts';
import { RecordedList } from './recorded-list.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

const SLOW_CALL =
  '{"jsonrpc":"2.0","id":950,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.1,"steps":2},"_meta":{"progressToken":"p"}}}';

/** The window with a session that has rows of every kind which a shortcut leads to. */
class Scene {
  readonly window: Window;
  readonly app: App;
  readonly tools: ToolsPane;
  readonly composer: ComposerPane;
  readonly list: RecordedList;

  constructor(app: App, window: Window) {
    this.app = app;
    this.window = window;
    this.tools = new ToolsPane(window);
    this.composer = new ComposerPane(window);
    this.list = new RecordedList(window.page);
  }

  /** Two errors, three calls, progress of one of them, and two marks. */
  async fill(): Promise<void> {
    await this.composer.show();
    for (const id of [901, 902]) await this.send(`{"jsonrpc":"2.0","id":${id},"method":"nope"}`);
    await this.send(SLOW_CALL);
    await expect(this.window.trace.rows('notifications/progress').first()).toBeVisible();
    for (const message of ['one', 'two']) {
      await this.tools.call('echo', { message });
      await this.tools.expectOutcome('ok');
    }
    for (const which of ['first', 'last'] as const) {
      await this.select(this.calls, which);
      await this.window.page.keyboard.press('Alt+M');
      await expect(this.calls[which]().getByLabel(/bookmark/i)).toBeVisible();
    }
  }

  async send(text: string): Promise<void> {
    const before = await this.composer.outcomes.getByRole('button', { name: /^Row #/ }).count();
    await this.composer.write(text);
    await this.composer.send.click();
    await expect(this.composer.outcomes.getByRole('button', { name: /^Row #/ })).toHaveCount(before + 1);
  }

  /** The requests that call a tool. */
  get calls(): Locator {
    return this.window.trace.rows('tools/call', '→');
  }

  /** Selects the first or the last drawn row of these, which may be scrolled out of the table. */
  async select(rows: Locator, which: 'first' | 'last' = 'first'): Promise<void> {
    const { table } = this.window.trace;
    const [start, step] = which === 'first' ? ['Home', 'PageDown'] : ['End', 'PageUp'];
    await table.press(start);
    await expect(async () => {
      if ((await rows.count()) === 0) await table.press(step);
      await rows[which]().click({ timeout: 500 });
    }).toPass();
  }

  async rowShown(): Promise<string | null> {
    const row = this.window.trace.table.getByRole('row', { selected: true });
    return (await row.count()) === 0 ? null : row.getAttribute('aria-rowindex');
  }
}

/** How to see that a shortcut did its work. */
interface Use {
  /** Brings the window to where the command works, and its effect is not there. */
  readonly before: (scene: Scene) => Promise<void>;
  readonly seen: (scene: Scene) => Promise<void>;
}

/** A command that goes from one row of the trace to another. */
function leavesRow(before: (scene: Scene) => Promise<void>): Use {
  let from: string | null = null;
  return {
    before: async (scene) => {
      await before(scene);
      from = await scene.rowShown();
      expect(from).not.toBeNull();
    },
    seen: (scene) =>
      expect
        .poll(async () => {
          const now = await scene.rowShown();
          return now !== null && now !== from;
        })
        .toBe(true),
  };
}

const inTable =
  (key: string) =>
  ({ window }: Scene) =>
    window.trace.table.press(key);

const onCall = (which: 'first' | 'last') => (scene: Scene) => scene.select(scene.calls, which);

const onInitialize = (scene: Scene) => scene.select(scene.window.trace.rows('initialize', '→'));

const showPane =
  (pane: string) =>
  ({ window }: Scene) =>
    window.show(pane);

const opens = (before: Use['before'], place: (scene: Scene) => Locator): Use => ({
  before,
  seen: async (scene) => {
    await expect(place(scene)).toBeVisible();
    await scene.window.page.keyboard.press('Escape');
  },
});

const focuses = (before: Use['before'], place: (scene: Scene) => Locator): Use => ({
  before,
  seen: (scene) => expect(place(scene)).toBeFocused(),
});

const maximizes = (part: 'pane' | 'trace'): Use => ({
  before: showPane('Overview'),
  seen: async ({ window }) => {
    const restore = window.page.getByRole('button', { name: `Restore the ${part}` });
    await expect(restore).toBeVisible();
    await restore.click();
  },
});

/** @param label the label of what was sent */
const sends = (label: RegExp): Use => ({
  before: async ({ composer }) => {
    await composer.show();
    await composer.pane.getByRole('button', { name: 'Clear' }).click();
    await composer.template('ping');
    await expect(composer.outcomes).toBeHidden();
  },
  seen: async ({ composer }) => {
    await expect(composer.outcomes).toContainText(label);
    await expect(composer.outcomes.getByRole('listitem').filter({ hasText: 'ping' }).first()).toContainText(
      'ok',
    );
  },
});

/** Every command with keys, and what the keys do. The keys themselves come from the palette. */
const uses: Readonly<Record<string, Use>> = {
  ...Object.fromEntries(
    [
      'Overview',
      'Tools',
      'Resources',
      'Prompts',
      'Composer',
      'Inbox',
      'Logs',
      'Tasks',
      'Tests',
      'Replay',
      'Auth',
    ].map((pane) => [
      `Show ${pane}`,
      {
        before: showPane(pane === 'Overview' ? 'Tools' : 'Overview'),
        seen: ({ window }: Scene) => expect(window.pane(pane)).toBeVisible(),
      },
    ]),
  ),
  'Filter the trace': focuses(showPane('Overview'), ({ window }) =>
    window.trace.region.getByRole('combobox', { name: 'Filter the trace' }),
  ),
  'Go to a row or a time…': opens(inTable('Home'), ({ window }) =>
    window.page.getByRole('textbox', { name: 'Row or time' }),
  ),
  'Go to the next error': leavesRow(inTable('Home')),
  'Go to the previous error': leavesRow(inTable('End')),
  'Go to the next row of the same method': leavesRow(onCall('first')),
  'Go to the previous row of the same method': leavesRow(onCall('last')),
  'Go to the other half of the call': leavesRow(onCall('last')),
  'Go to the parent row': leavesRow((scene) =>
    scene.select(scene.window.trace.rows('notifications/progress')),
  ),
  'Go to the first child row': leavesRow(onCall('first')),
  'Go to the next mark': leavesRow(inTable('Home')),
  'Go to the previous mark': leavesRow(inTable('End')),
  'Go to the HTTP exchange of the selected row': leavesRow(onCall('first')),
  // The row of the exchange is selected now.
  'Go back from the HTTP exchange to the message': leavesRow(() => Promise.resolve()),
  'Bookmark the selected row': {
    before: onInitialize,
    seen: ({ window }) => expect(window.trace.rows('initialize', '→').getByLabel(/bookmark/i)).toBeVisible(),
  },
  'Remove the mark of the selected row': {
    before: onInitialize,
    seen: ({ window }) => expect(window.trace.rows('initialize', '→').getByLabel(/bookmark/i)).toHaveCount(0),
  },
  'Write a note on the selected row…': opens(onCall('first'), ({ window }) =>
    window.page.getByRole('textbox', { name: /note/i }),
  ),
  'Edit the selected message and send it again': {
    before: async (scene) => {
      await scene.window.show('Overview');
      await onCall('last')(scene);
    },
    seen: ({ composer }) => expect(composer.editor).toBeVisible(),
  },
  'Open the selected message in its pane': {
    before: async (scene) => {
      await scene.window.show('Overview');
      await onCall('last')(scene);
    },
    seen: ({ tools }) => expect(tools.result).toContainText('two'),
  },
  // The pane shows that call now.
  'Show in the trace what the pane shows': {
    before: onInitialize,
    seen: async ({ window, tools }) => {
      const link = tools.result.getByRole('button', { name: 'Show the request in the trace' });
      const [row] = /#\d+/.exec((await link.textContent()) ?? '') ?? [];
      await expect(
        window.trace.region.getByRole('region', { name: `Row ${row}`, exact: true }),
      ).toBeVisible();
    },
  },
  'Maximize or restore the pane': maximizes('pane'),
  'Maximize or restore the trace': maximizes('trace'),
  'Find a tool': focuses(showPane('Tools'), ({ tools }) =>
    tools.pane.getByRole('searchbox', { name: 'Find a tool' }),
  ),
  'Run Echo Tool': {
    before: async ({ tools }) => {
      await tools.choose('echo');
      await tools.pane.getByRole('textbox', { name: 'message', exact: true }).fill('by shortcut');
    },
    seen: ({ tools }) => expect(tools.result).toContainText('by shortcut'),
  },
  'Find a resource': focuses(showPane('Resources'), ({ window }) =>
    window.pane('Resources').getByRole('searchbox').first(),
  ),
  'Find a prompt': focuses(showPane('Prompts'), ({ window }) =>
    window.pane('Prompts').getByRole('searchbox').first(),
  ),
  'Get Simple Prompt': {
    before: async ({ window }) => {
      await window.show('Prompts');
      await window
        .pane('Prompts')
        .getByRole('option', { name: /simple-prompt/i })
        .click();
      await window.page.keyboard.press('Enter');
    },
    seen: ({ window }) => expect(window.pane('Prompts')).toContainText('This is a simple prompt'),
  },
  'Compose a message from a template…': opens(showPane('Composer'), ({ window }) =>
    window.page.getByRole('searchbox', { name: 'Find a template' }),
  ),
  'Send the composed message': sends(/\d\d:\d\d:\d\dSend(?! all)/),
  'Send the composed message anyway': {
    before: async ({ composer }) => {
      await composer.show();
      await composer.write('{"jsonrpc":"2.0","method":"notifications/nope"}');
    },
    seen: ({ composer }) => expect(composer.outcomes).toContainText('notifications/nope'),
  },
  'Send all composed messages': sends(/Send all/),
  'Undo: Cleared the list of what the composer sent': {
    before: async ({ composer }) => {
      await composer.show();
      await composer.pane.getByRole('button', { name: 'Clear', exact: true }).click();
    },
    seen: ({ composer }) => expect(composer.outcomes).toContainText('Send all'),
  },
  'Add a server…': opens(showPane('Overview'), ({ window }) =>
    window.page.getByRole('form', { name: 'Add a server' }),
  ),
  'Edit server…': opens(showPane('Overview'), ({ window }) =>
    window.page.getByRole('form', { name: 'Settings of server' }),
  ),
  'Settings…': opens(showPane('Overview'), ({ window }) =>
    window.page.getByRole('region', { name: 'Settings', exact: true }),
  ),
  'Keyboard shortcuts…': opens(showPane('Overview'), ({ window }) =>
    window.page.getByRole('dialog', { name: 'Keyboard shortcuts' }),
  ),
  'Open trace…': {
    before: async (scene) => {
      if (scene.app.host === 'electron') await scene.app.keptDialogs();
      await scene.window.show('Overview');
    },
    seen: async ({ app, list, window }) => {
      // Electron opens the dialog of the system.
      if (app.host === 'electron') await expect.poll(() => app.keptDialogs()).toEqual(['Open trace']);
      else {
        await expect(list.dialog('Open trace')).toBeVisible();
        await window.page.keyboard.press('Escape');
      }
    },
  },
  server: {
    before: async ({ window }) => {
      await window.page.keyboard.press('ControlOrMeta+,');
      await expect(window.page.getByRole('region', { name: 'Settings', exact: true })).toBeVisible();
    },
    seen: ({ window }) =>
      expect(window.page.getByRole('region', { name: 'Settings', exact: true })).toBeHidden(),
  },
  Reconnect: {
    before: async (scene) => {
      await scene.window.show('Overview');
      // The trace of a session that is open is with its server.
      await expect(scene.list.region.locator('[data-trace]')).toHaveCount(0);
    },
    seen: async ({ list, window }) => {
      await expect(list.region.locator('[data-trace]')).toHaveCount(1);
      await window.expectPhase('ready');
    },
  },
  'Restart and compare': {
    before: showPane('Overview'),
    seen: async ({ list, window }) => {
      const section = window.pane('Overview').getByRole('region', { name: 'Restart on change' });
      await expect(section.getByRole('group', { name: 'Last restart' })).toBeVisible();
      await expect(list.region.locator('[data-trace]')).toHaveCount(2);
      await window.expectPhase('ready');
    },
  },
  Disconnect: { before: showPane('Overview'), seen: ({ window }) => window.expectPhase('closed') },
};

/** Keys of the palette as Playwright presses them. */
const pressed = (keys: string): string =>
  keys
    .split(' ')
    .map((key) => ({ Ctrl: 'ControlOrMeta', '⏎': 'Enter' })[key] ?? key)
    .join('+');

test('every shortcut of the command table does what its command says', async ({ app }) => {
  test.setTimeout(240_000);
  const server = await startEverything('streamableHttp');
  try {
    const window = new Window(await app.open());
    await connectToUrl(window, 'server', server.url);
    const scene = new Scene(app, window);
    await scene.fill();

    const known = new Map<string, string>();
    const note = (commands: readonly Shown[]) => {
      for (const { title, keys } of commands) if (keys !== null) known.set(title, keys);
    };
    for (const [title, { before, seen }] of Object.entries(uses)) {
      await test.step(title, async () => {
        await before(scene);
        let keys: string | undefined;
        // A pane that has just been opened may add its commands a moment later.
        await expect(async () => {
          const commands = await paletteCommands(window);
          note(commands);
          keys = commands.find((one) => one.title === title)?.keys ?? undefined;
          expect(keys, `keys of "${title}" in the palette`).toBeDefined();
        }).toPass({ timeout: 30_000 });
        await window.page.keyboard.press(pressed(keys ?? ''));
        await seen(scene);
      });
    }
    // A command with keys that nobody pressed is named here.
    expect([...known.keys()].filter((title) => !(title in uses))).toEqual([]);
  } finally {
    await server.close();
  }
});
