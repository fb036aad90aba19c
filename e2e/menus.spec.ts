import { type App, expect, test } from './app.ts';
import { only } from './hosts/only.ts';
import { paletteCommands, type Shown } from './palette.ts';
import { everything } from './servers.ts';
import { ToolsPane } from './tools-pane.ts';
import { Window } from './window.ts';

/** The page's commands in the native menus. */
async function menuCommands(app: App): Promise<Shown[]> {
  const items = await app.menus.items();
  return items
    .filter(({ role }) => role === null)
    .map(({ label, accelerator }) => ({
      title: label.replaceAll('&&', '&'),
      keys: accelerator === null ? null : keysOf(accelerator),
    }));
}

/** An accelerator as the palette of Linux and Windows writes it. */
const keysOf = (accelerator: string): string =>
  accelerator
    .split('+')
    .map((key) => ({ CommandOrControl: 'Ctrl', Enter: '⏎' })[key] ?? key)
    .join(' ');

const sorted = (commands: readonly Shown[]): string[] =>
  commands.map(({ title, keys }) => `${title} [${keys ?? ''}]`).sort();

/** A key that is text in a field, such as `?`, is no accelerator: it would be taken from the field. */
const withoutTypedKey = ({ title, keys }: Shown): Shown => ({
  title,
  keys: keys?.length === 1 ? null : keys,
});

/** Compares the menus with the palette, and wants no keys twice. Gives the titles. */
async function expectSameCommands(app: App, window: Window): Promise<string[]> {
  const opensPalette: Shown = { title: 'Search commands', keys: 'Ctrl K' };
  let palette: Shown[] = [];
  // A pane that has just been opened may add its commands after the palette was read.
  await expect(async () => {
    palette = await paletteCommands(window);
    const inMenus = [...palette, opensPalette].map(withoutTypedKey);
    await expect
      .poll(async () => sorted(await menuCommands(app)), { timeout: 2000 })
      .toEqual(sorted(inMenus));
  }).toPass();
  const keys = palette.flatMap((command) => command.keys ?? []);
  expect(keys.filter((one, place) => keys.indexOf(one) !== place)).toEqual([]);
  return palette.map(({ title }) => title);
}

test.describe('the native menus', only.electron, () => {
  test('have every command of the palette, with its keys, which no other has', async ({ app }) => {
    const window = new Window(await app.open());
    const before = await expectSameCommands(app, window);
    expect(before).toEqual(expect.arrayContaining(['Add a server…', 'Import servers…', 'Open trace…']));

    await app.close();
    const connected = new Window(await app.open(...everything));
    await connected.expectPhase('ready');
    const tools = new ToolsPane(connected);
    await tools.call('echo', { message: 'hello' });
    await tools.expectOutcome('ok');
    await connected.trace.filter('tools/call');
    await connected.trace.rows('tools/call', '→').click();
    const during = await expectSameCommands(app, connected);
    expect(during).toEqual(
      expect.arrayContaining([
        'Reconnect',
        'Disconnect',
        'Run Echo Tool',
        'Go to the other half of the call',
      ]),
    );
    for (const pane of ['Overview', 'Resources', 'Prompts', 'Composer', 'Inbox', 'Logs', 'Tasks', 'Tests']) {
      await connected.show(pane);
      await expectSameCommands(app, connected);
    }
  });

  test('run a command that is chosen, and keep up with what is available', async ({ app }) => {
    const window = new Window(await app.open(...everything));
    await window.expectPhase('ready');
    await expect
      .poll(async () => (await menuCommands(app)).map(({ title }) => title))
      .toContain('Disconnect');
    await app.menus.choose('Disconnect');
    await window.expectPhase('closed');
    await expect
      .poll(async () => (await menuCommands(app)).map(({ title }) => title))
      .not.toContain('Disconnect');
    await app.menus.choose('Show Resources');
    await expect(window.pane('Resources')).toBeVisible();
  });

  test('open the developer tools from View', async ({ app }) => {
    // The tools are a page too, and ask for what Electron leaves out.
    app.expectComplaint(/^Request Autofill\.\w+ failed/);
    await app.open();
    const tools = (await app.menus.items()).filter(({ role }) => role === 'toggledevtools');
    expect(tools.map(({ menu }) => menu)).toEqual(['View']);
    expect(await app.menus.hasDeveloperTools()).toBe(false);
    await app.menus.choose(tools[0]?.label ?? 'none');
    await expect.poll(() => app.menus.hasDeveloperTools()).toBe(true);
  });
});
