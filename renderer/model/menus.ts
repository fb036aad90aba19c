import type { MenuCommand } from '#shared/contract/menu.ts';
import { type CommandGroup, currentCommands, onCommandsChanged } from './commands.ts';

/** The menu of each group; those of a pane, each a part of one menu, are not named here. */
const menuOfGroup: Readonly<Partial<Record<CommandGroup, MenuCommand['menu']>>> = {
  'Open Recent': 'File',
  Servers: 'File',
  Sightglass: 'File',
  Session: 'Session',
  Trace: 'Trace',
  'Go to': 'Go',
};

/** Milliseconds for further changes to arrive: many components register commands at once. */
const SETTLE_TIME = 100;

/**
 * Shows all current commands in the native menus of the desktop window, and runs those that are chosen there, until the
 * returned function is called. Does nothing in a browser.
 */
export function followMenus(): () => void {
  const { menus } = window.sightglass ?? {};
  if (menus === undefined) return () => undefined;
  let shown = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = () => {
    timer = undefined;
    const commands = menuCommands();
    const text = JSON.stringify(commands);
    if (text === shown) return;
    shown = text;
    menus.show(commands).catch((error: unknown) => reportError(error));
  };
  const stopFollowing = onCommandsChanged(() => {
    timer ??= setTimeout(show, SETTLE_TIME);
  });
  const stopListening = menus.onChosen((chosen) => {
    currentCommands()
      .find(({ id }) => id === chosen)
      ?.run();
  });
  show();
  return () => {
    stopFollowing();
    stopListening();
    clearTimeout(timer);
  };
}

const menuCommands = (): MenuCommand[] =>
  currentCommands().map(({ id, title, group, shortcut, within }) => ({
    id,
    title,
    menu: menuOfGroup[group] ?? 'Pane',
    part: group,
    ...(group === 'Open Recent' && { isSubmenu: true }),
    ...(shortcut !== undefined && { shortcut, ...(within !== undefined && { needsFocus: true }) }),
  }));
