import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { aSession } from '#fixtures/page/samples.ts';
import { Offers } from './offers.tsx';

afterEach(cleanup);

test('counts what the server lists, and leads there', async () => {
  const counts = { toolCount: 19, resourceCount: 1, promptCount: null, taskCount: 2, waiting: 1 };
  render(<Offers session={aSession(counts)} />);
  const offers = screen.getByRole('region', { name: 'What it offers' });
  const names = within(offers)
    .getAllByRole('button')
    .map(({ textContent }) => textContent);
  expect(names).toEqual(['19 tools', '1 resource', '2 tasks', '1 question waiting']);
  for (const [name, pane] of [
    ['1 resource', 'resources'],
    ['19 tools', 'tools'],
  ] as const) {
    await userEvent.click(within(offers).getByRole('button', { name }));
    expect(useSelection.getState().pane).toBe(pane);
  }
});

test('says nothing before the lists are read', () => {
  render(
    <Offers
      session={aSession({
        toolCount: null,
        resourceCount: null,
        promptCount: null,
        taskCount: 0,
        waiting: 0,
      })}
    />,
  );
  expect(screen.queryByRole('region')).toBeNull();
});
