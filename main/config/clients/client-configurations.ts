import { chmod, realpath, stat } from 'node:fs/promises';
import { NO_SUCH_FILE } from '#files/file-kinds.ts';
import { EMPTY_FILE, readNamedBytes } from '#files/named-file.ts';
import { type Fault, FaultError, messageOf } from '#shared/contract/fault.ts';
import type { Params, Result } from '#shared/contract/index.ts';
import type {
  ClientFormat,
  ConfigurationSource,
  Server,
  ServerSettings,
  Variable,
} from '#shared/contract/servers.ts';
import { fileFormats, formatLabel } from '#shared/client-formats/table.ts';
import { type DecodedText, decodeText, isText } from '#shared/text-encoding.ts';
import { labelOfVariable } from '#shared/known-values.ts';
import { decodedUrlPart, secretsInUrl, withoutUrlSecrets, withUrlSecrets } from '#shared/url-secrets.ts';
import { ownSurroundings, type Surroundings } from '#config/data-folder.ts';
import { writeFileAtomically } from '#config/json-file.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';
import type { ServerList } from '#config/server-list.ts';
import type { Configuration } from './draft.ts';
import { userFiles } from './client-paths.ts';
import { readForImport } from './read-for-import.ts';
import type { ReadOptions } from './read-configuration.ts';
import {
  type ConfigurationToWrite,
  writeConfiguration,
  type WrittenConfiguration,
} from './write-configuration.ts';

/** Reads and writes texts, which can take long. @throws FaultError if it takes too long */
interface TextWork {
  readonly read: (text: string, options: ReadOptions) => Promise<Configuration>;
  readonly write: (input: ConfigurationToWrite) => Promise<WrittenConfiguration>;
}

const atOnce: TextWork = {
  read: async (text, options) => readForImport(text, options),
  write: async ({ original, format, servers }) => writeConfiguration(original, format, servers),
};

interface ReadText {
  readonly text: string;
  readonly configuration: Configuration;
}

/** Imports servers from the configurations of other clients, and exports them. */
export class ClientConfigurations {
  readonly #servers: ServerList;
  readonly #around: Surroundings;
  readonly #work: TextWork;

  /** @param work where it holds up nothing else; by default at once */
  constructor(servers: ServerList, around: Surroundings = ownSurroundings(), work: TextWork = atOnce) {
    this.#servers = servers;
    this.#around = around;
    this.#work = work;
  }

  /** Reads a configuration without its secret values, which the page gets only by a click. */
  async preview(source: ConfigurationSource): Promise<Result<'servers/import-preview'>> {
    const { configuration } = await this.#read(source);
    const saved = await this.#savedByName();
    const { format, servers, problems } = configuration;
    return {
      format,
      label: format === null ? 'no configuration' : formatLabel(format),
      problems: [...problems],
      servers: servers.map(({ key, line, settings, leftOut }) => ({
        key,
        line,
        settings: withoutSecretValues(settings),
        leftOut: [...leftOut],
        given: (settings.variables ?? []).flatMap(({ name, value, secret }) =>
          secret && value !== null ? [name] : [],
        ),
        existingId: saved.get(settings.name)?.id ?? null,
      })),
    };
  }

