import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FaultError } from '#shared/contract/fault.ts';
import { PIECE_BYTES } from '#shared/trace/record.ts';
import { withResolvers } from './async.ts';
import { serverEnvironment } from './spawn.ts';
import { StdioTransport } from './stdio.ts';
import type { WireEvent } from './transport.ts';

const opened: StdioTransport[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()));
});

/** A transport for a program given as JavaScript, and everything it reports. */
function transportFor(script: string, waits = { afterCloseStdin: 300, afterSigterm: 300 }) {
  return transportForCommand(process.execPath, ['-e', script], waits);
}

function transportForCommand(
  command: string,
  args: string[],
  waits = { afterCloseStdin: 300, afterSigterm: 300 },
  cwd = tmpdir(),
) {
  const events: WireEvent[] = [];
  const waiting: { wanted: (event: WireEvent) => boolean; resolve: (event: WireEvent) => void }[] = [];
  const target = { command, args, cwd, environment: serverEnvironment('safe', {}) };
  const transport = new StdioTransport(
    target,
    (event) => {
      events.push(event);
      for (const one of waiting) if (one.wanted(event)) one.resolve(event);
    },
    waits,
  );
  opened.push(transport);
  const see = (wanted: (event: WireEvent) => boolean) =>
    new Promise<WireEvent>((resolve) => {
      const already = events.find(wanted);
      if (already) resolve(already);
      else waiting.push({ wanted, resolve });
    });
  return { transport, events, see };
}

const says = (text: string) => (event: WireEvent) => 'bytes' in event && event.bytes.toString() === text;
const changes = (events: readonly WireEvent[]) =>
  events.flatMap((event) => (event.kind === 'process' ? [event.change] : []));

/** Holds this thread until something is so; false when it does not come to be. */
function blocksUntil(isSo: () => boolean): boolean {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < 1000; look++) {
    if (isSo()) return true;
    Atomics.wait(asleep, 0, 0, 10);
  }
  return false;
}

