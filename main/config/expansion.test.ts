import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { misbehavingServer } from '#fixtures/misbehaving/command.ts';
import type { HttpSettings, Server } from '#shared/contract/servers.ts';

let engine: EngineFixture;
let ran: string;
beforeEach(async () => {
  engine = await EngineFixture.open();
  ran = join(engine.folder, 'ran.json');
  vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted-token-1');
  vi.stubEnv('SIGHTGLASS_TEST_PLACE', 'here');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await engine.close();
});

/** Imports one server from VS Code's format. */
async function imported(
  entry: object,
  values: Record<string, string> = {},
  inputs: object[] = [],
): Promise<Server> {
  const text = JSON.stringify({ servers: { mine: entry }, inputs });
  const source = { kind: 'text' as const, text, path: '/work/shop/.vscode/mcp.json', format: null };
  const picks = [{ key: '/servers/mine', name: null, replaces: null }];
  const [server] = await engine.call('servers/import', { source, picks, values });
  if (server === undefined) throw new Error('not imported');
  return server;
}

/** A server that writes down how it was started, and then behaves. */
function witness(args: readonly string[], env: Record<string, string> = {}) {
  const { command, args: words } = misbehavingServer();
  const note = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, JSON.stringify({ args: process.argv.slice(1), env: process.env }))`;
  // What follows is for the witness alone; the server would take it for scenarios.
  const script = `${note}; process.argv.splice(1); import(${JSON.stringify(words.at(-1))})`;
  return { command, args: ['-e', script, '--', ...args], cwd: engine.folder, env };
}

const started = async () =>
  JSON.parse(await readFile(ran, 'utf8')) as { args: string[]; env: Record<string, string> };

const openFault = async ({ id }: Server) => {
  const outcome = await engine.engine.handle('sessions/open', { serverId: id });
  return outcome.ok ? null : outcome.fault;
};

describe('placeholders of a saved server', () => {
  test('are replaced when it starts, and stay in its settings', async () => {
    const server = await imported(
      witness(
        [
          '${env:SIGHTGLASS_TEST_PLACE}',
          '${env:NO_SUCH:-none}',
          '${workspaceFolder}',
          '${workspaceFolderBasename}',
        ],
        { HOME_OF: '${userHome}${pathSeparator}x', LEVEL: '${input:level}', OTHER: '${other}' },
      ),
      {},
      [{ id: 'level', type: 'promptString', default: 'debug' }],
    );
    expect((await engine.reconnect(server.id)).phase).toBe('ready');
    const { args, env } = await started();
    expect(args).toEqual(['here', 'none', '/work/shop', 'shop']);
    expect(env).toMatchObject({ HOME_OF: join(homedir(), 'x'), LEVEL: 'debug', OTHER: '${other}' });
    expect(JSON.stringify(await engine.call('servers/list', {}))).toContain('${env:SIGHTGLASS_TEST_PLACE}');
  });

  test('with secret values are shown as written, and in no file', async () => {
    const server = await imported(
      witness(['--token', '${input:key}', '${env:SIGHTGLASS_TEST_TOKEN}'], {
        API_KEY: '${input:key}',
        AUTH: 'Bearer ${env:SIGHTGLASS_TEST_TOKEN}',
      }),
      { 'input:key': 'planted-input-1' },
    );
    const asked = await engine.call('sessions/open', { serverId: server.id });
    expect(asked).toMatchObject({
      outcome: 'approval-needed',
      launch: {
        args: ['-e', expect.any(String), '--', '--token', '${input:key}', '${env:SIGHTGLASS_TEST_TOKEN}'],
        env: [
          { name: 'API_KEY', value: null },
          { name: 'AUTH', value: null },
        ],
      },
    });
    const { id, phase, traceFile } = await engine.reconnect(server.id);
    expect(phase).toBe('ready');
    await engine.callTool(id, 'echo', { text: 'planted-input-1 planted-token-1' }).catch(() => null);
    const { args, env } = await started();
    expect(args).toEqual(['--token', 'planted-input-1', 'planted-token-1']);
    expect(env).toMatchObject({ API_KEY: 'planted-input-1', AUTH: 'Bearer planted-token-1' });
    for (const file of [
      traceFile.path,
      join(engine.folder, 'approvals.json'),
      join(engine.folder, 'servers.json'),
    ])
      expect(await readFile(file, 'utf8')).not.toContain('planted');
  });

  test('are a part of the approval: another value asks again, secret or not', async () => {
    const server = await imported(witness(['${env:SIGHTGLASS_TEST_PLACE}', '${env:SIGHTGLASS_TEST_TOKEN}']));
    const outcome = async () => (await engine.call('sessions/open', { serverId: server.id })).outcome;
    await engine.reconnect(server.id);
    expect(await outcome()).toBe('opened');
    vi.stubEnv('SIGHTGLASS_TEST_PLACE', 'there');
    expect(await outcome()).toBe('approval-needed');
    vi.stubEnv('SIGHTGLASS_TEST_PLACE', 'here');
    expect(await outcome()).toBe('opened');
    vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted-token-2');
    expect(await outcome()).toBe('approval-needed');
  });

  test.each([
    ['${env:NO_SUCH_VARIABLE}', 'variable-not-set', 'NO_SUCH_VARIABLE'],
    ['${input:key}', 'input-not-given', '${input:key}'],
  ])('without a value, %s keeps it from starting', async (arg, code, what) => {
    const server = await imported(witness([arg]));
    const fault = await openFault(server);
    expect(fault).toMatchObject({ code, what: expect.stringContaining(what) });
    expect(fault?.next).toContain('settings');
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
  });

  test('in a URL and in headers reach the server, and no file', async () => {
    const http = await ScriptedHttpServer.open();
    const server = await imported(
      {
        type: 'http',
        url: `${http.url}?token=\${env:SIGHTGLASS_TEST_TOKEN}&at=\${env:SIGHTGLASS_TEST_PLACE}`,
        headers: { Authorization: 'Bearer ${input:key}', 'X-Place': '${env:SIGHTGLASS_TEST_PLACE}' },
      },
      { 'input:key': 'planted-input-1' },
    );
    const { phase, traceFile } = await engine.reconnect(server.id);
    expect(phase).toBe('ready');
    const [request] = http.requests;
    expect(request?.url).toBe('/mcp?token=planted-token-1&at=here');
    expect(request?.header('Authorization')).toBe('Bearer planted-input-1');
    expect(request?.header('X-Place')).toBe('here');
    expect(await readFile(traceFile.path, 'utf8')).not.toContain('planted');
    await http.close();
  });
});

describe('variables that an HTTP server gets', () => {
  let http: ScriptedHttpServer;
  beforeEach(async () => {
    http = await ScriptedHttpServer.open();
  });
  afterEach(() => http.close());

  const headers = { 'X-Place': '${env:SIGHTGLASS_TEST_PLACE:-none}' };
  const open = (serverId: string, approval?: string) =>
    engine.call('sessions/open', { serverId, ...(approval !== undefined && { approval }) });

  /** Opens a server; returns what the user is asked, or null. */
  async function askedFor({ id }: Pick<Server, 'id'>) {
    const opened = await open(id);
    return opened.outcome === 'variables-approval-needed' ? opened : null;
  }

  async function save({ id, ...settings }: Server, changes: Partial<HttpSettings>): Promise<Server> {
    if (settings.transport.kind !== 'http') throw new Error('no HTTP server');
    return engine.call('servers/save', {
      id,
      settings: { ...settings, transport: { ...settings.transport, ...changes } },
    });
  }

  test('are shown with its host before anything is sent, and sent once that is approved', async () => {
    const url = `${http.url}/\${userHome}?at=\${env:SIGHTGLASS_TEST_PLACE}`;
    const server = await imported({
      type: 'http',
      url,
      headers: { ...headers, Authorization: 'Bearer ${env:SIGHTGLASS_TEST_TOKEN}' },
    });
    const asked = await open(server.id);
    expect(http.requests).toEqual([]);
    expect(asked).toEqual({
      outcome: 'variables-approval-needed',
      approval: expect.any(String),
      sent: {
        origin: new URL(http.url).origin,
        variables: [
          { variable: '${env:SIGHTGLASS_TEST_PLACE}', places: ['URL', 'X-Place'] },
          { variable: '${env:SIGHTGLASS_TEST_TOKEN}', places: ['Authorization'] },
          { variable: '${userHome}', places: ['URL'] },
        ],
      },
    });
    expect(JSON.stringify(asked)).not.toContain('planted');
    expect(await open(server.id, 'made up')).toMatchObject({ outcome: 'variables-approval-needed' });
    expect(http.requests).toEqual([]);
    await engine.reconnect(server.id);
    expect(http.requests[0]?.header('Authorization')).toBe('Bearer planted-token-1');
    expect(await askedFor(server)).toBeNull();
    vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted-token-2');
    expect(await askedFor(server)).toBeNull();
  });

  test('are asked about again when the variables or the host change', async () => {
    const server = await imported({ type: 'http', url: http.url, headers });
    await engine.reconnect(server.id);
    const other = await ScriptedHttpServer.open();
    const moved = await save(server, { url: other.url });
    const asked = await askedFor(moved);
    expect(asked?.sent.origin).toBe(new URL(other.url).origin);
    const value = { value: '${env:SIGHTGLASS_TEST_PLACE} ${env:HOME}', secret: false };
    const more = await save(server, { headers: [{ name: 'X-Place', ...value }] });
    // What was approved for one host is approved for no other.
    expect(await open(more.id, asked?.approval)).toMatchObject({ outcome: 'variables-approval-needed' });
    expect((await askedFor(more))?.sent.variables).toHaveLength(2);
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('are sent nowhere for an authorization, or by a server that connects at the start', async () => {
    const server = await imported({ type: 'http', url: http.url, headers });
    const begun = await engine.engine.handle('authorization/begin', {
      serverId: server.id,
      mode: 'stepped',
      revision: null,
      settings: {},
    });
    expect(begun).toMatchObject({ ok: false, fault: { code: 'variables-not-approved' } });
    const { id, ...settings } = server;
    await engine.call('servers/save', { id, settings: { ...settings, connectsAtStart: true } });
    const again = await EngineFixture.open({ host: 'web', dataFolder: engine.folder });
    await again.engine.close();
    expect(http.requests).toEqual([]);
  });

  test('are listed, revoked, and removed with the server', async () => {
    const server = await imported({ type: 'http', url: http.url, headers });
    await engine.reconnect(server.id);
    const [approval] = await engine.call('approvals/list', {});
    expect(approval).toMatchObject({
      serverIds: [server.id],
      sent: { variables: [{ variable: '${env:SIGHTGLASS_TEST_PLACE}', places: ['X-Place'] }] },
    });
    await engine.call('approvals/revoke', { id: approval?.id ?? '' });
    expect(await askedFor(server)).not.toBeNull();
    await engine.reconnect(server.id);
    await engine.call('servers/remove', { id: server.id });
    expect(await engine.call('approvals/list', {})).toEqual([]);
  });

  test('cannot move the request to another host by their value', async () => {
    vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted/token');
    const { host } = new URL(http.url);
    const server = await imported({ type: 'http', url: `http://\${env:SIGHTGLASS_TEST_TOKEN}@${host}/mcp` });
    expect(await openFault(server)).toMatchObject({
      code: 'host-is-secret',
      what: expect.not.stringContaining('planted'),
    });
    vi.stubEnv('SIGHTGLASS_TEST_TOKEN', 'planted%2Ftoken');
    expect((await askedFor(server))?.sent.origin).toBe(`http://${host}`);
    expect(http.requests).toEqual([]);
  });

  test('are none where its settings have none', async () => {
    const server = await imported({ type: 'http', url: http.url, headers: { 'X-Place': '${other}' } });
    expect((await open(server.id)).outcome).toBe('opened');
  });
});

test('a command of this run is passed on as it is written', async () => {
  const { command, args, cwd } = witness(['${env:SIGHTGLASS_TEST_PLACE}']);
  await engine.engine.openServer({ kind: 'stdio', command, args, cwd, env: { A: '${userHome}' } });
  const [session] = await engine.call('sessions/list', {});
  await engine.settled(session?.id ?? '', ['ready', 'failed']);
  expect((await started()).args).toEqual(['${env:SIGHTGLASS_TEST_PLACE}']);
  expect((await started()).env).toMatchObject({ A: '${userHome}' });
});