  /** Saves servers of a configuration. @throws FaultError if the text no longer has one of them */
  async import({ source, picks, values }: Params<'servers/import'>): Promise<Server[]> {
    const { configuration } = await this.#read(source);
    const chosen = picks.map((pick) => {
      const draft = configuration.servers.find(({ key }) => key === pick.key);
      if (draft === undefined) throw new FaultError(notInText(pick.key));
      return { pick, draft };
    });
    const saved: Server[] = [];
    for (const { pick, draft } of chosen) {
      const before = pick.replaces === null ? null : await this.#servers.get(pick.replaces);
      const names = new Set((await this.#servers.list()).map(({ name }) => name));
      const wanted = pick.name ?? draft.settings.name;
      const settings = {
        ...draft.settings,
        ...(before !== null && keptSettings(before, draft.settings)),
        name: before === null ? freeName(wanted, names) : (pick.name ?? before.name),
        ...(draft.settings.variables && { variables: withValues(draft.settings.variables, values) }),
      };
      saved.push(await this.#servers.save(pick.replaces, settings));
    }
    return saved;
  }

  /** Writes servers as a configuration; into a file of a client only if asked to. */
  async export({ ids, format, into }: Params<'servers/export'>): Promise<Result<'servers/export'>> {
    const servers: ServerSettings[] = [];
    for (const id of ids) servers.push(await this.#exportable(await this.#servers.get(id)));
    if (into.kind !== 'found') {
      const original = into.kind === 'text' ? into.text : null;
      const written = await this.#work.write({ original, format, servers });
      return { text: written.text, leftOut: [...written.leftOut] };
    }
    // The format of the file decides, not the one that was requested.
    const file = this.#foundFile(into.path);
    const { path } = file;
    const { text, encoding } = await readText(path);
    const written = await this.#work.write({ original: text, format: file.format, servers });
    if (into.write) await replaceFile(path, encodeText(written.text, encoding));
    return { text: written.text, leftOut: [...written.leftOut] };
  }

  /** The configuration files of other clients on this machine. Opens only the paths of the table. */
  async found(): Promise<Result<'servers/found'>> {
    const found: Result<'servers/found'> = [];
    for (const { path, format, label } of this.#files()) {
      const read = await readText(path).catch((error: unknown) => {
        if (error instanceof FaultError) return error;
        throw error;
      });
      if (read instanceof FaultError) {
        if (read.fault.code === 'configuration-missing') continue;
        const { what, why = '', next = '' } = read.fault;
        const problem = { line: 1, column: 1, server: null, what: `${what} ${why}`.trim(), next };
        found.push({ path, format, label, servers: [], problems: [problem] });
      } else {
        const { servers, problems } = await this.#work.read(read.text, { format });
        const names = servers.map(({ settings }) => settings.name);
        found.push({ path, format, label, servers: names, problems: [...problems] });
      }
    }
    return found;
  }

  /** The secret values in the configurations of other clients, each with what it is, such as `env:API_KEY`. */
  async secretValues(): Promise<(readonly [kind: string, value: string])[]> {
    const secrets: (readonly [string, string])[] = [];
    for (const { path, format } of this.#files()) {
      const read = await readText(path).catch(() => null);
      if (read === null) continue;
      for (const { settings } of (await this.#work.read(read.text, { format })).servers) {
        const { transport, variables = [] } = settings;
        for (const { name, value, secret } of variables) {
          if (secret && value !== null) secrets.push([name, value]);
        }
        const [kind, entries] =
          transport.kind === 'stdio'
            ? (['env', transport.env] as const)
            : (['header', transport.headers] as const);
        for (const { name, value, secret } of entries) {
          if (secret && value !== null) secrets.push([`${kind}:${name}`, value]);
        }
      }
    }
    return secrets;
  }

  async #read(source: ConfigurationSource): Promise<ReadText> {
    const isWindows = this.#around.platform === 'win32';
    if (source.kind === 'text') {
      const { text, path, format } = source;
      return { text, configuration: await this.#work.read(text, { path, format, isWindows }) };
    }
    const { path, format } = this.#foundFile(source.path);
    const { text } = await readText(path);
    return { text, configuration: await this.#work.read(text, { format, isWindows }) };
  }

  #files(): { path: string; format: ClientFormat; label: string }[] {
    return fileFormats.flatMap((format) =>
      userFiles(format, this.#around).map((path) => ({ path, format: format.id, label: format.label })),
    );
  }

  /** @throws FaultError for any other path: the page must not read files through this */
  #foundFile(path: string): { path: string; format: ClientFormat } {
    const file = this.#files().find((one) => one.path === path);
    if (file === undefined) throw new FaultError(notListed);
    return file;
  }

  async #savedByName(): Promise<Map<string, Server>> {
    const saved = (await this.#servers.list()).filter(({ source }) => source === 'user');
    return new Map(saved.map((server) => [server.name, server]));
  }

  /** The settings with those parts of the URL that are placeholders, and so no secrets. */
  async #exportable(server: Server): Promise<ServerSettings> {
    const { transport } = server;
    if (transport.kind === 'stdio') return server;
    const whole = await this.#servers.revealUrl(server.id);
    const held = new Map(secretsInUrl(whole ?? '').map(({ key, value }) => [key, value]));
    const url = withUrlSecrets(transport.url, ({ key }) => {
      const value = held.get(key);
      return value !== undefined && isOnlyPlaceholders(decodedUrlPart(value)) ? value : null;
    });
    return { ...server, transport: { ...transport, url } };
  }
}

function withoutSecretValues(settings: ServerSettings): ServerSettings {
  const { transport, variables } = settings;
  const hidden = <E extends { value: string | null; secret: boolean }>(entry: E): E =>
    entry.secret ? { ...entry, value: null } : entry;
  return {
    ...settings,
    ...(variables && { variables: variables.map(hidden) }),
    transport:
      transport.kind === 'stdio'
        ? { ...transport, env: transport.env.map(hidden) }
        : { ...transport, url: withoutUrlSecrets(transport.url), headers: transport.headers.map(hidden) },
  };
}

/** What a replaced server keeps: everything that other clients do not know. */
function keptSettings({ transport, ...before }: Server, now: ServerSettings): Partial<ServerSettings> {
  const { era, revision, timeouts, keepAlive, client, notes } = before;
  const kept = { era, revision, timeouts, keepAlive, client, notes };
  if (now.transport.kind === 'http' && transport.kind === 'http') {
    const { tls, proxy } = transport;
    return { ...kept, transport: { ...now.transport, tls, proxy } };
  }
  if (now.transport.kind === 'stdio' && transport.kind === 'stdio')
    return { ...kept, transport: { ...now.transport, inherit: transport.inherit } };
  return kept;
}

/** @throws FaultError if a variable cannot have its value */
const withValues = (variables: readonly Variable[], values: Readonly<Record<string, string>>): Variable[] =>
  variables.map((variable) => {
    const given = values[variable.name] || null;
    const { choices } = variable;
    if (given !== null && choices !== undefined && !choices.includes(given))
      throw new FaultError(notAChoice(variable, choices));
    return { ...variable, value: given ?? variable.value };
  });

const notAChoice = ({ name, secret }: Variable, choices: readonly string[]): Fault => ({
  code: 'not-a-choice',
  what: `The value of ${labelOfVariable({ name })} is not one of its choices.`,
  next: secret ? 'Give one of them.' : `Give one of ${choices.join(', ')}.`,
});

function freeName(wanted: string, names: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; names.has(name); count++) name = `${wanted} (${count})`;
  return name;
}

/** @throws FaultError */
async function readText(path: string): Promise<DecodedText> {
  try {
    const decoded = decodeText(await readNamedBytes(path, 'configuration'));
    if (!isText(decoded)) throw new FaultError({ ...notReadable(path, decoded.what), next: decoded.next });
    return decoded;
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code === 'configuration-not-read') throw error;
    const { code, what, why } = error.fault;
    if (code === EMPTY_FILE) return { text: '', encoding: 'utf-8' };
    if (code === NO_SUCH_FILE) {
      throw new FaultError({
        code: 'configuration-missing',
        what: `There is no file ${path}.`,
        next: 'Save a server in that client once, so that it makes its file.',
      });
    }
    throw new FaultError(notReadable(path, why === undefined ? what : `${what} ${why}`));
  }
}

/** The bytes of a text in the encoding that its file has. */
function encodeText(text: string, encoding: DecodedText['encoding']): Uint8Array {
  const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Replaces the file itself where the path is a link, and keeps its mode. */
async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  try {
    const file = await realpath(path);
    const { mode } = await stat(file);
    await writeFileAtomically(file, content);
    await chmod(file, mode & 0o777);
  } catch (error) {
    throw new FaultError({
      code: 'configuration-not-written',
      what: `The configuration file ${path} cannot be written.`,
      why: messageOf(error),
      next: 'Check that you may write to its folder. Nothing in it was changed.',
    });
  }
}

const notReadable = (path: string, why: string): Fault => ({
  code: 'configuration-not-read',
  what: `The configuration file ${path} cannot be read.`,
  why,
  next: 'Check the file, or paste its text.',
});

const notListed: Fault = {
  code: 'configuration-not-listed',
  what: 'This is not the configuration file of a client.',
  why: 'Only the files that were found on this machine are read by their path.',
  next: 'Paste the text of the file.',
};

const notInText = (key: string): Fault => ({
  code: 'configuration-changed',
  what: `There is no server at ${key === '' ? 'the beginning' : key} of the text.`,
  why: 'The file has changed since it was read, or the server in it cannot be imported.',
  next: 'Read the file again.',
});
