import {
  type ConfigurationProblem,
  serverSettingsSchema,
  type TransportSettings,
} from '#shared/contract/servers.ts';
import { type Draft, plainSettings, textsOf } from '#config/clients/draft.ts';
import type { JsonNode } from '#config/clients/jsonc.ts';
import { elementsOf, type JsonSource, membersOf, textOf } from '#config/clients/json-source.ts';
import { placeholdersIn } from '#config/placeholders.ts';
import { nodeOf, textIn } from './entry-members.ts';
import { Inputs } from './inputs.ts';
import { readPackage } from './packages.ts';
import { type Rejection, readRemote } from './remotes.ts';

/** Limit of the entries that are read from a list of the registry's API. A page of it has up to 100. */
const MAX_ENTRIES = 500;

/**
 * Whether a text is a `server.json` of the MCP registry, alone or as the registry's API wraps it: packages to start and
 * remotes to connect to (schemas 2025-07-09 to 2025-12-11, and the draft before them).
 */
export const isRegistryEntry = (root: JsonNode): boolean => entriesOf(root).length > 0;

const isEntry = (node: JsonNode): boolean => {
  const members = membersOf(node);
  if (/\/server(?:\.schema)?\.json(?:#|$)/.test(textOf(members.get('$schema')) ?? '')) return true;
  const name = textOf(members.get('name'));
  if (name === null) return false;
  // A package-lock.json has packages by their folders.
  if (['packages', 'remotes'].some((key) => members.get(key)?.type === 'array')) return true;
  // It may have a website only.
  return /^[\w.-]+\/[\w.-]+$/.test(name) && members.has('description') && members.has('version');
};

interface Entry {
  /** The `server.json`. */
  readonly node: JsonNode;
  /** Its place in the text, as a JSON Pointer. */
  readonly pointer: string;
  /** What the API says about it. */
  readonly wrapper: JsonNode;
}

/** The entries of a text; empty if it is not from the registry. */
function entriesOf(root: JsonNode): Entry[] {
  const one = entryIn(root, '');
  if (one !== null) return [one];
  return elementsOf(membersOf(root).get('servers')).flatMap(
    (node, index) => entryIn(node, `/servers/${index}`) ?? [],
  );
}

/** The entry in an object, which the API wraps in `server`. */
function entryIn(node: JsonNode, pointer: string): Entry | null {
  if (isEntry(node)) return { node, pointer, wrapper: node };
  const wrapped = membersOf(node).get('server');
  return wrapped !== undefined && isEntry(wrapped)
    ? { node: wrapped, pointer: `${pointer}/server`, wrapper: node }
    : null;
}

/** Reads every package and remote as a server of its own. */
export function readRegistryEntry(
  source: JsonSource,
  root: JsonNode,
): { servers: Draft[]; problems: ConfigurationProblem[] } {
  const reader = new EntryReader(source);
  const found = entriesOf(root);
  // The user may have chosen the format for a text that is not recognized.
  const entries = found.length > 0 ? found : [{ node: root, pointer: '', wrapper: root }];
  for (const entry of entries.slice(0, MAX_ENTRIES)) reader.read(entry);
  const next = entries[MAX_ENTRIES];
  if (next !== undefined) {
    reader.problem(next.node, null, {
      what: `Only the first ${MAX_ENTRIES} of ${entries.length} entries are read.`,
      next: 'Paste the entry that you need.',
    });
  }
  return reader;
}

class EntryReader {
  readonly servers: Draft[] = [];
  readonly problems: ConfigurationProblem[] = [];
  readonly #source: JsonSource;

  constructor(source: JsonSource) {
    this.#source = source;
  }

  read({ node, pointer, wrapper }: Entry): void {
    const whole = textIn(node, 'name') ?? 'server';
    const name = whole.split('/').at(-1) || whole;
    const packages = elementsOf(nodeOf(node, 'packages'));
    const remotes = elementsOf(nodeOf(node, 'remotes'));
    const status = statusOf(node) ?? statusOf(wrapper);
    if (status === 'deleted') {
      return this.problem(node, name, {
        what: 'The registry has deleted this server, and says that nobody should install it.',
        next: 'Find out why before you run it. To import it all the same, remove its status from the text.',
      });
    }
    if (status === 'deprecated') {
      this.problem(node, name, {
        what: 'Its author has deprecated this server.',
        next: 'It can be imported. Look for what replaces it.',
      });
    }
    if (packages.length + remotes.length === 0) {
      const website = textIn(node, 'websiteUrl');
      return this.problem(node, null, {
        what: 'This server.json has neither packages nor remotes.',
        next: `Add the server by its command line or its address${website === null ? '.' : `, which its author may give on ${website}`}`,
      });
    }
    const labels = labelsOf(name, [...packages, ...remotes]);
    for (const [index, one] of [...packages, ...remotes].entries()) {
      const isPackage = index < packages.length;
      const place = isPackage ? `packages/${index}` : `remotes/${index - packages.length}`;
      const read = isPackage ? readPackage : readRemote;
      this.#add(one, `${pointer}/${place}`, { name: labels[index] ?? name, notes: notesOf(node) }, read);
    }
  }

  problem(node: JsonNode, server: string | null, { what, next }: Rejection): void {
    this.problems.push({ ...this.#source.placeOf(node.offset), server, what, next });
  }

  #add(
    node: JsonNode,
    key: string,
    { name, notes }: { readonly name: string; readonly notes: string },
    read: (node: JsonNode, inputs: Inputs) => TransportSettings | Rejection,
  ): void {
    const inputs = new Inputs();
    const transport = read(node, inputs);
    if ('what' in transport) return this.problem(node, name, transport);
    // A command that the user starts has inputs of its own.
    const names = new Set(
      textsOf(transport)
        .flatMap(placeholdersIn)
        .map((one) => `input:${one.name}`),
    );
    const used = inputs.variables.filter((variable) => names.has(variable.name));
    const parsed = serverSettingsSchema.safeParse({ ...plainSettings(name, transport, used), notes });
    for (const { message, path } of parsed.error?.issues ?? [])
      this.problem(node, name, {
        what: `${path.map(String).join('.')}: ${message}`,
        next: 'Correct it and import the text again.',
      });
    for (const note of inputs.notes) this.problem(note.node, name, note);
    if (!parsed.success) return;
    const { line } = this.#source.placeOf(node.offset);
    this.servers.push({ key, line, settings: parsed.data, leftOut: inputs.leftOut });
  }
}

/** What the registry says about a server: up to 2025-09-16 in the entry, then beside it. */
function statusOf(node: JsonNode): string | null {
  const official = membersOf(nodeOf(node, '_meta')).get('io.modelcontextprotocol.registry/official');
  return (textIn(official, 'status') ?? textIn(node, 'status'))?.toLowerCase() ?? null;
}

/** What the author says about the server, and where there is more. */
const notesOf = (node: JsonNode): string =>
  ['description', 'websiteUrl'].flatMap((key) => textIn(node, key)?.slice(0, 1000) ?? []).join('\n');

/** The names of the servers of an entry: its own if it has one, else with how each is run. */
function labelsOf(name: string, nodes: readonly JsonNode[]): string[] {
  if (nodes.length === 1) return [name];
  const counts = new Map<string, number>();
  return nodes.map((node) => {
    const kind =
      textIn(node, 'registryType') ??
      textIn(node, 'registryName') ??
      textIn(node, 'type') ??
      textIn(node, 'transportType') ??
      'package';
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${name} (${kind}${count === 1 ? '' : ` ${count}`})`;
  });
}
