import type { JsonNode } from './jsonc.ts';
import {
  type ClientFormat,
  type ConfigurationProblem,
  serverSettingsSchema,
  type TransportSettings,
  type Variable,
} from '#shared/contract/servers.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { placeholdersIn } from '#config/placeholders.ts';
import { detectFormat, workspaceOf } from './detect-format.ts';
import { type Configuration, type Draft, plainSettings, textsOf, WORKSPACE } from './draft.ts';
import { type FileFormat, fileFormat } from './formats.ts';
import { elementsOf, type JsonSource, membersOf, readJson, textOf } from './json-source.ts';
import { readCommandLine } from './read-command-line.ts';
import { readEntry } from './read-entry.ts';
import { isRegistryEntry, readRegistryEntry } from './registry/read-registry.ts';

export interface ReadOptions {
  /** Where the text is from, if known: it tells the format and the workspace folder. */
  readonly path?: string | null | undefined;
  /** The format; by default it is detected. */
  readonly format?: ClientFormat | null | undefined;
  /** Whether command lines are those of Windows, where a backslash escapes nothing. */
  readonly isWindows?: boolean | undefined;
}

/**
 * Reads the servers of a configuration file, a command line, a URL or a `server.json` of the registry. Never fails: what
 * cannot be read is among the problems.
 */
