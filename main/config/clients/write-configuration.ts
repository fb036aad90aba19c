import type { JsonNode } from './jsonc.ts';
import {
  type ClientFormat,
  defaultClientProfile,
  defaultTimeouts,
  type HttpSettings,
  importedClientProfile,
  type LeftOut,
  type ServerSettings,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { environmentName, isOnlyPlaceholders, placeholdersIn } from '#config/placeholders.ts';
import { decodedUrlPart, withoutUrlSecrets, withUrlSecrets } from '#shared/url-secrets.ts';
import { WORKSPACE } from './draft.ts';
import { type EntryPlace, entriesOf } from './entries.ts';
import { elementsOf, membersOf, nodeAt, textOf } from './json-source.ts';
import { type Entry, readEntry } from './read-entry.ts';
import { withoutSecretArguments } from './secret-arguments.ts';
import { syntaxes } from './syntaxes.ts';
import type { Path, TextEdit } from './text-edit.ts';
import { toClient } from './variables.ts';
import { writeCommandLines } from './write-command-line.ts';
import { writeRegistryEntry } from './write-registry.ts';
import { type PairKind, secretAdvice, writtenPair } from './written-pair.ts';

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
  if (format === 'registry') return { text: writeRegistryEntry(original, servers), leftOut: [] };
  if (format === 'bundle') throw new FaultError(bundleNotWritten);
  const writer = new Writer(original ?? '', fileFormat(format));
  for (const server of servers) writer.write(server);
  return { text: writer.text, leftOut: writer.leftOut };
}

class Writer {
  readonly leftOut: (LeftOut & { server: string })[] = [];
  readonly #edit: TextEdit;
  readonly #format: FileFormat;

