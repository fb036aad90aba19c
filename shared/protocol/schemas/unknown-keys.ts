import { z } from 'zod';
import { pointerOf } from '#shared/json/pointer.ts';
import { isObject } from '../jsonrpc.ts';
import { type MessageContext, resultType, schemaTypes } from './index.ts';
import { alternativesOf, errorsOf, memberOf } from './kit.ts';

/** More are not looked for: a message could consist of them. */
const MAX_KEYS = 500;

/**
 * The keys of a result that the schema of the revision does not define, as JSON pointers (RFC 6901) into the message.
 * They are legal (MCP 2025-06-18 schema, Result). What is open by definition has none: `_meta`, JSON Schemas,
 * structured content. Empty if the method is unknown.
 */
export function unknownResultKeys(result: unknown, context: MessageContext): string[] {
  const type = resultType(context);
  if (type === null) return [];
  const types = schemaTypes(context.revision);
  const open = new Set(openTypes.flatMap((name) => types.get(name) ?? []));
  return unknownKeys(type, result, [], open).map((path) => `/result${pointerOf(path)}`);
}

/** Types whose values have keys of another vocabulary: JSON Schema. */
const openTypes = ['ToolSchema', 'ToolOutputSchema'];

type Path = readonly (string | number)[];

function unknownKeys(type: z.ZodType, value: unknown, path: Path, open: ReadonlySet<z.ZodType>): Path[] {
  if (open.has(type)) return [];
  if (type instanceof z.ZodOptional || type instanceof z.ZodNullable) {
    const inner = type.unwrap();
    return inner instanceof z.ZodType ? unknownKeys(inner, value, path, open) : [];
  }
  const alternatives = type instanceof z.ZodUnion ? type.options : alternativesOf(type);
  if (alternatives !== null) {
    // A value may fit several; one that fits none is a finding of its own.
    const fitting = alternatives.filter(
      (one): one is z.ZodType => one instanceof z.ZodType && errorsOf(one, value).length === 0,
    );
    return fitting.map((one) => unknownKeys(one, value, path, open)).reduce(inBoth, null) ?? [];
  }
  const member = memberOf(type);
  if (member !== null) return ofMembers(member, value, path, open);
  if (!(type instanceof z.ZodObject) || !isObject(value)) return [];
  const shape: Readonly<Record<string, unknown>> = type.shape;
  // An object of which nothing is defined.
  if (Object.keys(shape).length === 0) return [];
  const found: Path[] = [];
  for (const [key, child] of Object.entries(value)) {
    if (found.length >= MAX_KEYS) break;
    const defined = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (key === '_meta') continue;
    if (!(defined instanceof z.ZodType)) found.push([...path, key]);
    else found.push(...unknownKeys(defined, child, [...path, key], open));
  }
  return found;
}

function ofMembers(member: z.ZodType, value: unknown, path: Path, open: ReadonlySet<z.ZodType>): Path[] {
  const found: Path[] = [];
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  for (const [key, child] of entries) {
    if (found.length >= MAX_KEYS) break;
    found.push(...unknownKeys(member, child, [...path, key], open));
  }
  return found;
}

function inBoth(known: Path[] | null, paths: Path[]): Path[] {
  if (known === null) return paths;
  const others = new Set(paths.map((path) => pointerOf(path)));
  return known.filter((path) => others.has(pointerOf(path)));
}
