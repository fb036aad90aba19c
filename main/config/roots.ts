import { access, constants, realpath, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Handlers } from '#shared/contract/index.ts';
import type { RootState } from '#shared/contract/roots.ts';
import type { Server } from '#shared/contract/servers.ts';

/**
 * What is at the URI of a root (MCP 2025-06-18 roots, security considerations: clients validate root URIs and monitor
 * whether they are accessible).
 */
export async function checkRoot(uri: string): Promise<RootState> {
  const path = pathOf(uri);
  if (path === null) return { uri, condition: 'not-a-file-uri', path, realPath: null };
  const { realPath, condition } = await lookAt(path);
  return { uri, path, realPath, condition: hasParentSegment(uri) ? 'parent-segment' : condition };
}

/** Null unless it is a file URI of this machine. */
function pathOf(uri: string): string | null {
  if (!/^file:\/\//i.test(uri)) return null;
  try {
    return fileURLToPath(uri);
  } catch {
    // Not a URL, or one of another machine.
    return null;
  }
}

/** Looks at the text, because parsing a URL resolves the segments (RFC 3986, section 5.2.4). */
const hasParentSegment = (uri: string): boolean =>
  uri.split(/[/\\]/).some((segment) => /^(?:\.|%2e){2}$/i.test(segment));

async function lookAt(path: string): Promise<Pick<RootState, 'condition' | 'realPath'>> {
  let realPath: string | null = null;
  try {
    realPath = await realpath(path);
    if (!(await stat(realPath)).isDirectory()) return { condition: 'not-a-folder', realPath };
    await access(realPath, constants.R_OK | constants.X_OK);
    return { condition: 'folder', realPath };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && missingCodes.has(error.code);
    return { condition: isMissing ? 'missing' : 'unreadable', realPath };
  }
}

const missingCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** Milliseconds between two looks at the roots: a folder that is missing or on a network cannot be watched otherwise. */
const LOOK_EVERY = 2000;

/** Watches the roots of all servers, from the first time that the page asks for them. */
export class RootWatch {
  readonly #onChange: (states: RootState[]) => void;
  readonly #lookEvery: number;
  #uris: readonly string[] = [];
  #states: RootState[] = [];
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isWatching = false;
  #isClosed = false;

  constructor(onChange: (states: RootState[]) => void, lookEvery = LOOK_EVERY) {
    this.#onChange = onChange;
    this.#lookEvery = lookEvery;
  }

  /** Sets the servers whose roots are watched. */
  follow(servers: readonly Server[]): void {
    this.#uris = [...new Set(servers.flatMap(({ client }) => client.roots.map(({ uri }) => uri)))];
    if (this.#isWatching) void this.#look();
  }

  async states(): Promise<RootState[]> {
    this.#isWatching = true;
    await this.#look();
    return this.#states;
  }

  /** Stops watching; nothing is reported afterwards. Idempotent. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** One look at a time, so that an older one never replaces a newer one. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#lookNow());
    return this.#looking;
  }

  async #lookNow(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const states = await Promise.all(this.#uris.map(checkRoot));
    if (this.#isClosed) return;
    const hasChanged = JSON.stringify(states) !== JSON.stringify(this.#states);
    this.#states = states;
    if (hasChanged) this.#onChange(states);
    if (states.length > 0) this.#timer = setTimeout(() => void this.#look(), this.#lookEvery).unref();
  }
}

export const rootsHandlers = (
  roots: RootWatch,
  servers: () => Promise<readonly Server[]>,
): Pick<Handlers, Extract<keyof Handlers, `roots/${string}`>> => ({
  'roots/states': async () => {
    roots.follow(await servers());
    return roots.states();
  },
  'roots/check': ({ uri }) => checkRoot(uri),
});
