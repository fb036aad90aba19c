import { isObject } from '#shared/protocol/jsonrpc.ts';

const kinds = ['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'] as const;

/** A type of JSON Schema (2020-12 validation, section 6.1.1). */
export type Kind = (typeof kinds)[number];

/** References that lead to references are followed so often; a schema may refer to itself. */
const DEEPEST = 16;

/** The types a schema allows, in the order it names them; empty when it does not say. The schema is untrusted. */
export function kindsOf(schema: unknown, root: Record<string, unknown>, depth = 0): Kind[] {
  if (!isObject(schema) || depth > DEEPEST) return [];
  const { type, anyOf, oneOf, allOf, $ref } = schema;
  if (type !== undefined) return asList(type).filter(isKind);
  if (Object.hasOwn(schema, 'const')) return [kindOf(schema.const)];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map(kindOf))];
  if (typeof $ref === 'string') return kindsOf(referred($ref, root), root, depth + 1);
  const parts = [anyOf, oneOf, allOf].find(Array.isArray) ?? [];
  return [...new Set(parts.flatMap((part) => kindsOf(part, root, depth + 1)))];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value);

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return isKind(type) ? type : 'string';
}

/** What a reference inside the same schema points to (RFC 6901 section 6). */
function referred(ref: string, root: Record<string, unknown>): unknown {
  if (!ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = new Map(Object.entries(found)).get(key);
  }
  return found;
}
