import { render, screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { countClasses, type OpenComparison } from '#shared/contract/comparison.ts';
import { CatalogColumn } from './catalog-column.tsx';

const comparison: OpenComparison = {
  id: 'c1',
  classes: [],
  recordedRows: [],
  counts: countClasses([]),
  catalog: [],
  uncomparedLists: [],
  lostLists: [],
  latency: null,
  steps: [{ step: 'end', recorded: 1000, other: 2000 }],
  unchanged: { tool: 0, resource: 0, template: 0, prompt: 0 },
};

test('the columns of the latency are of their sides, also for a server named as another column', () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const column = (heads: readonly [string, string]) => (
    <CatalogColumn comparison={comparison} heads={heads} onShowCalls={() => undefined} />
  );
  const { rerender } = render(column(['change', 'billing']));
  rerender(column(['change', 'change']));
  rerender(column(['billing', 'change']));
  const heads = within(screen.getByRole('table')).getAllByRole('columnheader');
  expect(heads.map(({ textContent }) => textContent)).toEqual(['step', 'billing', 'change', 'change']);
  // React reports keys that are the same.
  expect(reported).not.toHaveBeenCalled();
});
