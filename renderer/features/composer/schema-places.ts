import { isObject } from '#shared/protocol/jsonrpc.ts';
import { leafValue, nodeAt, type PathStep, type TreeNode } from '#shared/json/tree.ts';
import { appliedSchemas } from '#shared/json-schema/members.ts';
import { targetOf } from '#shared/json-schema/references.ts';
import type { JsonSchema } from './message-schema.ts';

/** A schema, with the document that its references point into. */
export interface SchemaPlace {
  readonly schema: JsonSchema;
  readonly document: JsonSchema;
  /** Whether it is a member that its object requires. */
  readonly isRequired: boolean;
  /** Whose schema it is, such as `Input schema of echo`; null for that of the protocol. */
  readonly owner: string | null;
}

/** Another schema that applies at a place of the document, such as that of a tool's arguments. */
export interface SchemaGraft {
  readonly path: readonly PathStep[];
  readonly schema: JsonSchema;
  readonly owner: string;
}

/** The schemas that apply at a path of a document, as far as what is typed decides between alternatives. */
export function schemasAt(
  root: JsonSchema,
  path: readonly PathStep[],
  typed: { readonly text: string; readonly tree: TreeNode | undefined },
  grafts: readonly SchemaGraft[] = [],
): readonly SchemaPlace[] {
  let places: readonly SchemaPlace[] = [{ schema: root, document: root, isRequired: true, owner: null }];
  for (let length = 0; ; length++) {
    const here = path.slice(0, length);
    const graft = grafts.find(
      (one) => one.path.length === length && one.path.every((step, at) => step === here[at]),
    );
    if (graft !== undefined) {
      const { schema, owner } = graft;
      places = [{ schema, document: schema, isRequired: false, owner }];
    }
    const node = typed.tree === undefined ? undefined : nodeAt(typed.tree, here);
    places = places.flatMap((place) => alternatives(place, typed.text, node));
    const step = path[length];
    if (step === undefined) return places;
    places = places.flatMap((place) => into(place, step));
  }
}

/** The schemas of a member or item. */
function into({ schema, document, owner }: SchemaPlace, step: PathStep): SchemaPlace[] {
  const of = (inner: unknown, isRequired: boolean): SchemaPlace[] =>
    isObject(inner) ? [{ schema: inner, document, isRequired, owner }] : [];
  if (typeof step === 'number') {
    const first = Array.isArray(schema.prefixItems)
      ? schema.prefixItems
      : Array.isArray(schema.items)
        ? schema.items
        : [];
    return of(first[step] ?? schema.items, false);
  }
  const { properties, required, additionalProperties } = schema;
  const isRequired = Array.isArray(required) && required.includes(step);
  if (isObject(properties) && Object.hasOwn(properties, step)) return of(properties[step], isRequired);
  return of(additionalProperties, false);
}

/** A schema with those it refers to or is made of. */
function alternatives(place: SchemaPlace, text: string, node: TreeNode | undefined): SchemaPlace[] {
  const { schema, document } = place;
  const isFitting = (part: JsonSchema): boolean => fits(part, document, text, node);
  return appliedSchemas(schema, document, isFitting).map((part) => ({ ...place, schema: part }));
}

/** Whether what is typed contradicts no constant of an object's schema. */
function fits(schema: JsonSchema, document: JsonSchema, text: string, node: TreeNode | undefined): boolean {
  const whole = targetOf(schema, document) ?? schema;
  if (!isObject(whole.properties)) return true;
  return Object.entries(whole.properties).every(([key, inner]) => {
    if (!isObject(inner)) return true;
    const member = node === undefined ? undefined : nodeAt(node, [key]);
    const value = leafValue(text, member);
    if (value === undefined) return true;
    if ('const' in inner) return inner.const === value;
    return !Array.isArray(inner.enum) || inner.enum.includes(value);
  });
}

/** The members that the schemas of an object name, the required ones first. */
export function membersOf(places: readonly SchemaPlace[]): ReadonlyMap<string, SchemaPlace> {
  const found = new Map<string, SchemaPlace>();
  for (const { schema, document, owner } of places) {
    if (!isObject(schema.properties)) continue;
    const required = Array.isArray(schema.required) ? schema.required : [];
    for (const [key, inner] of Object.entries(schema.properties)) {
      const isRequired = required.includes(key) || found.get(key)?.isRequired === true;
      const own = isObject(inner) ? inner : {};
      found.set(key, { schema: own, document, isRequired, owner });
    }
  }
  return new Map([...found].sort(([, a], [, b]) => Number(b.isRequired) - Number(a.isRequired)));
}

/** Values that schemas name, as JSON: constants, enumerations, booleans, defaults and examples. */
export function valuesOf(places: readonly SchemaPlace[]): readonly string[] {
  const found = new Set<string>();
  for (const { schema } of places) {
    if ('const' in schema) found.add(JSON.stringify(schema.const));
    for (const list of [schema.enum, schema.examples]) {
      if (Array.isArray(list)) for (const value of list) found.add(JSON.stringify(value));
    }
    if ('default' in schema) found.add(JSON.stringify(schema.default));
    if (typesOf(schema).includes('boolean')) for (const value of ['true', 'false']) found.add(value);
    if (typesOf(schema).includes('null')) found.add('null');
  }
  return [...found];
}

/** The types that a schema names. */
export function typesOf({ type, enum: list, const: constant }: JsonSchema): readonly string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one): one is string => typeof one === 'string');
  const [first] = Array.isArray(list) ? list : [constant];
  return first === undefined ? [] : [first === null ? 'null' : typeof first];
}

/** The first description among schemas. */
export function descriptionOf(places: readonly SchemaPlace[]): string | undefined {
  for (const { schema } of places) if (typeof schema.description === 'string') return schema.description;
  return undefined;
}
