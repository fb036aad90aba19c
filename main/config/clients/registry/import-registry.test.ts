import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { ScriptedHttpServer } from '#fixtures/http/scripted-http-server.ts';
import { Random, testSeed } from '#fixtures/fuzz/random.ts';
import type { ConfigurationSource, Server, ServerSettings } from '#shared/contract/servers.ts';

let engine: EngineFixture;
let http: ScriptedHttpServer;
beforeEach(async () => {
  engine = await EngineFixture.open();
  http = await ScriptedHttpServer.open();
});
afterEach(async () => {
  await http.close();
  await engine.close();
});

const sourceOf = (content: object | string): ConfigurationSource => ({
  kind: 'text',
  text: typeof content === 'string' ? content : JSON.stringify(content),
  path: null,
  format: null,
});

/** Imports the first server of an entry. */
async function imported(content: object | string, values: Record<string, string> = {}): Promise<Server> {
  const source = sourceOf(content);
  const { servers } = await engine.call('servers/import-preview', { source });
  const picks = servers.slice(0, 1).map(({ key }) => ({ key, name: null, replaces: null }));
  const [server] = await engine.call('servers/import', { source, picks, values });
  if (server === undefined) throw new Error('not imported');
  return server;
}

const entry = (more: object) => ({ name: 'io.example/mine', description: 'Mine', version: '1.0.0', ...more });

describe('a remote whose host is a variable', () => {
  const remote = {
    type: 'streamable-http',
    url: 'http://{host}:{port}/mcp',
    variables: { host: { isRequired: true }, port: { default: '1' } },
    headers: [
      { name: 'X-Mode', value: 'on {mode}', variables: { mode: {} } },
      { name: 'X-Level', choices: ['low', 'high'], default: 'low' },
    ],
  };
  const valuesOf = (host: string) => ({ 'input:host': host, 'input:port': new URL(http.url).port });
  const openFault = async ({ id }: Server) => {
    const outcome = await engine.engine.handle('sessions/open', { serverId: id });
    return outcome.ok ? null : outcome.fault;
  };

  test('is connected to where its values say, without the headers that nobody filled in', async () => {
    const server = await imported(entry({ remotes: [remote] }), valuesOf('127.0.0.1'));
    expect(server.transport).toMatchObject({ url: 'http://${input:host}:${input:port}/mcp' });
    expect(await engine.call('sessions/open', { serverId: server.id })).toMatchObject({
      outcome: 'variables-approval-needed',
      sent: { origin: new URL(http.url).origin },
    });
    const { phase, http: view } = await engine.reconnect(server.id);
    expect([phase, view?.url]).toEqual(['ready', http.url]);
    const [request] = http.requests;
    expect(request?.header('X-Mode')).toBeUndefined();
    expect(request?.header('X-Level')).toBe('low');
  });

  test('gets an optional header once it has a value', async () => {
    const values = { ...valuesOf('127.0.0.1'), 'input:mode': 'fast', 'input:X-Level': 'high' };
    const server = await imported(entry({ remotes: [remote] }), values);
    expect((await engine.reconnect(server.id)).phase).toBe('ready');
    expect(http.requests[0]?.header('X-Mode')).toBe('on fast');
    expect(http.requests[0]?.header('X-Level')).toBe('high');
  });

  test.each([
    ['a b', 'url-not-valid', /http:\/\/a b:/],
    ['', 'input-not-given', /\$\{input:host\}/],
  ])('with the value "%s" is not connected to, and says why', async (host, code, what) => {
    const server = await imported(entry({ remotes: [remote] }), valuesOf(host));
    expect(await openFault(server)).toMatchObject({ code, what: expect.stringMatching(what) });
    expect(http.requests).toEqual([]);
  });

  test('that fails to connect says so with its host, and offers what helps', async () => {
    const server = await imported(
      entry({ remotes: [{ ...remote, url: 'https://{host}:{port}/mcp' }] }),
      valuesOf('127.0.0.1'),
    );
    const { phase, fault } = await engine.reconnect(server.id);
    expect(phase).toBe('failed');
    expect(JSON.stringify(fault)).toContain('127.0.0.1');
  });

  test('rejects a value that is not one of its choices', async () => {
    const values = { ...valuesOf('127.0.0.1'), 'input:X-Level': 'middle' };
    await expect(imported(entry({ remotes: [remote] }), values)).rejects.toMatchObject({
      fault: { code: 'not-a-choice', next: 'Give one of low, high.' },
    });
    expect(await engine.call('servers/list', {})).toEqual([]);
  });
});

