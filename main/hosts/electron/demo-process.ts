import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { PassThrough, Writable } from 'node:stream';
import { utilityProcess, type UtilityProcess } from 'electron';
import type { StartProcess } from '#main/platform.ts';
import { demoServerScript } from '#hosts/app-root.ts';

/**
 * Starts the demo server as a utility process, since the packaged app does not run as Node. Such a process has no standard
 * input: what is written to it travels as messages, and `null` ends it (`fixtures/demo/index.ts`).
 */
export const startDemoServer: StartProcess = ({ cwd, environment }) =>
  new DemoProcess(
    utilityProcess.fork(demoServerScript, [], {
      cwd,
      env: { ...environment },
      stdio: 'pipe',
      serviceName: 'Sightglass demo server',
    }),
  );

/** Milliseconds to wait for the last output of a process that has exited. */
const OUTPUT_GRACE = 200;

/** A utility process with the streams and events of a child process. */
class DemoProcess extends EventEmitter {
  readonly #process: UtilityProcess;
  readonly stdin: Writable;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #pid: number | undefined;

  constructor(started: UtilityProcess) {
    super();
    this.#process = started;
    this.stdin = new Writable({
      write: (bytes: Uint8Array, _, done) => {
        // A copy: the whole buffer behind a view would travel with it.
        started.postMessage(new Uint8Array(bytes));
        done();
      },
      final: (done) => {
        started.postMessage(null);
        done();
      },
    });
    const { stdout, stderr } = started;
    stdout?.pipe(this.stdout, { end: false });
    stderr?.pipe(this.stderr, { end: false });
    started.once('spawn', () => {
      this.#pid = started.pid;
      this.emit('spawn');
    });
    started.once('exit', (status) => {
      this.signalCode = signalOf(status);
      this.exitCode = this.signalCode === null ? status : null;
      if (this.#pid === undefined) this.emit('error', new Error(`the process ended with ${status} on start`));
      this.emit('exit', this.exitCode, this.signalCode);
      void Promise.all([drained(stdout, this.stdout), drained(stderr, this.stderr)]).then(() =>
        this.emit('close', this.exitCode, this.signalCode),
      );
    });
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  kill(signal?: NodeJS.Signals | number): boolean {
    const hasExited = this.exitCode !== null || this.signalCode !== null;
    if (signal !== 'SIGKILL' || this.#pid === undefined || hasExited) return this.#process.kill();
    return process.kill(this.#pid, signal);
  }
}

/** Signals that end a process from outside, or that a crash raises. */
const signals = ['SIGABRT', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const;

/**
 * The signal that ended a process, by the status that Electron reports: on POSIX that of waitpid, where the lowest bits are
 * the signal. An exit code that the process chose itself is reported as it is; the demo server exits with 0, or 1 after an
 * uncaught error.
 */
function signalOf(status: number): NodeJS.Signals | null {
  if (process.platform === 'win32') return null;
  return signals.find((signal) => constants.signals[signal] === (status & 0x7f)) ?? null;
}

/** Passes on what is left in a stream of a process that has exited. Electron has removed every listener from it by then. */
async function drained(from: NodeJS.ReadableStream | null, to: PassThrough): Promise<void> {
  // Electron does so right after its event.
  await new Promise((resolve) => setImmediate(resolve));
  if (from !== null) {
    from.removeAllListeners();
    const ended = new Promise((resolve) => from.once('end', resolve));
    from.on('data', (bytes: Buffer) => to.write(bytes));
    from.resume();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, OUTPUT_GRACE);
    });
    await Promise.race([ended, late]);
    clearTimeout(timer);
    from.removeAllListeners('data');
  }
  to.end();
}
