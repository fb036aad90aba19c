import { isObject } from '#shared/protocol/jsonrpc.ts';
import { isSchema, resolveRef, type Schema, schemasOf } from './schema.ts';

/**
 * The value of a form after a change, with the keys that were added where the schema has them: in the order of
 * `properties`, then of `required`. The other keys keep their order, which the user may have written.
 *
 * @param before the value that was changed
 */
export function inSchemaOrder(
  value: unknown,
  before: unknown,
  schema: Schema | undefined,
  root: Schema | undefined = schema,
): unknown {
  if (Array.isArray(value)) {
    // Which entry is which is known only while none is added or removed.
    if (!Array.isArray(before) || before.length !== value.length) return value;
    return value.map((entry, at) => inSchemaOrder(entry, before[at], entrySchema(schema, at, root), root));
  }
  if (!isObject(value)) return value;
  const old = isObject(before) ? before : {};
  const members = membersOf(schema, root);
  const order = new Map([...members.keys()].map((key, place) => [key, place]));
  const keys = Object.keys(old).filter((key) => Object.hasOwn(value, key));
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(old, key)) continue;
    const place = order.get(key) ?? Infinity;
    const next = keys.findIndex((other) => (order.get(other) ?? -1) > place);
    keys.splice(next === -1 ? keys.length : next, 0, key);
  }
  return Object.fromEntries(
    keys.map((key) => [key, inSchemaOrder(value[key], old[key], members.get(key), root)]),
  );
}

function entrySchema(schema: Schema | undefined, at: number, root: Schema | undefined): Schema | undefined {
  const { prefixItems, items } = targetOf(schema, root) ?? {};
  const positional = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return [positional[at], items].find(isSchema);
}

/** The members that a schema names, in its order, with those of its alternatives and parts after its own. */
function membersOf(schema: Schema | undefined, root: Schema | undefined): ReadonlyMap<string, Schema> {
  const members = new Map<string, Schema>();
  const seen = new Set<Schema>();
  const add = (part: Schema | undefined) => {
    if (part === undefined || seen.has(part)) return;
    seen.add(part);
    const { properties, required, allOf, anyOf, oneOf, then, else: other, dependentSchemas } = part;
    const own = isObject(properties) ? Object.entries(properties) : [];
    const named = Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
    for (const [key, inner] of [...own, ...named.map((name) => [name, undefined] as const)]) {
      if (!members.has(key)) members.set(key, isSchema(inner) ? inner : {});
    }
    add(resolveRef(part.$ref, root ?? part));
    const conditional = isObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
    for (const list of [allOf, anyOf, oneOf, [then, other], conditional]) schemasOf(list).forEach(add);
  };
  add(schema);
  return members;
}

/** The schema that a reference names; a schema without one itself. */
const targetOf = (schema: Schema | undefined, root: Schema | undefined): Schema | undefined =>
  (schema && root && resolveRef(schema.$ref, root)) ?? schema;
