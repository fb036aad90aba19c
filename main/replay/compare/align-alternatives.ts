import type { Budget } from '#shared/budget.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { type Members, typesOf } from './normal-schema.ts';

type TextOf = (schema: Members) => string | null;

interface AlignOptions {
  /** The same for equal schemas of both sides. */
  readonly textOf: readonly [TextOf, TextOf];
  /** The values of required properties that have few, by their names. */
  readonly constantsOf: (schema: Members) => ReadonlyMap<string, readonly string[]>;
  readonly budget: Budget;
}

/** Alternatives that belong together, and those of one side only. */
interface Alignment {
  readonly pairs: readonly (readonly [Members, Members])[];
  readonly gone: readonly Members[];
  readonly come: readonly Members[];
}

/** Pairs of alternatives up to which each is compared with each. */
const MAX_PAIRS = 400;

/**
 * Finds for each alternative the one that it became: an equal one, otherwise one with the same values of a required property, the same
 * title, or the most in common.
 */
export function alignAlternatives(
  was: readonly Members[],
  is: readonly Members[],
  { textOf, constantsOf, budget }: AlignOptions,
): Alignment {
  const pairs: [Members, Members][] = [];
  let [gone, come] = [[...was], [...is]];
  const take = (found: readonly [Members, Members][]): void => {
    if (found.length === 0) return;
    pairs.push(...found);
    const [old, now] = [new Set(found.map(([one]) => one)), new Set(found.map(([, other]) => other))];
    [gone, come] = [gone.filter((one) => !old.has(one)), come.filter((one) => !now.has(one))];
  };
  const discriminatorOf = (schema: Members): string | null => {
    const constants = [...constantsOf(schema)].sort(([a], [b]) => (a < b ? -1 : 1));
    return constants.length === 0 ? null : JSON.stringify(constants);
  };
  const titleOf = ({ title }: Members): string | null => (typeof title === 'string' ? title : null);
  for (const keysOf of [textOf, [discriminatorOf, discriminatorOf], [titleOf, titleOf]] as const) {
    budget.take(gone.length + come.length);
    take(equalPairs(gone, come, keysOf));
  }
  if (gone.length * come.length > MAX_PAIRS) return { pairs, gone, come };
  budget.take(gone.length * come.length);
  const candidates = gone.flatMap((one) =>
    come.map((other) => ({ one, other, common: inCommon(one, other) })),
  );
  const used = new Set<Members>();
  take(
    candidates
      .filter(({ common }) => common > 0)
      .sort((a, b) => b.common - a.common)
      .flatMap(({ one, other }): [Members, Members][] => {
        if (used.has(one) || used.has(other)) return [];
        used.add(one).add(other);
        return [[one, other]];
      }),
  );
  return { pairs, gone, come };
}

/** Pairs with the same key, of several in their order. */
function equalPairs(
  was: readonly Members[],
  is: readonly Members[],
  [keyOf, keyOfOther]: readonly [TextOf, TextOf],
): [Members, Members][] {
  const waiting = new Map<string, Members[]>();
  for (const one of is.toReversed()) {
    const key = keyOfOther(one);
    if (key === null) continue;
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [one]);
    else list.push(one);
  }
  return was.flatMap((one): [Members, Members][] => {
    const key = keyOf(one);
    const other = key === null ? undefined : waiting.get(key)?.pop();
    return other === undefined ? [] : [[one, other]];
  });
}

/** How much two alternatives have in common: nothing if no value can be of the types of both. */
function inCommon(one: Members, other: Members): number {
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
