import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { AuthorizationSettings } from '#shared/contract/authorization.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import {
  isOfThisRun,
  type RebuildSettings,
  type Server,
  type ServerSettings,
  serverSchema,
  type StartNeed,
  type TransportSettings,
} from '#shared/contract/servers.ts';
import { similarWord } from '#shared/similar-word.ts';
import { secretsInUrl } from '#shared/url-secrets.ts';
import { FilledSettings } from './filled-settings.ts';
import type { Secrets } from './secrets.ts';
import { authorizationSecrets, hasUrlSecrets, ServerSecrets } from './server-secrets.ts';
import {
  DEMO_ID,
  type DemoServer,
  demoServer,
  type ServerOfThisRun,
  serverOfThisRun,
} from './servers-of-this-run.ts';
import { JsonFile } from './json-file.ts';

const fileSchema = z.object({
  version: z.literal(1),
  servers: z.array(serverSchema),
  /** Whether the user wants the demo server in the list. */
  hasDemo: z.boolean(),
});

interface ServerListOptions {
  /** The data folder. */
  readonly folder: string;
  readonly secrets: Secrets;
  readonly demo: DemoServer;
  readonly onChange: (servers: Server[]) => void;
  /** Whether secrets in a file of an earlier version move to the store; else they stay there. */
  readonly movesSecrets: boolean;
}

/**
 * The configured servers. Saved ones are kept in the data folder without their secrets; the demo
 * server and those named on the command line belong to this run of the app.
 */
export class ServerList {
  readonly #file: JsonFile<typeof fileSchema>;
  readonly #secrets: ServerSecrets;
  readonly #demo: Server;
  readonly #ofThisRun = new Map<string, Server>();
  readonly #movesSecrets: boolean;
  readonly #onChange: (servers: Server[]) => void;
  /** The settings of its servers, ready to start or to connect. */
  readonly filled: FilledSettings;

  constructor({ folder, secrets, demo, onChange, movesSecrets }: ServerListOptions) {
    this.#movesSecrets = movesSecrets;
    const empty = { version: 1 as const, servers: [], hasDemo: false };
    this.#file = new JsonFile(join(folder, 'servers.json'), fileSchema, empty);
    this.#secrets = new ServerSecrets(secrets);
    this.filled = new FilledSettings(this.#secrets);
    this.#demo = demoServer(demo);
    this.#onChange = onChange;
  }

  async list(): Promise<Server[]> {
    const { servers, hasDemo } = await this.#readFile();
    // Settings files cannot define demo servers or servers of this run.
    const saved = servers.map((server) => ({ ...server, source: 'user' as const }));
    return [...this.#ofThisRun.values(), ...(hasDemo ? [this.#demo] : []), ...saved];
  }

  /** @throws FaultError if there is no such server */
  async get(id: string): Promise<Server> {
    const server = await this.#find(id);
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
    if (id === DEMO_ID) throw new FaultError(demoIsFixed);
    const server: Server = { ...settings, id: id ?? randomUUID(), source: 'user' };
    const before = await this.#find(server.id);
    if (before?.source === 'mock') return this.#saveMock(before, settings);
    const variables = settings.variables ?? before?.variables;
    const rebuild = settings.rebuild ?? before?.rebuild;
    const connectsAtStart = settings.connectsAtStart ?? before?.connectsAtStart;
    const transport = await this.#secrets.keep(server.id, settings.transport);
    const startNeed =
      before !== undefined && isStartedAlike(before, { ...settings, transport })
        ? before.startNeed
        : undefined;
    const kept: Server = {
      ...server,
      ...(startNeed && { startNeed }),
      ...(rebuild && { rebuild }),
      ...(connectsAtStart !== undefined && { connectsAtStart }),
      transport,
      ...(variables && { variables: await this.#secrets.keepVariables(server.id, variables) }),
    };
    await this.#file.update(({ servers, ...others }) => ({
      ...others,
      servers: servers.some((one) => one.id === kept.id)
        ? servers.map((one) => (one.id === kept.id ? kept : one))
        : [...servers, kept],
    }));
    // A server given on the command line becomes a saved one.
    this.#ofThisRun.delete(kept.id);
    if (before !== undefined) await this.#secrets.forget(before, kept);
    await this.#notify();
    return kept;
  }

  /** A mock is gone with this run, so its settings are, too. Its address stays, and nothing fills in variables there. */
  async #saveMock(mock: Server, settings: ServerSettings): Promise<Server> {
    const { transport } = settings;
    const changed =
      transport.kind === 'http' && mock.transport.kind === 'http'
        ? { ...transport, url: mock.transport.url }
        : mock.transport;
    const { variables: _unused, ...others } = settings;
    const kept: Server = { ...mock, ...others, transport: this.#secrets.hold(mock.id, changed) };
    this.#ofThisRun.set(kept.id, kept);
    await this.#notify();
    return kept;
  }

  /** A server as it is kept, and its place in the file, for `restore`. @throws FaultError if there is no such server */
  async kept(id: string): Promise<{ server: Server; index: number }> {
    const server = await this.get(id);
    return { server, index: (await this.#readFile()).servers.findIndex((one) => one.id === id) };
  }

  /** Takes a server out of the list. Its secrets stay until `forget`, so that `restore` can bring it back. */
  async remove(id: string): Promise<void> {
    await this.#file.update((before) => ({
      ...before,
      hasDemo: before.hasDemo && id !== DEMO_ID,
      servers: before.servers.filter((one) => one.id !== id),
    }));
    this.#ofThisRun.delete(id);
    await this.#notify();
  }

