import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { FaultCard } from './fault-card.tsx';

afterEach(cleanup);

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

test('a fault that names a row of the trace leads to it, where the trace is on screen', async () => {
  const fault = { code: 'session-ended', what: 'The session ended.', row: 30 };
  const opened: number[] = [];
  const { rerender } = render(<FaultCard fault={fault} />);
  expect(screen.queryByRole('button')).toBeNull();
  rerender(<FaultCard fault={fault} onRow={(row) => opened.push(row)} />);
  await userEvent.click(screen.getByRole('button', { name: 'Row #31 of the trace' }));
  expect(opened).toEqual([30]);
});
