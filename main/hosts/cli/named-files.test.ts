import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cli, CliRun } from '#fixtures/cli/cli.ts';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { everything } from '#fixtures/cli/servers.ts';
import { traceText, unit } from '#fixtures/trace/trace-text.ts';

let folder: string;
let cli: Cli;
const trace = (): string => join(folder, 'fine.mcptrace');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-named-'));
  await chmod(folder, 0o755);
  await writeFile(trace(), traceText(unit(0, { id: 1, method: 'ping' }, 'out')));
  cli = await Cli.open();
});
afterAll(async () => {
  await cli.close();
  await rm(folder, { recursive: true, force: true });
});

/** No server answers there: a file that cannot be read is said before one is needed. */
const nowhere = ['--url', 'http://127.0.0.1:9/mcp'];

/** The commands that read a file which the user names, with a name that it may have. */
const commands: Readonly<Record<string, readonly [end: string, args: (path: string) => string[]]>> = {
  test: ['.mcptest.yaml', (path) => ['test', path, ...nowhere]],
  load: ['.mcptest.yaml', (path) => ['load', path, '--count', '1', ...nowhere]],
  convert: ['.json', (path) => ['convert', path]],
  import: ['.json', (path) => ['import', path]],
  lock: ['.json', (path) => ['lock', '--check', '--out', path, ...nowhere]],
  diff: ['.json', (path) => ['diff', '--catalog', path, path]],
  faults: ['.yaml', (path) => ['mock', trace(), '--faults', path]],
  args: ['.json', (path) => ['call', 'echo', '--args', `@${path}`, ...nowhere]],
  header: ['.txt', (path) => ['list', 'tools', '--header', `X-A=@${path}`, ...nowhere]],
  export: ['.mcptrace', (path) => ['export', path, '--to', 'jsonl']],
  from: ['.mcptrace', (path) => ['test', '--from', path, `${path}.mcptest.yaml`]],
  mock: ['.mcptrace', (path) => ['mock', path]],
};

/** What a path may lead to, and what a command says of it. */
const kinds: Readonly<Record<string, readonly [make: (path: string) => unknown, says: RegExp]>> = {
  pipe: [(path) => execFileSync('mkfifo', [path]), /is a pipe \(FIFO\)/],
  device: [(path) => symlink('/dev/zero', path), /is a device/],
  loop: [(path) => symlink(path, path), /leads back to itself/],
  large: [
    async (path) => {
      await writeFile(path, '');
      await truncate(path, 2 * 1024 ** 3);
    },
    /too large|binary file/,
  ],
  closed: [
    async (path) => {
      await writeFile(path, '{}');
      await chmod(path, 0);
    },
    /do not have permission to read/,
  ],
};

/** Runs a command with little memory, until it has hung too long. The user root loses the right to read every file. */
async function run(args: readonly string[]) {
  const limited =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
  const [command = '', ...words] = [...limited, process.execPath, cliEntry, ...args];
  const options = { CI: '', SIGHTGLASS_HOME: cli.folder, NODE_OPTIONS: '--max-old-space-size=256' };
  const started = new CliRun(command, words, { ...process.env, ...options });
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 60_000);
  const outcome = await started.ended;
  clearTimeout(timer);
  return outcome;
}

describe.skipIf(process.platform !== 'linux')('a file that cannot be read is said at once', () => {
  // Each command at a pipe, where it would hang; each kind at one command that reads with each reader.
  const cases = Object.keys(commands).flatMap((command) =>
    Object.keys(kinds)
      .filter((kind) => kind === 'pipe' || command === 'test' || command === 'args' || command === 'mock')
      .map((kind) => [command, kind] as const),
  );

  test.for(cases)('by %s: a %s', { timeout: 90_000 }, async ([command, kind]) => {
    const [end, args] = commands[command] ?? expect.fail();
    const [make, says] = kinds[kind] ?? expect.fail();
    const path = join(folder, `${command}-${kind}${end}`);
    await make(path);
    const { exitCode, stdout, stderr } = await run(args(path));
    expect(stderr).toMatch(says);
    expect(exitCode).toBe(2);
    // The report of a test run has the cause, too.
    expect(stdout).toMatch(command === 'test' ? says : /^$/);
  });
});

test('a text in UTF-16, packed with gzip, is read by each command that reads texts', {
  timeout: 300_000,
}, async () => {
  const own = join(folder, 'texts');
  await mkdir(own);
  const write = async (file: string, text: string): Promise<string> => {
    await writeFile(join(own, file), gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')));
    return join(own, file);
  };
  const suite = await write('a.mcptest.yaml', 'version: 1\nsteps:\n  - name: pings\n    request: ping\n');
  const tested = await cli.run(['test', suite, '--allow-writes'], everything);
  expect(`${tested.stdout}${tested.stderr}`).toContain('1 passed');
  const assertion = await write('b.yaml', 'name: x\nassert:\n  tool: echo\n');
  expect((await cli.runBare(['convert', assertion])).stdout).toContain('1 call of mcp-assert converted');
  const servers = await write('c.json', '{"mcpServers": {"one": {"command": "node"}}}');
  expect((await cli.runBare(['import', servers])).stdout).toContain('one');
  const args = await write('d.json', '{"message": "hello"}');
  const called = await cli.run(['call', 'echo', '--args', `@${args}`], everything);
  expect(called.stdout).toContain('Echo: hello');
});
