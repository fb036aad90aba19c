import { type Budget, OverBudget, withinBudget } from '#shared/budget.ts';
import { pointerPath } from '#shared/json/pointer.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

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

type Schema = Readonly<Record<string, unknown>> | boolean;
type Path = readonly (string | number)[];

/** Keywords that say nothing about which values are valid. */
const descriptions = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'];

/** Lower limits, which narrow as they grow, and upper ones. */
const lowerLimits = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const upperLimits = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];

/** Keywords that narrow when they come, widen when they go, and cannot be decided when they change. */
const constraints = [
  'pattern',
  'format',
  'multipleOf',
  'not',
  'oneOf',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentEncoding',
  'contentMediaType',
  '$dynamicRef',
  '$recursiveRef',
];

/** Levels of nested schemas that are compared; below that a change cannot be decided. */
const DEEPEST = 32;

/** Changes that are listed of two schemas that take more than the budget. */
const MAX_LISTED = 100;

/** The changes of two schemas, and why they are not all; null if they are. */
export interface SchemaComparison {
  readonly changes: readonly SchemaChange[];
  readonly unfinished: OverBudget | null;
}

/**
 * Every change between two JSON Schemas (draft-07 and 2020-12), which must not be nested deeper than the stack. Local references
 * are followed, remote ones never. References that fork can stand for any number of schemas: the comparison ends with its budget.
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
  readonly #roots: readonly [unknown, unknown];
  readonly #budget: Budget;
  readonly #texts: SortedTexts;
  /** Pairs of references that are being compared, against recursive schemas, or between which nothing changed. */
  readonly #entered = new Set<string>();

  constructor(before: unknown, after: unknown, budget: Budget) {
    this.#roots = [before, after];
    this.#budget = budget;
    this.#texts = new SortedTexts(budget);
  }

  run(): void {
    const [before, after] = this.#roots;
    // References lead nowhere but to the schemas themselves.
    if (!this.#isSame(before, after)) this.compare(before, after, []);
  }

  compare(before: unknown, after: unknown, path: Path): void {
    this.#budget.take(1);
    const refs = this.#refs(before, after);
    if (refs !== null && this.#entered.has(refs)) return;
    if (refs !== null) this.#entered.add(refs);
    const known = this.changes.length;
    const old = this.#resolved(before, 0);
    const now = this.#resolved(after, 1);
    if (old === null || now === null) {
      if (!this.#isSame(before, after)) this.#add('undecided', '$ref', path, before, after);
    } else if (path.length > DEEPEST) {
      // What references lead to from here on may differ, although they have the same names.
      if (!this.#isSame(old, now) || this.#texts.of(old).includes('"$ref"'))
        this.#add('undecided', 'schema', path, old, now);
    } else this.#compareResolved(old, now, path);
    // A change is listed at each place that refers to it.
    if (refs !== null && this.changes.length > known) this.#entered.delete(refs);
  }

  /** What names a pair of which one side is a reference; null if none is. */
  #refs(before: unknown, after: unknown): string | null {
    const [old, now] = [refOf(before), refOf(after)];
    if (old === '' && now === '') return null;
    const texts = [old || this.#texts.of(before), now || this.#texts.of(after)];
    this.#budget.take(1, texts.join().length);
    return JSON.stringify(texts);
  }

  #compareResolved(before: Schema, after: Schema, path: Path): void {
    const [old, now] = [objectOf(before), objectOf(after)];
    if (before === false || after === false) {
      if (before !== after)
        this.#add(after === false ? 'narrowed' : 'widened', 'schema', path, before, after);
      return;
    }
    for (const keyword of descriptions) {
      if (!this.#isSame(old[keyword], now[keyword])) {
        this.#add('described', keyword, path, old[keyword], now[keyword]);
      }
    }
    this.#types(old, now, path);
    this.#values(old, now, path);
    this.#limits(old, now, path);
    for (const keyword of constraints) this.#constraint(keyword, old, now, path);
    this.#alternatives(old, now, path);
    this.#allOf(old, now, path);
    this.#properties(old, now, path);
    this.#items(old, now, path);
  }

  #types(old: Members, now: Members, path: Path): void {
    const [was, is] = [typesOf(old), typesOf(now)];
    const isNarrowed = [...was].some((type) => !covers(is, type));
    const isWidened = [...is].some((type) => !covers(was, type));
    if (!isNarrowed && !isWidened) return;
    // Another type does both: it rejects values that were valid, and allows values that were not.
    if (isNarrowed) this.#add('narrowed', 'type', path, old.type, now.type);
    if (isWidened) this.#add('widened', 'type', path, old.type, now.type);
  }

  #values(old: Members, now: Members, path: Path): void {
    const [was, is] = [valuesOf(old), valuesOf(now)];
    const keyword = old.const === undefined && now.const === undefined ? 'enum' : 'const';
    if (was === null && is === null) return;
    if (was === null) this.#add('narrowed', keyword, path, undefined, is);
    else if (is === null) this.#add('widened', keyword, path, was, undefined);
    else {
      const { gone, come } = this.#setChanges(was, is);
      if (gone) this.#add('narrowed', keyword, path, was, is);
      if (come) this.#add('widened', keyword, path, was, is);
    }
  }

  #limits(old: Members, now: Members, path: Path): void {
    for (const [keywords, sign] of [
      [lowerLimits, 1],
      [upperLimits, -1],
    ] as const) {
      for (const keyword of keywords) {
        const [was, is] = [old[keyword], now[keyword]];
        if (this.#isSame(was, is)) continue;
        if (was === undefined) this.#add('narrowed', keyword, path, was, is);
        else if (is === undefined) this.#add('widened', keyword, path, was, is);
        else if (typeof was !== 'number' || typeof is !== 'number') {
          this.#add('undecided', keyword, path, was, is);
        } else this.#add((is - was) * sign > 0 ? 'narrowed' : 'widened', keyword, path, was, is);
      }
    }
    if (old.uniqueItems !== now.uniqueItems && (old.uniqueItems === true || now.uniqueItems === true)) {
      const kind = now.uniqueItems === true ? 'narrowed' : 'widened';
      this.#add(kind, 'uniqueItems', path, old.uniqueItems, now.uniqueItems);
    }
  }

  #constraint(keyword: string, old: Members, now: Members, path: Path): void {
    const [was, is] = [old[keyword], now[keyword]];
    if (this.#isSame(was, is)) return;
    if (was === undefined) this.#add('narrowed', keyword, path, was, is);
    else if (is === undefined) this.#add('widened', keyword, path, was, is);
    else this.#add('undecided', keyword, path, was, is);
  }

  /** `anyOf` as a set: what is only on one side narrows or widens. A changed alternative cannot be decided. */
  #alternatives(old: Members, now: Members, path: Path): void {
    const [was, is] = [old.anyOf, now.anyOf];
    if (this.#isSame(was, is)) return;
    if (!Array.isArray(was) || !Array.isArray(is)) {
      this.#constraint('anyOf', old, now, path);
      return;
    }
    const { gone, come } = this.#setChanges(was, is);
    if (gone && come) this.#add('undecided', 'anyOf', path, was, is);
    else if (gone) this.#add('narrowed', 'anyOf', path, was, is);
    else if (come) this.#add('widened', 'anyOf', path, was, is);
  }

  /** `allOf` as a set, the other way around: every further schema narrows. */
  #allOf(old: Members, now: Members, path: Path): void {
    const was = Array.isArray(old.allOf) ? old.allOf : [];
    const is = Array.isArray(now.allOf) ? now.allOf : [];
    const { gone, come } = this.#setChanges(was, is);
    if (gone && come) this.#add('undecided', 'allOf', path, was, is);
    else if (gone) this.#add('widened', 'allOf', path, was, is);
    else if (come) this.#add('narrowed', 'allOf', path, was, is);
  }

  #properties(old: Members, now: Members, path: Path): void {
    const [was, is] = [objectOf(old.properties), objectOf(now.properties)];
    const [required, nowRequired] = [namesOf(old.required), namesOf(now.required)];
    this.#budget.take(Object.keys(was).length + Object.keys(is).length + required.size + nowRequired.size);
    for (const [name, schema] of Object.entries(was)) {
      const inner = [...path, 'properties', name];
      if (Object.hasOwn(is, name)) this.compare(schema, is[name], inner);
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
    this.#additional('additionalProperties', old, now, path);
  }

  /** A change is shown with both values, so it takes as much as writing them. */
  #list(change: SchemaChange): void {
    this.#budget.take(1, this.#texts.of(change.before).length + this.#texts.of(change.after).length);
    this.changes.push(change);
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

  #items(old: Members, now: Members, path: Path): void {
    const [was, is] = [tupleOf(old), tupleOf(now)];
    const both = Math.min(was.items.length, is.items.length);
    for (let index = 0; index < both; index++) {
      this.compare(was.items[index], is.items[index], [...path, was.keyword, index]);
    }
    if (was.items.length !== is.items.length) {
      this.#add('undecided', is.keyword, path, was.items, is.items);
      return;
    }
    this.#rest('items', was.rest, is.rest, path);
  }

  #additional(keyword: string, old: Members, now: Members, path: Path): void {
    this.#rest(keyword, old[keyword], now[keyword], path);
  }

  /** A schema for what is not named, which is `true` if it is missing. */
  #rest(keyword: string, was: unknown, is: unknown, path: Path): void {
    const [old, now] = [was ?? true, is ?? true];
    if (this.#isSame(old, now)) return;
    if (now === false) this.#add('narrowed', keyword, path, was, is);
    else if (old === false) this.#add('widened', keyword, path, was, is);
    else if (isEmpty(old)) this.#add('narrowed', keyword, path, was, is);
    else if (isEmpty(now)) this.#add('widened', keyword, path, was, is);
    else this.compare(old, now, [...path, keyword]);
  }

  #add(kind: SchemaChange['kind'], keyword: string, path: Path, before: unknown, after: unknown): void {
    this.#list({ kind, keyword, path: [...path, keyword], property: null, before, after });
  }

  /** The schema that a local reference leads to; null if there is no such schema, or the reference is remote. */
  #resolved(schema: unknown, side: 0 | 1): Schema | null {
    let found: unknown = schema ?? true;
    for (let steps = 0; steps < DEEPEST; steps++) {
      const ref = refOf(found);
      if (ref === '') return isObject(found) || typeof found === 'boolean' ? found : null;
      if (!ref.startsWith('#') || (ref.length > 1 && ref[1] !== '/')) return null;
      let target: unknown = this.#roots[side];
      this.#budget.take(1, ref.length);
      for (const step of pointerPath(decoded(ref.slice(1)))) {
        target = isObject(target) || Array.isArray(target) ? Reflect.get(target, step) : undefined;
      }
      if (target === undefined) return null;
      found = target;
    }
    return null;
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A "%" that begins no escape.
    return fragment;
  }
}

