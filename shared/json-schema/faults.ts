import { truncate } from '#shared/format.ts';
import { pointerOf } from '#shared/json/pointer.ts';
import { namesUsedTwice, pointerIn, referenceKeywords, targetBy, targetOf } from './references.ts';
import { type Draft, draftOf, drafts, isRefAlone, isSchema, type Schema, schemasOf } from './schema.ts';

/** Why nothing can be validated against a schema. */
export interface SchemaFault {
  readonly kind: 'form' | 'size' | 'dialect' | 'keyword' | 'pattern' | 'reference' | 'remote';
  /** Where in the schema (RFC 6901). */
  readonly pointer: string;
  /** A sentence without its full stop. May quote untrusted text. */
  readonly text: string;
}

/** Limit of characters of a schema; longer ones are not compiled. */
export const MAX_SCHEMA_LENGTH = 512 * 1024;

/** Parts of a schema that are looked at. What is beyond them is not checked. */
const MAX_PARTS = 20_000;
/** Faults of one schema that are reported. */
const MAX_FAULTS = 5;
/** Characters that are quoted. */
const MAX_QUOTED = 100;

/** Why a schema cannot be used, as JSON text; empty if it can, as far as it can be known without a value. */
export function schemaTextFaults(text: string): readonly SchemaFault[] {
  if (text.length > MAX_SCHEMA_LENGTH) return [tooLong(text.length)];
  try {
    return schemaFaults(JSON.parse(text));
  } catch {
    return [formFault('The schema is not JSON')];
  }
}

export const tooLong = (length: number): SchemaFault => ({
  kind: 'size',
  pointer: '',
  text: `The schema is too long to validate against: ${length} characters`,
});

const formFault = (text: string): SchemaFault => ({ kind: 'form', pointer: '', text });

/** Why a schema cannot be used; empty if it can, as far as it can be known without a value. Runs none of its patterns. */
export function schemaFaults(schema: unknown): readonly SchemaFault[] {
  if (typeof schema === 'boolean') return [];
  if (!isSchema(schema)) return [formFault('The schema is neither an object nor a boolean')];
  return new Check(schema).faults();
}

class Check {
  readonly #root: Schema;
  readonly #draft: Draft;
  readonly #unknownDialect: string | null;
  readonly #faults: SchemaFault[] = [];
  readonly #seen = new Set<Schema>();
  readonly #open: { readonly schema: Schema; readonly pointer: string }[] = [];

  constructor(root: Schema) {
    this.#root = root;
    const { draft, unknown } = draftOf(root);
    this.#draft = draft;
    this.#unknownDialect = unknown;
  }

