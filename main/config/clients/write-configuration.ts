import type { JsonNode } from './jsonc.ts';
import {
  type ClientFormat,
  type HttpSettings,
  type LeftOut,
  type ServerSettings,
  type StdioSettings,
} from '#shared/contract/servers.ts';
import { type Fault, FaultError } from '#shared/contract/fault.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { withoutUrlSecrets } from '#shared/url-secrets.ts';
import { WORKSPACE } from './draft.ts';
import { type EntryPlace, entriesOf } from './entries.ts';
import { elementsOf, membersOf, nodeAt, textOf } from './json-source.ts';
import { type Entry, readEntry } from './read-entry.ts';
import { ServerEntry } from './server-entry.ts';
import { syntaxes } from './syntaxes.ts';
import type { Path, TextEdit } from './text-edit.ts';
import { writeCommandLines } from './write-command-line.ts';
import { writeRegistryEntry } from './registry/write-registry.ts';
import type { PairKind } from './written-pair.ts';

/** Servers for a configuration, and the text to write them into; null for a new one. */
export interface ConfigurationToWrite {
  readonly original: string | null;
  readonly format: ClientFormat;
  readonly servers: readonly ServerSettings[];
}

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
    const entry = new ServerEntry(server, this.#format, (id) => this.#declareInput(server, id));
    entry.nameLosses();
    if (existing === undefined) this.#add(server, entry, places);
    else if (existing.node.type !== 'object') this.#edit.set(existing.path, entry.entry);
    else this.#change(server, entry, existing);
    this.leftOut.push(...entry.leftOut.map(({ key, why }) => ({ server: server.name, key, why })));
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

  #add(server: ServerSettings, written: ServerEntry, places: readonly EntryPlace[]): void {
    if (places.some(({ path }) => path.length === 0)) {
      throw new FaultError({
        code: 'configuration-of-one',
        what: 'The text is a single server without a name, so no other server can be added to it.',
        next: `Export into a whole file of ${this.#format.label}, or into a new one.`,
      });
    }
    const container = this.#container(places);
    const node = nodeAt(this.#root(), container);
    const { entry } = written;
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

  /** Changes only what the entry does not say already. */
  #change(server: ServerSettings, written: ServerEntry, { node, path }: EntryPlace): void {
    const { transport: before, places } = readEntry(node, this.#format);
    const { transport } = server;
    if (before === null || before.kind !== transport.kind) return this.#changeKind(written, node, path);
    if (before.kind === 'stdio' && transport.kind === 'stdio') {
      if (before.command !== transport.command)
        this.#edit.set([...path, ...places.command], written.text(transport.command));
      this.#changeArguments(written, path, places, before.args, transport);
      this.#changePairs(server, written, path, 'env');
      if (before.cwd !== transport.cwd && !(before.cwd === null && transport.cwd === WORKSPACE)) {
        if (transport.cwd === null) this.#edit.remove([...path, ...places.cwd]);
        else if (before.cwd !== null) this.#edit.set([...path, ...places.cwd], written.text(transport.cwd));
        else {
          const cwd = written.cwd(transport);
          if (cwd !== null) this.#edit.set([...path, ...places.cwd], cwd);
        }
      }
      return;
    }
    if (before.kind === 'stdio' || transport.kind === 'stdio') return;
    if (withoutUrlSecrets(before.url) !== withoutUrlSecrets(transport.url))
      this.#edit.set([...path, ...places.url], written.url(transport.url));
    if (before.transport !== transport.transport)
      this.#changeTransport(written, transport.transport, path, places);
    this.#changePairs(server, written, path, 'headers');
  }

  #changeTransport(
    written: ServerEntry,
    transport: HttpSettings['transport'],
    path: Path,
    places: Entry['places'],
  ): void {
    const { keys, types } = this.#format;
    const key = String(places.url.at(-1));
    const meant = keys.urls.find((one) => one.key === key)?.transport ?? 'auto';
    if (meant !== 'auto' && meant !== transport) {
      const url = textOf(nodeAt(this.#root(), [...path, ...places.url]));
      this.#edit.remove([...path, ...places.url]);
      this.#edit.set([...path, ...places.url.slice(0, -1), written.urlKeyFor(transport)], url);
    }
    const type = types[transport];
    const isWritten = textOf(nodeAt(this.#root(), [...path, ...places.type])) !== null;
    if (type !== null) this.#edit.set([...path, ...places.type], type);
    else if (isWritten) this.#edit.set([...path, ...places.type], typeNames[transport]);
  }

  #changeKind({ entry }: ServerEntry, node: JsonNode, path: Path): void {
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
    entry: ServerEntry,
    path: Path,
    { args: at, firstArg }: Entry['places'],
    before: readonly string[],
    transport: StdioSettings,
  ): void {
    const { args } = transport;
    if (before.length === args.length && before.every((arg, index) => arg === args[index])) return;
    const written = entry.args(transport);
    if (before.length === 0 && firstArg === 0) return this.#edit.set([...path, ...at], written);
    for (const [index, arg] of written.entries()) {
      if (index >= before.length) this.#edit.append([...path, ...at], arg);
      else if (before[index] !== args[index]) this.#edit.set([...path, ...at, firstArg + index], arg);
    }
    for (let index = before.length - 1; index >= args.length; index--)
      this.#edit.remove([...path, ...at, firstArg + index]);
  }

  #changePairs(server: ServerSettings, written: ServerEntry, path: Path, kind: PairKind): void {
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
      const pair = written.pair(kind, name, value, old?.name);
      const at = [...path, ...this.#baseOf(path), ...pair.at];
      const isThere = old !== undefined && !pair.isItem && isSamePath([...path, ...old.at], at);
      if (old !== undefined && !isThere) this.#edit.remove([...path, ...old.at]);
      if (pair.isItem && nodeAt(this.#root(), at)?.type === 'array') this.#edit.append(at, pair.value);
      else this.#edit.set(at, pair.isItem ? [pair.value] : pair.value);
    }
  }

  /** Where an entry has its parts, if that is in another object. */
  #baseOf(path: Path): Path {
    return readEntry(nodeAt(this.#root(), path) ?? this.#root(), this.#format).places.base;
  }

  /** The variables or headers that an entry has now. */
  #pairsAt(path: Path): { name: string; value: string | null; at: Path }[] {
    const { transport, places } = readEntry(nodeAt(this.#root(), path) ?? this.#root(), this.#format);
    if (transport === null) return [];
    const pairs: readonly Pair[] = transport.kind === 'stdio' ? transport.env : transport.headers;
    return pairs.map(({ name, value }, index) => ({ name, value, at: places.pairs[index] ?? [] }));
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
}

const isSamePath = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((key, index) => key === other[index]);

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

/** How a `type` that is there already is changed. */
const typeNames = { 'streamable-http': 'http', 'http-sse': 'sse', auto: 'http' } as const;

const bundleNotWritten: Fault = {
  code: 'configuration-not-written',
  what: 'A server cannot be exported as the manifest of an MCP bundle.',
  why: 'A bundle has the program of the server in it, and Sightglass only knows how it is started.',
  next: 'Export for a client, or as a server.json of the registry.',
};
