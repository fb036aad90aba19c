import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { FaultCard } from './fault-card.tsx';

test('the quote of the server comes before the likely cause, with control characters made visible', () => {
  render(
    <FaultCard
      fault={{
        code: 'http-status-401',
        what: 'It was refused.',
        quote: 'WWW-Authenticate: Bearer scope="x"\nask \u001bops',
        why: 'It wants authorization.',
      }}
    />,
  );
  const text = screen.getByRole('alert').textContent ?? '';
  const places = ['It was refused.', 'Bearer scope="x"', 'It wants authorization.'].map((part) =>
    text.indexOf(part),
  );
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(text).not.toContain('\u001b');
});
