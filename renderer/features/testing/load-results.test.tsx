import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import type { LoadReport } from '#shared/contract/load.ts';
import { parseFilter } from '#shared/trace/filter/index.ts';
import { LoadResults } from './load-results.tsx';

afterEach(cleanup);

const figures = { p50: 3000, p90: 4000, p95: 4000, p99: 4000, max: 905_000 };
const report: LoadReport = {
  requested: 300,
  done: 300,
  failed: 0,
  calls: 300,
  skipped: 0,
  elapsed: 2000,
  throughput: 150,
  mostAtOnce: 1,
  waits: 0,
  errors: [],
  steps: [
    { step: 'queued', count: 300, ...figures, max: 1000, buckets: [{ below: 1023, count: 300 }] },
    {
      step: 'end',
      count: 300,
      ...figures,
      buckets: [
        { below: 4095, count: 299 },
        { below: 8191, count: 0 },
        { below: 1_048_575, count: 1 },
      ],
    },
  ],
  rows: { first: 9, last: 607 },
  slowest: 313,
  isStopped: false,
  fault: null,
};

test('the maximum leads to its row, and a bar to its calls in the trace, also from a pane that took its room', () => {
  useSelection.setState({ maximized: 'top', traceRow: {}, filterRequest: null });
  render(<LoadResults sessionId="session-a" tool="price_of" report={report} />);
  fireEvent.click(screen.getByRole('button', { name: 'Row #314 of the trace' }));
  expect(useSelection.getState()).toMatchObject({ maximized: null, traceRow: { 'session-a': 313 } });
  const bars = within(screen.getByRole('list', { name: 'Histogram of Response' }));
  expect(bars.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/299> 99 %$/),
    expect.stringMatching(/00 %$/),
    expect.stringMatching(/1< 1 %$/),
  ]);
  useSelection.setState({ maximized: 'top' });
  fireEvent.click(bars.getByRole('button', { name: /^1 call took from 524 ms/ }));
  const { filterRequest, maximized } = useSelection.getState();
  expect(maximized).toBeNull();
  expect(filterRequest).toEqual({
    sessionId: 'session-a',
    filter: 'row:10..608 kind:request dir:out tool:price_of dur:>=524287us dur:<1048575us',
  });
  expect(parseFilter(filterRequest?.filter ?? '')).toMatchObject({ ok: true });
  // The trace has no filter for the other steps.
  fireEvent.change(screen.getByRole('combobox', { name: 'Step of the histogram' }), {
    target: { value: 'queued' },
  });
  expect(within(screen.getByRole('list', { name: 'Histogram of Queued' })).queryByRole('button')).toBeNull();
});

test('one step alone is no choice', () => {
  render(
    <LoadResults
      sessionId="session-a"
      tool="price_of"
      report={{ ...report, steps: report.steps.slice(1) }}
    />,
  );
  expect(screen.getByRole('list', { name: 'Histogram of Response' })).toBeTruthy();
  expect(screen.queryByRole('combobox', { name: 'Step of the histogram' })).toBeNull();
});
