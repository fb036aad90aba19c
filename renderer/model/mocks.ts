import { create } from 'zustand';
import { call, on } from '#bridge';
import type { Fault } from '#shared/contract/fault.ts';
import {
  DEFAULT_LATENCY,
  MAX_KEPT_EXCHANGES,
  type MockExchange,
  type MockSettings,
  type ServedMock,
} from '#shared/contract/mocks.ts';
import { joinCommandLine } from '#shared/command-line.ts';
import { useAppInfo } from './app-info.ts';
import { followList } from './follow.ts';
import { selectPane, selectServer, selectTraceRow } from './selection.ts';
import { openTrace } from './traces.ts';
import { useServers } from './servers.ts';
import { useQuery } from './use-query.ts';

/** The mocks that this app serves, by server id. */
export const useMocks = create<Readonly<Record<string, ServedMock>>>()(() => ({}));

const put = (mocks: readonly ServedMock[]): void =>
  useMocks.setState(Object.fromEntries(mocks.map((mock) => [mock.serverId, mock])));

/** Rejects when the engine cannot be reached. */
export const followMocks = (): Promise<void> =>
  followList<ServedMock>({
    list: () => call('mocks/list', {}),
    listen: (changed) => on('mocks/changed', changed),
    idOf: ({ serverId }) => serverId,
    put,
  }).loaded;

/** The mock that a server leads to; null for any other server. */
export const useMock = (serverId: string | null): ServedMock | null =>
  useMocks((mocks) => (serverId === null ? undefined : mocks[serverId])) ?? null;

/** The trace file to serve, whose form is open; null while it is closed. */
export const useMockForm = create<{ readonly path: string | null }>()(() => ({ path: null }));

export const openMockForm = (path: string | null): void => useMockForm.setState({ path });

/** Serves a trace and shows the mock. Rejects with a fault. */
export async function startMock(path: string, settings: MockSettings): Promise<void> {
  const mock = await call('mocks/start', { path, settings });
  put([mock]);
  selectServer(mock.serverId);
  selectPane('mock');
}

/** Rejects with a fault. */
export async function stopMock(serverId: string): Promise<void> {
  put([await call('mocks/stop', { serverId })]);
}

/** Starts a mock again with an empty report. Rejects with a fault. */
export async function restartMock(serverId: string): Promise<void> {
  put([await call('mocks/restart', { serverId })]);
}

/** The command line that serves the same on standard input and output, for the configuration of a client. */
export function stdioCommandOf({ path, settings }: Pick<ServedMock, 'path' | 'settings'>): string {
  const { match, latency, faults, forwardTo } = settings;
  // A server of this run only has no name that the terminal knows.
  const server = useServers
    .getState()
    .servers.find(({ id, source }) => id === forwardTo && source === 'user');
  const words = [
    'sightglass',
    'mock',
    path,
    ...(match === 'context' ? [] : ['--match', match]),
    ...(latency === DEFAULT_LATENCY ? [] : ['--latency', latency]),
    ...(faults === null ? [] : ['--faults', faults.path, '--seed', String(faults.seed)]),
    ...(server === undefined ? [] : ['--on-miss', 'forward', '--server', server.name]),
  ];
  return joinCommandLine(words, { isWindows: useAppInfo.getState().info?.platform === 'win32' });
}

/** Opens the recording of a mock at a row. Rejects with a fault. */
export async function showRecordedRow({ path }: ServedMock, row: number): Promise<void> {
  selectTraceRow(await openTrace(path), row);
}

interface Report {
  readonly run: number;
  readonly exchanges: readonly MockExchange[];
}

const noReport: Report = { run: 0, exchanges: [] };

const useReports = create<Readonly<Record<string, Report>>>()(() => ({}));

/** What a mock was asked in its last run, in order; reads on when there is more. */
export function useExchanges({ serverId, run, total }: ServedMock): {
  readonly exchanges: readonly MockExchange[];
  readonly fault: Fault | null;
} {
  const { fault } = useQuery(JSON.stringify([serverId, run, total]), () => readOn(serverId));
  const report = useReports((reports) => reports[serverId]);
  return { exchanges: report?.run === run ? report.exchanges : noReport.exchanges, fault };
}

async function readOn(serverId: string): Promise<void> {
  const known = useReports.getState()[serverId] ?? noReport;
  const answer = await call('mocks/exchanges', { serverId, run: known.run, after: lastNumber(known) });
  useReports.setState((reports) => {
    const now = reports[serverId] ?? noReport;
    // A later run was read in the meantime.
    if (now.run > answer.run) return reports;
    const before = now.run === answer.run ? now.exchanges : [];
    const last = before.at(-1)?.number ?? 0;
    const exchanges = [...before, ...answer.exchanges.filter(({ number }) => number > last)];
    return { [serverId]: { run: answer.run, exchanges: exchanges.slice(-MAX_KEPT_EXCHANGES) } };
  });
}

const lastNumber = ({ exchanges }: Report): number => exchanges.at(-1)?.number ?? 0;
