import { useLayoutEffect } from 'react';
import { changeSettings, useSettings } from './settings.ts';

/** Groups of the palette, in order. */
const groups = [
  'Session',
  'Tools',
  'Resources',
  'Prompts',
  'Composer',
  'Inbox',
  'Tasks',
  'Authorization',
  'Logs',
  'Trace',
  'Go to',
  'Servers',
  'Open Recent',
  'Sightglass',
] as const;
export type CommandGroup = (typeof groups)[number];

/** An action in the palette, with an optional shortcut. */
export interface Command {
  /** Stable name, such as `session.reconnect`. */
  readonly id: string;
  readonly title: string;
  readonly group: CommandGroup;
  /** Such as `Mod+K`, `Alt+1`; `Mod` is Command on a Mac and Control elsewhere. */
  readonly shortcut?: string;
  /** Additional search terms. */
  readonly keywords?: readonly string[];
  /**
   * Where the focus must be for its keys to work: in this element. A command that runs, sends or answers something has it, so that
   * a key runs only what the user looks at. The palette offers the command wherever the focus is.
   */
  readonly within?: () => Element | null | undefined;
  /** Whether it removes something: the palette never preselects it. */
  readonly isDestructive?: true;
  readonly run: () => void;
}

const listeners = new Set<() => void>();

/** Calls the listener when commands may have changed, until the returned function is called. */
export function onCommandsChanged(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

// The menus show the keys that the user gave commands.
useSettings.subscribe((now, before) => {
  if (now.shortcuts !== before.shortcuts) notify();
});

const registered = new Map<symbol, readonly Command[]>();

/** All commands available now, by group, with the shortcuts that the user gave them. */
export const currentCommands = (): readonly Command[] =>
  [...registered.values()]
    .flat()
    .sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))
    .map(withUserShortcut);

function withUserShortcut(command: Command): Command {
  const own = useSettings.getState().shortcuts.find((one) => one.command === command.id);
  if (own === undefined) return command;
  const { shortcut: _, ...rest } = command;
  return own.keys === null ? rest : { ...rest, shortcut: own.keys };
}

/** The keys of a command: those that the user gave it, else the declared ones; undefined if the user took them away. */
export const useShortcut = (id: string, declared: string): string | undefined =>
  useSettings(({ shortcuts }) => {
    const own = shortcuts.find((one) => one.command === id);
    return own === undefined ? declared : (own.keys ?? undefined);
  });

/** Gives a command keys, or none; `undefined` restores the declared ones. Rejects when that cannot be saved. */
export function setShortcut(id: string, keys: string | null | undefined): Promise<void> {
  const others = useSettings.getState().shortcuts.filter((one) => one.command !== id);
  return changeSettings({ shortcuts: keys === undefined ? others : [...others, { command: id, keys }] });
}

/** Registers commands in place of those that this owner had; none removes them. */
export function registerCommands(owner: symbol, commands: readonly Command[]): void {
  if (commands.length === 0) registered.delete(owner);
  else registered.set(owner, commands);
  notify();
}

/**
 * Registers commands while the component is mounted. Pass only those available now; the array may change with every
 * render.
 */
export function useCommands(commands: readonly Command[]): void {
  // Not an effect that runs after the paint: a key pressed at once would be lost.
  useLayoutEffect(() => {
    const owner = Symbol();
    registerCommands(owner, commands);
    return () => registerCommands(owner, []);
  }, [commands]);
}
