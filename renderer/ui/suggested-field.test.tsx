import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { SuggestedField } from './suggested-field.tsx';

afterEach(cleanup);

/** Shows a field with these suggestions, and opens them. */
async function showField(values: readonly string[], total: number | null, hasMore: boolean) {
  render(
    <SuggestedField
      label="city"
      value=""
      onChange={() => undefined}
      suggestions={{ values, total, hasMore, error: null }}
      onFocusChange={() => undefined}
    />,
  );
  await userEvent.setup().click(screen.getByRole('combobox', { name: 'city' }));
  return screen.getAllByRole('option').map(({ textContent }) => textContent);
}

test('suggestions are in the order of the server, repeated ones too', async () => {
  const values = ['zebra', 'apple', 'Mango', '10', '9', 'apple'];
  expect(await showField(values, null, false)).toEqual(values);
});

test.each([
  [50, true, '2 of 50'],
  [null, true, '2, and more'],
  [null, false, '2'],
] as const)('of a total of %s and hasMore %s the field says %s', async (total, hasMore, said) => {
  await showField(['a', 'b'], total, hasMore);
  expect(screen.getByText(said)).toBeTruthy();
});
