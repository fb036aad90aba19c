import { cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect, useAttempts } from '#model/connection.ts';
import { useSelection } from '#model/selection.ts';
import { useSessions } from '#model/sessions.ts';
import { type Answers, fakeEngine as anEngine } from '#fixtures/page/fake-engine.ts';
import { anAgreement, aServer, aSession } from '#fixtures/page/samples.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { switchesOff } from '#shared/client-switches/switches.ts';
import type { Launch } from '#shared/contract/sessions.ts';
import { OverviewPane } from './overview-pane.tsx';

const server = aServer();
const launch: Launch = {
  command: 'node',
  args: ['notes.js', 'two words', ''],
  cwd: '/work',
  env: [
    { name: 'TOKEN', value: null },
    { name: 'PORT', value: '8080' },
    { name: 'NODE_OPTIONS', value: '--require ./evil.cjs' },
  ],
  inherit: 'all',
  resolved: '/usr/bin/node',
};

const fakeEngine = (answers: Answers = {}) =>
  anEngine({ 'sessions/switches': () => switchesOff, ...answers });

beforeEach(() => {
  fakeEngine();
  useAttempts.setState({}, true);
  useSessions.setState({ sessions: {} });
  useSelection.setState({ serverId: server.id, pane: 'tools' });
});
afterEach(cleanup);

const argv = () =>
  within(screen.getByRole('list', { name: 'Command and arguments' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

test('shows what a click on Connect will run', () => {
  render(<OverviewPane server={server} session={null} />);
  expect(argv()).toEqual(['node', 'notes.js']);
  expect(screen.getByText('your home folder')).toBeTruthy();
});

test('shows where a click on Connect will lead, without the values of headers', () => {
  const transport = {
    ...plainHttpSettings('https://example.com/mcp'),
    headers: [
      { name: 'Authorization', value: null, secret: true },
      { name: 'X-Tenant', value: 'acme', secret: false },
    ],
    tls: { caFile: '/pki/ca.pem', certFile: null, keyFile: null, accepted: 'AB:CD' },
  };
  render(<OverviewPane server={aServer({ transport, era: 'modern' })} session={null} />);
  const shown = screen.getByRole('region', { name: 'Where it will connect' }).textContent;
  expect(shown).toContain('https://example.com/mcp');
  expect(shown).toContain('Streamable HTTP or HTTP+SSE');
  expect(shown).toContain('Authorization X-Tenant · values hidden');
  expect(shown).not.toContain('acme');
  expect(shown).toContain('HTTPS_PROXY');
  expect(shown).toContain('/pki/ca.pem');
  expect(shown).toContain('AB:CD');
  expect(shown).toContain('modern, without a probe');
  expect(screen.getByRole('button', { name: 'Connect' })).toBeTruthy();
});

test('a new command line runs only after it was confirmed as it is', async () => {
  const engine = fakeEngine({
    'sessions/open': ({ approval }) =>
      approval === undefined
        ? { outcome: 'approval-needed', approval: 'once', launch }
        : { outcome: 'opened', session: aSession() },
  });
  const user = userEvent.setup();
  render(<OverviewPane server={server} session={null} />);
  await user.click(screen.getByRole('button', { name: 'Connect' }));

  const question = await screen.findByRole('region', { name: 'Run this command?' });
  expect(argv()).toEqual(['node', 'notes.js', 'two words', 'empty']);
  expect(question.textContent).toContain('/usr/bin/node');
  expect(question.textContent).toContain('/work');
  expect(question.textContent).toContain('TOKEN');
  expect(document.activeElement).toBe(question);
  expect(useSelection.getState().pane).toBe('overview');
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'v1' }]);

  await user.click(within(question).getByRole('button', { name: 'Run it' }));
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'v1' }, { serverId: 'v1', approval: 'once' }]);
  expect(useAttempts.getState()).toEqual({});
  expect(useSessions.getState().sessions.s1).toBeDefined();
});

