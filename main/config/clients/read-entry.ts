import type { JsonNode } from './jsonc.ts';
import type {
  EnvEntry,
  HeaderEntry,
  HttpSettings,
  LeftOut,
  TransportSettings,
} from '#shared/contract/servers.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import type { FileFormat } from '#shared/client-formats/format.ts';
import { isHttpUrlTemplate } from '#shared/url-template.ts';
import { holdsSecret, isSecretHeader, isSecretVariable } from '#shared/secret-names.ts';
import {
  isOnlyPlaceholders,
  type Placeholder,
  placeholdersIn,
  replacePlaceholders,
} from '#config/placeholders.ts';
import { EntryKeysRead } from './entry-keys.ts';
import { elementsOf, membersOf, textOf } from './json-source.ts';
import { whyLeftOut } from './left-out.ts';
import type { Path } from './text-edit.ts';
import { fromClient } from './variables.ts';

/** Where the parts of a server are in its entry, or where they would be written. */
export interface EntryPlaces {
  /** The object that has its parts, if that is not the entry itself. */
  readonly base: Path;
  readonly command: Path;
  /** The list that has the arguments, and the index of the first one. */
  readonly args: Path;
  readonly firstArg: number;
  readonly cwd: Path;
  readonly url: Path;
  readonly type: Path;
  /** Of each variable or header, in the order of the settings. */
  readonly pairs: readonly Path[];
}

/** A server of a configuration file, with its secret values. */
export interface Entry {
  /** Null if a problem keeps it from being a server. */
  readonly transport: TransportSettings | null;
  readonly places: EntryPlaces;
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly EntryProblem[];
}

interface EntryProblem {
  readonly node: JsonNode;
  readonly what: string;
  readonly next: string;
}

/** Reads the entry of one server. */
export function readEntry(entry: JsonNode, format: FileFormat): Entry {
  const reader = new EntryReader(entry, format);
  const transport = reader.read();
  return { transport, places: reader.places, leftOut: reader.leftOut, problems: reader.problems };
}

interface Pair {
  readonly name: string;
  readonly value: string;
  readonly at: Path;
}

class EntryReader {
  readonly leftOut: LeftOut[] = [];
  readonly problems: EntryProblem[] = [];
  readonly #entry: JsonNode;
  readonly #format: FileFormat;
  readonly #keys: EntryKeysRead;
  #pairs: readonly Pair[] = [];

  constructor(entry: JsonNode, format: FileFormat) {
    this.#entry = entry;
    this.#format = format;
    this.#keys = new EntryKeysRead(entry, format);
  }

