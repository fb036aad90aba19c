import { formatQuantity } from '#shared/format.ts';
import { isSchema, type Schema, schemasOf, typesOf } from './schema.ts';

/**
 * What the form library is given in place of the server's schema: the same arguments at the same places, in
 * the words the library understands. The server's own schema still validates what is sent.
 */

/** Says that a field may be null too; the form cannot write null, JSON can. */
const NULLABLE = 'x-nullable';
/** A `format`, under a name that makes the library choose no input of its own. */
const FORMAT = 'x-format';
/** A `pattern`, which the page itself must not run: it comes from the server. */
const PATTERN = 'x-pattern';
/** The types that a field written as JSON may have; empty for any. */
const JSON_KINDS = 'x-json-kinds';

export function toFormSchema(schema: Schema): Schema {
  const { type, ...root } = node(schema, true);
  return { ...root, type: type ?? 'object' };
}

function node(value: unknown, isRoot = false): Schema {
  if (!isSchema(value)) return jsonField({}, []);
  const schema = collapseNull(value);
  const types = typesOf(schema);
  if (types.length > 1) return jsonField(schema, types);
  if (!isRoot && isFreeForm(schema, types)) return jsonField(schema, types);

  const { $id, format, pattern, readOnly: _, patternProperties: __, prefixItems, ...kept } = schema;
  const children: Record<string, unknown> = {};
  for (const [keyword, convert] of Object.entries(converters)) {
    if (keyword in kept) children[keyword] = convert(kept[keyword]);
  }
  return {
    ...kept,
    ...children,
    // The library draws a schema whose id is the name of one of its fields as that field.
    ...(typeof $id === 'string' && !$id.endsWith('Field') && !($id in {}) && { $id }),
    ...(typeof format === 'string' && { [FORMAT]: format }),
    ...(typeof pattern === 'string' && { [PATTERN]: pattern }),
    ...(isSchema(children.items) && { items: rowSchema(children.items) }),
    ...(Array.isArray(prefixItems) && tuple(prefixItems, kept.items)),
  };
}

const map = (value: unknown) =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, node(inner)])) : {};
const list = (value: unknown) => (Array.isArray(value) ? value.map((inner) => node(inner)) : []);
const branches = (value: unknown) => (Array.isArray(value) ? value.map(branch) : []);
const nodeOrFlag = (value: unknown) => (typeof value === 'boolean' ? value : node(value));

const converters: Readonly<Record<string, (value: unknown) => unknown>> = {
  properties: map,
  $defs: map,
  definitions: map,
  oneOf: list,
  anyOf: list,
  allOf: branches,
  then: branch,
  else: branch,
  items: (value) => (Array.isArray(value) ? list(value) : node(value)),
  additionalItems: nodeOrFlag,
  additionalProperties: nodeOrFlag,
};

/** A part of a schema that says only some of it: it is no field by itself, whatever it lacks. */
function branch(value: unknown): Schema {
  return isSchema(value) ? node(value, true) : {};
}

/** `X or null`, in each way to write it, as `X` that may be null. */
function collapseNull(schema: Schema): Schema {
  const { default: preset, ...withoutPreset } = schema;
  const bare = preset === null ? withoutPreset : schema;
  const types = typesOf(bare);
  if (types.length === 2 && types.includes('null')) {
    return { ...bare, type: types.find((name) => name !== 'null'), [NULLABLE]: true };
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const options = schemasOf(bare[keyword]);
    const others = options.filter((option) => option.type !== 'null');
    if (options.length === 2 && others.length === 1) {
      const { [keyword]: _, ...rest } = bare;
      // What is said beside the alternatives is about this field: it wins over what the alternative says.
      return { ...collapseNull({ ...others[0], ...rest }), [NULLABLE]: true };
    }
  }
  return bare;
}

const structural = [
  '$ref',
  'enum',
  'const',
  'properties',
  'oneOf',
  'anyOf',
  'allOf',
  'if',
  'items',
  'prefixItems',
];

