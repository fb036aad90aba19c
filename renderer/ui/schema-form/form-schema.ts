import { formatQuantity } from '#shared/format.ts';
import { pointerIn, targetOf } from '#shared/json-schema/references.ts';
import {
  isSchema,
  namedKeywords,
  type Schema,
  schemasOf,
  typesOf,
  valueKeywords,
} from '#shared/json-schema/schema.ts';
import { isObject } from '#shared/protocol/jsonrpc.ts';

/**
 * Converts the server's schema to one that the form library handles, with the same arguments at the same paths. The
 * server's own schema still validates what is sent.
 */

/** Marks a field that may also be null. Only JSON can enter null. */
const NULLABLE = 'x-nullable';
/** A `format`, renamed so that the library chooses no special input. */
const FORMAT = 'x-format';
/** A `pattern`, renamed because the page must not run a server's regular expressions. */
const PATTERN = 'x-pattern';
/** The types of a field edited as JSON; empty for any. */
const JSON_KINDS = 'x-json-kinds';

export function toFormSchema(schema: Schema): Schema {
  const { type, ...root } = node(withPointers(schema, schema), true);
  return { ...root, type: type ?? 'object' };
}

/**
 * Writes every reference as a JSON Pointer from the root, which is all that the library can follow: it does not know
 * anchors, and resolves no id.
 */
function withPointers(part: unknown, root: Schema, isMap = false): unknown {
  if (Array.isArray(part)) return part.map((entry) => withPointers(entry, root));
  if (!isSchema(part)) return part;
  const target = isMap || typeof part.$ref !== 'string' ? undefined : targetOf(part, root);
  const pointer = target === undefined ? undefined : pointerIn(target, root);
  return Object.fromEntries(
    Object.entries(part).map(([keyword, value]) => {
      if (keyword === '$ref' && pointer !== undefined) return [keyword, `#${encodeURI(pointer)}`];
      if (!isMap && valueKeywords.has(keyword)) return [keyword, value];
      return [keyword, withPointers(value, root, !isMap && namedKeywords.has(keyword))];
    }),
  );
}

function node(value: unknown, isRoot = false): Schema {
  if (!isSchema(value)) return jsonField({}, []);
  const schema = collapseNull(value);
  const types = typesOf(schema);
  if (types.length > 1) return jsonField(schema, types);
  if (typeof schema.$ref === 'string' && describing.some((keyword) => keyword in schema)) {
    // The library would replace what is referred to by the keywords beside the reference.
    const { $ref, ...rest } = schema;
    return node({ ...rest, allOf: [{ $ref }, ...schemasOf(rest.allOf)] }, isRoot);
  }
  if (!isRoot && isFreeForm(schema, types)) return jsonField(schema, types);

  const {
    // The library would resolve references against it, and render some values of it as a field of its own.
    $id: _id,
    format,
    pattern,
    readOnly: _,
    patternProperties: __,
    prefixItems,
    dependentSchemas,
    ...kept
  } = schema;
  const children: Record<string, unknown> = {};
  for (const [keyword, convert] of Object.entries(converters)) {
    if (keyword in kept) children[keyword] = convert(kept[keyword]);
  }
  return {
    ...kept,
    ...children,
    // A field is an object to the library only if it says so.
    ...(!isRoot && types.length === 0 && isSchema(kept.properties) && { type: 'object' }),
    ...(typeof format === 'string' && { [FORMAT]: format }),
    ...(typeof pattern === 'string' && { [PATTERN]: pattern }),
    ...(isSchema(children.items) && { items: rowSchema(children.items) }),
    ...byPattern(schema),
    ...(Array.isArray(prefixItems) && tuple(prefixItems, kept.items)),
    // The library knows the keyword of draft-07 only.
    ...(isObject(dependentSchemas) && { dependencies: dependencies(dependentSchemas) }),
  };
}

const map = (value: unknown) =>
  isSchema(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, node(inner)])) : {};
const list = (value: unknown) => (Array.isArray(value) ? value.map((inner) => node(inner)) : []);
const branches = (value: unknown) => (Array.isArray(value) ? value.map(branch) : []);
const dependencies = (value: Schema) =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, branch(inner)]));
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

/** A partial schema, which is not a field by itself. */
function branch(value: unknown): Schema {
  return isSchema(value) ? node(value, true) : {};
}

/** Converts every notation of `X or null` to a nullable `X`. */
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
      // Keywords beside the alternatives are about this field, so they override those of the alternative.
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

/** Keywords that describe members beside a reference. */
const describing = ['properties', 'oneOf', 'anyOf', 'allOf', 'if', 'items', 'prefixItems'];

/** Whether a schema is too unspecific for fields: any value, any object, any list. */
function isFreeForm(schema: Schema, [type]: readonly string[]): boolean {
  if (structural.some((keyword) => keyword in schema)) {
    const { properties } = schema;
    const isEmptyObject =
      isObject(properties) && Object.keys(properties).length === 0 && !('allOf' in schema);
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

/** A field edited as JSON. It has no type, so that the library uses its fallback field. */
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

/**
 * Makes members that are described by the pattern of their name ones whose name the user enters. The page must not run
 * the patterns; the engine validates against them.
 */
function byPattern(schema: Schema): Schema {
  const member = patternMember(schema);
  return member === undefined ? {} : { additionalProperties: node(member) };
}

/** The schema of members whose names have a pattern: any if there are several. Undefined if the form has none. */
export function patternMember({ patternProperties, additionalProperties }: Schema): Schema | undefined {
  const members = isSchema(patternProperties) ? Object.values(patternProperties) : [];
  if (members.length === 0 || isSchema(additionalProperties)) return undefined;
  const [only] = members;
  return members.length === 1 && isSchema(only) ? only : {};
}

/** Converts a tuple of draft 2020-12 to the older notation that the library supports. */
const tuple = (prefixItems: readonly unknown[], items: unknown): Schema => ({
  items: list(prefixItems),
  ...(items !== undefined && { additionalItems: nodeOrFlag(items) }),
});

/** Makes a new entry of a list of strings start as an empty string, not as null. */
const rowSchema = (items: Schema): Schema =>
  items.type === 'string' && items.default === undefined && !('enum' in items)
    ? { ...items, default: '' }
    : items;

/** The type and limits of a field: `number · 1 to 50`, `string · date-time`, `list of string`. */
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

/** Such as `1 to 50`, `at least 1 character`. Without a unit the limits are numeric. */
function range(least: unknown, most: unknown, one = '', many?: string): string {
  const from = meaningful(least, Number.MIN_SAFE_INTEGER);
  const to = meaningful(most, Number.MAX_SAFE_INTEGER);
  const quantity = (count: number) => (one === '' ? `${count}` : formatQuantity(count, one, many));
  if (from !== null && to !== null) return from === to ? quantity(from) : `${from} to ${quantity(to)}`;
  if (from !== null) return one === '' ? `≥ ${from}` : `at least ${quantity(from)}`;
  if (to === null) return '';
  return one === '' ? `≤ ${to}` : `at most ${quantity(to)}`;
}

/** A meaningful limit: generators add JavaScript's own limits to every integer. */
const meaningful = (limit: unknown, own: number): number | null =>
  typeof limit === 'number' && limit !== own ? limit : null;
