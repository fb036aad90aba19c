import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import spawn from 'cross-spawn';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { projectRoot } from './step.ts';

let folder = '';
/** Where the package is installed; nothing else is there. */
let empty = '';
let packed: readonly string[] = [];

/** Starts a program where nothing of the project is found, and where npm cannot reach a registry. */
function start(command: string, args: readonly string[], cwd: string): ChildProcess {
  // What npm sets for the scripts it runs, as this test under `npm test`, would lead back to the project.
  const outer = Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$)/i.test(name));
  const env = {
    ...Object.fromEntries(outer),
    HOME: folder,
    USERPROFILE: folder,
    SIGHTGLASS_HOME: join(folder, 'data'),
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return spawn(command, [...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Signals then reach the program behind npx too.
    detached: process.platform !== 'win32',
  });
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => (printed[name] += text));
  }
  await once(child, 'close');
  return { code: child.exitCode, ...printed };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-npm-'));
  empty = join(folder, 'empty');
  await mkdir(empty);
  // The project is built already, which packing would do once more.
  const pack = await outcomeOf(
    start('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], projectRoot),
  );
  const [one] = z
    .array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }))
    .parse(JSON.parse(pack.stdout));
  if (one === undefined) throw new Error(pack.stderr);
  packed = one.files.map(({ path }) => path);
  const install = await outcomeOf(
    start(
      'npm',
      ['install', '--no-audit', '--no-fund', '--prefix', empty, join(folder, one.filename)],
      empty,
    ),
  );
  if (install.code !== 0 || !install.stdout.includes('added 1 package')) throw new Error(install.stderr);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('the npm package contains what is built and its licenses, no sources and no source maps', async () => {
  const others = packed.filter((path) => !path.startsWith('dist/'));
  expect(others.sort()).toEqual(['README.md', 'package.json']);
  expect(packed.filter((path) => path.endsWith('.map'))).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining(['dist/main/licenses/packages.md', 'dist/renderer/licenses/packages.md']),
  );
  const manifest: unknown = JSON.parse(
    await readFile(join(empty, 'node_modules/sightglass/package.json'), 'utf8'),
  );
  expect(manifest).not.toHaveProperty('dependencies');
});

test('installed into an empty folder, it calls a tool by npx', async () => {
  const server = join('node_modules', 'sightglass', 'dist', 'main', 'demo-server.js');
  const args = ['sightglass', 'call', 'echo', 'message=hello', '--', process.execPath, server];
  const { code, stdout, stderr } = await outcomeOf(start('npx', args, empty));
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: expect.stringContaining('hello') });
});

test('installed into an empty folder, it serves the page by npx', async () => {
  const child = start('npx', ['sightglass', 'open', '--web'], empty);
  const ended = outcomeOf(child);
  let printed = '';
  child.stdout?.on('data', (text: string) => (printed += text));
  child.stderr?.on('data', (text: string) => (printed += text));
  try {
    await expect.poll(() => printed).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#token=/);
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? '';
    const page = await (await fetch(origin)).text();
    expect(page).toContain('<title>Sightglass</title>');
    const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1] ?? 'none';
    expect((await fetch(`${origin}/${script}`)).status).toBe(200);
  } finally {
    if (process.platform === 'win32') child.kill();
    else process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  }
});
