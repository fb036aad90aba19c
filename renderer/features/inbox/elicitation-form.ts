import { isSchema, type Schema, typesOf } from '#shared/json-schema/schema.ts';
import { visibleLine } from '#ui/visible.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/** The schema of a form that the user can fill in, or why its answer has to be written as JSON. */
export type ElicitationForm =
  | { readonly ok: true; readonly schema: Schema }
  | { readonly ok: false; readonly reason: string };

/**
 * Makes a form of a `requestedSchema`: a flat object of strings, numbers, booleans, and choices of one or several values
 * (MCP 2025-11-25 elicitation, requested schema). Names of choices become titles, in each of the notations: `enumNames`
 * (MCP 2025-06-18), and `oneOf` or `anyOf` with `const` and `title`.
 */
export function elicitationForm(schema: Schema | null): ElicitationForm {
  if (schema === null) return no('the request has no requestedSchema.');
  if (schema.type !== 'object') return no('its schema is not of type object.');
  if (!isObject(schema.properties)) return no('its schema has no properties.');
  const fields: [string, Schema][] = [];
  for (const [name, field] of Object.entries(schema.properties)) {
    const made = isSchema(field) ? simpleField(field) : null;
    if (made === null) {
      return no(`the field “${visibleLine(name)}” is not of a simple type, which elicitation requires.`);
    }
    fields.push([name, made]);
  }
  return { ok: true, schema: { ...schema, properties: Object.fromEntries(fields) } };
}

const no = (reason: string): ElicitationForm => ({ ok: false, reason });

/** A field of the form; null for types that elicitation does not have. */
function simpleField(field: Schema): Schema | null {
  if (compound.some((keyword) => keyword in field)) return null;
  const [type, ...others] = typesOf(field);
  if (others.length > 0) return null;
  switch (type) {
    case 'number':
    case 'integer':
    case 'boolean':
      return field;
    case 'string':
      return choiceOf(field) ?? ('anyOf' in field ? null : field);
    case 'array': {
      const items = isSchema(field.items) ? choiceOf(field.items) : null;
      // Each value can be chosen once.
      return items === null ? null : { ...field, items, uniqueItems: true };
    }
    case undefined:
      return choiceOf(field);
    default:
      return null;
  }
}

const compound = ['$ref', '$dynamicRef', 'properties', 'allOf', 'not', 'if', 'additionalProperties'];

/** A choice with the titles of its values; null if the field has no values to choose from. */
function choiceOf(field: Schema): Schema | null {
  const { enum: values, enumNames, oneOf, anyOf, ...rest } = field;
  if (Array.isArray(values)) {
    if (!values.every((value) => typeof value === 'string')) return null;
    const type = { type: 'string' };
    if (!Array.isArray(enumNames) || enumNames.length !== values.length) {
      return { ...rest, ...type, enum: values };
    }
    return {
      ...rest,
      ...type,
      oneOf: values.map((value, at) => ({ const: value, title: String(enumNames[at]) })),
    };
  }
  const options: unknown = oneOf ?? anyOf;
  if (!Array.isArray(options)) return null;
  const isChoice = options.every((option) => isSchema(option) && typeof option.const === 'string');
  return isChoice ? { ...rest, type: 'string', oneOf: options } : null;
}
