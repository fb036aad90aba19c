import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../dist/main/cli.js', import.meta.url));

/** The built app behind a loopback page, connected to one server, with a data folder of its own. */
export class AppProcess {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(child: ChildProcess, folder: string, address: string) {
    this.#child = child;
    this.#folder = folder;
    this.address = address;
  }

  static async open(command: string, args: readonly string[]): Promise<AppProcess> {
    if (!existsSync(cli)) throw new Error('Nothing is built: npm run build');
    const folder = await mkdtemp(join(tmpdir(), 'sightglass-bench-'));
    const child = spawn(process.execPath, [cli, 'open', '--web', '--', command, ...args], {
      env: { ...process.env, SIGHTGLASS_HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new AppProcess(child, folder, await addressOf(child));
  }

  /** The most bytes of memory the engine's process ever held; null where only Linux tells. */
  async mostMemory(): Promise<number | null> {
    if (process.platform !== 'linux') return null;
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  }

  /** Asks the app to end, as Ctrl+C does, and waits until it has. */
  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGINT');
      await once(this.#child, 'exit');
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The address the app prints; rejects when it ends without one. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[^\s]+/.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`the app ended with exit code ${code}:\n${printed}`)));
  });
}