describe('a stdio transport', () => {
  test('carries lines both ways and reports them in order, stamped', async () => {
    const { transport, events, see } = transportFor('process.stdin.pipe(process.stdout)');
    await transport.open();
    transport.send({ bytes: Buffer.from('{"a":1}'), origin: 'user' });
    await see((event) => event.kind === 'message-bytes' && event.direction === 'in');
    const crossed = events.flatMap((event) =>
      event.kind === 'message-bytes' ? [[event.direction, event.channel, event.bytes.toString()]] : [],
    );
    expect(crossed).toEqual([
      ['out', 'stdin', '{"a":1}'],
      ['in', 'stdout', '{"a":1}'],
    ]);
    const stamps = events.map(({ at }) => at);
    expect(stamps.toSorted((a, b) => a - b)).toEqual(stamps);
  });

  test('hands a message to the server before it is reported, so that the stamp is true of what the server gets', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-stdio-'));
    const mark = join(folder, 'taken');
    const script = `process.stdin.once('data', () => fs.writeFileSync(${JSON.stringify(mark)}, ''))`;
    const target = { command: process.execPath, args: ['-e', script], cwd: folder };
    let isTaken: boolean | undefined;
    const transport = new StdioTransport(
      { ...target, environment: serverEnvironment('safe', {}) },
      (event) => {
        if (event.kind === 'message-bytes') isTaken = blocksUntil(() => existsSync(mark));
      },
    );
    try {
      await transport.open();
      transport.send({ bytes: Buffer.from('{}'), origin: 'user' });
      expect(isTaken).toBe(true);
    } finally {
      await transport.close();
      await rm(folder, { recursive: true });
    }
  });

  test('hands the arguments over as they are: no shell reads them', async () => {
    const args = ['two words', '$HOME', '*', '; exit 1', '"quoted"', "'", '', '\\'];
    const { transport, see } = transportForCommand(process.execPath, [
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...args,
    ]);
    await transport.open();
    await see(says(JSON.stringify(args)));
  });

  test('runs a process that something else starts, and signals to it alone', async () => {
    const script =
      "process.stdin.on('data', (line) => process.stdout.write(line)); setInterval(() => {}, 1000)";
    const events: WireEvent[] = [];
    const { promise: echoed, resolve } = withResolvers<void>();
    const transport = new StdioTransport(
      {
        command: 'not-a-command',
        args: ['demo'],
        cwd: tmpdir(),
        environment: { GREETING: 'hello' },
        // In our process group: signals to a group of its own would not reach it.
        start: ({ cwd, environment }) =>
          spawn(process.execPath, ['-e', script], { cwd, env: { ...environment }, stdio: 'pipe' }),
      },
      (event) => {
        events.push(event);
        if (event.kind === 'message-bytes' && event.direction === 'in') resolve();
      },
      { afterCloseStdin: 100, afterSigterm: 2000 },
    );
    opened.push(transport);
    await transport.open();
    transport.send({ bytes: Buffer.from('{"a":1}'), origin: 'user' });
    await echoed;
    await transport.close();
    const [started, ...others] = changes(events);
    expect(started).toMatchObject({
      what: 'spawn',
      command: 'not-a-command',
      args: ['demo'],
      env: ['GREETING'],
    });
    expect(others).toEqual([
      { what: 'shutdown', step: 'close-stdin' },
      { what: 'shutdown', step: 'sigterm' },
      { what: 'exit', code: null, signal: 'SIGTERM' },
    ]);
  });

  test('reports a large unit in pieces, in both directions', async () => {
    const { transport, events, see } = transportFor('process.stdin.pipe(process.stdout)');
    await transport.open();
    const sent = Buffer.from(`"${'€'.repeat(1_000_000)}"`);
    transport.send({ bytes: sent, origin: 'user' });
    await see((event) => event.kind === 'message-bytes' && event.direction === 'in' && !event.more);
    for (const wanted of ['out', 'in']) {
      const pieces = events.flatMap((event) =>
        event.kind === 'message-bytes' && event.direction === wanted ? [event] : [],
      );
      // What waits for the rest of its line is reported as it comes.
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.map(({ first }) => first)).toEqual(pieces.map((_, place) => place === 0));
      expect(pieces.map(({ more }) => more)).toEqual(pieces.map((_, place) => place < pieces.length - 1));
      expect(pieces.every(({ bytes }) => bytes.length <= PIECE_BYTES && isUtf8(bytes))).toBe(true);
      expect(new Set(pieces.map(({ unit }) => unit)).size).toBe(1);
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(sent)).toBe(true);
    }
  });

  test('reports a line that waits for its newline, as far as it came, and the rest when that comes', async () => {
    const { transport, events, see } = transportFor(
      `process.stdin.once('data', () => process.stdout.write('"}\\n'));
       process.stdout.write('{"a":"\u20ac'); process.stderr.write('Password: ')`,
    );
    await transport.open();
    await see(says('{"a":"€'));
    await see(says('Password: '));
    expect(events.find(says('{"a":"€'))).toMatchObject({ first: true, more: true, cut: false });
    transport.send({ bytes: Buffer.from('{}'), origin: 'user' });
    await see(says('"}'));
    expect(events.find(says('"}'))).toMatchObject({ first: false, more: false, cut: false });
  });

  test('reports what was read of a line before what is sent then', async () => {
    const { transport, events, see } = transportFor(
      'process.stdout.write("a\\nb"); setInterval(() => {}, 1000)',
    );
    await transport.open();
    await see(says('a'));
    transport.send({ bytes: Buffer.from('{}'), origin: 'user' });
    await see(says('{}'));
    expect(events.flatMap((event) => ('bytes' in event ? [event.bytes.toString()] : []))).toEqual([
      'a',
      'b',
      '{}',
    ]);
  });

  test('reports standard error by line, and a last line without its newline as cut', async () => {
    const { transport, see, events } = transportFor(
      'console.error("one\\ntwo"); process.stdout.write("half")',
    );
    await transport.open();
    await see(says('two'));
    await transport.ended;
    const last = events.filter((event) => event.kind === 'message-bytes');
    expect(last.at(-1)).toMatchObject({ cut: true });
    expect(Buffer.concat(last.map(({ bytes }) => bytes)).toString()).toBe('half');
  });

  test('reports the exit code and the signal', async () => {
    const exiting = transportFor('process.exit(3)');
    await exiting.transport.open();
    expect(await exiting.transport.ended).toEqual({
      clean: false,
      reason: 'The server ended by itself with exit code 3.',
    });
    expect(changes(exiting.events)).toContainEqual({ what: 'exit', code: 3, signal: null });

    const killed = transportFor('setInterval(() => {}, 1000); process.kill(process.pid, "SIGKILL")');
    await killed.transport.open();
    expect(await killed.transport.ended).toEqual({
      clean: false,
      reason: "The server's process was ended by SIGKILL.",
    });
    expect(changes(killed.events)).toContainEqual({ what: 'exit', code: null, signal: 'SIGKILL' });
  });

  test('closes standard input first, and needs nothing more for a server that listens', async () => {
    const { transport, events, see } = transportFor('process.stdin.resume(); console.error("up")');
    await transport.open();
    // A process that is still starting would take longer to leave than it is given here.
    await see(says('up'));
    await transport.close();
    expect(changes(events).filter(({ what }) => what === 'shutdown')).toEqual([
      { what: 'shutdown', step: 'close-stdin' },
    ]);
  });

  test('sends SIGTERM and then SIGKILL to a server that does not leave', async () => {
    const { transport, events, see } = transportFor(
      'process.on("SIGTERM", () => console.error("no")); setInterval(() => {}, 1000); console.error("up")',
    );
    await transport.open();
    await see(says('up'));
    await transport.close();
    expect(changes(events).flatMap((change) => (change.what === 'shutdown' ? [change.step] : []))).toEqual([
      'close-stdin',
      'sigterm',
      'sigkill',
    ]);
    expect(await transport.ended).toEqual({ clean: true, reason: 'Disconnected.' });
  });

  test('closed while it is being opened, ends the process once it runs', async () => {
    const { transport, events } = transportFor('process.stdin.resume()');
    await Promise.all([transport.open(), transport.close()]);
    // A busy machine may start it so late that it is asked a second time.
    const steps = new Set(changes(events).map(({ what }) => what));
    expect([...steps]).toEqual(['spawn', 'shutdown', 'exit']);
  });

  test('restarted, ends the process and starts another one, whose units have numbers of their own', async () => {
    const { transport, events, see } = transportFor('process.stdin.resume(); console.log(process.pid)');
    await transport.open();
    await see((event) => event.kind === 'message-bytes');
    const first = transport.ended;
    await transport.restart();
    expect(await first).toMatchObject({ clean: true });
    await see((event) => event.kind === 'message-bytes' && event.unit > 0);
    await transport.close();
    expect(changes(events).map(({ what }) => what)).toEqual([
      'spawn',
      'shutdown',
      'exit',
      'spawn',
      'shutdown',
      'exit',
    ]);
    const pids = changes(events).flatMap((change) => (change.what === 'spawn' ? [change.pid] : []));
    expect(new Set(pids).size).toBe(2);
    const units = events.flatMap((event) => (event.kind === 'message-bytes' ? [event.unit] : []));
    expect(new Set(units).size).toBe(units.length);
  });

  test('restarted while the reading is paused, reads nothing of the new process until it is resumed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-stdio-'));
    try {
      const [first, written] = [join(folder, 'first'), join(folder, 'written')].map((path) =>
        JSON.stringify(path),
      );
      const { transport, events } = transportFor(`
        const fs = require('node:fs');
        process.stdin.resume();
        if (!fs.existsSync(${first})) fs.writeFileSync(${first}, '');
        else process.stdout.write('line\\n'.repeat(10), () => fs.writeFileSync(${written}, ''));
      `);
      await transport.open();
      await expect.poll(() => existsSync(join(folder, 'first'))).toBe(true);
      const ended = transport.ended;
      const restarting = transport.restart();
      await ended;
      transport.pause();
      await restarting;
      await expect.poll(() => existsSync(join(folder, 'written'))).toBe(true);
      const lines = () => events.filter((event) => event.kind === 'message-bytes' && !event.more).length;
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(lines()).toBe(0);
      transport.resume();
      await expect.poll(lines).toBe(10);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('restarted after its process ended by itself, says how it ended', async () => {
    const { transport, events } = transportFor('process.exit(3)');
    await transport.open();
    expect(await transport.ended).toMatchObject({ reason: expect.stringContaining('exit code 3') });
    await transport.restart();
    expect(await transport.ended).toMatchObject({ clean: false });
    expect(changes(events).filter(({ what }) => what === 'spawn')).toHaveLength(2);
  });

  test('closed while it is being restarted, starts no other process', async () => {
    const { transport, events, see } = transportFor('process.stdin.resume(); console.error("up")');
    await transport.open();
    await see(says('up'));
    const restarting = transport.restart();
    await Promise.all([transport.close(), expect(restarting).rejects.toThrow('being closed')]);
    expect(changes(events).map(({ what }) => what)).toEqual(['spawn', 'shutdown', 'exit']);
  });

  test('ends what the server started, also when the server is killed from outside', async () => {
    const marker = `sightglass-test-${process.pid}-${Math.random()}`;
    const { transport, see } = transportFor(
      `require('node:child_process').spawn(process.execPath,
         ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.error("grandchild")', '${marker}'],
         { stdio: ['ignore', 'ignore', 'inherit'] });
       setInterval(() => {}, 1000)`,
    );
    await transport.open();
    await see(says('grandchild'));
    const [server] = await processesWith(marker);
    expect(server).toBeDefined();
    const spawned = await see((event) => event.kind === 'process' && event.change.what === 'spawn');
    if (spawned.kind !== 'process' || spawned.change.what !== 'spawn') throw new Error('no spawn');
    process.kill(spawned.change.pid, 'SIGKILL');
    await transport.ended;
    expect(await processesWith(marker)).toEqual([]);
  });

  test('keeps the last line of a server whose output is held open by what it left behind', async () => {
    const { transport, events } = transportFor(
      `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'],
         { stdio: ['ignore', 'inherit', 'ignore'], detached: true });
       child.unref();
       process.stdout.write(String(child.pid))`,
    );
    await transport.open();
    await transport.ended;
    const last = events.filter((event) => event.kind === 'message-bytes');
    expect(last.at(-1)).toMatchObject({ cut: true });
    // It is in a process group of its own, so it is ours to end. It throws if this is not its whole id.
    process.kill(Number(Buffer.concat(last.map(({ bytes }) => bytes)).toString()), 'SIGKILL');
  });

  test('loses nothing of a server that ends while the reading is paused', async () => {
    const { transport, events, see } = transportFor(
      'process.stdout.write(`${"x".repeat(99)}\n`.repeat(1000))',
    );
    await transport.open();
    transport.pause();
    await see((event) => event.kind === 'process' && event.change.what === 'exit');
    // Node lets its pipes flow once a process has ended.
    transport.pause();
    // As when the disk takes longer than a server's output is waited for.
    setTimeout(() => transport.resume(), 800);
    await transport.ended;
    expect(events.filter((event) => event.kind === 'message-bytes' && !event.more)).toHaveLength(1000);
  });

  test('reports nothing after the end, whatever was still being written', async () => {
    const { transport, events } = transportFor('process.stdin.once("data", () => process.exit(0))');
    await transport.open();
    for (let count = 0; count < 5; count++)
      transport.send({ bytes: Buffer.alloc(3_000_000, 'x'), origin: 'user' });
    await transport.ended;
    const reported = events.length;
    expect(changes(events).map(({ what }) => what)).toContain('stdin-failed');
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    await transport.close();
    expect(events.length).toBe(reported);
  });

  test('says so when the server closes its output but lives on', async () => {
    const { transport, see } = transportFor('require("node:fs").closeSync(1); setInterval(() => {}, 1000)');
    await transport.open();
    await see((event) => event.kind === 'process' && event.change.what === 'stdout-closed');
  });

  test('records what is sent to a server that has closed its input, and that it failed', async () => {
    const { transport, see } = transportFor(
      'require("node:fs").closeSync(0); setInterval(() => {}, 1000); console.error("up")',
    );
    await transport.open();
    await see(says('up'));
    transport.send({ bytes: Buffer.alloc(1_000_000, 'x'), origin: 'user' });
    await see((event) => event.kind === 'process' && event.change.what === 'stdin-failed');
  });

  test('explains that a command line is too long', async () => {
    const { transport } = transportForCommand(process.execPath, ['x'.repeat(4_000_000)]);
    await expect(transport.open()).rejects.toThrow('too long');
    await transport.close();
  });

  test.each([
    ['command-not-found', 'no-such-command-anywhere', tmpdir()],
    ['command-not-executable', tmpdir(), tmpdir()],
    ['working-folder-missing', process.execPath, '/no/such/folder'],
    ['working-folder-missing', process.execPath, '/etc/passwd'],
    // These the system, or Node, refuses at once instead of reporting later.
    ['command-not-found', '/etc/passwd/server', tmpdir()],
    ['spawn-failed', 'a\0b', tmpdir()],
  ])('explains why it cannot be started: %s', async (code, command, cwd) => {
    const { transport, events } = transportForCommand(command, [], undefined, cwd);
    const failure = await transport.open().then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(FaultError);
    if (!(failure instanceof FaultError)) return;
    expect(failure.fault.code).toBe(code);
    expect(failure.fault.next).toBeTruthy();
    expect(changes(events).map(({ what }) => what)).toEqual(['spawn-failed']);
    await transport.close();
  });

  test('does not quote an argument or a variable that no process can be given', async () => {
    const given = { command: process.execPath, cwd: tmpdir(), environment: serverEnvironment('safe', {}) };
    for (const target of [
      { ...given, args: ['--token=hush\0-1234'] },
      { ...given, args: [], environment: { ...given.environment, TOKEN: 'hush\0-1234' } },
    ]) {
      const events: WireEvent[] = [];
      const transport = new StdioTransport(target, (event) => void events.push(event));
      const failure: unknown = await transport.open().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(FaultError);
      expect(JSON.stringify(failure)).not.toContain('hush');
      expect(JSON.stringify(failure)).toContain('null bytes');
      const messages = changes(events).map((change) => 'message' in change && change.message);
      expect(messages).toEqual([expect.stringMatching(/must be a string without null bytes\.$/)]);
      await transport.close();
    }
  });
});

/** Processes whose command line holds the text. */
async function processesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const isZombie = / Z /.test(state);
    if (command.includes(`\0${text}`) && !isZombie) found.push(pid);
  }
  return found;
}
