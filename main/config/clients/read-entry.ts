import type { JsonNode } from './jsonc.ts';
import type {
  EnvEntry,
  HeaderEntry,
  HttpSettings,
  LeftOut,
  TransportSettings,
} from '#shared/contract/servers.ts';
import { plainHttpSettings } from '#shared/contract/servers.ts';
import { holdsSecret } from '#shared/secret-names.ts';
import { isOnlyPlaceholders, replacePlaceholders } from '#config/placeholders.ts';
import { type FileFormat, fromClient } from './formats.ts';
import { elementsOf, membersOf, textOf } from './json-source.ts';

/** A server of a configuration file, with its secret values. */
export interface Entry {
  /** Null if a problem keeps it from being a server. */
  readonly transport: TransportSettings | null;
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly EntryProblem[];
}

interface EntryProblem {
  readonly node: JsonNode;
  readonly what: string;
  readonly next: string;
}

/** The keys of a URL, in the order in which they count. */
const urlKeys = ['url', 'serverUrl', 'httpUrl'] as const;

const usedByStdio: ReadonlySet<string> = new Set(['type', 'command', 'args', 'env', 'cwd']);
const usedByHttp: ReadonlySet<string> = new Set(['type', 'transport', 'headers', ...urlKeys]);

/** Where the parts of a stdio server are: the old format of Zed has them in `command`. */
export const stdioParts = (entry: JsonNode): { readonly at: readonly string[]; readonly command: string } =>
  membersOf(entry).get('command')?.type === 'object'
    ? { at: ['command'], command: 'path' }
    : { at: [], command: 'command' };

/** Reads the entry of one server. */
export function readEntry(entry: JsonNode, format: FileFormat): Entry {
  const reader = new EntryReader(format);
  const transport = reader.read(entry);
  return { transport, leftOut: reader.leftOut, problems: reader.problems };
}

class EntryReader {
  readonly leftOut: LeftOut[] = [];
  readonly problems: EntryProblem[] = [];
  readonly #format: FileFormat;

  constructor(format: FileFormat) {
    this.#format = format;
  }

