import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { MenuCommand } from '#shared/contract/menu.ts';
import type { MenuBridge } from '#shared/contract/preload-bridge.ts';
import { type Command, useCommands } from './commands.ts';
import { followMenus } from './menus.ts';

afterEach(cleanup);

/** Stands in for the native menus of the window. */
function fakeMenus() {
  const shown: (readonly MenuCommand[])[] = [];
  const listeners = new Set<(id: string) => void>();
  const menus: MenuBridge = {
    show: async (commands) => shown.push(commands),
    onChosen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  Object.defineProperty(window, 'sightglass', { value: { menus }, configurable: true });
  return { shown, choose: (id: string) => listeners.forEach((listener) => listener(id)) };
}

function Registers({ commands }: { readonly commands: readonly Command[] }) {
  useCommands(commands);
  return null;
}

const ping = vi.fn<() => void>();
const commands: readonly Command[] = [
  { id: 'session.ping', title: 'Ping', group: 'Session', shortcut: 'Mod+P', run: ping },
  { id: 'server.add', title: 'Add', group: 'Servers', run: ping },
  {
    id: 'tool.run',
    title: 'Run',
    group: 'Tools',
    shortcut: 'Mod+Enter',
    within: () => document.body,
    run: ping,
  },
];

test('the menus have every current command once, follow their changes, and run what is chosen', async () => {
  const { shown, choose } = fakeMenus();
  const stop = followMenus();
  const { rerender, unmount } = render(<Registers commands={commands} />);
  await expect
    .poll(() => shown.at(-1))
    .toEqual([
      { id: 'session.ping', title: 'Ping', menu: 'Session', part: 'Session', shortcut: 'Mod+P' },
      { id: 'tool.run', title: 'Run', menu: 'Pane', part: 'Tools', shortcut: 'Mod+Enter', needsFocus: true },
      { id: 'server.add', title: 'Add', menu: 'File', part: 'Servers' },
    ]);
  const times = shown.length;
  // The same commands in a new array, as a component that renders again registers them.
  rerender(<Registers commands={[...commands]} />);
  rerender(<Registers commands={commands.slice(0, 1)} />);
  await expect.poll(() => shown.at(-1)).toHaveLength(1);
  expect(shown).toHaveLength(times + 1);
  choose('session.ping');
  choose('gone');
  expect(ping).toHaveBeenCalledTimes(1);
  unmount();
  await expect.poll(() => shown.at(-1)).toEqual([]);
  stop();
  choose('session.ping');
  expect(ping).toHaveBeenCalledTimes(1);
});
