import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ProtectedServer } from '#fixtures/authorization/protected-server.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';
import { misbehavingServer, type Word } from '#fixtures/misbehaving/command.ts';
import type { EventFrame } from '#shared/contract/index.ts';
import { defaultAuthorization } from '#shared/contract/authorization.ts';
import {
  defaultClientProfile,
  defaultTimeouts,
  noKeepAlive,
  plainHttpSettings,
  type ServerSettings,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import { traceText } from '#fixtures/trace/trace-text.ts';
import type { Platform } from './platform.ts';

const named = { kind: 'stdio', ...scriptedServer(''), era: 'legacy' } as const;

async function open(platform: Partial<Platform> = {}): Promise<EngineFixture> {
  const fixture = await EngineFixture.open(platform);
  onTestFinished(() => fixture.close());
  return fixture;
}

test('the data folder is made, for nobody else to read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-home-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const dataFolder = join(folder, 'not', 'there', 'yet');
  const fixture = await open({ dataFolder });
  expect(await fixture.call('app/info', {})).toMatchObject({ dataFolder, initialServerId: null });
  if (process.platform !== 'win32') expect((await stat(dataFolder)).mode & 0o777).toBe(0o700);
});

test('where no data folder can be made, there is no engine, and why is told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-home-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  await expect(open({ dataFolder: join(folder, 'file', 'below') })).rejects.toMatchObject({
    fault: { code: 'data-folder-not-made', next: expect.stringContaining('SIGHTGLASS_HOME') },
  });
});

test('a server that is named has its session as soon as there is an engine, in the folder of the app', async () => {
  const fixture = await open({ namedServer: { ...named, cwd: 'main' } });
  const { initialServerId } = await fixture.call('app/info', {});
  const [session] = await fixture.call('sessions/list', {});
  expect(session).toMatchObject({ serverId: initialServerId });
  const servers = await fixture.call('servers/list', {});
  expect(servers).toMatchObject([{ id: initialServerId, transport: { cwd: join(process.cwd(), 'main') } }]);
});

test('a server that is named later is opened too, which listeners are told until they leave', async () => {
  const fixture = await open({ namedServer: named });
  const frames: EventFrame[] = [];
  const leave = fixture.engine.onEvent((frame) => frames.push(frame));
  await fixture.engine.openServer({ ...named, args: [...named.args, 'another'] });
  await expect.poll(() => frames.find(({ event }) => event === 'servers/changed')?.payload).toHaveLength(2);
  expect(await fixture.call('sessions/list', {})).toHaveLength(2);
  leave();
  frames.length = 0;
  await fixture.engine.openServer({ ...named, args: [...named.args, 'one more'] });
  expect(await fixture.call('sessions/list', {})).toHaveLength(3);
  expect(frames).toEqual([]);
});

test('a listener that throws keeps nothing from other listeners, and commands go on', async () => {
  const reported = vi.fn<Platform['reportError']>();
  const fixture = await open({ reportError: reported });
  const frames: EventFrame[] = [];
  const error = new Error('Render frame was disposed');
  fixture.engine.onEvent(() => {
    throw error;
  });
  fixture.engine.onEvent((frame) => frames.push(frame));
  await fixture.engine.openServer(named);
  const [session] = await fixture.call('sessions/list', {});
  expect(await fixture.settled(session!.id, ['ready'])).toMatchObject({ phase: 'ready' });
  await expect.poll(() => frames.map(({ event }) => event)).toContain('sessions/changed');
  expect(reported).toHaveBeenCalledWith(expect.stringContaining('while listeners got'), error);
});

test('a command has its result while events are held for a response', async () => {
  // Without tools, no response of a list ends the hold.
  const server = scriptedServer(`initialize: (request) => answer(request, {
    protocolVersion: request.params.protocolVersion, capabilities: {}, serverInfo: { name: 'bare', version: '1' } }),`);
  const fixture = await open({ namedServer: { ...named, ...server } });
  const [session] = await fixture.call('sessions/list', {});
  const { id: sessionId } = await fixture.settled(session!.id, ['ready']);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await fixture.call('calls/request', {
    sessionId,
    method: 'test/never-answered',
    params: '{}',
    timeout: null,
  });
  expect(await fixture.call('sessions/list', {})).toHaveLength(1);
});

test('closing ends every session, however often it is asked for', async () => {
  const fixture = await open({ namedServer: named });
  const [session] = await fixture.call('sessions/list', {});
  await fixture.settled(session!.id, ['ready']);
  await Promise.all([fixture.engine.close(), fixture.engine.close()]);
  expect(await fixture.session(session!.id)).toMatchObject({ phase: 'closed' });
  await fixture.engine.close();
});

test('a trace file that is named is opened, and the page is told to show it, now and when it asks later', async () => {
  const fixture = await open();
  const frames: EventFrame[] = [];
  fixture.engine.onEvent((frame) => frames.push(frame));
  const path = join(fixture.folder, 'named.mcptrace');
  await writeFile(path, traceText());
  await fixture.engine.openFile(path);
  const [opened] = await fixture.call('traces/opened', {});
  expect(opened).toMatchObject({ path });
  expect(frames).toContainEqual({ event: 'traces/show', payload: { sessionId: opened!.sessionId } });
  expect(await fixture.call('app/info', {})).toMatchObject({ initialTraceId: opened!.sessionId });
  await fixture.call('traces/close', { sessionId: opened!.sessionId });
  expect(await fixture.call('app/info', {})).toMatchObject({ initialTraceId: null });
  await expect(fixture.engine.openFile(join(fixture.folder, 'none'))).rejects.toMatchObject({
    fault: { code: 'trace-not-found' },
  });
});

