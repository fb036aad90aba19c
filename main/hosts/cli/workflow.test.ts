import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { everything } from '#fixtures/cli/servers.ts';

const page = await readFile(fileURLToPath(new URL('../../../docs/workflow.md', import.meta.url)), 'utf8');
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, lines = '']) =>
  lines.trimEnd().split('\n'),
);

/** A folder as the page assumes it: a server, its configuration for another client, and a saved call. */
async function folderOfServer(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sightglass-workflow-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [command, ...args] = everything.map((word) => JSON.stringify(word));
  const child = `spawn(${command}, [${args.join(', ')}], { stdio: 'inherit' })`;
  await writeFile(join(folder, 'server.js'), `require('node:child_process').${child};`);
  const configuration = { mcpServers: { mine: { command: 'node', args: ['server.js'] } } };
  await writeFile(join(folder, '.mcp.json'), JSON.stringify(configuration));
  const steps = [{ name: 'echoes', call: 'echo', arguments: { message: 'hi' }, expect: { status: 'ok' } }];
  await writeFile(join(folder, 'smoke.mcptest.yaml'), JSON.stringify({ version: 1, steps }));
  return folder;
}

/** Runs a line of the page as a shell does, in that folder. */
function run(line: string, folder: string): Promise<{ exitCode: number | null; output: string }> {
  const program = `sightglass() { '${process.execPath}' '${cliEntry}' "$@"; }\n${line}`;
  const { CI: _, ...env } = process.env;
  const own = { ...env, SIGHTGLASS_HOME: join(folder, 'home') };
  const child = spawn('sh', ['-c', program], { cwd: folder, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}

test('every command of docs/workflow.md works, in its order', { timeout: 120_000 }, async () => {
  const folder = await folderOfServer();
  expect(commands.length).toBeGreaterThan(8);
  for (const line of commands) {
    const { exitCode, output } = await run(line, folder);
    expect({ line, exitCode, output }).toMatchObject({ line, exitCode: 0 });
  }
  const written = ['junit.xml', 'session.mcptrace', 'session-shared.mcptrace', 'report.md'];
  expect(await readdir(folder)).toEqual(expect.arrayContaining(written));
  expect(await readFile(join(folder, 'report.md'), 'utf8')).toContain('## Environment');
});
