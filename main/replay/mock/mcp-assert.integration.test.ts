import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { EngineFixture } from '#fixtures/engine/open-engine.ts';
import { everythingOverStdio } from '#fixtures/http/start-server.ts';
import { defaultClientProfile } from '#shared/contract/servers.ts';

const program = fileURLToPath(new URL('../../../node_modules/.bin/mcp-assert', import.meta.url));

/** Assertions of mcp-assert about server-everything; the second one is false. */
const assertions = [
  { name: 'echo', tool: 'echo', args: { message: 'hi' }, contains: 'Echo: hi' },
  { name: 'false', tool: 'get-sum', args: { a: 1, b: 3 }, contains: '99' },
];

let folder: string;
let trace: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-mcp-assert-'));
  trace = join(folder, 'everything.mcptrace');
  const engine = await EngineFixture.open();
  const { id: sessionId } = await engine.connect(everythingOverStdio, {
    // Else the server asks for the roots, which mcp-assert does not have.
    client: { ...defaultClientProfile, capabilities: {} },
  });
  for (const { tool, args } of assertions) await engine.callTool(sessionId, tool, args);
  await engine.call('sessions/close', { sessionId });
  await writeFile(trace, await readFile((await engine.session(sessionId)).traceFile.path));
  await engine.close();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the assertions against a server; what each came to, such as `PASS echo`. */
async function resultsOf(name: string, command: string, args: readonly string[]): Promise<string[]> {
  const suite = join(folder, name);
  await mkdir(suite);
  for (const { name: title, tool, args: given, contains } of assertions) {
    const assertion = { tool, args: given, expect: { contains: [contains] } };
    // JSON is YAML, too.
    await writeFile(
      join(suite, `${title}.yaml`),
      JSON.stringify({ name: title, server: { command, args }, assert: assertion }),
    );
  }
  const child = spawn(program, ['run', '--suite', suite]);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return [...text.matchAll(/^(PASS|FAIL)\s+(\S+)/gm)].map(([, result, title]) => `${result} ${title}`);
}

const mocked = (name: string, file: string) => resultsOf(name, process.execPath, [cliEntry, 'mock', file]);

test('mcp-assert says the same of a mock as of the server, and one spoiled answer fails one assertion', async () => {
  const live = await resultsOf('live', everythingOverStdio.command, everythingOverStdio.args);
  expect(live).toEqual(['PASS echo', 'FAIL false']);
  expect(await mocked('mock', trace)).toEqual(live);
  const spoiled = join(folder, 'spoiled.mcptrace');
  await writeFile(spoiled, (await readFile(trace, 'utf8')).replace('Echo: hi', 'Echo: ho'));
  expect(await mocked('spoiled', spoiled)).toEqual(['FAIL echo', 'FAIL false']);
}, 60_000);
