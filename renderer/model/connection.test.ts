import { beforeEach, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { approve, connect, noteFault, useAttempts } from './connection.ts';
import { describeTarget } from './servers.ts';
import { followSessions, latestSession, useSessions } from './sessions.ts';
import { fakeEngine } from '#fixtures/page/fake-engine.ts';
import { aSession, stdioSettings } from '#fixtures/page/samples.ts';

beforeEach(() => {
  useAttempts.setState({}, true);
  useSessions.setState({ sessions: {} });
});

const launch = { command: 'node', args: [], cwd: '/', env: [], inherit: 'safe' as const, resolved: null };
const askingOnce = () =>
  fakeEngine({
    'sessions/open': ({ approval }) =>
      approval === undefined
        ? { outcome: 'approval-needed', approval: 'once', launch }
        : { outcome: 'opened', session: aSession() },
  });

test('what was chosen for one connection survives the question whether to run the command', async () => {
  const engine = askingOnce();
  await connect('v1', { revision: '2025-06-18' });
  await approve('v1');
  expect(engine.asked('sessions/open')).toEqual([
    { serverId: 'v1', revision: '2025-06-18' },
    { serverId: 'v1', revision: '2025-06-18', approval: 'once' },
  ]);
  expect(useAttempts.getState()).toEqual({});
});

test('an event that came before the answer is not overwritten by it', async () => {
  const engine = fakeEngine({
    'sessions/list': () => [],
    'sessions/open': () => {
      engine.emit('sessions/changed', { ...aSession(), phase: 'ready' });
      return { outcome: 'opened', session: { ...aSession(), phase: 'connecting' } };
    },
  });
  await followSessions();
  await connect('v1');
  expect(latestSession(useSessions.getState().sessions, 'v1')?.phase).toBe('ready');
});

test('nothing is approved that was not asked', async () => {
  const engine = askingOnce();
  await approve('v1');
  expect(engine.asked('sessions/open')).toEqual([]);
});

test('a failure elsewhere does not take the place of a question', async () => {
  askingOnce();
  await connect('v1');
  noteFault('v1', new FaultError({ code: 'x', what: 'It failed.' }));
  expect(useAttempts.getState().v1?.state).toBe('approval');
  noteFault('v2', new FaultError({ code: 'x', what: 'It failed.' }));
  expect(useAttempts.getState().v2).toMatchObject({ state: 'failed', fault: { what: 'It failed.' } });
});

test('a server is described in one line by its command line or its URL', () => {
  expect(describeTarget({ transport: stdioSettings({ args: ['a b.js', ''] }) })).toBe("node 'a b.js' ''");
  expect(describeTarget({ transport: plainHttpSettings('https://example.com/mcp') })).toBe(
    'https://example.com/mcp',
  );
});
