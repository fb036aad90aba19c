import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify as stringifyToml } from 'smol-toml';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify as stringifyYaml } from 'yaml';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { type ClientFormat, fileFormats } from '#shared/client-formats/table.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import type { Server } from '#shared/contract/servers.ts';

let engine: EngineFixture;
beforeEach(async () => {
  engine = await EngineFixture.open();
});
afterEach(() => engine.close());

/** The parts of a server with a secret in them. */
type Planted = (secret: string) => Parts;

interface Parts {
  readonly env?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly args?: readonly string[];
  readonly url?: string;
}

const names = ['API_KEY', 'GITHUB_TOKEN', 'db_password', 'clientSecret', 'SERVICE_PAT'];
const flags = ['api-key', 'token', 'password', 'access-token', 'client-secret'];

const inEnv: fc.Arbitrary<Planted> = fc.oneof(
  fc.constantFrom(...names).map(
    (name): Planted =>
      (secret) => ({ env: { [name]: secret } }),
  ),
  fc.constantFrom('Bearer ', 'Basic ').map(
    (scheme): Planted =>
      (secret) => ({ env: { HEADERS: `Authorization: ${scheme}${secret}` } }),
  ),
  fc.constantFrom(...names).map(
    (name): Planted =>
      (secret) => ({ env: { MODE: `\${env:${name}:-${secret}}` } }),
  ),
  fc
    .constantFrom(
      (secret: string) => JSON.stringify({ 'X-Api-Key': secret }),
      (secret: string) => `https://a.example.com/mcp?token=${secret}`,
      (secret: string) => `redis://:${secret}@db.example.com:6379`,
      (secret: string) => `Server=db;User Id=sa;Password=${secret};`,
      (secret: string) => `--level 3 --token ${secret}`,
    )
    .map(
      (build): Planted =>
        (secret) => ({ env: { OPTIONS: build(secret) } }),
    ),
);

const inHeaders: fc.Arbitrary<Planted> = fc
  .constantFrom('Authorization', 'X-API-Key', 'X-Custom', 'Cookie')
  .map(
    (name): Planted =>
      (secret) => ({ headers: { [name]: `Bearer ${secret}` } }),
  );

const inArguments: fc.Arbitrary<Planted> = fc.constantFrom(...flags).chain((flag) =>
  fc
    .constantFrom<((secret: string) => string[])[]>(
      (secret) => [`--${flag}`, secret],
      (secret) => [`--${flag}=${secret}`],
      (secret) => ['-e', `${flag.toUpperCase().replaceAll('-', '_')}=${secret}`],
      (secret) => ['--header', `Authorization: Bearer ${secret}`],
      (secret) => [`https://a.example.com/mcp?${flag.replaceAll('-', '_')}=${secret}`],
      (secret) => [`--dsn=postgres://me:${secret}@db.example.com/x`],
      (secret) => ['--config', JSON.stringify({ url: 'x', [flag]: secret })],
      (secret) => [`--${flag}`, `\${env:API_KEY:-${secret}}`],
      (secret) => [`\${API_KEY:${secret}}`],
      (secret) => [`--env=${flag.toUpperCase().replaceAll('-', '_')}=${secret}`],
      (secret) => [`--header=X-Api-Key: ${secret}`],
      (secret) => [`/${flag}:${secret}`],
      (secret) => [`--${flag} ${secret}`],
      (secret) => ['-c', `MODE=x API_KEY="${secret}" npx tool -H "X-Level: 3"`],
      (secret) => ['/c', `npx tool --${flag} ${secret} && exit`],
      (secret) => ['-lc', `npx tool -H "Authorization: Bearer ${secret}" --level 3`],
      (secret) => ['--config', JSON.stringify(JSON.stringify({ level: 3, [flag]: secret }))],
      (secret) => [`Server=db.example.com;User Id=sa;Password=${secret};`],
    )
    .map(
      (build): Planted =>
        (secret) => ({ args: build(secret) }),
    ),
);

const inUrl: fc.Arbitrary<Planted> = fc
  .constantFrom(
    (secret: string) => `https://a.example.com/mcp?api_key=${secret}`,
    (secret: string) => `https://me:${secret}@a.example.com/mcp`,
  )
  .map(
    (build): Planted =>
      (secret) => ({ url: build(secret) }),
  );

const secretText = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{11,30}$/).map((text) => `planted${text}`);

/** A server with these parts as the client writes it. */
function entryOf({ keys, types }: FileFormat, name: string, parts: Parts): Record<string, unknown> {
  const { env = {}, headers = {}, args = [], url } = parts;
  if (url !== undefined || Object.keys(headers).length > 0) {
    const [first = 'headers', ...inner] = keys.headers;
    const inside = inner.length === 0 ? headers : { [inner[0] ?? '']: headers };
    const type = types.auto === null ? {} : { [keys.type]: types.auto };
    return {
      name,
      ...type,
      [keys.urls[0]?.key ?? 'url']: url ?? 'https://a.example.com/mcp',
      [first]: inside,
    };
  }
  const type = types.stdio === null ? {} : { [keys.type]: types.stdio };
  const command =
    keys.args === null ? { [keys.command]: ['npx', ...args] } : { [keys.command]: 'npx', [keys.args]: args };
  return { name, ...type, ...command, [keys.env]: env };
}

