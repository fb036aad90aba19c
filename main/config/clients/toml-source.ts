import { parse, TomlDate, TomlError, type TomlTable } from 'smol-toml';
import { Budget, type BudgetLimit, OverBudget, withinBudget } from '#shared/budget.ts';
import type { JsonMember, JsonNode } from './jsonc.ts';
import type { JsonSource } from './json-source.ts';
import { type Place, placesIn } from './places.ts';
import { type PlacedToml, placeToml } from './toml-places.ts';

/** No configuration is deeper; a hostile text would exhaust the stack. */
const MAX_DEPTH = 100;

/** The values of a file. */
const LIMIT: BudgetLimit = { steps: 50_000, characters: 16 * 1024 * 1024 };

/** Reads TOML as the same tree of values that JSON is read as. Never fails: what is wrong is in `problems`. */
export function readToml(text: string): JsonSource {
  const placeOf = placesIn(text);
  const parsed = parsedToml(text);
  if (!(parsed instanceof TomlError)) return { ...treeOf(text, parsed, placeOf), placeOf };
  const { line, column, message } = parsed;
  const problem = problemAt({ line, column }, `This is not valid TOML: ${reasonIn(message)}.`);
  // What precedes the table with the error is read.
  const errorAt = offsetOfLine(text, line);
  const before = text.slice(0, Math.max(0, text.lastIndexOf('\n[', errorAt)));
  const readable = parsedToml(before);
  if (before.trim() === '' || readable instanceof TomlError) {
    return { root: null, placeOf, problems: [problem] };
  }
  const tree = treeOf(before, readable, placeOf);
  return { root: tree.root, placeOf, problems: [problem, ...tree.problems] };
}

type TomlValue = TomlTable[string] | TomlTable;

function parsedToml(text: string): TomlValue | TomlError {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof TomlError) return error;
    throw error;
  }
}

function treeOf(text: string, value: TomlValue, placeOf: (offset: number) => Place) {
  const builder = new TreeBuilder(text);
  const root = withinBudget(() => builder.nodeOf(value, placeToml(text), 0));
  if (!(root instanceof OverBudget)) return { root, problems: [] };
  const problem = problemAt(placeOf(0), `This file holds too much: more than ${root.limit}.`);
  return { root: null, problems: [problem] };
}

const problemAt = (place: Place, what: string) => ({
  ...place,
  server: null,
  what,
  next: 'Correct it at this place and import the text again.',
});

/** The reason in a message of the parser, without the lines of the file that it quotes: they may have secrets. */
const reasonIn = (message: string): string =>
  message
    .split('\n', 1)[0]
    ?.replace(/^Invalid TOML document: /, '')
    .replace(/\.$/, '') ?? '';

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let count = 1; count < line; count++) {
    const end = text.indexOf('\n', offset);
    if (end === -1) break;
    offset = end + 1;
  }
  return offset;
}

/** Joins the values with their places. */
class TreeBuilder {
  readonly #text: string;
  readonly #budget = new Budget(LIMIT);

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws OverBudget */
  nodeOf(value: TomlValue, placed: PlacedToml, depth: number): JsonNode {
    this.#budget.take(1, typeof value === 'string' ? value.length : 0);
    // A dotted key can be as deep as it is long.
    if (depth > MAX_DEPTH) throw new OverBudget(`${MAX_DEPTH} nested values`);
    const { offset, end } = placed;
    switch (typeof value) {
      case 'string':
        return { type: 'string', value, offset, end };
      case 'boolean':
        return { type: 'boolean', value, offset, end };
      case 'number':
        return { type: 'number', value, offset, end };
      case 'bigint':
        return { type: 'number', value: String(value), offset, end };
      default:
    }
    if (value instanceof TomlDate)
      return { type: 'string', value: this.#text.slice(offset, end), offset, end };
    if (Array.isArray(value)) {
      const elements = value.map((one, index) =>
        this.nodeOf(one, placed.elements?.[index] ?? placed, depth + 1),
      );
      return { type: 'array', elements, offset, end };
    }
    const members = Object.entries(value).map(([key, one]): JsonMember => {
      const at = placed.members?.get(key) ?? placed;
      const node = this.nodeOf(one, at, depth + 1);
      return { key, node, offset: at.keyOffset, end: at.end };
    });
    return { type: 'object', members, offset, end };
  }
}