  get places(): EntryPlaces {
    return { ...this.#keys.places, pairs: this.#pairs.map(({ at }) => at) };
  }

  read(): TransportSettings | null {
    if (this.#entry.type !== 'object') {
      return this.#problem(
        this.#entry,
        'A server must be an object.',
        'Write { "command": … } or { "url": … } here.',
      );
    }
    const members = membersOf(this.#entry);
    for (const { key, values, what, next } of this.#format.noServers) {
      const value = textOf(members.get(key));
      if (value !== null && values?.includes(value) !== false) return this.#problem(this.#entry, what, next);
    }
    if (this.#keys.command !== undefined) return this.#stdio(this.#keys.command);
    if (this.#keys.url !== null) return this.#http(this.#keys.url);
    if (members.has('settings') || textOf(members.get('source')) === 'extension') {
      return this.#problem(
        this.#entry,
        'An extension of Zed starts this server, so its command is not in this file.',
        'Add "command" with the program that the extension runs.',
      );
    }
    return this.#problem(
      this.#entry,
      `This server has neither a "${this.#format.keys.command}" nor a "${this.#format.keys.urls[0]?.key ?? 'url'}".`,
      'Add the one that the server is started or reached by.',
    );
  }

  #stdio(commandNode: JsonNode): TransportSettings | null {
    const isList = commandNode.type === 'array';
    const command = this.#text(isList ? elementsOf(commandNode)[0] : commandNode);
    if (command === null || command.trim() === '') {
      return this.#problem(
        commandNode,
        'The command is not a text, or is empty.',
        'Write the program to start, such as "npx".',
      );
    }
    const { args } = this.#keys;
    const argNodes = [...(isList ? elementsOf(commandNode).slice(1) : []), ...elementsOf(args)];
    if (args !== undefined && args.type !== 'array' && args.type !== 'null')
      this.#problem(args, 'The arguments are not a list.', 'Write "args" as ["one", "two"].');
    if (argNodes.length === 0 && /\s/.test(command.trim()) && !/[\\/]/.test(command)) {
      this.#problem(
        commandNode,
        'The command has spaces, and no shell will split it.',
        'Write only the program in "command", and the rest as "args".',
      );
    }
    for (const node of argNodes) {
      // READMEs write it so; `--header=Name: value` is one argument.
      if (/^--?[A-Za-z][\w-]*\s+\S/.test(textOf(node) ?? ''))
        this.#problem(
          node,
          'This argument has a space after an option, and no shell will split it.',
          'Write the option and its value as two arguments, as in ["-y", "server"].',
        );
    }
    this.#leaveOut('stdio', this.#keys.unusedByStdio());
    const env = this.#env();
    return {
      kind: 'stdio',
      command,
      args: argNodes.flatMap((node) => this.#text(node) ?? this.#notText(node, 'argument')),
      cwd: this.#text(this.#keys.cwd) || null,
      env,
      inherit: 'safe',
    };
  }

  #http({ node, transport: byKey }: NonNullable<EntryKeysRead['url']>): TransportSettings | null {
    const url = this.#text(node)?.trim();
    if (url === undefined || !isHttpUrlTemplate(url)) {
      const { what, next } = noAddress(url ?? '');
      return this.#problem(node, what, next);
    }
    // What only the other client replaces can be no host.
    if (/^(?:https?:\/\/)?[^/?#]*\$\{/.test(replacePlaceholders(url, () => 'x'))) {
      return this.#problem(
        node,
        'The host of this address has a variable that Sightglass does not replace.',
        'Write the address with its host, such as https://example.com/mcp, or ${env:NAME} in its place.',
      );
    }
    this.#leaveOut('http', this.#keys.unusedByHttp());
    return {
      ...plainHttpSettings(url),
      transport: this.#httpTransport(this.#keys.type, byKey),
      headers: this.#headers(),
    };
  }

  #httpTransport(node: JsonNode | undefined, byKey: HttpSettings['transport']): HttpSettings['transport'] {
    const type = textOf(node);
    if (type === null || node === undefined) return byKey;
    const word = type.toLowerCase().replaceAll(/[^a-z]/g, '');
    if (word === 'sse' || word === 'httpsse') return 'http-sse';
    if (word === 'streamablehttp') return 'streamable-http';
    if (word === 'http') return this.#format.http;
    if (word === 'remote') return byKey;
    const isSocket = ['ws', 'wss', 'websocket'].includes(word);
    this.#problem(
      node,
      isSocket ? 'Sightglass does not connect over WebSocket.' : `"${type}" is no HTTP transport.`,
      'Write "http" or "sse"; until then the transport is detected.',
    );
    return 'auto';
  }

  #env(): EnvEntry[] {
    const { env, envNames } = this.#keys;
    const passed = elementsOf(envNames?.node).flatMap((node, index): Pair[] => {
      const name = textOf(node) ?? textOf(membersOf(node).get('name'));
      if (name === null || envNames === null) return [];
      const source = envNames.from === 'environment' ? 'env' : 'input';
      return [{ name, value: `\${${source}:${name}}`, at: [...envNames.at, index] }];
    });
    this.#pairs = [...this.#pairsOf(env.node, env.at, 'variable'), ...passed];
    return this.#pairs.map(({ name, value }) => ({
      name,
      value,
      secret:
        hasSecretDefault(value) ||
        ((holdsSecret(name, value) || hasCredential.test(value)) &&
          !isHarmless(value, isSecretVariable(name))),
    }));
  }

  /** A header may be a credential, regardless of its name. */
  #headers(): HeaderEntry[] {
    const { headers, headerVariables, bearerVariable, bearer } = this.#keys;
    const named = this.#pairsOf(headerVariables.node, headerVariables.at, 'variable of a header').map(
      (pair) => ({
        ...pair,
        value: `\${env:${pair.value}}`,
      }),
    );
    const variable = textOf(bearerVariable.node);
    const token = this.#text(bearer.node);
    const authorization = (value: string, at: Path): Pair => ({
      name: 'Authorization',
      value: `Bearer ${value}`,
      at,
    });
    this.#pairs = [
      ...this.#pairsOf(headers.node, headers.at, 'header'),
      ...named,
      ...(variable === null ? [] : [authorization(`\${env:${variable}}`, bearerVariable.at)]),
      ...(token === null || token === '' ? [] : [authorization(token, bearer.at)]),
    ];
    return this.#pairs.map(({ name, value }) => ({
      name,
      value,
      secret: hasSecretDefault(value) || !isHarmless(value, isSecretHeader(name)),
    }));
  }

  #pairsOf(node: JsonNode | undefined, at: Path, what: string): Pair[] {
    if (node !== undefined && node.type !== 'object' && node.type !== 'null')
      this.#problem(node, `The ${what}s are not an object.`, 'Write them as { "NAME": "value" }.');
    const pairs: Pair[] = [];
    for (const [name, value] of membersOf(node)) {
      const text = this.#text(value);
      if (text !== null) pairs.push({ name, value: text, at: [...at, name] });
      // VS Code removes an inherited variable by null; ours inherit only what every program needs.
      else if (value.type !== 'null') this.#notText(value, what);
    }
    return pairs;
  }

  #text(node: JsonNode | undefined): string | null {
    const text = textOf(node);
    return text === null ? null : fromClient(this.#format, text);
  }

  #notText(node: JsonNode, what: string): never[] {
    this.#problem(node, `This ${what} is not a text.`, 'Put it in quotation marks.');
    return [];
  }

  #leaveOut(kind: TransportSettings['kind'], keys: readonly string[]): void {
    for (const key of keys) this.leftOut.push({ key, why: whyLeftOut(key, kind, this.#format) });
  }

  #problem(node: JsonNode, what: string, next: string): null {
    this.problems.push({ node, what, next });
    return null;
  }
}

