import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, aSession } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import type { HttpSession, SessionView, Stream } from '#shared/contract/sessions.ts';
import { Toaster } from '#ui/toaster.tsx';
import { Connection, Streams } from './connection.tsx';

beforeEach(() => useSelection.setState({ traceRow: {} }));
afterEach(cleanup);

const aStream = (change: Partial<Stream> = {}): Stream => ({
  row: 6,
  exchange: 3,
  kind: 'answer',
  state: 'open',
  events: 2,
  lastEventId: null,
  retry: null,
  resumed: 0,
  ...change,
});
const http = (change: Partial<HttpSession> = {}): HttpSession => ({
  url: 'http://127.0.0.1:3000/mcp',
  endpoint: null,
  sessionId: null,
  renewed: 0,
  authorization: null,
  streams: [],
  ...change,
});
const httpSession = (change: Partial<SessionView> = {}): SessionView =>
  aSession({ transport: 'streamable-http', process: null, http: http(), ...change });

const connection = () => screen.getByRole('region', { name: 'Connection' });
const textOf = (place: HTMLElement) => place.textContent;

test.each(['none', 'required', 'authorized', 'expired'] as const)(
  'says in one word whether requests are authorized: %s',
  (authorization) => {
    render(<Connection session={httpSession({ http: http({ authorization }) })} />);
    expect(textOf(connection())).toContain(`Authorization${authorization}`);
  },
);

test('says nothing about authorization where the session leaves it to the user', () => {
  render(<Connection session={httpSession()} />);
  expect(textOf(connection())).not.toContain('Authorization');
});

test('names transport, era and revision, and the steps that led there, each with its row', async () => {
  render(
    <Connection
      session={httpSession({
        agreement: anAgreement({ era: 'modern', revision: '2026-07-28' }),
        evidence: [
          { text: 'Sent server/discover\u202e', row: 2 },
          { text: 'It answered as the modern era does', row: null },
        ],
      })}
    />,
  );
  expect(textOf(connection())).toContain('Streamable HTTP · modern 2026-07-28');
  const steps = within(screen.getByRole('list', { name: 'Evidence' })).getAllByRole('listitem');
  expect(steps.map(textOf)).toEqual([
    '1Sent server/discover[U+202E] #3',
    '2It answered as the modern era does',
  ]);
  await userEvent.click(screen.getByRole('button', { name: 'Row #3 of the trace' }));
  expect(useSelection.getState().traceRow).toEqual({ s1: 2 });
});

test('for a session that failed while connecting, shows what is known of it', () => {
  const tried = render(
    <Connection session={httpSession({ transport: 'http-sse', phase: 'failed', agreement: null })} />,
  );
  expect(textOf(connection())).toContain('HTTP · era unknown');
  expect(textOf(connection())).not.toContain('SSE');
  tried.unmount();
  render(<Connection session={httpSession({ transport: 'http', phase: 'failed', agreement: null })} />);
  expect(textOf(connection())).toContain('HTTP · era unknown');
  expect(textOf(connection())).toContain('http://127.0.0.1:3000/mcp');
  expect(textOf(connection())).not.toContain('Session id');
});

test('the session id is shown only by a click, and says how often it was renewed', async () => {
  const session = httpSession({ http: http({ sessionId: 'c0ffee-1', renewed: 2 }) });
  render(<Connection session={session} />);
  expect(textOf(connection())).not.toContain('c0ffee');
  expect(textOf(connection())).toContain('2 times');
  await userEvent.click(screen.getByRole('button', { name: 'Show the session id' }));
  expect(textOf(connection())).toContain('c0ffee-1');
  await userEvent.click(screen.getByRole('button', { name: 'Hide the session id' }));
  expect(textOf(connection())).not.toContain('c0ffee');
  expect(screen.getByRole('button', { name: 'Copy the session id' })).toBeTruthy();
});

test('a legacy server without a session id is said to have given none; a modern one has none to give', () => {
  const { rerender } = render(<Connection session={httpSession()} />);
  expect(textOf(connection())).toContain('not assigned by the server');
  rerender(<Connection session={httpSession({ agreement: anAgreement({ era: 'modern' }) })} />);
  expect(textOf(connection())).not.toContain('Session id');
});

test('HTTP+SSE shows its endpoint, and that it is deprecated', () => {
  const session = httpSession({
    transport: 'http-sse',
    http: http({ endpoint: 'http://127.0.0.1:3000/messages?id=1' }),
  });
  render(<Connection session={session} />);
  expect(textOf(connection())).toContain('HTTP+SSE · legacy');
  expect(textOf(connection())).toContain('http://127.0.0.1:3000/messages?id=1');
  expect(textOf(connection())).toContain('deprecated since 2025-03-26');
});

test('a process has its pid', () => {
  render(<Connection session={aSession()} />);
  expect(textOf(connection())).toContain('stdio · legacy 2025-11-25');
  expect(textOf(connection())).toContain('4121');
});

test('lists the steps that ended the process, with their times', () => {
  const shutdown = [
    { step: 'close-stdin' as const, after: 0 },
    { step: 'sigterm' as const, after: 2001 },
    { step: 'exit' as const, after: 2010 },
  ];
  const process = { pid: 4121, exitCode: null, signal: 'SIGTERM', shutdown };
  render(<Connection session={aSession({ phase: 'closed', process })} />);
  const steps = within(screen.getByRole('list', { name: 'Steps of the shutdown' })).getAllByRole('listitem');
  expect(steps.map(textOf)).toEqual([
    'standard input closed ',
    'SIGTERM sent after 0:02',
    'process exited after 0:02',
  ]);
});

