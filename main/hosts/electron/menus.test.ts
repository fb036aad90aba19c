import { expect, test, vi } from 'vitest';
import type { MenuCommand } from '#shared/contract/menu.ts';

// Stands in for Electron, which does not run in unit tests.
vi.mock('electron', () => ({ Menu: {} }));
const { menusOf } = await import('./menus.ts');

type Item = ReturnType<typeof menusOf>[number];

const command = (given: Partial<MenuCommand>): MenuCommand => ({
  id: 'a.b',
  title: 'Do it',
  menu: 'Trace',
  part: 'Trace',
  ...given,
});

const itemsOf = (menus: readonly Item[], label: string): Item[] => {
  const submenu = menus.find((menu) => menu.label === label)?.submenu;
  return Array.isArray(submenu) ? submenu : [];
};

const ignore = () => undefined;

test('without commands there are the menus of every desktop app, with the developer tools', () => {
  const menus = menusOf([], ignore);
  expect(menus.map(({ label, role }) => label ?? role)).toEqual(['&File', 'editMenu', '&View', '&Window']);
  expect(itemsOf(menus, '&View').map(({ role }) => role)).toContain('toggleDevTools');
});

test('a command is in its menu, with its keys shown, and runs by its id', () => {
  const run = vi.fn<(id: string) => void>();
  const menus = menusOf(
    [command({ shortcut: 'Mod+Shift+F' }), command({ id: 'other', shortcut: 'Mod+Hyper' })],
    run,
  );
  const [item, other] = itemsOf(menus, 'Trace');
  expect(item).toMatchObject({
    label: 'Do it',
    accelerator: 'CommandOrControl+Shift+F',
    registerAccelerator: false,
  });
  // Electron would throw at keys that it does not know.
  expect(other).not.toHaveProperty('accelerator');
  Reflect.apply(item?.click ?? ignore, undefined, []);
  expect(run.mock.calls).toEqual([['a.b']]);
});

test('parts are apart, and a long one is a menu of its own', () => {
  const many = Array.from({ length: 21 }, (_, place) =>
    command({ menu: 'Pane', part: 'Prompts', id: `p${place}` }),
  );
  const menus = menusOf(
    [
      command({ menu: 'Pane', part: 'Tools', title: 'Run' }),
      command({ menu: 'Pane', part: 'Inbox' }),
      ...many,
    ],
    ignore,
  );
  expect(itemsOf(menus, 'Pane').map(({ label, type }) => label ?? type)).toEqual([
    'Run',
    'separator',
    'Do it',
    'separator',
    'Prompts',
  ]);
  expect(itemsOf(itemsOf(menus, 'Pane'), 'Prompts')).toHaveLength(21);
});

test('what a server calls a thing is text on one line: no access keys, not endless', () => {
  const menus = menusOf([command({ title: `Run &a\n${'x'.repeat(200)}` })], ignore);
  const [item] = itemsOf(menus, 'Trace');
  expect(item?.label).toBe(`Run &&a ${'x'.repeat(72)}…`);
});

test('what a server hides in a name is seen in a menu', () => {
  const title = 'Run de\u200blete\u202e\u3164\u2800 \u{1f468}\u200d\u{1f469}\u200d\u{1f466}';
  const [item] = itemsOf(menusOf([command({ title })], ignore), 'Trace');
  expect(item?.label).toBe(
    'Run de[U+200B]lete[U+202E][U+3164][U+2800] \u{1f468}\u200d\u{1f469}\u200d\u{1f466}',
  );
});

test('on macOS, where the keys of a menu work wherever the focus is, a command that needs the focus shows none', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  vi.resetModules();
  const onMac = await import('./menus.ts');
  vi.restoreAllMocks();
  const menus = onMac.menusOf(
    [
      command({ id: 'tool.run', shortcut: 'Mod+Enter', needsFocus: true }),
      command({ id: 'open', shortcut: 'Mod+O' }),
    ],
    ignore,
  );
  expect(itemsOf(menus, 'Trace').map(({ accelerator }) => accelerator)).toEqual([
    undefined,
    'CommandOrControl+O',
  ]);
});
