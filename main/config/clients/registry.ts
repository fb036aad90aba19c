import type { JsonNode } from './jsonc.ts';
import {
  type ConfigurationProblem,
  type LeftOut,
  plainHttpSettings,
  type TransportSettings,
  type Variable,
} from '#shared/contract/servers.ts';
import { isSecretVariable } from '#shared/secret-names.ts';
import { isOnlyPlaceholders } from '#config/placeholders.ts';
import { type Draft, plainSettings } from './draft.ts';
import { elementsOf, type JsonSource, membersOf, textOf } from './json-source.ts';
import { isHttpUrl } from './read-entry.ts';

/**
 * The `server.json` of the MCP registry: packages to start and remotes to connect to (schemas 2025-07-09 to 2025-12-11; the
 * first ones write keys in snake_case).
 */
export const isRegistryEntry = (root: JsonNode): boolean => {
  const members = membersOf(serverOf(root));
  if (textOf(members.get('$schema'))?.includes('server.schema.json') === true) return true;
  return textOf(members.get('name')) !== null && (members.has('packages') || members.has('remotes'));
};

/** The registry's API wraps it. */
function serverOf(root: JsonNode): JsonNode {
  const wrapped = membersOf(root).get('server');
  return wrapped?.type === 'object' ? wrapped : root;
}

/** How a package of each type is started. */
interface Launcher {
  readonly command: string;
  /** The arguments before those of the package. */
  readonly args: (reference: {
    identifier: string;
    version: string | null;
    variables: readonly string[];
  }) => string[];
}

const withVersion = (identifier: string, version: string | null, sign = '@'): string =>
  version === null || version === 'latest' ? identifier : `${identifier}${sign}${version}`;

const launchers: Readonly<Record<string, Launcher>> = {
  npm: { command: 'npx', args: ({ identifier, version }) => ['-y', withVersion(identifier, version)] },
  pypi: { command: 'uvx', args: ({ identifier, version }) => [withVersion(identifier, version)] },
  nuget: { command: 'dnx', args: ({ identifier, version }) => [withVersion(identifier, version), '--yes'] },
  oci: {
    command: 'docker',
    args: ({ identifier, version, variables }) => [
      'run',
      '-i',
      '--rm',
      ...variables.flatMap((name) => ['-e', name]),
      // Later schemas have the tag or the digest in the identifier.
      /[:@]/.test(identifier.slice(identifier.lastIndexOf('/') + 1))
        ? identifier
        : withVersion(identifier, version, ':'),
    ],
  },
};

/** Reads every package and remote as a server of its own. */
export function readRegistryEntry(
  source: JsonSource,
  root: JsonNode,
): { servers: Draft[]; problems: ConfigurationProblem[] } {
  const server = membersOf(serverOf(root));
  const prefix = serverOf(root) === root ? '' : '/server';
  const packages = elementsOf(server.get('packages'));
  const remotes = elementsOf(server.get('remotes'));
  const whole = textOf(server.get('name')) ?? 'server';
  const name = whole.split('/').at(-1) ?? whole;
  const isOnly = packages.length + remotes.length === 1;
  const servers: Draft[] = [];
  const problems: ConfigurationProblem[] = [];
  const add = (node: JsonNode, key: string, read: (reader: RegistryReader) => TransportSettings | string) => {
    const reader = new RegistryReader();
    const kind = member(node, 'registryType') ?? textOf(membersOf(node).get('type')) ?? 'package';
    const own = isOnly ? name : `${name} (${kind})`;
    const transport = read(reader);
    const place = source.placeOf(node.offset);
    if (typeof transport === 'string') {
      problems.push({
        ...place,
        server: own,
        what: transport,
        next: 'Use another package or remote of this server.',
      });
    } else {
      const settings = plainSettings(own, transport, [...reader.variables.values()]);
      servers.push({ key: `${prefix}${key}`, line: place.line, settings, leftOut: reader.leftOut });
    }
  };
  for (const [index, node] of packages.entries())
    add(node, `/packages/${index}`, (reader) => reader.package(node));
  for (const [index, node] of remotes.entries())
    add(node, `/remotes/${index}`, (reader) => reader.remote(node));
  if (packages.length + remotes.length === 0) {
    problems.push({
      ...source.placeOf(root.offset),
      server: null,
      what: 'This server.json has neither packages nor remotes.',
      next: 'Add the server by its command line or its address.',
    });
  }
  return { servers, problems };
}

