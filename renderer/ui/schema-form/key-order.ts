import { isObject } from '#shared/protocol/jsonrpc.ts';
import { membersOf } from '#shared/json-schema/members.ts';
import { targetOf } from '#shared/json-schema/references.ts';
import { isSchema, type Schema } from '#shared/json-schema/schema.ts';

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
  const members = membersIn(schema, root);
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
  const { prefixItems, items } = (schema && root && targetOf(schema, root)) ?? schema ?? {};
  const positional = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  return [positional[at], items].find(isSchema);
}

/** The schema of each member, in the order of the schema. */
function membersIn(schema: Schema | undefined, root: Schema | undefined): ReadonlyMap<string, Schema> {
  if (schema === undefined) return new Map();
  const { named } = membersOf(schema, root ?? schema);
  return new Map([...named].map(([key, { schemas }]) => [key, schemas[0] ?? {}]));
}
