import { type Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import { annotationKeywords, type Schema } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';
import { alignAlternatives, type Alignment } from './align-alternatives.ts';
import { type NormalSchema, NormalSchemas, NOTES } from './normal-schema.ts';
import {
  covers,
  finiteValues,
  hasConstraint,
  hasOnly,
  lowerLimits,
  namesOf,
  typeOf,
  typesOf,
  upperLimits,
  valuesOf,
  withoutAnnotations,
} from './schema-keywords.ts';
import { fitsLimits } from './simplify-level.ts';
import { SortedTexts } from './sorted-texts.ts';

/**
 * What changed at one place of a schema. `narrowed`: fewer values are valid. `widened`: more are. `undecided`: it changed, and
 * which of them it is cannot be told.
 */
export interface SchemaChange {
  readonly kind: 'narrowed' | 'widened' | 'undecided' | 'described';
  /** The keyword that changed, `property` for a property that came or went, or `required` for one of its names. */
  readonly keyword: string;
  readonly path: readonly (string | number)[];
  /** The name of the property; null for other keywords. */
  readonly property: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

type Path = readonly (string | number)[];

/** Keywords that narrow when they come, widen when they go, and cannot be decided when they change. */
const opaqueKeywords = [
  'pattern',
  'format',
  'if',
  'dependencies',
  'contentEncoding',
  'contentMediaType',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
];

/** Keywords with one schema that narrow as it does. */
const narrowingKeywords = ['propertyNames', 'contains', 'then', 'else'];
/** Keywords with schemas by name, each of which narrows. */
const narrowingMaps = ['patternProperties', 'dependentSchemas'];

/** Lower limits, upper ones, and which of two is the stricter: those of numbers have two keywords. */
const numberLimits = [
  { including: 'minimum', excluding: 'exclusiveMinimum', sign: 1 },
  { including: 'maximum', excluding: 'exclusiveMaximum', sign: -1 },
] as const;
const numberKeywords: ReadonlySet<string> = new Set(
  numberLimits.flatMap(({ including, excluding }) => [including, excluding]),
);

/** Levels of nested schemas that are compared; below that a change cannot be decided. */
const DEEPEST = 32;

/** Changes that are listed of two schemas that take more than the budget. */
const MAX_LISTED = 100;

/** Alternatives that only one side has, times those of the other side, up to which it is checked whether one includes another. */
const MAX_INCLUSIONS = 64;

/** The changes of two schemas, and why they are not all; null if they are. */
export interface SchemaComparison {
  readonly changes: readonly SchemaChange[];
  readonly unfinished: OverBudget | null;
}

/**
 * Every change between two JSON Schemas (draft-07 and 2020-12), which must not be nested deeper than the stack. Schemas that allow
 * the same values are equal in most ways in which they can be written. Local references are followed, remote ones never. References
 * that fork can stand for any number of schemas: the comparison ends with its budget.
 */
export function schemaChanges(before: unknown, after: unknown, budget: Budget): SchemaComparison {
  const walk = new SchemaWalk(before, after, budget);
  const outcome = withinBudget(() => walk.run());
  return outcome instanceof OverBudget
    ? { changes: walk.changes.slice(0, MAX_LISTED), unfinished: outcome }
    : { changes: walk.changes, unfinished: null };
}

class SchemaWalk {
  readonly changes: SchemaChange[] = [];
  /** Where changes are listed now: those inside of a schema may have another meaning outside. */
  #listed = this.changes;
  readonly #roots: readonly [unknown, unknown];
  readonly #budget: Budget;
  readonly #texts: SortedTexts;
  readonly #old: NormalSchemas;
  readonly #now: NormalSchemas;
  /** Pairs with references that are being compared, against recursive schemas, or between which nothing changed. */
  readonly #entered = new Set<string>();

  constructor(before: unknown, after: unknown, budget: Budget) {
    this.#roots = [before, after];
    this.#budget = budget;
    this.#texts = new SortedTexts(budget);
    this.#old = new NormalSchemas(before, budget, this.#texts);
    this.#now = new NormalSchemas(after, budget, this.#texts);
  }

  run(): void {
    const [before, after] = this.#roots;
    // References lead nowhere but to the schemas themselves.
    if (!this.#isSame(before, after)) this.#compare(before, after, []);
  }

  #compare(before: unknown, after: unknown, path: Path): void {
    this.#budget.take(1);
    this.#once(before, after, () => this.#compareNormal(this.#old.of(before), this.#now.of(after), path));
  }

  /** Compares a pair with references, unless it is being compared, or nothing changed before. */
  #once(before: unknown, after: unknown, compare: () => void): void {
    const texts = [this.#texts.of(before), this.#texts.of(after)];
    if (!texts.some(hasReferenceIn)) {
      if (texts[0] !== texts[1]) compare();
      return;
    }
    const pair = JSON.stringify(texts);
    this.#budget.take(1, pair.length);
    if (this.#entered.has(pair)) return;
    this.#entered.add(pair);
    const known = this.#listed.length;
    compare();
    // A change is listed at each place that refers to it.
    if (this.#listed.length > known) this.#entered.delete(pair);
  }

  #compareNormal(before: NormalSchema, after: NormalSchema, path: Path): void {
    const [old, now] = before && after ? this.#turned(before, after) : [before, after];
    if (old === false || now === false) {
      if (old !== now) this.#add(now === false ? 'narrowed' : 'widened', 'schema', path, old, now);
      return;
    }
    const isSame = this.#old.textOf(old) === this.#now.textOf(now);
    if (isSame && !hasReferenceIn(this.#texts.of(old))) return;
    if (path.length > DEEPEST) {
      // What references lead to from here on may differ, although they have the same names.
      this.#add('undecided', 'schema', path, old, now);
      return;
    }
    for (const keyword of annotationKeywords) {
      if (!this.#isSame(old[keyword], now[keyword]))
        this.#add('described', keyword, path, old[keyword], now[keyword]);
    }
    this.#notes(old, now, path);
    if (this.#oneOfSeveral(old, now, path)) return;
    if (this.#values(old, now, path)) return;
    this.#limits(old, now, path);
    for (const keyword of opaqueKeywords) this.#opaque(keyword, old, now, path);
    this.#inner(old, now, path);
    this.#alternatives(old, now, path);
    this.#allOf(old, now, path);
    this.#properties(old, now, path);
    this.#items(old, now, path);
  }

  /** With the same one of several values of a keyword beside `allOf`, the others being in it. */
  #turned(old: Schema, now: Schema): readonly [Schema, Schema] {
    const turned = (one: Schema, other: Schema): Schema => {
      if (!Array.isArray(one.allOf)) return one;
      const is: Record<string, unknown> = { ...one };
      const parts: unknown[] = [...one.allOf];
      for (const keyword of [...opaqueKeywords, 'multipleOf', 'not']) {
        if (is[keyword] === undefined || other[keyword] === undefined) continue;
        if (this.#isSame(is[keyword], other[keyword])) continue;
        const wanted = this.#texts.of({ [keyword]: other[keyword] });
        const index = parts.findIndex((part) => this.#texts.of(part) === wanted);
        if (index === -1) continue;
        parts[index] = { [keyword]: is[keyword] };
        is[keyword] = other[keyword];
      }
      return { ...is, allOf: parts };
    };
    const is = turned(now, old);
    return [turned(old, is), is];
  }

  /** What joined alternatives say about themselves. Titles of single values may be left out: a list of values has none. */
  #notes(old: Schema, now: Schema, path: Path): void {
    const [was, is] = [objectOf(old[NOTES]), objectOf(now[NOTES])];
    if (this.#isSame(old[NOTES], now[NOTES])) return;
    const isOfValues = old.enum !== undefined && now.enum !== undefined;
    if (isOfValues && (old[NOTES] === undefined || now[NOTES] === undefined)) return;
    this.#add('described', 'description', path, Object.values(was), Object.values(is));
  }

  /** Whether one side has alternatives and nothing else, and the other is one of them. */
  #oneOfSeveral(old: Schema, now: Schema, path: Path): boolean {
    const [was, is] = [old, now].map((schema) => (hasOnly(schema, ['anyOf']) ? listOf(schema.anyOf) : null));
    if ((was === null) === (is === null) || !hasConstraint(old) || !hasConstraint(now)) return false;
    if (old.anyOf !== undefined && now.anyOf !== undefined) return false;
    if (old.oneOf !== undefined || now.oneOf !== undefined) return false;
    this.#aligned(was ?? [withoutAnnotations(old)], is ?? [withoutAnnotations(now)], 'anyOf', path);
    return true;
  }

  /** Types and lists of values. Returns true if they say all: a list of values of which all are valid. */
  #values(old: Schema, now: Schema, path: Path): boolean {
    const [types, nowTypes] = [typesOf(old), typesOf(now)];
    const [given, nowGiven] = [valuesOf(old), valuesOf(now)];
    if (given === null && nowGiven === null) {
      this.#types(old, now, path);
      return false;
    }
    const was = given ?? (hasOnly(old, ['type']) ? finiteValues(types) : null);
    const is = nowGiven ?? (hasOnly(now, ['type']) ? finiteValues(nowTypes) : null);
    const keyword = this.#old.isConstant(old) || this.#now.isConstant(now) ? 'const' : 'enum';
    if (was === null) {
      this.#add('narrowed', keyword, path, undefined, is);
      if (is?.some((value) => !hasType(types, value)) === true)
        this.#add('widened', 'type', path, old.type, is);
      return false;
    }
    if (is === null) {
      this.#add('widened', keyword, path, was, undefined);
      if (was.every((value) => hasType(nowTypes, value) && fitsLimits(value, now)))
        return hasOnly(old, ['enum']);
      if (was.some((value) => !hasType(nowTypes, value))) this.#add('narrowed', 'type', path, was, now.type);
      return false;
    }
    const { gone, come } = this.#setChanges(was, is);
    if (gone) this.#add('narrowed', keyword, path, was, is);
    if (come) this.#add('widened', keyword, path, was, is);
    return false;
  }

  #types(old: Schema, now: Schema, path: Path): void {
    const [was, is] = [typesOf(old), typesOf(now)];
    // Another type does both: it rejects values that were valid, and allows values that were not.
    if (was.some((type) => !is.some((one) => covers(one, type))))
      this.#add('narrowed', 'type', path, old.type, now.type);
    if (is.some((type) => !was.some((one) => covers(one, type))))
      this.#add('widened', 'type', path, old.type, now.type);
  }

  #limits(old: Schema, now: Schema, path: Path): void {
    for (const { including, excluding, sign } of numberLimits) {
      const keywords = [including, excluding];
      if (keywords.some((keyword) => [old, now].some((one) => typeof one[keyword] === 'boolean'))) {
        for (const keyword of keywords) this.#limit(keyword, sign, old, now, path);
        continue;
      }
      const keyword = keywords.find((one) => now[one] !== undefined) ?? including;
      const before = keywords.find((one) => old[one] !== undefined) ?? including;
      if (keyword === before || now[keyword] === undefined || old[before] === undefined) {
        for (const one of new Set([keyword, before])) this.#limit(one, sign, old, now, path);
        continue;
      }
      const [was, is] = [Number(old[before]), Number(now[keyword])];
      const isStricter = was === is ? keyword === excluding : (is - was) * sign > 0;
      this.#add(isStricter ? 'narrowed' : 'widened', keyword, path, was, is);
    }
    for (const [keywords, sign] of [
      [lowerLimits, 1],
      [upperLimits, -1],
    ] as const) {
      for (const keyword of keywords)
        if (!numberKeywords.has(keyword)) this.#limit(keyword, sign, old, now, path);
    }
    if (old.uniqueItems !== now.uniqueItems) {
      const kind = now.uniqueItems === true ? 'narrowed' : 'widened';
      this.#add(kind, 'uniqueItems', path, old.uniqueItems, now.uniqueItems);
    }
    const [was, is] = [old.multipleOf, now.multipleOf];
    if (typeof was === 'number' && typeof is === 'number' && was !== is) {
      const kind = is % was === 0 ? 'narrowed' : was % is === 0 ? 'widened' : 'undecided';
      this.#add(kind, 'multipleOf', path, was, is);
    } else this.#opaque('multipleOf', old, now, path);
  }

  #limit(keyword: string, sign: number, old: Schema, now: Schema, path: Path): void {
    const [was, is] = [old[keyword], now[keyword]];
    if (typeof was !== 'number' || typeof is !== 'number') this.#opaque(keyword, old, now, path);
    else if (was !== is) this.#add((is - was) * sign > 0 ? 'narrowed' : 'widened', keyword, path, was, is);
  }

  #opaque(keyword: string, old: Schema, now: Schema, path: Path): void {
    const [was, is] = [old[keyword], now[keyword]];
    if (this.#isSame(was, is) && !hasReferenceIn(this.#texts.of(was))) return;
    if (was === undefined && is === undefined) return;
    if (was === undefined) this.#add('narrowed', keyword, path, was, is);
    else if (is === undefined) this.#add('widened', keyword, path, was, is);
    else if (!this.#isSame(was, is)) this.#add('undecided', keyword, path, was, is);
    else {
      const inside = this.#inside(() => this.#compare(was, is, [...path, keyword]));
      if (!areDescriptions(inside)) this.#add('undecided', keyword, path, was, is);
    }
  }

  /** Keywords with schemas inside. */
  #inner(old: Schema, now: Schema, path: Path): void {
    for (const keyword of narrowingKeywords) {
      const [was, is] = [old[keyword], now[keyword]];
      const isCounted = keyword === 'contains' && [old, now].some((one) => one.maxContains !== undefined);
      const isConditional = keyword === 'then' || keyword === 'else';
      if (was === undefined && is === undefined) continue;
      // More elements that match may be too many, and a missing branch allows everything.
      if (isCounted) this.#opaque(keyword, old, now, path);
      else if (isConditional && !this.#isSame(old.if, now.if)) continue;
      else if (isConditional || (was !== undefined && is !== undefined))
        this.#compare(was, is, [...path, keyword]);
      else this.#opaque(keyword, old, now, path);
    }
    for (const keyword of narrowingMaps) {
      const [was, is] = [objectOf(old[keyword]), objectOf(now[keyword])];
      const names = new Set([...Object.keys(was), ...Object.keys(is)]);
      this.#budget.take(names.size);
      if (old[keyword] === undefined || now[keyword] === undefined) this.#opaque(keyword, old, now, path);
      else for (const name of names) this.#compare(was[name], is[name], [...path, keyword, name]);
    }
    const [was, is] = [objectOf(old.dependentRequired), objectOf(now.dependentRequired)];
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    const lists = names.map((name) => this.#setChanges(namesOf(was[name]), namesOf(is[name])));
    const about = ['dependentRequired', path, old.dependentRequired, now.dependentRequired] as const;
    if (lists.some(({ come }) => come)) this.#add('narrowed', ...about);
    if (lists.some(({ gone }) => gone)) this.#add('widened', ...about);
    if (old.not === undefined || now.not === undefined) this.#opaque('not', old, now, path);
    else {
      const inside = this.#inside(() => this.#compare(old.not, now.not, [...path, 'not']));
      if (!areDescriptions(inside)) this.#add('undecided', 'not', path, old.not, now.not);
      else this.#listed.push(...inside);
    }
  }

  /** `anyOf` and `oneOf`: each alternative is compared with the one that it became. */
  #alternatives(old: Schema, now: Schema, path: Path): void {
    const [anyOld, anyNow, oneOld, oneNow] = [old.anyOf, now.anyOf, old.oneOf, now.oneOf].map(listOf);
    if (anyOld != null && anyNow != null) this.#aligned(anyOld, anyNow, 'anyOf', path);
    if (oneOld != null && oneNow != null) {
      const inside = this.#inside(() => this.#aligned(oneOld, oneNow, 'oneOf', path));
      // What one alternative no longer allows may become valid, because another allows it too.
      if (!areDescriptions(inside)) this.#add('undecided', 'oneOf', path, old.oneOf, now.oneOf);
      else this.#listed.push(...inside);
    }
    if (oneOld != null && anyNow != null && anyOld == null && oneNow == null) {
      this.#add('widened', 'oneOf', path, old.oneOf, now.anyOf);
      this.#aligned(oneOld, anyNow, 'anyOf', path);
    } else if (anyOld != null && oneNow != null && anyNow == null && oneOld == null) {
      this.#add('narrowed', 'oneOf', path, old.anyOf, now.oneOf);
      this.#aligned(anyOld, oneNow, 'oneOf', path);
    } else {
      if ((anyOld == null) !== (anyNow == null)) this.#opaque('anyOf', old, now, path);
      if ((oneOld == null) !== (oneNow == null)) this.#opaque('oneOf', old, now, path);
    }
  }

  /** Compares alternatives in their normal form, each with the one that it became. */
  #aligned(was: readonly Schema[], is: readonly Schema[], keyword: string, path: Path): void {
    this.#budget.take(was.length + is.length);
    const [old, now] =
      keyword === 'anyOf'
        ? [was.flatMap((one) => this.#old.byType(one)), is.flatMap((one) => this.#now.byType(one))]
        : [was, is];
    const { pairs, gone, come } = this.#align(old, now);
    for (const [one, other] of pairs) {
      const inner = [...path, keyword, this.#now.placeOf(other)];
      this.#once(one, other, () => this.#compareNormal(one, other, inner));
    }
    if (gone.some((one) => !this.#isIncluded(one, now, gone.length, 'after')))
      this.#add('narrowed', keyword, path, was, is);
    if (come.some((one) => !this.#isIncluded(one, old, come.length, 'before')))
      this.#add('widened', keyword, path, was, is);
  }

  #align(was: readonly Schema[], is: readonly Schema[]): Alignment {
    return alignAlternatives(was, is, {
      textOf: [(one) => this.#old.textOf(one), (one) => this.#now.textOf(one)],
      constantsOf: (one) => this.#old.constantsOf(one),
      budget: this.#budget,
    });
  }

  /** Whether one of the alternatives of the other side allows all that this one does. */
  #isIncluded(one: Schema, others: readonly Schema[], count: number, side: 'before' | 'after'): boolean {
    if (others.length * count > MAX_INCLUSIONS) return false;
    return others.some((other) => {
      const inside = this.#inside(() =>
        side === 'after' ? this.#compareNormal(one, other, []) : this.#compareNormal(other, one, []),
      );
      const unwanted = side === 'after' ? 'narrowed' : 'widened';
      return !inside.some(
        ({ kind, keyword }) => kind === unwanted || kind === 'undecided' || keyword.startsWith('property-'),
      );
    });
  }

  /** `allOf`, as far as it could not be written in one schema: each part narrows. */
  #allOf(old: Schema, now: Schema, path: Path): void {
    const [was, is] = [listOf(old.allOf) ?? [], listOf(now.allOf) ?? []];
    if (was.length === 0 && is.length === 0) return;
    const { pairs, gone, come } = this.#align(was, is);
    for (const [one, other] of pairs) this.#compare(one, other, [...path, 'allOf', is.indexOf(other)]);
    if (gone.length > 0) this.#add('widened', 'allOf', path, was, is);
    if (come.length > 0) this.#add('narrowed', 'allOf', path, was, is);
  }

  #properties(old: Schema, now: Schema, path: Path): void {
    const [was, is] = [objectOf(old.properties), objectOf(now.properties)];
    const [required, nowRequired] = [new Set(namesOf(old.required)), new Set(namesOf(now.required))];
    this.#budget.take(Object.keys(was).length + Object.keys(is).length + required.size + nowRequired.size);
    for (const [name, schema] of Object.entries(was)) {
      const inner = [...path, 'properties', name];
      if (Object.hasOwn(is, name)) this.#compare(schema, is[name], inner);
      else this.#property('removed', name, required.has(name), schema, inner);
    }
    for (const [name, schema] of Object.entries(is)) {
      if (!Object.hasOwn(was, name)) {
        this.#property('added', name, nowRequired.has(name), schema, [...path, 'properties', name]);
      }
    }
    for (const name of new Set([...required, ...nowRequired])) {
      if (required.has(name) === nowRequired.has(name)) continue;
      // A required property that came or went is one change, reported above.
      if (Object.hasOwn(was, name) !== Object.hasOwn(is, name)) continue;
      const kind = nowRequired.has(name) ? 'narrowed' : 'widened';
      this.#list({
        kind,
        keyword: 'required',
        path: [...path, 'required'],
        property: name,
        before: required.has(name),
        after: nowRequired.has(name),
      });
    }
    this.#rest('additionalProperties', old.additionalProperties, now.additionalProperties, path);
    this.#rest('unevaluatedProperties', old.unevaluatedProperties, now.unevaluatedProperties, path);
  }

  #property(
    change: 'removed' | 'added',
    name: string,
    isRequired: boolean,
    schema: unknown,
    path: Path,
  ): void {
    const isRemoved = change === 'removed';
    this.#list({
      kind: isRequired === isRemoved ? 'widened' : 'narrowed',
      keyword: isRemoved ? 'property-removed' : isRequired ? 'property-required' : 'property-added',
      path,
      property: name,
      before: isRemoved ? schema : undefined,
      after: isRemoved ? undefined : schema,
    });
  }

  #items(old: Schema, now: Schema, path: Path): void {
    const [was, is] = [tupleOf(old), tupleOf(now)];
    const longest = Math.max(was.items.length, is.items.length);
    this.#budget.take(longest);
    for (let index = 0; index < longest; index++) {
      const [one, other] = [was, is].map(({ items, rest }) => (index < items.length ? items[index] : rest));
      this.#compare(one, other, [...path, is.items.length === 0 ? was.keyword : is.keyword, index]);
    }
    this.#rest('items', was.rest, is.rest, path);
    this.#rest('unevaluatedItems', old.unevaluatedItems, now.unevaluatedItems, path);
  }

  /** A schema for what is not named, which is `true` if it is missing. */
  #rest(keyword: string, was: unknown, is: unknown, path: Path): void {
    const [old, now] = [was ?? true, is ?? true];
    if (this.#isSame(old, now) && !hasReferenceIn(this.#texts.of(old))) return;
    const [one, other] = [this.#old.of(old), this.#now.of(now)];
    if (one === false && other === false) return;
    if (other === false) this.#add('narrowed', keyword, path, was, is);
    else if (one === false) this.#add('widened', keyword, path, was, is);
    else if (hasConstraint(one) && hasConstraint(other)) this.#compare(old, now, [...path, keyword]);
    else if (hasConstraint(other)) this.#add('narrowed', keyword, path, was, is);
    else if (hasConstraint(one)) this.#add('widened', keyword, path, was, is);
    else this.#compare(old, now, [...path, keyword]);
  }

  /** The changes that a comparison finds, which are not listed. */
  #inside(compare: () => void): SchemaChange[] {
    const outside = this.#listed;
    const inside: SchemaChange[] = [];
    this.#listed = inside;
    try {
      compare();
    } finally {
      this.#listed = outside;
    }
    return inside;
  }

  #add(kind: SchemaChange['kind'], keyword: string, path: Path, before: unknown, after: unknown): void {
    this.#list({ kind, keyword, path: [...path, keyword], property: null, before, after });
  }

  /** A change is shown with both values, so it takes as much as writing them. */
  #list(change: SchemaChange): void {
    this.#budget.take(1, this.#texts.of(change.before).length + this.#texts.of(change.after).length);
    this.#listed.push(change);
  }

  #isSame(one: unknown, other: unknown): boolean {
    return this.#texts.of(one) === this.#texts.of(other);
  }

  /** Whether values of the one list are missing in the other. */
  #setChanges(was: readonly unknown[], is: readonly unknown[]): { gone: boolean; come: boolean } {
    const [old, now] = [was, is].map((list) => new Set(list.map((one) => this.#texts.of(one))));
    return {
      gone: [...(old ?? [])].some((text) => now?.has(text) !== true),
      come: [...(now ?? [])].some((text) => old?.has(text) !== true),
    };
  }
}

const areDescriptions = (changes: readonly SchemaChange[]): boolean =>
  changes.every(({ kind }) => kind === 'described');

const objectOf = (schema: unknown): Schema => (isObject(schema) ? schema : {});

const listOf = (alternatives: unknown): readonly Schema[] | null =>
  Array.isArray(alternatives) ? alternatives.filter(isObject) : null;

const hasReferenceIn = (text: string): boolean => text.includes('"$ref"');

const hasType = (types: readonly string[], value: unknown): boolean =>
  types.some((type) => covers(type, typeOf(value)));

/** The schemas of the first elements, and the one of all others (`prefixItems` and `items`, in draft-07 one keyword). */
function tupleOf(schema: Schema): { keyword: string; items: readonly unknown[]; rest: unknown } {
  if (Array.isArray(schema.items)) {
    return { keyword: 'items', items: schema.items, rest: schema.additionalItems };
  }
  const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return { keyword: 'prefixItems', items, rest: schema.items };
}
