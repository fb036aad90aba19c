import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anOpenedTrace, aSession } from '#fixtures/page/samples.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { useTesting } from '#model/tests-pane.ts';
import { showRowOfSession, useTraces } from '#model/traces.ts';
import { anyResult, type CallOutcome, plainCall } from '#shared/contract/saved-calls.ts';
import { SavedCalls } from './saved-calls.tsx';

const path = '/t/server.mcptest.yaml';

const outcome = (part: Partial<CallOutcome>): CallOutcome => ({
  path,
  index: 0,
  name: 'Echoes',
  sessionId: 'session-a',
  state: 'passed',
  attempts: [],
  failures: [],
  warnings: [],
  reason: null,
  ignored: [],
  updated: [],
  notUpdated: null,
  canAccept: false,
  duration: 1000,
  requestRow: 6,
  responseRow: 7,
  at: 0,
  ...part,
});

const opened = anOpenedTrace({ sessionId: 'file-1', path: '/t/before.mcptrace' });

/** The calls of a file with these outcomes. The session `session-b` follows `session-a` and is on screen. */
function show(outcomes: readonly CallOutcome[]) {
  const engine = fakeEngine({
    'saved-calls/read': () => ({
      path,
      exists: true,
      variables: {},
      target: null,
      calls: outcomes.map(({ name }, index) => ({
        ...plainCall,
        name,
        method: 'tools/call',
        tool: 'echo',
        arguments: '{"message": "a-17"}',
        expect: anyResult,
        line: index + 1,
        column: 1,
        end: { line: 9, column: 1 },
      })),
      errors: [],
    }),
    'saved-calls/files': () => [],
    'saved-calls/outcomes': () => [...outcomes],
    'saved-calls/run': () => [],
    'traces/open': () => opened,
  });
  const before = aSession({ id: 'session-a', serverId: 'server-a', openedAt: 1000 });
  const { traceFile } = before;
  const session = aSession({ id: 'session-b', serverId: 'server-a', openedAt: 2000 });
  useSessions.setState({
    sessions: {
      'session-a': { ...before, traceFile: { ...traceFile, path: '/t/before.mcptrace' } },
      'session-b': session,
    },
  });
  render(<SavedCalls serverId="server-a" session={session} switcher={null} />);
  return engine;
}

const rowOf = async (name: string) =>
  within(await screen.findByRole('listitem', { name: `${name}: Passed` }));

beforeEach(() => {
  useTesting.setState({ paths: { 'server-a': path } });
  useSelection.setState({ serverId: 'server-a', openedId: null, traceRow: {} });
  useTraces.setState({ files: null, opened: {} });
});
afterEach(cleanup);

test('the row of an outcome of an earlier session is shown in its trace file, and the outcome is marked', async () => {
  const engine = show([outcome({}), outcome({ index: 1, name: 'Again', sessionId: 'session-b' })]);
  const earlier = await rowOf('Echoes');
  expect(earlier.getByText('earlier session')).toBeDefined();
  const current = await rowOf('Again');
  expect(current.queryByText('earlier session')).toBeNull();
  fireEvent.click(current.getByRole('button', { name: 'Row #7 of the trace' }));
  expect(useSelection.getState()).toMatchObject({ openedId: null, traceRow: { 'session-b': 6 } });
  fireEvent.click(earlier.getByRole('button', { name: 'Row #7 of the trace' }));
  await expect.poll(() => useSelection.getState().traceRow['file-1']).toBe(6);
  expect(useSelection.getState().openedId).toBe('file-1');
  expect(engine.asked('traces/open')).toEqual([{ path: '/t/before.mcptrace' }]);
});

test('a row of a session that the app no longer has is reported', async () => {
  await expect(showRowOfSession('session-gone', 6)).rejects.toThrow(
    /^Row #7 is in the trace of an earlier session/,
  );
});

test('a call is listed with its arguments, and with its tool unless that is its name', async () => {
  show([outcome({ name: 'Echoes' }), outcome({ index: 1, name: 'echo' })]);
  const textOf = (row: Awaited<ReturnType<typeof rowOf>>) =>
    row.getByTitle('message: "a-17"').parentElement?.textContent;
  expect(textOf(await rowOf('Echoes'))).toBe('Echoes echomessage: "a-17"');
  expect(textOf(await rowOf('echo'))).toBe('echomessage: "a-17"');
});

test('the calls are listed slowest first if the user likes, and run by their place in the file', async () => {
  const engine = show([
    outcome({ name: 'Fast', duration: 10 }),
    outcome({ name: 'Silent', duration: null }),
    outcome({ name: 'Slow', duration: 900_000 }),
  ]);
  await rowOf('Slow');
  const names = () =>
    screen.getAllByRole('button', { name: /^Run (?!all)/ }).map((one) => one.getAttribute('aria-label'));
  expect(names()).toEqual(['Run Fast', 'Run Silent', 'Run Slow']);
  fireEvent.click(screen.getByRole('checkbox', { name: 'Slowest first' }));
  expect(names()).toEqual(['Run Slow', 'Run Fast', 'Run Silent']);
  fireEvent.click(screen.getByRole('button', { name: 'Run Slow' }));
  await expect.poll(() => engine.asked('saved-calls/run')).toMatchObject([{ indexes: [2] }]);
});

test('a failure has all that the server said, and an answer that was not used is a warning', async () => {
  const place = { line: 3, column: 5 };
  show([
    outcome({
      state: 'failed',
      failures: [
        {
          ...place,
          message: 'expected ok, got lost: It said: out of paper.',
          quote: 'tray 1\u001b[31m\nout of paper',
        },
        { ...place, message: 'expected ok, got tool-error: no such file', quote: 'no such file' },
      ],
    }),
    outcome({
      index: 1,
      name: 'Asks',
      warnings: [{ ...place, message: 'the answer to roots/list was not used' }],
    }),
  ]);
  const failed = within(await screen.findByRole('listitem', { name: 'Echoes: Failed' }));
  const said = failed.getAllByLabelText('What the server said');
  expect(said.map(({ textContent }) => textContent)).toEqual(['tray 1[ESC][31m\nout of paper']);
  const asks = await rowOf('Asks');
  expect(asks.getByText('the answer to roots/list was not used').parentElement?.textContent).toMatch(/:3:5$/);
});