  constructor(text: string, format: FileFormat) {
    const syntax = syntaxes[format.syntax];
    this.#format = format;
    this.#edit = syntax.edit(text.trim() === '' ? syntax.empty : text);
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
    const { label, read } = syntaxes[this.#format.syntax];
    const { root, problems } = read(this.#edit.text);
    const [problem] = problems;
    // An empty YAML file has no value.
    if (root === null && problem === undefined) return { type: 'object', members: [], offset: 0, end: 0 };
    if (root?.type === 'object' && problem === undefined) return root;
    throw new FaultError({
      code: 'configuration-damaged',
      what:
        problem === undefined
          ? `The configuration to write into is no ${label} object.`
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
    const container = this.#container(places);
    const node = nodeAt(this.#root(), container);
    const entry = this.#entryOf(server);
    if (node?.type === 'array') this.#edit.append(container, entry);
    else if (this.#format.isList && node?.type !== 'object') this.#edit.set(container, [entry]);
    else this.#edit.set([...container, server.name], entry);
  }

  /** Where new servers go: beside the others. */
  #container(places: readonly EntryPlace[]): readonly string[] {
    const root = this.#root();
    const fixed = this.#format.containers.filter((path) => !path.includes('*'));
    const present = fixed.find((path) => ['object', 'array'].includes(nodeAt(root, path)?.type ?? ''));
    const isBare =
      present === undefined && places.length > 0 && places.every(({ path }) => path.length === 1);
    return isBare ? [] : (present ?? fixed[0] ?? []);
  }

  /** The entry of a server that the file does not have yet. */
  #entryOf(server: ServerSettings): Record<string, unknown> {
    const { transport } = server;
    const { types, keys, fixed, isNamed } = this.#format;
    const type = transport.kind === 'stdio' ? types.stdio : types[transport.transport];
    const entry: Record<string, unknown> = {
      ...(isNamed && { name: server.name }),
      ...fixed[transport.kind],
      ...(type !== null && { [keys.type]: type }),
    };
    if (transport.kind === 'stdio') {
      const command = this.#text(server, transport.command);
      const args = this.#argumentsOf(server, transport);
      Object.assign(
        entry,
        keys.args === null
          ? { [keys.command]: [command, ...args] }
          : { [keys.command]: command, [keys.args]: args },
      );
      for (const { name, value } of transport.env) this.#addPair(entry, server, 'env', name, value);
      const cwd = this.#cwdOf(server, transport);
      if (cwd !== null) entry[keys.cwd ?? 'cwd'] = cwd;
      return entry;
    }
    entry[this.#urlKeyFor(transport.transport)] = this.#urlOf(server, transport.url);
    for (const { name, value } of transport.headers) this.#addPair(entry, server, 'headers', name, value);
    return entry;
  }

  #addPair(
    entry: Record<string, unknown>,
    server: ServerSettings,
    kind: PairKind,
    name: string,
    value: string | null,
  ): void {
    const pair = writtenPair(this.#format, kind, name, this.#valueOf(server, kind, name, value));
    const [last = ''] = pair.at.slice(-1);
    let owner = entry;
    for (const key of pair.at.slice(0, -1)) {
      const inside = owner[key];
      owner = isObject(inside) ? inside : (owner[key] = {});
    }
    const list = owner[last];
    owner[last] = pair.isItem ? [...(Array.isArray(list) ? list : []), pair.value] : pair.value;
  }

  #urlKeyFor(transport: HttpSettings['transport']): string {
    const { urls } = this.#format.keys;
    return (
      (
        urls.find((one) => one.transport === transport) ??
        urls.find((one) => one.transport === 'auto') ??
        urls[0]
      )?.key ?? 'url'
    );
  }

  /** Changes only what the entry does not say already. */
  #change(server: ServerSettings, { node, path }: EntryPlace): void {
    const { transport: before, places } = readEntry(node, this.#format);
    const { transport } = server;
    if (before === null || before.kind !== transport.kind) return this.#changeKind(server, node, path);
    if (before.kind === 'stdio' && transport.kind === 'stdio') {
      if (before.command !== transport.command)
        this.#edit.set([...path, ...places.command], this.#text(server, transport.command));
      this.#changeArguments(server, path, places, before.args, transport);
      this.#changePairs(server, path, 'env');
      if (before.cwd !== transport.cwd && !(before.cwd === null && transport.cwd === WORKSPACE)) {
        if (transport.cwd === null) this.#edit.remove([...path, ...places.cwd]);
        else if (before.cwd !== null)
          this.#edit.set([...path, ...places.cwd], this.#text(server, transport.cwd));
        else {
          const cwd = this.#cwdOf(server, transport);
          if (cwd !== null) this.#edit.set([...path, ...places.cwd], cwd);
        }
      }
      return;
    }
    if (before.kind === 'stdio' || transport.kind === 'stdio') return;
    if (withoutUrlSecrets(before.url) !== withoutUrlSecrets(transport.url))
      this.#edit.set([...path, ...places.url], this.#urlOf(server, transport.url));
    if (before.transport !== transport.transport) this.#changeTransport(transport.transport, path, places);
    this.#changePairs(server, path, 'headers');
  }

  #changeTransport(transport: HttpSettings['transport'], path: Path, places: Entry['places']): void {
    const { keys, types } = this.#format;
    const key = String(places.url.at(-1));
    const meant = keys.urls.find((one) => one.key === key)?.transport ?? 'auto';
    if (meant !== 'auto' && meant !== transport) {
      const url = textOf(nodeAt(this.#root(), [...path, ...places.url]));
      this.#edit.remove([...path, ...places.url]);
      this.#edit.set([...path, ...places.url.slice(0, -1), this.#urlKeyFor(transport)], url);
    }
    const type = types[transport];
    const isWritten = textOf(nodeAt(this.#root(), [...path, ...places.type])) !== null;
    if (type !== null) this.#edit.set([...path, ...places.type], type);
    else if (isWritten) this.#edit.set([...path, ...places.type], typeNames[transport]);
  }

  #changeKind(server: ServerSettings, node: JsonNode, path: Path): void {
    const entry = this.#entryOf(server);
    const { keys } = this.#format;
    const known = new Set<string | null | undefined>([
      keys.type,
      keys.command,
      keys.args,
      keys.env,
      keys.cwd,
      keys.envNames?.key,
      keys.headers[0],
      keys.headerVariables,
      keys.bearerVariable,
      keys.bearer,
      ...keys.urls.map(({ key }) => key),
      ...partKeys,
    ]);
    for (const key of membersOf(node).keys()) {
      if (known.has(key) && !Object.hasOwn(entry, key)) this.#edit.remove([...path, key]);
    }
    for (const [key, value] of Object.entries(entry)) this.#edit.set([...path, key], value);
  }

  /** Element by element, so that the comments between them stay. */
  #changeArguments(
    server: ServerSettings,
    path: Path,
    { args: at, firstArg }: Entry['places'],
    before: readonly string[],
    transport: StdioSettings,
  ): void {
    const { args } = transport;
    if (before.length === args.length && before.every((arg, index) => arg === args[index])) return;
    const written = this.#argumentsOf(server, transport);
    if (before.length === 0 && firstArg === 0) return this.#edit.set([...path, ...at], written);
    for (const [index, arg] of written.entries()) {
      if (index >= before.length) this.#edit.append([...path, ...at], arg);
      else if (before[index] !== args[index]) this.#edit.set([...path, ...at, firstArg + index], arg);
    }
    for (let index = before.length - 1; index >= args.length; index--)
      this.#edit.remove([...path, ...at, firstArg + index]);
  }

  #changePairs(server: ServerSettings, path: Path, kind: PairKind): void {
    const { transport } = server;
    const now: readonly Pair[] = transport.kind === 'stdio' ? transport.env : transport.headers;
    const comparable = (name: string) => (kind === 'headers' ? name.toLowerCase() : name);
    const isSame = (one: string, other: string) => comparable(one) === comparable(other);
    for (const { name, at } of this.#pairsAt(path).reverse()) {
      if (!now.some((pair) => isSame(pair.name, name))) this.#edit.remove([...path, ...at]);
    }
    for (const { name, value, secret } of now) {
      const old = this.#pairsAt(path).find((pair) => isSame(pair.name, name));
      // A secret that the file has already is left to the file.
      if (old !== undefined && (secret || old.value === value)) continue;
      const pair = writtenPair(
        this.#format,
        kind,
        old?.name ?? name,
        this.#valueOf(server, kind, name, value),
      );
      const isThere = old !== undefined && !pair.isItem && old.at.join('\n') === [...pair.at].join('\n');
      if (old !== undefined && !isThere) this.#edit.remove([...path, ...old.at]);
      const at = this.#inPart(path, old?.at ?? null, pair.at);
      if (pair.isItem && nodeAt(this.#root(), [...path, ...at])?.type === 'array')
        this.#edit.append([...path, ...at], pair.value);
      else this.#edit.set([...path, ...at], pair.isItem ? [pair.value] : pair.value);
    }
  }

  /** Some entries have their parts in another object. */
  #inPart(path: Path, old: Path | null, at: Path): Path {
    const { base } = readEntry(nodeAt(this.#root(), path) ?? this.#root(), this.#format).places;
    return old !== null && old.length === at.length ? old : [...base, ...at];
  }

  /** The variables or headers that an entry has now. */
  #pairsAt(path: Path): { name: string; value: string | null; at: Path }[] {
    const { transport, places } = readEntry(nodeAt(this.#root(), path) ?? this.#root(), this.#format);
    if (transport === null) return [];
    const pairs: readonly Pair[] = transport.kind === 'stdio' ? transport.env : transport.headers;
    return pairs.map(({ name, value }, index) => ({ name, value, at: places.pairs[index] ?? [] }));
  }

  /** A value with placeholders of our settings; one for a secret. */
  #valueOf(server: ServerSettings, kind: PairKind, name: string, value: string | null): string {
    const { transport } = server;
    const pairs = transport.kind === 'stdio' ? transport.env : transport.headers;
    const isSecret = pairs.some((pair) => pair.name === name && pair.secret);
    if (value === null || (isSecret && !isOnlyPlaceholders(value)))
      return this.#placeholder(
        server,
        `${kind}.${name}`,
        kind,
        kind === 'env' ? name : `${server.name} ${name}`,
      );
    this.#declareInputs(server, value);
    return value;
  }

  #argumentsOf(server: ServerSettings, { args }: StdioSettings): string[] {
    return withoutSecretArguments(args, (name) =>
      this.#placeholder(server, `args (${name})`, 'text', name),
    ).map((arg) => this.#text(server, arg));
  }

  #urlOf(server: ServerSettings, url: string): string {
    const whole = withUrlSecrets(url, ({ name, value }) =>
      isOnlyPlaceholders(decodedUrlPart(value))
        ? null
        : this.#placeholder(server, `url (${name})`, 'text', `${server.name} ${name}`),
    );
    return this.#text(server, whole);
  }

  #cwdOf(server: ServerSettings, { cwd }: StdioSettings): string | null {
    if (cwd === null) return null;
    if (this.#format.keys.cwd !== null) return this.#text(server, cwd);
    this.#loses(server, 'cwd', `${this.#format.label} has no working folder for a server.`);
    return null;
  }

  /** A placeholder of our settings for a secret, and a note that it has to be given. */
  #placeholder(server: ServerSettings, key: string, kind: PairKind | 'text', name: string): string {
    const variable = environmentName(name);
    this.#loses(server, key, secretAdvice(this.#format, kind, variable));
    if (!this.#format.variables.includes('vscode')) return `\${env:${variable}}`;
    const placeholder = `\${input:${variable.toLowerCase().replaceAll('_', '-')}}`;
    this.#declareInputs(server, placeholder);
    return placeholder;
  }

  /** A text with its placeholders as the client has them; declares its inputs. */
  #text(server: ServerSettings, text: string): string {
    this.#declareInputs(server, text);
    return toClient(this.#format, text);
  }

  #declareInputs(server: ServerSettings, text: string): void {
    for (const { kind, name } of placeholdersIn(text)) {
      if (kind !== 'input') continue;
      if (this.#format.variables.includes('vscode')) this.#declareInput(server, name);
      else this.#noteInput(server, name);
    }
  }

  /** A value of ours that the client has to get from somewhere else. */
  #noteInput(server: ServerSettings, id: string): void {
    const key = `input:${id}`;
    if (this.leftOut.some((one) => one.server === server.name && one.key === key)) return;
    this.#loses(server, key, secretAdvice(this.#format, 'text', environmentName(id)));
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

/** The keys of the parts of a server that a file may have, though its client has others. */
const partKeys = [
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
];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How a `type` that is there already is changed. */
const typeNames = { 'streamable-http': 'http', 'http-sse': 'sse', auto: 'http' } as const;

const bundleNotWritten: Fault = {
  code: 'configuration-not-written',
  what: 'A server cannot be exported as the manifest of an MCP bundle.',
  why: 'A bundle has the program of the server in it, and Sightglass only knows how it is started.',
  next: 'Export for a client, or as a server.json of the registry.',
};