  /** Puts a removed server back in its place. Does nothing if it is listed. */
  async restore({ server, index }: { readonly server: Server; readonly index: number }): Promise<void> {
    if (await this.has(server.id)) return;
    if (isOfThisRun(server)) this.#ofThisRun.set(server.id, server);
    else {
      await this.#file.update(({ servers, hasDemo, ...others }) => ({
        ...others,
        hasDemo: hasDemo || server.id === DEMO_ID,
        servers: server.id === DEMO_ID ? servers : servers.toSpliced(Math.max(0, index), 0, server),
      }));
    }
    await this.#notify();
  }

  /** Whether the server is in the list. */
  async has(id: string): Promise<boolean> {
    return (await this.#find(id)) !== undefined;
  }

  /** Forgets the secrets of a removed server. */
  forget(server: Server): Promise<void> {
    return this.#secrets.forget(server);
  }

  /** Adds the demo server to the list. */
  async addDemo(): Promise<Server> {
    await this.#file.update((before) => ({ ...before, hasDemo: true }));
    await this.#notify();
    return this.#demo;
  }

  /** Adds a server for this run only; its secret values are held in memory. */
  addForThisRun(named: ServerOfThisRun): Server {
    const server = serverOfThisRun(randomUUID(), named);
    const held: Server = { ...server, transport: this.#secrets.hold(server.id, server.transport) };
    this.#ofThisRun.set(held.id, held);
    return held;
  }

  /** The saved server of this name. @throws FaultError if there is none, or several */
  async named(name: string): Promise<Server> {
    const listed = (await this.list()).filter((one) => !isOfThisRun(one));
    const [server, ...others] = listed.filter((one) => one.name === name);
    if (server === undefined) throw new FaultError(noSavedServer(name, listed));
    if (others.length > 0) {
      throw new FaultError({
        code: 'several-saved-servers',
        what: `There are ${others.length + 1} saved servers called "${name}".`,
        next: 'Give them different names in the window.',
      });
    }
    return server;
  }

  /** Holds values of a saved server for this run only. @throws FaultError if it has no such variable or header */
  supply(server: Server, values: Readonly<Record<string, string>>): void {
    const [unknown] = this.#secrets.supply(server, values);
    if (unknown === undefined) return;
    const inputs = (server.variables ?? []).map((variable) => variable.name);
    const { transport } = server;
    const entries = transport.kind === 'stdio' ? transport.env : transport.headers;
    const names = [...entries.filter(({ secret }) => secret).map((entry) => entry.name), ...inputs];
    throw new FaultError({
      code: 'no-such-value',
      what: `"${server.name}" has no secret variable, header or input called ${unknown.replace('input:', '')}.`,
      next:
        names.length === 0
          ? 'It needs no values at all: leave the option out.'
          : `It has: ${names.map((one) => one.replace('input:', '')).join(', ')}.`,
    });
  }

  /** @throws FaultError if the value of a secret variable or header of the server is not held */
  async requireSecrets(server: Server): Promise<void> {
    const names = await this.#secrets.notHeld(server);
    if (names.length === 0) return;
    const option =
      server.transport.kind === 'stdio' ? `--secret-env ${names[0]}` : `--header '${names[0]}=$VARIABLE'`;
    throw new FaultError({
      code: 'secret-not-held',
      what: `The value of ${names.join(', ')} of "${server.name}" is not held here.`,
      why: 'Secrets are in the key store of the desktop app, which a terminal command cannot open.',
      next: `Give each value with the command, such as ${option}.`,
    });
  }

  /** Accepts this one certificate of an HTTP server from now on, although it is not trusted. */
  acceptCertificate(id: string, fingerprint: string): Promise<Server> {
    return this.#change(id, (server) => withAccepted(server, fingerprint));
  }

  /** Keeps what a server needs when it is started; null removes it. Does nothing if the server was removed. */
  async keepStartNeed(id: string, need: StartNeed | null): Promise<void> {
    if (id === DEMO_ID || !(await this.has(id))) return;
    await this.#change(id, ({ startNeed: _, ...server }) => ({
      ...server,
      ...(need !== null && { startNeed: need }),
    }));
  }

  /** Sets when a server is restarted. */
  async setRebuild(id: string, rebuild: RebuildSettings): Promise<Server> {
    if (id === DEMO_ID) throw new FaultError(demoIsFixed);
    return this.#change(id, (server) => ({ ...server, rebuild }));
  }

  /** Changes a server where it is kept: one of this run stays one. */
  async #change(id: string, change: (server: Server) => Server): Promise<Server> {
    const changed = change(await this.get(id));
    if (this.#ofThisRun.has(id)) this.#ofThisRun.set(id, changed);
    else {
      await this.#file.update(({ servers, ...others }) => ({
        ...others,
        servers: servers.map((one) => (one.id === id ? change(one) : one)),
      }));
    }
    await this.#notify();
    return changed;
  }

  /** How to authorize at a server, with the secret values that are held. */
  authorizationOf(server: Server): Promise<AuthorizationSettings> {
    return this.#secrets.authorizationOf(server);
  }

  /** The URL of an HTTP server with the secrets that are held; null if it has no URL. */
  async revealUrl(id: string): Promise<string | null> {
    const server = await this.#find(id);
    return server === undefined ? null : this.#secrets.revealUrl(server);
  }

  /** The secret values of a server that are held, by what they are; none if there is no such server. */
  async secretsOf(id: string): Promise<ReadonlyMap<string, string>> {
    const server = await this.#find(id);
    if (server === undefined) return new Map();
    const { secrets } = await this.#secrets.valuesOf(server);
    const variables = (await this.#secrets.variablesOf(server)).flatMap(({ name, value, secret }) =>
      secret && value !== null ? [[name, value] as const] : [],
    );
    const url = await this.#secrets.revealUrl(server);
    const inUrl =
      url === null ? [] : secretsInUrl(url).map(({ name, value }) => [`url:${name}`, value] as const);
    const settings = await this.#secrets.authorizationOf(server);
    const ofAuthorization = authorizationSecrets.flatMap((name) => {
      const { value } = settings[name];
      return value === null ? [] : [[`authorization:${name}`, value] as const];
    });
    return new Map([...secrets, ...variables, ...inUrl, ...ofAuthorization]);
  }

  /** The value of one secret variable or header; null if it is not held. */
  async reveal(id: string, name: string): Promise<string | null> {
    const server = await this.#find(id);
    return server === undefined ? null : this.#secrets.reveal(server, name);
  }

  /** Reads the file. Earlier versions wrote whole URLs into it: moves their secrets to the store. */
  async #readFile(): Promise<z.infer<typeof fileSchema>> {
    const file = await this.#file.read();
    if (!file.servers.some(hasUrlSecrets)) return file;
    if (!this.#movesSecrets) {
      const servers = file.servers.map((one) => ({
        ...one,
        transport: this.#secrets.hold(one.id, one.transport),
      }));
      return { ...file, servers };
    }
    const moved = new Map<string, TransportSettings>();
    for (const { id, transport } of file.servers.filter(hasUrlSecrets)) {
      moved.set(JSON.stringify([id, transport]), await this.#secrets.keep(id, transport));
    }
    // A server changed by another app since then is handled by the next read.
    const withoutSecrets = (one: Server): Server => ({
      ...one,
      transport: moved.get(JSON.stringify([one.id, one.transport])) ?? one.transport,
    });
    return this.#file.update((now) => ({ ...now, servers: now.servers.map(withoutSecrets) }));
  }

  async #find(id: string): Promise<Server | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  async #notify(): Promise<void> {
    this.#onChange(await this.list());
  }
}

