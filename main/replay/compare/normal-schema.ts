import type { Budget } from '#shared/budget.ts';
import { targetBy } from '#shared/json-schema/references.ts';
import { annotationKeywords, type Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import {
  commonTypes,
  covers,
  finiteTypes,
  hasConstraint,
  hasOnly,
  hasUntyped,
  isConstraint,
  lowerLimits,
  namesOf,
  schemaKeywords,
  schemaLists,
  schemaMaps,
  typeOf,
  typeOfKeyword,
  typesOf,
  unorderedLists,
  upperLimits,
  valuesOf,
  withoutAnnotations,
  withoutConstraints,
} from './schema-keywords.ts';
import { isNothing, isWithin, limitsOfValues, withNumbers, withTypes } from './simplify-level.ts';
import type { SortedTexts } from './sorted-texts.ts';

/** A schema in its normal form, as far as its own level goes; `false` if no value is valid. What is inside is as it was written. */
export type NormalSchema = Schema | false;

/** What the alternatives that were joined said about themselves: texts by what each of them allows. */
export const NOTES = '#notes';

/** Alternatives of a `oneOf` that are compared each with each. */
const MAX_EXCLUSIVE = 40;
/** References and `allOf` that lead from one to the next. */
const DEEPEST = 32;

/** Writes the schemas of one side in their normal form: schemas that allow the same values mostly have the same. */
export class NormalSchemas {
  readonly #root: unknown;
  readonly #budget: Budget;
  readonly #texts: SortedTexts;
  /** Normal forms that were written with `const`. */
  readonly #constants = new WeakSet<object>();
  /** Where an alternative stands in its list. */
  readonly #places = new WeakMap<object, number>();
  readonly #isNormal = new WeakSet<object>();
  readonly #known = new WeakMap<object, NormalSchema>();
  readonly #wholeTexts = new WeakMap<object, string>();

  constructor(root: unknown, budget: Budget, texts: SortedTexts) {
    this.#root = root;
    this.#budget = budget;
    this.#texts = texts;
  }

  of(schema: unknown): NormalSchema {
    return this.#normal(schema, []);
  }

  /**
   * The same for schemas whose normal forms are the same on all levels. Inside of themselves, references count by their names: they may
   * lead to other schemas on the other side.
   */
  textOf(schema: unknown): string {
    if (!isObject(schema)) return this.#texts.of(schema);
    const known = this.#wholeTexts.get(schema);
    if (known !== undefined) return known;
    // Where a schema contains itself, it counts as it is written.
    this.#wholeTexts.set(schema, this.#texts.of(schema));
    const normal = this.of(schema);
    const text = this.#texts.shortened(normal === false ? 'false' : this.#textOfLevel(normal));
    this.#wholeTexts.set(schema, text);
    return text;
  }

  #textOfLevel(schema: Schema): string {
    const members = Object.entries(schema).map(([keyword, value]): [string, string] => {
      const isMap = schemaMaps.has(keyword) && isObject(value);
      const texts = isMap
        ? Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${this.textOf(one)}`)
        : Array.isArray(value) && (schemaLists.has(keyword) || keyword === 'items')
          ? value.map((one) => this.textOf(one))
          : Array.isArray(value) && unorderedLists.has(keyword)
            ? value.map((one) => this.#texts.of(one))
            : [schemaKeywords.has(keyword) ? this.textOf(value) : this.#texts.of(value)];
      const isOrdered = keyword === 'prefixItems' || keyword === 'items';
      return [keyword, (isOrdered ? texts : texts.toSorted()).join()];
    });
    const text = members
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([keyword, value]) => `${keyword}(${value})`)
      .join();
    this.#budget.take(1, text.length);
    return text;
  }

  /** An alternative for each type, if all keywords of a schema are about a type. */
  byType(schema: Schema): readonly Schema[] {
    if (!Array.isArray(schema.type) || hasUntyped(schema)) return [schema];
    const notes = isObject(schema[NOTES]) ? schema[NOTES] : {};
    return typesOf(schema).map((type) => {
      const one: Record<string, unknown> = { ...schema };
      delete one[NOTES];
      withTypes(one, [type]);
      const note = notes[this.#texts.of(type)];
      if (note !== undefined) one.description = note;
      this.#places.set(one, this.placeOf(schema));
      return one;
    });
  }

  isConstant(schema: NormalSchema): boolean {
    return schema !== false && this.#constants.has(schema);
  }

  /** The index of an alternative in the list as it was written. */
  placeOf(alternative: Schema): number {
    return this.#places.get(alternative) ?? 0;
  }

  /** @param chain the references that led here */
  #normal(schema: unknown, chain: readonly string[]): NormalSchema {
    this.#budget.take(1);
    if (schema === undefined || schema === true) return {};
    if (schema === false) return false;
    if (!isObject(schema)) return { $ref: schema };
    const known = this.#isNormal.has(schema) ? schema : this.#known.get(schema);
    if (known !== undefined) return known;
    const normal = this.#written(schema, chain);
    if (normal !== false) this.#isNormal.add(normal);
    // Inside of a reference to itself a schema is written otherwise.
    if (chain.length === 0) this.#known.set(schema, normal);
    return normal;
  }

  #written(schema: Schema, chain: readonly string[]): NormalSchema {
    const { allOf } = schema;
    const own: Record<string, unknown> = { ...schema };
    delete own.allOf;
    const parts: NormalSchema[] = [];
    const target = this.#target(schema, chain);
    if (target !== undefined) {
      delete own.$ref;
      parts.push(this.#normal(target.schema, [...chain, target.ref]));
    }
    if (Array.isArray(allOf)) for (const part of allOf) parts.push(this.#normal(part, chain));
    // Which of them stay in "allOf" must not depend on their order.
    parts.sort((a, b) => (this.textOf(a) < this.textOf(b) ? -1 : 1));
    let whole = this.#simplified(own, chain);
    if (parts.length === 0 || whole === false) return whole;
    for (const part of parts) {
      if (part === false) return false;
      const joined: NormalSchema = this.#both(whole, part);
      if (joined === false) return false;
      whole = joined;
    }
    return this.#simplified(whole, chain);
  }

  /** What a local reference leads to; undefined if there is no such schema, it is elsewhere, or it led here. */
  #target(schema: Schema, chain: readonly string[]): { schema: unknown; ref: string } | undefined {
    const { $ref: ref } = schema;
    if (typeof ref !== 'string' || chain.includes(ref) || chain.length >= DEEPEST) return undefined;
    this.#budget.take(1, ref.length);
    const found = isObject(this.#root) ? targetBy('$ref', schema, this.#root) : undefined;
    return found === undefined ? undefined : { schema: found, ref };
  }

  /** One level without what allows the same values. */
  #simplified(schema: Schema, chain: readonly string[]): NormalSchema {
    const is: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || isNothing(keyword, value, schema)) continue;
      if (isConstraint(keyword) || annotationKeywords.has(keyword) || keyword === NOTES) is[keyword] = value;
    }
    if (Array.isArray(is.allOf) && is.allOf.length === 0) delete is.allOf;
    const types = typesOf(schema);
    withTypes(is, types);
    const values = valuesOf(schema);
    if (values !== null) {
      const valid = values.filter(
        (value) => types.some((type) => covers(type, typeOf(value))) && isWithin(value, is),
      );
      if (valid.length === 0) return false;
      const type = this.#typeOfAll(valid);
      if (type === null) is.enum = valid;
      delete is.type;
      if (type !== null) is.type = type;
      // Only what a list of values does not say already.
      for (const [keyword] of typeOfKeyword) if (limitsOfValues.has(keyword)) delete is[keyword];
    }
    withNumbers(is, types);
    if (is.not !== undefined) {
      const not = this.#normal(is.not, chain);
      if (not !== false && !hasConstraint(not)) return false;
      if (not === false) delete is.not;
    }
    const chosen = this.#withAlternatives(is, chain);
    if (chosen !== false && (schema.const !== undefined || this.#constants.has(schema)))
      this.#constants.add(chosen);
    return chosen;
  }

  /** The types of which these are all the values; null if there are none. */
  #typeOfAll(values: readonly unknown[]): unknown {
    const texts = new Set(values.map((value) => this.#texts.of(value)));
    for (const [types, all] of finiteTypes) {
      const isAll = all.length === texts.size && all.every((value) => texts.has(this.#texts.of(value)));
      if (isAll) return types.includes(',') ? types.split(',') : types;
    }
    return null;
  }

  /** With `anyOf` joined where it can be, and with `oneOf` as `anyOf` where no value can be valid by two. */
  #withAlternatives(schema: Record<string, unknown>, chain: readonly string[]): NormalSchema {
    let is: NormalSchema = schema;
    for (const keyword of ['anyOf', 'oneOf']) {
      const list: unknown = is[keyword];
      if (!Array.isArray(list)) continue;
      const { [keyword]: _, ...others }: Schema = is;
      const alternatives = this.#alternatives(list, chain, keyword === 'anyOf');
      if (keyword === 'oneOf' && !(others.anyOf === undefined && this.#areExclusive(alternatives))) {
        is = { ...others, oneOf: alternatives };
        continue;
      }
      if (alternatives.some((one) => !hasConstraint(one)) && keyword === 'anyOf') {
        is = others;
        continue;
      }
      const joined = this.#joined(alternatives);
      const [only] = joined;
      if (only === undefined) return false;
      if (joined.length > 1) {
        is = { ...others, anyOf: joined };
        continue;
      }
      const both = this.#both(others, only);
      if (both === false) return false;
      if (this.#constants.has(only)) this.#constants.add(both);
      return this.#simplified(both, chain);
    }
    return is;
  }

  /** The alternatives in their normal forms, those of alternatives among them. */
  #alternatives(list: readonly unknown[], chain: readonly string[], isFlat: boolean): Schema[] {
    const found: Schema[] = [];
    const known = new Set<string>();
    for (const [index, one] of list.entries()) {
      const normal = this.#normal(one, chain);
      if (normal === false) continue;
      const inner = isFlat && isOnlyAlternatives(normal) ? normal.anyOf : null;
      for (const alternative of Array.isArray(inner) ? inner : [normal]) {
        if (!isObject(alternative)) continue;
        const text = this.textOf(alternative);
        // A value that is valid by two equal alternatives is valid by none of a "oneOf".
        if (isFlat && known.has(text)) continue;
        known.add(text);
        this.#places.set(alternative, index);
        found.push(alternative);
      }
    }
    return found;
  }

  /** Joins lists of values, and alternatives for types that no other alternative has. */
  #joined(alternatives: readonly Schema[]): Schema[] {
    if (alternatives.length < 2) return [...alternatives];
    const values = alternatives.filter((one) => hasOnly(one, ['enum']));
    const few =
      values.length > 0
        ? alternatives.filter((one) => finiteTypes.has(String(one.type)) && hasOnly(one, ['type']))
        : [];
    const lists = [...values, ...few];
    const rest = alternatives.filter((one) => !lists.includes(one));
    const joined: Schema[] = [];
    if (lists.length > 0) {
      const all = lists.flatMap((one) => valuesOf(one) ?? finiteTypes.get(String(one.type)) ?? []);
      const unique = new Map(all.map((value) => [this.#texts.of(value), value]));
      joined.push(this.#together({ enum: [...unique.values()] }, lists));
    }
    const typed = rest.filter((one) => one.type !== undefined && !hasUntyped(one));
    const counts = new Map<string, number>();
    for (const one of typed)
      for (const type of typesOf(one)) count(counts, type === 'integer' ? 'number' : type);
    const own = typed.filter((one) =>
      typesOf(one).every((type) => counts.get(type === 'integer' ? 'number' : type) === 1),
    );
    const others = rest.filter((one) => !own.includes(one));
    if (own.length > 0) {
      const all: Record<string, unknown> = {};
      for (const one of own) Object.assign(all, withoutAnnotations(one));
      const types = own.flatMap((one) => typesOf(one));
      withTypes(all, types);
      joined.push(own.length === 1 ? (own[0] ?? {}) : this.#together(all, own));
    }
    return [...joined, ...others];
  }

  /** One schema for several, with what they said about themselves. */
  #together(schema: Schema, alternatives: readonly Schema[]): Schema {
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) return only;
    const notes = alternatives.flatMap((one) => {
      const said = [...annotationKeywords]
        .filter((keyword) => one[keyword] !== undefined)
        .map((keyword) => [keyword, one[keyword]]);
      const inner = isObject(one[NOTES]) ? Object.entries(one[NOTES]) : [];
      const about = this.#texts.of(one.enum ?? one.type);
      return said.length === 0 ? inner : [...inner, [about, this.#texts.of(said)] as const];
    });
    const result = notes.length === 0 ? { ...schema } : { ...schema, [NOTES]: Object.fromEntries(notes) };
    this.#places.set(result, only === undefined ? 0 : this.placeOf(only));
    return result;
  }

  /** Whether no value can be valid by two alternatives: other values, other types, or other values of a required property. */
  #areExclusive(alternatives: readonly Schema[]): boolean {
    if (alternatives.length < 2) return true;
    if (alternatives.length > MAX_EXCLUSIVE) return this.#areOtherValues(alternatives);
    return alternatives.every((one, index) =>
      alternatives.slice(index + 1).every((other) => this.#excludes(one, other)),
    );
  }

  #areOtherValues(alternatives: readonly Schema[]): boolean {
    const known = new Set<string>();
    return alternatives.every((one) =>
      (valuesOf(one) ?? [undefined]).every((value) => {
        const text = this.#texts.of(value);
        const isNew = value !== undefined && !known.has(text);
        known.add(text);
        return isNew;
      }),
    );
  }

  #excludes(one: Schema, other: Schema): boolean {
    const [values, otherValues] = [valuesOf(one), valuesOf(other)];
    if (values !== null && otherValues !== null) return this.#areOtherValues([one, other]);
    const [types, otherTypes] = [one, other].map(
      (schema) => valuesOf(schema)?.map(typeOf) ?? typesOf(schema),
    );
    const isShared = (types ?? []).some((type) =>
      (otherTypes ?? []).some((another) => covers(type, another) || covers(another, type)),
    );
    if (!isShared) return true;
    // Both are objects and nothing else: a required member has other values.
    if (!isObjectOnly(one) || !isObjectOnly(other)) return false;
    const constants = this.constantsOf(one);
    return [...this.constantsOf(other)].some(([name, texts]) => {
      const own = constants.get(name);
      return own !== undefined && texts.every((text) => !own.includes(text));
    });
  }

  /** The texts of the values of required properties that have few, by their names: they tell alternatives apart. */
  constantsOf(schema: Schema): Map<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    const properties = isObject(schema.properties) ? schema.properties : {};
    for (const name of namesOf(schema.required)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isObject(property)) continue;
      const values = property.const !== undefined || Array.isArray(property.enum) ? valuesOf(property) : null;
      if (values !== null)
        found.set(
          name,
          values.map((value) => this.#texts.of(value)),
        );
    }
    return found;
  }

  /** A schema by which a value is valid if it is by both. What cannot be joined stays in `allOf`. */
  #both(one: Schema, other: Schema): NormalSchema {
    const apart = (): Schema => ({
      ...withoutConstraints(other),
      ...one,
      allOf: [...(Array.isArray(one.allOf) ? one.allOf : []), withoutAnnotations(other)],
    });
    if (!hasConstraint(other)) return { ...other, ...one };
    if (!hasConstraint(one)) return { ...other, ...withoutConstraints(one) };
    if (!this.#canJoin(one, other)) return apart();
    const both: Record<string, unknown> = { ...one };
    for (const [keyword, value] of Object.entries(other)) {
      const known = both[keyword];
      if (known === undefined) both[keyword] = value;
      else if (!isConstraint(keyword) || this.#areSame(keyword, known, value)) continue;
      else {
        const joined = this.#joinedKeyword(keyword, known, value);
        if (joined === null) return false;
        if (joined === undefined) return apart();
        both[keyword] = joined;
      }
    }
    return both;
  }

  /** Whether keywords that depend on others of the same schema mean the same in the joined one. */
  #canJoin(one: Schema, other: Schema): boolean {
    const isSame = (keywords: readonly string[]): boolean =>
      keywords.every((keyword) => this.#areSame(keyword, one[keyword], other[keyword]));
    return dependentGroups.every(({ depends, on }) => {
      const has = (schema: Schema, keywords: readonly string[]) =>
        keywords.some((keyword) => schema[keyword] !== undefined);
      const all = [...depends, ...on];
      return (
        isSame(all) || !((has(one, depends) && has(other, all)) || (has(other, depends) && has(one, all)))
      );
    });
  }

  #areSame(keyword: string, one: unknown, other: unknown): boolean {
    if (this.#texts.of(one) === this.#texts.of(other)) return true;
    if (one === undefined || other === undefined) return false;
    return this.#textOfLevel({ [keyword]: one }) === this.#textOfLevel({ [keyword]: other });
  }

  /** Undefined if it cannot be said in one keyword, null if no value is valid. */
  #joinedKeyword(keyword: string, one: unknown, other: unknown): unknown {
    if (keyword === 'type') {
      const types = commonTypes(typesOf({ type: one }), typesOf({ type: other }));
      return types.length === 0 ? null : types;
    }
    if (keyword === 'enum' && Array.isArray(one) && Array.isArray(other)) {
      const texts = new Set(other.map((value) => this.#texts.of(value)));
      const values: unknown[] = one.filter((value) => texts.has(this.#texts.of(value)));
      return values.length === 0 ? null : values;
    }
    if (keyword === 'required') return [...new Set([...namesOf(one), ...namesOf(other)])];
    if (keyword === 'uniqueItems') return true;
    if (typeof one === 'number' && typeof other === 'number') {
      if (lowerLimits.includes(keyword)) return Math.max(one, other);
      if (upperLimits.includes(keyword)) return Math.min(one, other);
      if (keyword === 'multipleOf' && one % other === 0) return one;
      if (keyword === 'multipleOf' && other % one === 0) return other;
    }
    if (keyword === 'allOf' && Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
    if ((keyword === 'properties' || keyword === 'patternProperties') && isObject(one) && isObject(other)) {
      const all = new Map(Object.entries(one));
      for (const [name, schema] of Object.entries(other)) {
        const known = all.get(name);
        all.set(name, known === undefined ? schema : { allOf: [known, schema] });
      }
      return Object.fromEntries(all);
    }
    if (keyword === 'items' && !Array.isArray(one) && !Array.isArray(other)) return { allOf: [one, other] };
    return undefined;
  }
}

/** Keywords whose meaning depends on others beside them. */
const dependentGroups: readonly { readonly depends: readonly string[]; readonly on: readonly string[] }[] = [
  {
    depends: ['additionalProperties', 'unevaluatedProperties'],
    on: ['properties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'],
  },
  {
    depends: ['items', 'additionalItems', 'unevaluatedItems'],
    on: ['prefixItems', 'additionalItems', 'unevaluatedItems'],
  },
  { depends: ['contains', 'minContains', 'maxContains'], on: [] },
  { depends: ['if', 'then', 'else'], on: [] },
];

const isOnlyAlternatives = (schema: Schema): boolean =>
  hasOnly(schema, ['anyOf']) && Object.keys(schema).every((keyword) => !annotationKeywords.has(keyword));

const isObjectOnly = (schema: Schema): boolean => schema.type === 'object';

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
