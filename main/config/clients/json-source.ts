import type { ConfigurationProblem } from '#shared/contract/servers.ts';
import { type JsonNode, readJsonc } from './jsonc.ts';
import { type Place, placesIn } from './places.ts';

/** A configuration text and where each value of it is. */
export interface JsonSource {
  /** The value as far as it could be read; null if there is none. */
  readonly root: JsonNode | null;
  /** The syntax error, if there is one. */
  readonly problems: ConfigurationProblem[];
  placeOf(offset: number): Place;
}

/** Reads a text. Never fails: what is wrong is in `problems`. */
export function readJson(text: string): JsonSource {
  const { root, error } = readJsonc(text);
  const placeOf = placesIn(text);
  const problem = error && {
    ...placeOf(error.offset),
    server: null,
    what: error.what,
    next: 'Correct it at this place and import the text again.',
  };
  return { root, placeOf, problems: problem === null ? [] : [problem] };
}

/** The members of an object in their order; of duplicate keys, the last one. Empty if it is not an object. */
export const membersOf = (node: JsonNode | undefined | null): Map<string, JsonNode> =>
  new Map(node?.type === 'object' ? node.members.map((member) => [member.key, member.node]) : []);

/** The elements of a list; empty if it is not a list. */
export const elementsOf = (node: JsonNode | undefined): readonly JsonNode[] =>
  node?.type === 'array' ? node.elements : [];

/** The text of a string, number or boolean; null for anything else. */
export const textOf = (node: JsonNode | undefined): string | null =>
  node?.type === 'string' || node?.type === 'number' || node?.type === 'boolean' ? String(node.value) : null;

/** The value at the end of keys and indexes. */
export function nodeAt(root: JsonNode, path: readonly (string | number)[]): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const key of path) node = typeof key === 'number' ? elementsOf(node)[key] : membersOf(node).get(key);
  return node;
}