/** Whether changed settings start a server as before. */
const isStartedAlike = (before: Server, after: ServerSettings): boolean =>
  before.era === after.era &&
  before.revision === after.revision &&
  JSON.stringify(before.transport) === JSON.stringify(after.transport);

const demoIsFixed: Fault = {
  code: 'demo-is-fixed',
  what: 'The demo server cannot be changed.',
  next: 'Add a server of your own.',
};

function noSavedServer(name: string, listed: readonly Server[]): Fault {
  const names = listed.map((one) => one.name);
  const meant = similarWord(name, names);
  return {
    code: 'no-saved-server',
    what: `There is no saved server called "${name}"${meant === null ? '' : ` (did you mean "${meant}"?)`}.`,
    next:
      names.length === 0
        ? 'None is saved yet: save one in the window, or with "sightglass import FILE --save".'
        : `These are saved: ${names.map((one) => `"${one}"`).join(', ')}.`,
  };
}

/** @throws FaultError if it is not an HTTP server */
function withAccepted(server: Server, fingerprint: string): Server {
  const { transport } = server;
  if (transport.kind !== 'http') {
    throw new FaultError({
      code: 'no-certificate',
      what: `"${server.name}" is started as a process and shows no certificate.`,
    });
  }
  return { ...server, transport: { ...transport, tls: { ...transport.tls, accepted: fingerprint } } };
}