/** Whether a schema says too little to make fields of: any value, any object, any list. */
function isFreeForm(schema: Schema, [type]: readonly string[]): boolean {
  if (structural.some((keyword) => keyword in schema)) {
    const { properties } = schema;
    const isEmptyObject =
      isSchema(properties) && Object.keys(properties).length === 0 && !('allOf' in schema);
    if (!isEmptyObject) return false;
  }
  switch (type) {
    case undefined:
    case 'array':
      return true;
    case 'object': {
      const { additionalProperties: extra } = schema;
      return extra === undefined || extra === true || (isSchema(extra) && Object.keys(extra).length === 0);
    }
    default:
      return false;
  }
}

/** A field that is written as JSON. Without a type, so that the library asks for its field of last resort. */
function jsonField(schema: Schema, kinds: readonly string[]): Schema {
  const { title, description, default: preset, examples } = schema;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    ...(examples !== undefined && { examples }),
    ...(schema[NULLABLE] === true && { [NULLABLE]: true }),
    [JSON_KINDS]: kinds,
  };
}

/** A tuple of 2020-12 as drafts before wrote it, which is what the library knows. */
const tuple = (prefixItems: readonly unknown[], items: unknown): Schema => ({
  items: list(prefixItems),
  ...(items !== undefined && { additionalItems: nodeOrFlag(items) }),
});

/** A new row of a list of strings starts as an empty string, not as null. */
const rowSchema = (items: Schema): Schema =>
  items.type === 'string' && items.default === undefined && !('enum' in items)
    ? { ...items, default: '' }
    : items;

/** What a field takes, for the right of its label: `number · 1 to 50`, `string · date-time`, `list of string`. */
export function kindLabel(schema: Schema): string {
  return [kindOf(schema), ...limitsOf(schema)].filter((part) => part !== '').join(' · ');
}

function kindOf(schema: Schema): string {
  const kinds = schema[JSON_KINDS];
  if (Array.isArray(kinds)) return kinds.length === 0 ? 'any JSON' : kinds.map(kindName).join(' or ');
  const name =
    schema.const !== undefined ? 'constant' : Array.isArray(schema.enum) ? 'choice' : baseOf(schema);
  return schema[NULLABLE] === true && name !== '' ? `${name} or null` : name;
}

function baseOf(schema: Schema): string {
  const [type] = typesOf(schema);
  if (type !== 'array') return kindName(type ?? '');
  const inner = isSchema(schema.items) ? kindOf(schema.items) : '';
  return inner === '' ? 'list' : `list of ${inner}`;
}

const kindName = (type: string): string => (type === 'array' ? 'list' : type);

function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const format = schema[FORMAT];
  const pattern = schema[PATTERN];
  return [
    typeof format === 'string' ? format : '',
    range(minimum, maximum),
    typeof exclusiveMinimum === 'number' ? `> ${exclusiveMinimum}` : '',
    typeof exclusiveMaximum === 'number' ? `< ${exclusiveMaximum}` : '',
    typeof multipleOf === 'number' ? `multiple of ${multipleOf}` : '',
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'entry', 'entries'),
    schema.uniqueItems === true ? 'no duplicates' : '',
    typeof pattern === 'string' ? `/${pattern}/` : '',
  ];
}

/** Such as `1 to 50`, `at least 1 character`. Without a unit the limits are of a number. */
function range(least: unknown, most: unknown, one = '', many?: string): string {
  const from = meaningful(least, Number.MIN_SAFE_INTEGER);
  const to = meaningful(most, Number.MAX_SAFE_INTEGER);
  const quantity = (count: number) => (one === '' ? `${count}` : formatQuantity(count, one, many));
  if (from !== null && to !== null) return from === to ? quantity(from) : `${from} to ${quantity(to)}`;
  if (from !== null) return one === '' ? `≥ ${from}` : `at least ${quantity(from)}`;
  if (to === null) return '';
  return one === '' ? `≤ ${to}` : `at most ${quantity(to)}`;
}

/** A limit worth telling: generators write JavaScript's own limits into every integer. */
const meaningful = (limit: unknown, own: number): number | null =>
  typeof limit === 'number' && limit !== own ? limit : null;
