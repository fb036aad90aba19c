import { useEffect } from 'react';

/** Groups of the palette, in order. */
const groups = ['Session', 'Tools', 'Resources', 'Prompts', 'Inbox', 'Trace', 'Go to', 'Servers'] as const;
type CommandGroup = (typeof groups)[number];

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
  readonly run: () => void;
}

const registered = new Map<symbol, readonly Command[]>();

/** All commands available now, by group. */
export const currentCommands = (): readonly Command[] =>
  [...registered.values()].flat().sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));

/**
 * Registers commands while the component is mounted. Pass only those available now; the array may change with every
 * render.
 */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const owner = Symbol();
    registered.set(owner, commands);
    return () => {
      registered.delete(owner);
    };
  }, [commands]);
}
