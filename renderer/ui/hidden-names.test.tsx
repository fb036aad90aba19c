import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { CommandPalette } from './command-palette.tsx';
import { IconButton } from './button.tsx';
import { Checkbox, SelectBox, TextField } from './field.tsx';
import { Menu } from './menu.tsx';

afterEach(cleanup);

const name = 'to\u200bken\u2800';
const seen = 'to[U+200B]ken[U+2800]';

test('the label, note, hint and error of a field show what is hidden in a name', () => {
  const { container } = render(
    <>
      <TextField label={name} hint={name} note={name} error={name} value="" onChange={() => undefined} />
      <Checkbox label={name} checked onChange={() => undefined} />
      <SelectBox value="a" options={[{ value: 'a', label: name }]} onChange={() => undefined} />
    </>,
  );
  expect(container.textContent).toBe(seen.repeat(6));
});

test('a tooltip and a menu show it', async () => {
  const user = userEvent.setup();
  render(
    <Menu
      trigger={
        <IconButton label={name}>
          <i />
        </IconButton>
      }
      entries={[{ label: name, onSelect: () => undefined }]}
    />,
  );
  screen.getByRole('button').focus();
  expect((await screen.findByRole('tooltip')).textContent).toBe(seen);
  await user.keyboard('{Enter}');
  expect((await screen.findByRole('menuitem')).textContent).toBe(seen);
});

test('the palette shows it, which has the names of tools in its commands', async () => {
  Element.prototype.scrollIntoView ??= () => undefined;
  render(
    <CommandPalette
      open
      onOpenChange={() => undefined}
      entries={() => [{ id: 'a', title: `Run ${name}`, group: 'Tools', run: vi.fn<() => void>() }]}
      find={() => []}
      recent={[]}
      opener={<button type="button">Commands…</button>}
    />,
  );
  expect((await screen.findByRole('option')).textContent).toBe(`Run ${seen}`);
});
