import { posix, win32 } from 'node:path';
import type { JsonMember, JsonNode } from './jsonc.ts';
import type { ConfigurationProblem, LeftOut, TransportSettings, Variable } from '#shared/contract/servers.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';
import { type Draft, plainSettings, textsOf } from './draft.ts';
import { elementsOf, type JsonSource, membersOf, textOf } from './json-source.ts';
import { readEntry } from './read-entry.ts';

/** The manifest of an MCP bundle (MCPB manifest 0.1 to 0.4, and DXT before it); other programs have a `manifest.json`, too. */
export const isBundle = (root: JsonNode): boolean => {
  const members = membersOf(root);
  const version = members.get('manifest_version') ?? members.get('dxt_version');
  return version?.type === 'string' && members.get('server')?.type !== 'string';
};

/** How the program of a bundle without `mcp_config` is started, by its type. */
const programs: Readonly<Record<string, (file: string) => readonly string[]>> = {
  node: (file) => ['node', file],
  python: (file) => ['python', file],
  binary: (file) => [file],
  uv: (file) => ['uv', 'run', '--directory', FOLDER, file],
};

const FOLDER = '${input:bundle-folder}';

/** Where the host of a bundle has these folders. */
const folders: Readonly<Record<string, string>> = {
  __dirname: FOLDER,
  HOME: '${userHome}',
  DESKTOP: '${userHome}${/}Desktop',
  DOCUMENTS: '${userHome}${/}Documents',
  DOWNLOADS: '${userHome}${/}Downloads',
};

/** Reads the server of a bundle. @param path where its manifest is, if known */
export function readBundle(
  source: JsonSource,
  root: JsonNode,
  path: string | null,
  isWindows: boolean,
): { servers: Draft[]; problems: ConfigurationProblem[] } {
  const members = membersOf(root);
  const name = textOf(members.get('name')) ?? 'server';
  const server = membersOf(members.get('server'));
  const config = server.get('mcp_config');
  const problems: ConfigurationProblem[] = [];
  const problem = (node: JsonNode, what: string, next: string): null => {
    problems.push({ ...source.placeOf(node.offset), server: name, what, next });
    return null;
  };
  const transport =
    config === undefined
      ? (programOf(server) ??
        problem(
          root,
          'This bundle does not say how its server is started.',
          'Add the server by its command line.',
        ))
      : transportOf(forPlatform(config, isWindows), problem);
  if (transport === null) return { servers: [], problems };
  const given = new UserConfig(members.get('user_config'), path);
  const translated = inAllTexts(transport, (text) => given.read(text));
  for (const written of new Set(
    textsOf(translated).flatMap((text) => text.match(/\$\{user_config\.[^{}]{0,100}\}/g) ?? []),
  ))
    problem(root, `There is no ${written} in "user_config" of this bundle.`, 'Write the value itself.');
  const { line } = source.placeOf(root.offset);
  const settings = plainSettings(name, translated, given.variables);
  return { servers: [{ key: '/server', line, settings, leftOut: given.leftOut }], problems };
}

function transportOf(
  node: JsonNode,
  problem: (node: JsonNode, what: string, next: string) => null,
): TransportSettings | null {
  const entry = readEntry(node, fileFormat('claude-desktop'));
  for (const { node: at, what, next } of entry.problems) problem(at, what, next);
  return entry.transport;
}

function programOf(server: ReadonlyMap<string, JsonNode>): TransportSettings | null {
  const file = textOf(server.get('entry_point'));
  const [command, ...args] =
    (file !== null && programs[textOf(server.get('type')) ?? '']?.(`\${__dirname}/${file}`)) || [];
  return command === undefined ? null : { kind: 'stdio', command, args, cwd: null, env: [], inherit: 'safe' };
}

/** The configuration with what it overrides on this system. */
function forPlatform(config: JsonNode, isWindows: boolean): JsonNode {
  if (config.type !== 'object') return config;
  const overrides = membersOf(membersOf(config).get('platform_overrides'));
  const own = overrides.get(isWindows ? 'win32' : process.platform);
  const { offset, end } = config;
  const usual = config.members.filter(({ key }) => key !== 'platform_overrides');
  if (own?.type !== 'object') return { type: 'object', members: usual, offset, end };
  const members = own.members.map((member) => withInherited(member, membersOf(config).get(member.key)));
  return { type: 'object', members: [...usual, ...members], offset, end };
}

/** Variables are added to those of all systems, anything else replaces it. */
const withInherited = (member: JsonMember, inherited: JsonNode | undefined): JsonMember =>
  member.key === 'env' && inherited?.type === 'object' && member.node.type === 'object'
    ? { ...member, node: { ...member.node, members: [...inherited.members, ...member.node.members] } }
    : member;

function inAllTexts(transport: TransportSettings, change: (text: string) => string): TransportSettings {
  if (transport.kind === 'http') return transport;
  return {
    ...transport,
    command: change(transport.command),
    args: transport.args.map(change),
    env: transport.env.map((entry) => {
      const value = change(entry.value ?? '');
      // The value that the user gives is kept as a secret instead.
      return { ...entry, value, secret: entry.secret && !isOnlyPlaceholders(value) };
    }),
  };
}

/** The values that the user gives to a bundle. */
class UserConfig {
  readonly leftOut: LeftOut[] = [];
  readonly #wanted: ReadonlyMap<string, JsonNode>;
  readonly #path: string | null;
  readonly #variables = new Map<string, Variable>();

  constructor(node: JsonNode | undefined, path: string | null) {
    this.#wanted = membersOf(node);
    this.#path = path;
  }

  get variables(): Variable[] {
    return [...this.#variables.values()];
  }

  /** A text with its variables as placeholders of our settings. */
  read(text: string): string {
    return text.replaceAll(/\$\{([\w.-]+)\}/g, (written: string, name: string) => {
      const folder = folders[name];
      if (folder !== undefined) {
        if (folder === FOLDER) this.#addFolder();
        return folder;
      }
      return name.startsWith('user_config.')
        ? (this.#valueOf(name.slice('user_config.'.length)) ?? written)
        : written;
    });
  }

  #addFolder(): void {
    const path = this.#path;
    const isKnown = path !== null && (posix.isAbsolute(path) || win32.isAbsolute(path));
    this.#variables.set(FOLDER, {
      name: 'input:bundle-folder',
      value: isKnown ? (path.includes('\\') ? win32 : posix).dirname(path) : null,
      secret: false,
      description: 'The folder where the bundle is unpacked',
    });
  }

  #valueOf(name: string): string | null {
    const node = this.#wanted.get(name);
    if (node === undefined) return null;
    const members = membersOf(node);
    const fallback = members.get('default');
    const text = textOf(elementsOf(fallback)[0] ?? fallback);
    const secret = textOf(members.get('sensitive')) === 'true' || isSecretVariable(name);
    const isOptional = textOf(members.get('required')) !== 'true';
    const usual = text === null ? (isOptional && !secret ? '' : null) : this.#default(text);
    const isNew = !this.#variables.has(name);
    this.#variables.set(name, {
      name: `input:${name}`,
      value: secret ? null : usual,
      secret,
      description: textOf(members.get('title')) ?? textOf(members.get('description')),
    });
    if (isNew && textOf(members.get('multiple')) === 'true') {
      const why = 'It takes several values. Add arguments for the others in the settings.';
      this.leftOut.push({ key: `user_config.${name}`, why });
    }
    return `\${input:${name}}`;
  }

  /** Values of variables are not expanded, so the user gives those that name a folder of theirs. */
  #default(text: string): string | null {
    return text.includes('${') ? null : text;
  }
}
