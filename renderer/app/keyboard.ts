import { useEffect } from 'react';
import { currentCommands } from '#model/commands.ts';
import { matchesShortcut } from '#ui/shortcut.ts';

/** Runs commands by their keys, wherever the focus is. */
export function useCommandKeys(): void {
  useEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      if (press.defaultPrevented || press.repeat) return;
      const command = currentCommands().find(
        ({ shortcut }) => shortcut !== undefined && matchesShortcut(press, shortcut),
      );
      if (!command) return;
      press.preventDefault();
      command.run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
