import type { ConfigurationProblem } from '#shared/contract/servers.ts';
import { type Departure, type JsonNode, readJsonc } from './jsonc.ts';
import { type Place, placesIn } from './places.ts';

/** A configuration text and where each value of it is. */
export interface JsonSource {
  /** The value as far as it could be read; null if there is none. */
  readonly root: JsonNode | null;
  /** The syntax error, if there is one. */
  readonly problems: ConfigurationProblem[];
  /** Where the reading ended, if it ended before the text does. */
  readonly errorAt?: number;
  placeOf(offset: number): Place;
}

/**
 * Reads a text. Never fails: what is wrong is in `problems`. A lenient reading takes what people paste, and says what other
 * clients would not read.
 */
export function readJson(text: string, { isLenient = false } = {}): JsonSource {
  const { root, error, departures } = readJsonc(text, { isLenient });
  const placeOf = placesIn(text);
  const problem = error && {
    ...placeOf(error.offset),
    server: null,
    what: error.what,
    next: 'Correct it at this place and import the text again.',
  };
  const said = departures
    // Each placeholder is something else that is missing; the others are said once.
    .filter(
      ({ kind }, index) =>
        kind === 'placeholder' || departures.findIndex((one) => one.kind === kind) === index,
    )
    .slice(0, MAX_SAID)
    .map(({ offset, kind }) => ({ ...placeOf(offset), server: null, ...departureTexts[kind] }));
  return {
    root,
    placeOf,
    problems: [...said, ...(problem === null ? [] : [problem])],
    ...(error !== null && { errorAt: error.offset }),
  };
}

const MAX_SAID = 20;

const departureTexts: Readonly<Record<Departure['kind'], { readonly what: string; readonly next: string }>> =
  {
    placeholder: {
      what: 'The "..." stands for something that this text leaves out.',
      next: 'Add in the settings of the server what belongs here.',
    },
    'quotation-mark': {
      what: 'These are not the quotation marks of JSON. They are read as if they were.',
      next: 'Write them as ", because other clients do not read this text.',
    },
    backslash: {
      what: 'The single backslashes of this path are read as if they were doubled.',
      next: 'Write each of them as "\\\\", because other clients do not read this text.',
    },
    'bare-key': {
      what: 'This key has no quotation marks. It is read as if it had them.',
      next: 'Write it in quotation marks, because other clients do not read this text.',
    },
  };

/** The members of an object in their order; of duplicate keys, the last one. Empty if it is not an object. */
export function membersOf(node: JsonNode | undefined | null): Map<string, JsonNode> {
  if (node?.type !== 'object') return new Map();
  const known = membersByNode.get(node);
  if (known !== undefined) return known;
  const members = new Map(node.members.map((member) => [member.key, member.node]));
  membersByNode.set(node, members);
  return members;
}

/** Each format of a client looks at the same objects, which can be large. */
const membersByNode = new WeakMap<JsonNode, Map<string, JsonNode>>();

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
