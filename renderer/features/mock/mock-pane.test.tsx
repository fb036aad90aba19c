import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anHttpServer } from '#fixtures/page/samples.ts';
import { followMocks, useMocks } from '#model/mocks.ts';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import type { MockExchange, ServedMock } from '#shared/contract/mocks.ts';
import { MockPane } from './mock-pane.tsx';

const aMock = (change: Partial<ServedMock> = {}): ServedMock => ({
  serverId: 'v1',
  path: '/traces/weather.mcptrace',
  url: 'http://127.0.0.1:4000/mcp',
  settings: {
    port: 4000,
    match: 'sequence',
    latency: 'x2',
    faults: { path: '/faults.yaml', seed: 7 },
    forwardTo: null,
  },
  isRunning: true,
  run: 1,
  total: 0,
  clients: 0,
  inexact: 0,
  misses: 0,
  faults: 0,
  unused: 2,
  ...change,
});

const anExchange = (number: number, change: Partial<MockExchange> = {}): MockExchange => ({
  number,
  at: Date.UTC(2026, 0, 1, 12),
  client: 1,
  clientName: 'cli',
  method: 'tools/call',
  target: 'weather',
  match: 'exact',
  recordedRow: 6,
  faults: [],
  ...change,
});

beforeAll(() => {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 240, configurable: true });
});
beforeEach(() => {
  useMocks.setState({ v1: aMock() });
  useServers.setState({ servers: [anHttpServer({ id: 'v1', source: 'mock' })] });
  useSelection.setState({ serverId: 'v1', openedId: null });
});
afterEach(cleanup);

const options = () =>
  within(screen.getByRole('listbox', { name: 'Requests to the mock' }))
    .getAllByRole('option')
    .map(({ textContent }) => textContent?.replace(/^[\d:]{8}\.\d{3}/, ''));

test('requests are listed as they come, and a miss says why beside what was asked and what the recording has', async () => {
  const asked: MockExchange[] = [anExchange(1), anExchange(2, { faults: [{ do: 'delay', line: 3 }] })];
  const engine = fakeEngine({
    'mocks/list': () => [aMock()],
    'mocks/exchanges': ({ run, after }) => ({
      run: 1,
      exchanges: run === 1 ? asked.filter(({ number }) => number > after) : asked,
    }),
    'mocks/exchange': ({ number }) => ({
      ...(asked[number - 1] ?? anExchange(number)),
      why: 'Never recorded: tools/call weather with these params.',
      differences: [
        { path: '$.params.arguments.city', kind: 'changed', recorded: '"Paris"', other: '"<b>Rome</b>"' },
      ],
      params: { text: '{"arguments":{"city":"<b>Rome</b>"}}', isCut: false },
      response: { text: '{"error":{"code":-32603}}', isCut: false },
      recorded: { params: { text: '{"arguments":{"city":"Paris"}}', isCut: false }, response: null },
    }),
  });
  await followMocks();
  const user = userEvent.setup();
  render(<MockPane />);
  expect(screen.getByText('Nothing was asked yet')).toBeDefined();
  expect(screen.getByRole('region', { name: 'Address of the mock' }).textContent).toContain('seed 7');

  engine.emit('mocks/changed', aMock({ total: 2, clients: 1, faults: 1 }));
  await waitFor(() =>
    expect(options()).toEqual([
      '1 · clitools/call weatherfrom #7',
      '1 · clitools/call weatherfrom #7delay, line 3',
    ]),
  );
  asked.push(anExchange(3, { match: 'miss', client: 2, clientName: null }));
  engine.emit('mocks/changed', aMock({ total: 3, clients: 2, faults: 1, misses: 1 }));
  await waitFor(() => expect(options().at(-1)).toBe('2tools/call weatherno match, nearest #7'));
  expect(engine.asked('mocks/exchanges').at(-1)).toEqual({ serverId: 'v1', run: 1, after: 2 });
  expect(screen.getByRole('status').textContent).toBe(
    '3 requests · from 2 clients · 1 miss · 1 fault injected · 2 recorded calls not requested',
  );

  await user.click(screen.getByRole('radio', { name: 'Not as recorded 2' }));
  expect(options()).toHaveLength(2);
  screen.getByRole('listbox', { name: 'Requests to the mock' }).focus();
  await user.keyboard('{End}{Enter}');
  const detail = screen.getByRole('region', { name: 'Exchange' });
  expect(document.activeElement).toBe(detail);
  const question = await within(detail).findByRole('region', { name: 'Asked' });
  expect(question.textContent).toContain('"<b>Rome</b>"');
  expect(detail.querySelector('b')).toBeNull();
  expect(within(detail).getByRole('region', { name: 'Answered' }).textContent).toContain('-32603');
  expect(within(detail).getByRole('region', { name: 'Recorded request' }).textContent).toContain('Paris');
  expect(within(detail).getByRole('region', { name: 'Recorded response' }).textContent).toContain(
    'No response was recorded',
  );
  expect(within(detail).getByRole('listitem').textContent).toContain('$.params.arguments.city');
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(screen.getByRole('listbox', { name: 'Requests to the mock' }));
});

test('a mock is stopped, and started again with an empty list', async () => {
  const engine = fakeEngine({
    'mocks/exchanges': ({ run, after }) => ({
      run: Math.max(run, 1),
      exchanges: run <= 1 && after < 1 ? [anExchange(1)] : [],
    }),
    'mocks/stop': () => aMock({ serverId: 'v2', isRunning: false, total: 1, clients: 1 }),
    'mocks/restart': () => aMock({ serverId: 'v2', run: 2 }),
  });
  useServers.setState({ servers: [anHttpServer({ id: 'v2', source: 'mock' })] });
  useSelection.setState({ serverId: 'v2' });
  useMocks.setState({ v2: aMock({ serverId: 'v2', total: 1, clients: 1 }) });
  const user = userEvent.setup();
  render(<MockPane />);
  await waitFor(() => expect(options()).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  await screen.findByText('stopped');
  expect(options()).toHaveLength(1);
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Stop' }));
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(engine.asked('mocks/stop')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Start again' }));
  await screen.findByText('Nothing was asked yet');
});
