import type { Budget } from '#shared/budget.ts';
import type { Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { typesOf } from './schema-keywords.ts';

type TextOf = (schema: Schema) => string | null;

interface AlignOptions {
  /** The same for equal schemas of both sides. */
  readonly textOf: readonly [TextOf, TextOf];
  /** The values of required properties that have few, by their names. */
  readonly constantsOf: (schema: Schema) => ReadonlyMap<string, readonly string[]>;
  readonly budget: Budget;
}

/** Alternatives that belong together, and those of one side only. */
export interface Alignment {
  readonly pairs: readonly (readonly [Schema, Schema])[];
  readonly gone: readonly Schema[];
  readonly come: readonly Schema[];
}

/** Pairs of alternatives up to which each is compared with each. */
const MAX_PAIRS = 400;

/**
 * Finds for each alternative the one that it became: an equal one, otherwise one with the same values of a required property, the same
 * title, or the most in common.
 */
export function alignAlternatives(
  was: readonly Schema[],
  is: readonly Schema[],
  { textOf, constantsOf, budget }: AlignOptions,
): Alignment {
  const pairs: [Schema, Schema][] = [];
  let [gone, come] = [[...was], [...is]];
  const take = (found: readonly [Schema, Schema][]): void => {
    if (found.length === 0) return;
    pairs.push(...found);
    const [old, now] = [new Set(found.map(([one]) => one)), new Set(found.map(([, other]) => other))];
    [gone, come] = [gone.filter((one) => !old.has(one)), come.filter((one) => !now.has(one))];
  };
  const discriminatorOf = (schema: Schema): string | null => {
    const constants = [...constantsOf(schema)].sort(([a], [b]) => (a < b ? -1 : 1));
    return constants.length === 0 ? null : JSON.stringify(constants);
  };
  const titleOf = ({ title }: Schema): string | null => (typeof title === 'string' ? title : null);
  for (const keysOf of [textOf, [discriminatorOf, discriminatorOf], [titleOf, titleOf]] as const) {
    budget.take(gone.length + come.length);
    take(equalPairs(gone, come, keysOf));
  }
  if (gone.length * come.length > MAX_PAIRS) return { pairs, gone, come };
  budget.take(gone.length * come.length);
  const candidates = gone.flatMap((one) =>
    come.map((other) => ({ one, other, common: inCommon(one, other) })),
  );
  const used = new Set<Schema>();
  take(
    candidates
      .filter(({ common }) => common > 0)
      .sort((a, b) => b.common - a.common)
      .flatMap(({ one, other }): [Schema, Schema][] => {
        if (used.has(one) || used.has(other)) return [];
        used.add(one).add(other);
        return [[one, other]];
      }),
  );
  return { pairs, gone, come };
}

/** Pairs with the same key, of several in their order. */
function equalPairs(
  was: readonly Schema[],
  is: readonly Schema[],
  [keyOf, keyOfOther]: readonly [TextOf, TextOf],
): [Schema, Schema][] {
  const waiting = new Map<string, Schema[]>();
  for (const one of is.toReversed()) {
    const key = keyOfOther(one);
    if (key === null) continue;
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [one]);
    else list.push(one);
  }
  return was.flatMap((one): [Schema, Schema][] => {
    const key = keyOf(one);
    const other = key === null ? undefined : waiting.get(key)?.pop();
    return other === undefined ? [] : [[one, other]];
  });
}

/** How much two alternatives have in common: nothing if no value can be of the types of both. */
function inCommon(one: Schema, other: Schema): number {
  if (Array.isArray(one.enum) !== Array.isArray(other.enum)) return 0;
  const types = new Set(typesOf(one));
  const shared = typesOf(other).filter(
    (type) => types.has(type) || (type === 'integer' && types.has('number')),
  );
  if (shared.length === 0) return 0;
  const [properties, others] = [one, other].map((schema) =>
    Object.keys(isObject(schema.properties) ? schema.properties : {}),
  );
  return 1 + (properties ?? []).filter((name) => others?.includes(name) === true).length;
}
