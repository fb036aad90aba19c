import type { ClientFormat, ConfigurationProblem } from '#shared/contract/servers.ts';
import { fileFormat } from '#shared/client-formats/table.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { isBundle, readBundle } from './bundle.ts';
import { detectFormat } from './detect-format.ts';
import { doubtfulParts } from './doubtful-parts.ts';
import type { Configuration } from './draft.ts';
import { entriesOf, type EntryPlace } from './entries.ts';
import type { JsonNode } from './jsonc.ts';
import { type JsonSource, membersOf } from './json-source.ts';
import { knownFile } from './known-files.ts';
import type { Place } from './places.ts';
import { readFile } from './read-file.ts';
import { isRegistryEntry, readRegistryEntry } from './registry/read-registry.ts';
import type { Syntax } from './syntaxes.ts';

interface TreeOptions {
  readonly path?: string | null | undefined;
  readonly format?: ClientFormat | null | undefined;
  readonly isWindows?: boolean | undefined;
}

/** Reads the servers of a tree of values. */
export function readTree(
  source: JsonSource,
  text: string,
  syntax: Syntax,
  options: TreeOptions,
): Configuration {
  const { root } = source;
  const path = options.path ?? null;
  if (root?.type !== 'object')
    return { format: options.format ?? null, servers: [], problems: noObject(source) };
  if (options.format === 'registry' || (options.format == null && isRegistryEntry(root))) {
    const { servers, problems } = readRegistryEntry(source, root);
    return { format: 'registry', servers, problems: [...source.problems, ...problems] };
  }
  if (options.format === 'bundle' || (options.format == null && isBundle(root))) {
    const { servers, problems } = readBundle(source, root, path, options.isWindows === true);
    return { format: 'bundle', servers, problems: [...source.problems, ...problems] };
  }
  const known = options.format == null ? knownFile(root) : null;
  if (known !== null)
    return { ...refused(known), problems: [...refused(known).problems, ...source.problems] };
  const project = onlyProject(root);
  if (project !== null) return readTree({ ...source, root: project }, text, syntax, options);
  const format = fileFormat(options.format ?? detectFormat(text, root, path, syntax));
  const entries = entriesOf(root, format);
  const read = withoutCut(readFile(source, root, format, path), source, entries);
  const doubtful = doubtfulParts(source, root, entries, format.label);
  // That there are no servers is said only where none is named.
  const problems =
    doubtful.length > 0 ? read.problems.filter(({ what }) => what !== NO_SERVERS) : read.problems;
  const [only, another] = problems;
  if (
    only?.what === NO_SERVERS &&
    another === undefined &&
    syntax !== 'json' &&
    options.format == null &&
    path === null
  )
    return refused({
      what: `There are no servers in this text, which looks like ${syntax.toUpperCase()}.`,
      next: only.next,
    });
  return { ...read, problems: [...problems, ...doubtful].toSorted((one, other) => one.line - other.line) };
}

/** Without the server in whose entry the text ends or has an error: what follows is not known. */
function withoutCut(read: Configuration, source: JsonSource, entries: readonly EntryPlace[]): Configuration {
  const { errorAt } = source;
  if (errorAt === undefined) return read;
  const cut = entries.filter(({ node, path }) => node.end >= errorAt || path.length === 0);
  const [first] = cut;
  if (first === undefined) return read;
  const keys = new Set(cut.map(({ path }) => pointerOf(path)));
  const names = new Set<string | null>(cut.map(({ name }) => name));
  const problems = read.problems
    .filter(({ server }) => !names.has(server))
    .map((problem) =>
      isSamePlace(problem, source.placeOf(errorAt)) ? { ...problem, server: first.name } : problem,
    );
  return { ...read, servers: read.servers.filter(({ key }) => !keys.has(key)), problems };
}

const isSamePlace = (one: Place, other: Place): boolean =>
  one.line === other.line && one.column === other.column;

/** The settings of a project that are copied from `.claude.json` with the path of the project before them. */
function onlyProject(root: JsonNode): JsonNode | null {
  const [project, other] = membersOf(root).values();
  const isProject =
    project !== undefined &&
    other === undefined &&
    ['object', 'array'].includes(membersOf(project).get('mcpServers')?.type ?? '');
  return isProject && !/^(?:mcp|servers|powers|projects)$/.test([...membersOf(root).keys()][0] ?? '')
    ? project
    : null;
}

const NO_SERVERS = 'There are no servers in this text.';

const noObject = (source: JsonSource): ConfigurationProblem[] =>
  source.problems.length > 0
    ? source.problems
    : [
        {
          line: 1,
          column: 1,
          server: null,
          what: 'The text is no JSON object.',
          next: 'Paste the whole configuration file, from its first "{" to its last "}".',
        },
      ];

/** A text that is known to be something else. */
export const refused = ({ what, next }: { readonly what: string; readonly next: string }): Configuration => ({
  format: null,
  servers: [],
  problems: [{ line: 1, column: 1, server: null, what, next }],
});
