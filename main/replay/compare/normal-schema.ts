import type { Budget } from '#shared/budget.ts';
import { targetOf } from '#shared/json-schema/references.ts';
import { pointerPath } from '#shared/json/pointer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import type { SortedTexts } from './sorted-texts.ts';

/** The members of a schema. */
export type Members = Readonly<Record<string, unknown>>;

/** A schema in its normal form, as far as its own level goes; `false` if no value is valid. What is inside is as it was written. */
export type NormalSchema = Members | false;

/** Keywords that say nothing about which values are valid. */
export const annotations: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
];
const annotationSet: ReadonlySet<string> = new Set(annotations);

/** What the alternatives that were joined said about themselves: texts by what each of them allows. */
export const NOTES = '#notes';

/** Lower limits, which narrow as they grow, and upper ones. */
export const lowerLimits = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'minContains',
];
export const upperLimits = [
  'maximum',
  'exclusiveMaximum',
  'maxLength',
  'maxItems',
  'maxProperties',
  'maxContains',
];

/** Every type, of which `number` includes integers. */
export const everyType = ['null', 'boolean', 'object', 'array', 'number', 'string'];

/** Keywords that only values of one type can break. */
const typedKeywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'prefixItems',
    'additionalItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};
const typeOfKeyword = new Map(
  Object.entries(typedKeywords).flatMap(([type, keywords]) =>
    keywords.map((keyword) => [keyword, type] as const),
  ),
);

/** Keywords with one schema, with schemas by name, and with lists of them. */
const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const schemaMaps: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const schemaLists: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
/** Lists of other values, in any order. */
const unorderedLists: ReadonlySet<string> = new Set(['enum', 'required', 'type']);

/** Keywords that narrow by themselves, whatever the type. */
const untypedKeywords = ['not', 'if', 'then', 'else', '$ref', '$dynamicRef', '$recursiveRef', 'format'];

const constraintSet: ReadonlySet<string> = new Set([
  ...typeOfKeyword.keys(),
  ...untypedKeywords,
  'type',
  'enum',
  'anyOf',
  'oneOf',
  'allOf',
]);