  read(entry: JsonNode): TransportSettings | null {
    if (entry.type !== 'object') {
      return this.#problem(
        entry,
        'A server must be an object.',
        'Write { "command": … } or { "url": … } here.',
      );
    }
    const members = membersOf(entry);
    const command = members.get('command');
    const [urlKey] = urlKeys.filter((key) => textOf(members.get(key)));
    if (command !== undefined) return this.#stdio(entry, members);
    if (urlKey !== undefined) return this.#http(entry, members, urlKey);
    if (members.has('settings') || textOf(members.get('source')) === 'extension') {
      return this.#problem(
        entry,
        'An extension of Zed starts this server, so its command is not in this file.',
        'Add "command" with the program that the extension runs.',
      );
    }
    return this.#problem(
      entry,
      'This server has neither a "command" nor a "url".',
      'Add the one that the server is started or reached by.',
    );
  }

  #stdio(entry: JsonNode, members: Map<string, JsonNode>): TransportSettings | null {
    const { at, command: commandKey } = stdioParts(entry);
    const parts = at.length === 0 ? members : membersOf(members.get('command'));
    const commandNode = parts.get(commandKey);
    const command = this.#text(commandNode);
    if (commandNode === undefined || command === null || command.trim() === '') {
      return this.#problem(
        commandNode ?? entry,
        'The command is not a text, or is empty.',
        'Write the program to start, such as "npx".',
      );
    }
    const args = parts.get('args');
    const argNodes = elementsOf(args);
    if (args !== undefined && args.type !== 'array' && args.type !== 'null')
      this.#problem(args, 'The arguments are not a list.', 'Write "args" as ["one", "two"].');
    if (argNodes.length === 0 && /\s/.test(command.trim()) && !/[\\/]/.test(command)) {
      this.#problem(
        commandNode,
        'The command has spaces, and no shell will split it.',
        'Write only the program in "command", and the rest as "args".',
      );
    }
    this.#leaveOut(members, usedByStdio);
    if (at.length > 0) this.#leaveOut(parts, new Set(['path', 'args', 'env']));
    return {
      kind: 'stdio',
      command,
      args: argNodes.flatMap((node) => this.#text(node) ?? this.#notText(node, 'argument')),
      cwd: this.#text(members.get('cwd')) || null,
      env: this.#env(parts.get('env')),
      inherit: 'safe',
    };
  }

  #http(entry: JsonNode, members: Map<string, JsonNode>, urlKey: string): TransportSettings | null {
    const node = members.get(urlKey);
    const url = this.#text(node)?.trim();
    if (node === undefined || url === undefined || !isHttpUrl(url)) {
      const isUnknown = url !== undefined && isHttpUrl(replacePlaceholders(url, () => 'x'));
      return this.#problem(
        node ?? entry,
        isUnknown || url?.startsWith('${') === true
          ? 'The host of this address is a placeholder.'
          : 'This is no address that begins with http:// or https://.',
        'Write the address with its host, such as https://example.com/mcp.',
      );
    }
    this.#leaveOut(members, usedByHttp);
    return {
      ...plainHttpSettings(url),
      transport: this.#httpTransport(members.get('type') ?? members.get('transport')),
      headers: this.#headers(members.get('headers')),
    };
  }

  #httpTransport(node: JsonNode | undefined): HttpSettings['transport'] {
    const type = textOf(node)
      ?.toLowerCase()
      .replaceAll(/[^a-z]/g, '');
    if (type === undefined || node === undefined) return 'auto';
    if (type === 'sse' || type === 'httpsse') return 'http-sse';
    if (type === 'streamablehttp') return 'streamable-http';
    if (type === 'http') return this.#format.id === 'vscode' ? 'auto' : 'streamable-http';
    this.#problem(
      node,
      `"${textOf(node) ?? ''}" is no HTTP transport.`,
      'Write "http" or "sse"; until then the transport is detected.',
    );
    return 'auto';
  }

  #env(node: JsonNode | undefined): EnvEntry[] {
    return this.#pairs(node, 'variable').map(([name, value]) => ({
      name,
      value,
      secret: (holdsSecret(name, value) || hasCredential.test(value)) && !isOnlyPlaceholders(value),
    }));
  }

  /** A header may be a credential, regardless of its name. */
  #headers(node: JsonNode | undefined): HeaderEntry[] {
    return this.#pairs(node, 'header').map(([name, value]) => ({
      name,
      value,
      secret: !isOnlyPlaceholders(value),
    }));
  }

  #pairs(node: JsonNode | undefined, what: string): [name: string, value: string][] {
    if (node !== undefined && node.type !== 'object' && node.type !== 'null')
      this.#problem(node, `The ${what}s are not an object.`, 'Write them as { "NAME": "value" }.');
    const pairs: [string, string][] = [];
    for (const [name, value] of membersOf(node)) {
      const text = this.#text(value);
      if (text !== null) pairs.push([name, text]);
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

  #leaveOut(members: Map<string, JsonNode>, used: ReadonlySet<string>): void {
    for (const key of members.keys()) {
      if (!used.has(key))
        this.leftOut.push({ key, why: reasons[key] ?? 'Sightglass does not know this key.' });
    }
  }

  #problem(node: JsonNode, what: string, next: string): null {
    this.problems.push({ node, what, next });
    return null;
  }
}

/** The value of an Authorization header in some other text, or the password of a URL. */
const hasCredential = /\b(?:Bearer|Basic) +[\w.~+/=-]{4,}|:\/\/[^/\s:@]+:[^/\s@$]+@/i;

/** Whether a text is an http(s) URL, in which placeholders are ordinary characters. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

const connects = 'Sightglass connects only when you ask for it.';
const toolRights = 'Which tools may run unasked is up to each client.';
const authorization = 'The authorization of this client is its own.';

/** Why keys that clients use have no effect here. */
const reasons: Readonly<Record<string, string>> = {
  disabled: connects,
  enabled: connects,
  autostart: connects,
  autoApprove: toolRights,
  alwaysAllow: toolRights,
  disabledTools: toolRights,
  enabledTools: toolRights,
  tools: toolRights,
  auth: authorization,
  oauth: authorization,
  headersHelper: 'Sightglass runs no program to get headers. Add the headers themselves.',
  envFile: 'Sightglass reads no file of variables. Add those that the server needs.',
  timeout: 'Clients mean different units. Set the timeouts here if the defaults do not fit.',
  initTimeout: 'Clients mean different units. Set the timeouts here if the defaults do not fit.',
  dev: 'Sightglass does not restart a server when its files change.',
  settings: 'An extension of Zed passes these to the server.',
  source: 'Only Zed needs to know where the entry comes from.',
  description: 'It is only shown by the other client.',
  icon: 'It is only shown by the other client.',
  name: 'The key of the entry is the name.',
  headers: 'A server that is started as a process has no headers.',
  url: 'A server that is started as a process has no address.',
  env: 'A server that is reached at an address has no variables.',
};
