import { overFormLimits } from './form-limits.ts';
import { isSchema, resolveRef, type Schema, schemasOf } from './schema.ts';

/**
 * What a form starts with: the defaults its schema names, and constants that are required. Optional fields
 * without a default are left out, and so is a default of null, which most often means "nothing". For a schema that is
 * too large for a form nothing is filled in.
 */
export function initialValue(schema: Schema, root: Schema = schema): unknown {
  if (overFormLimits(schema) !== null) return undefined;
  return valueOf(schema, true, { root, within: [] });
}

interface Place {
  readonly root: Schema;
  /** The schemas on the way here: one that contains itself ends there. */
  readonly within: readonly Schema[];
}

function valueOf(schema: Schema, isRequired: boolean, { root, within }: Place): unknown {
  if (within.includes(schema)) return undefined;
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.const !== undefined && isRequired) return schema.const;
  const place = { root, within: [...within, schema] };
  const target = resolveRef(schema.$ref, root);
  if (target !== undefined) return valueOf(target, isRequired, place);
  const entries = entriesOf(schema, place);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function entriesOf(schema: Schema, place: Place): (readonly [string, unknown])[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const entries = own.flatMap(([key, inner]): (readonly [string, unknown])[] => {
    const value = isSchema(inner) ? valueOf(inner, required.includes(key), place) : undefined;
    return value === undefined ? [] : [[key, value]];
  });
  const parts = schemasOf(schema.allOf).flatMap((part) => {
    const target = resolveRef(part.$ref, place.root) ?? part;
    if (place.within.includes(target)) return [];
    return entriesOf(target, { ...place, within: [...place.within, target] });
  });
  return [...entries, ...parts];
}