const streamCells = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell').map(textOf));

test('lists the streams: those that live first, then the newest', () => {
  const streams = [
    aStream({ row: 4, state: 'closed', events: 1200 }),
    aStream({ row: 9, state: 'closed' }),
    aStream({ row: 2, kind: 'standing', lastEventId: 'e\n7', retry: 1500, resumed: 3 }),
    aStream({ row: 12, kind: 'standing', state: 'refused', events: 0 }),
  ];
  render(<Streams session={httpSession()} http={http({ streams })} />);
  expect(streamCells()).toEqual([
    ['#3', 'standing', 'open', '2', 'e⏎7', '1.500 s', '3', 'Drop'],
    ['#13', 'standing', 'not offered', '0', '–', '–', '0', ''],
    ['#10', 'answer', 'closed', '2', '–', '–', '0', ''],
    ['#5', 'answer', 'closed', '1,200', '–', '–', '0', ''],
  ]);
});

test('a stream is dropped with one click, which says what the server will take it for', async () => {
  const engine = fakeEngine({ 'sessions/drop-stream': () => null });
  const user = userEvent.setup();
  const { rerender } = render(<Streams session={httpSession()} http={http({ streams: [aStream()] })} />);
  const drop = screen.getByRole('button', { name: 'Drop stream #7' });
  await user.hover(drop);
  expect((await screen.findByRole('tooltip')).textContent).toContain('not a cancellation');
  await user.click(drop);
  expect(engine.asked('sessions/drop-stream')).toEqual([{ sessionId: 's1', exchange: 3 }]);

  const modern = httpSession({ agreement: anAgreement({ era: 'modern' }) });
  rerender(<Streams session={modern} http={http({ streams: [aStream()] })} />);
  await user.unhover(drop);
  await user.hover(screen.getByRole('button', { name: 'Drop stream #7' }));
  expect((await screen.findByRole('tooltip')).textContent).toContain('cancels its request');
});

const resumable = aStream({ state: 'closed', lastEventId: 'e\n7' });

test('a stream that closed is resumed after the last event it carried, and the row of that is selected', async () => {
  const engine = fakeEngine({ 'sessions/resume-stream': () => ({ row: 41 }) });
  const user = userEvent.setup();
  render(<Streams session={httpSession()} http={http({ streams: [resumable] })} />);
  const resume = screen.getByRole('button', { name: 'Resume stream #7' });
  await user.hover(resume);
  expect((await screen.findByRole('tooltip')).textContent).toBe('Sends a GET for the events after e⏎7');
  await user.click(resume);
  expect(engine.asked('sessions/resume-stream')).toEqual([{ sessionId: 's1', lastEventId: 'e\n7' }]);
  await waitFor(() => expect(useSelection.getState().traceRow).toEqual({ s1: 41 }));
});

test('says why a stream could not be resumed, and stays where it is', async () => {
  fakeEngine({
    'sessions/resume-stream': () => {
      throw new FaultError({ code: 'no-streams', what: 'Nothing can be resumed here.' });
    },
  });
  render(
    <>
      <Streams session={httpSession()} http={http({ streams: [resumable] })} />
      <Toaster />
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Resume stream #7' }));
  expect(await screen.findByText('Nothing can be resumed here.')).toBeTruthy();
  expect(useSelection.getState().traceRow).toEqual({});
});

test.each<[string, Partial<Stream>, Partial<SessionView>]>([
  ['a stream without an event id', { lastEventId: null }, {}],
  ['a stream whose event id was taken back', { lastEventId: '' }, {}],
  ['an open stream', { state: 'open' }, {}],
  ['a stream that is resumed by itself', { state: 'waiting' }, {}],
  ['a stream that is not offered', { state: 'refused' }, {}],
  ['the modern era', {}, { agreement: anAgreement({ era: 'modern' }) }],
  ['HTTP+SSE', {}, { transport: 'http-sse' }],
  ['a session that has ended', {}, { phase: 'closed' }],
])('nothing is resumed of %s', (_, stream, session) => {
  render(
    <Streams
      session={httpSession(session)}
      http={http({
        streams: [
          { ...resumable, ...stream },
          { ...resumable, row: 8 },
        ],
      })}
    />,
  );
  expect(screen.queryByRole('button', { name: 'Resume stream #7' })).toBeNull();
});

test('the rest of many streams is a click away', async () => {
  const streams = Array.from({ length: 20 }, (_, row) =>
    aStream({ row, state: row > 2 ? 'closed' : 'open' }),
  );
  render(<Streams session={httpSession()} http={http({ streams })} />);
  expect(streamCells()).toHaveLength(7);
  await userEvent.click(screen.getByRole('button', { name: 'Show all 20 streams' }));
  expect(streamCells()).toHaveLength(20);
});

test('says that there is no connection', () => {
  render(<Streams session={httpSession()} http={http()} />);
  expect(textOf(screen.getByRole('region', { name: 'Streams' }))).toContain('None so far');
});
