import type { Validation } from '#shared/contract/calls.ts';
import { type Kind, kindsOf, kindsOfAll } from '#shared/json-schema/kinds.ts';
import { membersOf, type SchemaMembers } from '#shared/json-schema/members.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { UsageError } from './exit.ts';
import { quoted } from './option-values.ts';

interface Word {
  readonly key: string;
  /** Whether it was given as JSON: `key:=JSON`. */
  readonly isJson: boolean;
  readonly value: string;
}

/** Reads `key=value` and `key:=JSON`. @throws UsageError */
export function readWords(words: readonly string[]): Word[] {
  const read = words.map(readWord);
  const twice = read.find(({ key }, index) => read.findIndex((one) => one.key === key) < index);
  if (twice !== undefined) throw new UsageError(`the argument ${quoted(twice.key)} is given twice`);
  return read;
}

/** Asks the engine whether a value fits a schema, both as JSON text. */
export type Validate = (schema: string, value: string) => Promise<Validation>;

/** Combinations of types that are tried, to find one that the whole schema allows. */
const MAX_TRIED = 24;

/**
 * The arguments as JSON text. A value is written as a type of its property in the input schema, wherever the schema
 * describes it: the first type that it fits, or a later one if only that fits the whole schema. Without a type it is a
 * string. Numbers stay as typed.
 *
 * @throws UsageError when a value fits no type of its property
 */
export async function argumentsText(
  words: readonly Word[],
  inputSchema: Schema,
  validate: Validate,
): Promise<string> {
  if (words.length === 0) return '{}';
  const schemaText = JSON.stringify(inputSchema);
  const members = membersOf(inputSchema, inputSchema);
  const choices: (readonly string[])[] = [];
  for (const word of words) {
    const schemas = word.isJson ? [] : await schemasOfWord(word.key, members, validate);
    choices.push(choicesFor(word, schemas, inputSchema));
  }
  const texts = [...combinations(choices, MAX_TRIED)].map((values) => objectText(words, values));
  const [first = '{}'] = texts;
  if (texts.length === 1) return first;
  for (const text of texts) {
    const { state } = await validate(schemaText, text);
    if (state === 'valid') return text;
    // No other combination could be validated either.
    if (state === 'unknown') return first;
  }
  return first;
}

const objectText = (words: readonly Word[], values: readonly string[]): string =>
  `{${words.map(({ key }, at) => `${JSON.stringify(key)}:${values[at]}`).join(',')}}`;

/** One value of each list, those that are first in their lists first. */
function* combinations(lists: readonly (readonly string[])[], most: number): Generator<readonly string[]> {
  const at = lists.map(() => 0);
  for (let count = 0; count < most; count++) {
    yield lists.map((list, index) => list[at[index] ?? 0] ?? 'null');
    let turn = 0;
    for (; turn < lists.length; turn++) {
      at[turn] = (at[turn] ?? 0) + 1;
      if ((at[turn] ?? 0) < (lists[turn]?.length ?? 0)) break;
      at[turn] = 0;
    }
    if (turn === lists.length) return;
  }
}

/** The schemas of an argument: by its name, by the patterns that its name matches, or those of all other arguments. */
async function schemasOfWord(
  key: string,
  { named, patterns, others }: SchemaMembers,
  validate: Validate,
): Promise<readonly Schema[]> {
  const own = [...(named.get(key)?.schemas ?? [])];
  // A pattern of the server may take forever, so the engine matches it, within its time limit.
  for (const { pattern, schema } of patterns.slice(0, MAX_PATTERNS)) {
    const { state } = await validate(JSON.stringify({ pattern }), JSON.stringify(key));
    if (state === 'valid') own.push(schema);
  }
  return own.length > 0 ? own : others;
}

/** Patterns of names that are tried. */
const MAX_PATTERNS = 20;

function readWord(word: string): Word {
  const [, key, colon, value] = /^([^=]+?)(:)?=(.*)$/s.exec(word) ?? [];
  if (key === undefined || value === undefined) {
    throw new UsageError(`arguments are key=value or key:=JSON; ${quoted(word)} is neither`);
  }
  if (colon !== undefined && parsed(value) === undefined) {
    throw new UsageError(`the value after ${quoted(`${key}:=`)} must be JSON; it is ${quoted(value)}`);
  }
  return { key, isJson: colon !== undefined, value };
}

/** The JSON texts that a value may be meant as, the likeliest first. */
function choicesFor(
  { key, isJson, value }: Word,
  schemas: readonly Schema[],
  inputSchema: Schema,
): readonly string[] {
  if (isJson) return [value];
  const kinds = kindsOfAll(schemas, inputSchema);
  const anyOfThem = schemas.flatMap((schema) => kindsOf(schema, inputSchema));
  const texts = [...new Set([...kinds, ...anyOfThem])].flatMap((kind) => writers[kind](value) ?? []);
  if (texts.length > 0) return [...new Set(texts)];
  // A schema that the types do not show may want a number or an object all the same.
  if (kinds.length === 0)
    return [JSON.stringify(value), ...(parsed(value) === undefined ? [] : [value.trim()])];
  const asJson = `${key}:='${JSON.stringify(value)}'`;
  throw new UsageError(
    `the tool wants ${quoted(key)} as ${kinds.join(' or ')}, which ${quoted(value)} is not; ` +
      `to send it as it is: ${asJson.length > 100 ? `${quoted(`${key}:=`)} and the value as JSON` : asJson}`,
  );
}

/** The JSON text of a value for each type; null if it does not fit. */
const writers: Readonly<Record<Kind, (value: string) => string | null>> = {
  string: (value) => JSON.stringify(value),
  number: (value) => (typeof parsed(value) === 'number' ? value.trim() : null),
  integer: (value) => (Number.isInteger(parsed(value)) ? value.trim() : null),
  boolean: (value) => (value === 'true' || value === 'false' ? value : null),
  null: (value) => (value === 'null' ? value : null),
  object: (value) => (isObject(parsed(value)) ? value : null),
  array: (value) => (Array.isArray(parsed(value)) ? value : null),
};

/** The value of a JSON text; undefined if it is not JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
