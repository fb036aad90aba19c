import type { FileFormat } from '#shared/client-formats/format.ts';
import type { HttpSettings } from '#shared/contract/servers.ts';
import type { JsonNode } from './jsonc.ts';
import { membersOf, nodeAt, textOf } from './json-source.ts';

type Path = readonly string[];

interface Found {
  readonly at: Path;
  readonly node: JsonNode | undefined;
}

/** The members of a server's entry by what they mean, as the descriptor of its format names them. */
export class EntryKeysRead {
  readonly #entry: JsonNode;
  readonly #format: FileFormat;
  /** Where the members are: Cline may have them in `transport`, and the old format of Zed has some in `command`. */
  readonly #base: Path;
  readonly #isOldZed: boolean;

  constructor(entry: JsonNode, format: FileFormat) {
    this.#entry = entry;
    this.#format = format;
    const members = membersOf(entry);
    this.#isOldZed = members.get('command')?.type === 'object';
    const isNested = members.get('transport')?.type === 'object';
    this.#base = this.#isOldZed ? ['command'] : isNested ? ['transport'] : [];
  }

  get command(): JsonNode | undefined {
    return this.#find(this.#commandKeys).node;
  }

  get args(): JsonNode | undefined {
    return this.#find(this.#argsKeys).node;
  }

  get cwd(): JsonNode | undefined {
    return this.#cwd.node;
  }

  get env(): Found {
    return this.#find([this.#format.keys.env]);
  }

  get envNames(): (Found & { readonly from: 'environment' | 'store' }) | null {
    const { envNames } = this.#format.keys;
    return envNames === null ? null : { ...this.#find([envNames.key]), from: envNames.from };
  }

  get headers(): Found {
    const { headers } = this.#format.keys;
    const at = [...this.#base, ...headers];
    return { at, node: nodeAt(this.#entry, at) };
  }

  get headerVariables(): Found {
    return this.#findOwn(this.#format.keys.headerVariables);
  }

  get bearerVariable(): Found {
    return this.#findOwn(this.#format.keys.bearerVariable);
  }

  get bearer(): Found {
    return this.#findOwn(this.#format.keys.bearer);
  }

  /** The address that counts, and the transport that its key means. */
  get url(): { readonly node: JsonNode; readonly transport: HttpSettings['transport'] } | null {
    const { node, key } = this.#url;
    const named = this.#format.keys.urls.find((one) => one.key === key);
    // Other clients took this key from Gemini CLI, with its meaning.
    const transport = named?.transport ?? (key === 'httpUrl' ? 'streamable-http' : 'auto');
    return node === undefined ? null : { node, transport };
  }

  get type(): JsonNode | undefined {
    const at = this.#type;
    return nodeAt(this.#entry, at);
  }

  get places() {
    const { keys } = this.#format;
    const command = this.#find(this.#commandKeys);
    const isList = command.node?.type === 'array';
    return {
      base: this.#base,
      command: isList ? [...command.at, 0] : command.at,
      args: isList ? command.at : this.#find(this.#argsKeys).at,
      firstArg: isList ? 1 : 0,
      cwd: this.#cwd.node === undefined ? [keys.cwd ?? 'cwd'] : this.#cwd.at,
      url: [...this.#base, this.#url.key ?? keys.urls[0]?.key ?? 'url'],
      type: this.#type,
    };
  }

  /** The keys that say nothing about how to start a process. */
  unusedByStdio(): string[] {
    const { keys } = this.#format;
    return this.#unused([
      'type',
      'transport',
      'transportType',
      ...this.#commandKeys,
      ...this.#argsKeys,
      ...this.#cwdKeys,
      keys.env,
      ...(keys.envNames === null ? [] : [keys.envNames.key]),
    ]);
  }

  /** The keys that say nothing about how to reach an address. */
  unusedByHttp(): string[] {
    const { keys } = this.#format;
    const own = [keys.headerVariables, keys.bearerVariable, keys.bearer].filter((key) => key !== null);
    const [headers = 'headers', inner] = keys.headers;
    const unused = this.#unused([
      'type',
      'transport',
      'transportType',
      headers,
      ...own,
      this.#url.key ?? 'url',
    ]);
    if (inner === undefined) return unused;
    const beside = membersOf(nodeAt(this.#entry, [...this.#base, headers])).keys();
    return [...unused, ...[...beside].filter((key) => key !== inner).map((key) => `${headers}.${key}`)];
  }

  #unused(used: readonly string[]): string[] {
    const known = new Set([...used, ...(this.#format.isList ? ['name'] : [])]);
    const outside = [...membersOf(this.#entry).keys()].filter(
      (key) => !known.has(key) && key !== this.#base[0],
    );
    const inside =
      this.#base.length === 0
        ? []
        : [...membersOf(nodeAt(this.#entry, this.#base)).keys()].filter(
            (key) => !known.has(key) && key !== 'path',
          );
    return [...outside, ...inside];
  }

  get #commandKeys(): string[] {
    return this.#isOldZed ? ['path'] : unique(this.#format.keys.command, 'command', 'cmd');
  }

  get #argsKeys(): string[] {
    return unique(this.#format.keys.args ?? 'args', 'args');
  }

  get #cwdKeys(): string[] {
    return unique(this.#format.keys.cwd ?? 'cwd', 'cwd', 'working_directory');
  }

  /** The working folder is beside the rest, even where that is nested. */
  get #cwd(): Found {
    const inside = this.#find(this.#cwdKeys);
    if (inside.node !== undefined || this.#base.length === 0) return inside;
    const members = membersOf(this.#entry);
    const key = this.#cwdKeys.find((one) => members.has(one)) ?? 'cwd';
    return { at: [key], node: members.get(key) };
  }

  get #url(): { readonly key: string | null; readonly node: JsonNode | undefined } {
    const members = membersOf(nodeAt(this.#entry, this.#base));
    const keys = unique(
      ...this.#format.keys.urls.map(({ key }) => key),
      'url',
      'serverUrl',
      'httpUrl',
      'uri',
    );
    const key = keys.find((one) => textOf(members.get(one))) ?? null;
    return { key, node: key === null ? undefined : members.get(key) };
  }

  get #type(): Path {
    const members = membersOf(nodeAt(this.#entry, this.#base));
    const key = ['type', 'transport', 'transportType'].find((one) => textOf(members.get(one)) !== null);
    return [...this.#base, key ?? this.#format.keys.type];
  }

  #findOwn(key: string | null): Found {
    return key === null ? { at: [], node: undefined } : this.#find([key]);
  }

  /** The first of these keys that the entry has; the place of the first one if it has none. */
  #find(keys: readonly string[]): Found {
    const members = membersOf(nodeAt(this.#entry, this.#base));
    const key = keys.find((one) => members.has(one)) ?? keys[0] ?? '';
    return { at: [...this.#base, key], node: members.get(key) };
  }
}

const unique = (...keys: string[]): string[] => [...new Set(keys)];
