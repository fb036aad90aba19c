import { codePointName, replaceHidden } from '#shared/hidden-characters.ts';
import { type BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron';
import { type MenuCommand, menuNames } from '#shared/contract/menu.ts';
import { channels } from '#shared/contract/preload-bridge.ts';

const isMac = process.platform === 'darwin';

/** Sets the application's menus: those of every desktop app. The returned function shows the page's commands in them too. */
export function fillMenus(window: BrowserWindow): (commands: readonly MenuCommand[]) => void {
  const { webContents } = window;
  const show = (commands: readonly MenuCommand[]) => {
    const run = (id: string) => {
      if (!webContents.isDestroyed()) webContents.send(channels.menuChosen, id);
    };
    Menu.setApplicationMenu(Menu.buildFromTemplate(menusOf(commands, run)));
  };
  show([]);
  // A page that ended or is loaded again has no commands until it names them.
  webContents.on('render-process-gone', () => show([]));
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) show([]);
  });
  return show;
}

type Items = readonly MenuItemConstructorOptions[];

const separator: MenuItemConstructorOptions = { type: 'separator' };

/** The menus with these commands in them, each run by its id. */
export function menusOf(
  commands: readonly MenuCommand[],
  run: (id: string) => void,
): MenuItemConstructorOptions[] {
  const itemsOfMenu = (name: MenuCommand['menu']) =>
    itemsOf(
      commands.filter(({ menu }) => menu === name),
      run,
    );
  const file = itemsOfMenu('File');
  const others = menuNames
    .filter((name) => name !== 'File')
    // Without access keys: Alt with a letter is the shortcut of many commands.
    .map((name) => ({ label: name, submenu: [...itemsOfMenu(name)] }));
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [...file, ...(file.length > 0 ? [separator] : []), { role: isMac ? 'close' : 'quit' }],
    },
    { role: 'editMenu' },
    viewMenu,
    ...others.filter(({ submenu }) => submenu.length > 0),
    isMac ? { role: 'windowMenu' } : { label: '&Window', submenu: [{ role: 'minimize' }, { role: 'close' }] },
  ];
}

const viewMenu: MenuItemConstructorOptions = {
  label: '&View',
  submenu: [
    { role: 'reload' },
    { role: 'toggleDevTools' },
    separator,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    separator,
    { role: 'togglefullscreen' },
  ],
};

/** A part with more commands than this is a menu of its own. */
const MAX_PART = 20;

/** The items of one menu: its parts, one below the other. */
function itemsOf(commands: readonly MenuCommand[], run: (id: string) => void): Items {
  const parts = [...new Set(commands.map(({ part }) => part))];
  return parts.flatMap((part, place): Items => {
    const ofPart = commands.filter((command) => command.part === part);
    const items = ofPart.map((command) => itemOf(command, run));
    const isApart = items.length > MAX_PART || ofPart.some(({ isSubmenu }) => isSubmenu === true);
    const shown: Items = isApart ? [{ label: escaped(part), submenu: items }] : items;
    return place === 0 ? shown : [separator, ...shown];
  });
}

const itemOf = ({ id, title, shortcut, needsFocus = false }: MenuCommand, run: (id: string) => void) => {
  const accelerator = shortcut === undefined || (isMac && needsFocus) ? null : acceleratorOf(shortcut);
  return {
    id,
    label: escaped(title),
    click: () => run(id),
    // Shown only: the page handles its keys, and knows where they mean something else. On macOS a shown key also works
    // wherever the focus is, unless the page handled it, so the key of a command that needs the focus is not shown there.
    ...(accelerator !== null && { accelerator, registerAccelerator: false }),
  };
};

/** Titles contain names that servers and users chose: access keys are escaped, hidden characters shown, long ones cut to one line. */
const escaped = (title: string): string =>
  cut(replaceHidden(title.replaceAll(/[ \t\r\n]+/g, ' '), codeOf)).replaceAll('&', '&&');

const codeOf = (character: string): string => `[${codePointName(character.codePointAt(0) ?? 0)}]`;

const MAX_TITLE = 80;

const cut = (title: string): string =>
  title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE - 1)}…` : title;

/** Keys that Electron calls otherwise than the page does. */
const acceleratorKeys: Readonly<Record<string, string>> = {
  Mod: 'CommandOrControl',
  Escape: 'Esc',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
};

const KNOWN_KEY =
  /^(?:CommandOrControl|Alt|Shift|[A-Z0-9]|F\d\d?|[!-/:-@[-`{-~]|Enter|Esc|Tab|Space|Delete|Backspace|Up|Down|Left|Right|Home|End|PageUp|PageDown)$/;

/** The shortcut in Electron's notation; null if it has none for it, or if the key is text in a field. */
function acceleratorOf(shortcut: string): string | null {
  const keys = shortcut.split('+').map((key) => acceleratorKeys[key] ?? key);
  const isText = keys.length === 1 && keys[0]?.length === 1;
  return !isText && keys.every((key) => KNOWN_KEY.test(key)) ? keys.join('+') : null;
}