export function readConfiguration(text: string, options: ReadOptions = {}): Configuration {
  const content = text.replace(/^\ufeff/, '').trimStart();
  const isJson = options.format == null ? /^[{[]|^\/[/*]/.test(content) : options.format !== 'command-line';
  if (!isJson) return readCommandLine(text, options.isWindows === true);
  const source = readJson(text);
  const { root } = source;
  if (root?.type !== 'object') {
    return { format: options.format ?? 'claude-desktop', servers: [], problems: noObject(source) };
  }
  if (options.format === 'registry' || (options.format == null && isRegistryEntry(root))) {
    const { servers, problems } = readRegistryEntry(source, root);
    return { format: 'registry', servers, problems: [...source.problems, ...problems] };
  }
  return readFile(
    source,
    root,
    fileFormat(options.format ?? detectFormat(text, root, options.path ?? null)),
    options,
  );
}

const noObject = (source: JsonSource): ConfigurationProblem[] => [
  ...source.problems,
  {
    line: 1,
    column: 1,
    server: null,
    what: 'The text is no JSON object.',
    next: 'Paste the whole configuration file, from its first "{" to its last "}".',
  },
];

function readFile(
  source: JsonSource,
  root: JsonNode,
  format: FileFormat,
  options: ReadOptions,
): Configuration {
  const problems = [...source.problems];
  const inputs = inputsOf(root);
  const workspace = workspaceOf(options.path ?? null);
  const servers: Draft[] = [];
  for (const { name, path, node } of entriesOf(root, format)) {
    const entry = readEntry(node, format);
    const placed = (at: JsonNode, what: string, next: string) =>
      problems.push({ ...source.placeOf(at.offset), server: name, what, next });
    for (const problem of entry.problems) placed(problem.node, problem.what, problem.next);
    if (entry.transport === null) continue;
    const transport = inWorkspace(entry.transport, workspace);
    const settings = plainSettings(name, transport, variablesOf(transport, inputs, workspace));
    const parsed = serverSettingsSchema.safeParse(settings);
    for (const { message, path: at } of parsed.error?.issues ?? [])
      placed(node, `${at.map(String).join('.')}: ${message}`, 'Correct it and import the text again.');
    for (const written of unknownPlaceholders(transport)) {
      placed(
        node,
        `Sightglass does not replace ${written}; the server gets it as it is written.`,
        'Write the value itself, or ${env:NAME}, if the server needs it.',
      );
    }
    if (parsed.success) {
      const { line } = source.placeOf(node.offset);
      servers.push({ key: pointerOf(path), line, settings: parsed.data, leftOut: entry.leftOut });
    }
  }
  if (servers.length === 0 && problems.length === 0) {
    const [first = []] = format.containers;
    problems.push({
      ...source.placeOf(root.offset),
      server: null,
      what: 'There are no servers in this text.',
      next: `Servers are looked for in "${first.join('.')}" of a file of ${format.label}.`,
    });
  }
  return { format: format.id, servers, problems };
}

export interface EntryPlace {
  readonly name: string;
  readonly path: readonly string[];
  readonly node: JsonNode;
}

/** The entries of all servers of a file, in its order. */
export function entriesOf(root: JsonNode, format: FileFormat): EntryPlace[] {
  const places = format.containers.flatMap((container) => objectsAt(root, container, []));
  const listed = places.flatMap(({ node, path }) => entriesIn(node, path));
  if (places.length > 0) return listed;
  // A README often shows one entry, or the entries without the object around them.
  const members = membersOf(root);
  if (members.has('command') || members.has('url')) {
    const name = textOf(members.get('name')) ?? '';
    return [{ name: name === '' ? nameOfEntry(root, format) : name, path: [], node: root }];
  }
  return entriesIn(root, []).filter(({ node }) =>
    ['command', 'url', 'serverUrl'].some((key) => membersOf(node).has(key)),
  );
}

const entriesIn = (node: JsonNode, path: readonly string[]): EntryPlace[] =>
  [...membersOf(node)].map(([name, entry]) => ({ name, path: [...path, name], node: entry }));

function objectsAt(
  node: JsonNode,
  [key, ...rest]: readonly string[],
  path: readonly string[],
): { node: JsonNode; path: readonly string[] }[] {
  if (key === undefined) return node.type === 'object' ? [{ node, path }] : [];
  return [...membersOf(node)].flatMap(([name, child]) =>
    key === '*' || key === name ? objectsAt(child, rest, [...path, name]) : [],
  );
}

function nameOfEntry(node: JsonNode, format: FileFormat): string {
  const { transport } = readEntry(node, format);
  if (transport === null) return 'server';
  return transport.kind === 'stdio'
    ? nameOfCommand(transport.command, transport.args)
    : nameOfUrl(new URL(transport.url));
}

/** Clients start the servers of a project in its folder. */
const inWorkspace = (transport: TransportSettings, workspace: string | null): TransportSettings =>
  transport.kind === 'stdio' && transport.cwd === null && workspace !== null
    ? { ...transport, cwd: WORKSPACE }
    : transport;

type Input = Pick<Variable, 'secret' | 'description' | 'value'>;

/** The `inputs` of VS Code, by id. */
function inputsOf(root: JsonNode): Map<string, Input> {
  const inputs = new Map<string, Input>();
  const mcp = membersOf(root).get('mcp');
  for (const owner of [root, mcp]) {
    for (const node of elementsOf(membersOf(owner).get('inputs'))) {
      const members = membersOf(node);
      const id = textOf(members.get('id'));
      if (id === null) continue;
      const secret = textOf(members.get('password')) === 'true';
      inputs.set(id, {
        secret,
        description: textOf(members.get('description')),
        value: secret ? null : textOf(members.get('default')),
      });
    }
  }
  return inputs;
}

function variablesOf(
  transport: TransportSettings,
  inputs: ReadonlyMap<string, Input>,
  workspace: string | null,
): Variable[] {
  const variables = new Map<string, Variable>();
  for (const placeholder of textsOf(transport).flatMap(placeholdersIn)) {
    if (placeholder.kind === 'input') {
      const name = `input:${placeholder.name}`;
      // What nobody describes may be a secret.
      const input = inputs.get(placeholder.name) ?? { secret: true, description: null, value: null };
      variables.set(name, { name, ...input });
    } else if (placeholder.kind === 'place' && placeholder.name.startsWith('workspaceFolder')) {
      const name = 'workspaceFolder';
      variables.set(name, { name, value: workspace, secret: false, description: null });
    }
  }
  return [...variables.values()];
}

/** Placeholders that only the other client can replace. */
const unknownPlaceholders = (transport: TransportSettings): string[] => [
  ...new Set(
    textsOf(transport)
      .flatMap((text) => text.match(/\$\{(?:file|command|config|localEnv):[^}]*(?:\}|$)/g) ?? [])
      .filter((written) => written.endsWith('}')),
  ),
];
