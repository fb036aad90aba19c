import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { currentCommands } from '#model/commands.ts';
import { openEditor, useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aServer } from '#fixtures/page/samples.ts';
import type { Server } from '#shared/contract/servers.ts';
import { ServerEditor } from './editor/server-editor.tsx';
import { ServerList } from './server-list.tsx';
import { beginEmpty, commandLine } from '#fixtures/page/server-form.tsx';

beginEmpty();

const known = [aServer(), aServer({ id: 'v2', name: 'billing' })];

/** The list, and the form while it is open. */
function Window() {
  const editor = useSelection((selection) => selection.editor);
  return (
    <>
      <ServerList />
      <input aria-label="Elsewhere" />
      {editor && <ServerEditor key={editor.serverId} editor={editor} />}
    </>
  );
}

/** Opens the form for a listed server, or for a new one; returns the last saved server. */
function showWindow(edited: string | null): () => Server | undefined {
  let saved: Server | undefined;
  fakeEngine({
    'servers/save': ({ id, settings }) => (saved = { ...settings, id: id ?? 'new-id', source: 'user' }),
  });
  useServers.setState({ servers: known });
  useSelection.setState({ serverId: 'v1' });
  openEditor(edited);
  render(<Window />);
  return () => saved;
}

const row = (name: string) => screen.getByRole('button', { name: new RegExp(`^${name}`) });

/** The keys of the form are those of its commands. */
const pressSave = () =>
  act(async () =>
    currentCommands()
      .find(({ shortcut }) => shortcut === 'Mod+S')
      ?.run(),
  );

test('saving by a key leads to the server in the list', async () => {
  const saved = showWindow('v2');
  await userEvent.type(screen.getByRole('textbox', { name: 'Notes' }), 'x');
  await pressSave();
  expect(saved()).toMatchObject({ id: 'v2' });
  expect(screen.queryByRole('form')).toBeNull();
  expect(document.activeElement).toBe(row('billing'));
});

test('a new server gets the focus as soon as it is in the list', async () => {
  const saved = showWindow(null);
  await userEvent.type(commandLine(), 'node fresh.js');
  await pressSave();
  expect(screen.queryByRole('form')).toBeNull();
  act(() => useServers.setState({ servers: [...known, saved()!] }));
  expect(document.activeElement).toBe(row('fresh'));
});

test('closing the form without saving leads back to the server that is chosen', async () => {
  showWindow(null);
  await userEvent.type(commandLine(), 'node{Escape}');
  expect(document.activeElement).toBe(row('notes'));
});

test('who went elsewhere meanwhile stays there', async () => {
  const saved = showWindow(null);
  await userEvent.type(commandLine(), 'node fresh.js');
  await pressSave();
  const elsewhere = screen.getByRole('textbox', { name: 'Elsewhere' });
  await userEvent.click(elsewhere);
  act(() => useServers.setState({ servers: [...known, saved()!] }));
  expect(document.activeElement).toBe(elsewhere);
});