describe('an import from the registry', () => {
  const named = [
    'API_KEY',
    'password',
    'access-token',
    'CLIENT_SECRET',
    'authorization',
    'X-Api-Key',
  ] as const;

  test('writes no value that is secret by its name or its entry into servers.json, wherever it is', async () => {
    const random = new Random(testSeed());
    for (let run = 0; run < 40; run++) {
      const planted = () => `planted${random.below(1_000_000)}zq`;
      const secret = () => {
        const isNamed = random.below(2) === 0;
        return { name: isNamed ? random.pick(named) : 'plain', ...(!isNamed && { isSecret: true }) };
      };
      const argument = () =>
        random.pick<() => object & { type: string }>([
          () => ({ type: 'named', ...secret(), value: planted() }),
          () => ({ type: 'named', ...secret(), default: planted(), isSecret: true, isRequired: true }),
          () => ({ type: 'positional', value: `--${random.pick(named)}=${planted()}` }),
          () => ({ type: 'positional', value: planted(), isSecret: true }),
        ])();
      const list = <T>(make: () => T): T[] => Array.from({ length: random.below(4) }, make);
      const content = entry({
        packages: [
          {
            registryType: random.pick(['npm', 'pypi', 'oci', 'nuget']),
            identifier: 'tool',
            transport: { type: 'stdio' },
            runtimeArguments: list(argument).filter(({ type }) => type === 'named'),
            packageArguments: list(argument),
            environmentVariables: list(() => ({ ...secret(), value: planted() })),
          },
        ],
        remotes: [
          {
            type: 'sse',
            url: `https://u:${planted()}@example.com/sse?api_key=${planted()}`,
            headers: list(() => ({ ...secret(), value: `Bearer ${planted()}` })),
          },
        ],
      });
      const source = sourceOf(content);
      const preview = await engine.call('servers/import-preview', { source });
      expect(JSON.stringify(preview)).not.toContain('planted');
      const picks = preview.servers.map(({ key }) => ({ key, name: null, replaces: null }));
      await engine.call('servers/import', { source, picks, values: {} });
      expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('planted');
    }
  });
});

describe('what is exported to the registry', () => {
  const exported = async (server: Server) =>
    engine.call('servers/export', { ids: [server.id], format: 'registry', into: { kind: 'new' } });
  const comparable = ({ transport, variables = [] }: ServerSettings) => ({
    transport,
    variables: variables.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  });

  const key = { name: 'API_KEY', description: 'A key', isRequired: true, isSecret: true };
  const level = { name: 'LEVEL', choices: ['a', 'b'], default: 'a', placeholder: 'a' };
  const stdio = { type: 'stdio' };
  test.each<[string, object]>([
    [
      'npm',
      {
        packages: [
          {
            registryType: 'npm',
            identifier: '@a/b',
            version: '1.0.0',
            transport: stdio,
            environmentVariables: [key, level, { name: 'CACHE' }],
          },
        ],
      },
    ],
    [
      'npm with options',
      {
        packages: [
          {
            registryType: 'npm',
            registryBaseUrl: 'https://npm.example.com',
            identifier: 'b',
            version: '1',
            transport: stdio,
            packageArguments: [
              { type: 'named', name: '--city', isRequired: true, description: 'City' },
              { type: 'positional', value: '{"a": 1}' },
            ],
          },
        ],
      },
    ],
    [
      'pypi',
      {
        packages: [
          {
            registryType: 'pypi',
            identifier: 'b',
            version: '1',
            transport: stdio,
            runtimeArguments: [
              { type: 'named', name: '--from', value: 'b==1' },
              { type: 'positional', value: 'c' },
            ],
            packageArguments: [{ type: 'positional', value: 'x' }],
          },
        ],
      },
    ],
    [
      'nuget',
      {
        packages: [
          {
            registryType: 'nuget',
            identifier: 'B',
            version: '1',
            transport: stdio,
            packageArguments: [{ type: 'positional', value: 'x' }],
            environmentVariables: [key],
          },
        ],
      },
    ],
    [
      'oci',
      {
        packages: [
          {
            registryType: 'oci',
            identifier: `ghcr.io/a/b@sha256:${'ab'.repeat(32)}`,
            transport: stdio,
            runtimeArguments: [
              {
                type: 'named',
                name: '--mount',
                value: 'src={dir},dst=/x',
                variables: { dir: { isRequired: true, description: 'Folder' } },
              },
            ],
            packageArguments: [{ type: 'positional', value: 'x' }],
            environmentVariables: [key, level],
          },
        ],
      },
    ],
    [
      'a remote',
      {
        remotes: [
          {
            type: 'sse',
            url: 'https://{region}.example.com/{id}',
            variables: {
              region: { choices: ['eu', 'us'], default: 'eu', isRequired: true },
              id: { description: 'Id', isRequired: true },
            },
            headers: [
              {
                name: 'Authorization',
                value: 'Bearer {token}',
                isRequired: true,
                variables: { token: { isRequired: true, isSecret: true } },
              },
              { name: 'X-Mode', value: 'x' },
            ],
          },
        ],
      },
    ],
  ])('reads back as the same server: %s', async (_, content) => {
    const server = await imported(entry(content));
    const { text } = await exported(server);
    const [again] = (await engine.call('servers/import-preview', { source: sourceOf(text) })).servers;
    if (again === undefined) throw new Error('not read back');
    const { id: _id, source: _source, ...settings } = server;
    expect(comparable(again.settings)).toEqual(comparable(settings));
    expect(JSON.parse(text)).toMatchObject({ description: 'Mine' });
  });

  test('names what it cannot say', async () => {
    const server = await imported('npx -y tool@latest');
    const { id, source: _source, ...settings } = server;
    if (settings.transport.kind !== 'stdio') throw new Error('no command');
    await engine.call('servers/save', {
      id,
      settings: { ...settings, transport: { ...settings.transport, cwd: '/a' } },
    });
    expect((await exported(server)).leftOut.map(({ key: one }) => one)).toEqual(['version', 'cwd']);
  });
});
