import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { selectOpened, selectServer, useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aTraceFile } from '#fixtures/page/samples.ts';
import { useTraces } from '#model/traces.ts';
import type { OpenedTrace } from '#shared/contract/traces.ts';
import type { TraceRow } from '#shared/trace/row.ts';
import { OpenedPane } from './opened-pane.tsx';

beforeEach(() => {
  selectServer('v1');
  useTraces.setState({ files: [aTraceFile()], opened: { 'file-1': anOpenedTrace() } });
});
afterEach(cleanup);

const phaseRow: TraceRow = {
  row: 12_407,
  seq: 12_407,
  position: 0,
  batch: 1,
  at: 192_001_000,
  kind: 'phase',
  direction: null,
  channel: null,
  method: null,
  summary: 'failed',
  level: null,
  logger: null,
  id: null,
  status: 'failed',
  noise: null,
  code: null,
  duration: null,
  size: 0,
  pair: null,
  parent: null,
  exchange: null,
  automatic: false,
  probe: false,
  replayed: false,
  responseMode: null,
  composed: null,
  error: false,
  finding: null,
  mark: null,
};

/** An engine whose trace ends with this phase. */
const endingWith = (phase: string, reason: string | null) =>
  fakeEngine({
    'trace/rows': () => ({ total: 12_408, rows: [phaseRow] }),
    'trace/detail': () => ({
      row: phaseRow,
      text: null,
      truncated: false,
      encoding: 'utf-8',
      badByteAt: null,
      serverEnd: null,
      error: null,
      process: null,
      phase: { phase, reason },
      exchange: null,
      sse: null,
      pair: null,
      parent: null,
      children: [],
      childCount: 0,
    }),
  });

const show = (change: Partial<OpenedTrace> = {}) => render(<OpenedPane trace={anOpenedTrace(change)} />);
const origin = () => screen.getByRole('region', { name: 'Origin' }).textContent;

test('tells what was recorded, for how long and how it ended', async () => {
  const engine = endingWith('failed', 'The process exited with code 1.');
  show();
  await expect.poll(origin).toContain('Endedfailed: The process exited with code 1. #12408');
  expect(origin()).toContain("Commandnode notes.js 'a b'");
  expect(origin()).toContain('Lasted3:12');
  expect(origin()).toContain('sightglass 0.1.0');
  expect(engine.asked('trace/rows')).toEqual([
    { sessionId: 'file-1', filterId: null, from: 12_208, count: 200 },
  ]);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Row #12408 of the trace' }));
  expect(useSelection.getState().traceRow['file-1']).toBe(12_407);
});

test('says on which system it was recorded, if the file does', () => {
  endingWith('closed', null);
  const trace = anOpenedTrace();
  const environment = { platform: 'linux', release: '6.8.0', arch: 'arm64', runtime: 'Node 24.1.0' };
  const { rerender } = render(<OpenedPane trace={{ ...trace, header: { ...trace.header, environment } }} />);
  expect(screen.getByText('linux 6.8.0 arm64, Node 24.1.0')).toBeTruthy();
  rerender(<OpenedPane trace={trace} />);
  expect(screen.queryByText('On')).toBeNull();
});

test('says when a recording broke off, and when it still goes on', async () => {
  endingWith('ready', null);
  const { rerender } = show();
  await expect.poll(origin).toContain('the recording stopped without an end');
  rerender(<OpenedPane trace={anOpenedTrace({ isGrowing: true })} />);
  expect(origin()).toContain('still being recorded');
});

test('of an excerpt says what part it is, and does not miss the end', async () => {
  endingWith('ready', null);
  const { header } = anOpenedTrace();
  show({ header: { ...header, excerpt: { rows: 2, of: 19, filter: 'is:error' } } });
  await expect.poll(origin).toContain('Endednot in this excerpt');
  expect(origin()).toContain('PartExcerpt: 2 of 19 rows, filter is:error');
  expect(origin()).not.toContain('stopped');
});

test('says how far it is while it is read, and what is wrong with the file', () => {
  fakeEngine({});
  show({
    isRead: false,
    read: 1_845_000,
    faults: [{ code: 'trace-torn', what: 'The last line of the file is torn.' }],
  });
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('45');
  expect(screen.getByRole('alert').textContent).toContain('torn');
  expect(origin()).toContain('not read yet');
});

test('its trace can be exported, closed, and deleted when it lies in the data folder', async () => {
  const engine = endingWith('closed', null);
  const { unmount } = show();
  selectOpened('file-1');
  const user = userEvent.setup();
  await user.click(screen.getByRole('button', { name: 'Export…' }));
  expect(useSelection.getState().exporting).toEqual({ sessionId: 'file-1', rows: { of: 'all' } });
  await user.click(screen.getByRole('button', { name: 'Delete…' }));
  const question = await screen.findByRole('dialog', { name: /^Delete/ });
  await user.click(within(question).getByRole('button', { name: 'Keep' }));
  expect(engine.asked('traces/delete')).toEqual([]);
  unmount();
  show({ path: '/tmp/elsewhere.mcptrace' });
  expect(screen.queryByRole('button', { name: 'Delete…' })).toBeNull();
});
