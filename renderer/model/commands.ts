import { useEffect } from 'react';

/** Where a command stands in the palette, in this order. */
const groups = ['Session', 'Tools', 'Inbox', 'Trace', 'Go to', 'Servers'] as const;
type CommandGroup = (typeof groups)[number];

/** Something the user can do from the palette or by its keys. */
export interface Command {
  /** Stable name, such as `session.reconnect`. */
  readonly id: string;
  readonly title: string;
  readonly group: CommandGroup;
  /** Such as `Mod+K`, `Alt+1`; `Mod` is Command on a Mac and Control elsewhere. */
  readonly shortcut?: string;
  /** Further words it is found by. */
  readonly keywords?: readonly string[];
  readonly run: () => void;
}

const registered = new Map<symbol, readonly Command[]>();

/** Every command that works right now, group by group. */
export const currentCommands = (): readonly Command[] =>
  [...registered.values()].flat().sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group));

/**
 * Offers commands as long as the component is mounted. List only those that work right now; the array may
 * be a new one on every render.
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
