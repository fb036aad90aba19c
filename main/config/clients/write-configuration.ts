import type { JsonNode } from './jsonc.ts';
import {
  type ClientFormat,
  defaultClientProfile,
  defaultTimeouts,
  importedClientProfile,
  type LeftOut,
  type ServerSettings,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import { FaultError } from '#shared/contract/fault.ts';
import { environmentName, isOnlyPlaceholders, placeholdersIn } from '#config/placeholders.ts';
import { decodedUrlPart, withoutUrlSecrets, withUrlSecrets } from '#shared/url-secrets.ts';
import { WORKSPACE } from './draft.ts';
import { type FileFormat, fileFormat, toClient } from './formats.ts';
import { JsonEdit } from './json-edit.ts';
import { elementsOf, membersOf, nodeAt, readJson, textOf } from './json-source.ts';
import { type EntryPlace, entriesOf } from './read-configuration.ts';
import { readEntry, stdioParts } from './read-entry.ts';
import { withoutSecretArguments } from './secret-arguments.ts';
import { writeCommandLines } from './write-command-line.ts';
import { writeRegistryEntry } from './registry/write-registry.ts';

export interface WrittenConfiguration {
  readonly text: string;
  /** What the format cannot hold, and secrets that have to be filled in. */
  readonly leftOut: readonly (LeftOut & { readonly server: string })[];
}

/**
 * Writes servers into the configuration file of a client. Comments, unknown keys and the order of the original stay, and
 * so does every entry that says the same already. Secret values are never written: a placeholder is, where the entry has
 * no value yet.
 *
 * @param original the text to edit; null for a new file
 * @param servers secret values are null or not read
 * @throws FaultError if the original is not valid, or the registry cannot describe a server
 */
export function writeConfiguration(
  original: string | null,
  format: ClientFormat,
  servers: readonly ServerSettings[],
): WrittenConfiguration {
  if (format === 'command-line') return writeCommandLines(servers);
  if (format === 'registry') return writeRegistryEntry(original, servers);
  const text = original === null || original.trim() === '' ? '{}\n' : original;
  const writer = new Writer(text, fileFormat(format));
  for (const server of servers) writer.write(server);
  return { text: writer.text, leftOut: writer.leftOut };
}

class Writer {
  readonly leftOut: (LeftOut & { server: string })[] = [];
  readonly #edit: JsonEdit;
  readonly #format: FileFormat;

  constructor(text: string, format: FileFormat) {
    this.#edit = new JsonEdit(text);
    this.#format = format;
    this.#root();
  }

  get text(): string {
    return this.#edit.text;
  }

  write(server: ServerSettings): void {
    const places = entriesOf(this.#root(), this.#format);
    const existing = places.find(({ name }) => name === server.name);
    this.#nameLosses(server);
    if (existing === undefined) this.#add(server, places);
    else if (existing.node.type !== 'object') this.#edit.set(existing.path, this.#entryOf(server));
    else this.#change(server, existing);
  }

  /** @throws FaultError */
  #root(): JsonNode {
    const { root, problems } = readJson(this.#edit.text);
    const [problem] = problems;
    if (root?.type === 'object' && problem === undefined) return root;
    throw new FaultError({
      code: 'configuration-damaged',
      what:
        problem === undefined
          ? 'The configuration to write into is no JSON object.'
          : `The configuration to write into has an error in line ${problem.line}, column ${problem.column}.`,
      ...(problem !== undefined && { why: problem.what }),
      next: 'Correct it first: text that cannot be read cannot be changed safely. Nothing was written.',
    });
  }

  #add(server: ServerSettings, places: readonly EntryPlace[]): void {
    if (places.some(({ path }) => path.length === 0)) {
      throw new FaultError({
        code: 'configuration-of-one',
        what: 'The text is a single server without a name, so no other server can be added to it.',
        next: `Export into a whole file of ${this.#format.label}, or into a new one.`,
      });
    }
    this.#edit.set([...this.#container(places), server.name], this.#entryOf(server));
  }

  /** Where new servers go: beside the others. */
  #container(places: readonly EntryPlace[]): readonly string[] {
    const root = this.#root();
    const fixed = this.#format.containers.filter((path) => !path.includes('*'));
    const present = fixed.find((path) => nodeAt(root, path)?.type === 'object');
    const isBare =
      present === undefined && places.length > 0 && places.every(({ path }) => path.length === 1);
    return isBare ? [] : (present ?? fixed[0] ?? []);
  }

  /** The entry of a server that the file does not have yet. */
  #entryOf(server: ServerSettings): object {
    const { transport } = server;
    const { stdioType, httpTypes, urlKey, id } = this.#format;
    if (transport.kind === 'stdio') {
      const args = this.#argumentsOf(server, transport);
      const env = transport.env.map(({ name, value }) => [name, this.#valueOf(server, 'env', name, value)]);
      const cwd = this.#cwdOf(server, transport);
      return {
        ...(id === 'zed' && { source: 'custom' }),
        ...(stdioType !== null && { type: stdioType }),
        command: this.#text(server, transport.command),
        args,
        ...(env.length > 0 && { env: Object.fromEntries(env) }),
        ...(cwd !== null && { cwd }),
      };
    }
    const type = httpTypes[transport.transport];
    const headers = transport.headers.map(({ name, value }) => [
      name,
      this.#valueOf(server, 'headers', name, value),
    ]);
    return {
      ...(type !== null && { type }),
      [urlKey]: this.#urlOf(server, transport.url),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    };
  }

  /** Changes only what the entry does not say already. */
  #change(server: ServerSettings, { node, path }: EntryPlace): void {
    const { transport: before } = readEntry(node, this.#format);
    const { transport } = server;
    if (before === null || before.kind !== transport.kind) return this.#changeKind(server, node, path);
    if (before.kind === 'stdio' && transport.kind === 'stdio') {
      const { at, command } = stdioParts(node);
      const parts = [...path, ...at];
      if (before.command !== transport.command)
        this.#edit.set([...parts, command], this.#text(server, transport.command));
      this.#changeArguments(server, [...parts, 'args'], before.args, transport);
      this.#changePairs(server, [...parts, 'env'], before.env, transport.env);
      if (before.cwd !== transport.cwd && !(before.cwd === null && transport.cwd === WORKSPACE)) {
        if (transport.cwd === null) this.#edit.remove([...path, 'cwd']);
        else if (before.cwd !== null) this.#edit.set([...path, 'cwd'], this.#text(server, transport.cwd));
        else {
          const cwd = this.#cwdOf(server, transport);
          if (cwd !== null) this.#edit.set([...path, 'cwd'], cwd);
        }
      }
      return;
    }
    if (before.kind === 'stdio' || transport.kind === 'stdio') return;
    const members = membersOf(node);
    if (withoutUrlSecrets(before.url) !== withoutUrlSecrets(transport.url)) {
      const key = ['url', 'serverUrl', 'httpUrl'].find((one) => members.has(one)) ?? this.#format.urlKey;
      this.#edit.set([...path, key], this.#urlOf(server, transport.url));
    }
    if (before.transport !== transport.transport) {
      const type = this.#format.httpTypes[transport.transport];
      const key = members.has('transport') && !members.has('type') ? 'transport' : 'type';
      const isWritten = textOf(members.get(key)) !== null;
      if (type !== null) this.#edit.set([...path, key], type);
      else if (isWritten) this.#edit.set([...path, key], typeNames[transport.transport]);
    }
    this.#changePairs(server, [...path, 'headers'], before.headers, transport.headers);
  }

  #changeKind(server: ServerSettings, node: JsonNode, path: readonly string[]): void {
    const members = membersOf(node);
    const entry = this.#entryOf(server);
    for (const key of [
      'type',
      'transport',
      'command',
      'args',
      'env',
      'cwd',
      'url',
      'serverUrl',
      'httpUrl',
      'headers',
    ]) {
      if (members.has(key) && !Object.hasOwn(entry, key)) this.#edit.remove([...path, key]);
    }
    for (const [key, value] of Object.entries(entry)) this.#edit.set([...path, key], value);
  }

  /** Element by element, so that the comments between them stay. */
  #changeArguments(
    server: ServerSettings,
    path: readonly string[],
    before: readonly string[],
    transport: StdioSettings,
  ): void {
    const { args } = transport;
    if (before.length === args.length && before.every((arg, index) => arg === args[index])) return;
    const written = this.#argumentsOf(server, transport);
    if (before.length === 0) return this.#edit.set(path, written);
    for (const [index, arg] of written.entries()) {
      if (index >= before.length) this.#edit.append(path, arg);
      else if (before[index] !== args[index]) this.#edit.set([...path, index], arg);
    }
    for (let index = before.length - 1; index >= args.length; index--) this.#edit.remove([...path, index]);
  }

  #changePairs(
    server: ServerSettings,
    path: readonly string[],
    before: readonly Pair[],
    now: readonly Pair[],
  ): void {
    const isHeader = path.at(-1) === 'headers';
    const comparable = (name: string) => (isHeader ? name.toLowerCase() : name);
    const find = (pairs: readonly Pair[], name: string) =>
      pairs.find((pair) => comparable(pair.name) === comparable(name));
    for (const { name, value, secret } of now) {
      const old = find(before, name);
      // A secret that the file has already is left to the file.
      if (old !== undefined && (secret || old.value === value)) continue;
      this.#edit.set(
        [...path, old?.name ?? name],
        this.#valueOf(server, isHeader ? 'headers' : 'env', name, value),
      );
    }
    for (const { name } of before) if (find(now, name) === undefined) this.#edit.remove([...path, name]);
  }

  /** A value as the client may have it; a placeholder for a secret. */
  #valueOf(server: ServerSettings, kind: 'env' | 'headers', name: string, value: string | null): string {
    const { transport } = server;
    const pairs = transport.kind === 'stdio' ? transport.env : transport.headers;
    const isSecret = pairs.some((pair) => pair.name === name && pair.secret);
    if (value !== null && (!isSecret || isOnlyPlaceholders(value))) return this.#text(server, value);
    return this.#placeholder(server, `${kind}.${name}`, kind === 'env' ? name : `${server.name} ${name}`);
  }

  #argumentsOf(server: ServerSettings, { args }: StdioSettings): string[] {
    return withoutSecretArguments(args, (name) => this.#placeholder(server, `args (${name})`, name)).map(
      (arg) => this.#text(server, arg),
    );
  }

  #urlOf(server: ServerSettings, url: string): string {
    const whole = withUrlSecrets(url, ({ name, value }) =>
      isOnlyPlaceholders(decodedUrlPart(value))
        ? null
        : this.#placeholder(server, `url (${name})`, `${server.name} ${name}`),
    );
    return this.#text(server, whole);
  }

  #cwdOf(server: ServerSettings, { cwd }: StdioSettings): string | null {
    if (cwd === null) return null;
    if (this.#format.takesCwd) return this.#text(server, cwd);
    this.#loses(server, 'cwd', `${this.#format.label} has no working folder for a server.`);
    return null;
  }

  /** A placeholder for a secret, and a note that it has to be given. */
  #placeholder(server: ServerSettings, key: string, name: string): string {
    const { expansion, label } = this.#format;
    const variable = environmentName(name);
    if (expansion === 'vscode') {
      const id = variable.toLowerCase().replaceAll('_', '-');
      this.#loses(server, key, `Secret values are not exported. ${label} will ask for it.`);
      return this.#text(server, `\${input:${id}}`);
    }
    const written = toClient(this.#format, `\${env:${variable}}`);
    this.#loses(
      server,
      key,
      expansion === 'none'
        ? `Secret values are not exported. ${label} replaces no variables: write the value in place of ${written}.`
        : `Secret values are not exported. Set ${variable} in the environment of ${label}.`,
    );
    return written;
  }

  /** A text with its placeholders as the client has them; declares its inputs. */
  #text(server: ServerSettings, text: string): string {
    const { expansion } = this.#format;
    for (const { kind, name } of placeholdersIn(text)) {
      if (kind === 'input' && expansion === 'vscode') this.#declareInput(server, name);
    }
    return toClient(this.#format, text);
  }

  #declareInput(server: ServerSettings, id: string): void {
    const root = this.#root();
    const owner = this.#container(entriesOf(root, this.#format)).slice(0, -1);
    const list = nodeAt(root, [...owner, 'inputs']);
    if (elementsOf(list).some((input) => textOf(membersOf(input).get('id')) === id)) return;
    const variable = server.variables?.find(({ name }) => name === `input:${id}`);
    const input = {
      type: 'promptString',
      id,
      description: variable?.description ?? `${id} of ${server.name}`,
      password: variable?.secret ?? true,
    };
    if (list?.type === 'array') this.#edit.append([...owner, 'inputs'], input);
    else this.#edit.set([...owner, 'inputs'], [input]);
  }

  /** Names the settings that no client's file can hold. */
  #nameLosses(server: ServerSettings): void {
    const { transport, timeouts, client, era, revision } = server;
    const { label, takesHttp } = this.#format;
    const only = `Only Sightglass has this setting.`;
    if (transport.kind === 'http') {
      if (!takesHttp) this.#loses(server, 'url', `${label} starts servers only as processes.`);
      const { caFile, certFile, keyFile, accepted } = transport.tls;
      if ([caFile, certFile, keyFile, accepted].some((one) => one !== null)) this.#loses(server, 'tls', only);
      const names = transport.headers.map(({ name }) => name.toLowerCase());
      const twice = names.find((name, index) => names.indexOf(name) < index);
      if (twice !== undefined) this.#loses(server, twice, 'A file has each header only once.');
    } else if (transport.inherit === 'all') this.#loses(server, 'inherit', only);
    if (era !== 'auto' || revision !== null) this.#loses(server, 'revision', only);
    if (JSON.stringify(timeouts) !== JSON.stringify(defaultTimeouts)) this.#loses(server, 'timeouts', only);
    const usual = [defaultClientProfile, importedClientProfile].map((one) => JSON.stringify(one));
    if (!usual.includes(JSON.stringify(client))) this.#loses(server, 'client', only);
  }

  #loses(server: ServerSettings, key: string, why: string): void {
    this.leftOut.push({ server: server.name, key, why });
  }
}

interface Pair {
  readonly name: string;
  readonly value: string | null;
  readonly secret: boolean;
}

/** How a `type` that is there already is changed. */
const typeNames = { 'streamable-http': 'http', 'http-sse': 'sse', auto: 'http' } as const;