type Members = Readonly<Record<string, unknown>>;

const objectOf = (schema: unknown): Members => (isObject(schema) ? schema : {});

const refOf = (schema: unknown): string =>
  isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : '';

const namesOf = (names: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);

const isEmpty = (schema: unknown): boolean =>
  schema === true || (isObject(schema) && Object.keys(schema).length === 0);

/** Values of JSON as texts with sorted members, so that equal ones have the same text. Each object is written once. */
class SortedTexts {
  readonly #known = new WeakMap<object, string>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Empty for what is missing. */
  of(value: unknown): string {
    if (value === undefined) return '';
    if (typeof value !== 'object' || value === null) return this.#counted(JSON.stringify(value));
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? `[${value.map((one) => this.of(one)).join(',')}]`
      : `{${Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => `${JSON.stringify(key)}:${this.of(one)}`)
          .join(',')}}`;
    this.#known.set(value, this.#counted(text));
    return text;
  }

  #counted(text: string): string {
    this.#budget.take(1, text.length);
    return text;
  }
}

const everyType = ['null', 'boolean', 'object', 'array', 'number', 'string'];

/** The types that are valid, with what `nullable` of OpenAPI adds. */
function typesOf(schema: Members): ReadonlySet<string> {
  const given = Array.isArray(schema.type) ? schema.type.map(String) : [schema.type];
  const types = given.filter((type) => typeof type === 'string');
  if (types.length === 0) return new Set(everyType);
  return new Set(schema.nullable === true ? [...types, 'null'] : types);
}

const covers = (types: ReadonlySet<string>, type: string): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));

/** The values of `enum` or `const`; null if any value of the types is valid. */
function valuesOf(schema: Members): readonly unknown[] | null {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}

/** The schemas of the first elements, and the one of all others (`prefixItems` and `items`, in draft-07 one keyword). */
function tupleOf(schema: Members): { keyword: string; items: readonly unknown[]; rest: unknown } {
  if (Array.isArray(schema.items)) {
    return { keyword: 'items', items: schema.items, rest: schema.additionalItems };
  }
  const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return { keyword: 'prefixItems', items, rest: schema.items };
}
