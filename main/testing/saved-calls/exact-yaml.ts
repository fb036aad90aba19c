import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  parseDocument,
  Scalar,
  type ScalarTag,
  visit,
  YAMLMap,
  YAMLParseError,
  YAMLSeq,
} from 'yaml';
import { Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import { elementTexts, memberTexts } from '#shared/json/members.ts';

/** A number with the digits that it was written with; parsing loses integers beyond 2^53 and trailing zeros. */
class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Writes exact numbers as they are. Nothing is read as one: `test` is missing. */
const exactNumberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof ExactNumber,
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof ExactNumber ? value.text : String(value)),
};

/** The values of a YAML file and their characters, with what its aliases repeat. */
const YAML_LIMIT = { steps: 100_000, characters: 16 * 1024 * 1024 };

/** A YAML 1.2 document whose numbers and comments survive when it is written again. JSON is YAML too. */
export function parseYaml(
  text: string,
  { lineCounter }: { readonly lineCounter?: LineCounter } = {},
): Document.Parsed {
  const document = parseDocument(text, {
    ...(lineCounter && { lineCounter }),
    customTags: [exactNumberTag],
    // Warnings would be printed in the middle of what a command prints.
    logLevel: 'error',
    // Each error would quote its line: a line of errors takes the square of its length.
    prettyErrors: false,
    // The parser compares each key with each.
    uniqueKeys: false,
  });
  if (document.errors.length === 0) requireUniqueKeys(document);
  return document;
}

/**
 * The value of a parsed document, whose aliases are replaced, too: such a document is only read.
 *
 * @throws NotJson for an alias that repeats nothing, or more than a file may hold
 */
export function valueOfYaml(document: Document): unknown {
  const size = withinBudget(() => resolveAliases(document, new Budget(YAML_LIMIT)));
  if (size instanceof OverBudget)
    throw new NotJson(
      `holds too much, with what its aliases repeat: more than ${size.limit}; split it into several files, or repeat less`,
      document.contents,
    );
  return document.toJS();
}

function requireUniqueKeys(document: Document.Parsed): void {
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key;
        if (known.has(name) && isNode(key) && key.range)
          document.errors.push(
            new YAMLParseError([key.range[0], key.range[1]], 'DUPLICATE_KEY', 'Map keys must be unique'),
          );
        known.add(name);
      }
    },
  });
}

/**
 * Replaces each alias of a document that is only read by the node that it repeats.
 *
 * @throws NotJson if an alias repeats what it is in, or nothing @throws OverBudget if the aliases stand for too much
 */
function resolveAliases(document: Document, budget: Budget): void {
  interface Size {
    readonly node: unknown;
    readonly steps: number;
    readonly characters: number;
  }
  /** Anchors so far: an alias repeats the last one before it. */
  const anchors = new Map<string, Size | null>();
  const sizeOf = (node: unknown): Size => {
    const anchor = isNode(node) && !isAlias(node) ? node.anchor : undefined;
    if (anchor !== undefined) anchors.set(anchor, null);
    let [steps, characters] = [1, isScalar(node) ? String(node.value).length : 0];
    budget.take(steps, characters);
    const add = (child: unknown): unknown => {
      const target = isAlias(child) ? anchors.get(child.source) : undefined;
      if (isAlias(child) && target == null)
        throw new NotJson(
          target === null
            ? `repeats what it is in: *${child.source}`
            : `there is no &${child.source} before *${child.source}`,
          child,
        );
      const size = target ?? sizeOf(child);
      if (target != null) budget.take(target.steps, target.characters);
      steps += size.steps;
      characters += size.characters;
      return size.node;
    };
    if (isSeq(node)) for (const [index, item] of node.items.entries()) node.items[index] = add(item);
    if (isMap(node))
      for (const pair of node.items) {
        if (isNode(pair.key)) pair.key = add(pair.key);
        pair.value = pair.value == null ? pair.value : add(pair.value);
      }
    const size = { node, steps, characters };
    if (anchor !== undefined) anchors.set(anchor, size);
    return size;
  };
  sizeOf(document.contents);
}

/** The text of a changed document. */
export function writeYaml(document: Document): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && node.source !== undefined && node.value !== 0)
        node.value = new ExactNumber(node.source);
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Thrown for a value that JSON cannot express; `node` is where it is. */
export class NotJson extends Error {
  readonly node: unknown;
  constructor(message: string, node: unknown) {
    super(message);
    this.node = node;
  }
}

/** A node without aliases as JSON text, with the digits of its numbers. @throws NotJson */
export function jsonOfNode(node: unknown): string {
  const write = (value: unknown): string => {
    if (isMap(value)) {
      return `{${value.items.map((pair) => `${JSON.stringify(keyOf(pair.key))}:${write(pair.value)}`).join(',')}}`;
    }
    if (isSeq(value)) return `[${value.items.map(write).join(',')}]`;
    if (isScalar(value)) return scalarJson(value);
    if (value === null || value === undefined) return 'null';
    throw new NotJson('is not a value', node);
  };
  return write(node);
}

/** The name of a member as written: `1` and `true` are names too. */
export const keyOf = (key: unknown): string =>
  isScalar(key)
    ? typeof key.value === 'string'
      ? key.value
      : (key.source ?? String(key.value))
    : String(key);

const isJsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function scalarJson(scalar: Scalar): string {
  const { value, source } = scalar;
  if (typeof value === 'number') {
    if (source !== undefined && isJsonNumber.test(source)) return source;
    if (!Number.isFinite(value)) throw new NotJson(`${source ?? value} is not a number of JSON`, scalar);
    return JSON.stringify(value);
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  throw new NotJson(`${source ?? 'this value'} has no form in JSON`, scalar);
}

/** The node of a JSON text, in block style. The text must be valid JSON. */
export function nodeOfJson(text: string, document: Document): Scalar | YAMLMap | YAMLSeq {
  const json = text.trim();
  if (json.startsWith('{')) {
    const map = new YAMLMap();
    for (const [key, value] of memberTexts(json)) {
      map.add(document.createPair(key, nodeOfJson(value, document)));
    }
    return map;
  }
  if (json.startsWith('[')) {
    const sequence = new YAMLSeq();
    for (const value of elementTexts(json)) sequence.add(nodeOfJson(value, document));
    return sequence;
  }
  const value: unknown = JSON.parse(json);
  return new Scalar(typeof value === 'number' ? new ExactNumber(json) : value);
}

/** The value of a member of a map, and its key; null if it does not exist. */
export function memberNode(
  node: unknown,
  name: string,
): { readonly key: unknown; readonly value: unknown } | null {
  if (!isMap(node)) return null;
  const pair = node.items.find((one) => isPair(one) && keyOf(one.key) === name);
  return pair === undefined ? null : { key: pair.key, value: pair.value };
}
