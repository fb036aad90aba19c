import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect } from 'playwright/test';

const run = promisify(execFile);

const programs = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'] as const;

/** Why no key ring can be started here, or null. */
export function whyNoKeyRing(): string | null {
  if (process.platform !== 'linux') return 'the key ring of a test is one of Linux';
  const missing = programs.filter((name) => !isOnPath(name));
  return missing.length === 0 ? null : `not on this machine: ${missing.join(', ')}`;
}

const isOnPath = (name: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** GNOME's key ring on a session bus of its own, unlocked, with its files in the folder. */
export class KeyRing {
  /** What a program needs in its environment to find it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #processes: readonly ChildProcess[];

  private constructor(environment: Readonly<Record<string, string>>, processes: readonly ChildProcess[]) {
    this.environment = environment;
    this.#processes = processes;
  }

  static async start(folder: string): Promise<KeyRing> {
    const runtime = join(folder, 'runtime');
    await mkdir(runtime, { recursive: true, mode: 0o700 });
    const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data'), XDG_RUNTIME_DIR: runtime };
    const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const environment = { DBUS_SESSION_BUS_ADDRESS: await firstLine(bus) };
    const ring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env: { ...env, ...environment },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // The password is read up to the end of the input.
    ring.stdin.end('password of a test');
    await expect.poll(() => hasSecretService({ ...env, ...environment })).toBe(true);
    return new KeyRing(environment, [ring, bus]);
  }

  async close(): Promise<void> {
    for (const one of this.#processes) {
      const ended = once(one, 'exit');
      one.kill();
      await ended;
    }
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('its output is piped');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('The bus ended before it said where it listens');
}

async function hasSecretService(env: NodeJS.ProcessEnv): Promise<boolean> {
  const bus = 'org.freedesktop.DBus';
  const { stdout } = await run(
    'dbus-send',
    [
      '--session',
      '--print-reply',
      `--dest=${bus}`,
      '/org/freedesktop/DBus',
      `${bus}.NameHasOwner`,
      'string:org.freedesktop.secrets',
    ],
    { env },
  );
  return stdout.includes('boolean true');
}
