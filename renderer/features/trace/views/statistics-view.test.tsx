import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import type { CallStatistics, ErrorGroup } from '#shared/contract/trace.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { Result } from '#shared/contract/index.ts';
import { StatisticsView } from './statistics-view.tsx';

afterEach(cleanup);

const aGroup = (facts: Partial<CallStatistics>): CallStatistics => ({
  method: 'tools/call',
  tool: null,
  direction: 'out',
  count: 1,
  errors: 0,
  pending: 0,
  responses: 0,
  p50: null,
  p95: null,
  p99: null,
  longest: null,
  bytes: 100,
  responseBytes: 0,
  ...facts,
});

const anError = (facts: Partial<ErrorGroup>): ErrorGroup => ({
  kind: 'request',
  method: 'tools/call',
  tool: 'get_row',
  status: 'error',
  code: -32602,
  text: null,
  count: 1,
  rows: [0],
  last: 0,
  ...facts,
});

const someStatistics: Result<'trace/statistics'> = {
  rows: 1204,
  listed: 1204,
  requests: 3,
  responses: 3,
  notifications: 1198,
  span: 5_012_000,
  bytesIn: 4_100_000,
  bytesOut: 1200,
  durations: [
    { from: 1000, to: 2000, count: 2 },
    { from: 2000, to: 5000, count: 1 },
  ],
  sizes: [
    { at: 0, bytesIn: 100_000, bytesOut: 1200 },
    { at: 2_506_000, bytesIn: 4_000_000, bytesOut: 0 },
  ],
  calls: [
    aGroup({ tool: 'say "hi"', count: 3, errors: 1, responses: 3, p50: 1100, longest: 2000 }),
    aGroup({ method: 'notifications/progress', direction: 'in', count: 1198 }),
  ],
  tools: [{ name: 'echo', bytes: 4200, tokens: 1050, row: 6 }],
  errorGroups: [],
  ungroupedErrors: 0,
};

const ignored = () => undefined;
const everything = {
  sessionId: 's1',
  rows: { of: 'all' },
  callsId: null,
  onShowAll: ignored,
} as const;
const bodyRows = (name: string) => within(screen.getByRole('table', { name })).getAllByRole('row').slice(1);

test('tells calls with their times, and what tool definitions cost', async () => {
  fakeEngine({ 'trace/statistics': () => someStatistics });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  expect(
    await screen.findByText(
      '1,204 rows: 3 requests, 3 responses, 1,198 notifications · over 5.012 s · 1.2 kB sent · 4.1 MB received',
    ),
  ).toBeTruthy();
  const [calls, progress] = bodyRows('Calls');
  expect(calls?.textContent).toContain('tools/call say "hi"');
  expect(calls?.textContent).toContain('1.1 ms');
  expect(progress?.textContent).toContain('1,198');
  expect(bodyRows('Sizes of tool definitions')[0]?.textContent).toContain('≈ 1,050');
});

test('says why a percentile of few calls is not shown, and sends and receives from our side', async () => {
  fakeEngine({
    'trace/statistics': () => ({
      ...someStatistics,
      calls: [
        aGroup({
          responses: 99,
          count: 99,
          p50: 1000,
          p95: 2000,
          longest: 9000,
          bytes: 500,
          responseBytes: 7000,
        }),
        aGroup({
          method: 'roots/list',
          direction: 'in',
          responses: 1,
          longest: 4000,
          bytes: 300,
          responseBytes: 60,
        }),
      ],
    }),
  });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  await screen.findByRole('table', { name: 'Calls' });
  const [many, one] = bodyRows('Calls').map((row) =>
    within(row)
      .getAllByRole('cell')
      .slice(4)
      .map(({ textContent, firstElementChild }) => firstElementChild?.getAttribute('title') ?? textContent),
  );
  expect(many).toEqual([
    '1.0 ms',
    '2.0 ms',
    '99 responses: p99 is shown from 100 on',
    '9.0 ms',
    '500 B',
    '7.0 kB',
  ]);
  expect(one).toEqual([
    '1 response: p50 is shown from 2 on',
    '1 response: p95 is shown from 20 on',
    '1 response: p99 is shown from 100 on',
    '4.0 ms',
    '60 B',
    '300 B',
  ]);
});

test('draws how long requests took, which leads to their rows, and the sizes over time', async () => {
  fakeEngine({ 'trace/statistics': () => someStatistics });
  const onNarrow = vi.fn<(filter: string) => void>();
  render(<StatisticsView {...everything} onNarrow={onNarrow} onShow={ignored} onOpenRow={ignored} />);
  const durations = await screen.findByRole('list', { name: 'Durations' });
  expect(within(durations).getAllByRole('listitem')).toHaveLength(2);
  await userEvent.click(within(durations).getByRole('button', { name: '2 requests took from 1 ms to 2 ms' }));
  expect(onNarrow).toHaveBeenCalledWith('kind:request dur:>=1ms dur:<2ms');
  const sizes = screen.getByRole('img', {
    name: /^Bytes sent and received over 5.012 s, at most 4.0 MB in /,
  });
  expect(within(sizes).getByTitle('after 0 µs: 1.2 kB sent, 100.0 kB received')).toBeTruthy();
});