test('diagnostics have versions and states of sessions, and no names, addresses or secrets', async () => {
  const fixture = await open({ namedServer: named });
  const [session] = await fixture.call('sessions/list', {});
  await fixture.settled(session!.id, ['ready']);
  const { text } = await fixture.call('app/diagnostics', {
    notes:
      'TypeError at https://me:hunter2-secret@example.com/x with Authorization: Bearer abcdef1234567890abcdef',
  });
  expect(text).toMatch(/^Sightglass \S+ \(\w+\)\nSystem: \w+ .+\nRuntime: Node \d+/);
  expect(text).toContain('Sessions: 1\n- stdio, ready, ');
  expect(text).not.toContain(session!.serverName);
  expect(text).toContain('TypeError at https://');
  expect(text).not.toContain('hunter2-secret');
  expect(text).not.toContain('abcdef1234567890abcdef');
});

test('servers are connected at the start if the user wants that, but by no command line that was not approved', async () => {
  const asked: string[] = [];
  const confirmLaunch = async ({ command }: { readonly command: string }) => {
    asked.push(command);
    return true;
  };
  const before = await EngineFixture.open();
  const { serverId } = await before.connect(misbehavingServer(), { connectsAtStart: true });
  const saved = (await before.call('servers/list', {}))[0];
  if (saved === undefined) throw new Error('no server');
  const { id: _, source: __, ...settings } = saved;
  // Another command, which nobody has approved.
  await before.call('servers/save', {
    id: null,
    settings: { ...settings, transport: misbehavingTransport('noise') },
  });
  await before.engine.close();

  const after = await open({ dataFolder: before.folder, host: 'web', confirmLaunch });
  const view = await after.until(async () => (await after.call('sessions/list', {}))[0] ?? null);
  expect(view.serverId).toBe(serverId);
  await after.settled(view.id, ['ready']);
  expect(await after.call('sessions/list', {})).toHaveLength(1);
  expect(asked).toEqual([]);
});

const httpServer = (url: string): ServerSettings => ({
  name: 'on HTTP',
  transport: plainHttpSettings(url),
  era: 'auto',
  revision: null,
  timeouts: defaultTimeouts,
  keepAlive: noKeepAlive,
  client: defaultClientProfile,
  notes: '',
});

test('a server that demands authorization at the start opens no browser until the user does', async () => {
  const server = await ProtectedServer.open({});
  onTestFinished(() => server.close());
  const before = await EngineFixture.open();
  const settings = { ...httpServer(server.url), connectsAtStart: true };
  await before.call('servers/save', { id: null, settings });
  await before.engine.close();

  const opened: string[] = [];
  const openInBrowser = async (url: string) => void opened.push(url);
  const after = await open({ dataFolder: before.folder, host: 'web', openInBrowser });
  const flow = await after.until(async () => {
    const [session] = await after.call('sessions/list', {});
    const flows = session && (await after.call('authorization/flows', { sessionId: session.id }));
    return flows?.find(({ state }) => state === 'waiting') ?? null;
  });
  expect(opened).toEqual([]);
  await after.call('authorization/open-browser', { flowId: flow.id });
  expect(opened).toHaveLength(1);
});

test('no draft keeps a secret of the settings of its server, also without the scheme of its header', async () => {
  const fixture = await open();
  const url = 'https://a.example/mcp';
  const { id: serverId } = await fixture.call('servers/save', {
    id: null,
    settings: {
      ...httpServer(url),
      transport: {
        ...plainHttpSettings(url),
        headers: [{ name: 'Authorization', value: 'Bearer sesame-in-header', secret: true }],
        authorization: {
          ...defaultAuthorization,
          clientSecret: { isSet: true, value: 'sesame-of-client' },
        },
      },
    },
  });
  const entry = { serverId, chosen: {} };
  const typed = {
    header: '{"a":"sesame-in-header"}',
    client: '{"a":"sesame-of-client"}',
    other: '{"a":"b"}',
  };
  await fixture.call('place/keep', { entries: { draft: { ...entry, typed } } });
  expect((await fixture.call('place/read', {})).entries.draft?.typed).toEqual({
    header: '{"a":""}',
    client: '{"a":""}',
    other: '{"a":"b"}',
  });
  // What was kept right before the end is written by it.
  await fixture.call('place/keep', { entries: { last: { ...entry, typed: { text: 'just now' } } } });
  await fixture.engine.close();
  expect(await readFile(join(fixture.folder, 'place.json'), 'utf8')).toContain('just now');
});

function misbehavingTransport(...words: readonly Word[]): StdioSettings {
  const { command, args } = misbehavingServer(...words);
  return { kind: 'stdio', command, args: [...args], cwd: process.cwd(), env: [], inherit: 'safe' };
}
