import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { FaultError } from '#shared/contract/fault.ts';
import {
  defaultTimeouts,
  type EnvEntry,
  type Server,
  type ServerSettings,
  serverSchema,
  type StdioSettings,
  type Timeouts,
} from '#shared/contract/servers.ts';
import { SettingsFile } from './settings-file.ts';

/** Keeps secret values apart from the settings. */
export interface Secrets {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface DemoServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server named on the command line. */
export interface ServerOfThisRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds for every answer, instead of the default times. */
  readonly timeout?: number;
}

const fileSchema = z.object({
  version: z.literal(1),
  servers: z.array(serverSchema),
  /** Whether the user wants the demo server in the list. */
  hasDemo: z.boolean(),
});

const DEMO_ID = 'demo';

/**
 * The servers the user knows. Those he saved are kept in the data folder without their secrets; the demo
 * server and the one named on the command line belong to this run of the app.
 */
export class ServerList {
  readonly #file: SettingsFile<typeof fileSchema>;
  readonly #secrets: Secrets;
  readonly #demo: DemoServer;
  readonly #ofThisRun: Server[] = [];
  readonly #onChange: (servers: Server[]) => void;

  constructor(folder: string, secrets: Secrets, demo: DemoServer, onChange: (servers: Server[]) => void) {
    const empty = { version: 1 as const, servers: [], hasDemo: false };
    this.#file = new SettingsFile(join(folder, 'servers.json'), fileSchema, empty);
    this.#secrets = secrets;
    this.#demo = demo;
    this.#onChange = onChange;
  }