  faults(): readonly SchemaFault[] {
    if (this.#unknownDialect !== null) {
      const name = truncate(this.#unknownDialect, MAX_QUOTED);
      this.#add('dialect', '/$schema', `The schema names a dialect that is not known here: ${name}`);
    }
    for (const name of namesUsedTwice(this.#root)) {
      this.#add(
        'reference',
        '',
        `The name ${truncate(shortName(name), MAX_QUOTED)} is that of two of its parts`,
      );
    }
    this.#open.push({ schema: this.#root, pointer: '' });
    for (let one = this.#open.pop(); one !== undefined; one = this.#open.pop()) {
      if (this.#seen.has(one.schema)) continue;
      this.#seen.add(one.schema);
      if (this.#seen.size > MAX_PARTS || this.#faults.length >= MAX_FAULTS) break;
      this.#schema(one.schema, one.pointer);
    }
    return this.#faults.slice(0, MAX_FAULTS);
  }

  #add(kind: SchemaFault['kind'], pointer: string, text: string): void {
    this.#faults.push({ kind, pointer, text });
  }

  #schema(schema: Schema, pointer: string): void {
    for (const keyword of referenceKeywords) {
      if (typeof schema[keyword] === 'string') this.#reference(schema, keyword, pointer);
    }
    const isOnlyRef = typeof schema.$ref === 'string' && isRefAlone(this.#draft);
    for (const [keyword, value] of Object.entries(schema)) {
      const row = keywords.get(keyword);
      if (row === undefined || !isIn(row, this.#draft)) continue;
      if (isOnlyRef && row.holds !== 'named') continue;
      const at = pointer + pointerOf([keyword]);
      const { is, expected } = formOf(row, this.#draft);
      if (!is(value)) {
        this.#add('keyword', at, `"${keyword}" must be ${expected}, and is ${quoted(value)}`);
        continue;
      }
      if (keyword === 'pattern') this.#pattern(value, at);
      if (keyword === 'patternProperties' && isSchema(value)) {
        for (const name of Object.keys(value)) this.#pattern(name, at + pointerOf([name]));
      }
      for (const [path, inner] of innerSchemas(row, value)) {
        this.#open.push({ schema: inner, pointer: at + pointerOf(path) });
      }
    }
  }

  #pattern(pattern: unknown, pointer: string): void {
    if (typeof pattern !== 'string') return;
    const why = patternFault(pattern);
    if (why === null) return;
    const shown = truncate(JSON.stringify(pattern), MAX_QUOTED);
    this.#add('pattern', pointer, `The pattern ${shown} is not a valid regular expression: ${why}`);
  }

  #reference(schema: Schema, keyword: (typeof referenceKeywords)[number], pointer: string): void {
    const at = pointer + pointerOf([keyword]);
    const target = targetBy(keyword, schema, this.#root);
    const ref = String(schema[keyword]);
    const shown = truncate(ref, MAX_QUOTED);
    if (target === undefined) {
      // A name that two parts have is reported already.
      if ([...namesUsedTwice(this.#root)].some((name) => name.endsWith(ref))) return;
      const text = `It refers to ${shown}, which is not in it; nothing is fetched`;
      this.#add(ref.startsWith('#') ? 'reference' : 'remote', at, text);
    } else if (leadsToItself(schema, this.#root)) {
      this.#add('reference', at, `It refers to ${shown}, which leads back to itself without an end`);
    } else {
      // A reference may lead to a place that no keyword of JSON Schema leads to.
      this.#open.push({ schema: target, pointer: pointerIn(target, this.#root) ?? at });
    }
  }
}

/** A name as the schema has it, if it has no id of its own. */
const shortName = (name: string): string => name.replace(/^schema:\/\/\//, '');

const quoted = (value: unknown): string => truncate(JSON.stringify(value) ?? 'nothing', MAX_QUOTED);

/** Why a pattern cannot be compiled; null if it can. Many servers write some that are invalid with the Unicode flag. */
function patternFault(pattern: string): string | null {
  try {
    // Compiled only, never run.
    void new RegExp(pattern);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it cannot be read';
    const why = message.slice(message.lastIndexOf(': ') + 2);
    return /\(\?P[<=]|\(\?[a-z]+\)|\\[AZ]/.test(pattern) ? `${why} (this is the notation of Python)` : why;
  }
}

/** Steps of references and parts that are followed to find one that leads back. */
const MAX_STEPS = 100;

/** Whether validating against a schema would validate the same value against it again, and so on. */
function leadsToItself(schema: Schema, root: Schema): boolean {
  const seen = new Set<Schema>();
  const next = (one: Schema): readonly Schema[] => {
    const target = targetOf(one, root);
    return [...(target === undefined ? [] : [target]), ...schemasOf(one.allOf)];
  };
  const open = [...next(schema)];
  for (let one = open.pop(); one !== undefined && seen.size < MAX_STEPS; one = open.pop()) {
    if (one === schema) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...next(one));
  }
  return false;
}

/** What the value of a keyword must be. */
interface Form {
  readonly is: (value: unknown) => boolean;
  readonly expected: string;
}

interface Row extends Form {
  /** The drafts that have it; without it all of them. */
  readonly since?: Draft;
  readonly until?: Draft;
  /** The form of older drafts, up to this one. */
  readonly before?: { readonly until: Draft } & Form;
  /** Whether its value holds schemas: one, a list of them, or by name. */
  readonly holds?: 'schemas' | 'named';
}

const isIn = ({ since = 'draft-04', until = '2020-12' }: Row, draft: Draft): boolean =>
  drafts.indexOf(since) <= drafts.indexOf(draft) && drafts.indexOf(draft) <= drafts.indexOf(until);

const formOf = (row: Row, draft: Draft): Form =>
  row.before !== undefined && drafts.indexOf(draft) <= drafts.indexOf(row.before.until) ? row.before : row;

function innerSchemas(
  { holds }: Row,
  value: unknown,
): readonly (readonly [path: readonly (string | number)[], schema: Schema])[] {
  if (holds === undefined) return [];
  if (holds === 'named') {
    return Object.entries(isSchema(value) ? value : {}).flatMap(([name, inner]) =>
      isSchema(inner) ? [[[name], inner] as const] : [],
    );
  }
  if (!Array.isArray(value)) return isSchema(value) ? [[[], value]] : [];
  return value.flatMap((inner: unknown, index) => (isSchema(inner) ? [[[index], inner] as const] : []));
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isSchemaOrFlag = (value: unknown): boolean => isFlag(value) || isSchema(value);
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const typeNames: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'];

const text: Form = { is: isText, expected: 'a string' };
const flag: Form = { is: isFlag, expected: 'true or false' };
const number: Form = { is: isNumber, expected: 'a number' };
const count: Form = { is: isCount, expected: 'a whole number from 0' };
const texts: Form = { is: isTexts, expected: 'a list of different strings' };
const schema = { is: isSchemaOrFlag, expected: 'a schema', holds: 'schemas' } as const;
const schemas = {
  is: (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isSchemaOrFlag),
  expected: 'a list of schemas, at least one',
  holds: 'schemas',
} as const;
const named = {
  is: (value: unknown) => isSchema(value) && Object.values(value).every(isSchemaOrFlag),
  expected: 'an object with a schema for each name',
  holds: 'named',
} as const;

/** The keywords of JSON Schema, as their meta-schemas have them. What a draft does not have, it ignores. */
const keywords: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['$ref', { ...text, since: 'draft-06' }],
  ['$id', { ...text, since: 'draft-06' }],
  ['$anchor', { ...text, since: '2019-09' }],
  ['$comment', { ...text, since: 'draft-07' }],
  ['title', text],
  ['description', text],
  ['format', text],
  ['pattern', text],
  [
    'type',
    {
      is: (value) =>
        Array.isArray(value)
          ? value.length > 0 && isTexts(value) && value.every((one) => typeNames.includes(one))
          : typeNames.includes(value),
      expected: `one of ${typeNames.join(', ')}, or a list of them`,
    },
  ],
  ['enum', { is: (value) => Array.isArray(value) && value.length > 0, expected: 'a list of values' }],
  ['examples', { is: Array.isArray, expected: 'a list', since: 'draft-06' }],
  ['required', { ...texts, expected: 'a list of the names of required members' }],
  ['uniqueItems', flag],
  ['readOnly', { ...flag, since: 'draft-07' }],
  ['writeOnly', { ...flag, since: '2019-09' }],
  ['deprecated', { ...flag, since: '2019-09' }],
  [
    'multipleOf',
    { is: (value) => typeof value === 'number' && value > 0, expected: 'a number greater than 0' },
  ],
  ['minimum', number],
  ['maximum', number],
  ['exclusiveMinimum', { ...number, before: { ...flag, until: 'draft-04' } }],
  ['exclusiveMaximum', { ...number, before: { ...flag, until: 'draft-04' } }],
  ['minLength', count],
  ['maxLength', count],
  ['minItems', count],
  ['maxItems', count],
  ['minProperties', count],
  ['maxProperties', count],
  ['minContains', { ...count, since: '2019-09' }],
  ['maxContains', { ...count, since: '2019-09' }],
  ['properties', named],
  ['patternProperties', named],
  ['definitions', named],
  ['$defs', { ...named, since: '2019-09' }],
  ['dependentSchemas', { ...named, since: '2019-09' }],
  [
    'dependencies',
    {
      is: (value) =>
        isSchema(value) && Object.values(value).every((one) => isSchemaOrFlag(one) || isTexts(one)),
      expected: 'an object with a schema or a list of names for each name',
      holds: 'named',
    },
  ],
  [
    'dependentRequired',
    {
      is: (value) => isSchema(value) && Object.values(value).every(isTexts),
      expected: 'an object with a list of names for each name',
      since: '2019-09',
    },
  ],
  ['allOf', schemas],
  ['anyOf', schemas],
  ['oneOf', schemas],
  ['prefixItems', { ...schemas, since: '2020-12' }],
  [
    'items',
    {
      ...schema,
      expected: 'a schema; the list of a tuple is "prefixItems" in 2020-12',
      before: {
        is: (value) => isSchemaOrFlag(value) || (Array.isArray(value) && value.every(isSchemaOrFlag)),
        expected: 'a schema or a list of schemas',
        until: '2019-09',
      },
    },
  ],
  ['additionalItems', { ...schema, until: '2019-09' }],
  ['unevaluatedItems', { ...schema, since: '2019-09' }],
  ['contains', { ...schema, since: 'draft-06' }],
  ['additionalProperties', schema],
  ['unevaluatedProperties', { ...schema, since: '2019-09' }],
  ['propertyNames', { ...schema, since: 'draft-06' }],
  ['not', schema],
  ['if', { ...schema, since: 'draft-07' }],
  ['then', { ...schema, since: 'draft-07' }],
  ['else', { ...schema, since: 'draft-07' }],
]);
