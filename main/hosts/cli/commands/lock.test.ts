import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli } from '#fixtures/cli/cli.ts';
import { legacyServer, modern } from '#fixtures/cli/servers.ts';
import { scriptedServer } from '#fixtures/engine/scripted-server.ts';

/** A server in several builds. @param tools JavaScript of a list */
function build(tools: string): string[] {
  const { command, args } = scriptedServer(
    `'tools/list': (request) => answer(request, { tools: ${tools} }),`,
  );
  return [command, ...args];
}

const add = (schema: string, more = '') => `{ name: 'add', ${more} inputSchema: ${schema} }`;
const number = `{ type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'number' } } }`;
const same = `{ $defs: { n: { type: 'number' } }, properties: { n: { $ref: '#/$defs/n' } }, type: 'object' }`;
const narrowed = `{ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }`;
const say = `{ name: 'say', inputSchema: { type: 'object' } }`;

/** A server with prompts. @param answerList JavaScript that answers `prompts/list` */
function withPrompts(answerList: string): string[] {
  const { command, args } = scriptedServer(`
    initialize: (request) => answer(request, {
      protocolVersion: request.params.protocolVersion,
      capabilities: { prompts: {} },
      serverInfo: { name: 'scripted', version: '1.0.0' },
    }),
    'prompts/list': (request) => ${answerList},
  `);
  return [command, ...args];
}

let folder: string;
let cli: Cli;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-lock-'));
  file = join(folder, 'mcp.lock.json');
  cli = await Cli.open();
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

// The server does not answer the question for its era.
const run = (args: string[], server: string[]) => cli.run([...args, '--era', 'legacy'], server);
const lock = (server: string[], ...options: string[]) => run(['lock', '--out', file, ...options], server);