  async list(): Promise<Server[]> {
    const { servers, hasDemo } = await this.#file.read();
    // Only what this run made itself is not the user's: a settings file cannot say so of a server.
    const saved = servers.map((server) => ({ ...server, source: 'user' as const }));
    return [...this.#ofThisRun, ...(hasDemo ? [this.#demoServer()] : []), ...saved];
  }

  /** @throws FaultError when there is no such server */
  async get(id: string): Promise<Server> {
    const server = (await this.list()).find((one) => one.id === id);
    if (server === undefined)
      throw new FaultError({
        code: 'no-such-server',
        what: 'This server was removed.',
        next: 'Choose another server, or add it again.',
      });
    return server;
  }

  /** Adds a server, or changes the one with this id. */
  async save(id: string | null, settings: ServerSettings): Promise<Server> {
    if (id === DEMO_ID) {
      throw new FaultError({
        code: 'demo-is-fixed',
        what: 'The demo server cannot be changed.',
        next: 'Add a server of your own with the same command.',
      });
    }
    const server: Server = { ...settings, id: id ?? randomUUID(), source: 'user' };
    const before = (await this.list()).find((one) => one.id === server.id);
    const env = await this.#keepSecrets(server.id, settings.transport.env);
    const kept: Server = { ...server, transport: { ...settings.transport, env } };
    await this.#file.update(({ servers, ...others }) => ({
      ...others,
      servers: servers.some((one) => one.id === kept.id)
        ? servers.map((one) => (one.id === kept.id ? kept : one))
        : [...servers, kept],
    }));
    // A server of the command line that the user saves becomes one of his own.
    this.#forgetOfThisRun(kept.id);
    if (before !== undefined) await this.#removeSecrets(before, secretNames(kept));
    await this.#tell();
    return kept;
  }

  async remove(id: string): Promise<void> {
    const server = await this.get(id);
    await this.#file.update((before) => ({
      ...before,
      hasDemo: before.hasDemo && id !== DEMO_ID,
      servers: before.servers.filter((one) => one.id !== id),
    }));
    this.#forgetOfThisRun(id);
    await this.#removeSecrets(server, new Set());
    await this.#tell();
  }

  /** Puts the demo server on the list. */
  async addDemo(): Promise<Server> {
    await this.#file.update((before) => ({ ...before, hasDemo: true }));
    await this.#tell();
    return this.#demoServer();
  }

  /** Adds a server for this run only. */
  addForThisRun({ command, args, cwd, env, timeout }: ServerOfThisRun): Server {
    const transport: StdioSettings = {
      kind: 'stdio',
      command,
      args: [...args],
      cwd,
      env: envEntries(env),
      inherit: 'safe',
    };
    const server: Server = {
      ...settingsOf(nameFor(command, args), transport, randomUUID(), 'command-line'),
      ...(timeout !== undefined && { timeouts: timeoutsOf(timeout) }),
    };
    this.#ofThisRun.push(server);
    return server;
  }

  /** The variables the user set for a server, secret values included; a value that is not held is left out. */
  async environmentOf(
    server: Server,
  ): Promise<{ values: Record<string, string>; secrets: Map<string, string> }> {
    const values: Record<string, string> = {};
    const secrets = new Map<string, string>();
    for (const entry of server.transport.env) {
      const value = entry.secret ? await this.#secrets.get(secretKey(server.id, entry.name)) : entry.value;
      if (value === null) continue;
      values[entry.name] = value;
      if (entry.secret) secrets.set(`env:${entry.name}`, value);
    }
    return { values, secrets };
  }

  /** The value of one secret variable; null when it is not held. */
  reveal(id: string, name: string): Promise<string | null> {
    return this.#secrets.get(secretKey(id, name));
  }

  async #keepSecrets(id: string, env: readonly EnvEntry[]): Promise<EnvEntry[]> {
    const kept: EnvEntry[] = [];
    for (const entry of env) {
      const key = secretKey(id, entry.name);
      if (!entry.secret) {
        kept.push({ ...entry, value: entry.value ?? (await this.#secrets.get(key)) ?? '' });
        continue;
      }
      if (entry.value !== null) await this.#secrets.set(key, entry.value);
      kept.push({ ...entry, value: null });
    }
    return kept;
  }

  async #removeSecrets(of: Server, except: ReadonlySet<string>): Promise<void> {
    for (const name of secretNames(of)) {
      if (!except.has(name)) await this.#secrets.remove(secretKey(of.id, name));
    }
  }

  #forgetOfThisRun(id: string): void {
    const place = this.#ofThisRun.findIndex((one) => one.id === id);
    if (place !== -1) this.#ofThisRun.splice(place, 1);
  }

  #demoServer(): Server {
    const { command, args, env } = this.#demo;
    const transport: StdioSettings = {
      kind: 'stdio',
      command,
      args: [...args],
      cwd: null,
      env: envEntries(env),
      inherit: 'safe',
    };
    return settingsOf('Demo server', transport, DEMO_ID, 'demo');
  }

  async #tell(): Promise<void> {
    this.#onChange(await this.list());
  }
}

const envEntries = (env: Readonly<Record<string, string>>): EnvEntry[] =>
  Object.entries(env).map(([name, value]) => ({ name, value, secret: false }));

const settingsOf = (
  name: string,
  transport: StdioSettings,
  id: string,
  source: Server['source'],
): Server => ({
  id,
  source,
  name,
  transport,
  revision: null,
  timeouts: defaultTimeouts,
  notes: '',
});

const timeoutsOf = (timeout: number): Timeouts => ({
  initialize: timeout,
  request: timeout,
  requestMax: Math.max(timeout, defaultTimeouts.requestMax),
});

const secretNames = ({ transport }: Server): Set<string> =>
  new Set(transport.env.filter(({ secret }) => secret).map(({ name }) => name));

const secretKey = (id: string, name: string): string => `server/${id}/env/${name}`;

/** Commands that run something else, which then tells servers apart. */
const runners: ReadonlySet<string> = new Set([
  'bun',
  'bunx',
  'deno',
  'electron',
  'node',
  'npx',
  'pnpx',
  'python',
  'python3',
  'tsx',
  'uvx',
]);

/** A name from what tells servers apart: `node build/index.js` is `index.js`, `npx -y pkg` is `pkg`. */
function nameFor(command: string, args: readonly string[]): string {
  const own = lastPart(command);
  if (!runners.has(own.replace(/\.(cmd|exe)$/i, ''))) return own;
  return lastPart(args.find((arg) => !arg.startsWith('-')) ?? command);
}

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