/** The value of an Authorization header in some other text, or the password of a URL. */
const hasCredential = /\b(?:Bearer|Basic) +[\w.~+/=-]{4,}|:\/\/[^/\s:@]+:[^/\s@$]+@/i;

/** Whether a value has nothing but placeholders. @param isSecretName whether a default in one is secret, too */
const isHarmless = (value: string, isSecretName: boolean): boolean =>
  isOnlyPlaceholders(value) && !placeholdersIn(value).some((one) => hasDefault(one) && isSecretName);

/** Whether a value has the default of a variable that is secret by its name. */
const hasSecretDefault = (value: string): boolean =>
  placeholdersIn(value).some((one) => hasDefault(one) && isSecretVariable(one.name));

const hasDefault = (placeholder: Placeholder): boolean =>
  placeholder.kind === 'env' && !!placeholder.fallback;

function noAddress(url: string): Pick<EntryProblem, 'what' | 'next'> {
  if (/^wss?:/i.test(url))
    return {
      what: 'Sightglass does not connect over WebSocket.',
      next: 'Import the address that the server has for Streamable HTTP, if there is one.',
    };
  return {
    what: /^https?:\/\//i.test(url)
      ? 'This address is not a valid URL.'
      : 'This is no address that begins with http:// or https://.',
    next: 'Write the address with its host, such as https://example.com/mcp.',
  };
}

/** Whether a text is an http(s) URL, in which placeholders are ordinary characters. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
