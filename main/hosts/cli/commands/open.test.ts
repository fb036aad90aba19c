import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { cliEntry } from '#fixtures/cli/entry.ts';
import { startApp, type StartedApp } from '#fixtures/cli/started-app.ts';
import { appRoot } from '#hosts/app-root.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightglass-open-'));
  return () => rm(folder, { recursive: true, force: true });
});

/** Starts the command line as a user does. */
const sightglass = (args: readonly string[], env: Record<string, string> = {}): StartedApp =>
  startApp(folder, [cliEntry, ...args], { cwd: appRoot, env });

const ADDRESS = /http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/;

async function addressOf(run: StartedApp): Promise<{ port: string; token: string }> {
  await vi.waitUntil(() => ADDRESS.test(run.printed()), { timeout: 20_000 });
  const [, port = '', token = ''] = ADDRESS.exec(run.printed()) ?? [];
  return { port, token };
}

/** Puts a program of the given name on the PATH. */
async function install(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

test.skipIf(process.platform !== 'linux')(
  'without a display the address is printed, with the reason',
  async () => {
    const run = sightglass([]);
    await addressOf(run);
    expect(run.printed()).toMatch(/^sightglass: there is no display here; open http:\S+\n$/);
    run.child.kill('SIGINT');
    expect(await run.exitCode).toBe(0);
  },
);

/** Enters as the page does; the returned function runs a command of the contract. */
async function enter(run: StartedApp): Promise<(command: string, params?: object) => Promise<unknown>> {
  const { port, token } = await addressOf(run);
  const socket = new WebSocket(`ws://127.0.0.1:${port}/engine`, { origin: `http://127.0.0.1:${port}` });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  const frames: Record<string, unknown>[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Record<string, unknown>));
  socket.send(JSON.stringify({ token }));
  let lastId = 0;
  return async (command, params = {}) => {
    const id = ++lastId;
    socket.send(JSON.stringify({ id, command, params }));
    const { outcome } = await vi.waitUntil(() => frames.find((frame) => frame.id === id), {
      timeout: 20_000,
    });
    const { ok, result, fault } = outcome as { ok: boolean; result: unknown; fault: unknown };
    return ok ? result : { fault };
  };
}

test('a command line is opened at once, and ends with the app', async () => {
  const run = sightglass(['open', '--web', '--', process.execPath, 'fixtures/demo/index.ts']);
  const call = await enter(run);
  const info = (await call('app/info')) as { host: string; initialServerId: string };
  expect(info).toMatchObject({ host: 'web', keepsSecrets: false, dataFolder: join(folder, 'home') });
  type Sessions = { serverId: string; phase: string; process: { pid: number } }[];
  const session = await vi.waitUntil(
    async () => ((await call('sessions/list')) as Sessions).find(({ phase }) => phase === 'ready'),
    { timeout: 20_000 },
  );
  expect(session.serverId).toBe(info.initialServerId);
  expect(isRunning(session.process.pid)).toBe(true);

  run.child.kill('SIGTERM');
  expect(await run.exitCode).toBe(0);
  expect(isRunning(session.process.pid)).toBe(false);
});

test('an address is opened at once, whose headers the page does not get', async () => {
  const server = ['--url', 'http://127.0.0.1:1/mcp', '--header', 'X-Key: hunter2222'];
  const call = await enter(sightglass(['open', '--web', ...server]));
  expect(await call('servers/list')).toEqual([
    expect.objectContaining({
      name: '127.0.0.1:1',
      source: 'command-line',
      transport: expect.objectContaining({
        url: 'http://127.0.0.1:1/mcp',
        headers: [{ name: 'X-Key', value: null, secret: true }],
      }),
    }),
  ]);
  expect(JSON.stringify(await call('sessions/list'))).not.toContain('hunter2222');
});

