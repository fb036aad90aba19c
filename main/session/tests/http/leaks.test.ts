import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { heldHeapMebibytes } from '#fixtures/held-memory.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { ScriptedSseServer } from '#fixtures/http/scripted-sse-server.ts';
import { soak } from '#fixtures/soak.ts';
import {
  plainHttpSettings,
  type TransportSettings,
  defaultClientProfile,
  noKeepAlive,
} from '#shared/contract/servers.ts';

const CYCLES = soak(300, 80);
/** By then everything is compiled and every pool is filled. */
const SETTLED = 50;

let engine: EngineFixture;
let close: () => Promise<void> = () => Promise.resolve();
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(async () => {
  await engine.close();
  await close();
});

interface UnderTest {
  readonly transport: TransportSettings;
  /** Sockets that the server holds. */
  readonly sockets: () => number;
  /** Lets go of what the server has noted of its requests. */
  readonly forget: () => void;
  readonly close: () => Promise<void>;
}

const servers: Readonly<Record<string, () => Promise<UnderTest>>> = {
  stdio: async () => ({
    transport: { kind: 'stdio', ...scriptedServer(''), cwd: null, env: [], inherit: 'safe' },
    sockets: () => 0,
    forget: () => {},
    close: () => Promise.resolve(),
  }),
  'Streamable HTTP': async () => {
    const server = await ScriptedHttpServer.open({ answers: 'sse' });
    return {
      transport: plainHttpSettings(server.url),
      sockets: () => server.listening.openSockets,
      forget: () => void server.requests.splice(0),
      close: () => server.close(),
    };
  },
  'HTTP+SSE': async () => {
    const server = await ScriptedSseServer.open();
    return {
      transport: plainHttpSettings(server.url),
      sockets: () => server.listening.openSockets,
      forget: () => void server.requests.splice(0),
      close: () => server.close(),
    };
  },
};

/** What keeps this process busy or the system's tables filled, once what is on its way out has gone. */
async function held(): Promise<Record<string, number>> {
  await new Promise((resolve) => setImmediate(resolve));
  // The list of recorded traces is looked at after each session, by and by.
  const passing = ['FSReqPromise', 'CloseReq'];
  const isReading = () => process.getActiveResourcesInfo().some((kind) => passing.includes(kind));
  await expect.poll(isReading).toBe(false);
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  if (process.platform === 'linux') counts.files = (await readdir('/proc/self/fd')).length;
  return counts;
}

/** What is held more often than before; something else that was still open then may be closed now. */
const moreThan = (before: Readonly<Record<string, number>>, now: Readonly<Record<string, number>>) =>
  Object.entries(now).filter(([kind, count]) => count > (before[kind] ?? 0));

describe.each(Object.keys(servers))('%s', (name) => {
  test('many sessions leave no process, socket, timer or file behind, and no memory', {
    timeout: 300_000,
  }, async () => {
    const server = await servers[name]!();
    ({ close } = server);
    const { id: serverId } = await engine.call('servers/save', {
      id: null,
      settings: {
        name: 'under test',
        transport: server.transport,
        era: name === 'stdio' ? 'legacy' : 'auto',
        revision: null,
        timeouts: { initialize: 20_000, request: 20_000, requestMax: 20_000 },
        keepAlive: noKeepAlive,
        client: defaultClientProfile,
        notes: '',
      },
    });
    const pids: number[] = [];
    const cycle = async () => {
      const { id, phase, process: child } = await engine.reconnect(serverId);
      expect(phase).toBe('ready');
      await engine.call('sessions/close', { sessionId: id });
      if (child?.pid) pids.push(child.pid);
      server.forget();
    };
    for (let count = 0; count < SETTLED; count++) await cycle();
    const heldBefore = await held();
    const heapBefore = heldHeapMebibytes();
    for (let count = SETTLED; count < CYCLES; count++) await cycle();
    expect(heldHeapMebibytes()).toBeLessThanOrEqual(heapBefore * 1.1);
    expect(moreThan(heldBefore, await held())).toEqual([]);
    expect(server.sockets()).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
