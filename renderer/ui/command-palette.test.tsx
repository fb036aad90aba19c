import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { PaletteEntry } from './palette-rank.ts';

// cmdk scrolls the chosen line into view and watches the list's size, which needs a layout.
beforeAll(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(cleanup);

/** The open palette, whose list has not loaded. */
async function openPalette(recent: readonly string[] = []) {
  vi.resetModules();
  let load: () => void = () => {};
  const mayLoad = new Promise<void>((resolve) => (load = resolve));
  vi.doMock('./palette-list.tsx', async (original) => {
    await mayLoad;
    return original();
  });
  const { CommandPalette } = await import('./command-palette.tsx');
  const run = vi.fn<(title: string) => void>();
  const entries: PaletteEntry[] = ['Ping', 'Show Tools', 'Show Tasks', 'Remove notes…'].map((title) => ({
    id: title,
    title,
    group: 'Session',
    ...(title.startsWith('Remove') && { isDestructive: true as const, keywords: ['note'] }),
    run: () => run(title),
  }));
  function Opened() {
    const [isOpen, setOpen] = useState(true);
    return (
      <CommandPalette
        open={isOpen}
        onOpenChange={setOpen}
        entries={() => entries}
        find={() => []}
        recent={recent}
        opener={<button type="button">Commands…</button>}
      />
    );
  }
  render(<Opened />);
  return { run, load, user: userEvent.setup(), field: () => screen.getByRole<HTMLInputElement>('combobox') };
}

test('what is typed while the list loads stays, and the next key goes behind it', async () => {
  const { run, load, user, field } = await openPalette();
  expect(document.activeElement).toBe(field());
  await user.keyboard('show ta');
  expect(screen.queryByRole('option')).toBeNull();
  load();
  const options = await screen.findAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual(['Show Tasks']);
  expect(document.activeElement).toBe(field());
  await user.keyboard('s');
  expect(field().value).toBe('show tas');
  await user.keyboard('{Enter}');
  await expect.poll(() => run.mock.calls).toEqual([['Show Tasks']]);
});

test('Enter while the list loads runs the command once it has', async () => {
  const { run, load, user } = await openPalette();
  await user.keyboard('tools{Enter}');
  expect(run).not.toHaveBeenCalled();
  load();
  await expect.poll(() => run.mock.calls).toEqual([['Show Tools']]);
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('Enter alone runs nothing', async () => {
  const { run, load, user } = await openPalette();
  await user.keyboard('{Enter}');
  load();
  await screen.findAllByRole('option');
  expect(run).not.toHaveBeenCalled();
});

test('a command that was chosen runs, though the palette is opened again at once', async () => {
  const { run, load } = await openPalette();
  load();
  const option = await screen.findByRole('option', { name: 'Ping' });
  fireEvent.click(option);
  fireEvent.click(screen.getByRole('button', { name: 'Commands…', hidden: true }));
  expect(run.mock.calls).toEqual([['Ping']]);
  expect(await screen.findByRole('dialog', { name: 'Commands' })).toBeDefined();
});

test('what removes something runs only once it was selected by hand', async () => {
  const { run, load, user } = await openPalette();
  load();
  await screen.findAllByRole('option');
  await user.keyboard('remove');
  await expect
    .poll(() => screen.getAllByRole('option').map(({ textContent }) => textContent))
    .toEqual(['Remove notes…']);
  expect(screen.queryByRole('option', { selected: true })).toBeNull();
  await user.keyboard('{Enter}');
  expect(run).not.toHaveBeenCalled();
  await user.keyboard('{ArrowDown}{Enter}');
  await expect.poll(() => run.mock.calls).toEqual([['Remove notes…']]);
});

test('what was chosen lately comes first, below a heading of its own, and still nothing is selected', async () => {
  const { load } = await openPalette(['Show Tasks', 'gone']);
  load();
  const options = await screen.findAllByRole('option');
  expect(options.map(({ textContent }) => textContent)).toEqual([
    'Show Tasks',
    'Ping',
    'Show Tools',
    'Remove notes…',
  ]);
  expect(screen.getByText('Recent')).toBeDefined();
  expect(screen.queryByRole('option', { selected: true })).toBeNull();
});
