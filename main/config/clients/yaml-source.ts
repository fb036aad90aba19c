import { isAlias, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from 'yaml';
import { Budget, type BudgetLimit, OverBudget } from '#shared/budget.ts';
import type { ConfigurationProblem } from '#shared/contract/servers.ts';
import type { JsonMember, JsonNode } from './jsonc.ts';
import type { JsonSource } from './json-source.ts';
import { type Place, placesIn } from './places.ts';

/** No configuration is deeper; a hostile text would exhaust the stack. */
const MAX_DEPTH = 100;

/** The values of a file, with what its aliases repeat. */
const LIMIT: BudgetLimit = { steps: 50_000, characters: 16 * 1024 * 1024 };

/** Nobody reads more errors before the first is corrected. */
const MAX_ERRORS = 20;

/** Reads YAML as the same tree of values that JSON is read as. Never fails: what is wrong is in `problems`. */
export function readYaml(text: string): JsonSource {
  const placeOf = placesIn(text);
  try {
    const document = parseDocument(text, {
      // Warnings would be printed in the middle of what a command prints.
      logLevel: 'error',
      // Each error would quote its line, which may have secrets.
      prettyErrors: false,
      // The parser compares each key with each.
      uniqueKeys: false,
    });
    const builder = new TreeBuilder(placeOf);
    const root = document.contents === null ? null : builder.nodeOf(document.contents, 0);
    const errors = document.errors
      .slice(0, MAX_ERRORS)
      .map(({ pos, message, code }) =>
        code === 'MULTIPLE_DOCS'
          ? { ...placeOf(pos[0]), ...secondDocument }
          : problemAt(placeOf(pos[0]), `This is not valid YAML: ${reasonIn(message)}.`),
      );
    return { root, placeOf, problems: [...errors, ...builder.problems] };
  } catch (error) {
    const limit =
      error instanceof OverBudget
        ? error.limit
        : error instanceof RangeError
          ? 'a thousand nested values'
          : null;
    if (limit === null) throw error;
    const what = `This file holds too much, with what its aliases repeat: more than ${limit}.`;
    return { root: null, placeOf, problems: [problemAt(placeOf(0), what)] };
  }
}

const problemAt = (place: Place, what: string): ConfigurationProblem => ({
  ...place,
  server: null,
  what,
  next: 'Correct it at this place and import the text again.',
});

const secondDocument = {
  server: null,
  what: 'A second document begins here. Only the first one is read.',
  next: 'Import the other documents from texts of their own.',
};

const reasonIn = (message: string): string =>
  (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '');

class TreeBuilder {
  readonly problems: ConfigurationProblem[] = [];
  readonly #placeOf: (offset: number) => Place;
  readonly #budget = new Budget(LIMIT);
  /** Anchors so far: an alias repeats the last one before it. */
  readonly #anchors = new Map<string, Node>();
  /** Aliases that are being replaced. */
  #repeats = 0;

  constructor(placeOf: (offset: number) => Place) {
    this.#placeOf = placeOf;
  }

  /** @throws OverBudget */
  nodeOf(node: Node, depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new OverBudget(`${MAX_DEPTH} nested values`);
    const [offset, end] = node.range ?? [0, 0];
    const place = { offset, end };
    this.#budget.take(1, isScalar(node) ? String(node.value).length : 0);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) return this.#repeated(target, depth, place);
      this.problems.push(
        problemAt(this.#placeOf(offset), `There is no &${node.source} before *${node.source}.`),
      );
      return { type: 'null', value: null, ...place };
    }
    if (node.anchor !== undefined && this.#repeats === 0) this.#anchors.set(node.anchor, node);
    if (isMap(node)) {
      const merged: JsonMember[] = [];
      const own = node.items.flatMap(({ key, value }): JsonMember[] => {
        if (!isScalar(key)) return [];
        if (key.value === '<<' && key.type === 'PLAIN' && isNode(value)) {
          merged.push(...this.#membersToMerge(value, depth));
          return [];
        }
        const at = key.range?.[0] ?? offset;
        const child = isNode(value)
          ? this.nodeOf(value, depth + 1)
          : { type: 'null' as const, value: null, offset: at, end: at };
        return [{ key: nameOf(key), node: child, offset: at, end: child.end }];
      });
      const names = new Set(own.map(({ key }) => key));
      const members = [...own, ...merged.filter(({ key }) => !names.has(key) && names.add(key))];
      return { type: 'object', members, ...place };
    }
    if (isSeq(node)) {
      const elements = node.items.flatMap((item) => (isNode(item) ? this.nodeOf(item, depth + 1) : []));
      return { type: 'array', elements, ...place };
    }
    return { ...scalarOf(isScalar(node) ? node : null), ...place };
  }

  /** The members that `<<: *base` or `<<: [*one, *two]` adds (YAML 1.1, which most Python and JavaScript clients read). */
  #membersToMerge(value: Node, depth: number): readonly JsonMember[] {
    const node = this.nodeOf(value, depth + 1);
    const maps = node.type === 'array' ? node.elements : [node];
    return maps.flatMap((map) => (map.type === 'object' ? map.members : []));
  }

  /** What an alias repeats, at the place of the alias. One inside what it repeats ends at the depth limit. */
  #repeated(target: Node, depth: number, place: { offset: number; end: number }): JsonNode {
    this.#repeats++;
    try {
      return { ...this.nodeOf(target, depth + 1), ...place };
    } finally {
      this.#repeats--;
    }
  }
}

interface WrittenScalar {
  readonly value: unknown;
  readonly source?: string;
}

/** The name of a member as it is written: `1` and `true` are names too. */
const nameOf = ({ value, source }: WrittenScalar): string =>
  typeof value === 'string' ? value : (source ?? String(value));

/** A number keeps its digits: `1.10` is a version. */
function scalarOf(scalar: WrittenScalar | null) {
  const { value, source } = scalar ?? { value: null };
  switch (typeof value) {
    case 'string':
      return { type: 'string' as const, value };
    case 'boolean':
      return { type: 'boolean' as const, value };
    case 'number':
    case 'bigint':
      return { type: 'number' as const, value: source ?? String(value) };
    default:
      return { type: 'null' as const, value: null };
  }
}
