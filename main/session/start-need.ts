import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { type Fault, faultOf } from '#shared/contract/fault.ts';
import type { Server, StartNeed } from '#shared/contract/servers.ts';
import type { Agreement, Launch } from '#shared/contract/sessions.ts';

/** Milliseconds after which a need is no longer trusted: an update of the server may have removed it without a trace. */
const MAX_AGE = 7 * 24 * 3600 * 1000;

/** Arguments among which the file of a program is looked for. */
const MAX_ARGUMENTS = 20;

export interface KnownStartOptions {
  /** What was remembered; undefined if nothing was. */
  readonly need: StartNeed | undefined;
  /** Of what is started now. */
  readonly digest: string;
  /** Keeps it with the settings of the server; null removes it. */
  readonly save: (need: StartNeed | null) => Promise<unknown>;
  readonly onFault: (fault: Fault) => void;
}

/**
 * What earlier starts of a server showed: whether it must be started in the legacy era without `server/discover`. Forgotten
 * when the command line, the file of its program, or the name and version of the server change, when a start without the
 * probe fails, and after a week.
 */
export class KnownStart {
  readonly #options: KnownStartOptions;
  #need: StartNeed | null;

  constructor(options: KnownStartOptions) {
    this.#options = options;
    const { need, digest } = options;
    // It is in the future if the clock was set back since, or the file was edited.
    const age = Date.now() - (need?.at ?? 0);
    this.#need = need?.of === digest && age >= 0 && age < MAX_AGE ? need : null;
    if (need !== undefined && this.#need === null) void this.forget();
  }

  /** What the server needs; null if nothing is known. */
  get need(): StartNeed | null {
    return this.#need;
  }

  /** The server connects without the probe, and did not with it. */
  remember({ server }: Agreement): Promise<void> {
    const { digest } = this.#options;
    return this.#set({ era: 'legacy', of: digest, server: digestOf([server]), at: Date.now() });
  }

  /** Another version of the server may understand the probe. Returns whether it is one. */
  async forgetIfOther({ server }: Agreement): Promise<boolean> {
    if (this.#need === null || this.#need.server === digestOf([server])) return false;
    await this.forget();
    return true;
  }

  forget(): Promise<void> {
    return this.#set(null);
  }

  async #set(need: StartNeed | null): Promise<void> {
    this.#need = need;
    try {
      await this.#options.save(need);
    } catch (error) {
      this.#options.onFault(faultOf('kept what the server needs', error));
    }
  }
}

/**
 * Identifies what is started: the command line as the settings have it, and the files of its program as they are now, so that a
 * server that was built again is not mistaken for the one before.
 */
export async function startDigest(
  { transport }: Pick<Server, 'transport'>,
  launch: Launch | null,
): Promise<string> {
  if (transport.kind === 'http' || launch === null) return digestOf([transport.kind]);
  const { command, args, cwd } = transport;
  const program = launch.resolved === null ? null : await fileStamp(launch.resolved);
  return digestOf([command, args, cwd, program, await scriptStamp(launch)]);
}

/** The first argument that is a file, such as the script of an interpreter. Later ones may be data that changes. */
async function scriptStamp({ args, cwd }: Launch): Promise<string | null> {
  for (const arg of args.slice(0, MAX_ARGUMENTS)) {
    const stamp = arg.startsWith('-') ? null : await fileStamp(isAbsolute(arg) ? arg : resolve(cwd, arg));
    if (stamp !== null) return stamp;
  }
  return null;
}

async function fileStamp(path: string): Promise<string | null> {
  // An argument that is no path at all is no file either.
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? `${path} ${found.size} ${found.mtimeMs}` : null;
}

const digestOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