/** A member by its name in camelCase, or in snake_case as early schemas have it. */
const nodeOf = (node: JsonNode | undefined, name: string): JsonNode | undefined =>
  membersOf(node).get(name) ??
  membersOf(node).get(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const member = (node: JsonNode | undefined, name: string): string | null => textOf(nodeOf(node, name));

const isTrue = (node: JsonNode, name: string): boolean => member(node, name) === 'true';

/** Reads one package or remote, and collects the values that the user has to give. */
class RegistryReader {
  readonly variables = new Map<string, Variable>();
  readonly leftOut: LeftOut[] = [];

  /** The transport; the reason if it cannot be started. */
  package(node: JsonNode): TransportSettings | string {
    const transport = nodeOf(node, 'transport');
    const type = member(transport, 'type') ?? 'stdio';
    if (type !== 'stdio')
      return 'This package serves an address: start it yourself, and add the server by its URL.';
    const registryType = member(node, 'registryType') ?? member(node, 'registryName') ?? '';
    const launcher = launchers[registryType === 'docker' ? 'oci' : registryType];
    const identifier = member(node, 'identifier') ?? member(node, 'name');
    if (launcher === undefined || identifier === null)
      return `Sightglass cannot start packages of the type "${registryType}".`;
    const env = this.#named(nodeOf(node, 'environmentVariables'), 'variable');
    const variables = env.map(([name]) => name);
    const own = launcher.args({ identifier, version: member(node, 'version'), variables });
    const runtime = this.#arguments(nodeOf(node, 'runtimeArguments'));
    // Some entries have `-y` or `run -i --rm` among their own arguments.
    const [last = identifier] = own.slice(-1);
    const args =
      registryType === 'oci' && runtime[0] === 'run'
        ? [...runtime, last]
        : [...runtime.filter((word) => !own.includes(word)), ...own];
    const ordered =
      registryType === 'oci' && runtime[0] !== 'run' ? [...own.slice(0, -1), ...runtime, last] : args;
    return {
      kind: 'stdio',
      command: member(node, 'runtimeHint') ?? launcher.command,
      args: [...ordered, ...this.#arguments(nodeOf(node, 'packageArguments'))],
      cwd: null,
      env: env.map(([name, value]) => ({
        name,
        value,
        secret: isSecretVariable(name) && !isOnlyPlaceholders(value),
      })),
      inherit: 'safe',
    };
  }

  /** The transport; the reason if it cannot be connected to. */
  remote(node: JsonNode): TransportSettings | string {
    const url = this.#filled(member(node, 'url') ?? '', nodeOf(node, 'variables'));
    if (!isHttpUrl(url)) return 'This remote has no address that begins with http:// or https://.';
    const type = member(node, 'type') ?? member(node, 'transportType');
    return {
      ...plainHttpSettings(url),
      transport: type === 'sse' ? 'http-sse' : 'streamable-http',
      headers: this.#named(nodeOf(node, 'headers'), 'header').map(([name, value]) => ({
        name,
        value,
        secret: !isOnlyPlaceholders(value),
      })),
    };
  }

  #arguments(list: JsonNode | undefined): string[] {
    return elementsOf(list).flatMap((node) => {
      const name = member(node, 'name');
      const value = this.#valueOf(node, name ?? member(node, 'valueHint') ?? 'argument');
      if (name === null) return value ?? [];
      // A named argument without any value is a flag.
      const isFlag = ['value', 'default', 'valueHint', 'format'].every((key) => member(node, key) === null);
      if (value === null) return isFlag ? [name] : [];
      return isFlag && value.startsWith('${input:') && !isTrue(node, 'isRequired') ? [name] : [name, value];
    });
  }

  #named(list: JsonNode | undefined, kind: string): [name: string, value: string][] {
    return elementsOf(list).flatMap((node): [string, string][] => {
      const name = member(node, 'name');
      if (name === null) return [];
      const value = this.#valueOf(node, name);
      if (value !== null) return [[name, value]];
      this.leftOut.push({ key: name, why: `This ${kind} is optional. Add it if the server should have it.` });
      return [];
    });
  }

  /** The value of an argument, variable or header; null if it is optional and has none. */
  #valueOf(node: JsonNode, name: string): string | null {
    const value = member(node, 'value');
    if (value !== null) return this.#filled(value, nodeOf(node, 'variables'));
    const fallback = member(node, 'default');
    if (fallback !== null && !isTrue(node, 'isSecret')) return fallback;
    if (!isTrue(node, 'isRequired') && !isTrue(node, 'isSecret')) return null;
    return this.#ask(name, node);
  }

  /** Replaces `{name}` in a value by what its `variables` say. */
  #filled(text: string, variables: JsonNode | undefined): string {
    const known = membersOf(variables);
    return text.replaceAll(/\{([^{}]+)\}/g, (written, name: string) => {
      const node = known.get(name);
      if (node === undefined) return written;
      return this.#valueOf(node, name) ?? '';
    });
  }

  #ask(name: string, node: JsonNode): string {
    const id = name.replaceAll(/[{}]/g, '').replace(/^-+/, '');
    this.variables.set(`input:${id}`, {
      name: `input:${id}`,
      value: null,
      secret: isTrue(node, 'isSecret') || isSecretVariable(id),
      description: member(node, 'description'),
    });
    return `\${input:${id}}`;
  }
}
