import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test, afterEach, describe } from 'vitest';
import { exited, signalTree, sweepTree } from './processes.ts';

test('tells how a process ended', async () => {
  expect(await exited(spawn(process.execPath, ['-e', 'process.exit(3)']))).toEqual({ code: 3, signal: null });
});

test('sees the end that cross-spawn reports as an error when Windows has no such command', async () => {
  const child = spawn(process.execPath, ['-e', 'process.exit(1)']);
  const emit = child.emit.bind(child);
  child.emit = (name: string, ...args: unknown[]) =>
    name === 'exit' ? emit('error', new Error('spawn nothing ENOENT')) : emit(name, ...args);
  expect(await exited(child)).toEqual({ code: 1, signal: null });
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of started.splice(0))
    if (pid !== undefined && isAlive(-pid)) process.kill(-pid, 'SIGKILL');
});

/** Starts a program that leads a process group, and waits until it has printed a line. */
async function startGroup(script: string): Promise<{ child: ChildProcess; pid: number; line: string }> {
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  if (child.stdout === null || child.pid === undefined) throw new Error('not started');
  const [printed] = await once(child.stdout, 'data');
  return { child, pid: child.pid, line: String(printed).trim() };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits until no process of the group is left; a killed one is there until the system has buried it. */
async function untilGone(pid: number): Promise<void> {
  while (isAlive(-pid)) await new Promise((resolve) => setImmediate(resolve));
}

/** A leader with a child in its group, which prints a line. */
const withGrandchild = (grandchild: string, leader: string) =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}],
     { stdio: ['ignore', 'inherit', 'inherit'] });
   ${leader}`;
const stays = 'console.log("up"); setInterval(() => {}, 1000)';

describe('a process tree', () => {
  test('gets a signal as a whole', async () => {
    const { child, pid } = await startGroup(withGrandchild(stays, 'setInterval(() => {}, 1000)'));
    await signalTree(pid, 'SIGKILL');
    expect(await exited(child)).toEqual({ code: null, signal: 'SIGKILL' });
    await untilGone(pid);
  });

  test('that is gone takes a signal without a complaint', async () => {
    const { child, pid } = await startGroup('console.log("up")');
    await exited(child);
    await signalTree(pid, 'SIGTERM');
    await sweepTree(pid, 0);
  });

  test('that outlives its leader is asked to end, and may do so', async () => {
    const polite = `process.on('SIGTERM', () => { console.log('bye'); process.exit(); }); ${stays}`;
    const { child, pid } = await startGroup(withGrandchild(polite, ''));
    child.kill('SIGKILL');
    await exited(child);
    const [goodbye] = await Promise.all([child.stdout && once(child.stdout, 'data'), sweepTree(pid, 10_000)]);
    expect(String(goodbye)).toContain('bye');
    expect(isAlive(-pid)).toBe(false);
  });

  test('that stays is killed', async () => {
    const { child, pid } = await startGroup(withGrandchild(`process.on('SIGTERM', () => {}); ${stays}`, ''));
    child.kill('SIGKILL');
    await exited(child);
    await sweepTree(pid, 100);
    expect(isAlive(-pid)).toBe(false);
  });
});

test('what runs when this process exits goes with it', async () => {
  const module = fileURLToPath(new URL('processes.ts', import.meta.url));
  const host = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { spawn } from 'node:child_process';
       import { trackTree } from ${JSON.stringify(module)};
       const server = spawn(process.execPath, ['-e', ${JSON.stringify(stays)}],
         { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
       trackTree(server.pid);
       server.stdout.once('data', () => { console.log(server.pid); process.exit(); });`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('.', import.meta.url)) },
  );
  const [printed] = await once(host.stdout, 'data');
  await exited(host);
  await untilGone(Number(String(printed)));
});