test('draws nothing of one response', async () => {
  fakeEngine({
    'trace/statistics': () => ({
      ...someStatistics,
      span: 0,
      durations: [{ from: 1000, to: 2000, count: 1 }],
      sizes: [{ at: 0, bytesIn: 0, bytesOut: 100 }],
    }),
  });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  await screen.findByRole('table', { name: 'Calls' });
  expect(screen.queryByRole('list', { name: 'Durations' })).toBeNull();
  expect(screen.queryByRole('img', { name: /^Bytes sent/ })).toBeNull();
});

test('leads to the rows: by a filter that means just these, and to the list of tools', async () => {
  fakeEngine({ 'trace/statistics': () => someStatistics });
  const onNarrow = vi.fn<(filter: string) => void>();
  const onOpenRow = vi.fn<(row: number) => void>();
  render(<StatisticsView {...everything} onNarrow={onNarrow} onShow={ignored} onOpenRow={onOpenRow} />);
  await userEvent.click(await screen.findByRole('button', { name: /say "hi"/ }));
  expect(onNarrow).toHaveBeenCalledWith(
    String.raw`method:tools/call tool:"say \"hi\"" dir:out kind:request,notification`,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Row #7 of the trace' }));
  expect(onOpenRow).toHaveBeenCalledWith(6);
});

test('equal errors are one line, with the way to all of them, the first and the last', async () => {
  fakeEngine({
    'trace/statistics': () => ({
      ...someStatistics,
      errorGroups: [
        anError({ text: 'No row …', count: 3, rows: [4, 6, 11], last: 11 }),
        anError({ kind: 'noise', method: null, tool: null, status: 'invalid', code: null, text: 'ready' }),
      ],
      ungroupedErrors: 1200,
    }),
  });
  const onShow = vi.fn<(filter: string) => void>();
  const onOpenRow = vi.fn<(row: number) => void>();
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={onShow} onOpenRow={onOpenRow} />);
  const errors = await screen.findByRole('region', { name: 'Errors' });
  const [repeated, once] = bodyRows('Errors by what they say');
  expect(repeated?.textContent).toBe('tools/call get_row No row …-326023#5#12');
  expect(once?.textContent).toBe('noise readyinvalid1#1');
  expect(errors.textContent).toContain('1,200 more errors are not in these groups');
  expect(errors.textContent).toContain('1,204 rows with is:error');
  await userEvent.click(within(errors).getByRole('button', { name: /No row …/ }));
  expect(onShow).toHaveBeenCalledWith('row:5,7,12');
  await userEvent.click(within(errors).getByRole('button', { name: 'Row #12 of the trace' }));
  expect(onOpenRow).toHaveBeenCalledWith(11);
});

test('says why the list of calls is shorter, and leads to each row that is counted', async () => {
  const counted = { ...someStatistics, rows: 1300 };
  fakeEngine({
    'trace/statistics': ({ filterId }) => ({ ...counted, listed: filterId === 'calls-1' ? 28 : 1300 }),
  });
  const onShowAll = vi.fn<() => void>();
  const folded = { ...everything, callsId: 'calls-1', onShowAll };
  const { rerender } = render(
    <StatisticsView {...folded} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />,
  );
  const words = await screen.findByText(/The list of calls has 28 rows; the others are folded into them/);
  expect(words.parentElement?.textContent).toContain(
    '1,300 rows: 3 requests, 3 responses, 1,198 notifications, 96 others',
  );
  await userEvent.click(screen.getByRole('button', { name: 'List all 1,300' }));
  expect(onShowAll).toHaveBeenCalledOnce();
  rerender(
    <StatisticsView {...folded} callsId={null} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />,
  );
  await waitFor(() => expect(screen.queryByText(/The list of calls/)).toBeNull());
});

test('says of how many rows of a large group it can show', async () => {
  const rows = Array.from({ length: 100 }, (_, place) => place);
  fakeEngine({
    'trace/statistics': () => ({
      ...someStatistics,
      errorGroups: [anError({ count: 5000, rows, last: 9000 })],
    }),
  });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  expect(await screen.findByTitle('Show only the first 100 of these rows')).toBeTruthy();
});

test('is sorted by the column whose head is clicked, and back again', async () => {
  fakeEngine({ 'trace/statistics': () => someStatistics });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  const head = await screen.findByRole('button', { name: 'count' });
  await userEvent.click(head);
  expect(bodyRows('Calls')[0]?.textContent).toContain('notifications/progress');
  await userEvent.click(head);
  expect(bodyRows('Calls')[0]?.textContent).toContain('tools/call');
});

test('counts again when asked to, and says when it could not', async () => {
  let isBroken = false;
  fakeEngine({
    'trace/statistics': () => {
      if (isBroken) throw new FaultError({ code: 'trace-not-read', what: 'The trace file cannot be read.' });
      return someStatistics;
    },
  });
  render(<StatisticsView {...everything} onNarrow={ignored} onShow={ignored} onOpenRow={ignored} />);
  await screen.findByRole('table', { name: 'Calls' });
  isBroken = true;
  await userEvent.click(screen.getByRole('button', { name: 'Count again' }));
  expect(await screen.findByText('The trace file cannot be read.')).toBeTruthy();
});
