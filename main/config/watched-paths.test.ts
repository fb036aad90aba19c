import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plainHttpSettings, type Server } from '#shared/contract/servers.ts';
import { watchedPaths } from './watched-paths.ts';
import { demoServer } from './servers-of-this-run.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'sightglass-paths-'));
  for (const folder of ['src', 'dist', 'weather', 'docs']) await mkdir(join(cwd, folder));
  for (const file of ['server.js', 'src/server.py', 'dist/index.js', 'weather/__main__.py', 'my-server']) {
    await writeFile(join(cwd, file), '');
  }
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ bin: { weather: './dist/index.js' } }));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const server: Server = demoServer({ command: 'node', args: [], env: {} });

test.each([
  ['node server.js', ['server.js', '.']],
  ['node --inspect --import file:///nowhere.js dist/index.js docs', ['dist/index.js', 'dist']],
  ['/usr/bin/python3 src/server.py --port 1', ['src/server.py', 'src']],
  ['python -m weather.main docs', ['weather']],
  ['uv run src/server.py', ['src/server.py', 'src']],
  ['npm run start', ['package.json', 'dist']],
  ['./my-server docs', ['my-server']],
  // What it runs is fetched; its arguments are its data.
  ['npx -y some-server docs', []],
])('finds in the command "%s" what it runs', async (line, expected) => {
  const [command = '', ...args] = line.split(' ');
  const found = await watchedPaths(server, { command, args, cwd });
  expect(found.map(({ path }) => path)).toEqual(expected.map((path) => join(cwd, path)));
});

test('takes the paths of the settings, relative to the working folder, instead of the command', async () => {
  const rebuild = { isOn: true, paths: ['src', '/else/where.js'] };
  const found = await watchedPaths({ ...server, rebuild }, { command: 'node', args: ['server.js'], cwd });
  expect(found.map(({ path }) => path)).toEqual([join(cwd, 'src'), '/else/where.js']);
  const transport = plainHttpSettings('http://127.0.0.1:1/mcp');
  expect(await watchedPaths({ ...server, transport }, null)).toEqual([]);
});
