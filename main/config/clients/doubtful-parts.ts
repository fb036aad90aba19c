import type { ConfigurationProblem } from '#shared/contract/servers.ts';
import type { JsonMember, JsonNode } from './jsonc.ts';
import { type JsonSource, membersOf, textOf } from './json-source.ts';

type Path = readonly (string | number)[];

/** What is read of a file: the entry of a server and where it is. */
interface ReadEntry {
  readonly name: string;
  readonly path: Path;
  readonly node: JsonNode;
}

/** Problems that are said of one text. */
const MAX_SAID = 50;

/**
 * What a file has twice, so that only one of them counts: keys, and servers in a second place that this client does not read.
 *
 * @param label of the client
 */
export function doubtfulParts(
  source: JsonSource,
  root: JsonNode,
  entries: readonly ReadEntry[],
  label: string,
): ConfigurationProblem[] {
  const read = new Set(entries.map(({ node }) => node));
  /** Where servers are read. */
  const places = new Set(
    entries.flatMap((entry) => entry.path.map((_, at) => JSON.stringify(entry.path.slice(0, at + 1)))),
  );
  const problems: ConfigurationProblem[] = [];
  const say = (offset: number, server: string | null, what: string, next: string) => {
    if (problems.length < MAX_SAID) problems.push({ ...source.placeOf(offset), server, what, next });
  };
  const visit = (node: JsonNode, path: Path, server: string | null) => {
    if (node.type === 'array') for (const element of node.elements) visit(element, path, server);
    if (node.type !== 'object') return;
    const counting = new Map(node.members.map((member) => [member.key, member]));
    for (const member of node.members) {
      const counts = counting.get(member.key);
      if (counts === undefined) continue;
      if (counts === member) {
        visit(member.node, [...path, member.key], read.has(member.node) ? member.key : server);
        continue;
      }
      if (problems.length === MAX_SAID) continue;
      const { line } = source.placeOf(counts.offset);
      const names = serversIn(member.node).map((name) => `"${name}"`);
      const isServer = server === null && read.has(counts.node);
      say(
        member.offset,
        isServer ? member.key : server,
        `"${member.key}" is here more than once. The last one, in line ${line}, counts, and this one is left out${names.length > 0 ? `, with ${names.join(', ')}` : ''}.`,
        isServer
          ? 'Give one of the two another name to import both.'
          : 'Remove the one that you do not need.',
      );
    }
    if (server === null) {
      for (const [key, place] of containersIn(node)) {
        if (places.has(JSON.stringify([...path, key]))) continue;
        for (const name of serversIn(place.node)) {
          say(
            membersOf(place.node).get(name)?.offset ?? place.offset,
            name,
            `This server is left out: it is in "${[...path, key].join('.')}", where ${label} has no servers.`,
            'Import it from a text of its own, or choose the client that reads it.',
          );
        }
      }
    }
  };
  visit(root, [], null);
  for (const { name, node } of entries) {
    const urls = urlKeys.filter((key) => textOf(membersOf(node).get(key)));
    const [, second] = urls;
    const other = second === undefined ? undefined : membersOf(node).get(second);
    if (other !== undefined && !membersOf(node).has('command')) {
      say(
        other.offset,
        name,
        `The server has more than one address: ${urls.map((key) => `"${key}"`).join(', ')}. One of them counts; the others are left out.`,
        'Check which address is shown for the server, and import the other as a server of its own if you need it.',
      );
    }
  }
  return problems;
}

const urlKeys = ['url', 'serverUrl', 'httpUrl', 'uri', 'endpoint'];

/** Names under which clients keep their servers. */
const containerNames: ReadonlySet<string> = new Set([
  'mcpServers',
  'mcp_servers',
  'mcp-servers',
  'servers',
  'mcp',
  'context_servers',
  'extensions',
  'amp.mcpServers',
  'mcp.servers',
]);

function* containersIn(node: JsonNode): Generator<[key: string, member: JsonMember]> {
  if (node.type !== 'object') return;
  for (const member of node.members) if (containerNames.has(member.key)) yield [member.key, member];
}

/** The names of the entries of an object that look like servers. */
const serversIn = (node: JsonNode): string[] =>
  [...membersOf(node)].flatMap(([name, entry]) => (looksLikeServer(entry) ? name : []));

const looksLikeServer = (node: JsonNode): boolean =>
  ['command', 'cmd', ...urlKeys].some((key) => {
    const value = membersOf(node).get(key);
    return value !== undefined && value.type !== 'null';
  });
