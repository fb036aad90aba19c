import { targetOf } from './references.ts';
import { isSchema, type Schema, schemasOf } from './schema.ts';

export const kinds = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;

/** A type of JSON Schema (2020-12 validation, section 6.1.1). */
export type Kind = (typeof kinds)[number];

/** Limit of nested references; a schema may refer to itself. */
const DEEPEST = 64;
/** Parts of a schema that are looked at; it may fork at each level. */
const MAX_PARTS = 1_000;

/** The types that a schema allows, in its order; empty if it allows any. The schema is untrusted. */
export function kindsOf(schema: unknown, root: Schema): readonly Kind[] {
  return allowed(schema, root, { depth: 0, left: { parts: MAX_PARTS } });
}

/** The types that all of several schemas allow. */
export const kindsOfAll = (schemas: readonly Schema[], root: Schema): readonly Kind[] =>
  common(schemas.map((schema) => kindsOf(schema, root)));

interface Walk {
  readonly depth: number;
  readonly left: { parts: number };
}

function allowed(schema: unknown, root: Schema, walk: Walk): readonly Kind[] {
  if (!isSchema(schema) || walk.depth > DEEPEST || --walk.left.parts < 0) return [];
  const inner: Walk = { ...walk, depth: walk.depth + 1 };
  const { type, anyOf, oneOf, allOf } = schema;
  const target = targetOf(schema, root);
  const stated = common([
    type === undefined ? [] : asList(type).filter(isKind),
    Object.hasOwn(schema, 'const') ? [kindOf(schema.const)] : [],
    Array.isArray(schema.enum) ? distinct(schema.enum.map(kindOf)) : [],
    target === undefined ? [] : allowed(target, root, inner),
    ...schemasOf(allOf).map((part) => allowed(part, root, inner)),
    ...[anyOf, oneOf].map((list) => distinct(schemasOf(list).flatMap((part) => allowed(part, root, inner)))),
  ]);
  return stated.length > 0 ? stated : implied(schema);
}

const distinct = (list: readonly Kind[]): readonly Kind[] => [...new Set(list)];

/** The types that every list names, in the order of the first; the lists that name none do not count. */
function common(lists: readonly (readonly Kind[])[]): readonly Kind[] {
  const [first = [], ...others] = lists.filter((list) => list.length > 0);
  return others.reduce((left, other) => {
    const both = distinct(left.flatMap((kind) => narrowed(kind, other)));
    // Nothing fits all of them: what comes first says more than nothing.
    return both.length > 0 ? both : left;
  }, first);
}

/** A type as far as a list allows it: every integer is a number. */
function narrowed(kind: Kind, others: readonly Kind[]): readonly Kind[] {
  if (others.includes(kind)) return [kind];
  if (kind === 'integer' && others.includes('number')) return ['integer'];
  return kind === 'number' && others.includes('integer') ? ['integer'] : [];
}

/** Keywords that mean something for one type only. */
const impliedKinds: readonly (readonly [Kind, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** What a schema without a type means; such a schema allows values of other types too. */
function implied(schema: Schema): readonly Kind[] {
  const found = impliedKinds.filter(([, keywords]) =>
    keywords.some((keyword) => Object.hasOwn(schema, keyword)),
  );
  return found.length === 0 ? [] : [...found.map(([kind]) => kind), 'string'];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value);

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return isKind(type) ? type : 'string';
}
