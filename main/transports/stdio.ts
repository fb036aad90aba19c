import { isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import crossSpawn from 'cross-spawn';
import { type Fault, FaultError, messageOf, systemCodeOf } from '#shared/contract/fault.ts';
import type { ProcessChange } from '#shared/trace/record.ts';
import {
  exited,
  hasExited,
  type PipedProcess,
  signalTree,
  spawned,
  sweepTree,
  trackTree,
} from './processes.ts';
import {
  now,
  type Ending,
  type Outgoing,
  type Piece,
  reportTogether,
  type Sending,
  type Transport,
  type WireSink,
} from './transport.ts';
import { findCommand } from './command-file.ts';
import { spawnFault } from './spawn.ts';
import { cutIntoPieces } from './pieces.ts';
import { OutputReader } from './framing.ts';
import { withResolvers } from './async.ts';

export interface StdioTarget {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * The file that was found for the command and shown to the user. It is run even if the system would find another file by
   * now. Null if no file was found; undefined to look it up on start.
   */
  readonly file?: string | null;
  /**
   * Starts the process in place of `command`, which is then only displayed. That process leads no process group, so signals
   * go to it alone.
   */
  readonly start?: (target: StdioTarget) => PipedProcess;
}

/** Milliseconds to wait after each step of the shutdown (MCP lifecycle, shutdown, stdio). */
export interface ShutdownWaits {
  readonly afterCloseStdin: number;
  readonly afterSigterm: number;
}

const defaultWaits: ShutdownWaits = { afterCloseStdin: 2000, afterSigterm: 2000 };
/** Milliseconds to wait for remaining output after the process has exited. */
const OUTPUT_GRACE = 500;
/** Milliseconds within which the end of the output and the exit count as one event. */
const EXIT_GRACE = 1000;
const NEWLINE = Buffer.from('\n');
/** What `send` returns: responses come on standard output, so a request has no exchange of its own to watch or drop. */
const sent: Sending = { finished: null, drop: () => {} };

/**
 * A server as a child process: one message per line on standard input and output (MCP transports, stdio).
 * Reports everything it prints, message or not, and ends the processes it leaves running.
 */
export class StdioTransport implements Transport {
  readonly #target: StdioTarget;
  readonly #sink: WireSink;
  readonly #waits: ShutdownWaits;
  /** The end of the process that runs now. */
  #end = withResolvers<Ending>();
  #child: PipedProcess | undefined;
  #outputs: readonly OutputReader[] = [];
  #opening: Promise<void> = Promise.resolve();
  #restarting: Promise<void> = Promise.resolve();
  #units = 0;
  /** Whether nothing is to be read, of this process or of one that is started after it. */
  #isPaused = false;
  /** Whether we end the process. */
  #isEnding = false;
  #isClosing = false;
  #closing: Promise<void> | undefined;

  constructor(target: StdioTarget, sink: WireSink, waits: ShutdownWaits = defaultWaits) {
    this.#target = target;
    this.#sink = sink;
    this.#waits = waits;
  }

  get ended(): Promise<Ending> {
    return this.#end.promise;
  }

  open(): Promise<void> {
    this.#opening = this.#open();
    return this.#opening;
  }

  send({ bytes, origin, sink = this.#sink }: Outgoing): Sending {
    // What the server has printed so far is recorded first, even an incomplete line.
    for (const output of this.#outputs) output.flushIncomplete();
    const unit = this.#units++;
    const at = now();
    const stdin = this.#child?.stdin;
    const isWritable = stdin?.writable === true;
    // Handed over before it is recorded, so that recording does not delay it. It is written at the end of the turn, so the later
    // requests of a turn are stamped up to that end before they are written. The response is read later.
    if (isWritable) this.#write(stdin, Buffer.concat([bytes, NEWLINE]));
    for (const piece of cutIntoPieces(bytes)) {
      sink({
        kind: 'message-bytes',
        direction: 'out',
        channel: 'stdin',
        origin,
        at,
        unit,
        ...piece,
      });
    }
    if (!isWritable)
      this.#reportProcess({ what: 'stdin-failed', message: 'the standard input of the server is closed' });
    return sent;
  }

  pause(): void {
    this.#isPaused = true;
    for (const output of this.#outputs) output.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const output of this.#outputs) output.resume();
  }

  restart(): Promise<void> {
    this.#restarting = this.#restart();
    return this.#restarting;
  }

  close(): Promise<void> {
    this.#isClosing = true;
    this.#closing ??= this.#restarting.catch(() => undefined).then(() => this.#shutDown());
    return this.#closing;
  }

  async #restart(): Promise<void> {
    await this.#shutDown();
    if (this.#isClosing) throw new Error('The transport is being closed.');
    this.#end = withResolvers<Ending>();
    this.#isEnding = false;
    this.#child = undefined;
    await this.open();
  }

  /** Writes at once, and what is sent after it in the same turn of the event loop with one call of the system. */
  #write(stdin: Writable, line: Buffer): void {
    stdin.write(line);
    if (stdin.writableCorked > 0) return;
    stdin.cork();
    process.nextTick(() => stdin.uncork());
  }

  #reportProcess(change: ProcessChange): void {
    this.#sink({ kind: 'process', at: now(), change });
  }

  async #open(): Promise<void> {
    const { command, args, cwd, environment } = this.#target;
    const { child, file } = await this.#spawn();
    const { pid, stdin, stdout, stderr } = child;
    if (pid === undefined || stdin === null || stdout === null || stderr === null) {
      throw new Error('a spawned process has no pid or no pipes');
    }
    const env = Object.keys(environment).sort();
    this.#reportProcess({ what: 'spawn', command, file, args: [...args], cwd, env, pid });
    this.#outputs = [
      this.#read(stdout, (piece) =>
        this.#sink({ kind: 'message-bytes', direction: 'in', channel: 'stdout', ...piece }),
      ),
      this.#read(stderr, (piece) => this.#sink({ kind: 'stderr-bytes', ...piece })),
    ];
    if (this.#isPaused) this.pause();
    stdin.on('error', (error) => this.#reportProcess({ what: 'stdin-failed', message: error.message }));
    void this.#follow(child, pid, stdout);
  }

  #read(stream: Readable, report: (piece: Piece) => void): OutputReader {
    let unit = -1;
    return new OutputReader(
      stream,
      (piece, at) => {
        if (piece.first) unit = this.#units++;
        report({ ...piece, at, unit });
      },
      (read) => reportTogether(this.#sink, read),
    );
  }

  /** Waits for the process to exit, reports the exit, and ends the processes it left running. */
  async #follow(child: PipedProcess, pid: number, stdout: Readable): Promise<void> {
    const untrack = trackTree(pid);
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    const exit = exited(child);
    stdout.once('close', () => void this.#reportClosedOutput(exit));
    const { code, signal } = await exit;
    this.#reportProcess({ what: 'exit', code, signal });
    // A grandchild may hold the pipes open for ever, so the wait is limited.
    await Promise.race([closed, delay(OUTPUT_GRACE)]);
    await sweepTree(pid, OUTPUT_GRACE);
    await Promise.all(this.#outputs.map((output) => output.finish()));
    child.stdin?.destroy();
    untrack();
    this.#end.resolve(endingOf(code, signal, this.#isEnding));
  }

  /** Reports that the output was closed, unless the process exits too. */
  async #reportClosedOutput(exit: Promise<unknown>): Promise<void> {
    const first = await Promise.race([exit.then(() => 'exit'), delay(EXIT_GRACE).then(() => 'alive')]);
    if (first === 'alive') this.#reportProcess({ what: 'stdout-closed' });
  }

  async #shutDown(): Promise<void> {
    this.#isEnding = true;
    // A process that is still starting is ended once it runs; if it never does, `open` reports the error.
    await this.#opening.catch(() => undefined);
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    const { afterCloseStdin, afterSigterm } = this.#waits;
    if (!hasExited(child)) {
      this.#reportProcess({ what: 'shutdown', step: 'close-stdin' });
      child.stdin?.end();
      if (await this.#endsWithin(afterCloseStdin)) return;
    }
    if (!hasExited(child)) {
      this.#reportProcess({ what: 'shutdown', step: 'sigterm' });
      await this.#signal(child, pid, 'SIGTERM');
      if (await this.#endsWithin(afterSigterm)) return;
    }
    if (!hasExited(child)) {
      this.#reportProcess({ what: 'shutdown', step: 'sigkill' });
      await this.#signal(child, pid, 'SIGKILL');
    }
    await this.ended;
  }

  async #signal(child: PipedProcess, pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#target.start === undefined) await signalTree(pid, signal);
    else child.kill(signal);
  }

  #endsWithin(milliseconds: number): Promise<boolean> {
    return Promise.race([this.ended.then(() => true), delay(milliseconds).then(() => false)]);
  }

  async #spawn(): Promise<{ readonly child: PipedProcess; readonly file: string }> {
    const { args, cwd, environment } = this.#target;
    try {
      const { start } = this.#target;
      const file = start ? this.#target.command : await this.#fileToRun();
      // Some errors are events, others are thrown at once, such as for arguments that are too long.
      const child: PipedProcess =
        start?.(this.#target) ??
        crossSpawn(file, [...args], {
          cwd,
          env: environment,
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: process.platform !== 'win32',
          windowsHide: true,
        });
      this.#child = child;
      await spawned(child);
      return { child, file };
    } catch (error) {
      throw new FaultError(await this.#spawnFailed(error));
    }
  }

  async #fileToRun(): Promise<string> {
    const { command, cwd, environment, file } = this.#target;
    const found = file === undefined ? await findCommand(command, cwd, environment) : file;
    if (found !== null) return found;
    // For a path, the system's own error says best why it cannot be run. A bare name must not be looked up again: a file that the
    // user has not seen might be found by now.
    if (/[/\\\0]/.test(command)) return isAbsolute(command) ? command : join(cwd, command);
    throw Object.assign(new Error(`spawn ${command} ENOENT`), { code: 'ENOENT' });
  }

  async #spawnFailed(error: unknown): Promise<Fault> {
    const { command, args, cwd } = this.#target;
    const code = systemCodeOf(error) ?? 'unknown';
    const message = withoutValue(messageOf(error), code);
    this.#reportProcess({ what: 'spawn-failed', command, args: [...args], cwd, code, message });
    const fault = await spawnFault(code, message, this.#target);
    this.#end.resolve({ clean: false, reason: fault.what });
    return fault;
  }
}

/** Node quotes an argument or variable that it does not accept, with escapes in which a secret is not found. */
const withoutValue = (message: string, code: string): string =>
  code.startsWith('ERR_INVALID_ARG') ? (message.split(/\bReceived\b/, 1)[0] ?? '').trimEnd() : message;

/** A delay that does not keep the process alive. */
const delay = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

function endingOf(code: number | null, signal: string | null, wasClosed: boolean): Ending {
  if (wasClosed) return { clean: true, reason: 'Disconnected.' };
  if (signal !== null) return { clean: false, reason: `The server's process was ended by ${signal}.` };
  if (code === 0) return { clean: true, reason: 'The server ended by itself (exit code 0).' };
  return { clean: false, reason: `The server ended by itself with exit code ${code}.` };
}