test('the question shows values that are no secret, and points at what changes what is run', async () => {
  fakeEngine({ 'sessions/open': () => ({ outcome: 'approval-needed', approval: 'once', launch }) });
  render(<OverviewPane server={server} session={null} />);
  await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
  const question = await screen.findByRole('region', { name: 'Run this command?' });
  const shown = within(within(question).getByRole('list', { name: 'Variables' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(shown).toEqual([
    'TOKEN=secret, not shown',
    'PORT=8080',
    'NODE_OPTIONS=--require ./evil.cjschanges what Node.js loads or trusts',
  ]);
  expect(question.textContent).toContain('every variable of Sightglass');
});

test('the question shows what nobody would see in a command, its file and its variables', async () => {
  const hidden: Launch = {
    ...launch,
    command: 'node\ufe0f',
    args: ['--safe\u00a0--eval', '\u2800', 'a\u3164b'],
    resolved: '/usr/bin/node\u200d',
    env: [{ name: 'PA\u034fTH', value: '/tmp\u2007' }],
  };
  fakeEngine({ 'sessions/open': () => ({ outcome: 'approval-needed', approval: 'once', launch: hidden }) });
  render(<OverviewPane server={server} session={null} />);
  await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
  const question = await screen.findByRole('region', { name: 'Run this command?' });
  for (const shown of [
    'node[U+FE0F]',
    '--safe[U+00A0]--eval',
    '[U+2800]',
    'a[U+3164]b',
    '/usr/bin/node[U+200D]',
    'PA[U+034F]TH',
    '/tmp[U+2007]',
  ]) {
    expect(question.textContent).toContain(shown);
  }
});

test('the question about a command that changed takes the place of Reconnect', async () => {
  fakeEngine({ 'sessions/open': () => ({ outcome: 'approval-needed', approval: 'once', launch }) });
  render(<OverviewPane server={server} session={aSession({ phase: 'closed', closedAt: 1 })} />);
  await userEvent.click(screen.getByRole('button', { name: 'Reconnect' }));
  await screen.findByRole('region', { name: 'Run this command?' });
  expect(screen.queryByRole('button', { name: 'Reconnect' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.getByRole('button', { name: 'Reconnect' })).toBeTruthy();
});

test('variables go to a host only after both were shown and confirmed', async () => {
  const sent = {
    origin: 'https://evil.example',
    variables: [
      { variable: '${env:AWS_SECRET_ACCESS_KEY}', places: ['URL', 'X-Client'] },
      { variable: '${userHome}', places: ['X-Client'] },
    ],
  };
  const engine = fakeEngine({
    'sessions/open': ({ approval }) =>
      approval === undefined
        ? { outcome: 'variables-approval-needed', approval: 'once', sent }
        : { outcome: 'opened', session: aSession() },
  });
  const user = userEvent.setup();
  render(<OverviewPane server={server} session={null} />);
  await user.click(screen.getByRole('button', { name: 'Connect' }));
  const question = await screen.findByRole('region', { name: 'Send these variables?' });
  expect(question.textContent).toContain('https://evil.example');
  const shown = within(question).getAllByRole('listitem');
  expect(shown.map(({ textContent }) => textContent)).toEqual([
    '${env:AWS_SECRET_ACCESS_KEY} in the URL, the header X-Client',
    '${userHome} in the header X-Client',
  ]);
  // A held Enter key approves nothing.
  expect(document.activeElement).toBe(question);
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'v1' }]);
  await user.click(within(question).getByRole('button', { name: 'Send them and connect' }));
  expect(engine.asked('sessions/open')).toEqual([{ serverId: 'v1' }, { serverId: 'v1', approval: 'once' }]);
});

test('a cancelled question runs nothing', async () => {
  const engine = fakeEngine({
    'sessions/open': () => ({
      outcome: 'approval-needed',
      approval: 'once',
      launch: { ...launch, resolved: null },
    }),
  });
  render(<OverviewPane server={server} session={null} />);
  await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
  expect((await screen.findByRole('region', { name: 'Run this command?' })).textContent).toContain(
    'was not found',
  );
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(engine.asked('sessions/open')).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Connect' })).toBeTruthy();
});

test('says why a server could not be connected', async () => {
  fakeEngine({
    'sessions/open': () => {
      throw new FaultError({
        code: 'no-trace',
        what: 'The trace cannot be begun.',
        next: 'Free some space.',
      });
    },
  });
  render(<OverviewPane server={server} session={null} />);
  await connect(server.id);
  const fault = await screen.findByRole('alert');
  expect(fault.textContent).toContain('The trace cannot be begun.');
  expect(fault.textContent).toContain('Free some space.');
});

test('shows who the server says it is, as text', async () => {
  const agreement = anAgreement({
    requestedRevision: '2025-11-25',
    revision: '2024-11-05',
    server: {
      name: 'notes',
      version: '1.2.3',
      title: '<b>Notes</b>\u202e',
      description: 'Keeps notes',
      websiteUrl: 'javascript:alert(1)',
    },
    instructions: 'Call <i>echo</i> first.',
  });
  render(<OverviewPane server={server} session={aSession({ agreement })} />);
  expect(screen.getByRole('heading', { name: '<b>Notes</b>[U+202E]' })).toBeTruthy();
  expect(await screen.findByText('Call <i>echo</i> first.')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
  expect(screen.getByText('javascript:alert(1)')).toBeTruthy();
  const identity = screen.getByRole('region', { name: 'Server' });
  expect(identity.textContent).toContain('2024-11-05 · legacy era');
  expect(identity.textContent).toContain('2025-11-25 was requested');
  expect(identity.textContent).toContain('1.1 ms');
});

test('a modern server may not have said who it is, nor been asked what it can', async () => {
  const agreement = anAgreement({
    era: 'modern',
    requestedRevision: '2026-07-28',
    revision: '2026-07-28',
    server: null,
    serverCapabilities: null,
    supportedRevisions: ['2025-11-25', '2026-07-28'],
    handshake: null,
  });
  render(<OverviewPane server={server} session={aSession({ agreement })} />);
  const identity = screen.getByRole('region', { name: 'Server' });
  expect(identity.textContent).toContain('not identified');
  expect(identity.textContent).toContain('2026-07-28 · modern era');
  expect(identity.textContent).toContain('2025-11-25  2026-07-28');
  expect(identity.textContent).not.toContain('asked for');
  const capabilities = await screen.findByRole('region', { name: 'Server capabilities' });
  expect(capabilities.textContent).toContain(
    'Unknown: the modern era does not require discovery, and the server did not answer it.',
  );
});

test('what we announced leads to where that is set', async () => {
  render(<OverviewPane server={server} session={aSession()} />);
  const declared = await screen.findByRole('region', { name: 'Client capabilities' });
  await userEvent.click(within(declared).getByRole('button', { name: 'Change…' }));
  expect(useSelection.getState().editor).toEqual({ serverId: server.id, part: 'client' });
});

test('a web address is a link that leaves the window', () => {
  const agreement = anAgreement({
    server: { name: 'n', version: '1', websiteUrl: 'https://example.com/docs' },
  });
  render(<OverviewPane server={server} session={aSession({ agreement })} />);
  const link = screen.getByRole('link');
  expect(link.getAttribute('href')).toBe('https://example.com/docs');
  expect(link.getAttribute('target')).toBe('_blank');
  expect(link.getAttribute('rel')).toContain('noopener');
});

test('ping shows how long the answer took, or why there was none', async () => {
  let pings = 0;
  fakeEngine({
    'sessions/ping': () => {
      if (++pings === 2) throw new FaultError({ code: 'timeout', what: 'No answer within 60 s.' });
      return { duration: 1234 };
    },
  });
  render(<OverviewPane server={server} session={aSession()} />);
  await userEvent.click(screen.getByRole('button', { name: 'Ping' }));
  expect(await screen.findByText('answered in 1.2 ms')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Ping' }));
  expect(await screen.findByText('No answer within 60 s.')).toBeTruthy();
});

test('a failed session says how it ended and keeps what it agreed on', () => {
  const session = aSession({
    phase: 'failed',
    reason: 'The server was killed.',
    fault: { code: 'ended', what: 'The server was killed.', evidence: 'last words\u001b[0m' },
    process: { pid: 4121, exitCode: null, signal: 'SIGKILL', shutdown: [] },
    closedAt: aSession().openedAt + 192_000,
  });
  render(<OverviewPane server={server} session={session} />);
  const fault = screen.getByRole('alert');
  expect(fault.textContent).toContain('The server was killed.');
  expect(fault.textContent).toContain('SIGKILL');
  expect(fault.textContent).toContain('after 3:12');
  expect(fault.textContent).toContain('last words[ESC][0m');
  expect(screen.getByRole('button', { name: 'Reconnect' })).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'notes-server' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Ping' })).toBeNull();
});

test('a connection that failed shows its steps, their evidence, and what was not reached', async () => {
  const quiet = { measured: null, facts: [], row: null, fault: null };
  const fault = { code: 'http-connect', what: 'Nothing listens there.' };
  const session = aSession({
    phase: 'failed',
    agreement: null,
    fault,
    diagnosis: {
      steps: [
        { ...quiet, name: 'lookup', state: 'ok', measured: 'notes.example \u2192 192.0.2.1' },
        {
          name: 'connect',
          state: 'failed',
          measured: 'connect ECONNREFUSED\u001b[0m',
          facts: [{ name: 'Error', value: 'ECONNREFUSED' }],
          row: 4,
          fault,
        },
        { ...quiet, name: 'handshake', state: 'skipped' },
      ],
    },
  });
  render(<OverviewPane server={server} session={session} />);
  const steps = screen.getByRole('region', { name: 'Steps of the connection' });
  expect(
    within(steps)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'DNS: oknotes.example \u2192 192.0.2.1',
    expect.stringMatching(/^TCP: failedconnect ECONNREFUSED\[ESC\]\[0mError/),
    'MCP handshake: skipped',
  ]);
  const details = steps.querySelector('details');
  expect(details?.open).toBe(false);
  await userEvent.click(within(steps).getByText('TCP'));
  expect(details?.open).toBe(true);
  await userEvent.click(within(steps).getByRole('button', { name: 'Row #5 of the trace' }));
  expect(useSelection.getState().traceRow).toMatchObject({ s1: 4 });
});

test('a session on its way says what it waits for', () => {
  const session = aSession({ phase: 'initializing', agreement: null, openedAt: Date.now() - 10_000 });
  render(<OverviewPane server={server} session={session} />);
  expect(screen.getByRole('status').textContent).toContain('initialize');
  expect(screen.getByText('0:10')).toBeTruthy();
  expect(screen.getByText(/package runner/)).toBeTruthy();
});

test('while it finds out the era, the steps appear as they are known', () => {
  const session = aSession({
    phase: 'detecting',
    transport: 'http',
    process: null,
    agreement: null,
    openedAt: Date.now() - 4000,
    evidence: [{ text: 'POST server/discover', row: 1 }],
  });
  const { rerender } = render(<OverviewPane server={server} session={session} />);
  expect(screen.getByRole('status').textContent).toBe('Detecting the era and transport of the server…');
  expect(screen.getByText('0:04')).toBeTruthy();
  expect(screen.getByText(/trace below shows each request/)).toBeTruthy();
  const starting = within(screen.getByRole('region', { name: 'Starting' }));
  expect(starting.getAllByRole('listitem')).toHaveLength(1);
  const evidence = [...session.evidence, { text: 'The answer was 404', row: 1 }];
  rerender(<OverviewPane server={server} session={{ ...session, evidence }} />);
  expect(screen.getByText('The answer was 404')).toBeTruthy();
});
