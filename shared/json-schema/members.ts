import { targetOf } from './references.ts';
import { draftOf, isRefAlone, isSchema, type Schema, schemasOf } from './schema.ts';

/** Schemas that are followed from one value; a schema may fork at each level. */
const MAX_APPLIED = 1_000;

/** Decides which alternatives and conditions of a schema apply; `index` is that of an alternative among the others. */
export type Fits = (part: Schema, index: number) => boolean;

/**
 * The schemas that describe the same value as a schema, itself first: what it refers to, its parts, and its alternatives
 * and conditions. Those that do not fit are left out, unless no alternative fits.
 *
 * @param fits all alternatives and conditions apply without it
 */
export function appliedSchemas(schema: Schema, root: Schema, fits: Fits | null = null): readonly Schema[] {
  const found = new Set<Schema>();
  const isRefOnly = isRefAlone(draftOf(root).draft);
  // The next one is the last.
  const open: Schema[] = [schema];
  for (let one = open.pop(); one !== undefined && found.size < MAX_APPLIED; one = open.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    const next: (Schema | undefined)[] = [targetOf(one, root)];
    if (!isRefOnly || typeof one.$ref !== 'string') {
      next.push(...schemasOf(one.allOf), ...chosen(one.anyOf, fits), ...chosen(one.oneOf, fits));
      next.push(...conditional(one, fits));
    }
    open.push(...next.filter(isSchema).reverse());
  }
  return [...found];
}

function chosen(list: unknown, fits: Fits | null): readonly Schema[] {
  const all = schemasOf(list);
  if (fits === null) return all;
  const fitting = all.filter(fits);
  return fitting.length > 0 ? fitting : all;
}

function conditional(schema: Schema, fits: Fits | null): readonly Schema[] {
  const { if: condition, then, else: other, dependentSchemas, dependencies } = schema;
  const dependent = [dependentSchemas, dependencies]
    .flatMap((map) => (isSchema(map) ? Object.values(map) : []))
    .filter(isSchema);
  const branches =
    fits === null || !isSchema(condition) ? [then, other] : fits(condition, 0) ? [then] : [other];
  return [...(condition === undefined ? [] : branches.filter(isSchema)), ...dependent];
}

/** A member of an object, by all schemas that describe the object. */
export interface SchemaMember {
  /** The schemas of its value, at least one; empty ones allow anything. */
  readonly schemas: readonly Schema[];
  /** Whether every object needs it, whichever alternative it chooses. */
  readonly isRequired: boolean;
}

/** The members of an object. */
export interface SchemaMembers {
  /** Those with a name, in the order of the schema; a required one may have no description. */
  readonly named: ReadonlyMap<string, SchemaMember>;
  /** Those whose names match a pattern. The pattern is the server's: match it within a time limit only. */
  readonly patterns: readonly { readonly pattern: string; readonly schema: Schema }[];
  /** The schemas of all others; empty if nothing is said of them. */
  readonly others: readonly Schema[];
}

/** The members that an object may have: those of the schema, and of all that describe the same object. */
export function membersOf(schema: Schema, root: Schema, fits: Fits | null = null): SchemaMembers {
  const applied = appliedSchemas(schema, root, fits);
  const required = requiredOf(schema, root);
  const schemas = new Map<string, Schema[]>();
  for (const { properties } of applied) {
    if (!isSchema(properties)) continue;
    for (const [key, value] of Object.entries(properties)) {
      const known = schemas.get(key);
      const own = isSchema(value) ? value : {};
      if (known === undefined) schemas.set(key, [own]);
      else known.push(own);
    }
  }
  const addFurther = (key: string, own: Schema) => {
    if (!schemas.has(key)) schemas.set(key, [own]);
  };
  for (const one of applied) {
    for (const key of textsOf(one.required)) addFurther(key, {});
    // A condition allows and forbids nothing, but the member that it looks at is one.
    const conditions = isSchema(one.if) ? appliedSchemas(one.if, root) : [];
    for (const { properties } of conditions) {
      if (!isSchema(properties)) continue;
      for (const [key, own] of Object.entries(properties)) addFurther(key, isSchema(own) ? own : {});
    }
  }
  return {
    named: new Map(
      [...schemas].map(([key, own]) => [key, { schemas: own, isRequired: required.has(key) }] as const),
    ),
    patterns: applied.flatMap(({ patternProperties }) =>
      Object.entries(isSchema(patternProperties) ? patternProperties : {}).map(([pattern, value]) => ({
        pattern,
        schema: isSchema(value) ? value : {},
      })),
    ),
    others: applied
      .flatMap(({ additionalProperties, unevaluatedProperties }) => [
        additionalProperties,
        unevaluatedProperties,
      ])
      .filter(isSchema),
  };
}

/** Nested parts of a schema whose required members are looked at. */
const MAX_REQUIRING = 200;

/** The members that every object of a schema has: its own, those of its parts, and those of all its alternatives. */
function requiredOf(schema: Schema, root: Schema): ReadonlySet<string> {
  let left = MAX_REQUIRING;
  const of = (part: Schema, within: readonly Schema[]): Set<string> => {
    if (within.includes(part) || --left < 0) return new Set();
    const inner = [...within, part];
    const target = targetOf(part, root);
    const whole = [...(target === undefined ? [] : [target]), ...schemasOf(part.allOf)];
    const found = new Set([...textsOf(part.required), ...whole.flatMap((one) => [...of(one, inner)])]);
    for (const list of [schemasOf(part.anyOf), schemasOf(part.oneOf)]) {
      const [first, ...others] = list.map((one) => of(one, inner));
      for (const key of first ?? []) if (others.every((other) => other.has(key))) found.add(key);
    }
    return found;
  };
  return of(schema, []);
}

const textsOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
