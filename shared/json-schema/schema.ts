import { isObject } from '#shared/protocol/jsonrpc.ts';

/** An untrusted JSON Schema of a server. */
export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema => isObject(value);

/** The schemas of a list such as `anyOf`; empty if it is not a list. */
export const schemasOf = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

/** The values of `type`, which may be a string or a list. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : [];
}

/** Keywords that hold values, which may look like schemas. */
export const valueKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Keywords that describe values, and allow or forbid none. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Keywords that hold schemas by name; the names are those of the server, and no keywords. */
export const namedKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

/** The versions of JSON Schema, the oldest first. */
export const drafts = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export type Draft = (typeof drafts)[number];

const draftUris: ReadonlyMap<string, Draft> = new Map([
  ['//json-schema.org/draft-04/schema', 'draft-04'],
  ['//json-schema.org/draft-06/schema', 'draft-06'],
  ['//json-schema.org/draft-07/schema', 'draft-07'],
  ['//json-schema.org/draft/2019-09/schema', '2019-09'],
  ['//json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/**
 * The dialect of a schema; 2020-12 if it names none (MCP 2025-11-25 basic, JSON Schema usage).
 * `unknown`: the name of a dialect that is not known here; 2020-12 is the best guess for it.
 */
export function draftOf({ $schema }: Schema): { readonly draft: Draft; readonly unknown: string | null } {
  if ($schema === undefined) return { draft: '2020-12', unknown: null };
  const name = typeof $schema === 'string' ? $schema : JSON.stringify($schema);
  const draft = draftUris.get(name.replace(/#$/, '').replace(/^https?:/, ''));
  return draft === undefined ? { draft: '2020-12', unknown: name } : { draft, unknown: null };
}

/** Whether keywords beside a `$ref` have no meaning: up to draft-07. */
export const isRefAlone = (draft: Draft): boolean => drafts.indexOf(draft) <= drafts.indexOf('draft-07');
