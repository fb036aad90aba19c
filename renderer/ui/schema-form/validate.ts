import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { formatQuantity } from '#shared/format.ts';
import { escapePointer } from './exact-json.ts';

/** One thing a value does wrong by its schema. */
export interface Problem {
  /** Where in the value, as a JSON pointer; empty for the value as a whole. */
  readonly at: string;
  /** Stable name: the keyword of JSON Schema that decided. */
  readonly keyword: string;
  readonly text: string;
}

export type Validation =
  | { readonly state: 'valid' }
  | { readonly state: 'invalid'; readonly problems: readonly Problem[] }
  /** The schema itself cannot be used, such as one with a remote `$ref`. */
  | { readonly state: 'unusable'; readonly why: string };

/** Which draft a schema follows, by its `$schema`; 2020-12 when it names none (MCP 2025-11-25 basic, JSON Schema). */
export function draftOf(schema: unknown): SchemaDraft {
  const named = typeof schema === 'object' && schema !== null && '$schema' in schema ? schema.$schema : '';
  if (typeof named !== 'string') return '2020-12';
  return drafts.find(([part]) => named.includes(part))?.[1] ?? '2020-12';
}

const drafts: readonly (readonly [part: string, draft: SchemaDraft])[] = [
  ['draft-04', '4'],
  ['draft-06', '7'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
];

/** Validates a value by a JSON Schema. Never throws. Runs the server's regular expressions, so call it off the page. */
export function validate(schema: object, value: unknown): Validation {
  try {
    // A copy: the library writes into the schema it is given.
    const copy: Schema = { ...structuredClone(schema) };
    const { valid, errors } = new Validator(copy, draftOf(schema), false).validate(value);
    return valid ? { state: 'valid' } : { state: 'invalid', problems: problemsOf(errors) };
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { state: 'unusable', why: first };
  }
}

/** Errors that only say that something below them is wrong. */
const wrappers = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  '$ref',
  '$recursiveRef',
  'allOf',
  'if',
  'dependentSchemas',
]);

/** Whether an error lies in a branch of `anyOf` and its like: that no branch fits is one problem, not one for each. */
const inBranch = /\/(anyOf|oneOf|not|contains)\/.+/;

function problemsOf(errors: readonly OutputUnit[]): Problem[] {
  const problems = errors
    .filter(({ keyword, keywordLocation }) => !wrappers.has(keyword) && !inBranch.test(keywordLocation))
    .map(problemOf);
  if (problems.length > 0) return problems.filter((problem) => !isEcho(problem, problems));
  // Every error was a wrapper's: better said once than not at all.
  return errors.slice(0, 1).map(problemOf);
}

/** The library also calls "not allowed" what `properties` knows and found wrong. */
const isEcho = ({ keyword, at }: Problem, problems: readonly Problem[]): boolean =>
  keyword === 'false' &&
  problems.some((other) => other.keyword !== 'false' && (other.at === at || other.at.startsWith(`${at}/`)));

/** What an error of the library says, in our words, from the words in its text. */
const reworded: Readonly<Record<string, readonly [pattern: RegExp, say: (...words: string[]) => string]>> = {
  required: [/./s, () => 'is required'],
  false: [/./s, () => 'is not allowed by the schema'],
  type: [
    /type "(.*?)" is invalid\. Expected "(.*)"/s,
    (_, got = '', wanted = '') => `must be ${wanted.replaceAll('", "', ' or ')}, not ${got}`,
  ],
  anyOf: [/./s, () => 'fits none of the alternatives'],
  oneOf: [/\((\d+) matches\)/, (_, count) => `fits ${count} of the alternatives, must fit exactly one`],
  const: [/does not match (.*?)\.?$/s, (_, value) => `must be ${value}`],
  enum: [/./s, () => 'is not one of the allowed values'],
  minimum: [
    /than (or equal to )?\s*(\S+?)\.?$/,
    (_, or, limit) => `must be ${or ? 'more than' : 'at least'} ${limit}`,
  ],
  maximum: [
    /than (or equal to )?\s*(\S+?)\.?$/,
    (_, or, limit) => `must be ${or ? 'less than' : 'at most'} ${limit}`,
  ],
  exclusiveMinimum: [/than (\S+?)\.?$/, (_, limit) => `must be more than ${limit}`],
  exclusiveMaximum: [/to (\S+?)\.?$/, (_, limit) => `must be less than ${limit}`],
  multipleOf: [/of (\S+?)\.?$/, (_, step) => `must be a multiple of ${step}`],
  minLength: [
    /\((\d+) < (\d+)\)/,
    (_, has, least) => `must have at least ${quantity(least, 'character')}, has ${has}`,
  ],
  maxLength: [
    /\((\d+) > (\d+)\)/,
    (_, has, most) => `must have at most ${quantity(most, 'character')}, has ${has}`,
  ],
  minItems: [
    /\((\d+) < (\d+)\)/,
    (_, has, least) => `must have at least ${quantity(least, 'entry', 'entries')}, has ${has}`,
  ],
  maxItems: [
    /\((\d+) > (\d+)\)/,
    (_, has, most) => `must have at most ${quantity(most, 'entry', 'entries')}, has ${has}`,
  ],
  pattern: [/./s, () => 'does not match the pattern'],
  format: [/format "(.*)"/s, (_, format) => `is not a valid ${format}`],
};

const quantity = (count: string | undefined, one: string, many?: string): string =>
  formatQuantity(Number(count), one, many);

function problemOf({ keyword, instanceLocation, error }: OutputUnit): Problem {
  const [pattern, say] = reworded[keyword] ?? [];
  const words = pattern?.exec(error);
  const text = words && say ? say(...words) : lowerFirst(error);
  // What is missing is told where it belongs, not at the object that lacks it.
  const missing = keyword === 'required' ? /required property "(.*)"/s.exec(error)?.[1] : undefined;
  const at = pointerOf(instanceLocation);
  return { at: missing === undefined ? at : `${at}/${escapePointer(missing)}`, keyword, text };
}

/** cfworker's `#/a/b`, percent-encoded, as a JSON pointer. */
const pointerOf = (location: string): string => decodeURIComponent(location.replace(/^#/, ''));

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');
