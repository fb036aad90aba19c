import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  type ScalarTag,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
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

/** A YAML 1.2 document whose numbers and comments survive when it is written again. JSON is YAML too. */
export function parseYaml(text: string, lineCounter?: Parameters<typeof parseDocument>[1]): Document.Parsed {
  // Warnings would be printed in the middle of what a command prints.
  return parseDocument(text, { ...lineCounter, customTags: [exactNumberTag], logLevel: 'error' });
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

/** Limit of values in one JSON text: aliases can repeat a part of a file any number of times. */
const MAX_VALUES = 100_000;

/** Thrown for a value that JSON cannot express; `node` is where it is. */
export class NotJson extends Error {
  readonly node: unknown;
  constructor(message: string, node: unknown) {
    super(message);
    this.node = node;
  }
}

/** A node as JSON text, with the digits of its numbers. @throws NotJson */
export function jsonOfNode(node: unknown, document: Document): string {
  let count = 0;
  const write = (value: unknown): string => {
    if (++count > MAX_VALUES) throw new NotJson('has too many values', node);
    if (isAlias(value)) return write(value.resolve(document));
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
