import { act, cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { currentCommands } from '#model/commands.ts';
import { followRemovals, offerUndo, useUndo } from '#model/undo.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { aServer } from '#fixtures/page/samples.ts';
import type { Removal } from '#shared/contract/removals.ts';
import Stack from '#ui/toast-stack.tsx';
import { useCommandKeys } from './app-commands.ts';
import { UndoOffers } from './undo-offers.tsx';

const removal = (change: Partial<Removal> = {}): Removal => ({
  id: 'r1',
  kind: 'server',
  name: 'notes',
  at: 0,
  until: 600_000,
  ...change,
});

function Window() {
  useCommandKeys();
  return (
    <>
      <input aria-label="A field" />
      <Stack />
      <UndoOffers />
    </>
  );
}

beforeEach(() => useUndo.setState({ offers: [], fault: null }));
afterEach(cleanup);

/** Shows the window of an engine with these removals. */
async function show(removals: readonly Removal[], restore: () => null = () => null) {
  const engine = fakeEngine({ 'removals/list': () => [...removals], 'removals/restore': restore });
  render(<Window />);
  await act(followRemovals);
  return { engine, user: userEvent.setup() };
}

const titles = () => currentCommands().map(({ title }) => title);

test('what the engine has removed is said, and comes back by a click', async () => {
  const { engine, user } = await show([]);
  act(() => engine.emit('removals/changed', [removal()]));
  await screen.findByText('Removed the server “notes”');
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(engine.asked('removals/restore')).toEqual([{ id: 'r1' }]);
  act(() => engine.emit('removals/changed', []));
  await vi.waitFor(() => expect(screen.queryByText('Removed the server “notes”')).toBeNull());
  act(() => useServers.setState({ servers: [aServer({ id: 'v7' })] }));
  expect(useSelection.getState().serverId).toBe('v7');
  expect(titles()).not.toContain('Undo: Removed the server “notes”');
});

test('what was removed before the page was opened is in the palette, without a toast', async () => {
  await show([removal({ kind: 'trace', name: 'monday' })]);
  expect(titles()).toContain('Undo: Deleted the trace “monday”');
  expect(screen.queryByText('Deleted the trace “monday”')).toBeNull();
});

test('Ctrl+Z undoes the latest, but not while a text is edited', async () => {
  const { user } = await show([]);
  const undone: string[] = [];
  act(() => {
    offerUndo('Removed the first', () => undone.push('first'));
    offerUndo('Removed the second', () => undone.push('second'));
  });
  await user.type(screen.getByRole('textbox', { name: 'A field' }), 'a{Control>}z{/Control}');
  expect(undone).toEqual([]);
  act(() => screen.getByRole('textbox').blur());
  await user.keyboard('{Control>}z{/Control}');
  await vi.waitFor(() => expect(undone).toEqual(['second']));
  await user.keyboard('{Control>}z{/Control}');
  await vi.waitFor(() => expect(undone).toEqual(['second', 'first']));
});

test('what cannot be brought back is said, and can be tried again', async () => {
  const { engine } = await show([removal()], () => {
    throw new FaultError({ code: 'x', what: 'The file has a step of this name.' });
  });
  act(() =>
    currentCommands()
      .find(({ id }) => id === 'app.undo')
      ?.run(),
  );
  await screen.findByText('The file has a step of this name.');
  expect(engine.asked('removals/restore')).toHaveLength(1);
  expect(titles()).toContain('Undo: Removed the server “notes”');
});
