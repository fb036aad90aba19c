import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { defaultClientProfile, defaultTimeouts, type Server, noKeepAlive } from '#shared/contract/servers.ts';
import { Traces } from '#trace/traces.ts';
import { Sessions } from './sessions.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-sessions-'));
});
afterEach(() => rm(folder, { recursive: true }));

const server: Server = {
  id: 'one',
  source: 'command-line',
  name: 'under test',
  transport: { kind: 'stdio', ...misbehavingServer(), cwd: null, env: [], inherit: 'safe' },
  era: 'legacy',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
};

/** The sessions of one server, whose traces begin when the test lets them. */
function sessionsWithSlowDisk() {
  let onAsked: () => void = () => {};
  let goOn: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const disk = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  class SlowTraces extends Traces {
    override async begin(...args: Parameters<Traces['begin']>) {
      onAsked();
      await disk;
      return super.begin(...args);
    }
  }
  const sessions = new Sessions({
    servers: {
      get: () => Promise.resolve(server),
      acceptCertificate: () => Promise.resolve(server),
      keepStartNeed: () => Promise.resolve(),
      filled: {
        commandOf: (_, { command, args, cwd }) =>
          Promise.resolve({ command, args, cwd, shown: { command, args, cwd }, secrets: new Map() }),
        environmentOf: () => Promise.resolve({ values: {}, secrets: new Map() }),
        headersOf: () => Promise.resolve({ lines: [], secrets: new Map() }),
        sentVariables: async () => null,
        addressOf: (_, { url }) => Promise.resolve({ url, shown: url, secrets: new Map() }),
      },
    },
    approvals: {
      has: () => Promise.resolve(true),
      add: () => Promise.resolve(),
      request: () => Promise.resolve(''),
      redeem: () => Promise.resolve(true),
    },
    traces: new SlowTraces(folder, '0', () => {}),
    client: { name: 'test', version: '0' },
    emit: () => {},
  });
  return { sessions, asked, goOn };
}

const openSessions = (sessions: Sessions) =>
  sessions.views().filter(({ phase }) => phase !== 'closed' && phase !== 'failed');

test('no session begins once all are closed, however far its opening had come', async () => {
  const { sessions, asked, goOn } = sessionsWithSlowDisk();
  const opening = sessions.open('one').catch((error: unknown) => error);
  await asked;
  const closing = sessions.close();
  goOn();
  await closing;
  expect(openSessions(sessions)).toEqual([]);
  expect(await opening).toBeInstanceOf(FaultError);
  expect(openSessions(sessions)).toEqual([]);
});

test('a server that is removed while a session with it is being opened has none in the end', async () => {
  const { sessions, asked, goOn } = sessionsWithSlowDisk();
  const opening = sessions.open('one');
  await asked;
  const removal = sessions.syncWithServers([{ ...server, id: 'another' }]);
  goOn();
  await Promise.all([opening, removal]);
  expect(openSessions(sessions)).toEqual([]);
});

test('a server that stays keeps its session', async () => {
  const { sessions, asked, goOn } = sessionsWithSlowDisk();
  const opening = sessions.open('one');
  await asked;
  const removal = sessions.syncWithServers([{ ...server, id: 'one' }]);
  goOn();
  await Promise.all([opening, removal]);
  expect(openSessions(sessions)).toHaveLength(1);
  await sessions.close();
});
