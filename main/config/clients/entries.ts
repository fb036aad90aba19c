import type { FileFormat } from '#shared/client-formats/format.ts';
import { nameOfCommand, nameOfUrl } from '#shared/server-names.ts';
import { sampleUrl } from '#shared/url-template.ts';
import type { JsonNode } from './jsonc.ts';
import { membersOf, textOf } from './json-source.ts';
import { readEntry } from './read-entry.ts';
import type { Path } from './text-edit.ts';

/** The entry of one server in a file. */
export interface EntryPlace {
  readonly name: string;
  readonly path: Path;
  readonly node: JsonNode;
}

/** An object or a list of servers in a file. */
export interface ContainerPlace {
  readonly path: Path;
  readonly node: JsonNode;
}

/** The containers of servers that a file has. */
export const containersIn = (root: JsonNode, { containers }: FileFormat): ContainerPlace[] =>
  containers.flatMap((container) => containersAt(root, container, []));

/** Containers that the client does not read, where it has no other. */
export const misplacedIn = (root: JsonNode, format: FileFormat): ContainerPlace[] =>
  containersIn(root, format).length > 0
    ? []
    : format.misplaced.flatMap((container) => containersAt(root, container, []));

/** The entries of all servers of a file, in its order. */
export function entriesOf(root: JsonNode, format: FileFormat): EntryPlace[] {
  const places = [...containersIn(root, format), ...misplacedIn(root, format)];
  if (places.length > 0) {
    // A container may hold another one, beside the servers of an earlier version.
    const nested = new Set(places.map(({ node }) => node));
    return places
      .flatMap(({ node, path }) => entriesIn(node, path, format))
      .filter(({ node }) => !nested.has(node));
  }
  // A README often shows one entry, or the entries without the object around them.
  if (isEntry(root)) {
    const name = textOf(membersOf(root).get('name')) ?? '';
    return [{ name: name === '' ? nameOfEntry(root, format) : name, path: [], node: root }];
  }
  return entriesIn(root, [], format).filter(({ node }) => isEntry(node));
}

const startingKeys = ['command', 'cmd', 'url', 'serverUrl', 'httpUrl', 'uri'];

/** Whether a value says how a server is started or reached. */
export const isEntry = (node: JsonNode): boolean => {
  const members = membersOf(node);
  return startingKeys.some((key) => members.has(key)) || members.get('transport')?.type === 'object';
};

function entriesIn(node: JsonNode, path: Path, format: FileFormat): EntryPlace[] {
  if (node.type === 'array') {
    return node.elements.map((entry, index) => {
      const name = textOf(membersOf(entry).get('name')) ?? '';
      return { name: name === '' ? nameOfEntry(entry, format) : name, path: [...path, index], node: entry };
    });
  }
  return [...membersOf(node)].map(([name, entry]) => ({ name, path: [...path, name], node: entry }));
}

function containersAt(node: JsonNode, [key, ...rest]: readonly string[], path: Path): ContainerPlace[] {
  if (key === undefined) return node.type === 'object' || node.type === 'array' ? [{ node, path }] : [];
  return [...membersOf(node)].flatMap(([name, child]) =>
    key === '*' || key === name ? containersAt(child, rest, [...path, name]) : [],
  );
}

function nameOfEntry(node: JsonNode, format: FileFormat): string {
  const { transport } = readEntry(node, format);
  if (transport === null) return 'server';
  return transport.kind === 'stdio'
    ? nameOfCommand(transport.command, transport.args)
    : nameOfUrl(new URL(sampleUrl(transport.url)));
}
