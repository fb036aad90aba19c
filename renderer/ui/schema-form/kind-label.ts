import { formatQuantity } from '#shared/format.ts';
import { FORMAT, JSON_KINDS, NULLABLE, PATTERN } from './form-schema.ts';
import { isSchema, type Schema, typesOf } from './schema.ts';

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
