import { cleanup, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useEffect } from 'react';
import { type Command, currentCommands, useCommands } from '#model/commands.ts';
import { rememberAppInfo } from '#model/app-info.ts';
import { openShortcuts, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { followSettings, useSettings } from '#model/settings.ts';
import { defaultSettings, type Settings } from '#shared/contract/settings.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer } from '#fixtures/page/samples.ts';
import { useCommandKeys } from '../app-commands.ts';
import { SettingsPage } from './settings-page.tsx';
import { ShortcutSheet } from './shortcut-sheet.tsx';

let kept: Settings;
const connect = vi.fn<() => void>();
const find = vi.fn<() => void>();
const commands: readonly Command[] = [
  { id: 'session.connect', title: 'Connect', group: 'Session', shortcut: 'Alt+R', run: connect },
  { id: 'trace.filter', title: 'Filter the trace', group: 'Trace', shortcut: 'Mod+F', run: find },
  {
    id: 'app.shortcuts',
    title: 'Keyboard shortcuts…',
    group: 'Sightglass',
    shortcut: '?',
    run: () => openShortcuts(true),
  },
];

beforeEach(async () => {
  kept = defaultSettings;
  vi.clearAllMocks();
  useSelection.setState({ hasShortcuts: false });
  fakeEngine({
    'settings/read': () => kept,
    'settings/write': (changes) => (kept = { ...kept, ...(changes as Partial<Settings>) }),
    'app/diagnostics': ({ notes }) => ({ text: `Sightglass 1.2.3\n${notes}` }),
  });
  await followSettings();
});
afterEach(cleanup);

function App() {
  useCommands(commands);
  useCommandKeys();
  const hasShortcuts = useSelection((selection) => selection.hasShortcuts);
  return (
    <>
      <input aria-label="a field" />
      {hasShortcuts && <ShortcutSheet />}
    </>
  );
}

async function openSheet() {
  const user = userEvent.setup();
  render(<App />);
  await user.keyboard('?');
  return { user, sheet: within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })) };
}
const keysOf = (id: string) => currentCommands().find((one) => one.id === id)?.shortcut;

test('? opens the list of shortcuts, but not while a text is typed', async () => {
  const user = userEvent.setup();
  render(<App />);
  await user.type(screen.getByLabelText('a field'), 'why?');
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(document.body);
  await user.keyboard('?');
  expect(await screen.findByRole('dialog')).toBeTruthy();
});

test('a command gets other keys, which work at once, and its own again', async () => {
  const { user, sheet } = await openSheet();
  await user.click(sheet.getByRole('button', { name: 'Change the shortcut of Connect' }));
  await user.keyboard('{Alt>}{Shift>}q{/Shift}{/Alt}');
  expect(keysOf('session.connect')).toBe('Alt+Shift+Q');
  expect(kept.shortcuts).toEqual([{ command: 'session.connect', keys: 'Alt+Shift+Q' }]);
  await user.keyboard('{Alt>}r{/Alt}');
  expect(connect).not.toHaveBeenCalled();
  await user.keyboard('{Alt>}{Shift>}q{/Shift}{/Alt}');
  expect(connect).toHaveBeenCalledTimes(1);
  await user.click(sheet.getByRole('button', { name: 'Reset the shortcut of Connect' }));
  expect(keysOf('session.connect')).toBe('Alt+R');
});

test('keys of another command are taken from it only on request', async () => {
  const { user, sheet } = await openSheet();
  const change = () => user.click(sheet.getByRole('button', { name: 'Change the shortcut of Connect' }));
  await change();
  await user.keyboard('{Control>}f{/Control}');
  expect(sheet.getByRole('alert').textContent).toContain('already belongs to “Filter the trace”');
  expect(keysOf('session.connect')).toBe('Alt+R');
  await user.click(sheet.getByRole('button', { name: 'Use it for “Connect”' }));
  await expect.poll(() => keysOf('session.connect')).toBe('Mod+F');
  expect(keysOf('trace.filter')).toBeUndefined();
  await user.click(sheet.getByRole('button', { name: 'Reset all' }));
  await expect.poll(() => keysOf('trace.filter')).toBe('Mod+F');
});

test('Escape stops waiting for keys, then closes; a shortcut can be removed', async () => {
  const { user, sheet } = await openSheet();
  await user.click(sheet.getByRole('button', { name: 'Change the shortcut of Connect' }));
  await user.keyboard('{Escape}');
  expect(keysOf('session.connect')).toBe('Alt+R');
  await user.click(sheet.getByRole('button', { name: 'Remove the shortcut of Connect' }));
  expect(keysOf('session.connect')).toBeUndefined();
  await user.keyboard('{Escape}');
  expect(useSelection.getState().hasShortcuts).toBe(false);
});

test('commands are found by name and by key', async () => {
  const { user, sheet } = await openSheet();
  await user.type(sheet.getByRole('searchbox'), 'alt r');
  expect(sheet.getAllByRole('button', { name: /^Change the shortcut/ })).toHaveLength(1);
  await user.clear(sheet.getByRole('searchbox'));
  await user.type(sheet.getByRole('searchbox'), 'nothing like it');
  expect(sheet.getByText('No command or key is called that.')).toBeTruthy();
});

function Settings() {
  useEffect(() => {
    useServers.setState({ servers: [aServer({ id: 'v1', name: 'files' })] });
    rememberAppInfo({
      version: '1.2.3',
      host: 'web',
      platform: 'linux',
      dataFolder: '/home/me/sightglass',
      initialServerId: null,
      initialTraceId: null,
      keepsSecrets: false,
    });
  }, []);
  return <SettingsPage />;
}

test('the theme is applied at once and kept', async () => {
  render(<Settings />);
  await userEvent.click(screen.getByRole('radio', { name: 'Dark' }));
  expect(document.documentElement.dataset.theme).toBe('dark');
  expect(kept.theme).toBe('dark');
  await userEvent.click(screen.getByRole('radio', { name: 'System' }));
  expect(document.documentElement.dataset.theme).toBeUndefined();
});

test('settings are found by what they are about', async () => {
  render(<Settings />);
  const titles = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
  expect(titles()).toHaveLength(9);
  await userEvent.type(screen.getByRole('searchbox', { name: 'Find a setting' }), 'secret');
  expect(titles()).toEqual(['What exports leave out']);
});

test('a tool that runs without a question asks again, a saved filter is removed', async () => {
  kept = {
    ...defaultSettings,
    allowedTools: [{ serverId: 'v1', tool: 'erase' }],
    savedFilters: [{ name: 'slow', text: 'dur:>1s' }],
  };
  useSettings.setState(kept);
  render(<Settings />);
  const tools = within(screen.getByRole('region', { name: 'Tools that run without a question' }));
  expect(tools.getByRole('listitem').textContent).toContain('erase of files');
  await userEvent.click(tools.getByRole('button', { name: 'Ask again' }));
  expect(kept.allowedTools).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(kept.savedFilters).toEqual([]);
});