describe('sightglass lock', () => {
  test('asks the server for the log level that it is given', async () => {
    const asking = await Cli.open();
    const asked = await asking.run(['lock', '--out', file, '--log-level', 'emergency'], legacyServer);
    expect(asked.exitCode).toBe(0);
    expect(await asking.trace()).toContain('logging/setLevel');
    await asking.close();
    await rm(file);
  });

  test('reads the lists of a server that declares nothing, because its era is set', async () => {
    const written = await cli.run(['lock', '--out', file, '--era', 'modern'], modern);
    expect(written).toMatchObject({ exitCode: 0, stderr: '' });
    const pinned = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown[] | null>;
    await cli.run(['lock', '--out', file], modern);
    const asked = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown[] | null>;
    expect(pinned.capabilities).toBeNull();
    for (const list of ['tools', 'resources', 'resourceTemplates', 'prompts'])
      expect(pinned[list]).toEqual(asked[list]);
    expect(asked.resources?.length).toBeGreaterThan(0);
    await rm(file);
  });

  test('writes the catalog, the same again for the same catalog, and checks a server against it', async () => {
    const missing = await lock(build(`[${say}]`), '--check');
    expect(missing.stderr).toContain(`There is no file ${file}.`);
    expect(missing.exitCode).toBe(2);

    const written = await lock(build(`[${say}, ${add(number)}]`));
    expect(written).toMatchObject({ exitCode: 0, stdout: `${file} written\n`, stderr: '' });
    const text = await readFile(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      version: 1,
      capabilities: { tools: {} },
      tools: [
        { name: 'add', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } },
        { name: 'say' },
      ],
      resources: [],
    });
    const { mtimeMs } = await stat(file);
    const again = await lock(build(`[${add(same)}, ${say}]`), '--json');
    expect(JSON.parse(again.stdout)).toEqual({ file, isChanged: false, missing: [] });
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);

    const checked = await lock(build(`[${add(number)}, ${say}]`), '--check');
    expect(checked).toMatchObject({ exitCode: 0, stdout: '0 calls; 0 catalog changes\n' });
    const behavior = build(`[${add(number, "description: 'Adds',")}, ${say}]`);
    const changed = await lock(behavior, '--check');
    expect(changed.stdout).toContain('behavior   tool add: Description added');
    expect(changed.exitCode).toBe(0);
    expect((await lock(behavior, '--check', '--fail-on', 'behavior')).exitCode).toBe(1);
    const broken = await lock(build(`[${add(narrowed)}]`), '--check');
    expect(broken.stdout).toContain('breaking   tool say: Tool removed');
    expect(broken.stdout).toContain('breaking   tool add: Argument n is now required');
    expect(broken.exitCode).toBe(1);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('writes the tools that are wrongly declared, and says so', async () => {
    const { command, args } = scriptedServer(`
      initialize: (request) => answer(request, {
        protocolVersion: request.params.protocolVersion,
        capabilities: { tools: [], logging: true },
        serverInfo: { name: 'scripted', version: '1.0.0' },
      }),
      'tools/list': (request) => answer(request, { tools: [${say}] }),
    `);
    const out = join(folder, 'wrong.lock.json');
    const { exitCode, stderr } = await run(['lock', '--out', out], [command, ...args]);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('The server wrongly declared the "tools" capability: an array');
    expect(stderr).toContain('The server wrongly declared the "logging" capability: true');
    expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({
      capabilities: { tools: [] },
      tools: [{ name: 'say' }],
      resources: [],
    });
  });

  test('keeps a file that has a list which cannot be read now; --check and diff fail for it', async () => {
    const [kept, without] = [join(folder, 'kept.lock.json'), join(folder, 'without.lock.json')];
    await run(['lock', '--out', kept], withPrompts(`answer(request, { prompts: [{ name: 'greet' }] })`));
    const text = await readFile(kept, 'utf8');
    const broken = withPrompts(`write({ id: request.id, error: { code: -32603, message: 'broken' } })`);
    const again = await run(['lock', '--out', kept], broken);
    expect(again.stdout).toContain('was not changed: it has a list that could not be read now');
    expect(again.exitCode).toBe(1);
    expect(await readFile(kept, 'utf8')).toBe(text);
    expect((await run(['lock', '--out', kept, '--check'], broken)).exitCode).toBe(1);
    expect((await run(['lock', '--out', without], broken)).stdout).toContain('written');
    const diff = await cli.runBare(['diff', kept, without, '--catalog', '--fail-on', 'breaking']);
    expect(diff.stdout).toContain('not compared: the list of prompts');
    expect(diff.exitCode).toBe(1);
  });

  test('replaces only lock files, and names the line of a damaged one', async () => {
    await writeFile(file, '{\n  "name": "package"\n}\n');
    const other = await lock(build(`[${say}]`));
    expect(other.stderr).toContain(`${file}:1:1: version: `);
    expect(other.exitCode).toBe(2);
    expect(await readFile(file, 'utf8')).toContain('package');
    await rm(file);
    const flag = await lock(build(`[${say}]`), '--fail-on', 'any');
    expect(flag.stderr).toContain('--fail-on goes with --check');
  });
});

test('sightglass diff --catalog takes a lock file on either side', async () => {
  const [old, now, trace] = ['old.lock.json', 'now.lock.json', 'now.mcptrace'].map((name) =>
    join(folder, name),
  );
  if (old === undefined || now === undefined || trace === undefined) throw new Error('three names');
  await run(['lock', '--out', old], build(`[${say}, ${add(number)}]`));
  await run(['lock', '--out', now], build(`[${add(narrowed)}]`));
  await run(['record', '--out', trace, '--for', '1s'], build(`[${add(narrowed)}]`));
  for (const [one, other] of [
    [old, now],
    [old, trace],
  ] as const) {
    const { stdout, exitCode } = await cli.runBare([
      'diff',
      one,
      other,
      '--catalog',
      '--fail-on',
      'breaking',
    ]);
    expect(stdout).toContain('breaking   tool say: Tool removed');
    expect(stdout).toContain('0 calls; 2 catalog changes');
    expect(exitCode).toBe(1);
  }
  const reverse = await cli.runBare(['diff', trace, old, '--catalog', '--json']);
  const { catalog } = JSON.parse(reverse.stdout) as { catalog: { rule: string }[] };
  expect(catalog.map(({ rule }) => rule).sort()).toEqual(['argument-optional', 'tool-added']);
  const calls = await cli.runBare(['diff', old, now]);
  expect(calls.stderr).toContain('is a lock file, which has no calls to compare: add --catalog');
  expect(calls.exitCode).toBe(2);
});