test('with --confirm-in-terminal only the terminal lets a new command line run', async () => {
  const run = sightglass(['--web', '--confirm-in-terminal']);
  const call = await enter(run);
  const transport = {
    kind: 'stdio',
    command: process.execPath,
    args: ['fixtures/demo/index.ts'],
    cwd: appRoot,
    env: [],
    inherit: 'safe',
  };
  const timeouts = { initialize: 30_000, request: 30_000, requestMax: 30_000 };
  const settings = { name: 'new', transport, revision: null, timeouts, notes: '' };
  const { id: serverId } = (await call('servers/save', { id: null, settings })) as { id: string };

  const answered = async (line: string, questions: number) => {
    const outcome = call('sessions/open', { serverId });
    await expect.poll(() => run.printed().split('Run it? [y/N]')).toHaveLength(questions + 1);
    run.child.stdin?.write(line);
    return outcome;
  };
  expect(await answered('n\n', 1)).toHaveProperty('fault');
  expect(await call('sessions/list')).toEqual([]);
  expect(await answered('y\n', 2)).toMatchObject({ outcome: 'opened' });
  run.child.kill('SIGTERM');
  expect(await run.exitCode).toBe(0);
});

test.skipIf(process.platform === 'win32')('it ends with the shell that npm runs it in', async () => {
  const cli = `"${process.execPath}" "${cliEntry}" --web`;
  const shell = spawn('/bin/sh', ['-c', `${cli} & echo pid=$!; wait`], {
    env: { HOME: folder, SIGHTGLASS_HOME: join(folder, 'home'), npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of their own, so that none of them outlives a test that fails.
    detached: true,
  });
  onTestFinished(() => killGroup(shell.pid));
  let printed = '';
  shell.stdout.on('data', (text) => (printed += String(text)));
  await vi.waitUntil(() => ADDRESS.test(printed), { timeout: 20_000 });
  const pid = Number(/pid=(\d+)/.exec(printed)?.[1]);
  expect(isRunning(pid)).toBe(true);
  shell.kill('SIGTERM');
  await vi.waitUntil(() => !isRunning(pid), { timeout: 20_000 });
});

test.each([
  ['a port that is not a number', ['--port', 'x'], '--port'],
  ['a port out of range', ['--web', '--port', '70000'], '--port'],
  ['an unknown option', ['--nonsense'], '--nonsense'],
  ['an unknown command', ['nonsense'], 'there is no command "nonsense"'],
  ['nothing after "--"', ['open', '--'], 'a command line is needed'],
])('%s is a usage error', async (_, args, said) => {
  const run = sightglass(args);
  expect(await run.exitCode).toBe(2);
  expect(run.printed()).toContain(said);
});

test('a port in use is a usage error', async () => {
  const first = sightglass(['--web']);
  const { port } = await addressOf(first);
  const second = sightglass(['--web', '--port', port]);
  expect(await second.exitCode).toBe(2);
  expect(second.printed()).toBe(`sightglass: --port: ${port} cannot be used (EADDRINUSE)\n`);
});

// The programs here are shell scripts: what matters is how they are called, and what follows when they fail.
describe.skipIf(process.platform !== 'linux')('with a display', () => {
  const display = () => ({ DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: folder });
  const reported = async (name: string) =>
    (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1);

  test.each([
    [
      'the command line after "--"',
      ['--', 'node', 'server.js', '--port', '1'],
      { kind: 'stdio', command: 'node', args: ['server.js', '--port', '1'], env: {} },
    ],
    [
      'the address after --url, whose headers are not among the arguments',
      ['--url', 'http://127.0.0.1:1/mcp', '--header', 'X-Key: hunter2222', '--era', 'legacy'],
      { kind: 'http', url: 'http://127.0.0.1:1/mcp', headers: [['X-Key', 'hunter2222']], era: 'legacy' },
    ],
  ])('the app opens in Electron, with %s', async (_, args, named) => {
    const [given, variable] = [join(folder, 'args'), join(folder, 'variable')];
    await install('electron', `printf '%s\\n' "$@" >'${given}'; echo "$SIGHTGLASS_OPEN" >'${variable}'`);
    const run = sightglass(args, display());
    expect(await run.exitCode).toBe(0);
    expect((await reported('args')).filter((arg) => arg !== '--no-sandbox')).toEqual([appRoot]);
    expect(JSON.parse((await reported('variable')).join('\n'))).toEqual(named);
    expect(run.printed()).toBe('');
  });

  test('a fault that the app itself has reported is not retried elsewhere', async () => {
    await install('electron', 'exit 4');
    await install('chromium', `touch '${join(folder, 'opened')}'`);
    const run = sightglass([], display());
    expect(await run.exitCode).toBe(4);
    expect(await readdir(folder)).not.toContain('opened');
  });

  test('when Electron cannot start, a browser window opens; nobody else can read the token', async () => {
    const [args, door, mode] = ['args', 'door', 'mode'].map((name) => join(folder, name));
    await install('electron', 'kill -TRAP $$');
    await install(
      'chromium',
      [
        'PATH=/usr/bin:/bin',
        `printf '%s\\n' "$@" >'${args}'`,
        'for arg in "$@"; do case $arg in --app=file://*) page=${arg#--app=file://};; esac; done',
        `cp "$page" '${door}'`,
        `stat -c %a "$page" >'${mode}'`,
        'exit 3',
      ].join('\n'),
    );
    const run = sightglass([], display());
    const { token } = await addressOf(run);
    const lines = run.printed().split('\n');
    expect(lines[0]).toBe(
      `sightglass: Electron ended with SIGTRAP; opening a window of ${join(folder, 'chromium')}`,
    );
    // The window never showed the page, so there is a fresh address to open it by hand.
    expect(lines[1]).toMatch(/^sightglass: \S+chromium ended with exit code 3; open http:/);
    const given = await reported('args');
    expect(given.join(' ')).not.toContain('token');
    expect(await reported('mode')).toEqual(['600']);
    const [, , tokenInDoor] = ADDRESS.exec(await readFile(join(folder, 'door'), 'utf8')) ?? [];
    expect(tokenInDoor).toMatch(/^[\w-]{43}/);
    expect(tokenInDoor).not.toContain(token);
    expect((await readdir(folder)).filter((name) => name.startsWith('sightglass-window-'))).toEqual([]);
    run.child.kill('SIGTERM');
    expect(await run.exitCode).toBe(0);
  });

  test('with neither, the address is printed; --web asks for no window at all', async () => {
    const run = sightglass([], display());
    await addressOf(run);
    expect(run.printed()).toMatch(
      /^sightglass: Electron’s binary is not installed \(.+\); no Chromium, Chrome or Edge was found; open \S+\n$/,
    );
    await install('electron', `touch '${join(folder, 'opened')}'`);
    const web = sightglass(['--web'], display());
    await addressOf(web);
    expect(await readdir(folder)).not.toContain('opened');
  });
});

const isRunning = (pid: number): boolean => isThere(() => process.kill(pid, 0));

function killGroup(leader: number | undefined): void {
  if (leader !== undefined) isThere(() => process.kill(-leader, 'SIGKILL'));
}

/** Whether there is a process to signal. */
function isThere(signal: () => void): boolean {
  try {
    signal();
    return true;
  } catch {
    return false;
  }
}

const header = {
  format: 'mcptrace',
  version: 1,
  app: { name: 'sightglass', version: '0.0.0' },
  createdAt: '2026-11-21T14:00:00.000Z',
  clock: { at: 0, wall: 1_795_269_600_000 },
  server: { name: 'notes', transport: 'stdio', command: 'node', args: [] },
};

test.each([['open'], []])('a trace file is opened at once, to be shown first (%j)', async (...words) => {
  const path = join(folder, 'a.mcptrace');
  await writeFile(path, `${JSON.stringify(header)}\n`);
  const call = await enter(sightglass([...words, path, '--web']));
  const opened = (await call('traces/opened')) as { sessionId: string }[];
  expect(opened).toMatchObject([{ path, header: { server: { name: 'notes' } } }]);
  expect(await call('app/info')).toMatchObject({ initialTraceId: opened[0]?.sessionId });
});

test.each([
  ['that is not there', null, 'There is no file'],
  ['that is no trace', 'hello', 'It seems to be a text file'],
])('a file %s is refused in the terminal, and nothing is served', async (_, text, said) => {
  const path = join(folder, 'b.mcptrace');
  if (text !== null) await writeFile(path, text);
  const run = sightglass(['open', path, '--web']);
  expect(await run.exitCode).toBe(2);
  expect(run.printed()).toContain(said);
  expect(run.printed()).not.toMatch(ADDRESS);
});

test('a trace file and a server are not opened at once', async () => {
  const run = sightglass(['open', 'a.mcptrace', '--web', '--url', 'http://127.0.0.1:1/mcp']);
  expect(await run.exitCode).toBe(2);
  expect(run.printed()).toContain('not both');
});
