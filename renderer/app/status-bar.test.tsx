import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useSelection } from '#model/selection.ts';
import { useServers } from '#model/servers.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, anOpenedTrace, aServer, aSession } from '#fixtures/page/samples.ts';
import { switchesOff } from '#shared/client-switches/switches.ts';
import { StatusBar } from './status-bar.tsx';

beforeEach(() => {
  fakeEngine({ 'sessions/switches': () => switchesOff });
  // The clock stands still, however long a test takes.
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(cleanup);
afterEach(() => vi.useRealTimers());

const text = () => screen.getByRole('contentinfo').textContent;

test('says in one line how the session is doing', () => {
  const openedAt = Date.now() - 192_500;
  const counts = { rows: 12_408, messages: 12_000, errors: 1, invalid: 3, traceBytes: 4_100_000 };
  render(<StatusBar trace={null} server={aServer()} session={aSession({ openedAt, counts })} />);
  expect(text()).toBe(
    'readylegacy 2025-11-25stdio · pid 4121 · up 3:1212,408 rows · 4.1 MB1 error3 invalidmedian 1.1 mssaved to notes-1402.mcptrace',
  );
});

const aStream = {
  row: 1,
  exchange: 1,
  kind: 'standing',
  state: 'open',
  events: 0,
  lastEventId: null,
  retry: null,
  resumed: 0,
} as const;

test('over HTTP it says which transport, where, and how many streams are open', () => {
  const session = aSession({
    transport: 'streamable-http',
    agreement: anAgreement({ era: 'modern', revision: '2026-07-28' }),
    process: null,
    openedAt: Date.now() - 3500,
    http: {
      url: 'https://example.com:8443/mcp?key=1',
      endpoint: null,
      sessionId: null,
      renewed: 0,
      authorization: null,
      streams: [aStream, { ...aStream, row: 2, state: 'closed' }, { ...aStream, row: 3 }],
    },
  });
  render(<StatusBar trace={null} server={aServer()} session={session} />);
  expect(text()).toContain(
    'modern 2026-07-28TLSStreamable HTTP · example.com:8443 · up 0:03 · 2 streams open',
  );
});

test('says that everything is declined, and ends it by one click', async () => {
  const engine = fakeEngine({ 'sessions/switches': () => switchesOff, 'inbox/decline-all': () => null });
  const session = aSession({ isDecliningAll: true });
  const { rerender } = render(<StatusBar trace={null} server={aServer()} session={session} />);
  expect(text()).toContain('declining all: ask me again');
  await userEvent.click(screen.getByRole('button', { name: 'declining all: ask me again' }));
  expect(engine.asked('inbox/decline-all')).toEqual([{ sessionId: session.id, isOn: false }]);
  rerender(<StatusBar trace={null} server={aServer()} session={{ ...session, isDecliningAll: false }} />);
  expect(text()).not.toContain('declining');
});

test('says that rules answer for the user, and leads to them', async () => {
  const rule = { method: 'roots/list', answer: { kind: 'decline' }, delay: 0 } as const;
  const server = aServer({ client: { ...aServer().client, rules: [rule] } });
  useServers.setState({ servers: [server] });
  render(<StatusBar trace={null} server={server} session={aSession()} />);
  expect(text()).toContain('1 rule answers');
  await userEvent.click(screen.getByRole('button', { name: '1 rule answers' }));
  expect(useSelection.getState().pane).toBe('inbox');
  useServers.setState({ servers: [] });
});

test('offers to reconnect when settings of the server were changed', async () => {
  const engine = fakeEngine({
    'sessions/switches': () => switchesOff,
    'sessions/open': () => ({ outcome: 'opened', session: aSession() }),
  });
  const session = aSession({ isOutdated: true });
  const { rerender } = render(<StatusBar trace={null} server={aServer()} session={session} />);
  await userEvent.click(screen.getByRole('button', { name: 'settings changed: reconnect' }));
  expect(engine.asked('sessions/open')).toEqual([{ serverId: session.serverId }]);
  rerender(<StatusBar trace={null} server={aServer()} session={{ ...session, phase: 'closed' }} />);
  expect(text()).not.toContain('settings changed');
});

test('says calmly how many pings in a row were not answered, and what that means, while it can be mended', async () => {
  const { rerender } = render(
    <StatusBar trace={null} server={aServer()} session={aSession({ missedPings: 1 })} />,
  );
  expect(text()).toContain('no answer to 1 ping');
  rerender(<StatusBar trace={null} server={aServer()} session={aSession({ missedPings: 2 })} />);
  await userEvent.hover(screen.getByRole('button', { name: 'no answer to 2 pings' }));
  expect((await screen.findByRole('tooltip')).textContent).toContain('busy, stuck or gone');
  rerender(
    <StatusBar trace={null} server={aServer()} session={aSession({ missedPings: 2, phase: 'closed' })} />,
  );
  expect(text()).not.toContain('ping');
  rerender(<StatusBar trace={null} server={aServer()} session={aSession()} />);
  expect(text()).not.toContain('ping');
});

test('says how many findings there are, and on asking how bad they are', async () => {
  const { rerender } = render(
    <StatusBar
      trace={null}
      server={aServer()}
      session={aSession({ findings: { error: 1, warning: 0, info: 2 } })}
    />,
  );
  await userEvent.hover(screen.getByRole('button', { name: '3 findings' }));
  expect((await screen.findByRole('tooltip')).textContent).toContain('1 error, 2 notes');
  rerender(<StatusBar trace={null} server={aServer()} session={aSession()} />);
  expect(text()).not.toContain('finding');
});

test('says quietly that questions wait, and leads to them', async () => {
  useSelection.setState({ pane: 'tools' });
  const { rerender } = render(
    <StatusBar trace={null} server={aServer()} session={aSession({ waiting: 1 })} />,
  );
  await userEvent.click(screen.getByRole('button', { name: '1 question waiting' }));
  expect(useSelection.getState().pane).toBe('inbox');
  rerender(<StatusBar trace={null} server={aServer()} session={aSession({ waiting: 2 })} />);
  expect(text()).toContain('2 questions waiting');
  rerender(<StatusBar trace={null} server={aServer()} session={aSession()} />);
  expect(text()).not.toContain('question');
});

test('a stream that broke off is shown until it is resumed', () => {
  const http = {
    url: 'http://127.0.0.1:3000/mcp',
    endpoint: null,
    sessionId: null,
    renewed: 0,
    authorization: null,
    streams: [{ ...aStream, state: 'waiting' as const }],
  };
  const session = aSession({ transport: 'streamable-http', process: null, http });
  render(<StatusBar trace={null} server={aServer()} session={session} />);
  expect(text()).toContain('1 stream waiting to resume');
});

test('an ended session says how it ended and for how long it ran', () => {
  const session = aSession({
    phase: 'failed',
    process: { pid: 4121, exitCode: null, signal: 'SIGKILL', shutdown: [] },
    closedAt: aSession().openedAt + 7_000,
  });
  render(<StatusBar trace={null} server={aServer()} session={session} />);
  expect(text()).toContain('SIGKILL');
  expect(text()).toContain('ran 0:07');
});

test('shows where the trace is', async () => {
  render(<StatusBar trace={null} server={aServer()} session={aSession()} />);
  await userEvent.click(screen.getByRole('button', { name: /saved to/ }));
  expect((await screen.findByRole('dialog', { name: 'Trace file' })).textContent).toBe(
    '/traces/notes-1402.mcptrace',
  );
});

test('says when the trace cannot be written, and why', async () => {
  const fault = { code: 'disk-full', what: 'The trace file cannot be written.', why: 'The disk is full.' };
  render(
    <StatusBar
      trace={null}
      server={aServer()}
      session={aSession({ traceFile: { path: '/traces/x.mcptrace', fault } })}
    />,
  );
  await userEvent.click(screen.getByRole('button', { name: 'trace not saved' }));
  expect((await screen.findByRole('alert')).textContent).toContain('The disk is full.');
});

test('for a trace opened from a file it shows its content and how far it was read', () => {
  const { rerender } = render(
    <StatusBar
      server={null}
      session={null}
      trace={anOpenedTrace({
        counts: { rows: 12_408, messages: 12_000, errors: 1, invalid: 0 },
        findings: { error: 0, warning: 2, info: 0 },
      })}
    />,
  );
  expect(text()).toBe(
    'recordednotes · stdio12,408 rows · 4.1 MB1 error2 findingsmedian 1.1 msnotes-20260101-120000.mcptrace',
  );
  rerender(
    <StatusBar
      server={null}
      session={null}
      trace={anOpenedTrace({ isRead: false, isGrowing: true, read: 1_845_000 })}
    />,
  );
  expect(text()).toContain('being recorded');
  expect(text()).toContain('reading 45 %');
});