function fileOf(format: FileFormat, entries: readonly Record<string, unknown>[]): string {
  const [container = []] = format.containers;
  const servers: unknown = format.isList
    ? entries
    : Object.fromEntries(entries.map((entry, index) => [`server-${index}`, entry]));
  const file = Object.fromEntries([
    [
      container[0] ?? '',
      container.slice(1).reduceRight<unknown>((inside, key) => ({ [key]: inside }), servers),
    ],
  ]);
  if (format.syntax === 'toml') return stringifyToml(file);
  return format.syntax === 'yaml' ? stringifyYaml(file) : JSON.stringify(file);
}

async function importText(text: string, format: ClientFormat): Promise<Server[]> {
  const source = { kind: 'text' as const, text, path: null, format };
  const preview = await engine.call('servers/import-preview', { source });
  expect(preview.servers).not.toEqual([]);
  expect(JSON.stringify(preview)).not.toContain('planted');
  const picks = preview.servers.map(({ key }) => ({ key, name: null, replaces: null }));
  return engine.call('servers/import', { source, picks, values: {} });
}

test.each(fileFormats.map(({ id }) => id))(
  'a value that is secret by its name never gets into servers.json from a file of %s, and is not lost',
  async (id) => {
    const format = fileFormats.find((one) => one.id === id);
    if (format === undefined) throw new Error('no format');
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(...[inEnv, inHeaders, inArguments, inUrl].map((one) => fc.tuple(one, secretText))),
        async (all) => {
          const entries = all.map(([build, secret], index) =>
            entryOf(format, `server-${index}`, build(secret)),
          );
          const servers = await importText(fileOf(format, entries), id);
          expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('planted');
          for (const [index, [, secret]] of all.entries())
            expect(await heldOf(servers[index])).toContain(secret);
        },
      ),
      { numRuns: 4 },
    );
  },
);

test('a command line with a secret is kept with a variable in its place, which has its value', async () => {
  const [server] = await importText(
    'npx -y tool --api-key plantedArgument1 --api-key plantedArgument2 --level 3',
    'command-line',
  );
  expect(server?.transport).toMatchObject({
    args: ['-y', 'tool', '--api-key', '${input:api-key}', '--api-key', '${input:api-key-2}', '--level', '3'],
  });
  expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('planted');
  const reveal = (name: string) => engine.call('servers/reveal', { id: server?.id ?? '', name });
  expect(await reveal('input:api-key')).toEqual({ value: 'plantedArgument1' });
  expect(await reveal('input:api-key-2')).toEqual({ value: 'plantedArgument2' });
});

test.each<[string, Record<string, object>]>([
  ['the name of a server', { 'https://a.example.com/mcp?api_key=planted1': { command: 'npx' } }],
  ['a name that is an assignment', { 'API_KEY=planted1 tool': { command: 'npx', args: 'x' } }],
  ['the folder of a server', { tool: { command: 'npx', cwd: 'https://me:planted1@a.example.com/' } }],
  ['a variable that only another client knows', { tool: { command: 'npx', args: ['${API_KEY:planted1}'] } }],
])('a secret in %s is neither shown nor saved', async (_, mcpServers) => {
  await importText(JSON.stringify({ mcpServers }), 'claude-desktop');
  expect(await readFile(join(engine.folder, 'servers.json'), 'utf8')).not.toContain('planted');
});

test('a shell line with a secret keeps its other words', async () => {
  const [server] = await importText(
    JSON.stringify({
      mcpServers: {
        a: { command: 'bash', args: ['-c', 'API_KEY="planted1" npx tool --token planted2 --level 3'] },
      },
    }),
    'claude-desktop',
  );
  expect(server?.transport).toMatchObject({
    args: ['-c', 'API_KEY=${input:API_KEY}" npx tool --token ${input:token} --level 3'],
  });
});

/** All values of a server that are held. */
async function heldOf(server: Server | undefined): Promise<string> {
  if (server === undefined) return '';
  const { id, transport, variables = [] } = server;
  const pairs = transport.kind === 'stdio' ? transport.env : transport.headers;
  const secrets = [...pairs, ...variables].filter(({ secret }) => secret).map(({ name }) => name);
  const values = await Promise.all(secrets.map((name) => engine.call('servers/reveal', { id, name })));
  const { url } = await engine.call('servers/reveal-url', { id });
  return [...values.map(({ value }) => value), url].join('\n');
}

test('the version of an image whose name looks like that of a secret stays', async () => {
  const args = ['run', 'mcp-auth:latest', 'vault-token:1.0.2', '--auth', 'none'];
  const [server] = await importText(
    JSON.stringify({ mcpServers: { a: { command: 'docker', args } } }),
    'claude-desktop',
  );
  expect(server?.transport).toMatchObject({ args });
});

test('many secrets in a command line are kept apart in time', async () => {
  const args = Array.from({ length: 900 }, (_, index) => `--token=planted${index}`);
  const started = performance.now();
  const [server] = await importText(
    JSON.stringify({ mcpServers: { a: { command: 'x', args } } }),
    'claude-desktop',
  );
  expect(performance.now() - started).toBeLessThan(5000);
  expect(server?.variables).toHaveLength(900);
});
