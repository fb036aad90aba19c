import { isObject } from '#shared/protocol/jsonrpc.ts';
import { memberText } from '#shared/json/members.ts';
import type { HeaderLines } from '#shared/trace/record.ts';

/** A parameter of a tool that is mirrored into a header (MCP 2026-07-28 Streamable HTTP, custom headers). */
export interface ParamHeader {
  /** What follows `Mcp-Param-`. */
  readonly name: string;
  /** The keys that lead to its value in the arguments. */
  readonly path: readonly string[];
}

/** The mirrored parameters of an input schema; or why the schema is not valid because of one. */
export type ParamHeaders =
  | { readonly headers: readonly ParamHeader[]; readonly error: null }
  | { readonly headers: null; readonly error: string };

const ANNOTATION = 'x-mcp-header';
/** Field names of HTTP (RFC 9110 section 5.1). */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const mirroredTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Deeper schemas are not followed: a server may send anything. */
const DEEPEST = 64;

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const schemaKeywords: Readonly<Record<'one' | 'list' | 'named', readonly string[]>> = {
  one: [
    'items',
    'additionalItems',
    'contains',
    'additionalProperties',
    'unevaluatedItems',
    'unevaluatedProperties',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ],
  list: ['items', 'prefixItems', 'allOf', 'anyOf', 'oneOf'],
  named: ['$defs', 'definitions', 'patternProperties', 'dependentSchemas'],
};

/** Reads which parameters a tool wants mirrored into headers. */
export function paramHeadersOf(inputSchema: Readonly<Record<string, unknown>>): ParamHeaders {
  const headers: ParamHeader[] = [];
  for (const { schema, path } of annotated(inputSchema, [], 0)) {
    const name = schema[ANNOTATION];
    const error = errorOf(name, schema, path, headers);
    if (error !== null) return { headers: null, error };
    if (typeof name === 'string' && path !== null) headers.push({ name, path });
  }
  return { headers, error: null };
}

interface Annotated {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The keys of `properties` that lead to it; null if another keyword leads to it. */
  readonly path: readonly string[] | null;
}

function* annotated(schema: unknown, path: readonly string[] | null, depth: number): Generator<Annotated> {
  if (!isObject(schema) || depth > DEEPEST) return;
  if (Object.hasOwn(schema, ANNOTATION)) yield { schema, path };
  if (isObject(schema.properties)) {
    for (const [key, property] of Object.entries(schema.properties)) {
      yield* annotated(property, path && [...path, key], depth + 1);
    }
  }
  for (const inner of otherSubschemas(schema)) yield* annotated(inner, null, depth + 1);
}

/** The subschemas under keywords other than `properties`, whose values have no path of their own in the arguments. */
function* otherSubschemas(schema: Readonly<Record<string, unknown>>): Generator {
  for (const keyword of schemaKeywords.one) if (isObject(schema[keyword])) yield schema[keyword];
  for (const keyword of schemaKeywords.list) {
    const list = schema[keyword];
    if (Array.isArray(list)) yield* list;
  }
  for (const keyword of schemaKeywords.named) {
    const named = schema[keyword];
    if (isObject(named)) yield* Object.values(named);
  }
}

function errorOf(
  name: unknown,
  { type }: Annotated['schema'],
  path: Annotated['path'],
  others: readonly ParamHeader[],
): string | null {
  const shown = `${ANNOTATION} ${JSON.stringify(name)}`;
  if (typeof name !== 'string' || !token.test(name)) return `${shown} is not a header name`;
  if (path === null || path.length === 0) {
    return `${shown} stands where it is not reached by "properties" alone`;
  }
  if (!mirroredTypes.includes(type)) {
    return `${shown} is on a parameter of type ${JSON.stringify(type) ?? 'unknown'}; only string, integer and boolean can be mirrored`;
  }
  const isTaken = others.some((other) => other.name.toLowerCase() === name.toLowerCase());
  return isTaken ? `${shown} is used twice` : null;
}

/**
 * The `Mcp-Param-*` lines for a call.
 *
 * @param args JSON text of the arguments
 */
export function paramHeaderLines(headers: readonly ParamHeader[], args: string): HeaderLines {
  return headers.flatMap(({ name, path }) => {
    const text = memberText(args, path);
    const value = text === null ? null : headerText(text);
    return value === null ? [] : [[`Mcp-Param-${name}`, encodeHeaderValue(value)] as const];
  });
}

/** A JSON value as the text of a header; null if there is nothing to mirror. */
function headerText(json: string): string | null {
  const value: unknown = JSON.parse(json);
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return String(value);
    case 'number':
      // Decimal numbers as written, because parsing rounds.
      return /^-?\d+$/.test(json) ? json : String(value);
    default:
      return null;
  }
}

/** A value that a header cannot carry as it is, in the base64 form (MCP 2026-07-28 Streamable HTTP, value encoding). */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\t\x20-\x7e]*$/.test(value) && value.trim() === value;
  const looksEncoded = value.startsWith('=?base64?') && value.endsWith('?=');
  return isPlain && !looksEncoded ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