/** Whether a keyword of a normal form limits values. */
const isConstraint = (keyword: string): boolean => constraintSet.has(keyword);

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

  #textOfLevel(schema: Members): string {
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
  byType(schema: Members): readonly Members[] {
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
  placeOf(alternative: Members): number {
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

  #written(schema: Members, chain: readonly string[]): NormalSchema {
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
  #target(schema: Members, chain: readonly string[]): { schema: unknown; ref: string } | undefined {
    const { $ref: ref } = schema;
    if (typeof ref !== 'string' || chain.includes(ref) || chain.length >= DEEPEST) return undefined;
    this.#budget.take(1, ref.length);
    if (!ref.startsWith('#') || (ref.length > 1 && ref[1] !== '/')) {
      const found = isObject(this.#root) ? targetOf(schema, this.#root) : undefined;
      return found === undefined ? undefined : { schema: found, ref };
    }
    let target: unknown = this.#root;
    for (const step of pointerPath(decoded(ref.slice(1)))) {
      target = isObject(target) || Array.isArray(target) ? Reflect.get(target, step) : undefined;
    }
    return target === undefined ? undefined : { schema: target, ref };
  }

  /** One level without what allows the same values. */
  #simplified(schema: Members, chain: readonly string[]): NormalSchema {
    const is: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined || isNothing(keyword, value, schema)) continue;
      if (isConstraint(keyword) || annotationSet.has(keyword) || keyword === NOTES) is[keyword] = value;
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
      const { [keyword]: _, ...others }: Members = is;
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
  #alternatives(list: readonly unknown[], chain: readonly string[], isFlat: boolean): Members[] {
    const found: Members[] = [];
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
  #joined(alternatives: readonly Members[]): Members[] {
    if (alternatives.length < 2) return [...alternatives];
    const values = alternatives.filter((one) => hasOnly(one, ['enum']));
    const few =
      values.length > 0
        ? alternatives.filter((one) => finiteTypes.has(String(one.type)) && hasOnly(one, ['type']))
        : [];
    const lists = [...values, ...few];
    const rest = alternatives.filter((one) => !lists.includes(one));
    const joined: Members[] = [];
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
  #together(schema: Members, alternatives: readonly Members[]): Members {
    const [only] = alternatives;
    if (only !== undefined && alternatives.length === 1) return only;
    const notes = alternatives.flatMap((one) => {
      const said = annotations
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
  #areExclusive(alternatives: readonly Members[]): boolean {
    if (alternatives.length < 2) return true;
    if (alternatives.length > MAX_EXCLUSIVE) return this.#areOtherValues(alternatives);
    return alternatives.every((one, index) =>
      alternatives.slice(index + 1).every((other) => this.#excludes(one, other)),
    );
  }

  #areOtherValues(alternatives: readonly Members[]): boolean {
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

  #excludes(one: Members, other: Members): boolean {
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
  constantsOf(schema: Members): Map<string, readonly string[]> {
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
  #both(one: Members, other: Members): NormalSchema {
    const apart = (): Members => ({
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
  #canJoin(one: Members, other: Members): boolean {
    const isSame = (keywords: readonly string[]): boolean =>
      keywords.every((keyword) => this.#areSame(keyword, one[keyword], other[keyword]));
    return dependentGroups.every(({ depends, on }) => {
      const has = (schema: Members, keywords: readonly string[]) =>
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

/** Keywords that `isWithin` checks. */
const limitsOfValues: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
]);

/** The values of types that have few. */
const finiteTypes = new Map<string, readonly unknown[]>([
  ['null', [null]],
  ['boolean', [true, false]],
  ['boolean,null', [true, false, null]],
]);

/** The values that the types of a schema have, if they are few; null otherwise. */
export const finiteValues = (types: readonly string[]): readonly unknown[] | null =>
  finiteTypes.get(types.toSorted().join()) ?? null;

/** Whether a value is valid, if a schema has only a type and limits that can be told at once. */
export const fitsLimits = (value: unknown, schema: Members): boolean =>
  Object.keys(schema).every(
    (keyword) => keyword === 'type' || limitsOfValues.has(keyword) || !isConstraint(keyword),
  ) && isWithin(value, schema);

function isWithin(value: unknown, schema: Members): boolean {
  const isMet = (keyword: string, meets: (limit: number) => boolean): boolean => {
    const limit = schema[keyword];
    return typeof limit !== 'number' || meets(limit);
  };
  if (typeof value === 'number')
    return (
      isMet('minimum', (limit) => value >= limit) &&
      isMet('maximum', (limit) => value <= limit) &&
      isMet('exclusiveMinimum', (limit) => value > limit) &&
      isMet('exclusiveMaximum', (limit) => value < limit)
    );
  if (typeof value !== 'string') return true;
  const length = [...value].length;
  return isMet('minLength', (limit) => length >= limit) && isMet('maxLength', (limit) => length <= limit);
}

/** Keywords that allow every value, and values of keywords that do. */
function isNothing(keyword: string, value: unknown, schema: Members): boolean {
  switch (keyword) {
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return value === 0;
    case 'uniqueItems':
    case 'deprecated':
    case 'readOnly':
    case 'writeOnly':
    case 'not':
      return value === false;
    case 'pattern':
      return value === '' || value === '.*' || value === '^.*';
    case 'required':
    case 'prefixItems':
    case 'examples':
      return Array.isArray(value) && value.length === 0;
    case 'properties':
    case 'patternProperties':
    case 'dependentSchemas':
    case 'dependencies':
      return isObject(value) && Object.keys(value).length === 0;
    case 'dependentRequired':
      return (
        isObject(value) && Object.values(value).every((names) => Array.isArray(names) && names.length === 0)
      );
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
      return isEmpty(value);
    case 'items':
      return (
        isEmpty(value) || (Array.isArray(value) && value.length === 0 && schema.additionalItems === undefined)
      );
    case 'additionalItems':
      return isEmpty(value) || !Array.isArray(schema.items);
    case 'propertyNames':
      return (
        isEmpty(value) ||
        (isObject(value) &&
          value.type === 'string' &&
          !Object.keys(value).some((one) => one !== 'type' && isConstraint(one)))
      );
    case 'contains':
      return schema.minContains === 0 && schema.maxContains === undefined;
    case 'minContains':
      return (
        value === 1 || schema.contains === undefined || (value === 0 && schema.maxContains === undefined)
      );
    case 'maxContains':
      return schema.contains === undefined;
    case 'if':
      return schema.then === undefined && schema.else === undefined;
    case 'then':
    case 'else':
      return schema.if === undefined || isEmpty(value);
    case 'const':
    case 'nullable':
    case 'type':
    case 'enum':
      return true;
    default:
      return false;
  }
}

/** Leaves out what values of these types cannot break, and writes the types in one way. */
function withTypes(schema: Record<string, unknown>, types: readonly string[]): void {
  const known = new Set(types);
  if (known.has('number')) known.delete('integer');
  delete schema.type;
  if (everyType.every((type) => known.has(type))) return;
  const list = [...known].sort();
  schema.type = list.length === 1 ? list[0] : list;
  for (const keyword of Object.keys(schema)) {
    const type = typeOfKeyword.get(keyword);
    if (type === undefined || known.has(type) || (type === 'number' && known.has('integer'))) continue;
    delete schema[keyword];
  }
}

/** Of integers, limits that exclude one are limits that include the next; those of every integer in JSON are none. */
function withNumbers(schema: Record<string, unknown>, types: readonly string[]): void {
  const isInteger = types.includes('integer') && !types.includes('number');
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (isInteger) {
    if (typeof exclusiveMinimum === 'number') {
      schema.minimum = Math.max(
        Math.floor(exclusiveMinimum) + 1,
        numberOr(minimum, Number.NEGATIVE_INFINITY),
      );
      delete schema.exclusiveMinimum;
    } else if (typeof minimum === 'number') schema.minimum = Math.ceil(minimum);
    if (typeof exclusiveMaximum === 'number') {
      schema.maximum = Math.min(Math.ceil(exclusiveMaximum) - 1, numberOr(maximum, Number.POSITIVE_INFINITY));
      delete schema.exclusiveMaximum;
    } else if (typeof maximum === 'number') schema.maximum = Math.floor(maximum);
    if (typeof schema.minimum === 'number' && schema.minimum <= Number.MIN_SAFE_INTEGER)
      delete schema.minimum;
    if (typeof schema.maximum === 'number' && schema.maximum >= Number.MAX_SAFE_INTEGER)
      delete schema.maximum;
    if (schema.multipleOf === 1) delete schema.multipleOf;
    return;
  }
  // The stricter of the two is the limit.
  if (typeof minimum === 'number' && typeof exclusiveMinimum === 'number')
    delete schema[minimum > exclusiveMinimum ? 'exclusiveMinimum' : 'minimum'];
  if (typeof maximum === 'number' && typeof exclusiveMaximum === 'number')
    delete schema[maximum < exclusiveMaximum ? 'exclusiveMaximum' : 'maximum'];
}

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

export const namesOf = (names: unknown): readonly string[] =>
  Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];

/** Whether a schema as it is written allows every value, apart from what describes it. */
const isEmpty = (schema: unknown): boolean =>
  schema === true ||
  (isObject(schema) &&
    !Object.keys(schema).some(
      (keyword) => isConstraint(keyword) || keyword === 'const' || keyword === 'nullable',
    ));

export const hasConstraint = (schema: Members): boolean => Object.keys(schema).some(isConstraint);

export const hasOnly = (schema: Members, keywords: readonly string[]): boolean =>
  keywords.every((keyword) => schema[keyword] !== undefined) &&
  Object.keys(schema).every((keyword) => keywords.includes(keyword) || !isConstraint(keyword));

const isOnlyAlternatives = (schema: Members): boolean =>
  hasOnly(schema, ['anyOf']) && annotations.every((keyword) => schema[keyword] === undefined);

/** Whether a schema has keywords that are not only about one type. */
const hasUntyped = (schema: Members): boolean =>
  Object.keys(schema).some(
    (keyword) =>
      isConstraint(keyword) &&
      keyword !== 'type' &&
      !typeOfKeyword.has(keyword) &&
      !(keyword === 'format' && schema.type === 'string'),
  );

const isObjectOnly = (schema: Members): boolean => schema.type === 'object';

const withoutAnnotations = (schema: Members): Members =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => isConstraint(keyword)));

const withoutConstraints = (schema: Members): Members =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !isConstraint(keyword)));

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The types that are valid, with what `nullable` of OpenAPI adds. */
export function typesOf(schema: Members): readonly string[] {
  const given = Array.isArray(schema.type) ? schema.type.map(String) : [schema.type];
  const types = given.filter((type) => typeof type === 'string');
  if (types.length === 0) return everyType;
  return schema.nullable === true && !types.includes('null') ? [...types, 'null'] : types;
}

/** Whether every value of the other type is of this one. */
export const covers = (type: string, other: string): boolean =>
  type === other || (type === 'number' && other === 'integer');

const commonTypes = (one: readonly string[], other: readonly string[]): string[] => [
  ...new Set([
    ...one.filter((type) => other.some((another) => covers(another, type))),
    ...other.filter((type) => one.some((another) => covers(another, type))),
  ]),
];

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** The values of `enum` or `const`; null if any value of the types is valid. */
export function valuesOf(schema: Members): readonly unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A "%" that begins no escape.
    return fragment;
  }
}
