import { overFormLimits } from './form-limits.ts';
import { targetOf } from '#shared/json-schema/references.ts';
import { isSchema, type Schema, schemasOf } from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * The initial value of a form: defaults, and required constants. Leaves out optional fields without a default, and
 * defaults of null, which usually mean "nothing". Undefined for a schema that is too large for a form.
 */
export function initialValue(schema: Schema, root: Schema = schema): unknown {
  if (overFormLimits(schema) !== null) return undefined;
  return valueOf(schema, true, { root, within: [] });
}

interface SchemaContext {
  readonly root: Schema;
  /** The enclosing schemas, to end recursion. */
  readonly within: readonly Schema[];
}

function valueOf(schema: Schema, isRequired: boolean, { root, within }: SchemaContext): unknown {
  if (within.includes(schema)) return undefined;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.const !== undefined && isRequired) return schema.const;
  const place = { root, within: [...within, schema] };
  const target = targetOf(schema, root);
  if (target !== undefined) return valueOf(target, isRequired, place);
  const entries = entriesOf(schema, place);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function entriesOf(schema: Schema, place: SchemaContext): (readonly [string, unknown])[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  const entries = own.flatMap(([key, inner]): (readonly [string, unknown])[] => {
    const value = isSchema(inner) ? valueOf(inner, required.includes(key), place) : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  const parts = schemasOf(schema.allOf).flatMap((part) => {
    const target = targetOf(part, place.root) ?? part;
    if (place.within.includes(target)) return [];
    return entriesOf(target, { ...place, within: [...place.within, target] });
  });
  return [...entries, ...parts];
}
